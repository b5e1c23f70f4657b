//! What is written for a program that ended without warning.

use crate::build::{Home, asks, run, session, started, texts, used};
use tenon_session::{Frame, FrameOf, Loaded};
use tenon_vocab::{
    CallId, CallStatus, Event, EventKind, Message, Outcome, Part, Status, TextChannel, ToolStream,
};

fn says(n: u32, text: &str) -> Frame {
    Frame::Message {
        run: run(n),
        channel: TextChannel::Text,
        text: text.to_owned(),
    }
}

fn thinks(n: u32, text: &str) -> Frame {
    Frame::Message {
        run: run(n),
        channel: TextChannel::Reasoning,
        text: text.to_owned(),
    }
}

fn prints(n: u32, call: &str, text: &str) -> Frame {
    Frame::Tool {
        run: run(n),
        call: CallId::new(call),
        name: String::from("bash"),
        stream: ToolStream::Stdout,
        text: text.to_owned(),
    }
}

fn names(events: &[Event]) -> Vec<&str> {
    events.iter().map(|event| event.kind.name()).collect()
}

fn load(home: &Home) -> Loaded {
    home.store.load(session(1)).unwrap()
}

#[test]
fn streamed_text_becomes_a_broken_message_that_stays_in_the_context() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.log.frame(&thinks(1, "hm, ")).unwrap();
    writer.log.frame(&thinks(1, "well")).unwrap();
    writer.log.frame(&says(1, "The answer ")).unwrap();
    writer.log.frame(&says(1, "is fort")).unwrap();
    drop(writer);
    let seen = load(&home);
    assert_eq!(
        names(&seen.virtual_tail),
        ["message", "interrupted", "run_finished"]
    );
    let EventKind::Message(message) = &seen.virtual_tail[0].kind else {
        panic!()
    };
    assert_eq!(message.status, Status::Broken);
    assert!(message.in_context);
    assert_eq!(message.text(), "The answer is fort");
    assert!(matches!(&message.parts[0], Part::Reasoning { text, .. } if text == "hm, well"));

    let writer = home.reopen(1);
    assert_eq!(
        texts(&writer.state),
        ["user: go", "assistant: hm, well The answer is fort"]
    );
    drop(writer);
    assert_eq!(home.findings(1), []);
    assert!(
        load(&home).virtual_tail.is_empty(),
        "once, not at each opening"
    );
}

#[test]
fn reasoning_alone_is_kept_for_the_reader_and_not_sent() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.log.frame(&thinks(1, "hm")).unwrap();
    drop(writer);
    let writer = home.reopen(1);
    assert_eq!(texts(&writer.state), ["user: go"]);
    drop(writer);
    let loaded = load(&home);
    let kept = loaded.records.iter().any(|record| {
        matches!(&record.event.kind, EventKind::Message(m) if m.status == Status::Broken && !m.in_context)
    });
    assert!(kept);
}

#[test]
fn open_calls_get_results_that_tell_started_from_not_started() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a", "b"]));
    writer.put(used("a"));
    writer.log.frame(&prints(1, "a", "line 1\n")).unwrap();
    writer.log.frame(&prints(1, "a", "line 2\n")).unwrap();
    drop(writer);
    let tail = load(&home).virtual_tail;
    assert_eq!(
        names(&tail),
        ["tool_result", "tool_result", "interrupted", "run_finished"]
    );
    let EventKind::ToolResult(first) = &tail[0].kind else {
        panic!()
    };
    assert_eq!(first.status, CallStatus::UnknownOutcome);
    assert!(
        first
            .model_text
            .contains("check its effects before you continue")
    );
    assert!(first.model_text.ends_with("line 1\nline 2\n"));
    let EventKind::ToolResult(second) = &tail[1].kind else {
        panic!()
    };
    assert_eq!(second.status, CallStatus::NotStarted);
    let EventKind::RunFinished(finished) = &tail[3].kind else {
        panic!()
    };
    assert_eq!(finished.outcome, Outcome::Interrupted);
    assert_eq!((finished.steps, finished.calls), (1, 2));
    assert_eq!(finished.usage.input, 100);
    drop(home.reopen(1));
    assert_eq!(home.findings(1), []);
}

