//! What was chosen and typed is kept, and what nobody used is not.

use super::stage::{Prompt, Stage, USUAL};
use serde_json::Value;
use std::path::Path;
use tenon_testing::screen::{Screen, control};

fn headings(screen: &Screen, count: usize) {
    screen.until("the heading of another session", |view| {
        let headings = view.rows.iter().filter(|row| row.starts_with("tenon 0."));
        headings.count() == count
    });
    screen.ready();
}

fn leave(mut screen: Screen) {
    screen.key(&control('d'));
    assert!(screen.left().success());
}

#[test]
fn clear_keeps_the_effort_that_was_chosen() {
    let stage = Stage::says("the answer");
    // What was said at the start counts less than what was chosen since.
    let screen = stage.open_with(&["--effort", "low"], &[], USUAL);
    screen.ready().line("/effort high").see("mock-model high");
    screen.ready().line("/clear");
    headings(&screen, 2);
    screen.line("hello").done();
    let body: Value = serde_json::from_str(stage.model.bodies().last().unwrap()).unwrap();
    assert_eq!(body["reasoning_effort"], "high", "{body}");
}

fn logs(folder: &Path) -> Vec<String> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        match path.is_dir() {
            true => found.extend(logs(&path)),
            false if path.extension().is_some_and(|end| end == "jsonl") => {
                found.push(path.display().to_string());
            }
            false => {}
        }
    }
    found
}

#[test]
fn sessions_to_which_nothing_was_said_leave_nothing_behind() {
    let stage = Stage::says("the answer");
    let screen = stage.open();
    screen.ready().line("/new");
    headings(&screen, 2);
    screen.line("/clear");
    headings(&screen, 3);
    screen.line("hello").done().ready();
    screen.line("/new");
    headings(&screen, 4);
    leave(screen);
    let found = logs(&stage.home.tenon());
    assert_eq!(found.len(), 1, "{found:#?}");
}

#[test]
fn who_wants_nothing_kept_has_nothing_kept_of_the_next_session_either() {
    let stage = Stage::says("the answer");
    let screen = stage.open_with(&["--no-save"], &[], USUAL);
    screen.ready().line("/clear");
    headings(&screen, 2);
    screen.line("hello").done().ready();
    screen.line("/new");
    headings(&screen, 3);
    screen.line("hello again").see("▌ hello again");
    screen.ready();
    leave(screen);
    let found = logs(&stage.home.tenon());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn after_a_revert_the_prompt_stands_in_the_composer() {
    let stage = Stage::says("the answer");
    let screen = stage.open();
    screen.ready().line("the first thing").done().ready();
    screen.line("/revert").composed("the first thing");
}

#[test]
fn an_input_that_begins_with_a_blank_is_not_written_to_the_history() {
    let stage = Stage::says("the answer");
    let screen = stage.open();
    screen.ready().line("kept words").done().ready();
    screen.line(" hidden words").see("▌ hidden words").ready();
    leave(screen);
    let path = stage.home.tenon().join("history");
    let history = std::fs::read_to_string(path).unwrap();
    assert!(history.contains("kept words"), "{history}");
    assert!(!history.contains("hidden words"), "{history}");
}

#[test]
fn what_an_earlier_start_said_is_not_said_again() {
    let stage = Stage::says("the answer");
    stage.file("AGENTS.md", "Be brief.\n");
    let screen = stage.open();
    screen.ready().see("AGENTS.md");
    leave(screen);
    let screen = stage.open();
    // An answer stands below all that is said of the start.
    screen.ready().line("hello").done().ready();
    let all = screen.all().join("\n");
    assert!(!all.contains("AGENTS.md"), "{all}");
}

#[test]
fn the_list_of_models_says_why_it_is_short() {
    let stage = Stage::says("the answer");
    let nobody = [("TENON_BASE_URL", "http://127.0.0.1:9/v1")];
    let screen = stage.open_with(&[], &nobody, USUAL);
    screen
        .ready()
        .line("/models")
        .see("▸ mock-model")
        .see("can't get the server's list");
}

#[test]
fn a_session_shown_for_export_says_what_looks_like_a_secret() {
    let stage = Stage::says("the answer");
    let screen = stage.open();
    let secret = format!("sk-ant-{}", "a1B2c3D4".repeat(6));
    screen.ready().line(&format!("my key is {secret}"));
    screen.done().ready();
    screen.line("/export").see("as Markdown").key("q");
    screen.see("seems to contain secrets").ready();
}

#[test]
fn a_handoff_is_advised_with_its_goal() {
    let stage = Stage::says("the answer");
    let screen = stage.open();
    screen.ready().line("hello").done().ready();
    screen
        .line("/handoff ship it")
        .see("Starter prompt")
        .key("q");
    screen.see("--goal 'ship it'").ready();
}
