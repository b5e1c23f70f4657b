//! How many tokens were used, and how each format says it.

use serde_json::{Map, Value, json};

/// Four bytes a token: near enough for a script, and the same every time.
pub(crate) fn tokens(bytes: usize) -> u64 {
    bytes.div_ceil(4) as u64
}

/// What the whole body of a request is counted as.
pub(crate) fn prompt(body_length: usize) -> u64 {
    tokens(body_length)
}

/// Reports at most this many tokens of the prompt, like a server that silently
/// dropped the rest.
pub(crate) fn truncate(usage: &mut Map<String, Value>, most: u64) {
    for (prompt, completion) in [
        ("prompt_tokens", "completion_tokens"),
        ("input_tokens", "output_tokens"),
    ] {
        let Some(counted) = usage.get(prompt).and_then(Value::as_u64) else {
            continue;
        };
        let shown = counted.min(most);
        usage.insert(prompt.to_owned(), json!(shown));
        if usage.contains_key("total_tokens") {
            let said = usage.get(completion).and_then(Value::as_u64).unwrap_or(0);
            usage.insert("total_tokens".to_owned(), json!(shown + said));
        }
    }
}

/// The numbers of a usage in the words of the chat format.
struct Tally {
    prompt: u64,
    completion: u64,
    cached: u64,
    written: u64,
    reasoning: u64,
}

impl Tally {
    fn read(usage: &Map<String, Value>) -> Self {
        let top = |name: &str| usage.get(name).and_then(Value::as_u64).unwrap_or(0);
        let below = |group: &str, name: &str| {
            let group = usage.get(group).and_then(|group| group.get(name));
            group.and_then(Value::as_u64).unwrap_or(0)
        };
        Self {
            prompt: top("prompt_tokens"),
            completion: top("completion_tokens"),
            cached: below("prompt_tokens_details", "cached_tokens"),
            written: below("prompt_tokens_details", "cache_write_tokens"),
            reasoning: below("completion_tokens_details", "reasoning_tokens"),
        }
    }
}

/// A usage that the script wrote in the format's own words stays as it is.
fn is_written_out(usage: &Map<String, Value>) -> bool {
    usage.contains_key("input_tokens")
}

pub(crate) fn of_messages(usage: &Map<String, Value>) -> Map<String, Value> {
    if is_written_out(usage) {
        return usage.clone();
    }
    let tally = Tally::read(usage);
    let fresh = tally.prompt.saturating_sub(tally.cached + tally.written);
    let mut counted = Map::new();
    for (name, number) in [
        ("input_tokens", fresh),
        ("cache_creation_input_tokens", tally.written),
        ("cache_read_input_tokens", tally.cached),
        ("output_tokens", tally.completion),
    ] {
        counted.insert(name.to_owned(), json!(number));
    }
    counted
}

pub(crate) fn of_responses(usage: &Map<String, Value>) -> Value {
    if is_written_out(usage) {
        return Value::Object(usage.clone());
    }
    let tally = Tally::read(usage);
    json!({
        "input_tokens": tally.prompt,
        "input_tokens_details": {
            "cached_tokens": tally.cached,
            "cache_write_tokens": tally.written,
        },
        "output_tokens": tally.completion,
        "output_tokens_details": {"reasoning_tokens": tally.reasoning},
        "total_tokens": tally.prompt + tally.completion,
    })
}
