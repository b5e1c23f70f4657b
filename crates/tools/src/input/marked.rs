//! Refuses to write the marker of a masked secret into a file: the secret that
//! stood there would be lost, and the file would hold a note of ours (H6).

use serde_json::Value;
use tenon_policy::holds_marker;
use tenon_vocab::{Effect, ToolSpec};

/// Why this input must not be used; `None` when nothing speaks against it.
#[must_use]
pub fn marked(spec: &ToolSpec, input: &Value) -> Option<String> {
    (spec.effect == Effect::Write && holds(input)).then(|| {
        format!(
            "`{}` was not run: its input contains `[masked:…]`, which replaces a secret that is \
             hidden from you. Change the file around that line and leave the line itself alone \
             (`edit` with an `old` that does not include it); if the secret itself must change, \
             ask the user to do it.",
            spec.name
        )
    })
}

fn holds(value: &Value) -> bool {
    match value {
        Value::String(text) => holds_marker(text),
        Value::Array(items) => items.iter().any(holds),
        Value::Object(fields) => fields.values().any(holds),
        Value::Null | Value::Bool(_) | Value::Number(_) => false,
    }
}
