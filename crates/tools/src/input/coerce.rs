//! Brings a value to the type that the schema wants, when only one reading is
//! possible. What is ambiguous stays as it is, and the check explains it.

use serde_json::{Map, Number, Value};

/// Deeper values are left as they are; no tool of ours nests so far.
const DEPTH: usize = 16;

/// One step of a repair in words, collected for the report.
pub(super) type Notes = Vec<String>;

/// Brings `value` to what `schema` wants. `field` names it in the notes.
pub(super) fn coerce(schema: &Value, value: Value, field: &str, notes: &mut Notes) -> Value {
    walk(schema, value, field, notes, 0)
}

fn walk(schema: &Value, value: Value, field: &str, notes: &mut Notes, depth: usize) -> Value {
    if depth >= DEPTH {
        return value;
    }
    let wanted = types(schema);
    let value = if wanted.is_empty() || wanted.iter().any(|t| is_type(t, &value)) {
        value
    } else {
        convert(&wanted, value, field, notes)
    };
    match value {
        Value::Object(map) => Value::Object(properties(schema, map, field, notes, depth)),
        Value::Array(items) => match schema.get("items") {
            Some(item) => items
                .into_iter()
                .enumerate()
                .map(|(i, v)| walk(item, v, &format!("{field}[{i}]"), notes, depth + 1))
                .collect(),
            None => Value::Array(items),
        },
        Value::String(text) => Value::String(enumerated(schema, text, field, notes)),
        other => other,
    }
}

/// Coerces each known property and drops optional nulls.
fn properties(
    schema: &Value,
    map: Map<String, Value>,
    field: &str,
    notes: &mut Notes,
    depth: usize,
) -> Map<String, Value> {
    let Some(known) = schema.get("properties").and_then(Value::as_object) else {
        return map;
    };
    let mut out = Map::new();
    for (key, value) in map {
        let name = if field.is_empty() {
            key.clone()
        } else {
            format!("{field}.{key}")
        };
        match known.get(&key) {
            Some(property)
                if value.is_null() && !admits_null(property) && !required(schema, &key) =>
            {
                notes.push(format!("dropped `{name}`: null"));
            }
            Some(property) => {
                let value = walk(property, value, &name, notes, depth + 1);
                out.insert(key, value);
            }
            None => {
                out.insert(key, value);
            }
        }
    }
    out
}

fn convert(wanted: &[&str], value: Value, field: &str, notes: &mut Notes) -> Value {
    let shown = kind(&value);
    for target in wanted {
        if let Some(converted) = convert_to(target, &value) {
            notes.push(format!("`{field}`: {shown} read as {target}"));
            return converted;
        }
    }
    value
}

fn convert_to(target: &str, value: &Value) -> Option<Value> {
    match (target, value) {
        ("integer", Value::String(text)) => {
            let text = text.trim();
            text.parse::<i64>()
                .ok()
                .map(Value::from)
                .or_else(|| whole(text.parse::<f64>().ok()?))
        }
        ("integer", Value::Number(number)) => whole(number.as_f64()?),
        ("number", Value::String(text)) => {
            let text = text.trim();
            match text.parse::<i64>() {
                Ok(integer) => Some(integer.into()),
                Err(_) => Number::from_f64(text.parse().ok()?).map(Value::Number),
            }
        }
        ("boolean", Value::String(text)) => match text.trim().to_ascii_lowercase().as_str() {
            "true" | "yes" => Some(true.into()),
            "false" | "no" => Some(false.into()),
            _ => None,
        },
        ("boolean", Value::Number(number)) => match number.as_i64() {
            Some(0) => Some(false.into()),
            Some(1) => Some(true.into()),
            _ => None,
        },
        ("string", Value::Number(number)) => Some(number.to_string().into()),
        ("string", Value::Bool(flag)) => Some(flag.to_string().into()),
        ("array", Value::String(text)) => Some(match serde_json::from_str(text) {
            Ok(Value::Array(items)) => Value::Array(items),
            _ => Value::Array(vec![value.clone()]),
        }),
        ("array", Value::Null) => None,
        ("array", single) => Some(Value::Array(vec![single.clone()])),
        ("object", Value::String(text)) => match serde_json::from_str(text) {
            Ok(Value::Object(map)) => Some(Value::Object(map)),
            _ => None,
        },
        _ => None,
    }
}

/// A float without a fraction that an integer can hold exactly.
fn whole(number: f64) -> Option<Value> {
    const EXACT: f64 = 9_007_199_254_740_992.0;
    #[expect(
        clippy::cast_possible_truncation,
        reason = "checked to be whole and in range"
    )]
    (number.fract() == 0.0 && number.abs() <= EXACT).then(|| Value::from(number as i64))
}

/// A member of an enumeration in another case becomes the member.
fn enumerated(schema: &Value, text: String, field: &str, notes: &mut Notes) -> String {
    let Some(members) = schema.get("enum").and_then(Value::as_array) else {
        return text;
    };
    let mut names = members.iter().filter_map(Value::as_str);
    if names.clone().any(|member| member == text) {
        return text;
    }
    match names.find(|member| member.eq_ignore_ascii_case(text.trim())) {
        Some(member) => {
            notes.push(format!("`{field}`: read as `{member}`"));
            member.to_owned()
        }
        None => text,
    }
}

/// The types that a schema admits; empty when it does not say.
pub(super) fn types(schema: &Value) -> Vec<&str> {
    match schema.get("type") {
        Some(Value::String(one)) => vec![one.as_str()],
        Some(Value::Array(many)) => many.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

pub(super) fn is_type(name: &str, value: &Value) -> bool {
    match name {
        "string" => value.is_string(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "boolean" => value.is_boolean(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        "null" => value.is_null(),
        // A type of a later draft: not ours to refuse.
        _ => true,
    }
}

pub(super) fn required(schema: &Value, key: &str) -> bool {
    schema
        .get("required")
        .and_then(Value::as_array)
        .is_some_and(|names| names.iter().any(|name| name == key))
}

fn admits_null(schema: &Value) -> bool {
    let wanted = types(schema);
    wanted.contains(&"null")
        || (wanted.is_empty()
            && (schema.get("enum").is_some()
                || schema.get("anyOf").is_some()
                || schema.get("oneOf").is_some()))
}

/// How a person names the kind of a value.
pub(super) fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(number) if number.is_f64() => "a number with a fraction",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "a list",
        Value::Object(_) => "an object",
    }
}
