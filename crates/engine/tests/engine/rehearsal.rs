//! A change that can't be made is the model's to mend: nobody is asked about it.

use crate::models::{Scripted, Turn};
use crate::support::{Manner, TestTool, World, facts_of, outcome, results};
use crate::together::{answering, content, edit, ids, questions, world, write};
use serde_json::{Value, json};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tenon_engine::{Approval, Effects, Engine};
use tenon_policy::{Facts, Layer, Subject};
use tenon_tools::{FileUse, Host, Tool, Workspace};
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{Command, Display, Effect, EventKind, Outcome, SessionId, ToolOutput, ToolSpec};

const NO: [(&str, Option<&str>); 1] = [("deny", None)];

fn patch(turn: Turn, id: &str, text: &str) -> Turn {
    turn.and_call(id, "patch", &json!({ "patch": text }).to_string())
}

fn read(id: &str, path: &str) -> Turn {
    Turn::default().and_call(id, "read", &json!({ "path": path }).to_string())
}

#[tokio::test(start_paused = true)]
async fn a_change_that_cannot_be_made_is_answered_at_once_with_its_own_error() {
    let world = world(&[("a.rs", "one\ntwo\n"), ("b.rs", "there\n")]);
    let turn = edit(Turn::default(), "miss", "a.rs", "twoo", "2");
    let turn = write(turn, "unseen", "b.rs", "new\n");
    let turn = patch(
        turn,
        "hunk",
        "*** Begin Patch\n*** Update File: b.rs\n@@\n-else\n+x\n*** End Patch",
    );
    let (events, _) = answering(&world, turn, &NO).await;
    assert!(questions(&events).is_empty());
    let results = results(&events);
    let text = |call: &str| &results.iter().find(|(id, _)| id == call).unwrap().1;
    assert!(text("miss").contains("old_not_found"), "{}", text("miss"));
    assert!(
        text("miss").contains("two"),
        "the nearest text: {}",
        text("miss")
    );
    assert!(text("unseen").contains("stale"), "{}", text("unseen"));
    assert!(text("hunk").contains("patch_rejected"), "{}", text("hunk"));
}

