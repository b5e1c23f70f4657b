//! Builds the bytes of one draw: relative moves, styles, rows. What is to be
//! drawn where is decided by the screen.

use super::Look;
use super::live::Row;
use super::measure;
use crate::text::{Band, Line, Span, Style};
use std::fmt::Write as _;

/// Whether a row that looks the same is written all the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Same {
    Kept,
    Rewritten,
}

#[derive(Debug)]
pub(super) struct Painter {
    out: String,
    look: Look,
    /// The row of the live area on which the cursor is.
    at: usize,
    autowrap: Autowrap,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Autowrap {
    On,
    Off,
}

impl Painter {
    /// The cursor is hidden and the terminal asked to show nothing in between.
    pub(super) fn begin(look: &Look, at: usize) -> Self {
        Self {
            out: String::from("\x1b[?2026h\x1b[?25l"),
            look: look.clone(),
            at,
            autowrap: Autowrap::On,
        }
    }

    pub(super) fn end(mut self, caret: Option<(usize, usize)>) -> String {
        self.autowrap(Autowrap::On);
        if caret.is_some() {
            self.out.push_str("\x1b[?25h");
        }
        self.out.push_str("\x1b[?2026l");
        self.out
    }

    pub(super) fn raw(&mut self, sequence: &str) {
        self.out.push_str(sequence);
    }

    /// To a row of the live area. Down by line feeds: unlike the sequence for it
    /// they are never cut short at the last row of the screen, so that our count
    /// stays right even if the terminal is smaller than we know.
    pub(super) fn go(&mut self, row: usize) {
        self.up(self.at.saturating_sub(row));
        for _ in self.at..row {
            self.out.push('\n');
        }
        self.at = row;
    }

    fn up(&mut self, rows: usize) {
        match rows {
            0 => {}
            1 => self.out.push_str("\x1b[A"),
            rows => _ = write!(self.out, "\x1b[{rows}A"),
        }
    }

    fn column(&mut self, column: usize) {
        self.out.push('\r');
        match column {
            0 => {}
            1 => self.out.push_str("\x1b[C"),
            column => _ = write!(self.out, "\x1b[{column}C"),
        }
    }

    /// Up so many rows, to where the live area begins, and nothing remains of it.
    pub(super) fn wipe(&mut self, up: usize) {
        self.up(up);
        self.erase_down();
        self.at = 0;
    }

    /// From this row on, with the cursor at its beginning. The row by itself and
    /// the rest from its second column on: what is erased from the first cell of
    /// the screen on tmux puts into the scrollback, and the live area may begin
    /// there when the screen is lower than we know.
    fn erase_down(&mut self) {
        self.out.push_str("\r\x1b[K\x1b[C\x1b[J\r");
    }

    /// Finished lines on empty rows; the live area begins below them.
    pub(super) fn append(&mut self, lines: &[Line]) {
        self.autowrap(Autowrap::On);
        for line in lines {
            self.line(line);
            self.out.push_str("\r\n");
        }
    }

    /// Finished lines of one row each, between what was said and the live area,
    /// which is moved down by the terminal.
    pub(super) fn insert(&mut self, lines: &[Line], height: usize) {
        let last = height.saturating_sub(1);
        self.autowrap(Autowrap::On);
        self.go(last);
        for _ in lines {
            self.out.push('\n');
        }
        self.up(last + lines.len());
        self.out.push('\r');
        match lines.len() {
            1 => self.out.push_str("\x1b[L"),
            count => _ = write!(self.out, "\x1b[{count}L"),
        }
        for (at, line) in lines.iter().enumerate() {
            if at > 0 {
                self.out.push_str("\r\n");
            }
            self.line(line);
        }
        self.out.push('\n');
        self.at = 0;
    }

    /// Makes the old rows into the new ones.
    pub(super) fn change(&mut self, old: &[Row], new: &[Row], same: Same) {
        for (at, row) in new.iter().enumerate() {
            match old.get(at) {
                Some(before) if before == row && same == Same::Kept => {}
                Some(before) => {
                    self.go(at);
                    self.rewrite(before, row, same);
                }
                None => {
                    if at > 0 {
                        self.go(at - 1);
                        self.out.push_str("\r\n");
                        self.at = at;
                    }
                    self.autowrap(Autowrap::Off);
                    self.line(&row.line);
                }
            }
        }
        if old.len() > new.len() {
            self.go(new.len());
            self.erase_down();
        }
    }

