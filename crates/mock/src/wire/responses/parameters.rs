//! The parameters around the conversation.

use serde_json::{Map, Value};

use crate::wire::{only, text};

/// Those of the format's owner, without what it keeps on its servers, and the
/// one that the Codex backend has besides.
const PARAMETERS: &[&str] = &[
    "client_metadata",
    "include",
    "input",
    "instructions",
    "max_output_tokens",
    "max_tool_calls",
    "metadata",
    "model",
    "parallel_tool_calls",
    "prompt_cache_key",
    "prompt_cache_retention",
    "reasoning",
    "safety_identifier",
    "service_tier",
    "store",
    "stream",
    "stream_options",
    "temperature",
    "text",
    "tool_choice",
    "tools",
    "top_logprobs",
    "top_p",
    "truncation",
    "user",
];

const INCLUDED: &[&str] = &[
    "code_interpreter_call.outputs",
    "computer_call_output.output.image_url",
    "file_search_call.results",
    "message.input_image.image_url",
    "message.output_text.logprobs",
    "reasoning.encrypted_content",
    "web_search_call.action.sources",
    "web_search_call.results",
];

/// The owner refuses less.
const LEAST_OUTPUT: u64 = 16;

/// The owner refuses longer ones.
const LONGEST_KEY: usize = 64;

pub(super) fn check(request: &Map<String, Value>, violations: &mut Vec<String>) {
    only(request, PARAMETERS, "The request", violations);
    if text(request, "model").is_none_or(str::is_empty) {
        violations.push("`model` must be a non-empty string.".to_owned());
    }
    if request
        .get("instructions")
        .is_some_and(|value| !value.is_string())
    {
        violations.push("`instructions` must be a string.".to_owned());
    }
    for name in ["stream", "parallel_tool_calls"] {
        if request.get(name).is_some_and(|value| !value.is_boolean()) {
            violations.push(format!("`{name}` must be true or false."));
        }
    }
    if request.contains_key("stream_options") && request.get("stream") != Some(&Value::Bool(true)) {
        violations.push("`stream_options` goes only with `stream: true`.".to_owned());
    }
    let output = request.get("max_output_tokens");
    if output.is_some_and(|limit| limit.as_u64().is_none_or(|limit| limit < LEAST_OUTPUT)) {
        violations.push("`max_output_tokens` must be a whole number, 16 at least.".to_owned());
    }
    for (name, most) in [("temperature", 2.0), ("top_p", 1.0)] {
        let fits = |value: &Value| value.as_f64().is_some_and(|v| (0.0..=most).contains(&v));
        if request.get(name).is_some_and(|value| !fits(value)) {
            violations.push(format!("`{name}` must be a number from 0 to {most}."));
        }
    }
    stored(request, violations);
    objects(request, violations);
}

/// One backend refuses to store, others store what nobody asked them to. And
/// what is not stored must come back with every request.
fn stored(request: &Map<String, Value>, violations: &mut Vec<String>) {
    if request.get("store") != Some(&Value::Bool(false)) {
        violations.push("`store` must be false.".to_owned());
    }
    let included = match request.get("include") {
        None => &Vec::new(),
        Some(Value::Array(names)) => names,
        Some(_) => {
            violations.push("`include` must be a list of names.".to_owned());
            return;
        }
    };
    for name in included {
        if !name.as_str().is_some_and(|name| INCLUDED.contains(&name)) {
            violations.push(format!("`include` names {name}, which is nothing."));
        }
    }
    // A model that does not reason refuses to be asked for it.
    let encrypted = Value::from("reasoning.encrypted_content");
    if reasons(request) && !included.contains(&encrypted) {
        violations.push(
            "`store: false` goes with `include: [\"reasoning.encrypted_content\"]`.".to_owned(),
        );
    }
}

/// Whether reasoning is asked for or given back.
fn reasons(request: &Map<String, Value>) -> bool {
    let asked = request
        .get("reasoning")
        .and_then(|value| value.get("effort"));
    let asked = asked
        .and_then(Value::as_str)
        .is_some_and(|effort| effort != "none");
    let items = request.get("input").and_then(Value::as_array);
    let kind = |item: &Value| item.get("type").and_then(Value::as_str) == Some("reasoning");
    asked || items.is_some_and(|items| items.iter().any(kind))
}

fn objects(request: &Map<String, Value>, violations: &mut Vec<String>) {
    for (name, known) in [
        ("reasoning", &["effort", "summary"][..]),
        ("text", &["format", "verbosity"][..]),
    ] {
        match request.get(name) {
            None => {}
            Some(Value::Object(object)) => only(object, known, name, violations),
            Some(_) => violations.push(format!("`{name}` must be an object.")),
        }
    }
    for name in ["metadata", "client_metadata"] {
        let texts = |value: &Value| {
            let object = value.as_object();
            object.is_some_and(|object| object.values().all(Value::is_string))
        };
        if request.get(name).is_some_and(|value| !texts(value)) {
            violations.push(format!("`{name}` must be an object of texts."));
        }
    }
    let key = request.get("prompt_cache_key");
    let fits = |key: &Value| {
        let length = key.as_str().map_or(0, str::len);
        (1..=LONGEST_KEY).contains(&length)
    };
    if key.is_some_and(|key| !fits(key)) {
        violations.push("`prompt_cache_key` must be a text of 1 to 64 bytes.".to_owned());
    }
}