#[tokio::test(start_paused = true)]
async fn a_change_that_is_there_already_is_no_question_either() {
    let world = world(&[("a.rs", "one\n")]);
    let turn = write(read("r", "a.rs"), "w", "a.rs", "one\n");
    let (events, _) = answering(&world, turn, &NO).await;
    assert!(questions(&events).is_empty());
    let last = results(&events).pop().unwrap();
    assert!(last.1.contains("unchanged"), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn a_change_that_can_be_made_is_asked_about_and_leaves_nothing_before_the_answer() {
    let world = world(&[]);
    let turn = write(Turn::default(), "w", "deep/down/a.rs", "x\n");
    let (events, _) = answering(&world, turn, &NO).await;
    assert_eq!(questions(&events).len(), 1);
    assert!(!world.root().join("deep").exists(), "no folder was made");
}

#[tokio::test(start_paused = true)]
async fn of_a_file_that_may_not_be_read_unasked_an_error_says_nothing() {
    let mut world = world(&[("diary.md", "dear diary\n")]);
    let rules = json!({"read": {"diary.md": "ask"}});
    world.rules.add_config(&rules, Layer::User, "test").unwrap();
    let turn = edit(Turn::default(), "e", "diary.md", "dear dairy", "x");
    let turn = edit(turn, "hit", "diary.md", "dear diary", "x");
    let (events, _) = answering(&world, turn, &NO).await;
    assert!(questions(&events).is_empty());
    for (call, text) in results(&events) {
        assert!(text.contains("`read` it first"), "{call}: {text}");
        assert!(!text.contains("diary\n"), "{call}: {text}");
    }
    assert_eq!(content(&world, "diary.md"), "dear diary\n");
}

#[tokio::test(start_paused = true)]
async fn a_rule_that_allows_edits_tells_nothing_of_a_file_that_may_not_be_read() {
    for reading in ["ask", "deny"] {
        let mut world = world(&[("diary.md", "dear diary\n")]);
        let rules = json!({"read": {"diary.md": reading}, "edit": "allow"});
        world.rules.add_config(&rules, Layer::User, "test").unwrap();
        let moved = "*** Begin Patch\n*** Update File: diary.md\n*** Move to: open.md\n@@\n-dear diary\n+dear diary!\n*** End Patch";
        let turn = edit(Turn::default(), "e", "diary.md", "dear dairy", "x");
        let turn = edit(turn, "hit", "diary.md", "dear diary", "x");
        let turn = patch(turn, "moved", moved);
        let (events, _) = answering(&world, turn, &NO).await;
        for (call, text) in results(&events) {
            assert!(text.contains("`read` it first"), "{call}: {text}");
        }
        assert_eq!(content(&world, "diary.md"), "dear diary\n");
        assert!(!world.root().join("open.md").exists());
    }
}

#[tokio::test(start_paused = true)]
async fn what_a_person_has_let_the_model_read_it_hears_of() {
    let mut world = world(&[("diary.md", "dear diary\n")]);
    let rules = json!({"read": {"diary.md": "ask"}});
    world.rules.add_config(&rules, Layer::User, "test").unwrap();
    let turn = edit(read("r", "diary.md"), "e", "diary.md", "dear dairy", "x");
    let (events, _) = answering(&world, turn, &[("once", None)]).await;
    assert_eq!(questions(&events).len(), 1, "only about the reading");
    let last = results(&events).pop().unwrap();
    assert!(last.1.contains("old_not_found"), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn with_nobody_there_and_in_a_dry_run_the_error_is_the_same() {
    for effects in [Effects::Real, Effects::DryRun] {
        let mut world = world(&[("a.rs", "one\n")]);
        world.approval = Approval::Nobody;
        world.effects = effects;
        let turn = edit(Turn::default(), "e", "a.rs", "nowhere", "x");
        let (events, _) = answering(&world, turn, &NO).await;
        let last = results(&events).pop().unwrap();
        assert!(last.1.contains("old_not_found"), "{last:?}");
    }
}

#[tokio::test(start_paused = true)]
async fn edits_that_would_be_refused_are_not_shown_among_those_that_are_asked_about() {
    let world = world(&[("a.rs", "one\n"), ("b.rs", "two\n"), ("c.rs", "three\n")]);
    let turn = edit(Turn::default(), "c1", "a.rs", "one", "1");
    let turn = write(turn, "unseen", "b.rs", "2\n");
    let turn = edit(turn, "c3", "c.rs", "three", "3");
    let (events, _) = answering(&world, turn, &[("all", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 1);
    assert_eq!(ids(asked[0]), ["c1", "c3"]);
    assert_eq!(content(&world, "b.rs"), "two\n");
}

#[tokio::test(start_paused = true)]
async fn a_process_that_is_not_there_is_no_question() {
    let world = world(&[]);
    let input = json!({"action": "kill", "id": "proc_9"});
    let turn = Turn::call("k", "process", &input.to_string());
    let (events, _) = answering(&world, turn, &NO).await;
    assert!(questions(&events).is_empty());
    let last = results(&events).pop().unwrap();
    assert!(last.1.contains("proc_9"), "{last:?}");
}

/// Says that it changes files through its workspace, and then does what it is told.
struct Editor(TestTool);

impl Tool for Editor {
    fn spec(&self) -> &ToolSpec {
        self.0.spec()
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        Facts {
            subject: Subject::Paths(Vec::new()),
            ..facts_of(self.spec(), input)
        }
    }

    fn preview(&self, _: &Value, _: &Workspace) -> Display {
        Display::Nothing
    }

    fn file_use(&self) -> FileUse {
        FileUse::Edits
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        self.0.run(input, host)
    }
}

fn with_editor(manner: Manner) -> World {
    let mut world = world(&[]);
    let editor = Editor(TestTool::new("editor", Effect::Write, manner));
    world.tools.push(Arc::new(editor));
    world
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_panics_before_it_is_asked_about_fails_its_call_and_nothing_else() {
    let world = with_editor(Manner::Panic);
    let turn = Turn::call("a", "editor", "{}").and_call("b", "look", "{}");
    let (events, _) = answering(&world, turn, &NO).await;
    assert!(questions(&events).is_empty());
    let results = results(&events);
    assert_eq!(results.len(), 2, "{results:?}");
    assert!(results[0].1.starts_with("error: internal:"), "{results:?}");
    assert_eq!(results[1].1, "{}");
    assert_eq!(outcome(&events), Outcome::Completed);
}

#[tokio::test(start_paused = true)]
async fn a_tool_that_does_not_end_before_it_is_asked_about_has_a_limit_of_time() {
    let world = with_editor(Manner::Deaf);
    let turn = Turn::call("a", "editor", r#"{"ms": 1000000000}"#);
    let (events, _) = answering(&world, turn, &NO).await;
    let last = results(&events).pop().unwrap();
    assert!(last.1.contains("took longer than"), "{last:?}");
}

#[tokio::test(start_paused = true)]
async fn an_interrupt_reaches_a_tool_before_it_is_asked_about() {
    let mut world = world(&[]);
    let editor = TestTool::new("editor", Effect::Write, Manner::Deaf);
    let runs = Arc::clone(&editor.runs);
    world.tools.push(Arc::new(Editor(editor)));
    let id = SessionId::generate();
    let model = Scripted::new([Turn::call("a", "editor", r#"{"ms": 1000000000}"#)]);
    let mut handle = Engine::start(id, world.parts(id, model));
    handle.commands.send(Command::Prompt {
        text: "go".into(),
        attachments: vec![],
    });
    while runs.load(Ordering::SeqCst) == 0 {
        tokio::task::yield_now().await;
    }
    handle.commands.send(Command::Interrupt);
    let mut events = Vec::new();
    while let Some(event) = handle.events.next().await {
        if matches!(event.kind, EventKind::RunFinished(_)) {
            handle.commands.send(Command::Shutdown);
        }
        events.push(event);
    }
    world.verify(id);
    assert_eq!(outcome(&events), Outcome::Interrupted);
    let results = results(&events);
    assert_eq!(results.len(), 1, "{results:?}");
    assert!(results[0].1.contains("not_started"), "{results:?}");
}

#[tokio::test(start_paused = true)]
async fn a_later_write_of_an_empty_file_is_shown_with_the_others() {
    let world = world(&[("a.rs", "one\n"), ("empty.rs", "")]);
    let turn = edit(Turn::default(), "c1", "a.rs", "one", "1");
    let turn = write(turn, "c2", "empty.rs", "2\n");
    let (events, _) = answering(&world, turn, &[("all", None)]).await;
    let asked = questions(&events);
    assert_eq!(asked.len(), 1);
    assert_eq!(ids(asked[0]), ["c1", "c2"]);
    assert_eq!(content(&world, "empty.rs"), "2\n");
}
