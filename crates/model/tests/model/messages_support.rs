//! Building requests of the Messages format, and the rules that its strictest
//! server holds them to.

use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use tenon_model::codec::{Codec, Messages};
use tenon_model::{Delivery, Entry, Parameters, Prefix, Quirks, Request};
use tenon_vocab::{
    BlobRef, CallForm, CallId, Effect, ImageSource, Message, Origin, Part, Role, ToolCallPart,
    ToolSpec,
};

pub const OWNER: &str = "anthropic/opus";
pub const PNG: &[u8] = b"\x89PNG\r\n\x1a\n rest";
pub const PNG_TEXT: &str = "iVBORw0KGgogcmVzdA==";

pub fn spec(name: &str, parameters: Value) -> ToolSpec {
    ToolSpec {
        name: name.into(),
        description: "Reads \"things\"".into(),
        parameters,
        effect: Effect::Read,
        source: "built-in".into(),
    }
}

pub fn prefix() -> Arc<Prefix> {
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    Arc::new(Prefix {
        system: "You are Tenon.".into(),
        tools: vec![spec("read", schema.clone()), spec("list", schema)],
    })
}

pub fn entry(message: Message) -> Arc<Entry> {
    Arc::new(Entry::new(Arc::new(message)))
}

pub fn user(text: &str) -> Arc<Entry> {
    entry(Message::user(text))
}

pub fn assistant(parts: Vec<Part>) -> Arc<Entry> {
    entry(Message::new(Role::Assistant, Origin::Model, parts))
}

pub fn call(id: &str, arguments: &str) -> Part {
    named_call(id, "read", arguments)
}

pub fn named_call(id: &str, name: &str, arguments: &str) -> Part {
    Part::ToolCall(ToolCallPart {
        id: CallId::new(id),
        name: name.into(),
        arguments: arguments.into(),
        form: CallForm::Native,
    })
}

pub fn result(id: &str, text: &str) -> Part {
    Part::ToolResult {
        call: CallId::new(id),
        name: "read".into(),
        text: text.into(),
        ok: true,
    }
}

pub fn results(parts: Vec<Part>) -> Arc<Entry> {
    entry(Message::new(Role::Tool, Origin::User, parts))
}

pub fn signed(text: &str, signature: &str, provider: &str) -> Part {
    Part::Reasoning {
        text: text.into(),
        signature: Some(signature.into()),
        provider: Some(provider.into()),
    }
}

pub fn picture(media_type: &str) -> Part {
    Part::Image {
        source: ImageSource::Blob(blob()),
        media_type: media_type.into(),
    }
}

pub fn blob() -> BlobRef {
    BlobRef {
        sha256: "ab".into(),
        bytes: 3,
    }
}

pub fn link(url: &str) -> Part {
    Part::Image {
        source: ImageSource::Url(url.into()),
        media_type: "image/png".into(),
    }
}

pub fn with_picture(role: Role, parts: Vec<Part>) -> Arc<Entry> {
    let message = Message::new(role, Origin::User, parts);
    Arc::new(Entry::with_blobs(
        Arc::new(message),
        vec![(blob(), Bytes::from_static(PNG))],
    ))
}

pub fn request(entries: Vec<Arc<Entry>>) -> Request {
    Request {
        prefix: prefix(),
        entries,
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    }
}

pub fn body_for(model: &str, quirks: Quirks, request: &Request) -> Value {
    let codec = Messages::new(quirks, OWNER);
    serde_json::from_slice(&codec.body(model, request).concat()).expect("the body is JSON")
}

pub fn body(request: &Request) -> Value {
    body_for("m", Quirks::default(), request)
}

pub fn messages(entries: Vec<Arc<Entry>>) -> Vec<Value> {
    let body = body(&request(entries));
    assert_strict(&body);
    body["messages"].as_array().expect("a list").clone()
}

pub fn omitting(fields: &[&str]) -> Quirks {
    Quirks {
        omit: fields.iter().map(|&field| field.to_owned()).collect(),
        ..Quirks::default()
    }
}

pub fn fits(text: &str) -> bool {
    !text.is_empty()
        && text.len() <= 64
        && text
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-'))
}

