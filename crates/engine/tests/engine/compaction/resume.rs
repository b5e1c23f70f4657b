//! Going on after a stop is going on: the request after a resume is, byte for byte,
//! the one that would have been sent.

use super::server::{Server, Setup, vague};
use super::{compactions, start, world};
use crate::models::Turn;
use crate::support::{prompt, say};
use tenon_vocab::{Command, EventKind, SessionId};

fn busy(step: usize, _: &str) -> Turn {
    if step.is_multiple_of(2) {
        Turn::call(
            &format!("c{step}"),
            "read",
            r#"{"path":"a.rs","bytes":3000}"#,
        )
    } else {
        Turn::text("Fine, and on we go.")
    }
}

async fn last_request(stops: &[usize]) -> (String, usize) {
    let (world, id) = (
        world(),
        "00000000-0000-7000-8000-000000000001".parse::<SessionId>(),
    );
    let id = id.unwrap();
    let server = Server::new(Setup::chat(16_384), busy, vague);
    let mut handle = start(&world, id, &server);
    let mut done = 0;
    for n in 0..24 {
        if stops.contains(&n) {
            say(&mut handle, Command::Shutdown, |_| false).await;
            // It holds the lock of the session.
            drop(handle);
            handle = start(&world, id, &server);
        }
        let events = prompt(&mut handle, &format!("Prompt {n}")).await;
        done += compactions(&events).len();
        let snapshots = events
            .iter()
            .filter(|event| matches!(event.kind, EventKind::Snapshot(_)))
            .count();
        assert_eq!(snapshots, compactions(&events).len(), "one for each");
    }
    say(&mut handle, Command::Shutdown, |_| false).await;
    world.verify(id);
    (server.last(), done)
}

#[tokio::test(start_paused = true)]
async fn the_request_after_a_resume_is_the_one_that_would_have_been_sent() {
    let (without, done) = last_request(&[]).await;
    assert!(done >= 2, "{done}");
    for stops in [vec![23], vec![12, 23], (1..24).collect()] {
        let (with, again) = last_request(&stops).await;
        assert_eq!(again, done, "{stops:?}");
        assert!(with == without, "{stops:?}:\n{with}\n{without}");
    }
}
