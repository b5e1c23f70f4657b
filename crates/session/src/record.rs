//! One event as one line of the log, and back.
//!
//! A line is the event's own JSON with two exceptions, both undone on reading:
//! in a line over 64 KB each string over 16 KB is kept beside the log and
//! stands there as `{"$blob": sha256, "bytes": n}`; and what is nested so deep
//! that a reader would refuse the line stands as `{"$json": "…"}`. An object of
//! a user that has such a key gets one more `$` before it, so it survives.

use crate::lines::LONGEST;
use crate::{Blobs, SessionError};
use serde_json::{Map, Value, json};
use tenon_vocab::{BlobRef, Event};

/// Lines up to this stay as they are.
const LINE_LIMIT: usize = 64 * 1024;
/// In longer lines, strings up to this stay.
const STRING_LIMIT: usize = 16 * 1024;
/// JSON readers stop at 128 levels; a log must stay readable to them.
const DEPTH_LIMIT: usize = 100;
/// Where a subtree of a line that is too deep becomes a string.
const DEPTH_KEPT: usize = 40;

/// One line of a log.
#[derive(Debug, Clone)]
pub struct Record {
    /// Where the line begins in the file.
    pub offset: u64,
    pub event: Event,
    /// As it stands in the file, without the line feed: fields that this
    /// version does not know are still here.
    pub line: String,
}

/// An event as it is written, and the content that was put beside the log for it.
#[derive(Debug)]
pub(crate) struct Encoded {
    /// With the line feed.
    pub line: String,
    pub blobs: Vec<BlobRef>,
}

pub(crate) fn encode(event: &Event, blobs: &Blobs) -> Result<Encoded, SessionError> {
    let mut line = serde_json::to_string(event)?;
    let mut stored = Vec::new();
    if line.len() > LINE_LIMIT || is_deep(&line) || has_marker(&line) {
        let long = if line.len() > LINE_LIMIT {
            Long::Moved
        } else {
            Long::Kept
        };
        let value = fold(serde_json::to_value(event)?, 0, long, blobs, &mut stored)?;
        line = serde_json::to_string(&value)?;
    }
    line.push('\n');
    if line.len() as u64 > LONGEST {
        return Err(SessionError::TooLong { bytes: line.len() });
    }
    Ok(Encoded {
        line,
        blobs: stored,
    })
}

pub(crate) fn decode(line: &str, blobs: &Blobs) -> Result<Event, serde_json::Error> {
    if has_marker(line) {
        serde_json::from_value(decode_value(line, blobs)?)
    } else {
        serde_json::from_str(line)
    }
}

/// The line as JSON with all of its fields, moved strings back in place.
pub(crate) fn decode_value(line: &str, blobs: &Blobs) -> Result<Value, serde_json::Error> {
    let value = serde_json::from_str(line)?;
    Ok(if has_marker(line) {
        unfold(value, blobs)
    } else {
        value
    })
}

/// The same for a line that came without what stood beside it.
pub(crate) fn decode_alone(line: &str) -> Result<Value, serde_json::Error> {
    let scratch = std::sync::Arc::new(crate::scratch::Scratch::default());
    decode_value(line, &Blobs::in_memory(scratch))
}

/// The names of content that a line refers to in place of its long strings.
pub(crate) fn moved_strings(line: &str) -> Vec<BlobRef> {
    let mut found = Vec::new();
    if has_marker(line)
        && let Ok(value) = serde_json::from_str(line)
    {
        collect(&value, &mut found);
    }
    found
}

