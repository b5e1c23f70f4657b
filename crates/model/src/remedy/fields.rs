//! The name of a field in a refusal: in the error's own field for it, in the
//! place that a validator names, or beside the words that refuse it.

use serde_json::Value;

/// What may be left out of a request. Everything else makes a request what it
/// is, and is never left out because a server said so.
const LEFT_OUT: &[&str] = &[
    "temperature",
    "top_p",
    "stream_options",
    "tool_choice",
    "parallel_tool_calls",
    "reasoning_effort",
    "reasoning",
    "reasoning.effort",
    "reasoning.summary",
    "reasoning.encrypted_content",
    "include",
    "prompt_cache_key",
    "return_progress",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "thinking",
    "cache_control",
    BLOCK_MARKS,
    "client_metadata",
    "metadata",
    "output_config",
];

/// The marks of single blocks, wherever they stand: a server that refuses one
/// takes none. The mark of the whole request is another field, for which
/// gateways have their own answer.
const BLOCK_MARKS: &str = "system.cache_control";

/// What stands before a name that is refused.
const BEFORE: &[&str] = &[
    "unsupported parameter:",
    "unsupported parameters:",
    "unsupported parameter",
    "unknown parameter:",
    "unknown parameter",
    "unrecognized parameter",
    "unexpected parameter",
    "unsupported value:",
    "unrecognized request argument supplied:",
    "unrecognized request arguments supplied:",
    "unexpected keyword argument",
    "unknown name",
    "unknown field",
    "unrecognized field",
    "unrecognized key(s) in object:",
    "unrecognized key",
    "argument not supported on this model:",
    "additional properties are not allowed (",
    "does not support parameters:",
    "does not support parameter",
    "does not support this",
    "does not support the",
    "does not support",
    "doesn't support",
    "support the provided",
];

/// What stands behind a name that is refused.
const BEHIND: &[&str] = &[
    "is not supported",
    "are not supported",
    "is unsupported",
    "not supported",
    "does not support",
    "is not allowed",
    "is not permitted",
    "is not a parameter",
    "is deprecated",
    "is not available",
    "cannot be used",
    "cannot both be specified",
    "may only be set",
    "was unexpected",
    ": extra inputs are not permitted",
    "extra fields not permitted",
];

/// Codes that go with the name of a field.
const CODES: &[&str] = &[
    "unsupported_parameter",
    "unknown_parameter",
    "unsupported_value",
    "unrecognized_parameter",
    "invalid_parameter",
];

/// Names that one text may give, at most.
const MAX_NAMES: usize = 16;

pub(crate) fn may_be_left_out(field: &str) -> bool {
    LEFT_OUT.contains(&field)
}

/// Whether the name is the field that asks a server to keep nothing. It is
/// never left out because a server said so: then it would keep what is sent.
pub(super) fn is_store(name: &str) -> bool {
    name.strip_prefix("body.").unwrap_or(name) == "store"
}

/// Whether the name is the list of tools as a whole.
pub(super) fn is_tools(name: &str) -> bool {
    matches!(
        name.strip_prefix("body.").unwrap_or(name),
        "tools" | "functions"
    )
}

/// The field that a name means, as we call it. Of a path it is the last part
/// that is known; of names in other spellings, the one without their signs.
pub(super) fn known(name: &str) -> Option<&'static str> {
    // Anthropic writes of it without the field that it stands in.
    if name == "effort" {
        return Some("output_config");
    }
    let place = name.strip_prefix("body.").unwrap_or(name);
    if place.ends_with(".cache_control") {
        return Some(BLOCK_MARKS);
    }
    let plain = |text: &str| text.replace('_', "");
    let whole = plain(name);
    let found = LEFT_OUT.iter().find(|field| plain(field) == whole);
    found
        .or_else(|| {
            name.rsplit('.').find_map(|part| {
                let part = plain(part);
                LEFT_OUT.iter().find(|field| plain(field) == part)
            })
        })
        .copied()
}

