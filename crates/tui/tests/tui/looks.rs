//! What the conversation looks like: calls that only look in one line, the input as
//! a field, what was typed and what was chosen.

use crate::stage::Stage;
use crate::talk::finished;
use crossterm::event::KeyCode;
use serde_json::{Value, json};
use tenon_tui::text::Role;
use tenon_vocab::{
    Display, Interrupted, Outcome, PermissionMode, Settings, TextChannel, TextDelta, ToolOutput,
    ToolResult, ToolUse,
};

fn result(name: &str, call: &str, summary: &str) -> ToolResult {
    let done = ToolOutput::ok(Value::Null, "", Display::Nothing);
    serde_json::from_value(json!({
        "call": call, "name": name, "ok": true, "status": "completed",
        "envelope": done.envelope, "model_text": "", "duration_ms": 3,
        "display": {"shape": "text", "summary": summary, "body": ""},
    }))
    .unwrap()
}

fn call(stage: &mut Stage, name: &str, input: &Value) {
    let used: ToolUse = serde_json::from_value(json!({
        "call": "c1", "name": name, "input": input, "batch": 1,
        "explanation": {"class": "allow", "reason": "reads"},
    }))
    .unwrap();
    stage.event(used);
    stage.event(result(name, "c1", "3 lines"));
}

fn read(stage: &mut Stage, path: &str) {
    call(stage, "read", &json!({ "path": path }));
}

fn think(stage: &mut Stage) {
    stage.event(TextDelta {
        channel: TextChannel::Reasoning,
        text: String::from("hm"),
    });
}

fn rows(stage: &Stage) -> Vec<String> {
    let rows = stage.shown();
    rows.lines().map(|row| row.trim_end().to_owned()).collect()
}

fn count(stage: &Stage, text: &str) -> usize {
    stage.shown().matches(text).count()
}

#[test]
fn calls_that_only_look_are_one_line_that_is_finished_when_something_else_begins() {
    let mut stage = Stage::new(80, 30);
    stage.begin_run("go");
    read(&mut stage, "a.rs");
    assert_eq!(
        count(&stage, "▸ read a.rs  3 lines"),
        1,
        "{}",
        stage.shown()
    );
    // Nothing of it is finished yet: it can still grow.
    assert!(stage.state.flow.take(80).is_empty());
    read(&mut stage, "b.rs");
    think(&mut stage);
    stage.answer("");
    call(&mut stage, "grep", &json!({"pattern": "main"}));
    let line = "▸ Read 2 files, searched 1 time  a.rs, b.rs, \"main\"";
    assert_eq!(count(&stage, line), 1, "{}", stage.shown());
    stage.say("So it is.");
    stage.answer("So it is.");
    read(&mut stage, "c.rs");
    stage.end_run(finished(Outcome::Completed));
    let shown = stage.shown();
    for once in [line, "So it is.", "▸ read c.rs  3 lines", "Done. 3.2s"] {
        assert_eq!(shown.matches(once).count(), 1, "{once}\n{shown}");
    }
    assert!(!shown.contains("Done. ("), "{shown}");
    assert!(!shown.contains("Thought"), "{shown}");
}

#[test]
fn a_look_that_fails_and_one_that_took_long_have_a_line_of_their_own() {
    let mut stage = Stage::new(80, 30);
    stage.begin_run("go");
    read(&mut stage, "a.rs");
    let slow = ToolResult {
        duration_ms: 2_000,
        ..result("read", "c2", "9 lines")
    };
    stage.event(slow);
    read(&mut stage, "b.rs");
    stage.end_run(finished(Outcome::Completed));
    let rows = rows(&stage);
    let at = |text: &str| rows.iter().position(|row| row.contains(text)).unwrap();
    assert!(at("read a.rs") < at("9 lines  2.0s"), "{rows:#?}");
    assert!(at("9 lines  2.0s") < at("read b.rs"), "{rows:#?}");
}

#[test]
fn the_input_has_rules_and_hints_and_a_low_window_has_neither() {
    let stage = Stage::new(80, 20);
    let rows = rows(&stage);
    let at = rows.iter().position(|row| row == ">").unwrap();
    assert_eq!(rows[at - 1], "─".repeat(80));
    assert!(rows[at + 1].contains(" / commands · @ files · ! shell · ? help ──"));
    assert_eq!(rows[at + 1].chars().count(), 80);
    let narrow = Stage::new(40, 20);
    assert!(!narrow.shown().contains("? help"), "{}", narrow.shown());
    assert!(narrow.shown().contains("/ commands"), "{}", narrow.shown());
    let low = Stage::new(80, 8);
    assert!(!low.shown().contains('─'), "{}", low.shown());
}

#[test]
fn the_rules_say_what_the_input_is_and_have_the_colour_of_the_mode() {
    let mut stage = Stage::new(80, 20);
    stage.write("!ls");
    assert!(
        stage.shown().contains("── shell command ──"),
        "{}",
        stage.shown()
    );
    stage.key(KeyCode::Esc);
    stage.event(Settings {
        permission_mode: PermissionMode::Auto,
        ..stage.state.settings.clone()
    });
    let live = tenon_tui::view::live(&stage.state);
    let rule = live
        .lines
        .iter()
        .find(|line| line.plain().starts_with("───"));
    assert_eq!(rule.unwrap().spans[0].style.role, Role::Warning);
}

#[test]
fn a_command_that_was_typed_stands_above_its_answer() {
    let mut stage = Stage::new(80, 20);
    stage.send("/context");
    assert!(stage.shown().contains("› /context"), "{}", stage.shown());
    stage.send("a prompt");
    stage.begin_run("a prompt");
    assert_eq!(count(&stage, "a prompt"), 1, "{}", stage.shown());
}

#[test]
fn that_a_run_was_stopped_is_said_once() {
    let mut stage = Stage::new(80, 20);
    stage.begin_run("go");
    stage.event(Interrupted {
        by: Interrupted::USER.to_owned(),
    });
    stage.end_run(finished(Outcome::Interrupted));
    assert_eq!(count(&stage, "Stopped."), 1, "{}", stage.shown());
    assert_eq!(count(&stage, "Interrupted"), 0, "{}", stage.shown());
}
