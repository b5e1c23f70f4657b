//! One block of content, by itself: its fields and what they may hold.

use serde_json::{Map, Value};

use crate::seal;
use crate::wire::schema::is_tool_name;
use crate::wire::{image, only, text};

pub(super) fn text_block(block: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    only(
        block,
        &["type", "text", "cache_control", "citations"],
        place,
        violations,
    );
    match text(block, "text") {
        Some(text) if !text.trim().is_empty() => {}
        Some(_) => violations.push(format!(
            "{place}: a text must not be empty or white space; leave the block out."
        )),
        None => violations.push(format!("{place}: `text` must be a string.")),
    }
}

pub(super) fn image_block(block: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    only(
        block,
        &["type", "source", "cache_control"],
        place,
        violations,
    );
    let Some(source) = block.get("source").and_then(Value::as_object) else {
        violations.push(format!("{place}: `source` must be an object."));
        return;
    };
    let checked = match text(source, "type") {
        Some("base64") => {
            only(source, &["type", "media_type", "data"], place, violations);
            image::check(
                text(source, "media_type").unwrap_or_default(),
                text(source, "data").unwrap_or_default(),
            )
        }
        Some("url") => {
            only(source, &["type", "url"], place, violations);
            image::check_url(text(source, "url").unwrap_or_default())
        }
        _ => Err("`source.type` must be base64 or url.".to_owned()),
    };
    if let Err(sentence) = checked {
        violations.push(format!("{place}: {sentence}"));
    }
}

pub(super) fn thinking(block: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    only(block, &["type", "thinking", "signature"], place, violations);
    let (Some(thought), Some(signature)) = (text(block, "thinking"), text(block, "signature"))
    else {
        violations.push(format!(
            "{place}: `thinking` and `signature` must be strings."
        ));
        return;
    };
    if signature.is_empty() {
        violations.push(format!(
            "{place}: the signature is empty; leave the block out."
        ));
    } else if signature.starts_with(seal::ENCRYPTED) {
        violations.push(format!(
            "{place}: the signature was made by a server of another format."
        ));
    } else if signature.starts_with(seal::SIGNATURE)
        && signature != seal::make(crate::api::Api::Messages, thought)
    {
        violations.push(format!(
            "{place}: the thinking is not what the signature was made for."
        ));
    }
}

pub(super) fn redacted(block: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    only(block, &["type", "data"], place, violations);
    if text(block, "data").is_none_or(str::is_empty) {
        violations.push(format!("{place}: `data` must be a non-empty string."));
    }
}

pub(super) fn tool_use(block: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let known = ["type", "id", "name", "input", "cache_control", "caller"];
    only(block, &known, place, violations);
    let name = text(block, "name").unwrap_or_default();
    if !is_tool_name(name) {
        violations.push(format!("{place}: {name:?} cannot be the name of a tool."));
    }
    if !block.get("input").is_some_and(Value::is_object) {
        violations.push(format!("{place}: `input` must be an object."));
    }
    let id = text(block, "id").unwrap_or_default();
    if !is_id(id) {
        violations.push(format!(
            "{place}: the id {id:?} must be letters, digits, `_` or `-`."
        ));
    }
}

pub(super) fn is_id(id: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    !id.is_empty() && id.bytes().all(fits)
}

pub(super) fn tool_result(block: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let known = [
        "type",
        "tool_use_id",
        "content",
        "is_error",
        "cache_control",
    ];
    only(block, &known, place, violations);
    let failed = match block.get("is_error") {
        None => false,
        Some(Value::Bool(failed)) => *failed,
        Some(_) => {
            violations.push(format!("{place}: `is_error` must be true or false."));
            false
        }
    };
    let empty = match block.get("content") {
        None => true,
        Some(Value::String(text)) => text.is_empty(),
        Some(Value::Array(parts)) => {
            for (index, part) in parts.iter().enumerate() {
                inside_result(part, &format!("{place}.content[{index}]"), violations);
            }
            parts.is_empty()
        }
        Some(_) => {
            violations.push(format!(
                "{place}: `content` must be a string or a list of blocks."
            ));
            false
        }
    };
    if failed && empty {
        violations.push(format!(
            "{place}: `content` must not be empty when `is_error` is true."
        ));
    }
}

fn inside_result(part: &Value, place: &str, violations: &mut Vec<String>) {
    let part = part.as_object();
    match part.and_then(|part| Some((part, text(part, "type")?))) {
        Some((part, "text")) => text_block(part, place, violations),
        Some((part, "image")) => image_block(part, place, violations),
        Some((_, "document" | "search_result")) => {}
        _ => violations.push(format!(
            "{place}: a result holds text, images and documents."
        )),
    }
}
