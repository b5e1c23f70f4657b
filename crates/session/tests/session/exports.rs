//! The three forms in which a session leaves.

use crate::build::{Home, asks, broken, denied, result, run, session, used};
use std::fs;
use tenon_session::{Frame, Loaded, export};
use tenon_vocab::{
    Message, Notice, NoticeLevel, Status, TextChannel, TodoItem, TodoList, TodoStatus,
};

fn told(home: &Home) -> Loaded {
    let mut writer = home.begin(1);
    writer.start(1, "fix it\nnow");
    writer.put(TodoList {
        items: vec![
            TodoItem {
                text: String::from("look"),
                status: TodoStatus::Completed,
            },
            TodoItem {
                text: String::from("fix"),
                status: TodoStatus::InProgress,
            },
        ],
    });
    writer.put(broken("first try", Status::Abandoned));
    writer.put(asks("I look.", &["a", "b"]));
    writer.put(used("a"));
    writer.put(result("a", "evil \u{1b}[2J ``` fence"));
    writer.put(denied("b"));
    writer.put(Message::assistant("done \u{1b}]0;x\u{7} \u{202e}"));
    writer.finish();
    writer.start(2, "more");
    let frame = Frame::Message {
        run: run(2),
        channel: TextChannel::Text,
        text: String::from("streamed and not finished"),
    };
    writer.log.frame(&frame).unwrap();
    drop(writer);
    home.store.load(session(1)).unwrap()
}

#[test]
fn the_transcript_shows_all_that_was_seen_and_no_escape_gets_through() {
    let home = Home::new();
    let text = export::text(&told(&home));
    for wanted in [
        "> fix it\n> now\n",
        "[abandoned, tried again]\nfirst try\n",
        "I look.\n",
        "* read {\"path\":\"a.txt\"}\n",
        "  -> ok: 1 line\n",
        "  -> denied: the user said no\n",
        "[broken off]\nstreamed and not finished\n",
        "-- interrupted by crash\n",
        "resume goes on",
    ] {
        assert!(text.contains(wanted), "{wanted:?} in:\n{text}");
    }
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains('\u{7}'));
}

#[test]
fn a_running_session_is_shown_as_running() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    let text = export::text(&home.store.load(session(1)).unwrap());
    assert!(text.contains("still running in process"), "{text}");
}

#[test]
fn markdown_fences_cannot_be_closed_from_inside() {
    let home = Home::new();
    let text = export::markdown(&told(&home));
    assert!(text.starts_with("# fix it\n"), "{text}");
    assert!(text.contains("- [x] look\n- [~] fix\n"));
    assert!(text.contains("````\nevil"), "{text}");
    assert!(text.contains("## Assistant (broken off)"));
}

#[test]
fn json_has_the_fields_that_scripts_read_and_every_record_whole() {
    let home = Home::new();
    let mut loaded = told(&home);
    let path = loaded.path.clone();
    let text = fs::read_to_string(&path).unwrap();
    fs::write(
        &path,
        text.replacen("\"prompt\":", "\"mood\":\"good\",\"prompt\":", 1),
    )
    .unwrap();
    loaded = home.store.load(session(1)).unwrap();
    let json = export::json(&loaded).unwrap();
    assert_eq!(json["id"], session(1).to_string());
    assert_eq!(json["workingDirectory"], "/project");
    assert_eq!(json["originalPrompt"], "fix it\nnow");
    assert_eq!(json["createdAt"], "2026-05-28T20:26:40Z");
    assert_eq!(json["taskList"][1]["status"], "in-progress");
    assert_eq!(json["history"][0]["role"], "user");
    assert_eq!(json["history"][0]["content"], "fix it\nnow");
    assert_eq!(json["totalTokens"], 110);
    assert_eq!(json["unfinished"], true);
    assert_eq!(json["events"][1]["mood"], "good");
    assert_eq!(
        json["events"].as_array().unwrap().len(),
        loaded.records.len()
    );
}

#[test]
fn a_note_of_several_lines_is_shown_as_lines() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.put(Notice {
        level: NoticeLevel::Info,
        kind: String::from("undo"),
        message: String::from("taken back:\n  a.txt\n"),
        hint: None,
    });
    drop(writer);
    let text = export::text(&home.store.load(session(1)).unwrap());
    assert!(text.contains("! note: taken back:\n  a.txt\n"), "{text}");
    assert!(!text.contains('␊'), "{text}");
}
