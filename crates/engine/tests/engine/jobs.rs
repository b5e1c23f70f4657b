//! Background processes that end while nobody works: told with the next prompt,
//! or, where the user wants it, by a run that starts by itself.

use crate::models::{Scripted, Turn};
use crate::support::{World, notices, prompt, results, say};
use serde_json::json;
use std::sync::Arc;
use tenon_engine::{Approval, Confirm, Engine, Wake};
use tenon_sandbox::Supervisor;
use tenon_tools::{BuiltIn, Interactive, Jobs, Toolbox};
use tenon_vocab::port::Handle;
use tenon_vocab::{
    Command, Event, EventKind, JobAction, Message, Origin, Part, Role, RunOrigin, SessionId,
};

fn opened(world: &mut World, model: &Arc<Scripted>, wake: Wake) -> Handle {
    world.approval = Approval::Yes(Confirm::Nobody);
    let id = SessionId::generate();
    let mut parts = world.parts(id, Arc::clone(model));
    parts.toolbox = Toolbox::default();
    parts.toolbox.add(&BuiltIn::new(Interactive::No));
    let path = std::env::var_os("PATH").unwrap();
    parts.jobs = Jobs::new(
        Supervisor::new(tenon_testing::supervisor(), Vec::new()),
        world.dir.path().join("out"),
        vec![("PATH".into(), path)],
    );
    parts.context.wake = wake;
    Engine::start(id, parts)
}

/// A process that ends when the file is there.
fn begins(id: &str, file: &str) -> Turn {
    let command = format!("until test -e {file}; do sleep 0.05; done; echo built; exit 3");
    let input = json!({"command": command, "background": true});
    Turn::call(id, "bash", &input.to_string())
}

async fn until_ended(handle: &mut Handle) {
    while let Some(event) = handle.events.next().await {
        if let EventKind::Job(job) = &event.kind
            && job.action == JobAction::Exited
        {
            return;
        }
    }
}

fn asked(events: &[Arc<Event>]) -> Vec<Message> {
    let said = |event: &Arc<Event>| match &event.kind {
        EventKind::Message(message) if message.role == Role::User => Some(message.clone()),
        _ => None,
    };
    events.iter().filter_map(said).collect()
}

fn note(message: &Message) -> Option<String> {
    message.parts.iter().find_map(|part| match part {
        Part::Text { text } if text.starts_with("<jobs>") => Some(text.clone()),
        _ => None,
    })
}

#[tokio::test]
async fn an_end_while_nobody_works_is_told_with_the_next_prompt_and_once() {
    let mut world = World::new();
    let model = Scripted::new([
        begins("a", "go"),
        Turn::text("started"),
        Turn::text("seen"),
        Turn::text("on"),
    ]);
    let mut handle = opened(&mut world, &model, Wake::Never);
    let first = prompt(&mut handle, "build it").await;
    assert!(
        results(&first)[0].1.contains("proc_1"),
        "{:?}",
        results(&first)
    );
    std::fs::write(world.root().join("go"), "").unwrap();
    until_ended(&mut handle).await;
    let second = prompt(&mut handle, "and?").await;
    let told = note(&asked(&second)[0]).unwrap();
    assert!(told.contains("proc_1 exited with code 3 after "), "{told}");
    assert!(told.contains("6 bytes of its output are unread"), "{told}");
    let third = prompt(&mut handle, "go on").await;
    assert_eq!(note(&asked(&third)[0]), None, "once");
    say(&mut handle, Command::Shutdown, |_| false).await;
}

/// The events of the next run.
async fn next_run(handle: &mut Handle) -> Vec<Arc<Event>> {
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        let is_over = matches!(event.kind, EventKind::RunFinished(_));
        events.push(event);
        if is_over {
            break;
        }
    }
    events
}

#[tokio::test]
async fn with_wake_an_end_starts_a_run_and_that_is_said_and_bounded() {
    let mut world = World::new();
    // Each run that starts by itself starts a process.
    let turns = (0..6).flat_map(|n| {
        [
            begins(&format!("c{n}"), &format!("go{n}")),
            Turn::text("ok"),
        ]
    });
    let model = Scripted::new(turns);
    let mut handle = opened(&mut world, &model, Wake::AtAnEnd);
    prompt(&mut handle, "build it").await;
    for n in 0..3 {
        std::fs::write(world.root().join(format!("go{n}")), "").unwrap();
        let events = next_run(&mut handle).await;
        let said = notices(&events, "wake").remove(0).message;
        let wanted = format!(
            "A run starts by itself ({} of 3 until your next prompt",
            n + 1
        );
        assert!(said.contains(&wanted), "{said}");
        let started = events.iter().any(|event| match &event.kind {
            EventKind::RunStarted(started) => started.origin == RunOrigin::Job,
            _ => false,
        });
        assert!(started, "{n}");
        let message = &asked(&events)[0];
        assert_eq!(message.origin, Origin::Rule);
        assert!(note(message).unwrap().contains("exited with code 3"));
    }
    // The last process ends, and nothing starts: the user has to say something.
    std::fs::write(world.root().join("go3"), "").unwrap();
    until_ended(&mut handle).await;
    let after = prompt(&mut handle, "go on").await;
    assert_eq!(
        model.texts().len(),
        10,
        "a run of its own would have asked before"
    );
    assert!(note(&asked(&after)[0]).is_some());
    say(&mut handle, Command::Shutdown, |_| false).await;
}
