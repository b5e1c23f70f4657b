//! Requests in the strictest dialect, and the prefix that must not change.

mod images;
mod prefix;

use bytes::Bytes;
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_model::codec::{Chat, Codec};
use tenon_model::{
    ContentNull, Delivery, Entry, MaxTokensField, Parameters, Prefix, Quirks, Request,
    ReturnReasoning,
};
use tenon_vocab::{
    BlobRef, CallId, Effect, ImageSource, Message, Origin, Part, Role, ToolCallPart, ToolSpec,
};

fn prefix() -> Arc<Prefix> {
    let tool = |name: &str| ToolSpec {
        name: name.into(),
        description: "Reads \"things\"".into(),
        parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
        effect: Effect::Read,
        source: "built-in".into(),
    };
    Arc::new(Prefix {
        system: "You are Tenon.".into(),
        tools: vec![tool("read"), tool("list")],
    })
}

fn entry(message: Message) -> Arc<Entry> {
    Arc::new(Entry::new(Arc::new(message)))
}

fn assistant(parts: Vec<Part>) -> Arc<Entry> {
    entry(Message::new(Role::Assistant, Origin::Model, parts))
}

fn call(id: &str, arguments: &str) -> Part {
    Part::ToolCall(ToolCallPart {
        id: CallId::new(id),
        name: "read".into(),
        arguments: arguments.into(),
        form: tenon_vocab::CallForm::Native,
    })
}

fn result(id: &str, text: &str) -> Part {
    Part::ToolResult {
        call: CallId::new(id),
        name: "read".into(),
        text: text.into(),
        ok: true,
    }
}

fn tool(parts: Vec<Part>) -> Arc<Entry> {
    entry(Message::new(Role::Tool, Origin::Model, parts))
}

fn blob() -> (BlobRef, Part) {
    let blob = BlobRef {
        sha256: "ab".into(),
        bytes: 3,
    };
    let part = Part::Image {
        source: ImageSource::Blob(blob.clone()),
        media_type: "image/png".into(),
    };
    (blob, part)
}

fn with_image(role: Role, mut parts: Vec<Part>) -> Arc<Entry> {
    let (blob, part) = blob();
    parts.push(part);
    let message = Message::new(role, Origin::User, parts);
    Arc::new(Entry::with_blobs(
        Arc::new(message),
        vec![(blob, Bytes::from_static(b"PNG"))],
    ))
}

fn request(entries: Vec<Arc<Entry>>) -> Request {
    Request {
        prefix: prefix(),
        entries,
        parameters: Parameters::default(),
        delivery: Delivery::Streamed,
        cache_key: None,
        room: None,
    }
}

fn bytes(codec: &Chat, request: &Request) -> Vec<u8> {
    codec.body("m", request).concat()
}

fn body(quirks: Quirks, request: &Request) -> Value {
    serde_json::from_slice(&bytes(&Chat::new(quirks), request)).expect("the body is JSON")
}

fn messages(request: &Request) -> Vec<Value> {
    let body = body(Quirks::default(), request);
    assert_strict(&body);
    body["messages"].as_array().expect("a list").clone()
}

