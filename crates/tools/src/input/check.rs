//! The check of an input against the part of JSON Schema that tool schemas use:
//! type, properties, required, enum, const, items, bounds, lengths,
//! additionalProperties, and anyOf / oneOf one level deep. Keywords that it
//! does not know pass: a foreign tool's own server has the last word.

use super::coerce::{is_type, kind, types};
use super::example::example;
use serde_json::Value;

/// Deeper values are not looked at; serde_json itself stops at 128.
const DEPTH: usize = 32;

/// Says in one line which field is wrong, what was expected there, and gives
/// one short input that is right.
///
/// # Errors
/// That line, for the model.
pub fn check(schema: &Value, input: &Value) -> Result<(), String> {
    walk(schema, input, &Place::default(), 0).map_err(|fault| {
        let sample = example(schema, fault.top.as_deref());
        format!("{} Example: {sample}", fault.message)
    })
}

struct Fault {
    message: String,
    /// The property of the input that it is in, so that the example shows it.
    top: Option<String>,
}

#[derive(Clone, Default)]
struct Place {
    name: String,
    top: Option<String>,
}

impl Place {
    fn field(&self, key: &str) -> Self {
        Self {
            name: if self.name.is_empty() {
                key.to_owned()
            } else {
                format!("{}.{key}", self.name)
            },
            top: self.top.clone().or_else(|| Some(key.to_owned())),
        }
    }

    fn item(&self, index: usize) -> Self {
        Self {
            name: format!("{}[{index}]", self.name),
            top: self.top.clone(),
        }
    }

    fn fault(&self, rest: &str) -> Fault {
        let subject = if self.name.is_empty() {
            String::from("the input")
        } else {
            format!("`{}`", self.name)
        };
        Fault {
            message: format!("{subject} {rest}"),
            top: self.top.clone(),
        }
    }
}

fn walk(schema: &Value, value: &Value, place: &Place, depth: usize) -> Result<(), Fault> {
    if depth >= DEPTH {
        return Ok(());
    }
    check_type(schema, value, place)?;
    check_members(schema, value, place)?;
    alternatives(schema, value, place, depth)?;
    match value {
        Value::Object(map) => object(schema, map, place, depth),
        Value::Array(items) => array(schema, items, place, depth),
        Value::String(text) => length(schema, text, place),
        Value::Number(number) => number
            .as_f64()
            .map_or(Ok(()), |n| bounds(schema, n, number, place)),
        _ => Ok(()),
    }
}

fn check_type(schema: &Value, value: &Value, place: &Place) -> Result<(), Fault> {
    let wanted = types(schema);
    if wanted.is_empty() || wanted.iter().any(|name| is_type(name, value)) {
        return Ok(());
    }
    let expected = names(&wanted);
    Err(place.fault(&format!("must be {expected}, not {}.", kind(value))))
}

fn names(wanted: &[&str]) -> String {
    wanted
        .iter()
        .map(|name| match *name {
            "integer" => "an integer",
            "object" => "an object",
            "array" => "a list",
            "string" => "a string",
            "number" => "a number",
            "boolean" => "true or false",
            other => other,
        })
        .collect::<Vec<_>>()
        .join(" or ")
}

fn check_members(schema: &Value, value: &Value, place: &Place) -> Result<(), Fault> {
    let members = match (schema.get("enum"), schema.get("const")) {
        (Some(Value::Array(members)), _) => members.as_slice(),
        (_, Some(only)) => std::slice::from_ref(only),
        _ => return Ok(()),
    };
    if members.contains(value) {
        return Ok(());
    }
    let listed = members
        .iter()
        .take(12)
        .map(ToString::to_string)
        .collect::<Vec<_>>()
        .join(", ");
    Err(place.fault(&format!("must be one of {listed}; it is {}.", brief(value))))
}

