//! The facts of a session from its events.

use crate::build::{event, meta, result, run, session, started, used};
use serde_json::{Value, json};
use tenon_session::{extend_recap, recap};
use tenon_vocab::{
    Checkpoint, CheckpointAction, ContextChange, Envelope, Event, EventKind, FileChange, FileDone,
    Message, Origin, Part, Reverted, Role, TodoItem, TodoList, TodoStatus, ToolResult, ToolUse,
};

/// Numbers events as they come.
struct Tape(Vec<Event>);

impl Tape {
    fn new() -> Self {
        Self(vec![meta(session(1), "/home/p/project")])
    }

    fn put(&mut self, kind: impl Into<EventKind>) -> u64 {
        let seq = self.0.len() as u64;
        self.0
            .push(event(seq, session(1), Some(run(1)), None, kind));
        seq
    }

    fn say(&mut self, text: &str) -> u64 {
        self.put(started(&text.chars().take(200).collect::<String>()));
        self.put(Message::user(text))
    }

    fn call(
        &mut self,
        id: &str,
        name: &str,
        input: Value,
        result_of: impl FnOnce(ToolResult) -> ToolResult,
    ) {
        let name = name.to_owned();
        self.put(ToolUse {
            name: name.clone(),
            input,
            ..used(id)
        });
        self.put(result_of(ToolResult {
            name,
            ..result(id, "fine")
        }));
    }
}

fn exits(code: i64) -> impl FnOnce(ToolResult) -> ToolResult {
    move |result| ToolResult {
        ok: code == 0,
        envelope: Envelope::Ok(json!({"exit_code": code, "timed_out": false})),
        model_text: String::from("much\nthe last line"),
        ..result
    }
}

#[test]
fn prompts_files_commands_and_tasks_are_told_from_the_events() {
    let mut tape = Tape::new();
    tape.say("Port the parser.");
    tape.call(
        "a",
        "read",
        json!({"path": "/home/p/project/src/a.rs"}),
        |it| it,
    );
    tape.call("b", "edit", json!({"path": "src/b.rs"}), |it| it);
    tape.call("c", "bash", json!({"command": "make check"}), exits(2));
    tape.call("d", "bash", json!({"command": "make check"}), exits(0));
    tape.call("e", "grep", json!({"path": "src", "pattern": "x"}), |it| it);
    tape.say("Never touch vendor/.");
    tape.put(TodoList {
        items: vec![TodoItem {
            text: "write the note".into(),
            status: TodoStatus::Pending,
        }],
    });
    let facts = recap(&tape.0);
    assert_eq!(facts.goal, "Port the parser.");
    assert_eq!(facts.prompts, ["Never touch vendor/."]);
    let files: Vec<(&str, FileDone)> = facts
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.done))
        .collect();
    assert_eq!(
        files,
        [("src/a.rs", FileDone::Read), ("src/b.rs", FileDone::Edited)]
    );
    assert_eq!(facts.commands.len(), 1);
    assert_eq!(facts.commands[0].times, 2);
    assert_eq!(facts.commands[0].outcome, "exit 0");
    assert_eq!(facts.todo[0].text, "write the note");
}

#[test]
fn what_goes_along_with_a_prompt_is_no_part_of_it() {
    let mut tape = Tape::new();
    tape.put(started("Use the skill."));
    tape.put(Message::new(
        Role::User,
        Origin::User,
        vec![
            Part::text("The rules have changed:\n<rules path=\"AGENTS.md\">\nx\n</rules>"),
            Part::text("<skill name=\"pdf\">\nUse qpdf.\n</skill>"),
            Part::text("Use the skill."),
            Part::text("<file path=\"a\">\ncontent\n</file>"),
        ],
    ));
    let facts = recap(&tape.0);
    assert_eq!(facts.goal, "Use the skill.");
    assert_eq!(facts.skills.len(), 1);
    assert_eq!(facts.skills[0].text, "Use qpdf.");
}

#[test]
fn going_on_from_known_facts_gives_the_same_as_all_at_once() {
    let mut tape = Tape::new();
    for n in 0..150 {
        tape.say(&format!("Prompt {n}"));
        tape.call(
            &format!("c{n}"),
            "bash",
            json!({"command": format!("ls {n}")}),
            exits(0),
        );
    }
    let whole = recap(&tape.0);
    for cut in [1, 2, 77, 300] {
        let mut facts = recap(&tape.0[..cut]);
        // Events that are known already are passed over.
        extend_recap(&mut facts, &tape.0);
        assert_eq!(facts.prompts, whole.prompts, "{cut}");
        assert_eq!(facts.until, whole.until);
    }
    assert!(whole.prompts.len() <= 100);
    assert_eq!(whole.left_out, 49);
}

#[test]
fn what_was_reverted_is_forgotten_and_what_was_undone_is_said() {
    let mut tape = Tape::new();
    tape.say("First.");
    let before = tape.say("A wrong turn.");
    tape.put(ContextChange::Reverted(Reverted { before }));
    tape.put(Checkpoint {
        action: CheckpointAction::Undone,
        call: None,
        to_seq: None,
        files: vec![FileChange {
            path: "src/a.rs".into(),
            mode: None,
            before: None,
            after: None,
            after_mode: None,
        }],
        unkept: Vec::new(),
        ahead: false,
    });
    let facts = recap(&tape.0);
    assert!(facts.prompts.is_empty(), "{facts:?}");
    assert_eq!(facts.files[0].done, FileDone::TakenBack);
}

#[test]
fn a_huge_prompt_is_bounded_and_says_so() {
    let mut tape = Tape::new();
    tape.say(&"long ".repeat(100_000));
    let facts = recap(&tape.0);
    assert!(facts.goal.len() < 10_000);
    assert!(facts.goal.contains("characters left out"));
}
