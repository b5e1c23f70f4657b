//! Questions: what is asked about is shown, and only what is meant is an answer.

use super::stage::{Prompt, SLOW, Stage, USUAL, one_call};
use super::talking::numbered;
use crate::model::{Model, tenon};
use serde_json::json;
use std::fmt::Write;
use std::path::Path;
use std::time::Duration;
use tenon_testing::TestHome;
use tenon_testing::screen::{Cells, ENTER, ESC, Screen, control};

/// Keys count only when a question was there for a moment: it is read first.
const READING: Duration = Duration::from_millis(600);
const COMMAND: &str = "touch made.txt";

pub fn stage() -> Stage {
    let arguments = json!({"command": COMMAND});
    Stage::calls("do it", "bash", &arguments, "that was it")
}

pub fn is_made(stage: &Stage) -> bool {
    stage.home.project().join("made.txt").exists()
}

/// At the question about the command.
pub fn asked(stage: &Stage) -> Screen {
    let screen = stage.open();
    screen.ready().line("do it").see("allow once").see(COMMAND);
    screen
}

pub fn answer(screen: &Screen, key: &str) {
    std::thread::sleep(READING);
    screen.keys(key);
}

#[test]
fn yes_runs_what_was_asked_about() {
    let stage = stage();
    let screen = asked(&stage);
    assert!(!is_made(&stage));
    answer(&screen, "y");
    screen.see("that was it").done().ready();
    assert!(is_made(&stage));
}

/// A clipboard may hold the mark of its own end.
#[test]
fn what_a_paste_brings_behind_its_end_is_no_answer() {
    let stage = stage();
    let screen = asked(&stage);
    // A key has counted: from here on the letter of a yes would be one.
    answer(&screen, "\t");
    screen.see("▸ r  ");
    for tail in ["y", "yy", "\x1b[Ay", "y\x1b[201~", "a\r", "\x1b[201~y"] {
        answer(&screen, &format!("\x1b[200~copied\x1b[201~{tail}"));
    }
    // It is not lost either.
    screen.see("your message: ").see("goes into your message");
    answer(&screen, "\t");
    answer(&screen, "n");
    screen.see("that was it").done();
    assert!(!is_made(&stage));
}

#[test]
fn no_enter_and_esc_deny() {
    for key in ["n", ENTER, ESC] {
        let stage = stage();
        let screen = asked(&stage);
        answer(&screen, key);
        screen.see("that was it").ready();
        assert!(!is_made(&stage), "{key:?}");
        let last = stage.model.bodies().pop().unwrap();
        assert!(last.to_lowercase().contains("den"), "{key:?}: {last}");
    }
}

#[test]
fn keys_from_before_the_question_do_not_answer_it() {
    let script = one_call("do it", "bash", &json!({"command": COMMAND}), "that was it");
    let stage = Stage::with(Model::scripted(script, SLOW));
    let screen = stage.open();
    // They come before the question, with it, and just after it.
    screen.ready().line("do it").keys("yyyy");
    screen.see("allow once").keys("y");
    assert!(!is_made(&stage));
    // Nor does one much later: it may belong to what is half written.
    answer(&screen, "y");
    screen
        .see("goes into your message")
        .see("your message: yyyyyy");
    assert!(!is_made(&stage));
    answer(&screen, "\t");
    answer(&screen, "n");
    screen.see("that was it");
    assert!(!is_made(&stage));
}

#[test]
fn a_reason_is_told_to_the_model() {
    let stage = stage();
    let screen = asked(&stage);
    answer(&screen, "r");
    screen
        .text("use make instead")
        .key(ENTER)
        .see("Denied by you: use make instead")
        .see("that was it")
        .ready();
    assert!(!is_made(&stage));
    let last = stage.model.bodies().pop().unwrap();
    assert!(last.contains("use make instead"), "{last}");
}

#[test]
fn an_allowed_session_is_not_asked_again() {
    let stage = stage();
    let screen = asked(&stage);
    answer(&screen, "s");
    screen.see("Allowed for this session: bash: touch made.txt …");
    screen.see("that was it").ready();
    std::fs::remove_file(stage.home.project().join("made.txt")).unwrap();
    screen.line("do it again");
    screen.until("the second answer", |view| {
        view.rows
            .iter()
            .filter(|row| row.contains("that was it"))
            .count()
            == 2
    });
    screen.ready();
    assert!(is_made(&stage));
}

#[test]
fn what_is_written_is_there_again_after_the_question() {
    let script = one_call("do it", "bash", &json!({"command": COMMAND}), "that was it");
    let stage = Stage::with(Model::scripted(script, Duration::from_millis(100)));
    let screen = stage.open();
    screen
        .ready()
        .line("do it")
        .keys("half a")
        .see("allow once");
    answer(&screen, "\t");
    answer(&screen, "n");
    screen.see("that was it").composed("half a");
}

