//! Stopping at any instant leaves one result for each call and one end.

use crate::models::{Scripted, Turn};
use crate::support::{World, names, outcome, results, until_finished};
use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;
use tenon_engine::Engine;
use tenon_vocab::port::CommandSink;
use tenon_vocab::{Command, EventKind, Outcome, SessionId, Status};

fn prompt(text: &str) -> Command {
    Command::Prompt {
        text: text.into(),
        attachments: vec![],
    }
}

#[tokio::test(start_paused = true)]
async fn the_text_so_far_is_kept_and_sent() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("half an answer").hangs(), Turn::text("second")]);
    let mut handle = world.start(id, &model);
    handle.commands.send(prompt("one"));
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::MessageDelta(_) => handle.commands.send(Command::Interrupt),
            EventKind::RunFinished(finished) if finished.outcome == Outcome::Interrupted => {
                handle.commands.send(prompt("two"));
            }
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    let kept = events.iter().any(|event| {
        matches!(&event.kind, EventKind::Message(m) if m.status == Status::Interrupted && m.text() == "half an answer")
    });
    assert!(kept);
    let second = String::from_utf8(model.bodies()[1].clone()).unwrap();
    assert!(second.contains("half an answer"), "{second}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_running_call_with_effects_is_awaited_and_the_rest_is_not_started() {
    let (world, id) = (World::new(), SessionId::generate());
    let calls = Turn::call("a", "act", r#"{"ms":60000}"#).and_call("b", "act", "{}");
    let model = Scripted::new([calls]);
    let mut handle = world.start(id, &model);
    handle.commands.send(prompt("go"));
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::ToolUse(_) => handle.commands.send(Command::Interrupt),
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    let texts = results(&events);
    assert!(texts[0].1.contains("told to stop"), "{texts:?}");
    assert!(texts[1].1.contains("not_started"), "{texts:?}");
    let order: Vec<_> = names(&events)
        .into_iter()
        .skip_while(|name| *name != "tool_use")
        .collect();
    assert_eq!(
        order,
        [
            "tool_use",
            "tool_result",
            "tool_result",
            "interrupted",
            "run_finished"
        ]
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_call_that_does_not_stop_has_an_unknown_outcome() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::call("a", "deaf", r#"{"ms":3600000}"#)]);
    let mut handle = world.start(id, &model);
    handle.commands.send(prompt("go"));
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::ToolUse(_) => handle.commands.send(Command::Interrupt),
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    assert!(results(&events)[0].1.contains("unknown_outcome"));
    assert_eq!(outcome(&events), Outcome::Interrupted);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn steering_arrives_at_the_next_step() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::call("a", "look", r#"{"ms":100}"#), Turn::text("done")]);
    let mut handle = world.start(id, &model);
    handle.commands.send(prompt("go"));
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::ToolUse(_) => handle.commands.send(Command::Steer {
                text: "use tabs".into(),
            }),
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    let second = String::from_utf8(model.bodies()[1].clone()).unwrap();
    assert!(second.contains("use tabs"), "{second}");
    assert_eq!(outcome(&events), Outcome::Completed);
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn what_waited_for_the_end_of_a_run_that_is_stopped_is_named() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::call("a", "look", r#"{"ms":60000}"#)]);
    let mut handle = world.start(id, &model);
    handle.commands.send(prompt("go"));
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::ToolUse(_) => {
                let focus = Some(String::from("the tests"));
                handle.commands.send(Command::Undo);
                handle.commands.send(Command::Redo);
                handle.commands.send(Command::Compact { focus });
                handle.commands.send(Command::Revert { message: Some(3) });
                handle.commands.send(Command::Skill {
                    name: "pdf".into(),
                    text: String::new(),
                });
                handle.commands.send(Command::Interrupt);
            }
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    let dropped = crate::support::notices(&events, "dropped");
    assert_eq!(
        dropped[0].message,
        "Not done, because you stopped the run: /undo | /redo | /compact the tests | /revert 3 | /pdf"
    );
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_prompt_during_a_run_follows_it() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text("one"), Turn::text("two")]);
    let mut handle = world.start(id, &model);
    handle.commands.send(prompt("first"));
    handle.commands.send(prompt("second"));
    let mut finished = 0;
    while let Some(event) = handle.events.next().await {
        if matches!(event.kind, EventKind::RunFinished(_)) {
            finished += 1;
            if finished == 2 {
                handle.commands.send(Command::Shutdown);
            }
        }
    }
    assert_eq!(finished, 2);
    world.verify(id);
}

/// Sends a command before the n-th poll of the engine.
struct Injected {
    engine: Pin<Box<dyn Future<Output = ()> + Send>>,
    commands: Arc<dyn CommandSink>,
    at: usize,
    polls: usize,
}

impl Future for Injected {
    type Output = usize;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<usize> {
        self.polls += 1;
        if self.polls == self.at {
            self.commands.send(Command::Interrupt);
        }
        let polls = self.polls;
        self.engine.as_mut().poll(context).map(|()| polls)
    }
}

/// A run with text, parallel reads, effects, a retry and a question of nobody;
/// gives how often the engine was polled.
async fn interrupted_at(poll: usize) -> usize {
    let (world, id) = (World::new(), SessionId::generate());
    let mut slow = Turn::text("thinking ");
    for n in 0..6 {
        slow.pieces
            .push((Duration::from_millis(20 + n), "more ".into()));
    }
    let model = Scripted::new([
        slow.and_call("a", "look", r#"{"ms":5}"#)
            .and_call("b", "look", r#"{"ms":3}"#),
        Turn::text("oops").fails(tenon_model::ModelErrorKind::Broken),
        Turn::call("c", "act", r#"{"ms":10}"#)
            .and_call("d", "danger", "{}")
            .and_call("e", "deaf", r#"{"ms":5}"#)
            .and_call("f", "look", r#"{"ms":7}"#)
            .and_call("g", "act", r#"{"ms":8}"#),
        Turn::text("done"),
    ]);
    let (mut handle, engine) = Engine::prepare(id, world.parts(id, Arc::clone(&model)));
    handle.commands.send(prompt("go"));
    let injected = Injected {
        engine,
        commands: Arc::clone(&handle.commands),
        at: poll,
        polls: 0,
    };
    let engine = tokio::spawn(injected);
    let events = until_finished(&mut handle).await;
    let end = outcome(&events);
    assert!(
        matches!(end, Outcome::Completed | Outcome::Interrupted),
        "{end:?} at poll {poll}"
    );
    let polls = engine.await.unwrap();
    world.verify(id);
    polls
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_at_every_await_point_leaves_a_whole_session() {
    let polls = interrupted_at(usize::MAX).await;
    assert!(
        polls >= 16,
        "the scenario has too few await points: {polls}"
    );
    for poll in 1..=polls + 1 {
        interrupted_at(poll).await;
    }
}
