//! What the configuration wishes of the screen is what the screen does.

use super::stage::{Prompt, SLOW, Stage};
use super::talking::numbered;
use crate::model::Model;
use serde_json::{Value, json};
use tenon_testing::screen::{ESC, View};

fn wishing(stage: &Stage, tui: &Value) {
    let page = json!({ "tui": tui }).to_string();
    std::fs::write(stage.home.tenon().join("tenon.jsonc"), page).unwrap();
}

#[test]
fn with_the_keys_of_vim_escape_makes_commands_of_letters() {
    for (keys, expected) in [("vim", "hello orld"), ("emacs", "hello worldbx")] {
        let stage = Stage::says("fine");
        wishing(&stage, &json!({ "keys": keys }));
        let screen = stage.open();
        screen.until("the composer", |view| view.at_cursor().starts_with('>'));
        screen.text("hello world").key(ESC);
        if keys == "emacs" {
            screen.see("Esc again clears the input");
        }
        // Back to the start of the word, and its first letter goes.
        screen.key("b").key("x");
        let wanted = format!("> {expected}");
        screen.until(&wanted, |view| view.at_cursor().starts_with(&wanted));
    }
}

#[test]
fn a_thought_of_a_moment_is_shown_whole_or_not_at_all() {
    let script = json!({"scenarios": [], "default_response": {
        "reasoning": "First the apples. Then the pears.",
        "content": "so be it",
    }});
    for (thinking, whole) in [("whole", true), ("brief", false), ("hidden", false)] {
        let stage = Stage::with(Model::scripted(script.clone(), std::time::Duration::ZERO));
        wishing(&stage, &json!({ "thinking": thinking }));
        let screen = stage.open();
        screen.ready().line("think").see("so be it").done().ready();
        let all = screen.all().join("\n");
        assert_eq!(all.contains("Then the pears."), whole, "{thinking}: {all}");
        assert!(!all.contains("Thought for "), "{thinking}: {all}");
    }
}

#[test]
fn with_reduced_motion_no_sign_moves() {
    let moves = |view: &View| {
        let begins = |row: &String| row.starts_with(|c| ('\u{2800}'..='\u{28ff}').contains(&c));
        view.rows.iter().any(begins)
    };
    for motion in ["full", "reduced"] {
        let stage = Stage::with(Model::scripted(
            json!({"scenarios": [], "default_response": {"content": numbered(20)}}),
            SLOW,
        ));
        wishing(&stage, &json!({ "motion": motion }));
        let screen = stage.open();
        screen.ready().line("go on");
        screen.until("the line of what goes on", |view| {
            let still = view.rows.iter().any(|row| row.starts_with("• "));
            view.has("esc stops") && (moves(view) || still)
        });
        screen.done();
        let raw = String::from_utf8_lossy(&screen.raw()).into_owned();
        let moved = raw.contains(|c| ('\u{2800}'..='\u{28ff}').contains(&c));
        assert_eq!(moved, motion == "full", "{motion}");
    }
}
