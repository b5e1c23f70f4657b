//! Gives an input the shape that the schema wants: the object unpacked, fields
//! under their own names, values of the wanted type. It never invents a value.

use super::coerce::{Notes, coerce};
use super::{aliases, tasks};
use serde_json::{Map, Value};
use tenon_vocab::names::{canonical_name, implied_action, squash};

/// Keys under which some models wrap the whole input once more.
const WRAPPERS: &[&str] = &[
    "arguments",
    "args",
    "parameters",
    "params",
    "input",
    "tool_input",
];

/// Repairs `input` for `tool` and says what was changed. `tool` may be any
/// spelling: a name such as `KILL_BACKGROUND_PROCESS` also fills in the action
/// that it stands for, so pass the name as the model gave it where it is known.
#[must_use]
pub fn repair(tool: &str, schema: &Value, input: Value) -> (Value, Vec<String>) {
    let mut notes = Notes::new();
    let canonical = canonical_name(tool);
    let map = match unpack(tool, schema, input, &mut notes) {
        Ok(map) => map,
        Err(other) => return (other, notes),
    };
    let mut map = rename(canonical, schema, map, &mut notes);
    if let Some(canonical) = canonical {
        shape_texts(canonical, &mut map, &mut notes);
        if canonical == "todowrite"
            && let Some(items) = map.get_mut("items")
        {
            *items = tasks::shape(items.take(), &mut notes);
        }
        if has_property(schema, "action")
            && !map.contains_key("action")
            && let Some(action) = implied_action(tool)
        {
            notes.push(format!("`action`: `{action}`, from the name {tool}"));
            map.insert("action".into(), action.into());
        }
    }
    let value = coerce(schema, Value::Object(map), "", &mut notes);
    (value, notes)
}

fn has_property(schema: &Value, key: &str) -> bool {
    schema
        .get("properties")
        .and_then(|properties| properties.get(key))
        .is_some()
}

/// The object inside whatever was sent; `Err` gives back what holds none.
fn unpack(
    tool: &str,
    schema: &Value,
    input: Value,
    notes: &mut Notes,
) -> Result<Map<String, Value>, Value> {
    match input {
        Value::Object(map) => Ok(unwrap_once(schema, map, notes)),
        Value::Null => Ok(Map::new()),
        Value::String(text) => from_text(tool, schema, text, notes),
        Value::Array(mut items) if items.len() == 1 && items[0].is_object() => {
            notes.push("took the object out of a list".into());
            match items.pop() {
                Some(Value::Object(map)) => Ok(unwrap_once(schema, map, notes)),
                _ => Ok(Map::new()),
            }
        }
        other => Err(other),
    }
}

fn from_text(
    tool: &str,
    schema: &Value,
    text: String,
    notes: &mut Notes,
) -> Result<Map<String, Value>, Value> {
    if text.trim().is_empty() {
        return Ok(Map::new());
    }
    match serde_json::from_str(&text) {
        Ok(Value::Object(map)) => {
            notes.push("read the object out of a JSON string".into());
            return Ok(unwrap_once(schema, map, notes));
        }
        // Encoded twice: one more layer, not more.
        Ok(Value::String(inner)) => {
            if let Ok(Value::Object(map)) = serde_json::from_str(&inner) {
                notes.push("read the object out of a JSON string".into());
                return Ok(map);
            }
        }
        _ => {}
    }
    match bare_text_field(tool, schema) {
        Some(name) => {
            notes.push(format!("took the text as `{name}`"));
            Ok(Map::from_iter([(name.to_owned(), Value::String(text))]))
        }
        None => Err(Value::String(text)),
    }
}

/// The field that a bare text can only mean: the one required string, or the
/// id for a name that already says the action.
fn bare_text_field<'s>(tool: &str, schema: &'s Value) -> Option<&'s str> {
    if implied_action(tool).is_some() && has_property(schema, "id") {
        return Some("id");
    }
    let [Value::String(name)] = schema.get("required")?.as_array()?.as_slice() else {
        return None;
    };
    let property = schema.get("properties")?.get(name)?;
    let free = property.get("type")? == "string" && property.get("enum").is_none();
    free.then_some(name)
}

fn unwrap_once(schema: &Value, map: Map<String, Value>, notes: &mut Notes) -> Map<String, Value> {
    let mut entries = map.iter();
    let (Some((key, value)), None) = (entries.next(), entries.next()) else {
        return map;
    };
    if !WRAPPERS.contains(&key.as_str()) || has_property(schema, key) {
        return map;
    }
    let inner = match value {
        Value::Object(inner) => Some(inner.clone()),
        Value::String(text) => match serde_json::from_str(text) {
            Ok(Value::Object(inner)) => Some(inner),
            _ => None,
        },
        _ => None,
    };
    match inner {
        Some(inner) => {
            notes.push(format!("unwrapped `{key}`"));
            inner
        }
        None => map,
    }
}

