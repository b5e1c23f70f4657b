//! The parameters around the conversation.

use serde_json::{Map, Value};

use super::block;
use crate::wire::{only, text};

const COUNTED: &[&str] = &[
    "cache_control",
    "messages",
    "model",
    "output_config",
    "system",
    "thinking",
    "tool_choice",
    "tools",
];

const PARAMETERS: &[&str] = &[
    "cache_control",
    "container",
    "inference_geo",
    "max_tokens",
    "messages",
    "metadata",
    "model",
    "output_config",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];

/// Less is refused.
const LEAST_BUDGET: u64 = 1024;

pub(super) fn check(request: &Map<String, Value>, violations: &mut Vec<String>) {
    only(request, PARAMETERS, "The request", violations);
    common(request, violations);
    let most = match request.get("max_tokens").and_then(Value::as_u64) {
        Some(most) if most > 0 => most,
        _ => {
            violations.push("`max_tokens` must be there, a whole number above 0.".to_owned());
            return;
        }
    };
    if request
        .get("stream")
        .is_some_and(|value| !value.is_boolean())
    {
        violations.push("`stream` must be true or false.".to_owned());
    }
    for name in ["temperature", "top_p"] {
        let fits = |value: &Value| value.as_f64().is_some_and(|v| (0.0..=1.0).contains(&v));
        if request.get(name).is_some_and(|value| !fits(value)) {
            violations.push(format!("`{name}` must be a number from 0 to 1."));
        }
    }
    thinking(request, most, violations);
}

pub(super) fn check_count(request: &Map<String, Value>, violations: &mut Vec<String>) {
    only(request, COUNTED, "The request", violations);
    common(request, violations);
}

fn common(request: &Map<String, Value>, violations: &mut Vec<String>) {
    if text(request, "model").is_none_or(str::is_empty) {
        violations.push("`model` must be a non-empty string.".to_owned());
    }
    match request.get("system") {
        None => {}
        Some(Value::String(text)) if !text.trim().is_empty() => {}
        Some(Value::Array(blocks)) if !blocks.is_empty() => {
            for (index, part) in blocks.iter().enumerate() {
                let place = format!("system[{index}]");
                match part.as_object() {
                    Some(part) if text(part, "type") == Some("text") => {
                        block::text_block(part, &place, violations);
                    }
                    _ => violations.push(format!("{place}: only text blocks stand here.")),
                }
            }
        }
        Some(_) => violations.push(
            "`system` must be a text or a list of text blocks, and not empty; leave it out."
                .to_owned(),
        ),
    }
}

/// Whether the request asks for thinking with a budget of its own.
pub(super) fn thinks(request: &Map<String, Value>) -> bool {
    let thinking = request.get("thinking");
    thinking
        .and_then(|value| value.get("type"))
        .and_then(Value::as_str)
        == Some("enabled")
}

fn thinking(request: &Map<String, Value>, most: u64, violations: &mut Vec<String>) {
    let Some(thinking) = request.get("thinking") else {
        return;
    };
    let kind = thinking.get("type").and_then(Value::as_str);
    if !matches!(kind, Some("enabled" | "disabled" | "adaptive")) {
        violations.push("`thinking.type` must be enabled, disabled or adaptive.".to_owned());
    }
    if kind != Some("enabled") {
        return;
    }
    match thinking.get("budget_tokens").and_then(Value::as_u64) {
        Some(budget) if budget < LEAST_BUDGET => {
            violations.push("`thinking.budget_tokens` must be at least 1024.".to_owned());
        }
        Some(budget) if budget >= most => {
            violations.push("`max_tokens` must be above `thinking.budget_tokens`.".to_owned());
        }
        Some(_) => {}
        None => violations.push("`thinking.budget_tokens` must be a whole number.".to_owned()),
    }
    let warm = request
        .get("temperature")
        .is_some_and(|value| value.as_f64() != Some(1.0));
    if warm {
        violations.push("`temperature` may only be 1 when thinking is enabled.".to_owned());
    }
    let forced = request
        .get("tool_choice")
        .and_then(|choice| choice.get("type"));
    if matches!(forced.and_then(Value::as_str), Some("any" | "tool")) {
        violations.push("A tool cannot be forced when thinking is enabled.".to_owned());
    }
}