#[test]
fn long_output_is_cut_to_its_end_with_a_count() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a"]));
    writer.put(used("a"));
    for n in 0..2000 {
        let line = format!("line {n} äöü {}\n", "x".repeat(80));
        writer.log.frame(&prints(1, "a", &line)).unwrap();
    }
    drop(writer);
    let tail = load(&home).virtual_tail;
    let EventKind::ToolResult(result) = &tail[0].kind else {
        panic!()
    };
    assert!(result.model_text.len() < 20_000);
    assert!(result.model_text.contains("earlier bytes left out"));
    assert!(result.model_text.contains("line 1999"));
}

#[test]
fn what_is_in_the_log_already_is_not_written_twice() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.log.frame(&says(1, "I look.")).unwrap();
    writer.put(asks("I look.", &["a"]));
    // Killed before the frames were cleared.
    drop(writer);
    let writer = home.reopen(1);
    let seen = texts(&writer.state);
    assert_eq!(
        seen.iter().filter(|text| text.contains("I look.")).count(),
        1
    );
}

#[test]
fn a_message_that_streams_beside_a_notice_is_kept_whole_and_a_superseded_one_is_not_mixed_in() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.log.frame(&says(1, "old ")).unwrap();
    writer.log.frame(&prints(1, "x", "other stream")).unwrap();
    writer.put(Message::assistant("old text"));
    writer.log.clear_frames(&FrameOf::Message).unwrap();
    writer.log.frame(&says(1, "new ")).unwrap();
    writer.put(crate::build::settings(None));
    writer.log.frame(&says(1, "text")).unwrap();
    drop(writer);
    let tail = load(&home).virtual_tail;
    let EventKind::Message(message) = &tail[0].kind else {
        panic!("{tail:?}")
    };
    assert_eq!(message.text(), "new text");
}

#[test]
fn a_torn_frame_ends_the_reading_and_loses_nothing_before_it() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    for word in ["one ", "two ", "three "] {
        writer.log.frame(&says(1, word)).unwrap();
    }
    let partial = writer.log.folder().unwrap().join("partial");
    drop(writer);
    let bytes = std::fs::read(&partial).unwrap();
    for cut in 0..=bytes.len() {
        std::fs::write(&partial, &bytes[..cut]).unwrap();
        let whole = bytes[..cut].iter().filter(|b| **b == b'\n').count();
        let expected = ["", "one ", "one two ", "one two three "][whole];
        let tail = load(&home).virtual_tail;
        match &tail[0].kind {
            EventKind::Message(message) => assert_eq!(message.text(), expected),
            _ => assert_eq!(whole, 0),
        }
    }
}

#[test]
fn child_runs_are_closed_before_the_run_that_they_are_part_of() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    writer.put(asks("", &["a"]));
    writer.put(used("a"));
    writer.parent = writer.run;
    writer.run = Some(run(2));
    writer.put(started("child"));
    writer.put(Message::user("child"));
    writer.put(asks("", &["a"]));
    writer.log.frame(&says(2, "child says")).unwrap();
    drop(writer);
    let tail = load(&home).virtual_tail;
    assert_eq!(
        names(&tail),
        [
            "tool_result",
            "message",
            "interrupted",
            "run_finished",
            "tool_result",
            "interrupted",
            "run_finished"
        ]
    );
    assert!(tail[..4].iter().all(|event| event.parent == Some(run(1))));
    assert!(tail[4..].iter().all(|event| event.parent.is_none()));
    let writer = home.reopen(1);
    assert_eq!(texts(&writer.state).len(), 3);
    drop(writer);
    assert_eq!(home.findings(1), []);
}

#[test]
fn a_command_that_the_user_typed_gets_its_result_too() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.run = Some(run(1));
    writer.put(started("!make"));
    writer.put(used("shell_1"));
    drop(writer);
    let writer = home.reopen(1);
    assert!(texts(&writer.state).is_empty());
    drop(writer);
    assert_eq!(home.findings(1), []);
}

#[test]
fn a_session_at_rest_is_not_changed_by_opening() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.small_run(1);
    let path = writer.path();
    drop(writer);
    let before = std::fs::read(&path).unwrap();
    drop(home.reopen(1));
    assert_eq!(std::fs::read(&path).unwrap(), before);
}
