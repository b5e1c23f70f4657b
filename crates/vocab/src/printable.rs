//! The only way in which foreign text reaches a screen.
//!
//! Text from a model, a tool, a file name or a configuration file may hold
//! escape sequences that move the cursor, bidi controls that reorder what is
//! read, or a carriage return that hides the start of a line. [`Printable`]
//! makes each of these visible and changes nothing else. It never shortens:
//! whoever shortens must say by how much.

use std::borrow::Cow;
use std::fmt;

/// Whether line breaks and tabs pass.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lines {
    /// For a line of a list or a status: breaks become visible.
    One,
    /// For a block of text: line feeds and tabs pass.
    Many,
}

/// Text that is safe to write to a terminal or a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Printable<'a>(Cow<'a, str>);

impl<'a> Printable<'a> {
    #[must_use]
    pub fn line(text: &'a str) -> Self {
        Self::new(text, Lines::One)
    }

    #[must_use]
    pub fn block(text: &'a str) -> Self {
        Self::new(text, Lines::Many)
    }

    #[must_use]
    pub fn new(text: &'a str, lines: Lines) -> Self {
        match text.find(|c| replacement(c, lines).is_some()) {
            None => Self(Cow::Borrowed(text)),
            Some(first) => {
                let (clean, rest) = text.split_at(first);
                let mut out = String::with_capacity(text.len() + 16);
                out.push_str(clean);
                for c in rest.chars() {
                    match replacement(c, lines) {
                        Some(shown) => out.push_str(&shown),
                        None => out.push(c),
                    }
                }
                Self(Cow::Owned(out))
            }
        }
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    #[must_use]
    pub fn into_string(self) -> String {
        self.0.into_owned()
    }
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

/// What stands for a character that must not reach the screen; `None` passes.
fn replacement(c: char, lines: Lines) -> Option<Cow<'static, str>> {
    match c {
        ' '..='~' => None,
        '\n' => (lines == Lines::One).then_some(Cow::Borrowed("␊")),
        '\t' => (lines == Lines::One).then_some(Cow::Borrowed("␉")),
        '\x1b' => Some(Cow::Borrowed("␛")),
        '\r' => Some(Cow::Borrowed("␍")),
        '\x00'..='\x1f' => {
            char::from_u32(0x2400 + c as u32).map(|shown| Cow::Owned(shown.to_string()))
        }
        '\x7f' => Some(Cow::Borrowed("␡")),
        _ if is_deceptive(c) => Some(Cow::Owned(format!("⟨U+{:04X}⟩", c as u32))),
        _ => None,
    }
}

/// C1 controls, bidi controls, invisible and line-separating characters, tags.
/// The zero-width joiner and variation selectors stay: emoji need them.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}' | '\u{61c}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{2064}'
        | '\u{2066}'..='\u{206f}'
        | '\u{feff}' | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}')
}
