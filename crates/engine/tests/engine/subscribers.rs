//! The engine never waits for whoever listens; a slow listener loses no fact.

use crate::models::{Scripted, Turn};
use crate::support::World;
use tenon_vocab::{Command, EventKind, SessionId};

#[tokio::test(start_paused = true)]
async fn a_listener_that_sleeps_through_a_long_run_still_gets_every_durable_event() {
    let (world, id) = (World::new(), SessionId::generate());
    let turns = (0..600).map(|n| {
        Turn::text("text").and_call(&format!("c{n}"), "look", &format!(r#"{{"text":"{n}"}}"#))
    });
    let model = Scripted::new(turns);
    let mut handle = world.start(id, &model);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: vec![],
    });
    // The whole run goes by before the first look.
    while model.bodies().len() < 601 {
        tokio::time::sleep(std::time::Duration::from_millis(10)).await;
    }
    let mut next = 1;
    while let Some(event) = handle.events.next().await {
        if event.is_durable() {
            assert_eq!(event.seq, next, "a durable event is missing");
            next += 1;
        }
        if matches!(event.kind, EventKind::RunFinished(_)) {
            handle.commands.send(Command::Shutdown);
        }
    }
    assert!(next > 1800, "{next}");
    world.verify(id);
}
