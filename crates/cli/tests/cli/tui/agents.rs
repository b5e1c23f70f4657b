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

fn tools(body: &str) -> Vec<String> {
    let body: Value = serde_json::from_str(body).unwrap();
    let tools = body["tools"].as_array().into_iter().flatten();
    let names = tools.map(|tool| tool["function"]["name"].as_str().unwrap().to_owned());
    names.collect()
}

#[test]
fn shift_tab_goes_to_plan_and_back_and_plan_changes_nothing() {
    let stage = Stage::calls(
        "write it",
        "write",
        &json!({"path": "made.txt", "content": "x"}),
        "so it is",
    );
    let screen = stage.open_with(&["--yes"], &[], super::stage::USUAL);
    screen.ready();
    status(&screen, "build");
    screen.line("hello").done().ready();
    screen.key(SHIFT_TAB);
    status(&screen, "plan");
    screen.line("write it").see("so it is").ready();
    assert!(!stage.home.project().join("made.txt").exists());
    let bodies = stage.model.bodies();
    let (first, last) = (&bodies[0], &bodies[bodies.len() - 1]);
    assert_eq!(tools(first), tools(last), "what was sent stays");
    assert!(last.contains("<agent name=\\\"plan\\\">"), "{last}");
    assert!(last.contains("/agent build"), "{last}");
    screen.key(SHIFT_TAB);
    status(&screen, "build");
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
    screen.key(SHIFT_TAB);
    status(&screen, "plan");
    screen.key("!").line("touch made.txt");
    screen
        .see("▸ bash touch made.txt")
        .see("Denied:")
        .see("You can change the agent with Shift+Tab.")
        .ready();
    assert!(!stage.home.project().join("made.txt").exists());
}
