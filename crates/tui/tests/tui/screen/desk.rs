//! A screen, a terminal under it, and what is to be seen on the two.

#![expect(
    clippy::expect_used,
    reason = "in a test the panic is the report, also in functions that tests share"
)]

use crate::emulator::{Emulator, look};
use std::time::{Duration, Instant};
use tenon_tui::screen::Screen;
use tenon_tui::text::{Frame, Line, Role, Size, split_at, width};

/// A screen, the terminal under it, and what should be seen there.
pub struct Desk<E> {
    pub terminal: E,
    pub screen: Screen<Vec<u8>>,
    pub size: Size,
    pub finished: Vec<String>,
    pub live: Frame,
    pub bytes: usize,
    pub now: Instant,
    /// Between two draws.
    pub pace: Duration,
}

impl<E: Emulator> Desk<E> {
    pub fn of(size: Size) -> Self {
        Self {
            terminal: E::of(size),
            screen: Screen::new(Vec::new(), size, look(E::REFLOW)),
            size,
            finished: Vec::new(),
            live: Frame::default(),
            bytes: 0,
            now: Instant::now(),
            pace: Duration::from_millis(100),
        }
    }

    pub fn pass(&mut self) {
        let bytes = std::mem::take(self.screen.out_mut());
        assert_only_allowed(&bytes);
        self.bytes += bytes.len();
        self.terminal.feed(&bytes);
    }

    pub fn draw(&mut self, finished: &[Line], live: Frame) {
        self.finished.extend(
            finished
                .iter()
                .map(|line| line.plain().trim_end().to_owned()),
        );
        self.now += self.pace;
        self.screen
            .draw(self.now, self.size, finished, &live)
            .expect("drawn");
        self.live = live;
        self.pass();
    }

    pub fn resize(&mut self, size: Size) {
        self.size = size;
        self.terminal.resize(size);
    }

    /// All of the live area, if it is not too high.
    fn shown(&self) -> Vec<String> {
        let lines = self.live.lines.iter().cloned();
        let rows = lines.map(|line| line.cut(self.size.columns).plain().trim_end().to_owned());
        rows.collect()
    }

    #[track_caller]
    pub fn check_live(&self) {
        let shown = self.shown();
        let rows = self.terminal.rows();
        if let (Some((row, column)), true) = (self.live.caret, shown.len() < self.size.rows) {
            let (at, _) = self.terminal.cursor().expect("a cursor");
            let top = at.checked_sub(row).expect("rows above the cursor");
            let mut expected = shown.clone();
            expected.resize(rows.len() - top, String::new());
            assert_eq!(&rows[top..], expected, "{rows:#?}");
            let line = self.live.lines[row].clone().cut(self.size.columns).plain();
            let column = column.min(self.size.columns - 1);
            let left = split_at(&line, column).0.trim_end();
            assert_eq!(self.terminal.left_of_cursor(), left);
        } else if self.live.caret.is_none() {
            assert_eq!(self.terminal.cursor(), None);
        }
    }

    /// Nothing else is there, in scrollback and on the screen.
    #[track_caller]
    pub fn check_all(&mut self) {
        self.check_live();
        let mut expected = self.finished.clone();
        expected.extend(self.shown());
        while expected.last().is_some_and(String::is_empty) {
            expected.pop();
        }
        // Before a wide character that did not fit a terminal leaves a gap.
        let packed = |lines: Vec<String>| -> Vec<String> {
            lines.iter().map(|line| line.replace(' ', "")).collect()
        };
        assert_eq!(packed(self.terminal.lines()), packed(expected));
    }

    /// Each finished line once and in order. What remains of a live area that
    /// was pushed out of reach may lie between.
    #[track_caller]
    pub fn check_finished(&mut self) {
        let lines = self.terminal.lines();
        let found: Vec<&str> = lines.iter().flat_map(|line| numbers(line)).collect();
        let expected: Vec<&str> = self
            .finished
            .iter()
            .flat_map(|line| numbers(line))
            .collect();
        assert_eq!(found, expected, "{lines:#?}");
    }
}

/// No text here has an `F` but the beginnings of finished lines. What remains of
/// a live area out of reach may stand before one.
fn numbers(line: &str) -> impl Iterator<Item = &str> {
    line.split('F')
        .skip(1)
        .filter_map(|rest| rest.split('.').next())
}

/// On the main page only: relative moves, erasing to the end, inserting, styles
/// and modes.
#[track_caller]
fn assert_only_allowed(bytes: &[u8]) {
    let text = std::str::from_utf8(bytes).expect("text");
    assert!(
        !text.contains(" \r") && !text.contains(" \x1b[K"),
        "{text:?}"
    );
    for part in text.split('\x1b').skip(1) {
        let body = part.strip_prefix('[').expect("only CSI");
        let end = body
            .find(|c: char| c.is_ascii_alphabetic())
            .expect("an end");
        let (parameters, last) = (&body[..end], &body[end..=end]);
        let fine = match last {
            "A" | "C" | "L" | "m" => !parameters.starts_with('?'),
            "J" | "K" => parameters.is_empty(),
            "h" | "l" => matches!(parameters, "?7" | "?25" | "?2026"),
            _ => false,
        };
        assert!(fine, "CSI {parameters} {last} in {text:?}");
    }
}

pub fn text(words: &str) -> Line {
    Line::new(Role::Text, words)
}

pub fn frame(lines: &[&str], caret: Option<(usize, usize)>) -> Frame {
    let lines = lines.iter().map(|words| text(words)).collect();
    Frame { lines, caret }
}

/// At the start of a character, and no further than the text goes.
pub fn on_a_cell(line: &str, column: usize) -> usize {
    width(split_at(line, column).0)
}