/// The rules that the strictest servers hold requests to.
fn assert_strict(body: &Value) {
    let found = tenon_mock::wire::chat::validate(body.to_string().as_bytes());
    assert_eq!(found, Vec::<String>::new(), "{body}");
    let messages = body["messages"].as_array().expect("messages");
    let mut open: Vec<String> = Vec::new();
    let mut last = "";
    for (position, message) in messages.iter().enumerate() {
        let role = message["role"].as_str().expect("a role");
        let content = &message["content"];
        assert!(
            content.is_string() || content.is_array(),
            "content of {role}: {content}"
        );
        match role {
            "system" => assert_eq!(position, 0, "the system message stands first"),
            "user" => assert_ne!(last, "user", "two user messages in a row"),
            "assistant" => assert_ne!(last, "assistant", "two assistant messages in a row"),
            "tool" => {
                assert!(content.is_string());
                assert_eq!(
                    message["tool_call_id"].as_str(),
                    open.first().map(String::as_str)
                );
                open.remove(0);
            }
            other => panic!("role {other}"),
        }
        if role != "tool" {
            assert!(open.is_empty(), "a call without a result before {role}");
        }
        if let Some(calls) = message.get("tool_calls") {
            let calls = calls.as_array().expect("a list of calls");
            assert!(!calls.is_empty(), "an empty list of calls");
            for call in calls {
                let arguments = call["function"]["arguments"]
                    .as_str()
                    .expect("arguments are a string");
                let parsed: Value = serde_json::from_str(arguments).expect("arguments parse");
                assert!(parsed.is_object());
                open.push(call["id"].as_str().expect("an id").to_owned());
            }
        }
        last = role;
    }
    for key in body.as_object().expect("an object").keys() {
        assert!(
            [
                "model",
                "tools",
                "messages",
                "tool_choice",
                "temperature",
                "top_p",
                "max_tokens",
                "max_completion_tokens",
                "reasoning_effort",
                "stream",
                "stream_options"
            ]
            .contains(&key.as_str()),
            "unknown field {key}"
        );
    }
}

#[test]
fn a_whole_step_is_written_strictly() {
    let request = request(vec![
        entry(Message::user("fix it")),
        assistant(vec![
            Part::Reasoning {
                text: "hm".into(),
                signature: None,
                provider: None,
            },
            Part::text("Looking."),
            call("a", r#"{"path":"x"}"#),
            call("b", r#"{"path":"cut"#),
        ]),
        tool(vec![result("a", "content of x")]),
        tool(vec![result("b", "error: invalid_input: cut")]),
        assistant(vec![Part::text("Done.")]),
        entry(Message::user("thanks")),
    ]);
    let body = body(Quirks::default(), &request);
    assert_strict(&body);
    assert_eq!(
        body,
        json!({
            "model": "m",
            "tools": [
                {"type": "function", "function": {"name": "read", "description": "Reads \"things\"", "parameters":
                    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}},
                {"type": "function", "function": {"name": "list", "description": "Reads \"things\"", "parameters":
                    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}}},
            ],
            "messages": [
                {"role": "system", "content": "You are Tenon."},
                {"role": "user", "content": "fix it"},
                {"role": "assistant", "content": "Looking.", "tool_calls": [
                    {"id": "a", "type": "function", "function": {"name": "read", "arguments": "{\"path\":\"x\"}"}},
                    {"id": "b", "type": "function", "function": {"name": "read", "arguments": "{}"}},
                ]},
                {"role": "tool", "tool_call_id": "a", "content": "content of x"},
                {"role": "tool", "tool_call_id": "b", "content": "error: invalid_input: cut"},
                {"role": "assistant", "content": "Done."},
                {"role": "user", "content": "thanks"},
            ],
            "tool_choice": "auto",
            "stream": true,
            "stream_options": {"include_usage": true},
        })
    );
}

#[test]
fn without_system_and_tools_neither_is_sent() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.prefix = Arc::new(Prefix {
        system: String::new(),
        tools: Vec::new(),
    });
    request.delivery = Delivery::Whole;
    assert_eq!(
        String::from_utf8(bytes(&Chat::new(Quirks::default()), &request)).expect("text"),
        r#"{"model":"m","messages":[{"role":"user","content":"hi"}],"stream":false}"#
    );
}

#[test]
fn a_limit_is_no_longer_than_there_is_room_and_none_is_made_up() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.room = Some(70);
    assert_eq!(body(Quirks::default(), &request).get("max_tokens"), None);
    for (wanted, limit) in [(60, 60), (100, 70)] {
        request.parameters.max_tokens = Some(wanted);
        assert_eq!(body(Quirks::default(), &request)["max_tokens"], limit);
    }
}

