//! Validators of wire formats: what the strictest server would reject.
//!
//! They look at bytes that a client sent and know nothing of how they were
//! made.

pub mod chat;
mod difference;
mod duplicates;
mod image;
pub mod messages;
pub mod responses;
mod schema;

use serde_json::{Map, Value};

/// More are not reported: the first ones say enough.
const MOST: usize = 50;

fn shortened(mut violations: Vec<String>) -> Vec<String> {
    if violations.len() > MOST {
        let more = violations.len() - MOST;
        violations.truncate(MOST);
        violations.push(format!("And {more} more."));
    }
    violations
}

/// The object that a body must be, or the sentence that says what it is.
fn object(body: &[u8]) -> Result<Map<String, Value>, String> {
    match serde_json::from_slice(body) {
        Ok(Value::Object(request)) => Ok(request),
        Ok(_) => Err("The body must be a JSON object.".to_owned()),
        Err(error) => Err(format!("The body is not JSON: {error}.")),
    }
}

fn text<'v>(object: &'v Map<String, Value>, name: &str) -> Option<&'v str> {
    object.get(name).and_then(Value::as_str)
}

/// Complains about every key that is not among the known ones.
fn only(object: &Map<String, Value>, known: &[&str], place: &str, violations: &mut Vec<String>) {
    for name in object.keys().filter(|name| !known.contains(&name.as_str())) {
        violations.push(format!("{place}: `{name}` does not belong here."));
    }
}
