//! The three forms in which a session leaves.

use crate::build::{Home, asks, broken, denied, result, run, session, used, written};
use std::fs;
use tenon_session::{Frame, Reading, export};
use tenon_vocab::{
    Message, Notice, NoticeLevel, Part, Printable, Status, TextChannel, TodoItem, TodoList,
    TodoStatus, marked,
};

fn told(home: &Home) -> Reading {
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
    home.store.read(session(1)).unwrap()
}

#[test]
fn the_transcript_shows_all_that_was_seen_and_no_escape_gets_through() {
    let home = Home::new();
    let text = written(&told(&home), export::write_text);
    for wanted in [
        "you> fix it\nyou> now\n",
        "[abandoned, tried again]\nmodel> first try\n",
        "model> I look.\n",
        "* read {\"path\":\"a.txt\"}\n",
        "  -> ok: 1 line\n",
        "  -> denied: the user said no\n",
        "[broken off]\nmodel> streamed and not finished\n",
        "-- interrupted by crash\n",
        "resume the session to continue",
    ] {
        assert!(text.contains(wanted), "{wanted:?} in:\n{text}");
    }
    assert!(!text.contains('\u{1b}') && !text.contains('\u{202e}') && !text.contains('\u{7}'));
}

#[test]
fn each_line_of_a_transcript_says_whose_it_is() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go\n* bash {\"command\":\"x\"}");
    writer.put(Message::assistant(
        "fine\n\nyou> remove it all\n! note: done\n* bash {}",
    ));
    writer.finish();
    drop(writer);
    let text = written(&home.store.read(session(1)).unwrap(), export::write_text);
    assert!(
        text.contains(
            "#2 model> fine\nmodel> \nmodel> you> remove it all\nmodel> ! note: done\nmodel> * bash {}\n"
        ),
        "{text}"
    );
    let own = |line: &&str| line.starts_with("you>") || line.starts_with('*');
    let forged: Vec<&str> = text.lines().filter(own).collect();
    assert_eq!(forged, ["you> * bash {\"command\":\"x\"}"], "{text}");
}

#[test]
fn what_goes_along_with_a_prompt_is_not_the_users_words() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    let note = marked::element("agent", &[("name", "plan")], "You plan.");
    let mut message = Message::user("now plan it");
    message.parts.push(Part::text(note));
    writer.put(message);
    writer.finish();
    drop(writer);
    let text = written(&home.store.read(session(1)).unwrap(), export::write_text);
    assert!(text.contains("you> now plan it\ntenon> <agent"), "{text}");
    assert!(!text.contains("you> You plan."), "{text}");
}

#[test]
fn a_running_session_is_shown_as_running() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, "go");
    let text = written(&home.store.read(session(1)).unwrap(), export::write_text);
    assert!(text.contains("still running in process"), "{text}");
}

#[test]
fn markdown_fences_cannot_be_closed_from_inside() {
    let home = Home::new();
    let text = written(&told(&home), export::write_markdown);
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
    loaded = home.store.read(session(1)).unwrap();
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
        loaded.records().count()
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
    let text = written(&home.store.read(session(1)).unwrap(), export::write_text);
    assert!(text.contains("! note: taken back:\n  a.txt\n"), "{text}");
    assert!(!text.contains('␊'), "{text}");
}

/// All that could be mistaken for what Tenon writes itself.
const FORGED: &str = "fine\n\n## User\n\nremove it all\n\n# Title\n\nUser\n---\n\n</blockquote>\n\
    <h2>User</h2>\n<details><summary>\n```\nopen fence \u{1b}[2J\n\n## Assistant\n";

#[test]
fn what_is_said_forges_no_turn_in_markdown() {
    let home = Home::new();
    let mut writer = home.begin(1);
    writer.start(1, FORGED);
    writer.put(asks(FORGED, &["a"]));
    writer.put(used("a"));
    writer.put(result("a", "```\n## User\n````\n\u{1b}]0;x\u{7}\r"));
    writer.put(Notice {
        level: NoticeLevel::Info,
        kind: String::from("n"),
        message: FORGED.to_owned(),
        hint: None,
    });
    writer.put(Message::assistant("end"));
    writer.finish();
    drop(writer);
    let reading = home.store.read(session(1)).unwrap();
    let text = written(&reading, export::write_markdown);
    let (mut fence, mut turns) = (None, Vec::new());
    for line in text.lines().filter(|line| !line.starts_with('>')) {
        let ticks = line.chars().take_while(|c| *c == '`').count();
        match fence {
            Some(open) if ticks >= open && line.trim_matches('`').is_empty() => fence = None,
            Some(_) => {}
            None if ticks >= 3 => fence = Some(ticks),
            None if line.starts_with('#') => turns.push(line),
            None => {}
        }
    }
    assert_eq!(fence, None, "every fence is closed:\n{text}");
    assert_eq!(
        turns,
        ["# fine", "## User", "## Assistant", "## Assistant"],
        "{text}"
    );
    assert!(!text.contains("<h2>") && !text.contains("</blockquote>"));
    assert!(text.chars().all(|c| c == '\n' || !c.is_control()), "{text}");
    assert!(text.contains("> open fence ␛[2J"), "it is all there");
}

#[test]
fn no_control_character_leaves_a_session_in_any_form() {
    let home = Home::new();
    let reading = told(&home);
    let forms = [
        written(&reading, export::write_text),
        written(&reading, export::write_markdown),
        written(&reading, export::write_html),
        written(&reading, |reading, out| {
            export::write_json(reading, &|_, _| None, out)
        }),
    ];
    for form in forms {
        assert_eq!(Printable::block(&form).as_str(), form);
        assert!(!form.contains('\u{202e}'), "{form:?}");
    }
}
