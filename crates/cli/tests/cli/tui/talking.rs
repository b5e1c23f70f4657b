//! Saying something, being answered, stopping it.

use super::stage::{Prompt, SLOW, Stage, USUAL};
use crate::model::Model;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use tenon_testing::screen::{ENTER, ESC};

/// An answer of so many numbered lines.
pub fn numbered(count: usize) -> String {
    use std::fmt::Write;
    (1..=count).fold(String::new(), |mut text, number| {
        // A paragraph each: finished as soon as the next one begins.
        let _ = writeln!(text, "numbered {number:04}\n");
        text
    })
}

fn slow(answer: &str) -> Stage {
    Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "long", "trigger": "go on", "steps": [{"response": {"content": answer}}]}],
            "default_response": {"content": "the second answer"},
        }),
        SLOW,
    ))
}

#[test]
fn a_prompt_is_answered_and_the_composer_comes_back() {
    let stage = Stage::says("the **answer** is 42");
    let screen = stage.open();
    screen.ready().see("tenon 0.").see("mock-model");
    let status = screen.view();
    let composer = status.cursor.0;
    assert!(
        status.rows[composer + 1..]
            .iter()
            .any(|row| row.contains("mock-model")),
        "no status line below the composer: {status:?}"
    );
    screen.line("what is it").see("the answer is 42").done();
    screen.ready();
    assert_eq!(stage.model.last_prompt(), "what is it");
    let all = screen.all();
    for once in ["▌ what is it", "the answer is 42", "Done."] {
        let count = all.iter().filter(|line| line.contains(once)).count();
        assert_eq!(count, 1, "{once}: {all:#?}");
    }
}

#[test]
fn words_behind_the_program_are_the_first_prompt() {
    let stage = Stage::says("the answer is 42");
    let screen = stage.open_with(&["what", "is", "it"], &[], USUAL);
    screen.see("▌ what is it").see("the answer is 42").done();
    assert_eq!(stage.model.last_prompt(), "what is it");
    screen.ready();
}

#[test]
fn an_answer_is_shown_while_it_streams() {
    let stage = slow(&numbered(400));
    let screen = stage.open();
    screen
        .ready()
        .line("go on")
        .saw("numbered 0003")
        .see("esc stops");
    // Long before the end.
    assert!(!screen.view().has("numbered 0400"));
    screen.keys("typed meanwhile").see("> typed meanwhile");
}

#[test]
fn esc_stops_the_run_and_gives_back_what_was_queued() {
    let stage = slow(&numbered(400));
    let screen = stage.open();
    screen.ready().line("go on").saw("numbered 0003");
    screen.line("and then this").see("› and then this");
    // The terminal's own cursor is elsewhere during a run.
    screen.until("the empty composer", |view| {
        view.rows.iter().any(|row| row == ">")
    });
    screen.key(ESC).see("Stopped.").composed("and then this");
    screen.key("\r").see("the second answer").done().ready();
    let said: Vec<String> = stage
        .last_messages()
        .into_iter()
        .filter(|(role, _)| role == "user")
        .map(|(_, text)| text)
        .collect();
    assert!(said[0].contains("go on"), "{said:?}");
    assert!(said.last().unwrap().contains("and then this"), "{said:?}");
}

#[test]
fn what_is_said_during_a_run_is_queued_and_reaches_the_model() {
    let stage = Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "two", "trigger": "go on", "steps": [
                {"response": {"content": numbered(60), "tool_calls": [{"function": {"name": "list", "arguments": {}}}]}},
            ]}],
            "default_response": {"content": "heard it"},
        }),
        SLOW,
    ));
    let screen = stage.open();
    screen.ready().line("go on").saw("numbered 0003");
    screen
        .line("look at the tests too")
        .see("› look at the tests too");
    screen.done().ready();
    let last = stage.model.bodies().pop().unwrap();
    assert!(last.contains("look at the tests too"), "{last}");
    let all = screen.all();
    let shown = all
        .iter()
        .filter(|line| line.contains("look at the tests too"));
    assert_eq!(shown.count(), 1, "{all:#?}");
}

#[test]
fn a_complaint_on_standard_error_becomes_a_line() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().text("half a sent");
    let mut stderr = OpenOptions::new()
        .write(true)
        .open(format!("/proc/{}/fd/2", screen.pid()))
        .unwrap();
    write!(
        stderr,
        "something \x1b[31mwent\x1b[2J wrong\nand another thing\n"
    )
    .unwrap();
    screen
        .see("and another thing")
        .see("wrong")
        .composed("half a sent");
    let view = screen.view();
    assert!(view.row("and another thing").unwrap() < view.cursor.0);
    let raw = String::from_utf8_lossy(&screen.raw()).into_owned();
    assert!(
        !raw.contains("\x1b[31mwent") && !raw.contains("\x1b[2J"),
        "{raw}"
    );
}

#[test]
fn a_command_of_the_users_own_runs_and_its_output_is_shown() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen
        .ready()
        .key("!")
        .see("!")
        .text("printf from-%s-the-shell 42");
    screen.key(ENTER).see("from-42-the-shell");
    screen.ready();
    assert!(stage.model.asked().is_empty());
}

#[test]
fn an_answer_that_breaks_off_is_not_shown_as_the_answer() {
    let answer = numbered(40).replace("\n\n", "\n");
    let stage = Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "broken", "trigger": "tell", "steps": [{
                "response": {"content": answer},
                "fault": {"error_event": {"after": 20}, "times": 1},
            }]}],
            "default_response": {"content": "nothing"},
        }),
        SLOW,
    ));
    let screen = stage.open();
    screen.ready().line("tell me").done().ready();
    let all = screen.all();
    let places = |text: &str| -> Vec<usize> {
        let lines = all.iter().enumerate();
        lines
            .filter(|(_, line)| line.contains(text))
            .map(|(at, _)| at)
            .collect()
    };
    let dropped = places("(the reply above was dropped)");
    assert_eq!(dropped.len(), 1, "{all:#?}");
    assert_eq!(places("Retrying in").len(), 1, "{all:#?}");
    for line in answer.lines() {
        let after: Vec<usize> = places(line)
            .into_iter()
            .filter(|at| *at > dropped[0])
            .collect();
        assert_eq!(after.len(), 1, "{line}: {all:#?}");
    }
    assert!(places("numbered 0001").len() == 2, "{all:#?}");
}
