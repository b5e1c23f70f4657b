//! Two terminals to draw on: one wraps its rows when it gets narrower, the other
//! cuts them. What is asked of them is the same.

#![expect(
    clippy::expect_used,
    reason = "in a test the panic is the report, also in functions that tests share"
)]

use std::num::NonZeroU16;
use tenon_tui::screen::{Look, Reflow};
use tenon_tui::text::Size;
use tenon_tui::theme::{Depth, Ground, Theme};

pub trait Emulator {
    const REFLOW: Reflow;
    fn of(size: Size) -> Self;
    fn feed(&mut self, bytes: &[u8]);
    fn resize(&mut self, size: Size);
    /// The lines of scrollback and screen; rows that the terminal wrapped are one.
    fn lines(&mut self) -> Vec<String>;
    /// The rows of the screen.
    fn rows(&self) -> Vec<String>;
    /// Row and column, if it is shown.
    fn cursor(&self) -> Option<(usize, usize)>;
    /// What stands left of the cursor.
    fn left_of_cursor(&self) -> String;
}

pub fn look(reflow: Reflow) -> Look {
    Look {
        theme: Theme::named("ansi", Ground::Dark),
        depth: Depth::Sixteen,
        reflow,
    }
}

pub struct Wrapping(pub avt::Terminal);

impl Emulator for Wrapping {
    const REFLOW: Reflow = Reflow::Wraps;

    fn of(size: Size) -> Self {
        let terminal = avt::Terminal::with_scrollback(size.columns, size.rows, None);
        Self(terminal.expect("a size"))
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.0.feed(std::str::from_utf8(bytes).expect("text"));
    }

    fn resize(&mut self, size: Size) {
        self.0.resize(size.columns, size.rows);
    }

    fn lines(&mut self) -> Vec<String> {
        ended(self.0.primary_screen().text())
    }

    fn rows(&self) -> Vec<String> {
        let rows = self.0.screen().visible_lines();
        rows.map(|row| row.text().trim_end().to_owned()).collect()
    }

    fn cursor(&self) -> Option<(usize, usize)> {
        let (column, row) = self.0.cursor().position()?;
        Some((row, column))
    }

    fn left_of_cursor(&self) -> String {
        let cursor = self.0.cursor();
        let row = self.0.screen().line(cursor.row).expect("a row");
        let mut left = String::new();
        let mut column = 0;
        for c in row.chars() {
            if column >= cursor.col {
                break;
            }
            left.push(c);
            column += tenon_tui::text::width(&c.to_string()).max(1);
        }
        left.trim_end().to_owned()
    }
}

pub struct Cutting(pub vt100::Parser);

fn cells(count: usize) -> NonZeroU16 {
    u16::try_from(count)
        .ok()
        .and_then(NonZeroU16::new)
        .expect("a size")
}

impl Emulator for Cutting {
    const REFLOW: Reflow = Reflow::Cuts;

    fn of(size: Size) -> Self {
        Self(vt100::Parser::new(
            cells(size.rows),
            cells(size.columns),
            100_000,
        ))
    }

    fn feed(&mut self, bytes: &[u8]) {
        self.0.process(bytes);
    }

    fn resize(&mut self, size: Size) {
        self.0.set_size(cells(size.rows), cells(size.columns));
    }

    fn lines(&mut self) -> Vec<String> {
        let screen = self.0.screen_mut();
        let columns = screen.size().1.get();
        let mut lines = Vec::new();
        let mut line = String::new();
        let mut add = |text: String, wrapped: bool| {
            line.push_str(&text);
            if !wrapped {
                lines.push(std::mem::take(&mut line).trim_end().to_owned());
            }
        };
        for above in (1..=screen.scrollback_len()).rev() {
            screen.set_scrollback(above);
            let text = screen.rows(0, columns).next().unwrap_or_default();
            add(text, screen.row_wrapped(0));
        }
        screen.set_scrollback(0);
        for (at, text) in (0..).zip(screen.rows(0, columns)) {
            add(text, screen.row_wrapped(at));
        }
        ended(lines)
    }

    fn rows(&self) -> Vec<String> {
        let screen = self.0.screen();
        let rows = screen.rows(0, screen.size().1.get());
        rows.map(|row| row.trim_end().to_owned()).collect()
    }

    fn cursor(&self) -> Option<(usize, usize)> {
        let screen = self.0.screen();
        let (row, column) = screen.cursor_position();
        (!screen.hide_cursor()).then_some((usize::from(row), usize::from(column)))
    }

    fn left_of_cursor(&self) -> String {
        let screen = self.0.screen();
        let (row, column) = screen.cursor_position();
        let left = screen.rows(0, column).nth(usize::from(row));
        left.unwrap_or_default().trim_end().to_owned()
    }
}

fn ended(mut lines: Vec<String>) -> Vec<String> {
    while lines.last().is_some_and(String::is_empty) {
        lines.pop();
    }
    lines
}