    /// From the first cell that differs on. Behind a text that fills the row
    /// nothing is erased: the cursor still stands on its last cell there.
    fn rewrite(&mut self, before: &Row, row: &Row, same: Same) {
        self.autowrap(Autowrap::Off);
        match (before.sure, row.sure, same) {
            (Some(old), Some(new), Same::Kept)
                if before.line.band == Band::None && row.line.band == Band::None =>
            {
                let kept = shared(&before.line, &row.line);
                self.column(kept);
                self.line_from(&row.line, kept);
                if new < old {
                    self.out.push_str("\x1b[K");
                }
            }
            _ => {
                self.out.push_str("\r\x1b[K");
                self.line(&row.line);
            }
        }
    }

    /// The cursor where the caret is. Behind characters of uncertain width it is
    /// led there by the text itself.
    pub(super) fn place(&mut self, rows: &[Row], (row, column): (usize, usize)) {
        self.go(row);
        let Some(line) = rows.get(row).map(|row| &row.line) else {
            return self.column(column);
        };
        let before = head(line, column);
        if measure::sure(&before).is_some() {
            self.column(column);
        } else {
            self.autowrap(Autowrap::Off);
            self.out.push('\r');
            self.line(&before);
            let rest = column.saturating_sub(before.width());
            if rest > 0 {
                let _ = write!(self.out, "\x1b[{rest}C");
            }
        }
    }

    fn autowrap(&mut self, wanted: Autowrap) {
        if self.autowrap != wanted {
            self.autowrap = wanted;
            self.out.push_str(match wanted {
                Autowrap::On => "\x1b[?7h",
                Autowrap::Off => "\x1b[?7l",
            });
        }
    }

    /// On an empty row, with the cursor at its beginning.
    pub(super) fn line(&mut self, line: &Line) {
        self.ground(line.band);
        self.line_from(line, 0);
    }

    /// The background goes first: behind a text that fills the row the cursor
    /// stands on its last cell.
    fn ground(&mut self, band: Band) {
        let ground = match band {
            Band::None => String::new(),
            band => self.look.theme.ground(band, self.look.depth),
        };
        if !ground.is_empty() {
            let _ = write!(self.out, "\x1b[{ground}m\x1b[K\x1b[0m");
        }
    }

    /// What of a line lies from a column on; all before is of certain width.
    fn line_from(&mut self, line: &Line, column: usize) {
        let mut skipped = column;
        let mut current = String::new();
        for span in &line.spans {
            let mut text = span.text();
            if skipped > 0 {
                let (head, tail) = crate::text::split_at(text, skipped);
                skipped -= crate::text::width(head).min(skipped);
                text = tail;
            }
            if text.is_empty() {
                continue;
            }
            self.style(&mut current, span.style);
            self.out.push_str(text);
        }
        if !current.is_empty() {
            self.out.push_str("\x1b[0m");
        }
    }

    fn style(&mut self, current: &mut String, style: Style) {
        let wanted = self.look.theme.sgr(style, self.look.depth);
        if wanted == *current {
            return;
        }
        let _ = match (current.is_empty(), wanted.is_empty()) {
            (true, _) => write!(self.out, "\x1b[{wanted}m"),
            (false, true) => write!(self.out, "\x1b[0m"),
            (false, false) => write!(self.out, "\x1b[0;{wanted}m"),
        };
        *current = wanted;
    }
}

/// What of a line lies before a column.
fn head(line: &Line, columns: usize) -> Line {
    let mut left = columns;
    let mut spans = Vec::new();
    for span in &line.spans {
        let (head, tail) = crate::text::split_at(span.text(), left);
        left -= crate::text::width(head).min(left);
        spans.push(Span::new(span.style, head));
        if !tail.is_empty() {
            break;
        }
    }
    Line::of(spans)
}

/// The columns at the beginning in which two lines are the same. Both are of
/// certain width, so that a character is a cell or two and nothing joins.
fn shared(old: &Line, new: &Line) -> usize {
    fn cells(line: &Line) -> impl Iterator<Item = (Style, char)> {
        let spans = line.spans.iter();
        spans.flat_map(|span| span.text().chars().map(|c| (span.style, c)))
    }
    let mut columns = 0;
    for (before, after) in cells(old).zip(cells(new)) {
        if before != after {
            break;
        }
        let mut bytes = [0; 4];
        columns += crate::text::grapheme_width(after.1.encode_utf8(&mut bytes));
    }
    columns
}