/// anyOf and oneOf both mean "at least one" here: a stricter reading would
/// refuse inputs that the tool itself accepts.
fn alternatives(schema: &Value, value: &Value, place: &Place, depth: usize) -> Result<(), Fault> {
    for key in ["anyOf", "oneOf"] {
        let Some(options) = schema.get(key).and_then(Value::as_array) else {
            continue;
        };
        let mut first = None;
        let mut fits = options.is_empty();
        for option in options {
            match walk(option, value, place, depth + 1) {
                Ok(()) => {
                    fits = true;
                    break;
                }
                Err(fault) => {
                    first.get_or_insert(fault);
                }
            }
        }
        if !fits && let Some(fault) = first {
            return Err(fault);
        }
    }
    Ok(())
}

fn object(
    schema: &Value,
    map: &serde_json::Map<String, Value>,
    place: &Place,
    depth: usize,
) -> Result<(), Fault> {
    let empty = serde_json::Map::new();
    let properties = schema
        .get("properties")
        .and_then(Value::as_object)
        .unwrap_or(&empty);
    let required = schema.get("required").and_then(Value::as_array);
    for name in required.into_iter().flatten().filter_map(Value::as_str) {
        if !map.contains_key(name) {
            let wanted = properties.get(name).map_or(Vec::new(), types);
            let expected = if wanted.is_empty() {
                String::from(".")
            } else {
                format!("; it must be {}.", names(&wanted))
            };
            return Err(place.field(name).fault(&format!("is missing{expected}")));
        }
    }
    for (key, value) in map {
        match (properties.get(key), schema.get("additionalProperties")) {
            (Some(property), _) => walk(property, value, &place.field(key), depth + 1)?,
            (None, Some(Value::Bool(false))) => {
                let known = properties
                    .keys()
                    .map(|name| format!("`{name}`"))
                    .collect::<Vec<_>>()
                    .join(", ");
                let mut fault = place
                    .field(&brief_text(key))
                    .fault(&format!("is not a field of this tool; it has {known}."));
                fault.top = None;
                return Err(fault);
            }
            (None, Some(rest @ Value::Object(_))) => {
                walk(rest, value, &place.field(key), depth + 1)?;
            }
            (None, _) => {}
        }
    }
    Ok(())
}

fn array(schema: &Value, items: &[Value], place: &Place, depth: usize) -> Result<(), Fault> {
    let size = items.len() as u64;
    if let Some(least) = schema.get("minItems").and_then(Value::as_u64)
        && size < least
    {
        return Err(place.fault(&format!("must have at least {least} entries.")));
    }
    if let Some(most) = schema.get("maxItems").and_then(Value::as_u64)
        && size > most
    {
        return Err(place.fault(&format!("must have at most {most} entries.")));
    }
    if let Some(item) = schema.get("items") {
        for (index, value) in items.iter().enumerate() {
            walk(item, value, &place.item(index), depth + 1)?;
        }
    }
    Ok(())
}

fn length(schema: &Value, text: &str, place: &Place) -> Result<(), Fault> {
    if let Some(least) = schema.get("minLength").and_then(Value::as_u64)
        && (text.chars().count() as u64) < least
    {
        return Err(place.fault(match least {
            1 => "must not be empty.",
            _ => "is too short.",
        }));
    }
    if let Some(most) = schema.get("maxLength").and_then(Value::as_u64)
        && (text.chars().count() as u64) > most
    {
        return Err(place.fault(&format!("must have at most {most} characters.")));
    }
    Ok(())
}

fn bounds(
    schema: &Value,
    number: f64,
    shown: &serde_json::Number,
    place: &Place,
) -> Result<(), Fault> {
    if let Some(least) = schema.get("minimum").and_then(Value::as_f64)
        && number < least
    {
        return Err(place.fault(&format!("must be at least {least}; it is {shown}.")));
    }
    if let Some(most) = schema.get("maximum").and_then(Value::as_f64)
        && number > most
    {
        return Err(place.fault(&format!("must be at most {most}; it is {shown}.")));
    }
    Ok(())
}

/// A value, short enough for one line.
fn brief(value: &Value) -> String {
    brief_text(&value.to_string())
}

fn brief_text(text: &str) -> String {
    const SHOWN: usize = 60;
    match text.char_indices().nth(SHOWN) {
        Some((cut, _)) => format!("{}…", &text[..cut]),
        None => text.to_owned(),
    }
}
