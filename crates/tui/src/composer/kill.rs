//! What was cut, to be put back elsewhere: a ring, the newest first. Not the
//! clipboard of the system.

use std::collections::VecDeque;

const KEPT: usize = 32;
/// Bytes that all of them may hold; the newest is kept at any size.
const BYTES: usize = 8 * 1024 * 1024;

/// On which side of the caret the cut text stood.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Before,
    After,
}

/// Whether a cut goes on with the one just before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Run {
    New,
    Continued,
}

#[derive(Debug, Default)]
pub(super) struct Kills {
    ring: VecDeque<String>,
}

impl Kills {
    /// Cuts in a row are one text, in the order in which they stood.
    pub(super) fn add(&mut self, text: &str, side: Side, run: Run) {
        if text.is_empty() {
            return;
        }
        match (self.ring.front_mut(), run, side) {
            (Some(newest), Run::Continued, Side::Before) => newest.insert_str(0, text),
            (Some(newest), Run::Continued, Side::After) => newest.push_str(text),
            _ => {
                self.ring.push_front(text.to_owned());
                self.ring.truncate(KEPT);
            }
        }
        let size = |ring: &VecDeque<String>| ring.iter().map(String::len).sum::<usize>();
        while self.ring.len() > 1 && size(&self.ring) > BYTES {
            self.ring.pop_back();
        }
    }

    pub(super) fn newest(&self) -> Option<&str> {
        self.ring.front().map(String::as_str)
    }

    /// Turns the ring: the one before the newest is the newest then.
    pub(super) fn turn(&mut self) -> Option<&str> {
        let newest = self.ring.pop_front()?;
        self.ring.push_back(newest);
        self.newest()
    }

    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.ring.iter().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cuts_in_a_row_are_one_text_and_the_ring_turns() {
        let mut kills = Kills::default();
        kills.add("b", Side::Before, Run::New);
        kills.add("a", Side::Before, Run::Continued);
        kills.add("c", Side::After, Run::Continued);
        assert_eq!(kills.newest(), Some("abc"));
        kills.add("x", Side::After, Run::New);
        assert_eq!(kills.newest(), Some("x"));
        assert_eq!(kills.turn(), Some("abc"));
        assert_eq!(kills.turn(), Some("x"));
    }

    #[test]
    fn the_ring_is_bounded_by_number_and_by_size() {
        let mut kills = Kills::default();
        for _ in 0..100 {
            kills.add("x", Side::After, Run::New);
        }
        assert_eq!(kills.ring.len(), KEPT);
        let large = "x".repeat(BYTES);
        kills.add(&large, Side::After, Run::New);
        kills.add(&large, Side::After, Run::Continued);
        assert_eq!(kills.ring.len(), 1, "the newest stays at any size");
    }
}
