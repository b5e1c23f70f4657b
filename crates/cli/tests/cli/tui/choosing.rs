//! Menus, lists and pages.

use super::stage::{Prompt, SLOW, Stage, USUAL};
use super::talking::numbered;
use crate::model::Model;
use serde_json::json;
use std::path::Path;
use std::time::Duration;
use tenon_testing::screen::{DOWN, ENTER, ESC, Screen, control};
use tenon_testing::wait_until;

const DEADLINE: Duration = Duration::from_secs(30);

#[test]
fn a_slash_opens_the_menu_and_letters_narrow_it() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().key("/").see("/help").see("/new");
    screen.key("con").see("/context").gone("/new");
    screen.key(ESC).gone("/context");
    screen.composed("/con").key(&control('c')).ready();
    screen
        .key("/hel")
        .see("/help")
        .key("\t")
        .until("the completed word", |view| {
            view.at_cursor().starts_with("> /help")
        });
    screen.key(ENTER);
    screen.until("help", |view| view.paged && view.has("Keys: Writing"));
    screen.key("/undo\r");
    screen.until("what was searched for", |view| view.has("undo"));
    screen.key("q");
    screen.until("the composer", |view| !view.paged && view.cursor_shown);
    assert!(stage.model.asked().is_empty());
}

#[test]
fn what_may_follow_a_command_is_in_the_menu_too() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().key("/effort mi").see("▸ minimal");
    screen.key("\t").until("the completed word", |view| {
        view.at_cursor().starts_with("> /effort minimal")
    });
    screen.key(ENTER).see("mock-model minimal");
    assert!(stage.model.asked().is_empty());
}

#[test]
fn a_mentioned_file_is_picked_and_its_content_reaches_the_model() {
    let stage = Stage::says("read it");
    stage.file("src/deep/treasure.txt", "gold and 42 pearls\n");
    stage.file("src/other.txt", "nothing\n");
    let screen = stage.open();
    screen
        .ready()
        .text("what is in ")
        .key("@treas")
        .see("treasure.txt");
    screen.until("the file in the menu", |view| {
        view.rows[view.cursor.0 + 1..]
            .iter()
            .any(|row| row.contains("src/deep/treasure.txt"))
    });
    screen.key("\t").until("the whole path", |view| {
        view.at_cursor().contains("@src/deep/treasure.txt")
    });
    screen.key(ENTER);
    screen.see("read it").done();
    let last = stage.model.bodies().pop().unwrap();
    assert!(last.contains("gold and 42 pearls"), "{last}");
}

#[test]
fn a_model_is_picked_from_those_of_the_server() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().line("/models").see("Models");
    screen
        .see("▸ mock-model")
        .key(ENTER)
        .gone("Models")
        .ready()
        .line("hello")
        .see("fine");
    let last = stage.model.bodies().pop().unwrap();
    assert!(last.contains("\"model\":\"mock-model\""), "{last}");
}

#[test]
fn a_theme_is_tried_taken_and_remembered() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen
        .ready()
        .line("/theme")
        .see("Theme")
        .see("light")
        .see("mono");
    screen.key(DOWN).key(ESC).gone("mono").ready();
    let kept = stage.home.tenon().join("theme");
    assert!(!kept.exists(), "it was only tried");
    screen.line("/theme nosuch");
    screen.see("There is no theme `nosuch`").ready();
    // The theme of the first start has none but the terminal's own colours.
    let many = |screen: &Screen| String::from_utf8_lossy(&screen.raw()).contains("38;5;");
    let before = stage.open();
    before.ready();
    assert!(!many(&before));
    screen.line("/theme light").ready();
    assert!(tenon_testing::wait_until(DEADLINE, || kept.exists()));
    let after = stage.open();
    after.ready();
    assert!(many(&after));
}

#[test]
fn the_next_turn_uses_the_model_that_was_named() {
    let stage = Stage::says("fine");
    let config = json!({"providers": {"local": {
        "base_url": stage.model.url, "model": "mock-model", "models": ["another-model"],
    }}});
    std::fs::write(stage.home.tenon().join("tenon.jsonc"), config.to_string()).unwrap();
    let screen = stage.open();
    screen.ready().line("hello").done().ready();
    screen
        .line("/models nosuch")
        .see("has no model `nosuch`")
        .ready();
    screen.line("/models local/another-model").ready();
    screen.until("the status line", |view| {
        view.rows[view.cursor.0 + 1..]
            .iter()
            .any(|row| row.contains("another-model"))
    });
    screen.line("and now");
    screen.until("the second answer", |view| {
        view.rows
            .iter()
            .filter(|row| row.starts_with("Done."))
            .count()
            == 2
    });
    let last = stage.model.bodies().pop().unwrap();
    assert!(last.contains("\"model\":\"another-model\""), "{last}");
}

