//! Resizes by hand: while lines stream, late, and back.

use super::desk::{Desk, frame, text};
use super::{SIZE, on_both};
use crate::emulator::{Cutting, Emulator, Wrapping};
use std::time::Duration;
use tenon_tui::text::{Line, Size};

on_both!(ten_resizes_while_five_hundred_lines_stream, |mut desk| {
    let sizes = [
        (30, 10),
        (80, 24),
        (20, 10),
        (100, 30),
        (33, 12),
        (60, 8),
        (25, 24),
        (120, 40),
        (19, 9),
        (70, 20),
    ];
    for at in 0..500 {
        if at % 50 == 25 {
            let (columns, rows) = sizes[at / 50];
            desk.resize(Size { columns, rows });
        }
        let rule = "-".repeat(desk.size.columns);
        let status = format!("{:1$}", "status that fills the row", desk.size.columns - 1);
        let tail = format!("line {at} as it streams and grows");
        let lines = [tail.as_str(), &rule, "> typed", &rule, &status];
        let line = text(&format!("F{at}. a finished line with some words in it")).unbroken();
        desk.draw(&[line], frame(&lines, Some((2, 4))));
        desk.check_live();
    }
    desk.check_finished();
});

/// The same as above, but nothing of any live area may be left either.
#[test]
fn no_row_of_the_live_area_is_left_behind_by_a_resize() {
    let mut desk: Desk<Wrapping> = Desk::of(Size {
        columns: 80,
        rows: 24,
    });
    for (at, columns) in [79, 60, 40, 41, 30, 90, 45, 22].into_iter().enumerate() {
        let rule = "-".repeat(desk.size.columns);
        for step in 0..8 {
            let line = text(&format!("F{at}-{step}. a finished line"));
            let long = "typed ".repeat(6);
            desk.draw(&[line], frame(&[&rule, &long, &rule], Some((1, 30))));
        }
        desk.resize(Size { columns, rows: 24 });
        desk.draw(&[], frame(&["> "], Some((0, 2))));
        desk.check_all();
    }
}

/// The terminal is narrower already, and we are not told until some draws later.
#[test]
fn what_was_written_before_the_resize_was_known_is_neither_lost_nor_doubled() {
    for (late, narrow) in [(0, 30), (1, 30), (2, 45), (4, 50), (3, 79)] {
        let mut desk: Desk<Wrapping> = Desk::of(Size {
            columns: 80,
            rows: 24,
        });
        let rule = "-".repeat(80);
        let live = frame(&[&rule, "> typed", &rule], Some((1, 4)));
        for at in 0..30 {
            desk.draw(
                &[text(&format!("F{at}. {}", "word ".repeat(10)))],
                live.clone(),
            );
        }
        desk.pace = Duration::from_millis(5);
        desk.terminal.resize(Size {
            columns: narrow,
            rows: 24,
        });
        for at in 30..30 + late {
            desk.draw(
                &[text(&format!("F{at}. {}", "word ".repeat(10)))],
                live.clone(),
            );
        }
        desk.size.columns = narrow;
        desk.draw(&[text("F99. last")], frame(&["> typed"], Some((0, 4))));
        desk.check_all();
    }
}

/// Dragged back to where it was: nothing is told but that something happened.
#[test]
fn a_resize_back_to_the_same_size_draws_anew() {
    let mut desk: Desk<Wrapping> = Desk::of(SIZE);
    let live = frame(&["above", "> typed", "below", "status"], Some((1, 4)));
    let said: Vec<Line> = (0..20).map(|at| text(&format!("F{at}."))).collect();
    desk.draw(&said, live.clone());
    desk.terminal.resize(Size {
        columns: 40,
        rows: 7,
    });
    desk.terminal.resize(SIZE);
    assert!(!desk.terminal.rows().contains(&String::from("status")));
    desk.screen.notice_resize_at(desk.now);
    desk.draw(&[], live);
    desk.check_all();
}
