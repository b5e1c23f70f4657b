//! The promise to prompt caches: a request begins with the one before it.
//!
//! The markers that ask for a cache move from request to request and are not
//! part of what is cached, nor is whether one text is written as a string or
//! as a block.

use serde_json::{Map, Value, json};

use crate::wire::difference::difference;
use crate::wire::object;

/// Checks that tools, system and messages of `next` begin with exactly those
/// of `previous`, but for the cache markers.
pub fn validate_prefix(previous: &[u8], next: &[u8]) -> Result<(), String> {
    let previous = parts("previous", previous)?;
    let next = parts("next", next)?;
    for name in ["tools", "system"] {
        let (before, after) = (content(&previous, name), content(&next, name));
        if before != after {
            return Err(format!("`{name}` changed: {}", difference(&before, &after)));
        }
    }
    let (before, after) = (messages(&previous), messages(&next));
    for (index, message) in before.iter().enumerate() {
        let Some(now) = after.get(index) else {
            return Err(format!(
                "messages[{index}] is gone: {} messages before, {} now.",
                before.len(),
                after.len(),
            ));
        };
        // The last message may grow at its end: the next words of the user
        // join the results that are already there.
        let most = if index + 1 == before.len() {
            message.len()
        } else {
            now.len()
        };
        for block in 0..message.len().max(most) {
            let (was, is) = (line(message, block), line(now, block));
            if was != is {
                let difference = difference(was, is);
                return Err(format!("messages[{index}] changed: {difference}"));
            }
        }
    }
    Ok(())
}

fn line(lines: &[String], index: usize) -> &str {
    lines.get(index).map_or("", String::as_str)
}

fn parts(which: &str, body: &[u8]) -> Result<Map<String, Value>, String> {
    object(body).map_err(|error| format!("The {which} request is not a Messages request: {error}"))
}

fn content(request: &Map<String, Value>, name: &str) -> String {
    plain(request.get(name).cloned().unwrap_or_default()).to_string()
}

/// Each message as its role and its blocks.
fn messages(request: &Map<String, Value>) -> Vec<Vec<String>> {
    let messages = request.get("messages").and_then(Value::as_array);
    let lines = |message: &Value| {
        let role = message.get("role").map(Value::to_string);
        let content = plain(message.get("content").cloned().unwrap_or_default());
        let blocks = match content {
            Value::Array(blocks) => blocks.iter().map(Value::to_string).collect(),
            other => vec![other.to_string()],
        };
        role.into_iter().chain(blocks).collect()
    };
    messages.into_iter().flatten().map(lines).collect()
}

/// A list of blocks without markers. A tool's input is left as it is.
fn plain(content: Value) -> Value {
    match content {
        Value::String(text) => json!([{"type": "text", "text": text}]),
        Value::Array(blocks) => Value::Array(blocks.into_iter().map(unmarked).collect()),
        other => other,
    }
}

fn unmarked(block: Value) -> Value {
    let Value::Object(mut block) = block else {
        return block;
    };
    block.shift_remove("cache_control");
    if let Some(content) = block.get_mut("content") {
        *content = plain(content.take());
    }
    Value::Object(block)
}
