//! The tools of other tests, tested.

use std::collections::VecDeque;
use std::process::Stdio;
use std::sync::Arc;
use std::time::Duration;
use tenon_testing::{Recorder, TestHome, alive, descendants_with_marker, wait_until};
use tenon_vocab::port::{BoxFuture, EventSource};
use tenon_vocab::{Event, EventKind};
use tokio::sync::mpsc;

const LONG: Duration = Duration::from_secs(30);

#[test]
fn a_command_knows_only_its_own_home() {
    let home = TestHome::new();
    let output = home.command("env".as_ref()).output().unwrap();
    let mut names: Vec<String> = String::from_utf8(output.stdout)
        .unwrap()
        .lines()
        .map(|line| line.split('=').next().unwrap().to_owned())
        .collect();
    names.sort();
    assert_eq!(names, ["HOME", "LANG", "PATH", "TENON_HOME", "TMPDIR"]);
    let output = home.command("pwd".as_ref()).output().unwrap();
    let folder = String::from_utf8(output.stdout).unwrap();
    let project = home.project().canonicalize().unwrap();
    assert_eq!(folder.trim_end(), project.to_str().unwrap());
}

#[test]
fn a_home_is_gone_with_its_test() {
    let home = TestHome::new();
    let path = home.path().to_owned();
    assert!(path.join("project").is_dir());
    drop(home);
    assert!(!path.exists());
}

#[test]
fn a_process_is_found_by_its_marker_until_it_ends() {
    let home = TestHome::new();
    let marker = format!("tenon-marker-{}", std::process::id());
    let mut child = home
        .command("sleep".as_ref())
        .arg("600")
        .env("MARKER", &marker)
        .spawn()
        .unwrap();
    let found = || descendants_with_marker(&marker) == [child.id()];
    assert!(wait_until(LONG, found));
    assert!(alive(child.id()));
    child.kill().unwrap();
    // Not fetched yet: a zombie, which does not count.
    assert!(wait_until(LONG, || !alive(child.id())));
    assert!(descendants_with_marker(&marker).is_empty());
    child.wait().unwrap();
    assert!(!alive(child.id()));
}

#[test]
fn a_marker_in_the_arguments_is_found_too() {
    let marker = format!("tenon-argument-{}", std::process::id());
    let mut child = TestHome::new()
        .command("sh".as_ref())
        .args(["-c", "read line", &marker])
        .stdin(Stdio::piped())
        .spawn()
        .unwrap();
    assert!(wait_until(LONG, || descendants_with_marker(&marker) == [child.id()]));
    drop(child.stdin.take());
    child.wait().unwrap();
    assert!(descendants_with_marker(&marker).is_empty());
}

#[test]
fn waiting_ends_at_its_deadline() {
    assert!(!wait_until(Duration::from_millis(20), || false));
    let mut left = 3;
    assert!(wait_until(LONG, || {
        left -= 1;
        left == 0
    }));
}

/// Events that the test sends by hand.
struct Source(mpsc::UnboundedReceiver<Arc<Event>>);

impl EventSource for Source {
    fn next(&mut self) -> BoxFuture<'_, Option<Arc<Event>>> {
        Box::pin(self.0.recv())
    }
}

fn event(json: serde_json::Value) -> Arc<Event> {
    let mut whole = serde_json::json!({
        "seq": 0,
        "ts": "2026-01-01T00:00:00Z",
        "session": "00000000-0000-7000-8000-000000000000",
        "agent": "build",
    });
    for (key, value) in json.as_object().unwrap() {
        whole[key] = value.clone();
    }
    Arc::new(serde_json::from_value(whole).unwrap())
}

fn message(text: &str) -> Arc<Event> {
    event(serde_json::json!({
        "type": "message",
        "role": "assistant",
        "parts": [{"type": "text", "text": text}],
    }))
}

#[tokio::test]
async fn a_recorder_waits_for_what_comes_later_and_finds_what_came_before() {
    let (sender, receiver) = mpsc::unbounded_channel();
    let recorder = Recorder::new(Box::new(Source(receiver)));
    let mut later = VecDeque::from([message("one"), message("two")]);
    sender.send(later.pop_front().unwrap()).unwrap();
    let is_message = |event: &Event| matches!(event.kind, EventKind::Message(_));
    recorder.wait_for(is_message).await;

    let waiting = recorder.wait_after(1, is_message);
    let sending = async {
        tokio::task::yield_now().await;
        sender.send(later.pop_front().unwrap()).unwrap();
    };
    let (second, ()) = tokio::join!(waiting, sending);
    assert!(matches!(&second.kind, EventKind::Message(message) if message.text() == "two"));

    let interrupted = event(serde_json::json!({"type": "interrupted", "by": "user"}));
    sender.send(interrupted).unwrap();
    drop(sender);
    assert_eq!(recorder.wait_for_end().await.len(), 3);
    assert_eq!(recorder.names(), ["message", "message", "interrupted"]);
    assert_eq!(recorder.texts(), ["one", "two"]);
}

#[tokio::test]
#[should_panic(expected = "the session ended without it; seen: [\"message\"]")]
async fn a_recorder_says_what_it_saw_instead() {
    let (sender, receiver) = mpsc::unbounded_channel();
    let recorder = Recorder::new(Box::new(Source(receiver)));
    sender.send(message("one")).unwrap();
    drop(sender);
    let never = |event: &Event| matches!(event.kind, EventKind::Retry(_));
    recorder.wait_for(never).await;
}

#[test]
fn finds_or_builds_the_supervisor() {
    assert!(tenon_testing::supervisor().is_file());
}
