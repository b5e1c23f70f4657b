//! Keys of the program itself, and keys that were meant for somebody else.

use super::asking::{answer, asked, is_made};
use super::leaving::is_stopped;
use super::stage::{Prompt, Stage, USUAL, written};
use rustix::process::Signal;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write;
use std::time::Duration;
use tenon_testing::screen::{ENTER, control};
use tenon_testing::wait_until;

const DEADLINE: Duration = Duration::from_secs(30);

#[test]
fn a_question_is_there_again_after_ctrl_z_and_keys_for_the_shell_are_no_answer() {
    let stage = super::asking::stage();
    let screen = asked(&stage);
    // A key has counted: from here on the letter of a yes would be one.
    answer(&screen, "\t");
    screen.see("▸ r  ");
    screen.key(&control('z'));
    assert!(wait_until(DEADLINE, || is_stopped(screen.pid())));
    screen.until("the terminal without a question", |view| {
        !view.has("allow once") && view.cursor_shown && !view.bracketed_paste
    });
    screen.keys("y").see("y");
    screen.signal(Signal::CONT).see("allow once");
    answer(&screen, "n");
    screen.see("that was it");
    assert!(!is_made(&stage));
}

#[test]
fn what_was_typed_while_the_editor_was_open_is_no_input() {
    let stage = Stage::says("fine");
    let script = "#!/bin/sh\necho in the editor\nwhile [ ! -e \"$0.done\" ]; do sleep 0.05; done\n";
    let editor = stage.script("editor", script);
    let screen = stage.open_with(&[], &[("EDITOR", &editor)], USUAL);
    screen.ready().text("a draft").key(&control('g'));
    screen.see("in the editor");
    screen
        .keys(" typed blindly")
        .see("typed blindly")
        .keys(ENTER);
    std::fs::write(format!("{editor}.done"), "").unwrap();
    screen.composed("a draft").key(" more");
    screen
        .composed("a draft more")
        .key(ENTER)
        .see("fine")
        .done();
    assert_eq!(stage.model.last_prompt(), "a draft more");
    assert_eq!(stage.model.asked().len(), 1);
}

#[test]
fn ctrl_l_draws_anew_what_another_program_wrote_over() {
    let stage = Stage::says("fine");
    let screen = stage.open();
    screen.ready().line("hello").done().ready();
    screen.text("half a thought");
    let before = screen.view();
    let status = before
        .row("mock-model")
        .unwrap_or_default()
        .max(before.cursor.0 + 1);
    let mut terminal = OpenOptions::new()
        .write(true)
        .open(format!("/proc/{}/fd/1", screen.pid()))
        .unwrap();
    // Over the composer and the line below it, with the cursor back where it was.
    for row in [before.cursor.0, status] {
        write!(terminal, "\x1b7\x1b[{};1Hsomething else\x1b8", row + 1).unwrap();
    }
    screen.until("both rows written over", |view| {
        let spoilt = view
            .rows
            .iter()
            .filter(|row| row.starts_with("something else"));
        spoilt.count() == 2
    });
    screen.key(&control('l'));
    screen.until("the screen as it was", |view| *view == before);
}

#[test]
fn a_file_that_a_run_made_is_offered_behind_an_at_sign() {
    let arguments = json!({"path": "freshly-made.txt", "content": "x\n"});
    let stage = Stage::calls("make", "write", &arguments, "It is made.");
    stage.file("old-one.txt", "x");
    let screen = stage.open_with(&["--yes"], &[], USUAL);
    // The list is asked for before the file is there.
    screen.ready().key("@").see("old-one.txt");
    assert!(!screen.view().has("freshly-made.txt"));
    screen.key(&control('c')).ready();
    screen.line("make it").done().ready();
    screen.key("@fresh");
    screen.until("the new file in the menu", |view| {
        let below = &view.rows[view.cursor.0 + 1..];
        below.iter().any(|row| row.contains("freshly-made.txt"))
    });
}

#[test]
fn lines_that_come_at_once_are_not_sent_where_no_paste_is_marked() {
    let stage = Stage::says("got it");
    let screen = stage.open_with(&[], &[("TERM", "linux")], USUAL);
    screen.ready().keys("one\rtwo\rthree");
    screen.until("all of it in the composer", |view| {
        view.has("> one") && view.has("  two") && written(view).trim() == "three"
    });
    assert!(stage.model.asked().is_empty());
    screen.key(ENTER).see("got it").done();
    assert_eq!(stage.model.last_prompt(), "one\ntwo\nthree");
    assert_eq!(stage.model.asked().len(), 1);
}
