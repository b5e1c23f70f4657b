//! The promise to prompt caches: a request begins with the one before it.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::difference::difference;

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    input: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
    #[serde(borrow, default)]
    instructions: Option<&'a RawValue>,
    #[serde(borrow, default)]
    prompt_cache_key: Option<&'a RawValue>,
}

/// Checks that the items of `next` begin with exactly those of `previous`, and
/// that tools, instructions and the key of the cache are the same, byte for
/// byte.
pub fn validate_prefix(previous: &[u8], next: &[u8]) -> Result<(), String> {
    let previous = parts("previous", previous)?;
    let next = parts("next", next)?;
    for (name, before, after) in [
        ("tools", previous.tools, next.tools),
        ("instructions", previous.instructions, next.instructions),
        (
            "prompt_cache_key",
            previous.prompt_cache_key,
            next.prompt_cache_key,
        ),
    ] {
        let before = before.map_or("", RawValue::get);
        let after = after.map_or("", RawValue::get);
        if before != after {
            return Err(format!("`{name}` changed: {}", difference(before, after)));
        }
    }
    for (index, before) in previous.input.iter().enumerate() {
        let Some(after) = next.input.get(index) else {
            return Err(format!(
                "input[{index}] is gone: {} items before, {} now.",
                previous.input.len(),
                next.input.len(),
            ));
        };
        if before.get() != after.get() {
            let difference = difference(before.get(), after.get());
            return Err(format!("input[{index}] changed: {difference}"));
        }
    }
    Ok(())
}

fn parts<'a>(which: &str, body: &'a [u8]) -> Result<Parts<'a>, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("The {which} request is not a Responses request: {error}."))
}
