//! The shapes in which models write a call as JSON.

use super::cursor::{Call, name};
use crate::repair::{Arguments, parse_arguments};
use serde_json::{Map, Value};

const NAMES: &[&str] = &["name", "tool", "tool_name", "function", "function_name"];
const ARGUMENTS: &[&str] = &[
    "arguments",
    "parameters",
    "params",
    "args",
    "input",
    "tool_input",
];
/// What else may stand in a call.
const BESIDES: &[&str] = &["id", "type", "call_id", "tool_call_id", "index"];

/// How sure it already is that a value is meant as a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Sign {
    /// It stands in tokens that mean nothing else: arguments may be left out.
    Tokens,
    /// It is only JSON: it must be a call and nothing else.
    Json,
}

/// The calls that a value is; `None` when it is anything else.
pub(super) fn calls(value: Value, sign: Sign) -> Option<Vec<Call>> {
    match value {
        Value::Array(items) if !items.is_empty() => {
            items.into_iter().map(|item| call(item, sign)).collect()
        }
        Value::Object(mut object) => match object.remove("tool_calls") {
            Some(Value::Array(items)) if object.is_empty() && !items.is_empty() => {
                items.into_iter().map(|item| call(item, sign)).collect()
            }
            Some(_) => None,
            None => call(Value::Object(object), sign).map(|call| vec![call]),
        },
        _ => None,
    }
}

fn call(value: Value, sign: Sign) -> Option<Call> {
    let Value::Object(mut object) = value else {
        return None;
    };
    // {"type": "function", "function": {"name": …, "arguments": …}}
    if let Some(Value::Object(_)) = object.get("function") {
        let inner = object.remove("function")?;
        return only_besides(&object, sign).then(|| call(inner, sign))?;
    }
    let key = NAMES
        .iter()
        .find(|key| object.get(**key).is_some_and(Value::is_string))?;
    let called = match object.remove(*key)? {
        Value::String(text) => name(&text)?,
        _ => return None,
    };
    let given = ARGUMENTS.iter().find_map(|key| object.remove(*key));
    let arguments = match given {
        Some(Value::Object(arguments)) => arguments,
        Some(Value::String(text)) => match parse_arguments(&text) {
            Arguments::Object(arguments) => arguments,
            Arguments::Empty if sign == Sign::Tokens => Map::new(),
            _ => return None,
        },
        None | Some(Value::Null) if sign == Sign::Tokens => Map::new(),
        _ => return None,
    };
    only_besides(&object, sign).then_some(Call {
        name: called,
        arguments,
    })
}

fn only_besides(object: &Map<String, Value>, sign: Sign) -> bool {
    sign == Sign::Tokens || object.keys().all(|key| BESIDES.contains(&key.as_str()))
}