/// Moves each value to the field it belongs to. Fields that are no one's are
/// dropped for our own tools; a foreign tool may take more than it lists.
fn rename(
    canonical: Option<&'static str>,
    schema: &Value,
    map: Map<String, Value>,
    notes: &mut Notes,
) -> Map<String, Value> {
    let Some(properties) = schema.get("properties").and_then(Value::as_object) else {
        return map;
    };
    let closed = schema.get("additionalProperties") == Some(&Value::Bool(false));
    let open = schema
        .get("additionalProperties")
        .is_some_and(|rest| rest == &Value::Bool(true) || rest.is_object());
    let (own, foreign): (Vec<_>, Vec<_>) = map
        .into_iter()
        .partition(|(key, _)| properties.contains_key(key));
    let mut out: Map<String, Value> = own.into_iter().collect();
    for (key, value) in foreign {
        match target(canonical, properties, &key).filter(|field| !occupied(&out, field)) {
            Some(field) => {
                notes.push(format!("`{}` read as `{field}`", shown(&key)));
                out.insert(field.to_owned(), value);
            }
            None if open || (canonical.is_none() && !closed) => {
                out.insert(key, value);
            }
            None => notes.push(format!(
                "dropped `{}`: not a field of this tool",
                shown(&key)
            )),
        }
    }
    out
}

fn occupied(map: &Map<String, Value>, field: &str) -> bool {
    map.get(field).is_some_and(|value| !value.is_null())
}

/// The field that this key means: the same name in another case or with other
/// separators, else an alias of the tool.
fn target<'a>(
    canonical: Option<&'static str>,
    properties: &'a Map<String, Value>,
    key: &str,
) -> Option<&'a str> {
    let plain = squash(key)?;
    if let Some(name) = properties
        .keys()
        .find(|name| squash(name).as_deref() == Some(plain.as_str()))
    {
        return Some(name);
    }
    let field =
        aliases::fields(canonical?, &plain).find(|field| properties.contains_key(*field))?;
    properties
        .keys()
        .find(|name| name.as_str() == field)
        .map(String::as_str)
}

/// A key as it may stand in a note: models send anything.
fn shown(key: &str) -> String {
    let line: String = key.chars().take(40).collect();
    tenon_vocab::Printable::line(&line).into_string()
}

/// Fields of our own tools whose text arrives in other shapes: an argument
/// vector for `command`, lines or JSON for `content`, blanks around a path.
fn shape_texts(tool: &str, map: &mut Map<String, Value>, notes: &mut Notes) {
    for (key, value) in map.iter_mut() {
        let shaped = match (tool, key.as_str(), &*value) {
            ("bash", "command", Value::Array(words)) => command_line(words),
            (
                "write" | "edit" | "patch",
                "content" | "old" | "new" | "patch",
                Value::Array(rows),
            ) => joined(rows, "\n"),
            ("write", "content", Value::Object(_)) => serde_json::to_string_pretty(value)
                .ok()
                .map(|text| text + "\n"),
            (_, "path" | "workdir", Value::String(path)) if path.trim() != path => {
                Some(path.trim().to_owned())
            }
            _ => None,
        };
        if let Some(text) = shaped {
            notes.push(format!("`{key}`: read as plain text"));
            *value = Value::String(text);
        }
    }
}

fn joined(rows: &[Value], between: &str) -> Option<String> {
    let rows: Option<Vec<&str>> = rows.iter().map(Value::as_str).collect();
    rows.map(|rows| rows.join(between))
}

/// `["bash","-lc","make"]` is `make`; any other vector is quoted word by word.
fn command_line(words: &[Value]) -> Option<String> {
    let words: Option<Vec<&str>> = words.iter().map(Value::as_str).collect();
    match words?.as_slice() {
        [] => None,
        [one] => Some((*one).to_owned()),
        [
            "bash" | "sh" | "/bin/bash" | "/bin/sh",
            "-c" | "-lc",
            script,
        ] => Some((*script).to_owned()),
        many => Some(
            many.iter()
                .map(|word| quoted(word))
                .collect::<Vec<_>>()
                .join(" "),
        ),
    }
}

fn quoted(word: &str) -> String {
    let plain = !word.is_empty()
        && word
            .chars()
            .all(|c| c.is_ascii_alphanumeric() || "-_./:=@%+,".contains(c));
    if plain {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}
