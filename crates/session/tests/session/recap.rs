//! The facts of a session from its events.

use crate::build::{event, meta, result, run, session, started, used};
use proptest::prelude::*;
use serde_json::{Value, json};
use tenon_session::{extend_recap, recap};
use tenon_vocab::{
    Answer, AnsweredBy, Checkpoint, CheckpointAction, ContextChange, Display, Envelope, Event,
    EventKind, FileChange, FileDone, Message, Origin, Part, Question, QuestionId, QuestionKind,
    Reverted, Role, TodoItem, TodoList, TodoStatus, ToolResult, ToolUse,
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
fn a_folder_that_was_made_for_a_file_or_removed_is_no_file_and_not_deleted() {
    let folder = |mode, after_mode| FileChange {
        path: String::from("src/new"),
        mode,
        after_mode,
        ..FileChange::default()
    };
    let made = Some(FileChange::FOLDER | 0o755);
    let file = |before: Option<u32>, after: Option<&str>| FileChange {
        path: String::from("src/turned"),
        mode: before,
        after: after.map(ToOwned::to_owned),
        after_mode: after.map_or(made, |_| Some(0o644)),
        ..FileChange::default()
    };
    for (change, known) in [
        (folder(None, made), None),
        (folder(made, None), None),
        (folder(made, Some(FileChange::FOLDER | 0o700)), None),
        (file(made, Some("hash")), Some(FileDone::Created)),
    ] {
        let mut tape = Tape::new();
        tape.say("Go.");
        tape.put(Checkpoint {
            action: CheckpointAction::Saved,
            call: None,
            to_seq: None,
            files: vec![change.clone()],
            unkept: Vec::new(),
            ahead: false,
            untouched: Vec::new(),
        });
        let facts = recap(&tape.0);
        let told = facts.files.first().map(|file| file.done);
        assert_eq!(told, known, "{change:?}");
    }
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
            ..FileChange::default()
        }],
        unkept: Vec::new(),
        ahead: false,
        untouched: Vec::new(),
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
    assert!(facts.goal.len() < 41_000);
    assert!(facts.goal.contains("characters left out"));
}

fn question(id: &str, kind: QuestionKind, title: &str, body: &str) -> Question {
    Question {
        id: QuestionId::new(id),
        kind,
        title: title.to_owned(),
        body: body.to_owned(),
        display: Display::default(),
        choices: Vec::new(),
        free_text: true,
        call: None,
        tool: None,
        reason: None,
        intent: None,
        affects: Vec::new(),
        calls: Vec::new(),
        class: None,
    }
}

#[test]
fn words_that_came_with_a_denial_are_kept_wherever_the_events_are_cut() {
    let mut tape = Tape::new();
    tape.say("Make the fixtures.");
    let mut ask = |id: &str, kind, title: &str, body: &str, choice: &str, text: &str, by| {
        tape.put(question(id, kind, title, body));
        tape.put(Answer {
            question: QuestionId::new(id),
            choice: choice.to_owned(),
            text: Some(text.to_owned()),
            by,
            call: None,
        });
    };
    let (permission, user) = (QuestionKind::Permission, AnsweredBy::User);
    let words = "No. Always use the pnpm script gen-fixtures.";
    ask("q1", permission, "Change b.txt?", "", "deny", words, user);
    ask(
        "q2",
        permission,
        "Run a command?",
        "rm lock\nmore",
        "2",
        "never that file",
        AnsweredBy::Client,
    );
    ask(
        "q3",
        permission,
        "Run a command?",
        "ls",
        "once",
        "yes",
        user,
    );
    ask("q4", permission, "Run a command?", "ls", "deny", " ", user);
    ask(
        "q5",
        permission,
        "Run a command?",
        "ls",
        "deny",
        "too late",
        AnsweredBy::Interrupt,
    );
    // Its answer is in the result of its call.
    ask(
        "q6",
        QuestionKind::AskUser,
        "Which one?",
        "",
        "1",
        "the blue",
        user,
    );
    let facts = recap(&tape.0);
    assert_eq!(
        facts.decisions,
        [
            format!("Change b.txt?: no: {words}"),
            String::from("Run a command? (rm lock): no: never that file"),
        ]
    );
    assert!(facts.open.is_empty(), "{:?}", facts.open);
    for cut in 0..tape.0.len() {
        let mut split = recap(&tape.0[..cut]);
        extend_recap(&mut split, &tape.0[cut..]);
        assert_eq!(split, facts, "cut at {cut}");
    }
}

/// A message with all that may go along with a prompt.
fn prompt_with_company(text: &str) -> Message {
    Message::new(
        Role::User,
        Origin::User,
        vec![
            Part::text("<user_shell command=\"ls\">\na\n</user_shell>"),
            Part::text(
                "The rules in AGENTS.md have changed:\n<rules path=\"AGENTS.md\">\nuse it\n</rules>",
            ),
            Part::text("<undo>\nThe user took your changes back.\n</undo>"),
            Part::text("<skill name=\"pdf\">\nUse qpdf.\n</skill>\n[10 more bytes]"),
            Part::text(text),
            Part::text("<file path=\"a\">\ncontent\n</file>"),
            Part::text("<hook name=\"h\">\nmind it\n</hook>"),
        ],
    )
}