/// A file that must be changed in its first and its last line.
fn long_edit() -> Stage {
    let text = |word: &str| {
        (1..=120).fold(String::new(), |mut text, number| {
            let _ = writeln!(text, "{word} line {number:03}");
            text
        })
    };
    let edit = json!({"path": "long.txt", "content": text("new")});
    let read = json!({"path": "long.txt"});
    let script = json!({
        "scenarios": [{"name": "edit", "trigger": "do it", "scope": "turn", "steps": [
            {"response": {"content": "First a look.", "tool_calls": [{"function": {"name": "read", "arguments": read}}]}},
            {"response": {"content": "I will.", "tool_calls": [{"function": {"name": "write", "arguments": edit}}]}},
            {"response": {"content": "that was it"}},
        ]}],
        "default_response": {"content": "nothing"},
    });
    let stage = Stage::with(Model::scripted(script, Duration::ZERO));
    stage.file("long.txt", &text("old"));
    std::fs::write(
        stage.home.tenon().join("tenon.jsonc"),
        r#"{"permission": {"edit": "ask"}}"#,
    )
    .unwrap();
    stage
}

#[test]
fn a_long_change_can_be_read_by_scrolling_before_it_is_allowed() {
    let stage = long_edit();
    let screen = stage.open();
    screen
        .ready()
        .line("do it")
        .see("allow once")
        .see("old line 001");
    assert!(!screen.view().has("new line 120"));
    std::thread::sleep(READING);
    let mut pages = 0;
    while !screen.view().has("new line 120") {
        let before = screen.view();
        screen.keys(" ");
        screen.until("another part of it", |view| *view != before);
        pages += 1;
        assert!(pages < 30, "{}", screen.view().text());
    }
    // The choices are always there.
    screen.see("allow once").keys("y");
    screen.see("that was it").ready();
    assert!(stage.content("long.txt").starts_with("new line 001\n"));
}

#[test]
fn a_long_change_is_allowed_by_one_key_and_says_how_much_is_not_shown() {
    let stage = long_edit();
    let screen = stage.open();
    screen
        .ready()
        .line("do it")
        .see("y  allow once  (+")
        .see("more lines)")
        .see("space reads on");
    answer(&screen, "y");
    screen.see("that was it").ready();
    assert!(stage.content("long.txt").starts_with("new line 001\n"));
}

/// Two files that one reply would change.
fn two_edits() -> Stage {
    let edit = |path: &str| json!({"function": {"name": "write", "arguments": {"path": path, "content": "new\n"}}});
    let script = json!({
        "scenarios": [{"name": "edits", "trigger": "do it", "scope": "turn", "steps": [
            {"response": {"content": "Both.", "tool_calls": [edit("one.txt"), edit("two.txt")]}},
            // A step for each result.
            {"response": {"content": "between them"}},
            {"response": {"content": "that was it"}},
        ]}],
        "default_response": {"content": "nothing"},
    });
    Stage::with(Model::scripted(script, Duration::ZERO))
}

#[test]
fn edits_of_one_reply_are_allowed_or_denied_with_one_key() {
    for (key, is_made) in [("y", true), ("n", false)] {
        let stage = two_edits();
        let screen = stage.open();
        screen
            .ready()
            .line("do it")
            .see("Make these 2 edits?")
            .see("1/2 create one.txt +1 -0")
            .see("2/2 create two.txt +1 -0")
            .see("y  allow these 2 edits")
            .see("n  deny all 2");
        answer(&screen, key);
        screen.see("that was it").ready();
        for file in ["one.txt", "two.txt"] {
            let path = stage.home.project().join(file);
            assert_eq!(path.exists(), is_made, "{key}: {file}");
        }
    }
}

#[test]
fn edits_of_one_reply_can_be_answered_one_at_a_time() {
    let stage = two_edits();
    let screen = stage.open();
    screen.ready().line("do it").see("o  one at a time");
    answer(&screen, "o");
    screen.see("Change one.txt?");
    answer(&screen, "n");
    screen.see("Change two.txt?");
    answer(&screen, "y");
    screen.see("that was it").ready();
    assert!(!stage.home.project().join("one.txt").exists());
    assert!(stage.home.project().join("two.txt").exists());
}

#[test]
fn a_paste_at_a_question_is_a_message_and_no_answer() {
    let stage = stage();
    let screen = asked(&stage);
    answer(&screen, "\x1b[200~yes, and then\x1b[201~");
    screen.see("your message: yes, and then");
    answer(&screen, "\t");
    answer(&screen, "n");
    screen.see("that was it").composed("yes, and then");
    assert!(!is_made(&stage));
}

#[test]
fn the_demo_plays_on_the_screen_and_its_questions_are_answered_there() {
    let home = TestHome::new();
    let mut command = home.command(tenon());
    command
        .arg("demo")
        .env("TERM", "xterm-256color")
        .env("XTERM_VERSION", "XTerm(390)");
    let screen = Screen::start(command, USUAL);
    screen.saw("There is a failing test");
    for question in ["Run a command?", "Change src/price.sh?", "Run a command?"] {
        screen.see(question).see("allow once");
        answer(&screen, "y");
    }
    screen.see("all tests pass").ready();
    screen.keys("\x04");
    screen.saw("tenon --session");
    screen.saw("Only the model was scripted");
}

