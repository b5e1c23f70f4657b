//! The promise to prompt caches: a request begins with the one before it.

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::wire::difference::difference;

#[derive(Deserialize)]
struct Parts<'a> {
    #[serde(borrow)]
    messages: Vec<&'a RawValue>,
    #[serde(borrow, default)]
    tools: Option<&'a RawValue>,
}

/// Checks that the messages of `next` begin with exactly those of `previous`
/// and that its tools are the same, byte for byte. Servers put the tools before
/// the messages, so one more tool moves everything behind it.
pub fn validate_prefix(previous: &[u8], next: &[u8]) -> Result<(), String> {
    let previous = parts("previous", previous)?;
    let next = parts("next", next)?;
    match (
        previous.tools.map(RawValue::get),
        next.tools.map(RawValue::get),
    ) {
        (before, after) if before == after => {}
        (Some(_), None) => return Err("`tools` is gone.".to_owned()),
        (None, _) => return Err("`tools` was not there before.".to_owned()),
        (Some(before), Some(after)) => {
            return Err(format!("`tools` changed: {}", difference(before, after)));
        }
    }
    for (index, before) in previous.messages.iter().enumerate() {
        let Some(after) = next.messages.get(index) else {
            return Err(format!(
                "messages[{index}] is gone: {} messages before, {} now.",
                previous.messages.len(),
                next.messages.len(),
            ));
        };
        if before.get() != after.get() {
            let difference = difference(before.get(), after.get());
            return Err(format!("messages[{index}] changed: {difference}"));
        }
    }
    Ok(())
}

fn parts<'a>(which: &str, body: &'a [u8]) -> Result<Parts<'a>, String> {
    serde_json::from_slice(body)
        .map_err(|error| format!("The {which} request is not a chat request: {error}."))
}
