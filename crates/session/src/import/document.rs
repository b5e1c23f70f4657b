//! The two shapes that can be taken in, as bytes: a document with `events`, or
//! the lines of a log. Borrows from the bytes, and reads one record at a time.

use super::ImportError;
use crate::export::{FORMAT, FORMAT_VERSION};
use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;
use std::borrow::Cow;
use std::collections::HashMap;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    Document,
    Log,
}

/// One piece of content, as the document writes it.
#[derive(Debug, Deserialize)]
pub(super) struct Piece<'a> {
    #[serde(default, borrow)]
    pub text: Option<Cow<'a, str>>,
    #[serde(default, borrow)]
    pub base64: Option<Cow<'a, str>>,
}

#[derive(Debug)]
pub(super) struct Document<'a> {
    pub form: Form,
    pub content: HashMap<String, Piece<'a>>,
    pub records: Vec<&'a RawValue>,
}

#[derive(Deserialize)]
struct Outer<'a> {
    #[serde(default, borrow)]
    format: Option<Cow<'a, str>>,
    #[serde(default, rename = "formatVersion")]
    format_version: Option<u64>,
    #[serde(default, borrow)]
    content: HashMap<String, Piece<'a>>,
    #[serde(default, borrow)]
    events: Option<Vec<&'a RawValue>>,
}

/// Says of a line whether it is the first of a log.
#[derive(Deserialize)]
struct Head<'a> {
    #[serde(rename = "type", borrow)]
    name: Cow<'a, str>,
}

/// What is wrong with it, for people: most often it is another kind of file.
fn unlike(text: &str, error: &serde_json::Error) -> String {
    if text.is_empty() {
        String::from("it is empty")
    } else if text.starts_with('{') {
        format!("its JSON is not valid ({error})")
    } else if text.starts_with('<') {
        String::from("it is a page, not JSON")
    } else {
        String::from("it isn't JSON; perhaps it was exported as Markdown")
    }
}

impl<'a> Document<'a> {
    pub(super) fn read(bytes: &'a [u8]) -> Result<Self, ImportError> {
        let text = std::str::from_utf8(bytes)
            .map_err(|error| ImportError::NotASession(format!("it is not UTF-8 ({error})")))?;
        let text = text.trim_start_matches('\u{feff}').trim();
        let line = text.lines().next().unwrap_or_default();
        let document = match serde_json::from_str::<Head<'_>>(line) {
            Ok(head) if head.name == "meta" => Self::log(text)?,
            _ => Self::whole(text)?,
        };
        if document.records.is_empty() {
            return Err(ImportError::NotASession(String::from("it has no records")));
        }
        Ok(document)
    }

    fn whole(text: &'a str) -> Result<Self, ImportError> {
        let outer: Outer<'a> = serde_json::from_str(text)
            .map_err(|error| ImportError::NotASession(unlike(text, &error)))?;
        match outer.format.as_deref() {
            Some(FORMAT) => {}
            Some(other) => {
                let other: String = other.chars().take(80).collect();
                return Err(ImportError::NotASession(format!(
                    "its format is `{other}`, not `{FORMAT}`"
                )));
            }
            None => {
                return Err(ImportError::NotASession(format!(
                    "it doesn't name its format (`{FORMAT}`)"
                )));
            }
        }
        match outer.format_version {
            Some(FORMAT_VERSION) => {}
            Some(found) => {
                return Err(ImportError::NewerFormat {
                    found,
                    known: FORMAT_VERSION,
                });
            }
            None => {
                return Err(ImportError::NotASession(String::from(
                    "it has no `formatVersion`",
                )));
            }
        }
        let records = outer
            .events
            .ok_or_else(|| ImportError::NotASession(String::from("it has no `events`")))?;
        Ok(Self {
            form: Form::Document,
            content: outer.content,
            records,
        })
    }

    /// A torn last line is what a kill leaves; it is passed over here, too.
    fn log(text: &'a str) -> Result<Self, ImportError> {
        let mut records = Vec::new();
        let mut lines = text.lines().enumerate().peekable();
        while let Some((index, line)) = lines.next() {
            match serde_json::from_str::<&RawValue>(line) {
                Ok(record) => records.push(record),
                Err(_) if lines.peek().is_none() => {}
                Err(error) => {
                    return Err(ImportError::Record {
                        index,
                        reason: error.to_string(),
                    });
                }
            }
        }
        Ok(Self {
            form: Form::Log,
            content: HashMap::new(),
            records,
        })
    }

    /// One record. What stands beside a log is not looked for.
    pub(super) fn value(&self, index: usize) -> Result<Value, ImportError> {
        let refused = |reason: String| ImportError::Record { index, reason };
        let raw = self
            .records
            .get(index)
            .ok_or_else(|| refused(String::from("it is missing")))?;
        let value: Value = match self.form {
            Form::Document => serde_json::from_str(raw.get()),
            Form::Log => crate::record::decode_alone(raw.get()),
        }
        .map_err(|error| refused(error.to_string()))?;
        if value.is_object() {
            Ok(value)
        } else {
            Err(refused(String::from("it isn't an object")))
        }
    }
}
