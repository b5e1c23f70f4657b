//! The terminal is as it was: after leaving, after signals, while stopped.

use super::stage::{Prompt, Stage, USUAL};
use rustix::process::Signal;
use std::time::Duration;
use tenon_testing::screen::{Screen, control};
use tenon_testing::wait_until;

const DEADLINE: Duration = Duration::from_secs(30);

/// What was switched on is off again, and the settings are the old ones.
#[track_caller]
fn restored(screen: &Screen) {
    // All that it wrote before is to be read first.
    screen.until("the old modes", |view| {
        view.cursor_shown && !view.bracketed_paste
    });
    assert_eq!(
        format!("{:?}", screen.settings()),
        format!("{:?}", screen.settings_before())
    );
    let view = screen.view();
    assert!(
        view.cursor_shown && !view.paged && !view.bracketed_paste,
        "{view:?}"
    );
    let raw = String::from_utf8_lossy(&screen.raw()).into_owned();
    for (on, off) in [
        ("\x1b[?2004h", "\x1b[?2004l"),
        ("\x1b[?1004h", "\x1b[?1004l"),
        ("\x1b[>1u", "\x1b[<1u"),
        ("\x1b[>4;1m", "\x1b[>4m"),
        ("\x1b[?2026h", "\x1b[?2026l"),
        ("\x1b[?25l", "\x1b[?25h"),
    ] {
        assert!(raw.rfind(on).is_some(), "{on:?} was never sent");
        assert!(raw.rfind(off) > raw.rfind(on), "{on:?} is still in force");
    }
    for (on, off) in [("\x1b[>1u", "\x1b[<1u"), ("\x1b[22;2t", "\x1b[23;2t")] {
        let (pushed, popped) = (raw.matches(on).count(), raw.matches(off).count());
        assert_eq!(pushed, popped, "{on:?} and {off:?}");
    }
}

pub fn is_stopped(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(") ")
        .is_some_and(|(_, rest)| rest.starts_with('T'))
}

#[test]
fn ctrl_c_clears_what_is_written_and_leaves_when_pressed_twice() {
    let stage = Stage::says("fine");
    let mut screen = stage.open();
    screen.ready().text("never mind").key(&control('c')).ready();
    screen
        .key(&control('c'))
        .see("again leaves")
        .key(&control('c'));
    assert!(screen.left().success());
    restored(&screen);
    assert!(stage.model.asked().is_empty());
    let all = screen.all().join("\n");
    assert!(!all.contains("Resume with"), "nothing was said: {all}");
}

#[test]
fn ctrl_d_leaves_and_says_how_to_come_back() {
    let stage = Stage::says("fine");
    let mut screen = stage.open();
    screen
        .ready()
        .line("hello")
        .done()
        .ready()
        .key(&control('d'));
    assert!(screen.left().success());
    restored(&screen);
    screen
        .saw("Resume with: tenon --session ")
        .saw("▌ hello")
        .saw("fine");
    // The live area is gone, what was said stays.
    let all = screen.all();
    let composers = all.iter().filter(|line| line.starts_with('>')).count();
    assert_eq!(composers, 0, "{all:#?}");
}

#[test]
fn a_signal_that_ends_it_leaves_the_terminal_as_it_was() {
    for signal in [Signal::TERM, Signal::HUP] {
        let stage = Stage::says("fine");
        let mut screen = stage.open();
        screen.ready().line("hello").done().ready();
        screen.text("half").signal(signal);
        assert!(!screen.left().success(), "{signal:?}");
        restored(&screen);
        screen.saw("Resume with");
    }
}

#[test]
fn a_signal_on_the_other_page_comes_back_from_it() {
    let stage = Stage::says("fine");
    let mut screen = stage.open();
    screen
        .ready()
        .line("hello")
        .done()
        .ready()
        .key(&control('t'));
    screen.until("the transcript", |view| view.paged);
    screen.signal(Signal::TERM);
    assert!(!screen.left().success());
    restored(&screen);
    screen.saw("▌ hello");
}

#[test]
fn ctrl_z_gives_the_terminal_back_and_takes_it_again_afterwards() {
    let stage = Stage::says("fine");
    let mut screen = stage.open();
    screen
        .ready()
        .line("hello")
        .done()
        .ready()
        .text("half a thought");
    screen.key(&control('z'));
    assert!(wait_until(DEADLINE, || is_stopped(screen.pid())));
    restored(&screen);
    screen.signal(Signal::CONT).composed("half a thought");
    screen.key(" more").composed("half a thought more");
    let all = screen.all();
    for once in ["▌ hello", "fine", "Done."] {
        let count = all.iter().filter(|line| line.contains(once)).count();
        assert_eq!(count, 1, "{once}: {all:#?}");
    }
    screen.key(&control('c')).ready().key(&control('d'));
    assert!(screen.left().success());
    restored(&screen);
}

/// An editor that takes the terminal for itself, says so, and does not end.
fn stubborn(stage: &Stage) -> String {
    let script = "#!/bin/sh\nstty raw -echo\nprintf 'in the editor'\nexec sleep 1000\n";
    stage.script("editor", script)
}

#[test]
fn a_signal_while_the_editor_is_open_ends_both_and_the_terminal_is_as_it_was() {
    for signal in [Signal::TERM, Signal::HUP] {
        let stage = Stage::says("fine");
        let editor = stubborn(&stage);
        let mut screen = stage.open_with(&[], &[("EDITOR", &editor)], USUAL);
        screen.ready().line("hello").done().ready();
        screen
            .key(&control('g'))
            .see("in the editor")
            .signal(signal);
        assert!(!screen.left().success(), "{signal:?}");
        restored(&screen);
        screen.saw("Resume with");
    }
}

#[test]
fn a_bug_of_the_interface_leaves_the_terminal_as_it_was_and_says_so() {
    let stage = Stage::says("fine");
    let mut screen = stage.open_with(&[], &[("TENON_TEST_PANIC", "break it")], USUAL);
    screen.ready().line("hello").done().ready().line("break it");
    assert_eq!(screen.left().code(), Some(1));
    restored(&screen);
    screen
        .saw("tenon: internal error at ")
        .saw("Resume with: tenon --session ")
        .saw("▌ hello");
    // The message stands below what was said, and not inside of a row.
    let all = screen.all();
    let at = |text: &str| all.iter().position(|line| line.starts_with(text));
    assert!(at("▌ hello") < at("tenon: internal error"), "{all:#?}");
}
