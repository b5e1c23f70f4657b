//! Any draws and any resizes, as chance has them.

use super::desk::{Desk, on_a_cell, text};
use crate::emulator::{Cutting, Emulator, Wrapping};
use proptest::collection::vec;
use proptest::prelude::*;
use std::time::Duration;
use tenon_tui::text::{Frame, Line, Size};

#[derive(Debug, Clone)]
struct Step {
    finished: Vec<String>,
    live: Vec<String>,
    caret: Option<(usize, usize)>,
    size: Option<(usize, usize)>,
}

/// Texts of pieces that terminals agree about, and of some that they do not.
fn words(doubtful: bool, most: usize) -> impl Strategy<Value = String> {
    let mut pieces = vec![
        "a",
        "word ",
        "  ",
        "漢字",
        "日本語 ",
        "한국",
        "é",
        "─",
        "x.y",
        "の",
        "|",
    ];
    if doubtful {
        pieces.extend(["👍", "👨‍👩‍👧", "e\u{301}", "☺️", "🇩🇪", "ไทย", "नि"]);
    }
    vec(proptest::sample::select(pieces), 0..most).prop_map(|pieces| pieces.concat())
}

fn step(doubtful: bool, most: usize, sizes: bool) -> impl Strategy<Value = Step> {
    let size = prop_oneof![3 => Just(None), 1 => (12..90_usize, 4..30_usize).prop_map(Some)];
    let caret = proptest::option::weighted(0.8, (0..9_usize, 0..50_usize));
    (
        vec(words(doubtful, most), 0..4),
        vec(words(doubtful, most), 0..6),
        caret,
        size,
    )
        .prop_map(move |(finished, live, caret, size)| Step {
            caret: caret
                .filter(|_| !live.is_empty())
                .map(|(row, column)| (row % live.len().max(1), column)),
            finished,
            live,
            size: size.filter(|_| sizes),
        })
}

fn play<E: Emulator>(steps: &[Step], wide: usize) -> Desk<E> {
    let mut desk: Desk<E> = Desk::of(Size {
        columns: wide,
        rows: 12,
    });
    let mut count = 0;
    for step in steps {
        if let Some((columns, rows)) = step.size {
            desk.resize(Size { columns, rows });
        }
        let mut finished = Vec::new();
        for words in &step.finished {
            finished.push(text(&format!("F{count}. {words}")).unbroken());
            count += 1;
        }
        let lines: Vec<Line> = step
            .live
            .iter()
            .map(|words| text(&format!("L{words}")))
            .collect();
        let caret = step.caret.map(|(row, column)| {
            let line = lines[row].clone().cut(desk.size.columns).plain();
            (row, on_a_cell(&line, column.min(desk.size.columns - 1)))
        });
        desk.draw(&finished, Frame { lines, caret });
        desk.check_live();
    }
    desk
}

/// A draw of a stream: the cursor waits at the top, and the live area changes
/// at every one.
#[derive(Debug, Clone)]
struct Beat {
    finished: Vec<String>,
    live: Vec<String>,
    after: u64,
    /// Another width of the terminal, and how many draws pass before it is told.
    width: Option<(usize, usize)>,
}

fn beat() -> impl Strategy<Value = Beat> {
    let width = prop_oneof![2 => Just(None), 1 => (24..100_usize, 0..4_usize).prop_map(Some)];
    (
        vec(words(false, 20), 0..3),
        vec(words(false, 20), 1..5),
        1..150_u64,
        width,
    )
        .prop_map(|(finished, live, after, width)| Beat {
            finished,
            live,
            after,
            width,
        })
}

fn stream(beats: &[Beat]) -> Desk<Wrapping> {
    let size = Size {
        columns: 80,
        rows: 24,
    };
    let mut desk: Desk<Wrapping> = Desk::of(size);
    let mut told = None;
    let mut count = 0;
    for beat in beats {
        if let Some((columns, late)) = beat.width.filter(|_| told.is_none()) {
            desk.terminal.resize(Size { columns, ..size });
            told = Some((columns, late));
        }
        desk.pace = Duration::from_millis(beat.after);
        told = match told {
            Some((columns, 0)) => {
                desk.size.columns = columns;
                None
            }
            Some((columns, late)) => Some((columns, late - 1)),
            None => None,
        };
        let finished = beat.finished.iter().map(|words| {
            count += 1;
            text(&format!("F{count}. {words}")).unbroken()
        });
        let finished: Vec<Line> = finished.collect();
        let live = beat.live.iter().map(|words| text(&format!("L{words}")));
        desk.draw(&finished, Frame::of(live.collect()));
    }
    if let Some((columns, _)) = told {
        desk.size.columns = columns;
    }
    desk.draw(&[], Frame::of(vec![text("L")]));
    desk
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn any_draws_leave_every_line_once_where_rows_wrap(steps in vec(step(false, 30, false), 1..12)) {
        play::<Wrapping>(&steps, 40).check_all();
    }

    /// Twelve pieces never fill the row, whatever the terminal makes of them: this
    /// one cannot switch autowrap off.
    #[test]
    fn any_draws_leave_every_line_once_where_rows_are_cut(steps in vec(step(true, 12, false), 1..12)) {
        play::<Cutting>(&steps, 150).check_all();
    }

    #[test]
    fn any_resizes_leave_every_finished_line_once_where_rows_wrap(steps in vec(step(false, 20, true), 1..15)) {
        play::<Wrapping>(&steps, 40).check_finished();
    }

    /// Neither a half line nor a row of a live area is left, whenever the new
    /// width is told.
    #[test]
    fn a_stream_with_the_cursor_at_the_top_leaves_nothing_but_its_lines(beats in vec(beat(), 1..25)) {
        stream(&beats).check_all();
    }

    #[test]
    fn any_resizes_leave_every_finished_line_once_where_rows_are_cut(steps in vec(step(false, 20, true), 1..15)) {
        play::<Cutting>(&steps, 40).check_finished();
    }
}
