//! The Messages format (`POST /messages`), as the strictest of its servers
//! reads it. A request without violations is understood everywhere.

mod block;
mod cache;
mod conversation;
mod parameters;
mod prefix;
mod tools;

use serde_json::{Map, Value};

pub use prefix::validate_prefix;

use crate::wire::{self, duplicates};

/// What the strictest server would reject in this body, each a sentence that
/// says where. Empty when there is nothing.
pub fn validate(body: &[u8]) -> Vec<String> {
    match wire::object(body) {
        Ok(request) => check(body, &request, parameters::check),
        Err(sentence) => vec![sentence],
    }
}

/// The same for `POST /messages/count_tokens`, where nothing is generated.
pub fn validate_count(body: &[u8]) -> Vec<String> {
    match wire::object(body) {
        Ok(request) => check(body, &request, parameters::check_count),
        Err(sentence) => vec![sentence],
    }
}

fn check(
    body: &[u8],
    request: &Map<String, Value>,
    parameters: fn(&Map<String, Value>, &mut Vec<String>),
) -> Vec<String> {
    let mut violations = Vec::new();
    duplicates::check(body, &mut violations);
    parameters(request, &mut violations);
    match request.get("messages") {
        Some(Value::Array(messages)) => {
            conversation::check(messages, request, &mut violations);
        }
        _ => violations.push("`messages` must be an array.".to_owned()),
    }
    tools::check(request, &mut violations);
    cache::check(request, &mut violations);
    wire::shortened(violations)
}
