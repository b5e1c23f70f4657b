//! One item of the input, by itself: its fields and what they may hold.

use serde_json::{Map, Value};

use crate::seal;
use crate::wire::schema::is_tool_name;
use crate::wire::{image, only, text};

/// The owner refuses longer ones.
const LONGEST_ID: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Speaker {
    User,
    Assistant,
    /// `system` and `developer`
    Instructions,
}

pub(super) fn message(
    item: &Map<String, Value>,
    place: &str,
    violations: &mut Vec<String>,
) -> Option<Speaker> {
    let speaker = match text(item, "role") {
        Some("user") => Speaker::User,
        Some("assistant") => Speaker::Assistant,
        Some("system" | "developer") => Speaker::Instructions,
        other => {
            let other = other.unwrap_or_default();
            violations.push(format!("{place}: there is no role {other:?}."));
            return None;
        }
    };
    let known: &[&str] = match speaker {
        Speaker::Assistant => &["type", "role", "content", "id", "status", "phase"],
        _ => &["type", "role", "content"],
    };
    only(item, known, place, violations);
    id(item, "msg", place, violations);
    match item.get("content") {
        Some(Value::String(_)) => {}
        Some(Value::Array(parts)) if !parts.is_empty() => {
            for (index, part) in parts.iter().enumerate() {
                let place = format!("{place}.content[{index}]");
                message_part(part, speaker, &place, violations);
            }
        }
        _ => violations.push(format!(
            "{place}: `content` must be a text or a list of parts, and not empty."
        )),
    }
    Some(speaker)
}

fn message_part(part: &Value, speaker: Speaker, place: &str, violations: &mut Vec<String>) {
    let Some(part) = part.as_object() else {
        violations.push(format!("{place}: a part must be an object."));
        return;
    };
    match (speaker, text(part, "type").unwrap_or_default()) {
        (Speaker::Assistant, "output_text") => {
            let known = ["type", "text", "annotations", "logprobs"];
            only(part, &known, place, violations);
            string(part, "text", place, violations);
        }
        (Speaker::Assistant, "refusal") => string(part, "refusal", place, violations),
        (Speaker::User | Speaker::Instructions, kind) => input_part(part, kind, place, violations),
        (Speaker::Assistant, other) => violations.push(format!(
            "{place}: the assistant has no part {other:?}; use output_text."
        )),
    }
}

fn input_part(part: &Map<String, Value>, kind: &str, place: &str, violations: &mut Vec<String>) {
    match kind {
        "input_text" => {
            only(part, &["type", "text"], place, violations);
            string(part, "text", place, violations);
        }
        "input_image" => {
            only(part, &["type", "image_url", "detail"], place, violations);
            let url = text(part, "image_url").unwrap_or_default();
            if let Err(sentence) = image::check_url(url) {
                violations.push(format!("{place}: {sentence}"));
            }
            if let Some(detail) = part.get("detail")
                && !matches!(detail.as_str(), Some("auto" | "low" | "high" | "original"))
            {
                violations.push(format!("{place}: `detail` must be auto, low or high."));
            }
        }
        "input_file" => {}
        other => violations.push(format!("{place}: {other:?} is no part of an input.")),
    }
}

fn string(part: &Map<String, Value>, name: &str, place: &str, violations: &mut Vec<String>) {
    if text(part, name).is_none() {
        violations.push(format!("{place}: `{name}` must be a string."));
    }
}

pub(super) fn call(item: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let known = ["type", "id", "call_id", "name", "arguments", "status"];
    only(item, &known, place, violations);
    id(item, "fc", place, violations);
    call_id(item, place, violations);
    let name = text(item, "name").unwrap_or_default();
    if !is_tool_name(name) {
        violations.push(format!("{place}: {name:?} cannot be the name of a tool."));
    }
    let sentence = match item.get("arguments") {
        Some(Value::String(text)) => match serde_json::from_str::<Map<String, Value>>(text) {
            Ok(_) => return,
            Err(error) => format!("`arguments` does not hold a JSON object: {error}."),
        },
        _ => "`arguments` must be a string that holds JSON.".to_owned(),
    };
    violations.push(format!("{place}: {sentence}"));
}

pub(super) fn output(item: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let known = ["type", "id", "call_id", "output", "status"];
    only(item, &known, place, violations);
    call_id(item, place, violations);
    match item.get("output") {
        Some(Value::String(_)) => {}
        Some(Value::Array(parts)) if !parts.is_empty() => {
            for (index, part) in parts.iter().enumerate() {
                let place = format!("{place}.output[{index}]");
                message_part(part, Speaker::User, &place, violations);
            }
        }
        _ => violations.push(format!(
            "{place}: `output` must be a text or a list of parts."
        )),
    }
}

fn call_id(item: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let length = text(item, "call_id").map_or(0, str::len);
    if !(1..=LONGEST_ID).contains(&length) {
        violations.push(format!(
            "{place}: `call_id` must be a text of 1 to {LONGEST_ID} bytes."
        ));
    }
}

/// An id is optional, but one of another kind of item is refused.
fn id(item: &Map<String, Value>, prefix: &str, place: &str, violations: &mut Vec<String>) {
    let Some(id) = item.get("id") else {
        return;
    };
    let fits = |id: &str| id.starts_with(prefix) && id.len() <= LONGEST_ID;
    if !id.as_str().is_some_and(fits) {
        violations.push(format!(
            "{place}: the id {id} must begin with `{prefix}` and have {LONGEST_ID} bytes at most."
        ));
    }
}

pub(super) fn reasoning(item: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let known = [
        "type",
        "id",
        "summary",
        "content",
        "encrypted_content",
        "status",
    ];
    only(item, &known, place, violations);
    id(item, "rs", place, violations);
    match item.get("summary") {
        Some(Value::Array(parts)) => {
            let fits = |part: &Value| {
                part.get("type").and_then(Value::as_str) == Some("summary_text")
                    && part.get("text").is_some_and(Value::is_string)
            };
            if !parts.iter().all(fits) {
                violations.push(format!("{place}: `summary` holds parts summary_text only."));
            }
        }
        _ => violations.push(format!("{place}: `summary` must be a list.")),
    }
    match text(item, "encrypted_content") {
        None | Some("") => violations.push(format!(
            "{place}: nothing is stored, so reasoning needs its `encrypted_content`; leave it out."
        )),
        Some(sealed) if sealed.starts_with(seal::SIGNATURE) => violations.push(format!(
            "{place}: `encrypted_content` was made by a server of another format."
        )),
        Some(_) => {}
    }
}
