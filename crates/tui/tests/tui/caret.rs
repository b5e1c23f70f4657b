//! Where the terminal's cursor is: at the caret for whoever writes, and hidden at
//! the top of the live area while a run writes and nobody else does.

use crate::stage::Stage;
use crate::talk::finished;
use std::time::Duration;
use tenon_tui::input::Input;
use tenon_vocab::Outcome;

/// The cell of a caret that is drawn.
fn drawn(stage: &Stage) -> Option<(u16, u16)> {
    let screen = stage.emulated();
    let (rows, columns) = screen.size();
    let mut cells = (0..rows.get()).flat_map(|row| (0..columns.get()).map(move |at| (row, at)));
    cells.find(|(row, at)| screen.cell(*row, *at).is_some_and(vt100::Cell::inverse))
}

fn row(stage: &Stage, row: u16) -> String {
    let shown = stage.shown();
    shown
        .lines()
        .nth(usize::from(row))
        .unwrap_or_default()
        .to_owned()
}

#[test]
fn while_a_run_writes_the_cursor_waits_at_the_top_and_the_caret_is_drawn() {
    let mut stage = Stage::new(80, 20);
    assert!(!stage.emulated().hide_cursor());
    assert_eq!(drawn(&stage), None);
    stage.begin_run("go");
    stage.say("the first words");
    assert!(stage.emulated().hide_cursor());
    // An empty row stands before what is said.
    let (at, column) = stage.caret();
    assert_eq!((row(&stage, at + 1).trim(), column), ("the first words", 0));
    let (at, column) = drawn(&stage).unwrap();
    assert_eq!((row(&stage, at).trim_end(), column), (">", 2));
    stage.end_run(finished(Outcome::Completed));
    assert!(!stage.emulated().hide_cursor());
    assert_eq!(drawn(&stage), None);
}

#[test]
fn whoever_writes_during_a_run_has_the_cursor_at_the_caret_until_a_long_pause() {
    let mut stage = Stage::new(80, 20);
    stage.begin_run("go");
    stage.say("the first words");
    stage.write("漢字");
    assert!(!stage.emulated().hide_cursor());
    let (at, column) = stage.caret();
    assert_eq!((row(&stage, at).as_str(), column), ("> 漢字", 6));
    stage.now += Duration::from_secs(9);
    stage.input(Input::Tick);
    assert!(!stage.emulated().hide_cursor());
    stage.now += Duration::from_secs(2);
    stage.input(Input::Tick);
    assert!(stage.emulated().hide_cursor());
    assert!(drawn(&stage).is_some());
    stage.write("x");
    assert!(!stage.emulated().hide_cursor());
}
