//! What comes right behind a marked paste. A clipboard may hold the mark of its own
//! end, and then the rest of it arrives as keys: they are a part of the paste, not a
//! word of the user. So are keys of the same read, and keys that come sooner than a
//! hand could turn to them; only a key of its own acts.

use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::{Duration, Instant};

/// Keys that come sooner behind a paste are a part of it.
const CLOSE: Duration = Duration::from_millis(50);

/// How a key was found.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Arrived {
    /// It was there when it was looked for: it may have come with what stood before.
    Already,
    /// It was waited for.
    Now,
}

/// Open behind a paste, until nothing has come for a while.
#[derive(Debug, Default)]
pub(super) struct Tail {
    last: Option<Instant>,
}

impl Tail {
    /// A paste came, or a part of one.
    pub(super) fn pasted(&mut self, now: Instant) {
        self.last = Some(now);
    }

    pub(super) fn is_open(&self) -> bool {
        self.last.is_some()
    }

    /// Nothing is there to be read.
    pub(super) fn quiet(&mut self, now: Instant) {
        if self.is_over(now) {
            self.last = None;
        }
    }

    fn is_over(&self, now: Instant) -> bool {
        self.last
            .is_none_or(|last| now.saturating_duration_since(last) > CLOSE)
    }

    /// Whether a key is a part of the paste.
    pub(super) fn has(&mut self, arrived: Arrived, now: Instant) -> bool {
        let is_part = match arrived {
            Arrived::Already => self.is_open(),
            Arrived::Now => !self.is_over(now),
        };
        self.last = is_part.then_some(now);
        is_part
    }
}

/// The text that a key of a paste is; none for one that is no text.
pub(super) fn text_of(key: &KeyEvent) -> Option<char> {
    if key.kind == KeyEventKind::Release {
        return None;
    }
    match (key.code, key.modifiers) {
        (KeyCode::Char(c), KeyModifiers::NONE | KeyModifiers::SHIFT) => Some(c),
        (KeyCode::Char('j'), KeyModifiers::CONTROL) | (KeyCode::Enter, KeyModifiers::NONE) => {
            Some('\n')
        }
        (KeyCode::Tab, KeyModifiers::NONE) => Some('\t'),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_a_paste_is_a_part_of_it_until_nothing_comes_for_a_while() {
        let start = Instant::now();
        let at = |ms| start + Duration::from_millis(ms);
        let mut tail = Tail::default();
        assert!(!tail.has(Arrived::Already, start), "there was no paste");
        tail.pasted(start);
        assert!(tail.has(Arrived::Already, at(900)), "of the same read");
        assert!(tail.has(Arrived::Now, at(940)), "within the time");
        assert!(tail.has(Arrived::Now, at(990)), "behind that one");
        assert!(!tail.has(Arrived::Now, at(1041)), "a key of its own");
        assert!(!tail.is_open(), "and so are all that follow it");
        tail.pasted(at(2000));
        tail.quiet(at(2050));
        assert!(tail.is_open());
        tail.quiet(at(2051));
        assert!(!tail.is_open());
    }
}