#[test]
fn the_whole_question_can_be_read_on_a_page_of_its_own() {
    let stage = long_edit();
    let screen = stage.open();
    screen
        .ready()
        .line("do it")
        .see("allow once")
        .key(&control('t'));
    screen.until("the page", |view| view.paged && view.has("old line 001"));
    assert!(!screen.view().has("new line 120"));
    screen.key("G");
    screen.until("its end", |view| view.paged && view.has("new line 120"));
    screen.key("q");
    screen.until("the question again", |view| {
        !view.paged && view.has("allow once")
    });
    answer(&screen, "n");
    screen.see("that was it");
    assert!(stage.content("long.txt").starts_with("old line 001\n"));
}

#[test]
fn ctrl_c_at_a_question_stops_the_run() {
    let stage = stage();
    let screen = asked(&stage);
    answer(&screen, &control('c'));
    screen.see("Stopped.").ready();
    assert!(!is_made(&stage));
}

#[test]
fn a_question_of_the_model_is_answered_with_an_option_or_in_own_words() {
    let arguments = json!({"question": "Which colour?", "options": ["red", "blue"]});
    let stage = Stage::calls("paint", "ask_user", &arguments, "so be it");
    let screen = stage.open();
    screen
        .ready()
        .line("paint")
        .see("Which colour?")
        .see("blue");
    std::thread::sleep(READING);
    screen
        .keys("a dark green")
        .see("a dark green")
        .key(ENTER)
        .see("so be it");
    let last = stage.model.bodies().pop().unwrap();
    assert!(last.contains("a dark green"), "{last}");
}

#[test]
fn a_question_comes_before_a_list_that_is_open() {
    let script = json!({
        "scenarios": [{"name": "long", "trigger": "do it", "scope": "turn", "steps": [
            {"response": {"content": numbered(30), "tool_calls": [{"function": {"name": "bash", "arguments": {"command": COMMAND}}}]}},
            {"response": {"content": "that was it"}},
        ]}],
        "default_response": {"content": "nothing"},
    });
    let stage = Stage::with(Model::scripted(script, SLOW));
    let screen = stage.open();
    screen.ready().line("do it").saw("numbered 0003");
    screen.line("/theme").see("Theme");
    screen.see("allow once");
    answer(&screen, "n");
    screen.see("that was it");
    assert!(!is_made(&stage));
}

/// A command that would empty a folder, between what looks like nothing.
fn hidden() -> Stage {
    let command = format!(
        "echo ok{}rm -rf sub{}echo end",
        "\n".repeat(120),
        "\n".repeat(100)
    );
    let stage = Stage::calls("do it", "bash", &json!({"command": command}), "that was it");
    stage.file("sub/kept.txt", "x");
    stage
}

#[test]
fn empty_lines_hide_no_command() {
    let stage = hidden();
    let screen = stage.open();
    screen.ready().line("do it").see("allow once");
    screen.see("rm -rf sub").see("affects: ");
    screen.see("… 119 empty lines").see("… 99 empty lines");
    answer(&screen, "n");
    screen.see("that was it");
    assert!(stage.home.project().join("sub/kept.txt").exists());
}

#[test]
fn in_a_low_window_a_danger_is_read_before_a_yes_counts() {
    let stage = hidden();
    let cells = Cells {
        columns: 40,
        rows: 10,
    };
    let screen = stage.open_with(&[], &[], cells);
    screen.ready().line("do it").see("more lines)");
    let before = screen.view();
    answer(&screen, "y");
    screen.until("another part of it", |view| *view != before);
    assert!(stage.home.project().join("sub/kept.txt").exists());
    let mut read = before.has("rm -rf sub");
    for _ in 0..30 {
        read |= screen.view().has("rm -rf sub");
        if screen.view().has("that was it") {
            break;
        }
        answer(&screen, "y");
    }
    screen.see("that was it");
    assert!(read, "{:#?}", screen.all());
    assert!(!stage.home.project().join("sub/kept.txt").exists());
}

#[test]
fn the_key_of_the_agents_is_no_answer() {
    let stage = stage();
    let screen = asked(&stage);
    answer(&screen, "\x1b[Z");
    screen.see("answer first").see("▸ n  deny");
    answer(&screen, ENTER);
    screen.see("that was it").ready();
    assert!(!is_made(&stage));
}

#[test]
fn the_screen_asks_wherever_standard_error_goes() {
    let stage = stage();
    let known = stage.model.command(&stage.home);
    let mut command = stage.home.command(Path::new("/bin/sh"));
    command
        .args(["-c", "exec \"$0\" 2>../err.log"])
        .arg(known.get_program())
        .envs(
            known
                .get_envs()
                .filter_map(|(name, value)| Some((name, value?))),
        )
        .env("TERM", "xterm-256color")
        .env("XTERM_VERSION", "XTerm(390)");
    let screen = Screen::start(command, USUAL);
    screen.ready().line("do it").see("allow once").see(COMMAND);
    answer(&screen, "y");
    screen.see("that was it").done().ready();
    assert!(is_made(&stage));
}
