//! Names and schemas of tools, which all formats share: what every server can
//! compile.

use serde_json::{Map, Value};

pub(super) const LONGEST_NAME: usize = 64;

pub(super) fn is_tool_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(fits)
}

/// The schema of a tool's input, which is always an object.
pub(super) fn check(schema: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        violations.push(format!("{place}: `type` must be \"object\"."));
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        violations.push(format!("{place}: `properties` must be an object."));
    }
    required(schema, place, violations);
}

/// Also inside: some servers compile the whole schema into a grammar.
fn required(schema: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let properties = schema.get("properties").and_then(Value::as_object);
    match schema.get("required") {
        None => {}
        Some(Value::Array(names)) => {
            for name in names {
                let known = name
                    .as_str()
                    .is_some_and(|name| properties.is_some_and(|known| known.contains_key(name)));
                if !known {
                    violations.push(format!(
                        "{place}: `required` names {name}, which is not in `properties`."
                    ));
                }
            }
        }
        Some(_) => violations.push(format!("{place}: `required` must be an array of names.")),
    }
    for (name, property) in properties.into_iter().flatten() {
        let place = format!("{place}.properties.{name}");
        let Some(property) = property.as_object() else {
            violations.push(format!(
                "{place}: a property must be an object with a schema."
            ));
            continue;
        };
        required(property, &place, violations);
        if let Some(items) = property.get("items").and_then(Value::as_object) {
            required(items, &format!("{place}.items"), violations);
        }
    }
}
