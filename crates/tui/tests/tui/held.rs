//! The order of what stands on the screen: what comes in the middle of something
//! stands behind it, and nothing is told twice.

use crate::stage::Stage;
use crate::talk::finished;
use serde_json::{Value, json};
use std::time::Duration;
use tenon_tui::input::Input;
use tenon_vocab::{
    CallId, Display, Message, Notice, NoticeLevel, Origin, Outcome, RunId, RunOrigin, RunStarted,
    TextChannel, TextDelta, TodoItem, TodoStatus, ToolOutput, ToolResult, ToolUse, notice,
};

fn result(name: &str, call: &CallId, display: Display) -> ToolResult {
    let done = ToolOutput::ok(Value::Null, "", Display::Nothing);
    serde_json::from_value(json!({
        "call": call, "name": name, "ok": true, "status": "completed",
        "envelope": done.envelope, "model_text": "", "duration_ms": 3,
        "display": display,
    }))
    .unwrap()
}

fn said(summary: &str) -> Display {
    Display::Text {
        summary: summary.into(),
        body: String::new(),
    }
}

fn notice_of(kind: &str, message: &str) -> Notice {
    serde_json::from_value(json!({
        "level": NoticeLevel::Info, "kind": kind, "message": message,
    }))
    .unwrap()
}

fn used(call: &CallId, name: &str, input: &Value) -> ToolUse {
    serde_json::from_value(json!({
        "call": call, "name": name, "input": input, "batch": 1,
        "explanation": {"class": "allow", "reason": "reads"},
    }))
    .unwrap()
}

fn in_order(stage: &Stage, texts: &[&str]) {
    let shown = stage.shown();
    let mut from = 0;
    for text in texts {
        let at = shown[from..].find(text);
        from += at.unwrap_or_else(|| panic!("{text:?} is not next in\n{shown}")) + text.len();
    }
}

#[test]
fn what_is_said_beside_an_answer_stands_behind_it() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("go");
    stage.say("The first line.\n\nThe seco");
    stage.send("/wrong");
    assert!(
        stage.shown().contains("There is no /wrong."),
        "seen at once"
    );
    stage.say("nd line.");
    stage.answer("The first line.\n\nThe second line.");
    stage.end_run(finished(Outcome::Completed));
    in_order(
        &stage,
        &[
            "The first line.",
            "The second line.",
            "There is no /wrong.",
            "Done.",
        ],
    );
    assert_eq!(stage.shown().matches("There is no /wrong.").count(), 1);
}

#[test]
fn what_is_to_be_known_of_a_call_stands_behind_its_result() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("go");
    let call = CallId::new("c1");
    stage.event(used(&call, "bash", &json!({"command": "make all"})));
    stage.event(notice_of("network", "The network was refused."));
    stage.event(result("bash", &call, said("exit 1")));
    stage.end_run(finished(Outcome::Completed));
    in_order(&stage, &["make all", "The network was refused.", "Done."]);
}

#[test]
fn a_file_that_a_prompt_mentions_is_told_behind_the_prompt() {
    let mut stage = Stage::new(80, 24);
    let prompt = "look at @src/main.rs";
    stage.event(RunStarted {
        prompt: prompt.into(),
        origin: RunOrigin::Prompt,
    });
    let call = CallId::of_mention(RunId::generate(), 1);
    stage.event(used(&call, "read", &json!({"path": "src/main.rs"})));
    stage.event(result("read", &call, said("12 lines")));
    stage.event(notice_of(notice::MENTION, "`@gone` names no file."));
    stage.event(Message::user(prompt));
    stage.answer("So it is.");
    stage.end_run(finished(Outcome::Completed));
    let order = [prompt, "12 lines", "@gone", "So it is.", "Done."];
    in_order(&stage, &order);
}

#[test]
fn what_nobody_typed_is_not_shown_as_a_prompt() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("go");
    let reminder = Message {
        origin: Origin::Rule,
        ..Message::user("Go on with what waited.")
    };
    stage.event(reminder);
    stage.end_run(finished(Outcome::Completed));
    let shown = stage.shown();
    assert!(
        shown.contains("go") && !shown.contains("what waited"),
        "{shown}"
    );
}

/// What a run with these tasks leaves on the screen, and what it showed last.
fn worked_through(first: &[TodoStatus]) -> (Stage, String) {
    let mut stage = Stage::new(80, 30);
    stage.begin_run("go");
    for (at, first) in first.iter().enumerate() {
        let task = |text: &str, status| TodoItem {
            text: text.into(),
            status,
        };
        let items = vec![
            task("read it", *first),
            task("change it", TodoStatus::Completed),
        ];
        let call = CallId::new(format!("c{at}"));
        stage.event(used(&call, "todowrite", &json!({})));
        stage.event(result("todowrite", &call, Display::Todo { items }));
    }
    let during = stage.shown();
    stage.end_run(finished(Outcome::Completed));
    (stage, during)
}

#[test]
fn tasks_are_listed_below_while_a_run_goes_on_and_told_above_in_a_line() {
    let all = [TodoStatus::InProgress, TodoStatus::Completed];
    let (stage, during) = worked_through(&all);
    assert_eq!(during.matches("change it").count(), 1, "{during}");
    in_order(&stage, &["1 of 2 done  read it", "2 of 2 done", "Done."]);
    assert!(!stage.shown().contains("change it"), "{}", stage.shown());
}

#[test]
fn what_a_run_leaves_to_do_is_listed_at_its_end() {
    let (stage, during) = worked_through(&[TodoStatus::InProgress]);
    assert_eq!(during.matches("change it").count(), 1, "{during}");
    in_order(&stage, &["1 of 2 done", "read it", "change it", "Done."]);
}

#[test]
fn only_a_thought_that_took_time_leaves_a_line() {
    for (time, lines) in [(Duration::ZERO, 0), (Duration::from_secs(4), 1)] {
        let mut stage = Stage::new(80, 24);
        stage.begin_run("go");
        stage.event(TextDelta {
            channel: TextChannel::Reasoning,
            text: String::from("hm"),
        });
        stage.now += time;
        stage.input(Input::Tick);
        stage.answer("So it is.");
        stage.end_run(finished(Outcome::Completed));
        assert_eq!(stage.shown().matches("Thought for").count(), lines);
    }
}
