//! The tools of a request and which of them must be used.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::wire::schema::{self, LONGEST_NAME, is_tool_name};
use crate::wire::{only, text};

const KEYS: &[&str] = &[
    "cache_control",
    "description",
    "input_schema",
    "name",
    "strict",
    "type",
];

pub(super) fn check(request: &Map<String, Value>, violations: &mut Vec<String>) {
    let Some(tools) = request.get("tools") else {
        if request.contains_key("tool_choice") {
            violations.push("`tool_choice` goes only with `tools`.".to_owned());
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
        let Some(tool) = tool.as_object() else {
            violations.push(format!("{place}: a tool must be an object."));
            continue;
        };
        only(tool, KEYS, &place, violations);
        let name = text(tool, "name").unwrap_or_default();
        if !is_tool_name(name) {
            violations.push(format!(
                "{place}: the name {name:?} must be 1 to {LONGEST_NAME} letters, digits, `_` or `-`."
            ));
        } else if !names.insert(name) {
            violations.push(format!("{place}: another tool is called `{name}` too."));
        }
        if tool
            .get("description")
            .is_some_and(|text| !text.is_string())
        {
            violations.push(format!("{place}: `description` must be a string."));
        }
        match tool.get("input_schema").and_then(Value::as_object) {
            Some(input) => {
                schema::check(input, &format!("{place}.input_schema"), violations);
            }
            None => violations.push(format!("{place}: `input_schema` must be an object.")),
        }
    }
    choice(request, &names, violations);
}

fn choice(request: &Map<String, Value>, names: &HashSet<&str>, violations: &mut Vec<String>) {
    let Some(choice) = request.get("tool_choice") else {
        return;
    };
    let Some(choice) = choice.as_object() else {
        violations.push("`tool_choice` must be an object with a `type`.".to_owned());
        return;
    };
    let known = ["type", "name", "disable_parallel_tool_use"];
    only(choice, &known, "tool_choice", violations);
    match text(choice, "type") {
        Some("auto" | "any" | "none") => {}
        Some("tool") => {
            let name = text(choice, "name").unwrap_or_default();
            if !names.contains(name) {
                violations.push(format!("tool_choice: there is no tool {name:?}."));
            }
        }
        _ => violations.push("`tool_choice.type` must be auto, any, tool or none.".to_owned()),
    }
}