#[test]
fn the_transcript_has_everything_and_closes_again() {
    let stage = Stage::calls("do it", "list", &json!({}), "that was it");
    stage.file("a-file.txt", "x");
    let screen = stage.open();
    screen
        .ready()
        .line("do it")
        .done()
        .ready()
        .key(&control('t'));
    screen.until("the transcript", |view| {
        view.paged && view.has("do it") && view.has("that was it")
    });
    screen.key("q");
    screen.until("the conversation", |view| !view.paged && view.has("Done."));
    let all = screen.all();
    let said = all
        .iter()
        .filter(|line| line.contains("that was it"))
        .count();
    assert_eq!(said, 1, "{all:#?}");
}

#[test]
fn context_cost_tools_and_permissions_are_shown() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().line("hello").done().ready();
    for (command, shown) in [
        ("/context", "environment"),
        ("/cost", "tokens in"),
        ("/permissions", "bash: commands that only read"),
        ("/tools", "todowrite │ interact"),
    ] {
        let before = screen.all().join("\n");
        assert!(!before.contains(shown), "{command}: {before}");
        screen.line(command).saw(shown).ready();
    }
}

#[test]
fn the_chart_of_the_context_knows_each_row_of_the_real_answer() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().line("hello").done().ready();
    screen.line("/context").saw("environment").ready();
    let all = screen.all();
    let row = |name: &str| {
        let is_row = |line: &&String| line.trim_start().starts_with(&format!("{name} "));
        all.iter().find(is_row).cloned().unwrap_or_default()
    };
    for part in ["base", "environment", "tools"] {
        let row = row(part);
        assert!(row.contains('~') && row.contains('%'), "{part}: {all:#?}");
    }
    assert!(row("tools").contains('█'), "{all:#?}");
    let whole = all
        .iter()
        .any(|line| line.contains("% ") && line.contains(" tokens"));
    assert!(whole, "how full the window is: {all:#?}");
    for end in ["prompt", "used", "limit"] {
        assert!(
            !row(end).is_empty() && !row(end).contains('%'),
            "{end}: {all:#?}"
        );
    }
}

#[test]
fn a_diff_shows_what_the_session_changed() {
    let arguments = json!({"path": "new.txt", "content": "fresh words\n"});
    let stage = Stage::calls("do it", "write", &arguments, "that was it");
    let screen = stage.open_with(&["--yes"], &[], USUAL);
    screen.ready().line("do it").done().ready().line("/diff");
    screen.until("the change", |view| view.paged && view.has("fresh words"));
    screen.key("q");
    screen.until("the composer", |view| !view.paged);
    assert_eq!(stage.content("new.txt"), "fresh words\n");
}

#[test]
fn the_editor_gets_what_is_written_and_gives_it_back() {
    let stage = Stage::says("fine");
    let script =
        "#!/bin/sh\nsed -i 's/rough/fine/' \"$1\"\nprintf '\\na second line\\n' >> \"$1\"\n";
    let editor = stage.script("editor", script);
    let screen = stage.open_with(&[], &[("EDITOR", &editor)], USUAL);
    screen.ready().text("a rough draft").key(&control('g'));
    screen
        .see("> a fine draft")
        .see("  a second line")
        .key(ENTER)
        .done();
    assert_eq!(stage.model.last_prompt(), "a fine draft\na second line");
}

/// Whether a run of any session of this home has ended.
fn has_finished(stage: &Stage) -> bool {
    fn logs(folder: &Path, found: &mut Vec<String>) {
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let path = entry.path();
            if path.is_dir() {
                logs(&path, found);
            } else if path.extension().is_some_and(|end| end == "jsonl") {
                found.extend(std::fs::read_to_string(&path));
            }
        }
    }
    let mut found = Vec::new();
    logs(&stage.home.tenon().join("sessions"), &mut found);
    found.iter().any(|log| log.contains("\"run_finished\""))
}

#[test]
fn the_session_goes_on_while_the_editor_is_open() {
    let stage = Stage::with(Model::scripted(
        json!({"scenarios": [], "default_response": {"content": numbered(60)}}),
        SLOW,
    ));
    let script = "#!/bin/sh\necho in the editor\nwhile [ ! -e \"$0.done\" ]; do sleep 0.05; done\necho more >> \"$1\"\n";
    let editor = stage.script("editor", script);
    let screen = stage.open_with(&[], &[("EDITOR", &editor)], USUAL);
    screen.ready().line("count").saw("numbered 0002");
    screen.key(&control('g')).see("in the editor");
    assert!(wait_until(DEADLINE, || has_finished(&stage)));
    std::fs::write(format!("{editor}.done"), "").unwrap();
    screen.done().see("> more");
    let all = screen.all();
    let numbers: Vec<&str> = all
        .iter()
        .filter_map(|line| line.trim().strip_prefix("numbered "))
        .collect();
    let expected: Vec<String> = (1..=60).map(|number| format!("{number:04}")).collect();
    assert_eq!(numbers, expected, "{}", all.join("\n"));
}

#[test]
fn an_unknown_command_is_given_back_to_be_mended() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen
        .ready()
        .key("/nosuchthing")
        .see("/nosuchthing")
        .key(ENTER);
    screen.see("/help").composed("/nosuchthing");
    assert!(stage.model.asked().is_empty());
}
