//! The tools of a request and which of them must be used.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::wire::schema::{self, LONGEST_NAME, is_tool_name};
use crate::wire::{only, text};

const KEYS: &[&str] = &["type", "name", "description", "parameters", "strict"];

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
    for (index, value) in tools.iter().enumerate() {
        let place = format!("tools[{index}]");
        let Some(tool) = value.as_object() else {
            violations.push(format!("{place}: a tool must be an object."));
            continue;
        };
        tool_of(tool, &place, violations);
        let name = text(tool, "name").unwrap_or_default();
        if !is_tool_name(name) {
            violations.push(format!(
                "{place}: the name {name:?} must be 1 to {LONGEST_NAME} letters, digits, `_` or `-`."
            ));
        } else if !names.insert(name) {
            violations.push(format!("{place}: another tool is called `{name}` too."));
        }
    }
    choice(request, &names, violations);
}

fn tool_of(tool: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    only(tool, KEYS, place, violations);
    if text(tool, "type") != Some("function") {
        violations.push(format!("{place}: `type` must be \"function\"."));
    }
    if tool
        .get("description")
        .is_some_and(|text| !text.is_string())
    {
        violations.push(format!("{place}: `description` must be a string."));
    }
    let Some(parameters) = tool.get("parameters").and_then(Value::as_object) else {
        violations.push(format!(
            "{place}: `parameters` must be an object with a schema."
        ));
        return;
    };
    schema::check(parameters, &format!("{place}.parameters"), violations);
    match tool.get("strict") {
        Some(Value::Bool(false)) => {}
        Some(Value::Bool(true)) => strict(parameters, place, violations),
        // Without it the owner's servers are strict by themselves and change
        // the schema.
        _ => violations.push(format!("{place}: `strict` must be true or false.")),
    }
}

/// Strict tools have no optional properties.
fn strict(schema: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let required: HashSet<&str> = schema
        .get("required")
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(Value::as_str)
        .collect();
    let properties = schema.get("properties").and_then(Value::as_object);
    let optional = properties
        .into_iter()
        .flatten()
        .find(|(name, _)| !required.contains(name.as_str()));
    if let Some((name, _)) = optional {
        violations.push(format!("{place}: strict, but `{name}` is not required."));
    }
    if schema.get("additionalProperties") != Some(&Value::Bool(false)) {
        violations.push(format!(
            "{place}: strict, but `additionalProperties` is not false."
        ));
    }
}

fn choice(request: &Map<String, Value>, names: &HashSet<&str>, violations: &mut Vec<String>) {
    match request.get("tool_choice") {
        None => {}
        Some(Value::String(choice)) if matches!(choice.as_str(), "auto" | "none" | "required") => {}
        Some(Value::Object(choice)) => {
            let name = text(choice, "name").unwrap_or_default();
            if text(choice, "type") != Some("function") || !names.contains(name) {
                violations.push(format!("tool_choice: there is no function {name:?}."));
            }
        }
        Some(_) => violations.push("`tool_choice` must be auto, none or required.".to_owned()),
    }
}
