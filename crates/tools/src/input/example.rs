//! One short input that would have been accepted, made from the schema: a
//! model repairs its call from an example sooner than from a rule.

use super::coerce::types;
use serde_json::{Map, Value, json};

const DEPTH: usize = 4;

/// An object with every required field, and no other unless `extra` names it.
pub(super) fn example(schema: &Value, extra: Option<&str>) -> String {
    object(schema, extra, 0).to_string()
}

fn object(schema: &Value, extra: Option<&str>, depth: usize) -> Value {
    let mut out = Map::new();
    if let Some(properties) = schema.get("properties").and_then(Value::as_object) {
        for (name, property) in properties {
            if super::coerce::required(schema, name) || extra == Some(name) {
                out.insert(name.clone(), value(name, property, depth + 1));
            }
        }
    }
    Value::Object(out)
}

fn value(name: &str, schema: &Value, depth: usize) -> Value {
    if let Some(given) = first(schema, "examples").or_else(|| first(schema, "enum")) {
        return given.clone();
    }
    if let Some(given) = schema.get("default") {
        return given.clone();
    }
    if depth > DEPTH {
        return Value::Null;
    }
    let wanted = types(schema);
    match wanted.first().copied() {
        Some("integer" | "number") => schema
            .get("minimum")
            .filter(|minimum| minimum.as_i64().is_some_and(|n| n > 0))
            .cloned()
            .unwrap_or_else(|| json!(1)),
        Some("boolean") => json!(true),
        Some("array") => match schema.get("items") {
            Some(item) => json!([value(name, item, depth + 1)]),
            None => json!([]),
        },
        Some("object") => object(schema, None, depth),
        Some("null") => Value::Null,
        _ => json!(word(name)),
    }
}

fn first<'a>(schema: &'a Value, key: &str) -> Option<&'a Value> {
    schema.get(key).and_then(Value::as_array)?.first()
}

/// A plausible text for a field of this name.
fn word(name: &str) -> &'static str {
    match name {
        "path" | "file" | "file_path" => "src/main.rs",
        "command" => "ls -la",
        "pattern" => "fn main",
        "glob" => "*.rs",
        "old" => "let a = 1;",
        "new" => "let a = 2;",
        "content" => "hello\n",
        "patch" => "--- a/notes.txt\n+++ b/notes.txt\n@@ -1 +1 @@\n-old\n+new\n",
        "question" => "Which database should I use?",
        "workdir" => "src",
        "id" => "proc_1",
        _ => "text",
    }
}
