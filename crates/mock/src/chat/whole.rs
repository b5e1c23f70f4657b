//! An answer as one chat completion, for clients that did not ask for a stream.

use serde_json::{Value, json};

use crate::answer::{Answer, Call};
use crate::shape::{Quirk, Shape};

pub(crate) fn completion(answer: Answer) -> Value {
    let shape = &answer.shape;
    let mut message = json!({"role": "assistant", "content": answer.content});
    if answer.content.is_none() && answer.calls.is_empty() {
        message["content"] = json!("");
    }
    if let Some(reasoning) = answer.reasoning {
        message["reasoning_content"] = json!(reasoning);
    }
    if let Some(first) = answer.calls.first() {
        if shape.has(Quirk::LlamaCppPython) {
            message["function_call"] = json!({"name": first.name, "arguments": first.arguments});
        }
        let calls: Vec<Value> = answer.calls.iter().map(|call| entry(call, shape)).collect();
        message["tool_calls"] = json!(calls);
    }
    let mut completion = json!({
        "id": answer.id,
        "object": "chat.completion",
        "created": answer.created,
        "model": answer.model,
        "choices": [{"index": 0, "message": message, "finish_reason": answer.finish_reason}],
    });
    if let Some(usage) = answer.usage {
        completion["usage"] = Value::Object(usage);
    }
    completion
}

fn entry(call: &Call, shape: &Shape) -> Value {
    let mut entry = json!({});
    if !shape.has(Quirk::NoIds) {
        entry["id"] = json!(call.id);
    }
    entry["type"] = json!("function");
    let arguments = match serde_json::from_str(&call.arguments) {
        Ok(object @ Value::Object(_)) if shape.has(Quirk::ArgumentsObject) => object,
        _ => json!(call.arguments),
    };
    entry["function"] = json!({"name": call.name, "arguments": arguments});
    entry
}
