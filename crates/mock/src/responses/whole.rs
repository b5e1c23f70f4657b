//! An answer as one response, for clients that did not ask for a stream.

use serde_json::Value;

use super::item;
use crate::answer::Answer;

pub(crate) fn response(answer: &Answer) -> Value {
    item::response(answer, item::status(answer), item::all(answer))
}
