//! The fields of a reply as servers really write them. Never fails; what is not
//! understood is left out.

use crate::codec::chat::fields::count;
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use tenon_vocab::{StopReason, Usage};

/// One delta of a block. Nearly all of a stream is these, so they are read
/// without a tree of values where they are written as they should be.
#[derive(Debug, Deserialize)]
pub(super) struct BlockDelta<'d> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'d, str>,
    index: u64,
    #[serde(borrow)]
    delta: Content<'d>,
}

#[derive(Debug, Deserialize)]
struct Content<'d> {
    #[serde(borrow, rename = "type")]
    kind: Cow<'d, str>,
    #[serde(borrow, default)]
    text: Cow<'d, str>,
    #[serde(borrow, default)]
    partial_json: Cow<'d, str>,
    #[serde(borrow, default)]
    thinking: Cow<'d, str>,
    #[serde(borrow, default)]
    signature: Cow<'d, str>,
}

/// What one delta adds.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Addition<'d> {
    Text(Cow<'d, str>),
    Thinking(Cow<'d, str>),
    Signature(Cow<'d, str>),
    Json(Cow<'d, str>),
}

/// Reads a delta the quick way; `None` when it is something else, or written
/// in another way.
pub(super) fn quick(data: &[u8]) -> Option<(Option<u64>, Addition<'_>)> {
    let event: BlockDelta<'_> = serde_json::from_slice(data).ok()?;
    if event.kind != "content_block_delta" {
        return None;
    }
    let content = event.delta;
    let addition = match &*content.kind {
        "text_delta" => Addition::Text(content.text),
        "input_json_delta" => Addition::Json(content.partial_json),
        "thinking_delta" => Addition::Thinking(content.thinking),
        "signature_delta" => Addition::Signature(content.signature),
        _ => return None,
    };
    Some((Some(event.index), addition))
}

/// Reads a delta whatever it looks like: the field that is there says what it is.
pub(super) fn addition(delta: &Value) -> Option<Addition<'_>> {
    let text = |name: &str| delta.get(name).and_then(Value::as_str).map(Cow::Borrowed);
    if let Some(json) = text("partial_json") {
        return Some(Addition::Json(json));
    }
    if let Some(json) = delta.get("partial_json").filter(|json| json.is_object()) {
        return Some(Addition::Json(Cow::Owned(json.to_string())));
    }
    text("thinking")
        .map(Addition::Thinking)
        .or_else(|| text("signature").map(Addition::Signature))
        .or_else(|| text("text").map(Addition::Text))
}

/// What a server calls the end of an answer; `None` for a word not known.
pub(super) fn stop_reason(text: &str) -> Option<StopReason> {
    match text.to_ascii_lowercase().as_str() {
        "end_turn" | "stop_sequence" | "pause_turn" | "stop" => Some(StopReason::EndTurn),
        "tool_use" | "tool_calls" => Some(StopReason::ToolUse),
        "max_tokens" | "model_context_window_exceeded" | "length" => Some(StopReason::MaxTokens),
        "refusal" | "content_filter" | "guardrail_intervened" => Some(StopReason::ContentFilter),
        "error" => Some(StopReason::Error),
        _ => None,
    }
}

/// The counts of one reply, which come in several events: a later figure
/// counts, unless it is a nought after a real one.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Counts {
    input: Option<u64>,
    read: Option<u64>,
    written: Option<u64>,
    output: Option<u64>,
    thinking: Option<u64>,
}

impl Counts {
    pub(super) fn update(&mut self, usage: &Value) {
        let better = |held: &mut Option<u64>, path: &str| {
            if let Some(count) = usage.pointer(path).and_then(count)
                && (count > 0 || held.is_none())
            {
                *held = Some(count);
            }
        };
        better(&mut self.input, "/input_tokens");
        better(&mut self.read, "/cache_read_input_tokens");
        better(&mut self.written, "/cache_creation_input_tokens");
        better(&mut self.output, "/output_tokens");
        better(&mut self.thinking, "/output_tokens_details/thinking_tokens");
    }

    /// The whole prompt is what was new, what was read from the cache and what
    /// was written into it.
    pub(super) fn usage(self) -> Option<Usage> {
        if self.input.is_none() && self.output.is_none() {
            return None;
        }
        let (read, written) = (self.read.unwrap_or(0), self.written.unwrap_or(0));
        Some(Usage {
            input: self.input.unwrap_or(0) + read + written,
            output: self.output.unwrap_or(0),
            cached: read,
            cache_write: written,
            reasoning: self.thinking.unwrap_or(0),
            estimated: false,
        })
    }
}
