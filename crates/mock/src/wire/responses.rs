//! The Responses format (`POST /responses`), as the strictest of its servers
//! reads it: nothing is kept on the server, everything is sent each time. A
//! request without violations is understood everywhere.

mod conversation;
mod item;
mod parameters;
mod prefix;
mod tools;

use serde_json::Value;

pub use prefix::validate_prefix;

use crate::wire::{self, duplicates};

/// What the strictest server would reject in this body, each a sentence that
/// says where. Empty when there is nothing.
pub fn validate(body: &[u8]) -> Vec<String> {
    let request = match wire::object(body) {
        Ok(request) => request,
        Err(sentence) => return vec![sentence],
    };
    let mut violations = Vec::new();
    duplicates::check(body, &mut violations);
    parameters::check(&request, &mut violations);
    match request.get("input") {
        Some(Value::String(text)) if !text.is_empty() => {}
        Some(Value::Array(items)) => conversation::check(items, &mut violations),
        _ => violations.push("`input` must be a text or a list of items.".to_owned()),
    }
    tools::check(&request, &mut violations);
    wire::shortened(violations)
}