#[test]
fn a_cut_between_the_start_of_a_run_and_its_prompt_makes_no_rules_the_users_words() {
    let mut tape = Tape::new();
    tape.say("First.");
    tape.put(started("Go on."));
    let cut = tape.0.len();
    tape.put(prompt_with_company("Go on."));
    // A command of one's own: the run begins with its name, the prompt is another.
    tape.put(started("/review a"));
    tape.put(prompt_with_company(
        "<user_shell command=\"ls\">\na\n</user_shell>\nReview a.",
    ));
    let mut facts = recap(&tape.0[..cut]);
    extend_recap(&mut facts, &tape.0[cut..]);
    assert_eq!(
        facts.prompts,
        [
            "Go on.",
            "<user_shell command=\"ls\">\na\n</user_shell>\nReview a."
        ]
    );
    assert_eq!(facts, recap(&tape.0));
}

/// Adds what may happen, by a number.
fn act(tape: &mut Tape, n: usize, what: u8) {
    let id = format!("c{n}");
    let path = format!("src/{}.rs", n % 5);
    match what % 12 {
        0 => drop(tape.say(&format!("Prompt {}", n % 7))),
        1 => {
            tape.put(started(&format!("Prompt {n}")));
            tape.put(prompt_with_company(&format!("Prompt {n}")));
        }
        2 => {
            tape.put(started(&format!("/review {n}")));
            tape.put(prompt_with_company("Review what is there."));
        }
        3 => tape.call(
            &id,
            "bash",
            json!({"command": format!("ls {}", n % 3)}),
            exits(1),
        ),
        4 => tape.call(&id, "edit", json!({"path": path}), |it| it),
        5 => tape.call(&id, "read", json!({"path": path}), |it| ToolResult {
            ok: false,
            model_text: "no such file".into(),
            ..it
        }),
        6 => tape.call(&id, "skill", json!({"name": "pdf"}), |it| ToolResult {
            model_text: format!("<skill name=\"pdf\">\nversion {n}\n</skill>"),
            ..it
        }),
        7 => tape.call(
            &id,
            "ask_user",
            json!({"question": "q".repeat(5_000)}),
            |it| ToolResult {
                envelope: Envelope::Ok(json!({"answer": "a".repeat(5_000)})),
                ..it
            },
        ),
        8 => {
            let steered = Message::new(Role::User, Origin::Steer, vec![Part::text("use it")]);
            tape.put(steered);
        }
        9 => drop(tape.put(TodoList {
            items: vec![TodoItem {
                text: format!("task {n}"),
                status: TodoStatus::Pending,
            }],
        })),
        10 => {
            // Two calls at once, and the same id again.
            for (id, name) in [("x", "read"), ("y", "bash"), ("x", "read")] {
                tape.put(ToolUse {
                    name: name.into(),
                    input: json!({"path": path, "command": "make ".repeat(200)}),
                    ..used(id)
                });
            }
            for (id, name) in [("y", "bash"), ("x", "read")] {
                tape.put(ToolResult {
                    name: name.into(),
                    ..result(id, "fine")
                });
            }
        }
        _ => {
            let before = tape.say("A wrong turn.");
            tape.call(&id, "write", json!({"path": "wrong"}), |it| it);
            tape.put(ContextChange::Reverted(Reverted { before }));
        }
    }
}

/// Whether a compaction can end there: what it has replaced is not given up later.
fn can_end(tape: &Tape, cut: usize) -> bool {
    tape.0.iter().all(|event| match &event.kind {
        EventKind::Context(ContextChange::Reverted(reverted)) => {
            cut as u64 <= reverted.before || cut as u64 > event.seq
        }
        _ => true,
    })
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn the_facts_are_the_same_wherever_the_events_are_cut(
        acts in prop::collection::vec(any::<u8>(), 1..160),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let mut tape = Tape::new();
        for (n, what) in acts.iter().enumerate() {
            act(&mut tape, n, *what);
        }
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(tape.0.len())).collect();
        cuts.retain(|cut| can_end(&tape, *cut));
        cuts.sort_unstable();
        cuts.push(tape.0.len());
        let mut split = recap([]);
        let mut from = 0;
        for cut in cuts {
            extend_recap(&mut split, &tape.0[from..cut]);
            from = cut;
            // As it comes out of the record of a compaction.
            let kept = serde_json::to_string(&split).unwrap();
            split = serde_json::from_str(&kept).unwrap();
        }
        prop_assert_eq!(split, recap(&tape.0));
    }
}

#[test]
fn what_was_said_and_run_first_is_never_forgotten_whatever_its_words() {
    let frozen = "Everything below vendor/legacy is frozen; the public API stays.";
    let mut tape = Tape::new();
    tape.say("Port the parser.");
    tape.say("Yes.");
    tape.say(frozen);
    tape.call("c", "bash", json!({"command": "make check-fast"}), exits(0));
    for n in 0..300 {
        tape.say(&format!(
            "You must look at part {n} of it, and then at the next."
        ));
        let command = json!({"command": format!("ls {}", n / 2)});
        tape.call(&format!("c{n}"), "bash", command, exits(0));
        if n % 3 == 0 {
            tape.say("Yes.");
        }
    }
    let facts = recap(&tape.0);
    assert_eq!(facts.prompts[..2], ["Yes.", frozen]);
    assert!(facts.prompts.len() <= 100);
    assert_eq!(
        facts.prompts.iter().filter(|said| *said == "Yes.").count(),
        2
    );
    assert_eq!(facts.commands[0].command, "make check-fast");
    assert!(facts.commands.len() <= 60);
}

#[test]
fn a_first_prompt_of_many_rules_is_kept_whole() {
    let rules: String = (0..400)
        .map(|n| format!("{n}. Rule number {n} is one of many, and it counts.\n"))
        .collect();
    let mut tape = Tape::new();
    tape.say(rules.trim());
    assert_eq!(recap(&tape.0).goal, rules.trim());
}
