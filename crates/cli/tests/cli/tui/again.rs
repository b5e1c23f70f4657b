//! What is shown of a session to whoever comes back to it.

use super::stage::{Prompt, SLOW, Stage, USUAL};
use super::talking::numbered;
use crate::model::Model;
use rustix::process::Signal;
use serde_json::json;
use std::time::Duration;
use tenon_testing::screen::{ESC, Screen, control};

fn leave(mut screen: Screen) {
    screen.ready().key(&control('d'));
    assert!(screen.left().success());
}

fn back(stage: &Stage) -> Screen {
    let screen = stage.open_with(&["-c"], &[], USUAL);
    screen.ready();
    screen
}

fn refusing() -> Stage {
    Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "refused", "trigger": "second", "steps": [{
                "response": {"content": "never"},
                "fault": {"status": 401},
            }]}],
            "default_response": {"content": "I hear you."},
        }),
        Duration::ZERO,
    ))
}

#[test]
fn an_old_answer_does_not_stand_under_a_prompt_that_has_none() {
    let stage = refusing();
    let screen = stage.open();
    screen.ready().line("the first thing").done().ready();
    screen.line("the second thing").see("Failed.");
    leave(screen);
    let screen = back(&stage);
    let view = screen.view();
    assert!(view.has("▌ the second thing"), "{}", view.text());
    assert!(view.has("Failed."), "{}", view.text());
    assert!(!view.has("I hear you."), "{}", view.text());
}

#[test]
fn a_resumed_session_shows_what_its_last_run_did_and_how_it_ended() {
    let arguments = json!({"path": "new.txt", "content": "fresh words\n"});
    let stage = Stage::calls("make", "write", &arguments, "It is made.");
    let screen = stage.open_with(&["--yes"], &[], USUAL);
    screen.ready().line("make it").done();
    leave(screen);
    let screen = back(&stage);
    screen.see(" in context");
    let text = screen.view().text();
    for shown in [
        "▌ make it",
        "new.txt",
        "fresh words",
        "It is made.",
        "Done.",
    ] {
        assert!(text.contains(shown), "{shown}: {text}");
    }
}

#[test]
fn what_was_stopped_is_shown_as_stopped_and_own_commands_are_shown_too() {
    let stage = Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "long", "trigger": "go on", "steps": [{"response": {"content": numbered(400)}}]}],
            "default_response": {"content": "nothing"},
        }),
        SLOW,
    ));
    let screen = stage.open();
    screen.ready().line("go on").saw("numbered 0003");
    screen.key(ESC).see("Stopped.").ready();
    screen.key("!").line("echo typed-$((40+2))").see("typed-42");
    leave(screen);
    let screen = back(&stage);
    screen.saw("numbered 0003").saw("Stopped.").saw("typed-42");
}

#[test]
fn half_an_answer_is_not_shown_as_if_it_were_whole() {
    let stage = Stage::with(Model::scripted(
        json!({
            "scenarios": [{"name": "long", "trigger": "go on", "steps": [{"response": {"content": numbered(400)}}]}],
            "default_response": {"content": "nothing"},
        }),
        SLOW,
    ));
    let mut screen = stage.open();
    screen.ready().line("go on").saw("numbered 0005");
    screen.signal(Signal::KILL);
    assert!(!screen.left().success());
    let screen = back(&stage);
    screen
        .saw("numbered 0003")
        .saw("Broken off: the program ended here.");
    assert!(!screen.view().has("Stopped."));
    // The page of all that was said says the same.
    screen.ready().key("\x14").see("Transcript");
    screen.see("Broken off: the program ended here.");
    let page = screen.view();
    assert!(!page.has("Stopped.") && !page.has("Interrupted"));
}

#[test]
fn a_copy_says_that_it_is_one_and_how_to_get_back() {
    let stage = Stage::says("the answer to it");
    let screen = stage.open();
    screen.ready().line("the first thing").done().ready();
    screen
        .line("/fork")
        .saw("You are now in a copy; `/resume ")
        .ready();
    leave(screen);
    let screen = stage.open_with(&["-c", "--fork"], &[], USUAL);
    screen.saw("You are now in a copy; `/resume ").ready();
}
