//! The text on the screen: which rows are seen, where the caret's cell is, and
//! what a key that moves by rows means. Only the rows that are seen are laid out.

use super::Aim;
use super::buffer::{Place, graphemes, part};
use super::edit::Desk;
use super::shown::{Shown, Sort, shown};
use super::wrap::Layouts;
use crate::text::{Frame, Line, Role, Span, Style};
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

/// `> ` before the first row and spaces before the others; `! ` before every row
/// of what is for the shell.
const MARK: usize = 2;

/// A row of the screen: a line of the text, and which of its rows.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
struct Row {
    line: usize,
    row: usize,
}

/// What is remembered from one frame to the next.
#[derive(Debug)]
pub(super) struct Sight {
    /// The row at the top.
    top: Cell<Row>,
    columns: Cell<usize>,
}

impl Default for Sight {
    fn default() -> Self {
        Self {
            top: Cell::default(),
            columns: Cell::new(80),
        }
    }
}

/// Beside the text itself.
#[derive(Debug)]
pub(super) struct Dress {
    /// What a search has found.
    pub(super) found: Option<Range<Place>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Way {
    Up,
    Down,
}

/// Very narrow screens have no column to spare for a mark, unless it is the
/// shell's.
fn mark_width(columns: usize, aim: Aim) -> usize {
    match aim {
        _ if columns >= MARK + 2 => MARK,
        Aim::Shell if columns > MARK => 1,
        Aim::Shell | Aim::Model => 0,
    }
}

impl Sight {
    pub(super) fn view(&self, desk: &Desk, dress: &Dress, columns: usize, rows: usize) -> Frame {
        let columns = columns.max(1);
        self.columns.set(columns);
        if rows == 0 {
            return Frame::default();
        }
        let pane = Pane::new(desk, columns);
        if desk.buffer.is_empty() {
            self.top.set(Row::default());
            return pane.blank();
        }
        let caret = pane.row_of(desk.caret);
        let top = pane.scroll(self.top.get(), caret, rows);
        self.top.set(top);
        let mut frame = Frame::default();
        let mut row = Some(top);
        while let Some(at) = row.filter(|_| frame.lines.len() < rows) {
            if at == caret {
                frame.caret = Some((frame.lines.len(), pane.caret_column(at)));
            }
            frame.lines.push(pane.draw(at, dress));
            row = pane.below(at);
        }
        frame
    }

    /// The place one row further, aiming at a column; none beyond the text.
    pub(super) fn vertical(&self, desk: &Desk, way: Way, goal: usize) -> Option<Place> {
        let pane = Pane::new(desk, self.columns.get());
        let row = pane.row_of(desk.caret);
        let next = match way {
            Way::Up => (row > Row::default()).then(|| pane.back(row, 1))?,
            Way::Down => pane.below(row)?,
        };
        Some(pane.place(next, goal))
    }

    /// The column of the caret inside its row's text.
    pub(super) fn column(&self, desk: &Desk) -> usize {
        let pane = Pane::new(desk, self.columns.get());
        let row = pane.row_of(desk.caret);
        pane.column_of(row, desk.caret.byte)
    }
}

/// The text at one width.
struct Pane<'a> {
    desk: &'a Desk,
    columns: usize,
    mark: usize,
    room: usize,
}

impl<'a> Pane<'a> {
    fn new(desk: &'a Desk, columns: usize) -> Self {
        let mark = mark_width(columns, desk.aim);
        let room = columns.saturating_sub(mark + 1).max(1);
        desk.layouts.borrow_mut().fit(room);
        Self {
            desk,
            columns,
            mark,
            room,
        }
    }

    fn ask<T>(&self, line: usize, question: impl FnOnce(&mut Layouts, &str) -> T) -> T {
        question(
            &mut self.desk.layouts.borrow_mut(),
            self.desk.buffer.line(line),
        )
    }

    fn row_of(&self, at: Place) -> Row {
        let row = self.ask(at.line, |layouts, text| {
            layouts.row_of(at, text, &self.desk.pastes)
        });
        Row { line: at.line, row }
    }

    fn bounds(&self, row: Row) -> Option<(usize, Option<usize>)> {
        self.ask(row.line, |layouts, text| {
            layouts.row(row.line, row.row, text, &self.desk.pastes)
        })
    }

    fn last_row(&self, line: usize) -> Row {
        let count = self.ask(line, |layouts, text| {
            layouts.count(line, text, &self.desk.pastes)
        });
        Row {
            line,
            row: count.saturating_sub(1),
        }
    }

    fn below(&self, row: Row) -> Option<Row> {
        let (_, next) = self.bounds(row)?;
        if next.is_some() {
            let row = Row {
                row: row.row + 1,
                ..row
            };
            return Some(row);
        }
        let line = row.line + 1;
        (line < self.desk.buffer.count()).then_some(Row { line, row: 0 })
    }