fn collect(value: &Value, found: &mut Vec<BlobRef>) {
    match value {
        Value::Array(items) => items.iter().for_each(|item| collect(item, found)),
        Value::Object(fields) => match marker(fields) {
            Some(Marker::Blob(name)) => found.push(name),
            _ => fields.values().for_each(|item| collect(item, found)),
        },
        _ => {}
    }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Long {
    Moved,
    Kept,
}

fn fold(
    value: Value,
    depth: usize,
    long: Long,
    blobs: &Blobs,
    stored: &mut Vec<BlobRef>,
) -> Result<Value, SessionError> {
    Ok(match value {
        Value::String(text) if long == Long::Moved && text.len() > STRING_LIMIT => {
            let name = blobs.put(text.as_bytes())?;
            let folded = json!({"$blob": name.sha256, "bytes": name.bytes});
            stored.push(name);
            folded
        }
        Value::Array(_) | Value::Object(_) if depth >= DEPTH_KEPT => {
            let text = fold(Value::String(value.to_string()), depth, long, blobs, stored)?;
            json!({ "$json": text })
        }
        Value::Array(items) => Value::Array(
            items
                .into_iter()
                .map(|item| fold(item, depth + 1, long, blobs, stored))
                .collect::<Result<_, _>>()?,
        ),
        Value::Object(fields) => {
            let mut folded = Map::new();
            for (key, item) in fields {
                let item = fold(item, depth + 1, long, blobs, stored)?;
                let key = if is_marker_key(&key) {
                    format!("${key}")
                } else {
                    key
                };
                folded.insert(key, item);
            }
            Value::Object(folded)
        }
        other => other,
    })
}

enum Marker {
    Blob(BlobRef),
    Json(Value),
}

fn marker(fields: &Map<String, Value>) -> Option<Marker> {
    if let Some(name) = fields.get("$blob") {
        let bytes = fields.get("bytes").and_then(Value::as_u64).unwrap_or(0);
        return Some(Marker::Blob(BlobRef {
            sha256: name.as_str().unwrap_or_default().to_owned(),
            bytes,
        }));
    }
    fields.get("$json").cloned().map(Marker::Json)
}

fn unfold(value: Value, blobs: &Blobs) -> Value {
    match value {
        Value::Array(items) => {
            Value::Array(items.into_iter().map(|item| unfold(item, blobs)).collect())
        }
        Value::Object(fields) => match marker(&fields) {
            Some(Marker::Blob(name)) => Value::String(text_of(&name, blobs)),
            Some(Marker::Json(inner)) => match unfold(inner, blobs) {
                Value::String(text) => serde_json::from_str(&text).unwrap_or(Value::String(text)),
                other => other,
            },
            None => Value::Object(
                fields
                    .into_iter()
                    .map(|(key, item)| {
                        let key = match key.strip_prefix('$') {
                            Some(rest) if is_marker_key(rest) => rest.to_owned(),
                            _ => key,
                        };
                        (key, unfold(item, blobs))
                    })
                    .collect(),
            ),
        },
        other => other,
    }
}

/// Lost content must not make a session unreadable: a sentence stands for it,
/// and `verify` names it.
fn text_of(name: &BlobRef, blobs: &Blobs) -> String {
    blobs
        .get(name)
        .map_err(|error| error.to_string())
        .and_then(|bytes| String::from_utf8(bytes).map_err(|error| error.to_string()))
        .unwrap_or_else(|reason| format!("[{} bytes were here; {reason}]", name.bytes))
}

fn is_marker_key(key: &str) -> bool {
    let name = key.trim_start_matches('$');
    name.len() < key.len() && (name == "blob" || name == "json")
}

/// Whether any key could be a marker. Text that only talks of one costs a
/// detour and changes nothing.
fn has_marker(line: &str) -> bool {
    line.contains("$blob\":") || line.contains("$json\":")
}

fn is_deep(line: &str) -> bool {
    let (mut depth, mut in_string, mut escaped) = (0_usize, false, false);
    for byte in line.bytes() {
        match byte {
            _ if escaped => escaped = false,
            b'\\' if in_string => escaped = true,
            b'"' => in_string = !in_string,
            b'{' | b'[' if !in_string => {
                depth += 1;
                if depth > DEPTH_LIMIT {
                    return true;
                }
            }
            b'}' | b']' if !in_string => depth = depth.saturating_sub(1),
            _ => {}
        }
    }
    false
}
