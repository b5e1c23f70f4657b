//! Pastes: what is let in, and large ones folded into one mark.
//!
//! A folded paste is one character of the text, out of a range that Unicode has
//! left unassigned and invisible, and that is never let in from outside. So it
//! is moved over, cut, put back and undone like any other character, its text is
//! kept once, and nobody can type one. Being of the class of controls, it never
//! joins with what stands beside it.

use std::collections::BTreeMap;
use std::sync::Arc;

const FIRST: u32 = 0xe0200;
const LAST: u32 = 0xe0fff;

/// A paste with more lines or characters than these is folded.
const LINES: usize = 10;
const CHARACTERS: usize = 1000;

#[derive(Debug, Clone)]
struct Paste {
    text: Arc<str>,
    label: String,
}

#[derive(Debug, Default)]
pub(super) struct Pastes {
    kept: BTreeMap<char, Paste>,
    number: usize,
}

pub(super) fn is_mark(c: char) -> bool {
    (FIRST..=LAST).contains(&(c as u32))
}

/// The mark that a grapheme is.
pub(super) fn mark(grapheme: &str) -> Option<char> {
    grapheme.chars().next().filter(|c| is_mark(*c))
}

/// What comes from outside: line feeds for line ends, tabs, and no other
/// control character.
pub(super) fn clean(text: &str) -> String {
    // The first bytes of all that may have to go: the rest is copied in pieces.
    let suspect = |byte: &u8| match byte {
        b'\n' | b'\t' => false,
        0..0x20 | 0x7f | 0xc2 | 0xf3 => true,
        _ => false,
    };
    let mut clean = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.as_bytes().iter().position(suspect) {
        let (fine, tail) = rest.split_at(at);
        clean.push_str(fine);
        let mut letters = tail.chars();
        match letters.next() {
            Some('\r') => clean.push('\n'),
            Some(c) if !c.is_control() && !is_mark(c) => clean.push(c),
            _ => {}
        }
        rest = letters.as_str();
        if tail.starts_with("\r\n") {
            rest = rest.get(1..).unwrap_or_default();
        }
    }
    clean.push_str(rest);
    clean
}

/// Lines of a text; a line feed at its end begins no further one.
fn line_count(text: &str) -> usize {
    let text = text.strip_suffix('\n').unwrap_or(text);
    text.as_bytes()
        .iter()
        .filter(|byte| **byte == b'\n')
        .count()
        + 1
}

impl Pastes {
    pub(super) fn is_large(text: &str) -> bool {
        // Characters are counted only where the bytes leave it open.
        text.len() > CHARACTERS * 4
            || line_count(text) > LINES
            || (text.len() > CHARACTERS && text.chars().count() > CHARACTERS)
    }

    /// The mark for a text; none if there are no marks left.
    pub(super) fn fold(&mut self, text: &str) -> Option<char> {
        let mark = (FIRST..=LAST)
            .filter_map(char::from_u32)
            .find(|mark| !self.kept.contains_key(mark))?;
        self.number += 1;
        let paste = Paste {
            label: label(text, self.number),
            text: Arc::from(text),
        };
        self.kept.insert(mark, paste);
        Some(mark)
    }

    pub(super) fn text(&self, mark: char) -> Option<Arc<str>> {
        self.kept.get(&mark).map(|paste| Arc::clone(&paste.text))
    }

    /// What is shown in its place.
    pub(super) fn label(&self, mark: char) -> &str {
        self.kept
            .get(&mark)
            .map_or("[pasted]", |paste| paste.label.as_str())
    }

    /// A text with the pastes in the places of their marks.
    pub(super) fn unfold(&self, text: &str) -> String {
        if self.kept.is_empty() {
            return text.to_owned();
        }
        let mut whole = String::with_capacity(text.len());
        let mut rest = text;
        while let Some(at) = rest.find(is_mark) {
            let (head, tail) = rest.split_at(at);
            whole.push_str(head);
            let mut letters = tail.chars();
            if let Some(paste) = letters.next().and_then(|mark| self.kept.get(&mark)) {
                whole.push_str(&paste.text);
            }
            rest = letters.as_str();
        }
        whole.push_str(rest);
        whole
    }

    /// Forgets all that none of these texts holds a mark of.
    pub(super) fn keep<'a>(&mut self, texts: impl Iterator<Item = &'a str>) {
        if self.kept.is_empty() {
            return;
        }
        let mut used = std::collections::BTreeSet::new();
        for text in texts {
            // The first byte of every mark: text without it is passed quickly.
            if text.as_bytes().contains(&0xf3) {
                used.extend(text.chars().filter(|c| is_mark(*c)));
            }
        }
        self.kept.retain(|mark, _| used.contains(mark));
    }

    /// The next one is the first again.
    pub(super) fn restart(&mut self) {
        self.number = 0;
    }
}

fn label(text: &str, number: usize) -> String {
    match line_count(text) {
        lines if lines > LINES => format!("[pasted {lines} lines #{number}]"),
        _ => {
            let characters = text.chars().count();
            format!("[pasted {characters} characters #{number}]")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unicode_segmentation::UnicodeSegmentation;

    #[test]
    fn what_is_let_in_has_line_feeds_tabs_and_no_other_control() {
        assert_eq!(clean("a\r\nb\rc\n\td"), "a\nb\nc\n\td");
        assert_eq!(clean("\x1b[31mred\0\x7f\u{9b}"), "[31mred");
        assert_eq!(clean("שלום\u{200f} 漢字 👨‍👩‍👧"), "שלום\u{200f} 漢字 👨‍👩‍👧");
        assert_eq!(clean("x\u{e0200}y"), "xy", "nobody can type a mark");
        assert_eq!(clean("\r\r\n\n"), "\n\n\n");
    }

    #[test]
    fn a_mark_joins_with_nothing_beside_it() {
        for beside in ["\u{301}", "\u{200d}", "\u{fe0f}", "🇩", "ะ", "👩"] {
            let text = format!("{beside}\u{e0200}{beside}");
            assert_eq!(text.graphemes(true).count(), 3, "{beside:?}");
        }
    }

    #[test]
    fn a_paste_is_large_by_lines_or_by_characters() {
        assert!(!Pastes::is_large(&"x\n".repeat(10)));
        assert!(Pastes::is_large(&"x\n".repeat(11)));
        assert!(!Pastes::is_large(&"漢".repeat(1000)));
        assert!(Pastes::is_large(&"漢".repeat(1001)));
        assert!(Pastes::is_large(&"x".repeat(1001)));
    }

    #[test]
    fn what_nothing_refers_to_is_forgotten() {
        let mut pastes = Pastes::default();
        let first = pastes.fold("one").unwrap();
        let second = pastes.fold("two").unwrap();
        pastes.keep([format!("a{second}")].iter().map(String::as_str));
        assert_eq!(pastes.text(first), None);
        assert_eq!(pastes.unfold(&format!("<{second}>")), "<two>");
    }
}
