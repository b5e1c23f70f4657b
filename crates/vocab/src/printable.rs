//! The only way in which foreign text reaches a screen.
//!
//! Text from a model, a tool, a file name or a configuration file may hold
//! escape sequences that move the cursor, bidi controls that reorder what is
//! read, a carriage return that hides the start of a line, or letters that look
//! like nothing at all. [`Printable`] makes each of these visible and changes
//! nothing else. It never shortens: whoever shortens must say by how much.
//!
//! Some invisible characters have work to do: they join an emoji, or shape a
//! letter of a script that needs it. They pass where they do that, and nowhere
//! else.

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
        let is_noted = |c| replacement(c, lines).is_some() || is_modifier(c) || c == BLANK;
        let Some(first) = text.find(is_noted) else {
            return Self(Cow::Borrowed(text));
        };
        let (clean, rest) = text.split_at(first);
        let mut out = String::with_capacity(text.len() + 16);
        out.push_str(clean);
        let mut before = clean.chars().next_back();
        let mut left = rest.chars();
        while let Some(c) = left.next() {
            let shown = match c {
                _ if is_modifier(c) => {
                    (!modifies(c, before, left.as_str(), lines)).then(|| code(c))
                }
                BLANK => (!is_in_braille(before, left.as_str())).then(|| code(c)),
                _ => replacement(c, lines),
            };
            before = match &shown {
                // What was made visible shapes nothing behind it.
                Some(_) => Some('>'),
                None => Some(c),
            };
            match shown {
                Some(shown) => out.push_str(&shown),
                None => out.push(c),
            }
        }
        Self(Cow::Owned(out))
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
        _ if is_deceptive(c) => Some(code(c)),
        _ => None,
    }
}

fn code(c: char) -> Cow<'static, str> {
    Cow::Owned(format!("⟨U+{:04X}⟩", c as u32))
}

/// C1 controls, bidi controls, line-separating characters, tags, and what looks
/// like nothing: fillers, marks without a form, shorthand and music controls.
fn is_deceptive(c: char) -> bool {
    matches!(c,
        '\u{80}'..='\u{9f}'
        | '\u{ad}' | '\u{34f}' | '\u{61c}'
        | '\u{115f}' | '\u{1160}' | '\u{3164}' | '\u{ffa0}'
        | '\u{17b4}' | '\u{17b5}' | '\u{180e}'
        | '\u{200b}' | '\u{200e}' | '\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
        | '\u{1bca0}'..='\u{1bca3}' | '\u{1d173}'..='\u{1d17a}'
        | '\u{e0000}'..='\u{e00ff}' | '\u{e01f0}'..='\u{e0fff}')
}

/// Braille without a dot: part of a picture, or a space that is none.
const BLANK: char = '\u{2800}';
/// How far a picture is looked for.
const PICTURE: usize = 256;

fn is_in_braille(before: Option<char>, behind: &str) -> bool {
    let is_braille = |c: char| ('\u{2800}'..='\u{28ff}').contains(&c);
    let next = behind.chars().take(PICTURE).find(|c| *c != BLANK);
    before.is_some_and(is_braille) || next.is_some_and(is_braille)
}

/// Invisible by itself, and changes the character before it: joiners and
/// selectors of a form.
fn is_modifier(c: char) -> bool {
    matches!(c,
        '\u{200c}' | '\u{200d}' | '\u{180b}'..='\u{180d}' | '\u{180f}'
        | '\u{fe00}'..='\u{fe0f}' | '\u{e0100}'..='\u{e01ef}')
}

/// Whether it does its work here. The beginning of a block may be the middle of
/// something that streams.
fn modifies(c: char, before: Option<char>, behind: &str, lines: Lines) -> bool {
    let Some(before) = before else {
        return lines == Lines::Many;
    };
    let next = behind.chars().next();
    match c {
        '\u{200c}' | '\u{200d}' if is_joining_letter(before) => true,
        '\u{200d}' => is_picture(before) && next.map_or(lines == Lines::Many, is_picture),
        '\u{fe0f}' if matches!(before, '0'..='9' | '#' | '*') => {
            next.map_or(lines == Lines::Many, |next| next == '\u{20e3}')
        }
        '\u{fe00}'..='\u{fe0f}' => is_symbol(before) || is_ideograph(before),
        '\u{e0100}'..='\u{e01ef}' => is_ideograph(before),
        '\u{180b}'..='\u{180f}' => ('\u{1800}'..='\u{18af}').contains(&before),
        _ => false,
    }
}

/// Signs and emoji, of which some have two forms.
fn is_symbol(c: char) -> bool {
    matches!(c, '\u{a9}' | '\u{ae}' | '\u{203c}'..='\u{27ff}' | '\u{2801}'..='\u{303d}'
        | '\u{3297}' | '\u{3299}' | '\u{1f000}'..='\u{1faff}')
}

/// A part of an emoji that is joined to another one.
fn is_picture(c: char) -> bool {
    is_symbol(c) || c == '\u{fe0f}'
}

fn is_ideograph(c: char) -> bool {
    matches!(c, '\u{3400}'..='\u{9fff}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// Of the scripts in which a joiner is a matter of spelling: from Arabic to
/// Burmese, Khmer and Mongolian.
fn is_joining_letter(c: char) -> bool {
    matches!(c, '\u{600}'..='\u{109f}' | '\u{1780}'..='\u{18af}')
}
