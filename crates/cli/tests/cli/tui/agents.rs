//! Another agent with a key and from a list, in a real terminal.

use super::stage::{Prompt, Stage};
use serde_json::{Value, json};
use tenon_testing::screen::{ENTER, Screen};

const SHIFT_TAB: &str = "\x1b[Z";

fn status(screen: &Screen, wanted: &str) {
    let part = format!("· {wanted} ·");
    screen.until(&format!("{part:?} in the status line"), |view| {
        view.rows.iter().any(|row| row.contains(&part))
    });
}

/// The status line begins with the permission mode.
fn mode(screen: &Screen, wanted: &str) {
    let start = format!("{wanted} ·");
    screen.until(&format!("{start:?} begins the status line"), |view| {
        view.rows
            .iter()
            .any(|row| row.trim_start().starts_with(&start))
    });
}

/// From the mode that is shown to another one, key by key.
fn go(screen: &Screen, modes: &[&str]) {
    for wanted in modes {
        screen.key(SHIFT_TAB);
        mode(screen, wanted);
    }
}

const TO_PLAN: &[&str] = &["accept edits", "auto", "plan"];

fn tools(body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap();
    let tools = body["tools"].as_array().into_iter().flatten();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn shift_tab_goes_through_the_modes_and_plan_changes_nothing() {
    let stage = Stage::calls(
        "write it",
        "write",
        &json!({"path": "made.txt", "content": "x"}),
        "so it is",
    );
    let screen = stage.open();
    screen.ready();
    mode(&screen, "ask");
    status(&screen, "build");
    screen.line("hello").done().ready();
    go(&screen, TO_PLAN);
    status(&screen, "plan");
    screen.line("write it").see("so it is").ready();
    assert!(!stage.home.project().join("made.txt").exists());
    let bodies = stage.model.bodies();
    let (first, last) = (&bodies[0], &bodies[bodies.len() - 1]);
    assert_eq!(tools(first), tools(last), "what was sent stays");
    assert!(last.contains("<agent name=\\\"plan\\\">"), "{last}");
    assert!(last.contains("/agent build"), "{last}");
    go(&screen, &["ask", "accept edits"]);
    status(&screen, "build");
    // Nobody is asked.
    screen.line("write it").ready();
    assert!(tenon_testing::wait_until(
        std::time::Duration::from_secs(30),
        || stage.home.project().join("made.txt").exists()
    ));
}

#[test]
fn an_agent_is_picked_from_a_list_and_kept_by_the_session() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().line("/agent").see("Agents").see("in use");
    screen.key("pla").see("▸ plan").key(ENTER).gone("Agents");
    status(&screen, "plan");
    screen.ready().line("hello").done().ready();
    // Nothing had been sent before: the prompt is the agent's own.
    let first = stage.model.bodies().remove(0);
    assert!(first.contains("in planning mode"), "{first}");
    assert!(!tools(&first).contains(&"bash".to_owned()), "{first}");
    screen.line("/mcp").see("No MCP server is running").ready();
    drop(screen);
    let again = stage.open_with(&["-c"], &[], super::stage::USUAL);
    again.ready();
    status(&again, "plan");
}

#[test]
fn a_command_of_ones_own_in_plan_is_named_with_the_key_that_changes_the_agent() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready();
    go(&screen, TO_PLAN);
    status(&screen, "plan");
    screen.key("!").line("touch made.txt");
    screen
        .see("▸ bash touch made.txt")
        .see("Denied:")
        .see("Shift+Tab leaves plan mode.")
        .ready();
    assert!(!stage.home.project().join("made.txt").exists());
}

#[test]
fn a_mode_is_chosen_by_a_flag_or_by_name_and_flags_that_answer_stand_beside_it() {
    let stage = Stage::says("fine");
    let flags = ["--permission-mode", "auto", "--yes", "--dry-run"];
    let screen = stage.open_with(&flags, &[], super::stage::USUAL);
    screen.ready();
    mode(&screen, "auto --yes --dry-run");
    screen.line("/mode ask");
    mode(&screen, "ask --yes --dry-run");
    screen
        .ready()
        .line("/mode")
        .see("Permission mode")
        .see("in use");
}