#[test]
fn parameters_are_sent_only_when_set_and_not_when_omitted() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.parameters = Parameters {
        temperature: Some(0.2),
        top_p: Some(f64::NAN),
        max_tokens: Some(100),
        reasoning_effort: Some("low".into()),
        ..Parameters::default()
    };
    let sent = body(Quirks::default(), &request);
    assert_strict(&sent);
    assert_eq!(
        (&sent["temperature"], &sent["max_tokens"]),
        (&json!(0.2), &json!(100))
    );
    assert_eq!(sent.get("top_p"), None);
    let quirks = Quirks {
        omit: [
            "temperature",
            "stream_options",
            "tool_choice",
            "reasoning_effort",
        ]
        .map(String::from)
        .into(),
        max_tokens_field: MaxTokensField::MaxCompletionTokens,
        ..Quirks::default()
    };
    let sent = body(quirks, &request);
    let keys: Vec<&str> = sent
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        keys,
        [
            "model",
            "tools",
            "messages",
            "max_completion_tokens",
            "stream"
        ]
    );
    let quirks = Quirks {
        omit: [String::from("tools")].into(),
        ..Quirks::default()
    };
    let sent = body(quirks, &request);
    assert_eq!((sent.get("tools"), sent.get("tool_choice")), (None, None));
}

#[test]
fn content_of_a_message_with_only_calls_follows_the_quirk() {
    for (quirk, content) in [
        (ContentNull::EmptyString, Some(json!(""))),
        (ContentNull::Null, Some(Value::Null)),
        (ContentNull::Omit, None),
    ] {
        let request = request(vec![
            entry(Message::user("hi")),
            assistant(vec![call("a", "{}")]),
        ]);
        let quirks = Quirks {
            content_null: quirk,
            ..Quirks::default()
        };
        let sent = body(quirks, &request);
        assert_eq!(
            sent["messages"][2].get("content"),
            content.as_ref(),
            "{quirk:?}"
        );
    }
}

#[test]
fn reasoning_is_returned_only_where_a_server_wants_it_and_then_always() {
    let reasoning = Part::Reasoning {
        text: "hm".into(),
        signature: None,
        provider: None,
    };
    let request = request(vec![
        entry(Message::user("hi")),
        assistant(vec![reasoning, Part::text("a")]),
        entry(Message::user("and")),
        assistant(vec![Part::text("b")]),
    ]);
    let plain = Chat::new(Quirks::default());
    assert!(!String::from_utf8_lossy(&bytes(&plain, &request)).contains("hm"));
    // The fragments of the first codec are there already: the quirk must still be seen.
    let quirks = Quirks {
        return_reasoning: ReturnReasoning::ReasoningContent,
        ..Quirks::default()
    };
    let sent = body(quirks, &request);
    assert_eq!(sent["messages"][2]["reasoning_content"], json!("hm"));
    assert_eq!(sent["messages"][4]["reasoning_content"], json!(""));
}

#[test]
fn only_a_codec_for_llama_cpp_asks_how_far_the_server_has_read() {
    let asked = |codec: &Chat, delivery| {
        let mut request = request(vec![entry(Message::user("hi"))]);
        request.delivery = delivery;
        let body: Value = serde_json::from_slice(&bytes(codec, &request)).expect("JSON");
        body.get("return_progress").cloned()
    };
    let plain = Chat::new(Quirks::default());
    assert_eq!(asked(&plain, Delivery::Streamed), None);
    let llama = Chat::new(Quirks::default()).asking_for_progress();
    assert_eq!(asked(&llama, Delivery::Streamed), Some(Value::Bool(true)));
    assert_eq!(asked(&llama, Delivery::Whole), None);
    let refused = Quirks {
        omit: ["return_progress".to_owned()].into(),
        ..Quirks::default()
    };
    let refused = Chat::new(refused).asking_for_progress();
    assert_eq!(asked(&refused, Delivery::Streamed), None);
}
