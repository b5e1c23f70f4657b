//! An agent that was changed to in a session outlives a compaction, also one in
//! the middle of a run, and a stop changes nothing of it.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::agents::{change, opened};
use crate::models::Turn;
use crate::support::{World, prompt, say};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, ContextChange, EventKind, SessionId};

fn start(world: &World, id: SessionId, server: &Arc<Server>) -> Handle {
    Engine::start(id, opened(parts(world, id, server), "build"))
}

/// `look` gives back what it is given: long enough to fill the window soon.
fn busy(step: usize, _: &str) -> Turn {
    let text = "It is so. ".repeat(400);
    match step % 2 {
        0 => Turn::call(
            &format!("c{step}"),
            "look",
            &format!(r#"{{"text":"{text}"}}"#),
        ),
        _ => Turn::text("Fine, and on we go."),
    }
}

async fn session(stops: &[usize]) -> (Vec<String>, usize) {
    let (world, id) = (
        world(),
        "00000000-0000-7000-8000-000000000002".parse::<SessionId>(),
    );
    let id = id.unwrap();
    let server = Server::new(Setup::chat(16_384), busy, vague);
    let mut handle = start(&world, id, &server);
    let (mut done, mut sent) = (0, Vec::new());
    for n in 0..20 {
        match n {
            3 => drop(change(&mut handle, "plan").await),
            14 => drop(change(&mut handle, "build").await),
            _ => {}
        }
        if stops.contains(&n) {
            say(&mut handle, Command::Shutdown, |_| false).await;
            // It holds the lock of the session.
            drop(handle);
            handle = start(&world, id, &server);
        }
        let events = prompt(&mut handle, &format!("Prompt {n}")).await;
        done += compactions(&events).len();
        sent.push(server.last());
        if n == 12 {
            // The note went with what the first compaction replaced.
            let last = server.last();
            assert!(done > 0 && !last.contains("<agent name="), "{last}");
            assert!(last.contains(r#""content":"You are plan, for tests."#));
            assert!(!last.contains(r#""name":"act""#), "only its own tools");
        }
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    let loaded = world.store.load(id).unwrap();
    let reasons: Vec<String> = loaded
        .events()
        .filter_map(|event| match &event.kind {
            EventKind::Context(ContextChange::Compiled(compiled)) => Some(compiled.reason.clone()),
            _ => None,
        })
        .filter(|reason| reason.contains("tools"))
        .collect();
    assert_eq!(reasons.len(), 2, "to plan and back: {reasons:?}");
    world.verify(id);
    (sent, done)
}

#[tokio::test(start_paused = true)]
async fn after_a_compaction_the_prompt_itself_says_which_agent_works() {
    let (without, done) = session(&[]).await;
    assert!(done >= 2, "{done}");
    for stops in [vec![4], vec![13, 14], (1..20).collect()] {
        let (with, again) = session(&stops).await;
        assert_eq!(again, done, "{stops:?}");
        for (n, (with, without)) in with.iter().zip(&without).enumerate() {
            assert!(with == without, "{stops:?}, {n}:\n{with}\n{without}");
        }
    }
}
