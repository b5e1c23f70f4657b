//! The user's own patterns: regular expressions that run in linear time, over one
//! line at a time. With such patterns a stream goes out line by line.

use super::{Extent, Findings, NAME_BYTES, marker};
use regex::{Regex, RegexBuilder};
use std::borrow::Cow;

/// A longer line is looked at in parts, cut where no word is.
const LINE: usize = 8 * 1024;
const PROGRAM_BYTES: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PatternError {
    #[error("`{0}` can't be the name of a pattern; use lower-case letters, digits and `-`")]
    Name(String),
    #[error("the pattern `{name}` isn't a valid regular expression: {reason}")]
    Syntax { name: String, reason: String },
    #[error("the pattern `{0}` matches empty text; make it match at least one character")]
    Empty(String),
}

#[derive(Debug, Clone)]
pub(super) struct Custom {
    name: String,
    regex: Regex,
}

impl Custom {
    pub(super) fn new(name: &str, pattern: &str) -> Result<Self, PatternError> {
        let is_name = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-';
        if name.is_empty() || name.len() > NAME_BYTES || !name.bytes().all(is_name) {
            return Err(PatternError::Name(name.to_owned()));
        }
        let regex = RegexBuilder::new(pattern)
            .size_limit(PROGRAM_BYTES)
            .build()
            .map_err(|error| PatternError::Syntax {
                name: name.to_owned(),
                reason: error.to_string(),
            })?;
        if regex.is_match("") {
            return Err(PatternError::Empty(name.to_owned()));
        }
        Ok(Self {
            name: name.to_owned(),
            regex,
        })
    }

    fn mask<'a>(&self, extent: Extent, line: &'a str, found: &mut Findings) -> Cow<'a, str> {
        self.regex
            .replace_all(line, |captures: &regex::Captures<'_>| {
                let Some(whole) = captures.get(0).filter(|whole| !whole.is_empty()) else {
                    return String::new();
                };
                let secret = captures.name("secret").unwrap_or(whole);
                if !extent.covers(secret.as_str()) {
                    return whole.as_str().to_owned();
                }
                found.note(&self.name);
                let before = &line[whole.start()..secret.start()];
                let after = &line[secret.end()..whole.end()];
                format!("{before}{}{after}", marker(&self.name))
            })
    }
}

/// The whole text, line by line; the text itself when nothing matched.
pub(super) fn mask<'a>(
    custom: &[Custom],
    extent: Extent,
    text: &'a str,
    found: &mut Findings,
) -> Cow<'a, str> {
    if custom.is_empty() {
        return Cow::Borrowed(text);
    }
    let before = found.total();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while !rest.is_empty() {
        let (line, after) = rest.split_at(first_line(rest).unwrap_or(rest.len()));
        mask_line(custom, extent, line, found, &mut out);
        rest = after;
    }
    if found.total() == before {
        return Cow::Borrowed(text);
    }
    Cow::Owned(out)
}

fn mask_line(
    custom: &[Custom],
    extent: Extent,
    line: &str,
    found: &mut Findings,
    out: &mut String,
) {
    let (shown, end) = match line.strip_suffix('\n') {
        Some(shown) => (shown, "\n"),
        None => (line, ""),
    };
    let mut shown = Cow::Borrowed(shown);
    for pattern in custom {
        let masked = match pattern.mask(extent, &shown, found) {
            Cow::Owned(masked) => masked,
            Cow::Borrowed(_) => continue,
        };
        shown = Cow::Owned(masked);
    }
    out.push_str(&shown);
    out.push_str(end);
}

/// Where the first line ends, its line break included, or the first part of a
/// long one; `None` when more text decides.
fn first_line(text: &str) -> Option<usize> {
    let window = &text[..text.floor_char_boundary(LINE)];
    if let Some(at) = window.find('\n') {
        return Some(at + 1);
    }
    if text.len() < LINE {
        return None;
    }
    let cut = window
        .rfind(|c: char| !c.is_alphanumeric() && !"_-+/=.".contains(c))
        .map(|at| window.ceil_char_boundary(at + 1));
    Some(cut.filter(|cut| *cut > 0).unwrap_or(window.len()))
}

/// Lines on their way through the patterns.
#[derive(Debug, Default)]
pub(super) struct Lines {
    waiting: String,
}

impl Lines {
    pub(super) fn held(&self) -> usize {
        self.waiting.len()
    }

    pub(super) fn push(&mut self, custom: &[Custom], text: &str, found: &mut Findings) -> String {
        self.waiting.push_str(text);
        let mut out = String::new();
        let mut done = 0;
        while let Some(length) = first_line(&self.waiting[done..]) {
            let line = &self.waiting[done..done + length];
            mask_line(custom, Extent::All, line, found, &mut out);
            done += length;
        }
        self.waiting.drain(..done);
        out
    }

    pub(super) fn finish(&mut self, custom: &[Custom], found: &mut Findings) -> String {
        let waiting = std::mem::take(&mut self.waiting);
        mask(custom, Extent::All, &waiting, found).into_owned()
    }
}