/// The rules that the strictest servers hold requests to.
pub fn assert_strict(body: &Value) {
    let found = tenon_mock::wire::messages::validate(body.to_string().as_bytes());
    assert_eq!(found, Vec::<String>::new(), "{body}");
    for key in body.as_object().expect("an object").keys() {
        let known = [
            "model",
            "tools",
            "system",
            "messages",
            "cache_control",
            "max_tokens",
            "temperature",
            "top_p",
            "thinking",
            "output_config",
            "tool_choice",
            "stream",
        ];
        assert!(known.contains(&key.as_str()), "unknown field {key}");
    }
    assert!(body["max_tokens"].as_u64().is_some_and(|limit| limit > 0));
    assert!(body.to_string().matches("cache_control").count() <= 4);
    let mut names = HashSet::new();
    for tool in body["tools"].as_array().into_iter().flatten() {
        assert!(fits(tool["name"].as_str().expect("a name")));
        assert!(names.insert(tool["name"].as_str()));
        assert_eq!(tool["input_schema"]["type"], json!("object"));
    }
    let messages = body["messages"].as_array().expect("messages");
    assert_eq!(messages.last().expect("a message")["role"], json!("user"));
    let mut ids = HashSet::new();
    let mut waiting: Vec<String> = Vec::new();
    for (position, message) in messages.iter().enumerate() {
        let role = ["user", "assistant"][position % 2];
        assert_eq!(message["role"], json!(role), "roles alternate");
        let blocks = message["content"].as_array().expect("blocks");
        assert!(!blocks.is_empty());
        let mut answering = role == "user";
        let mut called = false;
        for block in blocks {
            let kind = block["type"].as_str();
            assert!(!(called && kind == Some("text")), "text after a call");
            called |= kind == Some("tool_use");
            if block["type"] == json!("tool_result") {
                assert!(answering, "results come first");
                let id = block["tool_use_id"].as_str().expect("an id");
                assert_eq!(waiting.first().map(String::as_str), Some(id), "in order");
                waiting.remove(0);
            } else {
                answering = false;
            }
            assert_block(role, block, &mut ids, &mut waiting);
        }
        assert!(
            role == "assistant" || waiting.is_empty(),
            "calls without a result"
        );
        let last = blocks.last().expect("a block")["type"].as_str();
        assert!(!matches!(last, Some("thinking" | "redacted_thinking")));
    }
}

pub fn assert_block(
    role: &str,
    block: &Value,
    ids: &mut HashSet<String>,
    waiting: &mut Vec<String>,
) {
    match (role, block["type"].as_str().expect("a type")) {
        (_, "text") => {
            let text = block["text"].as_str().expect("text");
            assert!(!text.trim().is_empty(), "an empty string");
        }
        ("user", "image") => assert_image(block),
        ("user", "tool_result") => match &block["content"] {
            Value::String(text) => assert!(!text.trim().is_empty()),
            Value::Array(parts) => {
                for part in parts {
                    assert_block("user", part, ids, waiting);
                }
            }
            other => panic!("content {other}"),
        },
        ("assistant", "tool_use") => {
            let id = block["id"].as_str().expect("an id");
            assert!(fits(id), "{id}");
            assert!(fits(block["name"].as_str().expect("a name")));
            assert!(block["input"].is_object());
            assert!(ids.insert(id.to_owned()), "{id} is used twice");
            waiting.push(id.to_owned());
        }
        ("assistant", "thinking") => {
            assert!(
                block["signature"]
                    .as_str()
                    .is_some_and(|text| !text.is_empty())
            );
            assert!(block["thinking"].is_string());
        }
        ("assistant", "redacted_thinking") => assert!(block["data"].is_string()),
        (role, kind) => panic!("{kind} in a message of {role}"),
    }
}

pub fn assert_image(block: &Value) {
    let source = &block["source"];
    match source["type"].as_str() {
        Some("base64") => {
            let kinds = ["image/png", "image/jpeg", "image/gif", "image/webp"];
            assert!(kinds.contains(&source["media_type"].as_str().expect("a media type")));
            assert!(source["data"].as_str().is_some_and(|data| !data.is_empty()));
        }
        Some("url") => assert!(
            source["url"]
                .as_str()
                .is_some_and(|url| url.starts_with("http"))
        ),
        other => panic!("source {other:?}"),
    }
}
