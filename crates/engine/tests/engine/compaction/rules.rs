//! Rules that were edited after the session began hold on through compactions in
//! the middle of a run, and nobody is told that they changed when they did not.

use super::server::{Server, Setup, vague};
use super::{compactions, parts, world};
use crate::models::Turn;
use crate::rules::{OneFile, write};
use crate::support::{World, notices, outcome, prompt, say};
use std::sync::Arc;
use tenon_engine::Engine;
use tenon_engine::prompt::{Briefing, Environment, RuleSource, Sourced, fragments};
use tenon_vocab::port::Handle;
use tenon_vocab::{Command, Outcome, SessionId};

/// Many calls in one prompt, from the second prompt on.
fn busy(step: usize, _: &str) -> Turn {
    match step {
        0 => Turn::text("Fine."),
        n if n % 61 == 0 => Turn::text("All are read."),
        n => Turn::call(
            &format!("c{n}"),
            "read",
            &format!(r#"{{"path":"a_{n}.rs","bytes":1500}}"#),
        ),
    }
}

fn start(world: &World, id: SessionId, server: &Arc<Server>) -> Handle {
    let mut parts = parts(world, id, server);
    let source = OneFile(world.root().join("AGENTS.md"));
    let environment = Environment {
        platform: "linux x86_64".into(),
        shell: "bash".into(),
        root: "/project".into(),
    };
    let (pieces, _) = fragments(&Briefing {
        base: Sourced {
            source: "built-in",
            text: "You are a test.",
        },
        appended: &[],
        rules: &source.current(),
        instructions: &[],
        environment: &environment,
        skills: &[],
    });
    parts.context.fragments = pieces;
    parts.context.rule_source = Some(Arc::new(source));
    Engine::start(id, parts)
}

fn edited(lines: usize) -> String {
    format!(
        "Use TABSONLY\n{}",
        "- one more rule of the house\n".repeat(lines)
    )
}

#[tokio::test(start_paused = true)]
async fn edited_rules_are_in_every_request_of_a_long_run() {
    let (world, id) = (world(), SessionId::generate());
    write(&world.root(), "AGENTS.md", "Use spaces\n");
    let server = Server::new(Setup::chat(9_000), busy, vague);
    let mut handle = start(&world, id, &server);
    prompt(&mut handle, "One.").await;
    // More than a twelfth of the space, less than a third.
    write(&world.root(), "AGENTS.md", &edited(120));
    let events = prompt(&mut handle, "Read all of them.").await;
    let more = prompt(&mut handle, "Again.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert!(compactions(&events).len() >= 3);
    assert!(compactions(&events).iter().all(|one| one.untold.is_empty()));
    let steps = server.steps();
    for (n, step) in steps.iter().enumerate().skip(1) {
        assert_eq!(step.matches("TABSONLY").count(), 1, "{n}: {step}");
    }
    let last = steps.last().unwrap();
    assert!(last.contains("follow once more, because"), "{last}");
    assert!(notices(&more, "rules").is_empty(), "nothing has changed");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn rules_that_find_no_room_are_named_and_told_again_as_what_they_are() {
    let (world, id) = (world(), SessionId::generate());
    write(&world.root(), "AGENTS.md", "Use spaces\n");
    let server = Server::new(Setup::chat(9_000), busy, vague);
    let mut handle = start(&world, id, &server);
    prompt(&mut handle, "One.").await;
    write(&world.root(), "AGENTS.md", &edited(500));
    let events = prompt(&mut handle, "Read all of them.").await;
    assert_eq!(outcome(&events), Outcome::Completed, "{events:?}");
    let said = notices(&events, "rules");
    assert!(
        said[0].message.starts_with("the rules changed: "),
        "{said:?}"
    );
    assert!(
        said[1]
            .message
            .contains("There is no room beside the summary"),
        "{said:?}"
    );
    let more = prompt(&mut handle, "Again.").await;
    say(&mut handle, Command::Shutdown, |_| false).await;
    let said = notices(&more, "rules");
    assert!(said[0].message.ends_with("are told again"), "{said:?}");
    world.verify(id);
}
