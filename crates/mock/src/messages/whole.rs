//! An answer as one message, for clients that did not ask for a stream.

use serde_json::{Value, json};

use super::stop_reason;
use super::stream::message_id;
use crate::answer::{Answer, Call};
use crate::shape::{Quirk, Shape};
use crate::tally;

pub(crate) fn message(answer: Answer) -> Value {
    let shape = &answer.shape;
    let mut content = Vec::new();
    if let Some(reasoning) = answer.reasoning {
        let signature = answer.seal.unwrap_or_default();
        content.push(json!({"type": "thinking", "thinking": reasoning, "signature": signature}));
    }
    if let Some(text) = answer.content {
        content.push(json!({"type": "text", "text": text}));
    }
    content.extend(answer.calls.iter().map(|call| tool_use(call, shape)));
    let mut message = json!({
        "id": message_id(&answer.id, shape),
        "type": "message",
        "role": "assistant",
        "model": answer.model,
        "content": content,
        "stop_reason": stop_reason(&answer.finish_reason),
        "stop_sequence": null,
    });
    if let Some(usage) = &answer.usage {
        message["usage"] = Value::Object(tally::of_messages(usage));
    }
    message
}

/// Arguments that are not JSON cannot be an object; they go out as the text
/// that they are, for the client to stumble over.
fn tool_use(call: &Call, shape: &Shape) -> Value {
    let mut block = json!({"type": "tool_use"});
    if !shape.has(Quirk::NoIds) {
        block["id"] = json!(call.id);
    }
    block["name"] = json!(call.name);
    block["input"] = serde_json::from_str(&call.arguments)
        .ok()
        .filter(Value::is_object)
        .unwrap_or_else(|| json!(call.arguments));
    block
}
