//! What stands after the messages: all that may change from step to step, so
//! that one request, up to its last message, is the beginning of the next.

use super::blocks::is_shown;
use super::head::CACHED;
use super::names;
use super::thinking::Thinking;
use super::wire::write;
use crate::quirks::Quirks;
use crate::{Delivery, Request};
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Value, json};

/// Fields in the order in which they are written.
struct Fields<'q> {
    out: Vec<u8>,
    quirks: &'q Quirks,
}

impl Fields<'_> {
    fn put<T: Serialize>(&mut self, name: &str, value: T) {
        if !self.quirks.omits(name) {
            self.put_always(name, value);
        }
    }

    fn put_always<T: Serialize>(&mut self, name: &str, value: T) {
        self.out.push(b',');
        write(&mut self.out, &name);
        self.out.push(b':');
        write(&mut self.out, &value);
    }
}

/// From the end of the messages on.
pub(super) fn tail(request: &Request, quirks: &Quirks, thinking: Thinking, limit: u64) -> Bytes {
    let mut fields = Fields {
        out: b"]".to_vec(),
        quirks,
    };
    // The provider puts the mark on the last block, and moves it with each
    // request: the messages themselves stay as they are.
    fields.put("cache_control", CACHED);
    fields.put_always("max_tokens", limit);
    match thinking {
        Thinking::Default => sampling(&mut fields, request),
        Thinking::Disabled => {
            fields.put("thinking", json!({"type": "disabled"}));
            sampling(&mut fields, request);
        }
        Thinking::Budget(budget) => {
            fields.put(
                "thinking",
                json!({"type": "enabled", "budget_tokens": budget}),
            );
        }
        Thinking::Adaptive(word) => {
            // Without `display`, newer models keep what they think to themselves.
            let choice = json!({"type": "adaptive", "display": "summarized"});
            fields.put("thinking", choice);
            fields.put("output_config", json!({"effort": word}));
        }
    }
    used_tools(&mut fields, request);
    fields.put("stream", request.delivery == Delivery::Streamed);
    let mut out = fields.out;
    out.push(b'}');
    Bytes::from(out)
}

/// Newer models take one of the two, and none while they think.
fn sampling(fields: &mut Fields<'_>, request: &Request) {
    let within = |number: Option<f64>| {
        number
            .filter(|number| number.is_finite())
            .map(|number| Value::from(number.clamp(0.0, 1.0)))
    };
    let temperature =
        within(request.parameters.temperature).filter(|_| !fields.quirks.omits("temperature"));
    match (temperature, within(request.parameters.top_p)) {
        (Some(temperature), _) => fields.put("temperature", temperature),
        (None, Some(top_p)) => fields.put("top_p", top_p),
        (None, None) => {}
    }
}

/// A history with calls is refused where no tool is declared: those that were
/// used are named, and may not be used again.
fn used_tools(fields: &mut Fields<'_>, request: &Request) {
    if !request.prefix.tools.is_empty() {
        return;
    }
    let mut used: Vec<&str> = Vec::new();
    for entry in request
        .entries
        .iter()
        .filter(|entry| is_shown(&entry.message))
    {
        for call in entry.message.tool_calls() {
            if !used.contains(&call.name.as_str()) {
                used.push(&call.name);
            }
        }
    }
    if used.is_empty() {
        return;
    }
    let declared: Vec<Value> = used
        .iter()
        .map(|name| {
            let schema = json!({"type": "object", "properties": {}});
            json!({"name": names::tool(name), "description": "", "input_schema": schema})
        })
        .collect();
    fields.put("tools", declared);
    if !fields.quirks.omits("tools") {
        fields.put("tool_choice", json!({"type": "none"}));
    }
}
