//! The items of a response, as they stand at the end and in `output_item.done`.

use serde_json::{Value, json};

use crate::answer::{Answer, Call};
use crate::shape::{Quirk, Shape};
use crate::tally;

pub(super) fn reasoning(answer: &Answer, text: &str) -> Value {
    let mut item = json!({
        "id": format!("rs_{}", answer.id),
        "type": "reasoning",
        "summary": [{"type": "summary_text", "text": text}],
    });
    if answer.shape.has(Quirk::LlamaCpp) {
        item["summary"] = json!([]);
        item["content"] = json!([{"type": "reasoning_text", "text": text}]);
        item["encrypted_content"] = json!("");
        item["status"] = json!("completed");
    }
    if let Some(seal) = &answer.seal {
        item["encrypted_content"] = json!(seal);
    }
    item
}

pub(super) fn message(answer: &Answer, text: &str) -> Value {
    json!({
        "id": format!("msg_{}", answer.id),
        "type": "message",
        "status": "completed",
        "content": [part(&answer.shape, text)],
        "role": "assistant",
    })
}

/// A part with its text, or before it has any.
pub(super) fn part(shape: &Shape, text: &str) -> Value {
    let mut part = json!({"type": "output_text"});
    if !(shape.has(Quirk::LlamaCpp) && text.is_empty()) {
        part["annotations"] = json!([]);
        if !shape.has(Quirk::LiteLlm) {
            part["logprobs"] = json!([]);
        }
    }
    part["text"] = json!(text);
    part
}

pub(super) fn call(answer: &Answer, index: usize, call: &Call) -> Value {
    let mut item = json!({
        "id": format!("fc_{}_{index}", answer.id),
        "type": "function_call",
        "status": "completed",
        "arguments": arguments(call, &answer.shape),
    });
    if !answer.shape.has(Quirk::NoIds) {
        item["call_id"] = json!(call.id);
    }
    item["name"] = json!(call.name);
    item
}

fn arguments(call: &Call, shape: &Shape) -> Value {
    match serde_json::from_str(&call.arguments) {
        Ok(object @ Value::Object(_)) if shape.has(Quirk::ArgumentsObject) => object,
        _ => json!(call.arguments),
    }
}

/// All items, in the order in which they are streamed.
pub(super) fn all(answer: &Answer) -> Vec<Value> {
    let reasoning = answer.reasoning.iter().map(|text| reasoning(answer, text));
    let said = answer.content.iter().map(|text| message(answer, text));
    let calls = answer.calls.iter().enumerate();
    let calls = calls.map(|(index, entry)| call(answer, index, entry));
    reasoning.chain(said).chain(calls).collect()
}

/// How a response ended.
pub(super) fn status(answer: &Answer) -> &'static str {
    match answer.finish_reason.as_str() {
        "length" | "content_filter" => "incomplete",
        _ => "completed",
    }
}

/// The response object around its items.
pub(super) fn response(answer: &Answer, status: &str, output: Vec<Value>) -> Value {
    let details = match (status, answer.finish_reason.as_str()) {
        ("incomplete", "length") => json!({"reason": "max_output_tokens"}),
        ("incomplete", other) => json!({"reason": other}),
        _ => Value::Null,
    };
    let usage = match (status, &answer.usage) {
        ("in_progress", _) | (_, None) => Value::Null,
        (_, Some(usage)) => tally::of_responses(usage),
    };
    json!({
        "id": format!("resp_{}", answer.id),
        "object": "response",
        "created_at": answer.created,
        "status": status,
        "background": false,
        "error": null,
        "incomplete_details": details,
        "instructions": null,
        "max_output_tokens": null,
        "model": answer.model,
        "output": output,
        "parallel_tool_calls": true,
        "previous_response_id": null,
        "reasoning": {"effort": null, "summary": null},
        "store": false,
        "temperature": 1.0,
        "text": {"format": {"type": "text"}},
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "truncation": "disabled",
        "usage": usage,
        "user": null,
        "metadata": {},
    })
}
