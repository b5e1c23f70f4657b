//! When the tree is looked at, and when it is not.

use super::Session;
use serde_json::json;
use tenon_vocab::{Command, EventKind};

#[tokio::test]
async fn the_users_own_commands_can_be_undone() {
    let mut session = Session::new();
    let command = Command::Shell {
        command: "echo 1 > mine.txt".into(),
    };
    let done = |kind: &EventKind| matches!(kind, EventKind::RunFinished(_));
    crate::support::say(session.handle(), command, done).await;
    assert!(session.has("mine.txt"));
    session.ask(Command::Undo).await;
    assert!(!session.has("mine.txt"));
    session.leave().await;
}

#[tokio::test]
async fn a_change_by_a_command_is_in_the_log_before_its_run_ends() {
    let mut session = Session::new();
    let events = session.bash("echo 1 > a.txt").await;
    let names: Vec<&str> = events.iter().map(|event| event.kind.name()).collect();
    let checkpoint = names.iter().position(|name| *name == "checkpoint").unwrap();
    assert!(names[checkpoint..].contains(&"run_finished"), "{names:?}");
    session.leave().await;
}

#[tokio::test]
async fn what_a_job_does_until_its_run_ends_can_be_undone() {
    let mut session = Session::new();
    session.write("seen.txt", "1\n");
    session
        .run(&[
            ("bash", json!({"command": "(while ! test -e go; do sleep 0.01; done; echo 2 > seen.txt; echo 2 > late.txt; touch done; sleep 60) > /dev/null 2>&1 &"})),
            ("bash", json!({"command": "touch go; while ! test -e done; do sleep 0.01; done; rm go done"})),
        ])
        .await;
    assert!(session.has("late.txt"));
    session.ask(Command::Undo).await;
    assert!(!session.has("late.txt"));
    assert_eq!(session.read("seen.txt"), "1\n");
    session.leave().await;
}

#[tokio::test]
async fn a_session_inside_the_project_does_not_watch_itself() {
    let mut session = Session::new();
    session.world.store = tenon_session::Store::new(session.root().join(".home/sessions"));
    let events = session.bash("echo 1 > a.txt").await;
    let files: Vec<String> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Checkpoint(checkpoint) => Some(&checkpoint.files),
            _ => None,
        })
        .flatten()
        .map(|file| file.path.clone())
        .collect();
    assert_eq!(files, ["a.txt"]);
    session.leave().await;
}
