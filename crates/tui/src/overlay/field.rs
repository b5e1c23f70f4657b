//! One line to write in: a filter, a reason, a word to search. The composer is
//! another thing: here is no history, no undo and no second line.

use crate::text::{Role, Span, Style, split_at, width};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use tenon_vocab::Printable;
use unicode_segmentation::UnicodeSegmentation;

/// More is not written in one line, and each frame looks at all of it.
const MOST: usize = 100_000;

#[derive(Debug, Default)]
pub struct Field {
    text: String,
    /// In bytes, between two graphemes.
    caret: usize,
}

/// What a key did.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Edited {
    Changed,
    Moved,
    /// Not a key of a line.
    Passed,
}

/// How much of a paste was taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Taken {
    All,
    Part,
}

impl Field {
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty()
    }

    pub fn set(&mut self, text: &str) {
        text.clone_into(&mut self.text);
        self.caret = self.text.len();
    }

    pub fn clear(&mut self) {
        self.set("");
    }

    pub fn key(&mut self, key: KeyEvent) -> Edited {
        let others = KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
        if key.modifiers.intersects(others) {
            return Edited::Passed;
        }
        // Both together are AltGr, which types a character.
        let alt_gr = KeyModifiers::CONTROL | KeyModifiers::ALT;
        if key.modifiers.contains(alt_gr) {
            return match key.code {
                KeyCode::Char(c) => self.write(c),
                _ => Edited::Passed,
            };
        }
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            return self.control(key.code);
        }
        if key.modifiers.contains(KeyModifiers::ALT) {
            return match key.code {
                KeyCode::Backspace => self.erase(self.word_before()),
                _ => Edited::Passed,
            };
        }
        match key.code {
            KeyCode::Char(c) => self.write(c),
            KeyCode::Backspace => self.erase(self.before()),
            KeyCode::Delete => self.erase_next(),
            KeyCode::Left => self.go(self.before()),
            KeyCode::Right => self.go(self.after()),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(self.text.len()),
            _ => Edited::Passed,
        }
    }

    fn control(&mut self, code: KeyCode) -> Edited {
        match code {
            KeyCode::Char('u') => self.erase(0),
            KeyCode::Char('w') | KeyCode::Backspace => self.erase(self.word_before()),
            KeyCode::Char('h') => self.erase(self.before()),
            KeyCode::Char('d') => self.erase_next(),
            KeyCode::Char('k') => {
                self.text.truncate(self.caret);
                Edited::Changed
            }
            KeyCode::Char('a') => self.go(0),
            KeyCode::Char('e') => self.go(self.text.len()),
            KeyCode::Char('b') => self.go(self.before()),
            KeyCode::Char('f') => self.go(self.after()),
            KeyCode::Left => self.go(self.word_before()),
            _ => Edited::Passed,
        }
    }

    /// Line ends of every kind become one; the line itself is never left by it.
    pub fn paste(&mut self, text: &str) -> Taken {
        let text = text.replace("\r\n", "\n").replace('\r', "\n");
        let room = MOST.saturating_sub(self.text.len());
        let fits = floor(text.trim_end_matches('\n'), room);
        self.insert(fits);
        if fits.len() == text.trim_end_matches('\n').len() {
            Taken::All
        } else {
            Taken::Part
        }
    }

    fn write(&mut self, c: char) -> Edited {
        self.insert(c.encode_utf8(&mut [0; 4]));
        Edited::Changed
    }

    fn insert(&mut self, text: &str) {
        if self.text.len() + text.len() > MOST {
            return;
        }
        self.text.insert_str(self.caret, text);
        self.caret += text.len();
        self.settle();
    }

    /// What was written may have joined with its neighbours to one grapheme: the
    /// caret never stands inside one.
    fn settle(&mut self) {
        self.caret = self
            .text
            .grapheme_indices(true)
            .map(|(at, _)| at)
            .find(|at| *at >= self.caret)
            .unwrap_or(self.text.len());
    }

    fn go(&mut self, to: usize) -> Edited {
        self.caret = to;
        Edited::Moved
    }

    fn erase(&mut self, from: usize) -> Edited {
        if from < self.caret {
            self.text.replace_range(from..self.caret, "");
            self.caret = from;
            self.settle();
        }
        Edited::Changed
    }

    fn erase_next(&mut self) -> Edited {
        self.caret = self.after();
        self.erase(self.before())
    }

    fn head(&self) -> &str {
        self.text.get(..self.caret).unwrap_or_default()
    }

    fn before(&self) -> usize {
        self.head()
            .grapheme_indices(true)
            .next_back()
            .map_or(0, |(at, _)| at)
    }

    fn after(&self) -> usize {
        let rest = self.text.get(self.caret..).unwrap_or_default();
        let next = rest.graphemes(true).next().map_or(0, str::len);
        self.caret + next
    }

    fn word_before(&self) -> usize {
        let head = self.head().trim_end();
        head.char_indices()
            .rev()
            .find(|(_, c)| c.is_whitespace())
            .map_or(0, |(at, c)| at + c.len_utf8())
    }

    /// The part around the caret that fits, and the column of the caret in it.
    #[must_use]
    pub fn view(&self, style: impl Into<Style>, columns: usize) -> (Span, usize) {
        let whole = Printable::line(&self.text);
        let at = width(Printable::line(self.head()).as_str());
        let style = style.into();
        if columns == 0 {
            return (Span::new(style, ""), 0);
        }
        if width(whole.as_str()) < columns {
            return (Span::new(style, whole.as_str()), at);
        }
        // One column is kept for the caret behind the last character.
        let skip = (at + 1).saturating_sub(columns);
        let (hidden, mut rest) = split_at(whole.as_str(), skip);
        let mut gone = width(hidden);
        if gone < skip {
            // A wide character lay across the edge.
            let (one, behind) = split_at(rest, 2);
            gone += width(one);
            rest = behind;
        }
        let (shown, _) = split_at(rest, columns);
        let caret = at.saturating_sub(gone).min(columns - 1);
        (Span::new(style, shown), caret)
    }
}

