//! The tools of a request: names and schemas that every server can compile.

use std::collections::HashSet;

use serde_json::{Map, Value};

const LONGEST_NAME: usize = 64;

pub(super) fn check(request: &Map<String, Value>, violations: &mut Vec<String>) {
    let Some(tools) = request.get("tools") else {
        for name in ["tool_choice", "parallel_tool_calls"] {
            if request.contains_key(name) {
                violations.push(format!("`{name}` goes only with `tools`."));
            }
        }
        return;
    };
    let Some(tools) = tools.as_array() else {
        violations.push("`tools` must be an array.".to_owned());
        return;
    };
    if tools.is_empty() {
        violations.push("`tools` is empty; leave it out.".to_owned());
    }
    let mut names = HashSet::new();
    for (index, tool) in tools.iter().enumerate() {
        let place = format!("tools[{index}]");
        if tool.get("type").and_then(Value::as_str) != Some("function") {
            violations.push(format!("{place}: `type` must be \"function\"."));
        }
        let Some(function) = tool.get("function").and_then(Value::as_object) else {
            violations.push(format!("{place}: `function` must be an object."));
            continue;
        };
        name(function, &place, &mut names, violations);
        if function
            .get("description")
            .is_some_and(|text| !text.is_string())
        {
            violations.push(format!("{place}: `description` must be a string."));
        }
        parameters(function, &place, violations);
    }
}

fn name<'r>(
    function: &'r Map<String, Value>,
    place: &str,
    names: &mut HashSet<&'r str>,
    violations: &mut Vec<String>,
) {
    let name = function
        .get("name")
        .and_then(Value::as_str)
        .unwrap_or_default();
    if !is_tool_name(name) {
        violations.push(format!(
            "{place}: the name {name:?} must be 1 to {LONGEST_NAME} letters, digits, `_` or `-`."
        ));
    } else if !names.insert(name) {
        violations.push(format!("{place}: another tool is called `{name}` too."));
    }
}

pub(super) fn is_tool_name(name: &str) -> bool {
    let fits = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
    (1..=LONGEST_NAME).contains(&name.len()) && name.bytes().all(fits)
}

fn parameters(function: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let Some(schema) = function.get("parameters").and_then(Value::as_object) else {
        violations.push(format!(
            "{place}: `parameters` must be an object with a schema."
        ));
        return;
    };
    let place = format!("{place}.parameters");
    if schema.get("type").and_then(Value::as_str) != Some("object") {
        violations.push(format!("{place}: `type` must be \"object\"."));
    }
    if !schema.get("properties").is_some_and(Value::is_object) {
        violations.push(format!("{place}: `properties` must be an object."));
    }
    required(schema, &place, violations);
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
