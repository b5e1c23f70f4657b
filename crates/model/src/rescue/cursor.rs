//! A place in a text that only moves forward, and what the forms have in common.

use crate::repair::{Arguments, JsonScan, parse_arguments};
use serde_json::{Map, Value};
use tenon_vocab::names::without_prefix;

/// Longer is no name.
const LONGEST_NAME: usize = 128;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Call {
    pub(super) name: String,
    pub(super) arguments: Map<String, Value>,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Cursor<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Cursor<'t> {
    pub(super) fn new(text: &'t str, at: usize) -> Self {
        Self { text, at }
    }

    pub(super) fn at(&self) -> usize {
        self.at
    }

    pub(super) fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    /// The character before this place.
    pub(super) fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    /// Passes so many bytes, which must end between two characters.
    pub(super) fn advance(&mut self, bytes: usize) {
        self.at += bytes;
    }

    pub(super) fn next(&mut self) -> Option<char> {
        let character = self.rest().chars().next()?;
        self.at += character.len_utf8();
        Some(character)
    }

    pub(super) fn is_at_end(&self) -> bool {
        self.at == self.text.len()
    }

    pub(super) fn eat(&mut self, token: &str) -> bool {
        let eaten = self.rest().starts_with(token);
        if eaten {
            self.at += token.len();
        }
        eaten
    }

    pub(super) fn eat_any(&mut self, tokens: &[&str]) -> bool {
        tokens.iter().any(|token| self.eat(token))
    }

    pub(super) fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.len() - rest.trim_start().len();
    }

    /// The text up to `token`, which is passed; not further than `most` bytes.
    pub(super) fn until(&mut self, token: &str, most: usize) -> Option<&'t str> {
        let rest = self.rest();
        let mut limit = rest.len().min(most + token.len());
        while !rest.is_char_boundary(limit) {
            limit -= 1;
        }
        let end = rest[..limit].find(token)?;
        self.at += end + token.len();
        Some(&rest[..end])
    }

    /// A name: what stands before the next character that belongs to none.
    pub(super) fn name(&mut self) -> Option<String> {
        let rest = self.rest();
        let of_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
        let end = rest.find(|c| !of_name(c)).unwrap_or(rest.len());
        let name = name(&rest[..end])?;
        self.at += end;
        Some(name)
    }

    /// The JSON object or array that begins here. Never one without its end.
    pub(super) fn json(&mut self) -> Option<Value> {
        let rest = self.rest();
        if !rest.starts_with(['{', '[']) {
            return None;
        }
        let end = JsonScan::default().feed_until_closed(rest.as_bytes())?;
        let text = rest.get(..end)?;
        let value = match parse_arguments(text) {
            Arguments::Object(object) => Value::Object(object),
            _ => serde_json::from_str(text).ok()?,
        };
        self.at += end;
        Some(value)
    }

    pub(super) fn object(&mut self) -> Option<Map<String, Value>> {
        match self.json()? {
            Value::Object(object) => Some(object),
            _ => None,
        }
    }
}

/// A name as servers write it: `functions.read:0` is `read`.
pub(super) fn name(text: &str) -> Option<String> {
    let mut name = without_prefix(text);
    if let Some((stem, number)) = name.rsplit_once(':')
        && !number.is_empty()
        && number.bytes().all(|byte| byte.is_ascii_digit())
    {
        name = stem;
    }
    let usable = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.' | ':' | '/');
    (!name.is_empty() && name.len() <= LONGEST_NAME && name.chars().all(usable))
        .then(|| name.to_owned())
}
