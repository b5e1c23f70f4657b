//! Building replies of the Messages format, event by event.

use crate::support::{Run, resume};
use serde_json::{Value, json};
use tenon_model::codec::MessagesDecoder;
use tenon_vocab::Part;

pub fn decode(body: &str) -> Run {
    resume(MessagesDecoder::new(), Vec::new(), [body.as_bytes()])
}

/// Events with their names, as the format's owner writes them.
pub fn events(values: &[Value]) -> String {
    values
        .iter()
        .map(|value| {
            let name = value["type"].as_str().unwrap_or("message");
            format!("event: {name}\ndata: {value}\n\n")
        })
        .collect()
}

pub fn start(index: u64, block: Value) -> Value {
    json!({"type": "content_block_start", "index": index, "content_block": block})
}

pub fn delta(index: u64, delta: Value) -> Value {
    json!({"type": "content_block_delta", "index": index, "delta": delta})
}

pub fn text(index: u64, text: &str) -> Value {
    delta(index, json!({"type": "text_delta", "text": text}))
}

pub fn thinking(index: u64, text: &str) -> Value {
    delta(index, json!({"type": "thinking_delta", "thinking": text}))
}

pub fn signature(index: u64, signature: &str) -> Value {
    delta(
        index,
        json!({"type": "signature_delta", "signature": signature}),
    )
}

pub fn input(index: u64, json: &str) -> Value {
    delta(
        index,
        json!({"type": "input_json_delta", "partial_json": json}),
    )
}

pub fn tool(index: u64, id: &str) -> Value {
    start(
        index,
        json!({"type": "tool_use", "id": id, "name": "read", "input": {}}),
    )
}

pub fn stop(index: u64) -> Value {
    json!({"type": "content_block_stop", "index": index})
}

pub fn message_start() -> Value {
    json!({"type": "message_start", "message": {
        "id": "msg_1", "type": "message", "role": "assistant", "content": [], "model": "m",
        "stop_reason": null, "stop_sequence": null,
        "usage": {"input_tokens": 10, "cache_creation_input_tokens": 20,
                  "cache_read_input_tokens": 300, "output_tokens": 1},
    }})
}

pub fn message_delta(reason: &str) -> Value {
    json!({"type": "message_delta",
        "delta": {"stop_reason": reason, "stop_sequence": null},
        "usage": {"output_tokens": 42}})
}

/// The events of the blocks between a right beginning and a right end.
pub fn whole(blocks: &[Value], reason: &str) -> String {
    let mut all = vec![message_start(), json!({"type": "ping"})];
    all.extend_from_slice(blocks);
    all.push(message_delta(reason));
    all.push(json!({"type": "message_stop"}));
    events(&all)
}

pub fn blocks(blocks: &[Value], reason: &str) -> Run {
    decode(&whole(blocks, reason))
}

pub fn kinds(run: &Run) -> Vec<&str> {
    run.finished()
        .message
        .parts
        .iter()
        .map(|part| match part {
            Part::Text { text } => text.as_str(),
            Part::Reasoning { .. } => "reasoning",
            Part::ToolCall(_) => "call",
            Part::Opaque { .. } => "opaque",
            _ => "other",
        })
        .collect()
}
