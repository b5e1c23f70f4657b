//! What stands before the messages: model, tools and system prompt. The last
//! tool and the system prompt are marked for the provider's cache; both marks
//! never move.

use super::names;
use super::wire::write;
use crate::Prefix;
use crate::quirks::Quirks;
use bytes::Bytes;
use serde::Serialize;
use serde_json::{Map, Value, json};
use std::borrow::Cow;

#[derive(Serialize)]
pub(super) struct CacheControl {
    r#type: &'static str,
}

pub(super) const CACHED: CacheControl = CacheControl {
    r#type: "ephemeral",
};

#[derive(Serialize)]
struct WireTool<'r> {
    name: Cow<'r, str>,
    description: &'r str,
    input_schema: Cow<'r, Value>,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

#[derive(Serialize)]
struct WireSystem<'r> {
    r#type: &'static str,
    text: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    cache_control: Option<CacheControl>,
}

/// Whether single blocks may carry a mark. The mark of the whole request is
/// another field: gateways take the one and refuse the other.
pub(super) fn marks_blocks(quirks: &Quirks) -> bool {
    !quirks
        .omit
        .iter()
        .any(|field| field.ends_with(".cache_control"))
}

/// Up to the first message.
pub(super) fn head(model: &str, prefix: &Prefix, quirks: &Quirks) -> Bytes {
    let mark = || marks_blocks(quirks).then_some(CACHED);
    let mut out = b"{\"model\":".to_vec();
    write(&mut out, &model);
    if !prefix.tools.is_empty() && !quirks.omits("tools") {
        let last = prefix.tools.len() - 1;
        let tools: Vec<WireTool<'_>> = prefix
            .tools
            .iter()
            .enumerate()
            .map(|(position, tool)| WireTool {
                name: names::tool(&tool.name),
                description: &tool.description,
                input_schema: schema(&tool.parameters),
                cache_control: mark().filter(|_| position == last),
            })
            .collect();
        out.extend_from_slice(b",\"tools\":");
        write(&mut out, &tools);
    }
    if !prefix.system.trim().is_empty() {
        out.extend_from_slice(b",\"system\":");
        let system = WireSystem {
            r#type: "text",
            text: &prefix.system,
            cache_control: mark(),
        };
        write(&mut out, &[system]);
    }
    out.extend_from_slice(b",\"messages\":[");
    Bytes::from(out)
}

/// A schema must be that of an object, and may choose between forms only
/// further down; one tool that breaks this would fail every request.
fn schema(given: &Value) -> Cow<'_, Value> {
    const REFUSED: [&str; 3] = ["oneOf", "anyOf", "allOf"];
    match given {
        Value::Object(fields)
            if fields.get("type").and_then(Value::as_str) == Some("object")
                && fields.get("properties").is_some_and(Value::is_object)
                && !REFUSED.iter().any(|key| fields.contains_key(*key)) =>
        {
            Cow::Borrowed(given)
        }
        Value::Object(fields) => {
            let mut object = Map::new();
            object.insert(String::from("type"), json!("object"));
            for (key, value) in fields {
                let sound = key != "properties" || value.is_object();
                if key != "type" && sound && !REFUSED.contains(&key.as_str()) {
                    object.insert(key.clone(), value.clone());
                }
            }
            object
                .entry("properties")
                .or_insert_with(|| Value::Object(Map::new()));
            Cow::Owned(Value::Object(object))
        }
        _ => Cow::Owned(json!({"type": "object", "properties": {}})),
    }
}
