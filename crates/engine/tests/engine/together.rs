//! Several changes of files in one reply: one question, one answer, and yet each
//! call is judged, recorded and carried out by itself.

use crate::models::{Scripted, Turn};
use crate::support::{World, results};
use serde_json::json;
use std::sync::Arc;
use tenon_engine::{Approval, Engine};
use tenon_tools::{BuiltIn, Interactive};
use tenon_vocab::{
    Answer, AnsweredBy, Class, Command, Display, Event, EventKind, Question, SessionId,
};

/// A project with these files, and somebody who can be asked.
pub fn world(files: &[(&str, &str)]) -> World {
    let mut world = World::new();
    world.approval = Approval::Ask;
    for (path, content) in files {
        std::fs::write(world.root().join(path), content).unwrap();
    }
    world
}

pub fn edit(turn: Turn, id: &str, path: &str, old: &str, new: &str) -> Turn {
    let input = json!({"path": path, "old": old, "new": new});
    turn.and_call(id, "edit", &input.to_string())
}

pub fn write(turn: Turn, id: &str, path: &str, content: &str) -> Turn {
    let input = json!({"path": path, "content": content});
    turn.and_call(id, "write", &input.to_string())
}

/// Answers the questions with these choices, one after the other, and the rest
/// with the last.
pub async fn answering(
    world: &World,
    turn: Turn,
    choices: &[(&str, Option<&str>)],
) -> (Vec<Arc<Event>>, SessionId) {
    let id = SessionId::generate();
    let model = Scripted::new([turn, Turn::text("done")]);
    let mut parts = world.parts(id, model);
    parts.toolbox.add(&BuiltIn::new(Interactive::No));
    let mut handle = Engine::start(id, parts);
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: vec![],
    });
    let (mut events, mut asked) = (Vec::new(), 0);
    while let Some(event) = handle.events.next().await {
        match &event.kind {
            EventKind::Question(question) => {
                let (choice, text) = choices[asked.min(choices.len() - 1)];
                asked += 1;
                handle.commands.send(Command::Answer(Answer {
                    question: question.id.clone(),
                    choice: choice.into(),
                    text: text.map(str::to_owned),
                    by: AnsweredBy::User,
                    call: None,
                }));
            }
            EventKind::RunFinished(_) => handle.commands.send(Command::Shutdown),
            _ => {}
        }
        events.push(event);
    }
    world.verify(id);
    (events, id)
}

pub fn questions(events: &[Arc<Event>]) -> Vec<&Question> {
    let is_it = |event: &'_ Arc<Event>| matches!(event.kind, EventKind::Question(_));
    events
        .iter()
        .filter(|event| is_it(event))
        .filter_map(|event| match &event.kind {
            EventKind::Question(question) => Some(question),
            _ => None,
        })
        .collect()
}

pub fn ids(question: &Question) -> Vec<&str> {
    question.calls.iter().map(|call| call.0.as_str()).collect()
}

/// The answers that are on record, with the later call that each is for.
fn answers(events: &[Arc<Event>]) -> Vec<(&str, Option<&str>)> {
    events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::Answer(answer) => Some((
                answer.choice.as_str(),
                answer.call.as_ref().map(|call| call.0.as_str()),
            )),
            _ => None,
        })
        .collect()
}

pub fn content(world: &World, path: &str) -> String {
    std::fs::read_to_string(world.root().join(path)).unwrap_or_default()
}

fn three() -> Turn {
    let turn = edit(Turn::default(), "c1", "a.rs", "one", "1");
    let turn = edit(turn, "c2", "b.rs", "two", "2");
    write(turn, "c3", "new.rs", "three\n")
}

const FILES: [(&str, &str); 2] = [("a.rs", "one\n"), ("b.rs", "two\n")];

