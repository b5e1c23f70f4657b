//! The text as lines, and places in it that lie between graphemes. Knows no
//! screen, no undo and no folded pastes: a paste is one character to it.
//!
//! Lines are strings of their own, so that an edit costs as much as its line is
//! long; a hundred thousand lines cost a move of their handles at most.

use std::ops::Range;
use unicode_segmentation::{GraphemeCursor, UnicodeSegmentation};

/// Between two graphemes: a line, and bytes into it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Place {
    pub(super) line: usize,
    pub(super) byte: usize,
}

impl Place {
    pub(super) fn new(line: usize, byte: usize) -> Self {
        Self { line, byte }
    }

    /// Where a text ends that begins here.
    pub(super) fn after(self, text: &str) -> Self {
        match text.rfind('\n') {
            None => Self::new(self.line, self.byte + text.len()),
            Some(last) => {
                let breaks = text.bytes().filter(|byte| *byte == b'\n').count();
                Self::new(self.line + breaks, text.len() - last - 1)
            }
        }
    }
}

#[derive(Debug)]
pub(super) struct Buffer {
    /// Never empty.
    lines: Vec<String>,
}

impl Default for Buffer {
    fn default() -> Self {
        Self {
            lines: vec![String::new()],
        }
    }
}

impl Buffer {
    pub(super) fn is_empty(&self) -> bool {
        self.lines.len() == 1 && self.line(0).is_empty()
    }

    pub(super) fn count(&self) -> usize {
        self.lines.len()
    }

    pub(super) fn lines(&self) -> &[String] {
        &self.lines
    }

    pub(super) fn line(&self, line: usize) -> &str {
        self.lines.get(line).map_or("", String::as_str)
    }

    pub(super) fn end(&self) -> Place {
        let last = self.lines.len().saturating_sub(1);
        self.line_end(last)
    }

    pub(super) fn line_end(&self, line: usize) -> Place {
        Place::new(line, self.line(line).len())
    }

    /// All of it, with a line feed between lines.
    pub(super) fn text(&self) -> String {
        self.lines.join("\n")
    }

    pub(super) fn slice(&self, range: Range<Place>) -> String {
        let (from, to) = (range.start, range.end);
        if from.line == to.line {
            return part(self.line(from.line), from.byte..to.byte).to_owned();
        }
        let mut text = part_from(self.line(from.line), from.byte).to_owned();
        for line in self.lines.get(from.line + 1..to.line).unwrap_or_default() {
            text.push('\n');
            text.push_str(line);
        }
        text.push('\n');
        text.push_str(part(self.line(to.line), 0..to.byte));
        text
    }

    /// The one way in which the text changes. Gives back what was removed.
    pub(super) fn splice(&mut self, range: Range<Place>, text: &str) -> String {
        let (from, to) = (range.start, range.end);
        let removed = if from == to {
            String::new()
        } else {
            self.slice(range)
        };
        if from.line == to.line && !text.contains('\n') {
            if let Some(line) = self.lines.get_mut(from.line) {
                line.replace_range(from.byte..to.byte, text);
            }
            return removed;
        }
        let tail = part_from(self.line(to.line), to.byte).to_owned();
        let mut head = part(self.line(from.line), 0..from.byte).to_owned();
        let mut pieces = text.split('\n');
        head.push_str(pieces.next().unwrap_or_default());
        let mut fresh = vec![head];
        fresh.extend(pieces.map(str::to_owned));
        if let Some(last) = fresh.last_mut() {
            last.push_str(&tail);
        }
        self.lines.splice(from.line..=to.line, fresh);
        removed
    }

    /// The grapheme behind a place; a line feed counts as one.
    pub(super) fn next(&self, at: Place) -> Option<Place> {
        match self.grapheme_after(at) {
            Some(grapheme) => Some(Place::new(at.line, at.byte + grapheme.len())),
            None => (at.line + 1 < self.lines.len()).then(|| Place::new(at.line + 1, 0)),
        }
    }

