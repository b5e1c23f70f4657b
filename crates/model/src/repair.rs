//! Arguments of tool calls as models really write them. What is kept in the log
//! is the exact string; this is how it is read, and what of it may be sent back.

use serde_json::{Map, Value};
use std::borrow::Cow;
use std::collections::HashSet;
use tenon_vocab::{CallId, Message, Part};

/// The arguments of one call, read.
#[derive(Debug, Clone, PartialEq)]
pub enum Arguments {
    Object(Map<String, Value>),
    /// Nothing, or null: a tool without parameters.
    Empty,
    Invalid {
        /// For the model: what is wrong, and where.
        error: String,
    },
}

/// Reads arguments tolerantly: an object that was encoded twice, and line
/// breaks inside strings, are understood. Never guesses the end of what was cut.
#[must_use]
pub fn parse_arguments(text: &str) -> Arguments {
    let text = text.trim();
    if text.is_empty() {
        return Arguments::Empty;
    }
    let parsed = serde_json::from_str(text)
        .or_else(|first| serde_json::from_str(&escape_controls(text)).map_err(|_| first));
    match parsed {
        Ok(Value::Object(object)) => Arguments::Object(object),
        Ok(Value::Null) => Arguments::Empty,
        Ok(Value::String(inner)) => match serde_json::from_str(&inner) {
            Ok(Value::Object(object)) => Arguments::Object(object),
            _ if inner.trim().is_empty() => Arguments::Empty,
            _ => wrong_type("a string"),
        },
        Ok(Value::Array(_)) => wrong_type("an array"),
        Ok(Value::Bool(_)) => wrong_type("a boolean"),
        Ok(Value::Number(_)) => wrong_type("a number"),
        Err(error) if error.is_eof() => Arguments::Invalid {
            error: format!("the arguments are cut off: {error}"),
        },
        Err(error) => Arguments::Invalid {
            error: format!("the arguments are not valid JSON: {error}"),
        },
    }
}

fn wrong_type(found: &str) -> Arguments {
    Arguments::Invalid {
        error: format!("the arguments must be a JSON object, not {found}"),
    }
}

/// Whether arguments stop before their end, as they do when a token limit cut them.
#[must_use]
pub fn is_cut(text: &str) -> bool {
    matches!(
        serde_json::from_str::<serde::de::IgnoredAny>(&escape_controls(text)),
        Err(error) if error.is_eof() && !text.trim().is_empty()
    )
}

/// What may be sent back to a server: always the text of a JSON object, because
/// one bad string in the history would fail every later request.
#[must_use]
pub fn sendable_arguments(text: &str) -> String {
    if serde_json::from_str::<Map<String, Value>>(text).is_ok() {
        return text.to_owned();
    }
    match parse_arguments(text) {
        Arguments::Object(object) => Value::Object(object).to_string(),
        Arguments::Empty | Arguments::Invalid { .. } => String::from("{}"),
    }
}

/// Longer names and ids are refused by the format's owner.
const LONGEST_NAME: usize = 64;
const LONGEST_ID: usize = 40;

/// The name of a tool as it may be sent back: a model may have called one that
/// nobody could offer, and one such name would fail every later request.
#[must_use]
pub fn sendable_name(name: &str) -> Cow<'_, str> {
    let fits = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '-');
    if (1..=LONGEST_NAME).contains(&name.len()) && name.chars().all(fits) {
        return Cow::Borrowed(name);
    }
    let plain: String = name
        .chars()
        .take(LONGEST_NAME)
        .map(|c| if fits(c) { c } else { '_' })
        .collect();
    match plain.as_str() {
        "" => Cow::Borrowed("unknown"),
        _ => Cow::Owned(plain),
    }
}

/// The id of a call as it may be sent back. The same for the same id, so that a
/// result finds its call; what servers give each other is no longer than this.
#[must_use]
pub fn sendable_id(id: &str) -> Cow<'_, str> {
    if id.len() <= LONGEST_ID {
        return Cow::Borrowed(id);
    }
    // FNV-1a: the same in every version, which other hashes do not promise.
    let hash = id.bytes().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    let stem: String = id
        .chars()
        .filter(char::is_ascii_alphanumeric)
        .take(20)
        .collect();
    Cow::Owned(format!("{stem}_{hash:016x}"))
}

/// Gives a new id to every call whose id is empty, doubled within the message,
/// or `taken` by an earlier one. Returns how many were renamed. Servers number
/// calls anew in each reply, and a history wants each id once.
pub fn make_ids_unique(message: &mut Message, taken: &dyn Fn(&str) -> bool) -> usize {
    let mut seen: HashSet<String> = HashSet::new();
    let mut renamed = 0;
    for part in &mut message.parts {
        let Part::ToolCall(call) = part else { continue };
        let free =
            |id: &str, seen: &HashSet<String>| !id.is_empty() && !taken(id) && !seen.contains(id);
        if !free(call.id.as_str(), &seen) {
            let stem = match call.id.as_str() {
                "" => "call",
                given => given,
            };
            let mut number = 1_u64;
            let mut id = format!("{stem}_{number}");
            while !free(&id, &seen) {
                number += 1;
                id = format!("{stem}_{number}");
            }
            call.id = CallId::new(id);
            renamed += 1;
        }
        seen.insert(call.id.as_str().to_owned());
    }
    renamed
}

/// JSON forbids bare control characters inside strings; models write them.
fn escape_controls(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 16);
    let mut scan = JsonScan::default();
    for character in text.chars() {
        let inside = scan.in_string;
        match character {
            '\n' if inside => out.push_str("\\n"),
            '\r' if inside => out.push_str("\\r"),
            '\t' if inside => out.push_str("\\t"),
            control if inside && u32::from(control) < 0x20 => {
                out.push_str(&format!("\\u{:04x}", u32::from(control)));
            }
            other => out.push(other),
        }
        let mut utf8 = [0; 4];
        for &byte in character.encode_utf8(&mut utf8).as_bytes() {
            scan.take(byte);
        }
    }
    out
}

/// Follows a JSON text byte by byte, only to know when its first value, an
/// object or an array, has closed. Says nothing about whether it is valid.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct JsonScan {
    depth: u64,
    in_string: bool,
    escaped: bool,
    closed: bool,
}

impl JsonScan {
    pub(crate) fn feed(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.take(byte);
        }
    }

    /// Takes bytes up to the one that closes the value; tells how many those were.
    pub(crate) fn feed_until_closed(&mut self, bytes: &[u8]) -> Option<usize> {
        for (position, &byte) in bytes.iter().enumerate() {
            self.take(byte);
            if self.closed {
                return Some(position + 1);
            }
        }
        None
    }

    fn take(&mut self, byte: u8) {
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth += 1,
            b'}' | b']' => {
                self.depth = self.depth.saturating_sub(1);
                self.closed |= self.depth == 0;
            }
            _ => {}
        }
    }

    pub(crate) fn is_closed(self) -> bool {
        self.closed
    }
}
