//! The other page of the terminal, for what wants the whole screen. It has no
//! scrollback and is ours alone: here rows are counted from its top.

use super::Look;
use super::live::Row;
use super::paint::Painter;
use crate::text::{Frame, Size};
use std::fmt::Write as _;

/// What stands on the other page.
#[derive(Debug)]
pub(super) struct Paged {
    /// None if what stands there is not to be relied on.
    size: Option<Size>,
    rows: Vec<Row>,
    caret: Option<(usize, usize)>,
}

impl Paged {
    pub(super) fn forget(&mut self) {
        self.size = None;
    }
}

const ENTER: &str = "\x1b[?1049h";
pub(super) const LEAVE: &str = "\x1b[?1049l";

/// The bytes that make the page show a frame; none if it does already.
pub(super) fn turn(
    before: Option<&Paged>,
    look: &Look,
    size: Size,
    frame: &Frame,
) -> (Paged, Option<String>) {
    let next = fit(size, frame);
    let kept = before.filter(|before| before.size == Some(size));
    if kept.is_some_and(|kept| kept.rows == next.rows && kept.caret == next.caret) {
        return (next, None);
    }
    let mut painter = Painter::begin(look, 0);
    if before.is_none() {
        painter.raw(ENTER);
    }
    painter.raw("\x1b[?7l");
    for at in 0..size.rows {
        let row = next.rows.get(at);
        if kept.is_some_and(|kept| kept.rows.get(at) == row) {
            continue;
        }
        painter.raw(&format!("\x1b[{};1H\x1b[K", at + 1));
        if let Some(row) = row {
            painter.line(&row.line);
        }
    }
    let mut last = String::from("\x1b[?7h");
    if let Some((row, column)) = next.caret {
        let _ = write!(last, "\x1b[{};{}H", row + 1, column + 1);
    }
    painter.raw(&last);
    let bytes = painter.end(next.caret);
    (next, Some(bytes))
}

fn fit(size: Size, frame: &Frame) -> Paged {
    let columns = size.columns.max(1);
    let lines = frame.lines.iter().take(size.rows);
    Paged {
        size: Some(size),
        rows: lines.map(|line| Row::new(line, columns)).collect(),
        caret: frame
            .caret
            .filter(|(row, _)| *row < size.rows)
            .map(|(row, column)| (row, column.min(columns - 1))),
    }
}