/// A line to write in behind what is wanted, and where its caret stands. A label
/// that leaves no room goes.
#[must_use]
pub fn labelled(label: &str, field: &Field, columns: usize) -> (crate::text::Line, usize) {
    let mark = Span::new(Role::Accent, label);
    let before = mark.width();
    if before + 4 > columns {
        let (span, caret) = field.view(Role::Text, columns);
        return (crate::text::Line::of([span]), caret);
    }
    let (span, caret) = field.view(Role::Text, columns - before);
    (crate::text::Line::of([mark, span]), before + caret)
}

/// The longest beginning of at most so many bytes.
fn floor(text: &str, most: usize) -> &str {
    text.get(..text.floor_char_boundary(most))
        .unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn press(code: KeyCode) -> KeyEvent {
        KeyEvent::new(code, KeyModifiers::NONE)
    }

    fn control(c: char) -> KeyEvent {
        KeyEvent::new(KeyCode::Char(c), KeyModifiers::CONTROL)
    }

    fn written(text: &str) -> Field {
        let mut field = Field::default();
        for c in text.chars() {
            field.key(press(KeyCode::Char(c)));
        }
        field
    }

    #[test]
    fn a_grapheme_is_erased_whole() {
        let mut field = written("a👨‍👩‍👧");
        field.key(press(KeyCode::Backspace));
        assert_eq!(field.text(), "a");
        let mut field = written("한e\u{301}");
        field.key(press(KeyCode::Left));
        field.key(press(KeyCode::Delete));
        assert_eq!(field.text(), "한");
    }

    #[test]
    fn words_and_lines_are_erased() {
        let mut field = written("one two  ");
        field.key(control('w'));
        assert_eq!(field.text(), "one ");
        field.key(control('u'));
        assert!(field.is_empty());
    }

    #[test]
    fn the_caret_stays_in_sight() {
        let mut field = written("abcdefgh");
        assert_eq!(field.view(Role::Text, 5).0.text(), "efgh");
        assert_eq!(field.view(Role::Text, 5).1, 4);
        field.key(press(KeyCode::Home));
        assert_eq!(field.view(Role::Text, 5).0.text(), "abcde");
        assert_eq!(field.view(Role::Text, 5).1, 0);
    }

    #[test]
    fn what_is_pasted_stays_one_line_and_is_shown_safely() {
        let mut field = Field::default();
        assert_eq!(field.paste("a\r\nb\x1b\n"), Taken::All);
        assert_eq!(field.text(), "a\nb\x1b");
        assert_eq!(field.view(Role::Text, 20).0.text(), "a␊b␛");
        assert_eq!(field.paste(&"é".repeat(MOST)), Taken::Part);
    }
}
