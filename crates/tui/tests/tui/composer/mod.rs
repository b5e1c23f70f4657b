//! The composer as a user meets it: keys go in, a view comes out.
//!
//! Keys are written as they are typed, special ones in angle brackets:
//! `ab<Left><C-w><A-Enter>`. What is seen is written with `|` at the caret.

#![expect(
    clippy::expect_used,
    reason = "what is not there fails the test, also in the functions around tests"
)]

mod burst;
mod caret;
mod complete;
mod history;
mod keys;
mod model;
mod paste;
mod scale;
mod shell;
mod vim;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use std::time::{Duration, Instant};
use tenon_tui::composer::{Composer, Typed};
use tenon_tui::house::Keys;
use tenon_tui::text::{Frame, split_at};

/// A composer, and a clock for fingers.
pub struct Desk {
    pub composer: Composer,
    pub now: Instant,
}

impl Desk {
    pub fn new() -> Self {
        Self::with(Keys::Emacs, &[])
    }

    pub fn vim() -> Self {
        Self::with(Keys::Vim, &[])
    }

    pub fn with(keys: Keys, history: &[&str]) -> Self {
        let history = history.iter().map(|entry| (*entry).to_owned()).collect();
        Self {
            composer: Composer::new(keys, history),
            now: Instant::now(),
        }
    }

    /// Types at the speed of fingers; gives what the last key did.
    pub fn keys(&mut self, keys: &str) -> Typed {
        let mut last = Typed::Taken;
        for key in read(keys) {
            self.now += Duration::from_millis(60);
            last = self.composer.key(key, self.now);
        }
        last
    }

    /// What is seen on a wide screen, with the caret in it.
    pub fn seen(&self) -> String {
        with_caret(&self.composer.view(120, 100))
    }

    pub fn on(&self, columns: usize, rows: usize) -> String {
        with_caret(&self.composer.view(columns, rows))
    }
}

pub fn plain(frame: &Frame) -> Vec<String> {
    frame.lines.iter().map(|line| line.plain()).collect()
}

/// The rows without their marks, the caret as `|`.
pub fn with_caret(frame: &Frame) -> String {
    let (row, column) = frame.caret.expect("the caret is seen");
    let rows: Vec<String> = plain(frame)
        .into_iter()
        .enumerate()
        .map(|(at, text)| {
            if at != row {
                return text[2..].to_owned();
            }
            let (before, after) = split_at(&text, column);
            match before.get(2..) {
                Some(before) => format!("{before}|{after}"),
                None => format!("|{text}"),
            }
        })
        .collect();
    rows.join("\n")
}

pub fn read(keys: &str) -> Vec<KeyEvent> {
    let mut found = Vec::new();
    let mut rest = keys;
    while let Some(c) = rest.chars().next() {
        let name = rest
            .strip_prefix('<')
            .and_then(|inner| inner.split_once('>'))
            .filter(|(name, _)| name.len() > 1);
        match name {
            Some((name, after)) => {
                found.push(named(name));
                rest = after;
            }
            None => {
                found.push(KeyEvent::new(KeyCode::Char(c), KeyModifiers::NONE));
                rest = &rest[c.len_utf8()..];
            }
        }
    }
    found
}

fn named(name: &str) -> KeyEvent {
    let mut modifiers = KeyModifiers::NONE;
    let mut rest = name;
    while let Some((modifier, after)) = rest.split_once('-').filter(|(_, after)| !after.is_empty())
    {
        modifiers |= match modifier {
            "C" => KeyModifiers::CONTROL,
            "A" => KeyModifiers::ALT,
            "S" => KeyModifiers::SHIFT,
            "M" => KeyModifiers::SUPER,
            _ => panic!("no such modifier: {name}"),
        };
        rest = after;
    }
    let code = match rest {
        "Enter" => KeyCode::Enter,
        "Esc" => KeyCode::Esc,
        "Tab" => KeyCode::Tab,
        "BackTab" => KeyCode::BackTab,
        "BS" => KeyCode::Backspace,
        "Del" => KeyCode::Delete,
        "Left" => KeyCode::Left,
        "Right" => KeyCode::Right,
        "Up" => KeyCode::Up,
        "Down" => KeyCode::Down,
        "Home" => KeyCode::Home,
        "End" => KeyCode::End,
        "PgUp" => KeyCode::PageUp,
        "PgDn" => KeyCode::PageDown,
        "F1" => KeyCode::F(1),
        one => KeyCode::Char(one.chars().next().expect("a key")),
    };
    KeyEvent::new(code, modifiers)
}

/// A table: keys, and what is seen then.
pub fn table(rows: &[(&str, &str)]) {
    for (keys, seen) in rows {
        let mut desk = Desk::new();
        desk.keys(keys);
        assert_eq!(desk.seen(), *seen, "{keys}");
    }
}
