//! What stands on the screen while something goes on: the whole status line, a
//! tool at work, the list, and whose question it is.

use crate::stage::Stage;
use crate::talk::{finished, permission};
use serde_json::json;
use std::time::Duration;
use tenon_tui::house::Notify;
use tenon_tui::input::{Effect, Focus, Input};
use tenon_vocab::{
    CallId, Class, Cost, Explanation, Meter, Outcome, Query, Reply, RunState, StateChanged,
    TodoItem, TodoList, TodoStatus, ToolDelta, ToolStream, ToolUse, Usage,
};

fn status(stage: &Stage) -> String {
    stage.shown().lines().last().unwrap_or_default().to_owned()
}

fn metered(stage: &mut Stage) {
    let meter = Meter {
        used: 4_000,
        estimated: false,
        limit: Some(16_000),
        usage: Usage {
            input: 12_000,
            output: 340,
            ..Usage::default()
        },
        cost: Some(Cost(1_230_000)),
    };
    stage.input(Input::Replied(Query::Meter, Reply::Meter(meter)));
    stage.draw();
}

#[test]
fn the_status_line_has_context_tokens_and_cost() {
    let mut stage = Stage::new(120, 20);
    metered(&mut stage);
    let line = status(&stage);
    for wanted in ["25 %", "↑12", "↓340", &Cost(1_230_000).to_string()] {
        assert!(line.contains(wanted), "{wanted}: {line}");
    }
}

#[test]
fn the_status_line_has_the_parts_that_are_wished_in_their_order() {
    let mut stage = Stage::new(120, 20);
    stage.state.wishes.status = vec!["cost".into(), "model".into()];
    metered(&mut stage);
    let line = status(&stage);
    let (cost, model) = (line.find(&Cost(1_230_000).to_string()), line.find('/'));
    assert!(cost.is_some() && cost < model, "{line}");
    assert!(!line.contains('%'), "{line}");
}

#[test]
fn figures_are_asked_for_when_a_run_is_over() {
    let mut stage = Stage::new(80, 20);
    stage.begin_run("go");
    let effects = stage.event(finished(Outcome::Completed));
    let asks = |effect: &Effect| matches!(effect, Effect::Ask(Query::Meter));
    assert!(effects.iter().any(asks), "{effects:?}");
}

#[test]
fn a_tool_at_work_shows_its_time_its_last_lines_and_the_list_stands_below() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("build it");
    stage.event(TodoList {
        items: vec![TodoItem {
            text: String::from("make it pass"),
            status: TodoStatus::InProgress,
        }],
    });
    stage.event(ToolUse {
        call: CallId::new("c1"),
        name: String::from("bash"),
        input: json!({"command": "make all"}),
        explanation: Explanation::new(Class::Allow, "test"),
        batch: 0,
    });
    stage.event(ToolDelta {
        call: CallId::new("c1"),
        stream: ToolStream::Stdout,
        text: String::from("first\ncompiling the last\n"),
    });
    stage.now += Duration::from_secs(3);
    stage.input(Input::Tick);
    stage.draw();
    let shown = stage.shown();
    for wanted in ["make all", "3s", "compiling the last", "make it pass"] {
        assert!(shown.contains(wanted), "{wanted}:\n{shown}");
    }
}

#[test]
fn a_server_that_says_nothing_is_said_to_be_silent_within_two_seconds() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("hi");
    let asked = |read_percent| StateChanged {
        state: RunState::ModelGenerating,
        read_percent,
        written_tokens: None,
    };
    stage.now += Duration::from_secs(60);
    stage.event(asked(None));
    let silent = "No answer from the server yet";
    assert!(!stage.shown().contains(silent), "{}", stage.shown());
    stage.now += Duration::from_millis(1_800);
    stage.input(Input::Tick);
    assert!(stage.shown().contains(silent), "{}", stage.shown());
    stage.event(asked(Some(40)));
    assert!(!stage.shown().contains(silent), "{}", stage.shown());
}

#[test]
fn a_question_that_waits_is_told_to_somebody_who_looks_elsewhere() {
    let mut stage = Stage::new(80, 24);
    stage.state.wishes.notify = Notify::Unfocused;
    stage.input(Input::Focus(Focus::Lost));
    stage.begin_run("go");
    let effects = stage.event(permission("q1"));
    let tells = |effect: &Effect| matches!(effect, Effect::Notify(_));
    assert!(effects.iter().any(tells), "{effects:?}");
}

#[test]
fn a_question_of_a_run_that_is_over_goes_and_the_input_is_back() {
    let mut stage = Stage::new(80, 24);
    stage.begin_run("go");
    stage.event(permission("q1"));
    stage.draw();
    assert!(!stage.shown().contains("\n>"), "{}", stage.shown());
    stage.event(finished(Outcome::Interrupted));
    stage.write("again");
    stage.draw();
    assert!(stage.shown().contains("> again"), "{}", stage.shown());
}

/// Rows of a table that cannot be finished: the next one may change its widths.
#[track_caller]
fn shows_of_a_table(rows: usize, cell: &str, expected: usize) {
    let mut stage = Stage::new(80, rows);
    stage.begin_run("list them");
    stage.say("| number |\n|---|\n");
    for number in 0..60 {
        stage.say(&format!("| row {number:02}{cell} |\n"));
    }
    let shown = stage.shown();
    let count = shown.lines().filter(|line| line.contains("row ")).count();
    assert_eq!(count, expected, "{rows} rows:\n{shown}");
    // Those that came last.
    assert!(shown.contains("row 59"), "{rows} rows:\n{shown}");
}

#[test]
fn text_that_streams_has_a_third_of_the_rows_and_four_in_a_low_window() {
    for (rows, expected) in [(30, 10), (60, 20), (12, 4), (10, 4)] {
        shows_of_a_table(rows, "", expected);
    }
}

#[test]
fn wide_text_that_streams_has_half_of_the_rows_of_a_narrow_window() {
    // Two rows each in a window of 40 columns.
    shows_of_a_table(30, &" wide".repeat(12), 7);
}