/// All names that the refusal gives, the surest first.
pub(super) fn named(text: &str, body: Option<&Value>) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(body) = body {
        parameter(text, body, &mut names);
        places(body, 0, &mut names);
    }
    written_places(text, &mut names);
    for sign in BEFORE {
        for (at, _) in text.match_indices(sign).take(4) {
            list(&text[at + sign.len()..], &mut names);
        }
    }
    // Moonshot: `invalid temperature: only 1 is allowed for this model`
    if text.contains("is allowed for this model") {
        for (at, sign) in text.match_indices("invalid ").take(4) {
            list(&text[at + sign.len()..], &mut names);
        }
    }
    for sign in BEHIND {
        for (at, _) in text.match_indices(sign).take(4) {
            names.extend(name_at_end(&text[..at]));
        }
    }
    names.truncate(MAX_NAMES);
    names
}

/// `"param": "temperature"`, which counts when the code is about parameters.
fn parameter(text: &str, body: &Value, names: &mut Vec<String>) {
    let name = ["/error/param", "/param"]
        .iter()
        .find_map(|path| body.pointer(path)?.as_str());
    if let Some(name) = name
        && CODES.iter().any(|code| text.contains(code))
    {
        names.push(shortened(name));
    }
}

/// `{"type": "extra_forbidden", "loc": ["body", "stream_options"]}`, wherever
/// it stands: directly, in a message, or in a text that holds JSON.
fn places(value: &Value, depth: usize, names: &mut Vec<String>) {
    if depth > 5 || names.len() >= MAX_NAMES {
        return;
    }
    match value {
        Value::Array(items) => {
            for item in items.iter().take(MAX_NAMES) {
                places(item, depth + 1, names);
            }
        }
        Value::String(text) if text.trim_start().starts_with(['{', '[']) => {
            if let Ok(inner) = serde_json::from_str(text) {
                places(&inner, depth + 1, names);
            }
        }
        Value::Object(fields) => {
            let text = |key: &str| fields.get(key).and_then(Value::as_str).unwrap_or_default();
            let extra = text("type").contains("extra")
                || text("msg").to_lowercase().contains("not permitted");
            if let (true, Some(Value::Array(place))) = (extra, fields.get("loc")) {
                let parts: Vec<&str> = place.iter().filter_map(Value::as_str).collect();
                names.push(shortened(&parts.join(".")));
            }
            for key in ["error", "message", "detail", "errors", "metadata", "raw"] {
                if let Some(inner) = fields.get(key) {
                    places(inner, depth + 1, names);
                }
            }
        }
        _ => {}
    }
}

/// The same as Python prints it: `'type': 'extra_forbidden', 'loc': ('body', 'x')`.
fn written_places(text: &str, names: &mut Vec<String>) {
    for (at, _) in text.match_indices("extra_forbidden").take(4) {
        let rest = &text[at..];
        let Some(start) = rest.find("'loc': (") else {
            continue;
        };
        let place = &rest[start + "'loc': (".len()..];
        let Some(end) = place.find(')') else {
            continue;
        };
        let parts: Vec<&str> = place[..end]
            .split(',')
            .map(|part| part.trim_matches([' ', '\'', '"']))
            .filter(|part| !part.is_empty())
            .collect();
        names.push(shortened(&parts.join(".")));
    }
}

/// One name or a list of them: `['tools', 'tool_choice']`, `a, b`.
fn list(mut text: &str, names: &mut Vec<String>) {
    for _ in 0..MAX_NAMES {
        text = text.trim_start_matches(|c: char| " '\"`[({:=,".contains(c));
        let end = text.find(|c| !is_name(c)).unwrap_or(text.len());
        if end == 0 {
            return;
        }
        names.push(shortened(text[..end].trim_end_matches(['.', ']'])));
        text = text[end..].trim_start_matches(['\'', '"', '`']);
        if !text.starts_with(',') {
            return;
        }
    }
}

/// The name that a text ends with, but for quotes.
fn name_at_end(text: &str) -> Option<String> {
    let text = text.trim_end_matches(|c: char| " '\"`:)".contains(c));
    let start = text.rfind(|c| !is_name(c)).map_or(0, |at| {
        at + text[at..].chars().next().map_or(1, char::len_utf8)
    });
    (start < text.len()).then(|| shortened(&text[start..]))
}

/// With the signs of a path: a part of the tools is not the tools.
fn is_name(c: char) -> bool {
    c.is_ascii_alphanumeric() || "_.[]".contains(c)
}

/// No name of ours is longer.
fn shortened(name: &str) -> String {
    name.chars()
        .take(120)
        .collect::<String>()
        .to_ascii_lowercase()
}
