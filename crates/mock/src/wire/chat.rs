//! The chat format (`POST /chat/completions`), as the strictest of its many
//! servers reads it. A request without violations is understood everywhere.

mod conversation;
mod prefix;
mod tools;

use serde_json::{Map, Value};

pub use prefix::validate_prefix;

use crate::wire::{self, duplicates};

/// The parameters of the format's owner, without those it has retired.
const PARAMETERS: &[&str] = &[
    "audio",
    "frequency_penalty",
    "logit_bias",
    "logprobs",
    "max_completion_tokens",
    "max_tokens",
    "messages",
    "metadata",
    "modalities",
    "model",
    "n",
    "parallel_tool_calls",
    "prediction",
    "presence_penalty",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning_effort",
    "response_format",
    "safety_identifier",
    "seed",
    "service_tier",
    "stop",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "user",
    "verbosity",
    "web_search_options",
];

/// What the strictest server would reject in this body, each a sentence that
/// says where. Empty when there is nothing.
pub fn validate(body: &[u8]) -> Vec<String> {
    let value: Value = match serde_json::from_slice(body) {
        Ok(value) => value,
        Err(error) => return vec![format!("The body is not JSON: {error}.")],
    };
    let Value::Object(request) = value else {
        return vec!["The body must be a JSON object.".to_owned()];
    };
    let mut violations = Vec::new();
    duplicates::check(body, &mut violations);
    parameters(&request, &mut violations);
    match request.get("messages") {
        Some(Value::Array(messages)) => conversation::check(messages, &mut violations),
        _ => violations.push("`messages` must be an array.".to_owned()),
    }
    tools::check(&request, &mut violations);
    wire::shortened(violations)
}

fn parameters(request: &Map<String, Value>, violations: &mut Vec<String>) {
    for name in request.keys() {
        if !PARAMETERS.contains(&name.as_str()) {
            violations.push(format!(
                "`{name}` is not a parameter of this format; leave it out."
            ));
        }
    }
    match request.get("model") {
        Some(Value::String(model)) if !model.is_empty() => {}
        _ => violations.push("`model` must be a non-empty string.".to_owned()),
    }
    let streams = match request.get("stream") {
        None => false,
        Some(Value::Bool(streams)) => *streams,
        Some(_) => {
            violations.push("`stream` must be true or false.".to_owned());
            false
        }
    };
    match request.get("stream_options") {
        None => {}
        Some(_) if !streams => {
            violations.push("`stream_options` goes only with `stream: true`.".to_owned());
        }
        Some(Value::Object(_)) => {}
        Some(_) => violations.push("`stream_options` must be an object.".to_owned()),
    }
    for name in ["max_tokens", "max_completion_tokens"] {
        if request
            .get(name)
            .is_some_and(|limit| limit.as_u64().is_none_or(|limit| limit == 0))
        {
            violations.push(format!("`{name}` must be a whole number above 0."));
        }
    }
    for (name, most) in [("temperature", 2.0), ("top_p", 1.0)] {
        let fits = |value: &Value| value.as_f64().is_some_and(|v| (0.0..=most).contains(&v));
        if request.get(name).is_some_and(|value| !fits(value)) {
            violations.push(format!("`{name}` must be a number from 0 to {most}."));
        }
    }
}