    pub(super) fn previous(&self, at: Place) -> Option<Place> {
        if at.byte == 0 {
            return at.line.checked_sub(1).map(|line| self.line_end(line));
        }
        let line = self.line(at.line);
        let mut cursor = GraphemeCursor::new(at.byte, line.len(), true);
        let byte = cursor.prev_boundary(line, 0).ok().flatten().unwrap_or(0);
        Some(Place::new(at.line, byte))
    }

    /// None at the end of a line.
    pub(super) fn grapheme_after(&self, at: Place) -> Option<&str> {
        graphemes(self.line(at.line), at.byte)
            .next()
            .map(|(_, grapheme)| grapheme)
    }

    /// None at the beginning of a line.
    pub(super) fn grapheme_before(&self, at: Place) -> Option<&str> {
        let before = self.previous(at).filter(|before| before.line == at.line)?;
        Some(part(self.line(at.line), before.byte..at.byte))
    }

    /// The nearest place that lies in the text and not inside a grapheme: two
    /// pieces that meet may have become one.
    pub(super) fn snap(&self, at: Place) -> Place {
        let at = at.min(self.end());
        let line = self.line(at.line);
        if at.byte >= line.len() {
            return self.line_end(at.line);
        }
        let mut byte = at.byte;
        while !line.is_char_boundary(byte) {
            byte += 1;
        }
        let mut cursor = GraphemeCursor::new(byte, line.len(), true);
        if cursor.is_boundary(line, 0).unwrap_or(true) {
            return Place::new(at.line, byte);
        }
        let next = cursor.next_boundary(line, 0).ok().flatten();
        Place::new(at.line, next.unwrap_or(line.len()))
    }
}

/// The graphemes of a line from a place on that lies between two, each with
/// where it begins. Letters of ASCII beside each other need no tables.
pub(super) fn graphemes(line: &str, from: usize) -> impl Iterator<Item = (usize, &str)> {
    let mut at = from;
    std::iter::from_fn(move || {
        let rest = line.get(at..)?;
        let grapheme = match rest.as_bytes() {
            [] => return None,
            [first] if first.is_ascii() => rest,
            [first, second, ..] if first.is_ascii() && second.is_ascii() => rest.get(..1)?,
            _ => rest.graphemes(true).next()?,
        };
        let begins = at;
        at += grapheme.len();
        Some((begins, grapheme))
    })
}

/// A part of a text; nothing where there is no such part.
pub(super) fn part(text: &str, range: Range<usize>) -> &str {
    text.get(range).unwrap_or_default()
}

pub(super) fn part_from(text: &str, from: usize) -> &str {
    text.get(from..).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(text: &str) -> Buffer {
        let mut buffer = Buffer::default();
        buffer.splice(Place::default()..Place::default(), text);
        buffer
    }

    #[test]
    fn a_splice_over_lines_keeps_what_is_around() {
        let mut buffer = of("one\ntwo\nthree");
        let removed = buffer.splice(Place::new(0, 2)..Place::new(2, 3), "X\nY");
        assert_eq!(removed, "e\ntwo\nthr");
        assert_eq!(buffer.text(), "onX\nYee");
        assert_eq!(Place::new(0, 2).after("X\nY"), Place::new(1, 1));
    }

    #[test]
    fn a_place_inside_a_grapheme_moves_behind_it() {
        let buffer = of("e\u{301}x");
        assert_eq!(buffer.snap(Place::new(0, 1)), Place::new(0, 3));
        assert_eq!(buffer.snap(Place::new(0, 2)), Place::new(0, 3));
        assert_eq!(buffer.snap(Place::new(9, 9)), Place::new(0, 4));
    }

    #[test]
    fn graphemes_are_walked_whole_in_both_directions() {
        let text = "a👨‍👩‍👧🇩🇪❤️กำक्षि한\n漢";
        let buffer = of(text);
        let mut at = Place::default();
        let mut seen = vec![at];
        while let Some(next) = buffer.next(at) {
            at = next;
            seen.push(at);
        }
        assert_eq!(at, buffer.end());
        let mut back = vec![at];
        while let Some(before) = buffer.previous(at) {
            at = before;
            back.push(at);
        }
        back.reverse();
        assert_eq!(seen, back);
        assert_eq!(seen.len(), text.graphemes(true).count() + 1);
    }
}
