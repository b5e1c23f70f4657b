//! The tools of a request: names and schemas that every server can compile.

use std::collections::HashSet;

use serde_json::{Map, Value};

use crate::wire::schema::{self, LONGEST_NAME, is_tool_name};

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

fn parameters(function: &Map<String, Value>, place: &str, violations: &mut Vec<String>) {
    let Some(schema) = function.get("parameters").and_then(Value::as_object) else {
        violations.push(format!(
            "{place}: `parameters` must be an object with a schema."
        ));
        return;
    };
    schema::check(schema, &format!("{place}.parameters"), violations);
}