    /// So many rows further up, or the first.
    fn back(&self, row: Row, by: usize) -> Row {
        let mut row = row;
        let mut left = by;
        while left > row.row {
            if row.line == 0 {
                return Row::default();
            }
            left -= row.row + 1;
            row = self.last_row(row.line - 1);
        }
        row.row -= left;
        row
    }

    /// The row at the top so that the caret is seen, nothing is moved without
    /// need, and no row stays empty while there is text.
    fn scroll(&self, top: Row, caret: Row, rows: usize) -> Row {
        let mut top = top;
        if self.bounds(top).is_none() {
            top = caret;
        }
        top = top.min(caret).max(self.back(caret, rows - 1));
        let mut seen = 1;
        let mut row = top;
        while seen < rows {
            match self.below(row) {
                Some(next) => row = next,
                None => return self.back(top, rows - seen),
            }
            seen += 1;
        }
        top
    }

    /// The graphemes of a row, each with where it stands in its line and the
    /// column where it begins.
    fn cells(&self, row: Row) -> impl Iterator<Item = (usize, usize, Shown<'a>)> {
        let text = self.desk.buffer.line(row.line);
        let (from, next) = self.bounds(row).unwrap_or((text.len(), None));
        let mut column = 0;
        let (room, pastes) = (self.room, &self.desk.pastes);
        let row = part(text, 0..next.unwrap_or(text.len()));
        graphemes(row, from).map(move |(at, grapheme)| {
            let cell = shown(grapheme, column, room, pastes);
            let begins = column;
            let cell = hang(cell, begins, room);
            column += cell.width;
            (at, begins, cell)
        })
    }

    fn column_of(&self, row: Row, byte: usize) -> usize {
        self.cells(row)
            .take_while(|(at, _, _)| *at < byte)
            .last()
            .map_or(0, |(_, begins, cell)| begins + cell.width)
    }

    fn caret_column(&self, row: Row) -> usize {
        let caret = self.desk.caret;
        (self.mark + self.column_of(row, caret.byte)).min(self.columns - 1)
    }

    /// The place in a row whose column is nearest before the one aimed at.
    fn place(&self, row: Row, goal: usize) -> Place {
        let text = self.desk.buffer.line(row.line);
        let (from, next) = self.bounds(row).unwrap_or((0, None));
        let mut byte = from;
        for (at, begins, cell) in self.cells(row) {
            byte = at;
            if begins + cell.width > goal {
                return Place::new(row.line, byte);
            }
        }
        // The end of a row that goes on is the beginning of the next.
        let byte = if next.is_none() { text.len() } else { byte };
        Place::new(row.line, byte)
    }

    fn draw(&self, row: Row, dress: &Dress) -> Line {
        let mut pieces: Vec<(Style, String)> = Vec::new();
        for (at, _, cell) in self.cells(row) {
            let place = Place::new(row.line, at);
            let found = dress
                .found
                .as_ref()
                .is_some_and(|found| found.contains(&place));
            let style = match cell.sort {
                _ if found => Style::from(Role::Match),
                Sort::Paste => Style::from(Role::Accent),
                Sort::Text => Style::from(Role::Text),
            };
            match pieces.last_mut() {
                Some((last, text)) if *last == style => text.push_str(&cell.text),
                _ => pieces.push((style, cell.text.into_owned())),
            }
        }
        let spans = pieces.iter().map(|(style, text)| Span::new(*style, text));
        let line = Line::of(self.prefix(row).into_iter().chain(spans));
        // One column has no room for a wide character, nor for one that hangs.
        if self.columns < 2 { line.cut(1) } else { line }
    }

    fn prefix(&self, row: Row) -> Option<Span> {
        if self.mark == 0 {
            return None;
        }
        Some(match (self.desk.aim, row == Row::default()) {
            (Aim::Shell, _) if self.mark < MARK => Span::new(Role::Accent, "!"),
            (Aim::Shell, _) => Span::new(Role::Accent, "! "),
            (Aim::Model, true) => Span::new(Role::User, "> "),
            (Aim::Model, false) => Span::new(Role::Text, "  "),
        })
    }

    fn blank(&self) -> Frame {
        Frame {
            lines: vec![Line::of(self.prefix(Row::default()))],
            caret: Some((0, self.mark.min(self.columns - 1))),
        }
    }
}

/// A space that hangs is as wide as what is left: the one column behind the room.
fn hang(cell: Shown<'_>, begins: usize, room: usize) -> Shown<'_> {
    let left = (room + 1).saturating_sub(begins);
    if cell.width > left && cell.text.chars().all(char::is_whitespace) {
        return Shown {
            text: Cow::Owned(" ".repeat(left)),
            width: left,
            ..cell
        };
    }
    cell
}