#[tokio::test(start_paused = true)]
async fn edits_of_one_reply_are_shown_together_and_allowed_with_one_answer() {
    let world = world(&FILES);
    let (events, _) = answering(&world, three(), &[("all", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 1, "{asked:?}");
    assert_eq!(asked[0].title, "Make these 3 edits?");
    assert_eq!(asked[0].class, Some(Class::Ask));
    assert_eq!(ids(asked[0]), ["c1", "c2", "c3"]);
    let Display::Diff { files } = &asked[0].display else {
        panic!("{:?}", asked[0].display);
    };
    let paths: Vec<&str> = files.iter().map(|file| file.path.as_str()).collect();
    assert_eq!(paths, ["a.rs", "b.rs", "new.rs"]);
    let labels: Vec<String> = asked[0]
        .choices
        .iter()
        .map(|choice| format!("{} {}", choice.key, choice.label))
        .collect();
    assert_eq!(labels[..2], ["y allow these 3 edits", "o one at a time"]);
    assert_eq!(labels.last().unwrap(), "n deny all 3");
    // Each is on record by itself.
    assert_eq!(
        answers(&events),
        [("all", None), ("all", Some("c2")), ("all", Some("c3"))]
    );
    let by: Vec<_> = events
        .iter()
        .filter_map(|event| match &event.kind {
            EventKind::ToolUse(used) => used.explanation.answered_by.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(by, ["user"; 3]);
    assert_eq!(content(&world, "a.rs"), "1\n");
    assert_eq!(content(&world, "b.rs"), "2\n");
    assert_eq!(content(&world, "new.rs"), "three\n");
}

#[tokio::test(start_paused = true)]
async fn a_no_to_all_of_them_changes_nothing_and_each_call_hears_it() {
    let world = world(&FILES);
    let (events, _) = answering(&world, three(), &[("deny", Some("use tabs"))]).await;
    assert_eq!(questions(&events).len(), 1);
    assert_eq!(answers(&events).len(), 3);
    let results = results(&events);
    assert_eq!(results.len(), 3);
    for (call, text) in results {
        assert!(text.contains("permission_denied"), "{call}: {text}");
        assert!(text.contains("use tabs"), "{call}: {text}");
    }
    assert_eq!(content(&world, "a.rs"), "one\n");
    assert!(!world.root().join("new.rs").exists());
}

#[tokio::test(start_paused = true)]
async fn one_at_a_time_asks_about_each() {
    let world = world(&FILES);
    let choices = [
        ("each", None),
        ("deny", None),
        ("once", None),
        ("once", None),
    ];
    let (events, _) = answering(&world, three(), &choices).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 4);
    assert!(asked[1..].iter().all(|one| one.calls.is_empty()));
    assert_eq!(content(&world, "a.rs"), "one\n");
    assert_eq!(content(&world, "b.rs"), "2\n");
    assert_eq!(content(&world, "new.rs"), "three\n");
}

#[tokio::test(start_paused = true)]
async fn once_is_a_yes_to_the_first_of_them_alone() {
    let world = world(&FILES);
    let (events, _) = answering(&world, three(), &[("once", None), ("deny", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 2);
    assert_eq!(ids(asked[1]), ["c2", "c3"]);
    assert_eq!(content(&world, "a.rs"), "1\n");
    assert_eq!(content(&world, "b.rs"), "two\n");
}

#[tokio::test(start_paused = true)]
async fn a_lasting_yes_is_for_the_folder_of_all_of_them() {
    let world = world(&[]);
    std::fs::create_dir_all(world.root().join("src/deep")).unwrap();
    let turn = write(Turn::default(), "c1", "src/deep/a.rs", "a\n");
    let turn = write(turn, "c2", "src/b.rs", "b\n");
    let (events, _) = answering(&world, turn, &[("session", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 1);
    let rule = asked[0].choices.iter().find(|one| one.id == "session");
    let rule = rule.and_then(|one| one.rule.as_deref());
    assert_eq!(rule, Some("edit: \"src/**\" = allow"));
    assert_eq!(content(&world, "src/b.rs"), "b\n");
}

#[tokio::test(start_paused = true)]
async fn two_edits_of_one_file_need_one_answer() {
    let lines: String = (1..=9).map(|line| format!("line {line}\n")).collect();
    let world = world(&[("a.txt", &lines)]);
    let turn = edit(Turn::default(), "c1", "a.txt", "line 2\n", "a\nb\nc\n");
    let turn = edit(turn, "c2", "a.txt", "line 5", "five");
    let (events, _) = answering(&world, turn, &[("all", None), ("deny", None)]).await;
    assert_eq!(questions(&events).len(), 1);
    assert!(content(&world, "a.txt").contains("a\nb\nc\nline 3\nline 4\nfive\n"));
}

#[tokio::test(start_paused = true)]
async fn what_would_change_something_else_by_now_is_asked_about_again() {
    let world = world(&[]);
    let turn = write(Turn::default(), "c1", "a.txt", "first\n");
    let turn = write(turn, "c2", "a.txt", "second\n");
    let (events, _) = answering(&world, turn, &[("all", None), ("deny", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 2, "it was shown as a new file");
    assert_eq!(asked[1].call.as_ref().unwrap().0, "c2");
    assert_eq!(content(&world, "a.txt"), "first\n");
}

#[tokio::test(start_paused = true)]
async fn what_must_be_confirmed_and_what_cannot_succeed_is_in_no_group() {
    let world = world(&FILES);
    let turn = edit(Turn::default(), "c1", "a.rs", "one", "1");
    let turn = write(turn, "c2", ".envrc", "export A=1\n");
    let turn = edit(turn, "c3", "a.rs", "not there", "2");
    let turn = edit(turn, "c4", "b.rs", "two", "2");
    let (events, _) = answering(&world, turn, &[("all", None), ("deny", None)]).await;
    let asked = questions(&events);
    assert_eq!(ids(asked[0]), ["c1", "c4"]);
    for question in &asked[1..] {
        assert!(question.calls.is_empty(), "{question:?}");
    }
    assert_eq!(content(&world, "b.rs"), "2\n");
    assert!(!world.root().join(".envrc").exists());
}

#[tokio::test(start_paused = true)]
async fn a_command_between_them_parts_them() {
    let world = world(&FILES);
    let turn = edit(Turn::default(), "c1", "a.rs", "one", "1");
    let turn = turn.and_call("c2", "bash", &json!({"command": "make"}).to_string());
    let turn = edit(turn, "c3", "b.rs", "two", "2");
    let (events, _) = answering(&world, turn, &[("deny", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|one| one.calls.is_empty()));
}

#[tokio::test(start_paused = true)]
async fn where_a_flag_answers_nobody_is_asked_about_any_of_them() {
    let mut world = world(&FILES);
    world.approval = Approval::Yes(tenon_engine::Confirm::Nobody);
    let (events, _) = answering(&world, three(), &[("deny", None)]).await;
    assert!(questions(&events).is_empty());
    assert_eq!(content(&world, "new.rs"), "three\n");
}
