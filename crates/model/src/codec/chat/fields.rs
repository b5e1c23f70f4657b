//! The fields of a chat completion, read as servers really write them: content
//! as a string, a list or an object, usage under several names. Never fails;
//! what is not understood is shown or left out, as each function says.

use crate::think::Channel;
use serde_json::Value;
use tenon_vocab::{StopReason, Usage};

/// Gives out the text of a content field, whatever its shape. A content that
/// holds something, but no text, is shown as compact JSON (P8).
pub(super) fn content(value: &Value, sink: &mut dyn FnMut(Channel, &str)) {
    let empty = match value {
        Value::Null => true,
        Value::Array(items) => items.is_empty(),
        Value::Object(fields) => fields.is_empty(),
        _ => false,
    };
    if !empty && !texts(value, Channel::Answer, sink) {
        sink(Channel::Answer, &value.to_string());
    }
}

/// Gives out the text of the first field that holds reasoning: servers that
/// send several repeat themselves.
pub(super) fn reasoning(delta: &Value, sink: &mut dyn FnMut(&str)) {
    for key in ["reasoning_content", "reasoning", "reasoning_details"] {
        let mut found = false;
        if let Some(value) = delta.get(key) {
            texts(value, Channel::Reasoning, &mut |_, text| {
                found |= !text.is_empty();
                sink(text);
            });
        }
        if found {
            return;
        }
    }
}

/// Whether there was any text, even an empty one.
fn texts(value: &Value, channel: Channel, sink: &mut dyn FnMut(Channel, &str)) -> bool {
    match value {
        Value::String(text) => {
            sink(channel, text);
            true
        }
        Value::Array(items) => {
            let mut found = false;
            for item in items {
                found |= texts(item, channel, sink);
            }
            found
        }
        Value::Object(fields) => {
            let channel = match fields.get("type").and_then(Value::as_str) {
                Some(kind) if kind.contains("thinking") || kind.contains("reasoning") => {
                    Channel::Reasoning
                }
                _ => channel,
            };
            [
                "text",
                "thinking",
                "reasoning",
                "summary",
                "content",
                "refusal",
                "value",
            ]
            .iter()
            .filter_map(|&key| fields.get(key))
            .find(|value| !value.is_null())
            .is_some_and(|value| texts(value, channel, sink))
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}

/// What a server calls the end of an answer; `None` for a word not known.
pub(super) fn stop_reason(text: &str) -> Option<StopReason> {
    match text.to_ascii_lowercase().as_str() {
        "stop" | "end_turn" | "eos" | "eos_token" | "stop_sequence" | "complete" => {
            Some(StopReason::EndTurn)
        }
        "tool_calls" | "tool_call" | "function_call" | "tool_use" => Some(StopReason::ToolUse),
        "length" | "max_tokens" | "model_length" | "max_output_tokens" => {
            Some(StopReason::MaxTokens)
        }
        "content_filter" | "content-filter" | "safety" | "recitation" | "refusal"
        | "prohibited_content" | "blocklist" | "sensitive" => Some(StopReason::ContentFilter),
        "error" => Some(StopReason::Error),
        _ => None,
    }
}

/// llama.cpp: how much of the prompt was read, what its cache had included.
pub(super) fn percent(progress: &Value) -> Option<u8> {
    let number = |name: &str| progress.get(name).and_then(count);
    let (total, read) = (number("total")?, number("processed")?);
    let percent = (read.min(total) * 100).checked_div(total)?;
    u8::try_from(percent).ok()
}

/// The token counts, when there are any.
pub(in crate::codec) fn usage(value: &Value) -> Option<Usage> {
    let first = |paths: &[&str]| {
        paths
            .iter()
            .find_map(|path| value.pointer(path).and_then(count))
    };
    let input = first(&["/prompt_tokens", "/input_tokens"]);
    let output = first(&["/completion_tokens", "/output_tokens"]);
    if input.is_none() && output.is_none() {
        return None;
    }
    Some(Usage {
        input: input.unwrap_or(0),
        output: output.unwrap_or(0),
        cached: first(&[
            "/prompt_tokens_details/cached_tokens",
            "/input_tokens_details/cached_tokens",
            "/prompt_cache_hit_tokens",
            "/cached_tokens",
        ])
        .unwrap_or(0),
        cache_write: first(&[
            "/prompt_tokens_details/cache_write_tokens",
            "/cache_creation_input_tokens",
        ])
        .unwrap_or(0),
        reasoning: first(&[
            "/completion_tokens_details/reasoning_tokens",
            "/output_tokens_details/reasoning_tokens",
        ])
        .unwrap_or(0),
        estimated: false,
    })
}

/// A number that may be a count. Bounded, so that sums cannot overflow.
pub(in crate::codec) fn count(value: &Value) -> Option<u64> {
    let number = value.as_u64().or_else(|| {
        value
            .as_f64()
            .filter(|float| *float >= 0.0)
            .map(|float| float as u64)
    })?;
    Some(number.min(1 << 40))
}
