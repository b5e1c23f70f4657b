//! Requests in the Responses format: strict whatever is stored, and with a
//! beginning that does not change.

use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::VecDeque;
use std::sync::Arc;
use tenon_model::codec::{Codec, Responses, ResponsesOptions};
use tenon_model::{Delivery, Entry, Parameters, Prefix, Quirks, Request};
use tenon_vocab::{
    BlobRef, CallId, Effect, ImageSource, Message, Origin, Part, Role, ToolCallPart, ToolSpec,
};

pub fn prefix() -> Arc<Prefix> {
    Arc::new(Prefix {
        system: "You are Tenon.".into(),
        tools: vec![ToolSpec {
            name: "read".into(),
            description: "Reads \"things\"".into(),
            parameters: json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}),
            effect: Effect::Read,
            source: "built-in".into(),
        }],
    })
}

pub fn entry(message: Message) -> Arc<Entry> {
    Arc::new(Entry::new(Arc::new(message)))
}

pub fn assistant(parts: Vec<Part>) -> Arc<Entry> {
    entry(Message::new(Role::Assistant, Origin::Model, parts))
}

pub fn tool(parts: Vec<Part>) -> Arc<Entry> {
    entry(Message::new(Role::Tool, Origin::Model, parts))
}

pub fn call(id: &str, arguments: &str) -> Part {
    named_call(id, "read", arguments)
}

pub fn named_call(id: &str, name: &str, arguments: &str) -> Part {
    Part::ToolCall(ToolCallPart::new(CallId::new(id), name, arguments))
}

pub fn result(id: &str, text: &str) -> Part {
    Part::ToolResult {
        call: CallId::new(id),
        name: "read".into(),
        text: text.into(),
        ok: true,
    }
}

pub fn thought(text: &str, item: Option<&Value>, provider: &str) -> Part {
    Part::Reasoning {
        text: text.into(),
        signature: item.map(Value::to_string),
        provider: item.map(|_| provider.to_owned()),
    }
}

pub fn reasoning_item() -> Value {
    json!({"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA"})
}

pub fn with_image(role: Role, mut parts: Vec<Part>) -> Arc<Entry> {
    let blob = BlobRef {
        sha256: "ab".into(),
        bytes: 3,
    };
    parts.push(Part::Image {
        source: ImageSource::Blob(blob.clone()),
        media_type: "image/png".into(),
    });
    let message = Message::new(role, Origin::User, parts);
    Arc::new(Entry::with_blobs(
        Arc::new(message),
        vec![(blob, Bytes::from_static(b"PNG"))],
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

pub fn codec(quirks: Quirks) -> Responses {
    Responses::new(quirks, "openai", ResponsesOptions::default())
}

pub fn bytes(codec: &Responses, request: &Request) -> Vec<u8> {
    codec.body("m", request).concat()
}

pub fn body(quirks: Quirks, request: &Request) -> Value {
    let body = serde_json::from_slice(&bytes(&codec(quirks), request)).expect("the body is JSON");
    assert_strict(&body);
    body
}

pub fn items(quirks: Quirks, entries: Vec<Arc<Entry>>) -> Vec<Value> {
    body(quirks, &request(entries))["input"]
        .as_array()
        .expect("a list")
        .clone()
}

pub fn omitting(fields: &[&str]) -> Quirks {
    Quirks {
        omit: fields.iter().map(|field| (*field).to_owned()).collect(),
        ..Quirks::default()
    }
}

fn is_plain(text: &Value) -> bool {
    text.as_str().is_some_and(|text| {
        (1..=64).contains(&text.len())
            && text
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-')
    })
}

fn only(value: &Value, fields: &[&str]) {
    for field in value.as_object().expect("an object").keys() {
        assert!(fields.contains(&field.as_str()), "{field} in {value}");
    }
}

/// The rules that the strictest servers hold requests to.
fn assert_strict(body: &Value) {
    // Tests look at histories without their end, at pictures that are words,
    // and at what one server alone takes back.
    const OF_THE_TEST: &[&str] = &[
        "The last item must be the user's or an output.",
        "`input` is empty.",
        "the bytes of the image are not image/png.",
        "nothing is stored, so reasoning needs its `encrypted_content`",
        "there is no item \"web_search_call\"",
        // Ids are made unique over a whole session, by the engine.
        "was used before",
    ];
    let mut found = tenon_mock::wire::responses::validate(body.to_string().as_bytes());
    found.retain(|sentence| !OF_THE_TEST.iter().any(|part| sentence.contains(part)));
    assert_eq!(found, Vec::<String>::new(), "{body}");
    only(
        body,
        &[
            "model",
            "instructions",
            "tools",
            "input",
            "tool_choice",
            "store",
            "include",
            "reasoning",
            "max_output_tokens",
            "temperature",
            "top_p",
            "prompt_cache_key",
            "client_metadata",
            "stream",
        ],
    );
    let items = body["input"].as_array().expect("a list of items");
    let mut open: VecDeque<&Value> = VecDeque::new();
    for (position, item) in items.iter().enumerate() {
        match item["type"].as_str().expect("a type") {
            "message" => {
                assert!(open.is_empty(), "a call without an output before {item}");
                strict_message(item);
            }
            "function_call" => {
                only(item, &["type", "call_id", "name", "arguments"]);
                assert!(
                    is_plain(&item["call_id"]) && is_plain(&item["name"]),
                    "{item}"
                );
                let arguments = item["arguments"].as_str().expect("a string");
                let parsed: Value = serde_json::from_str(arguments).expect("arguments parse");
                assert!(parsed.is_object());
                open.push_back(&item["call_id"]);
            }
            "function_call_output" => {
                only(item, &["type", "call_id", "output"]);
                assert!(item["output"].is_string());
                assert_eq!(
                    open.pop_front(),
                    Some(&item["call_id"]),
                    "outputs in the order of calls"
                );
            }
            "reasoning" => {
                let next = items
                    .get(position + 1)
                    .expect("an item after the reasoning");
                assert!(
                    next["type"] != "function_call_output" && next["role"] != "user",
                    "the reasoning stands alone before {next}"
                );
            }
            "web_search_call" => {}
            other => panic!("an item of type {other}"),
        }
    }
    assert!(open.is_empty(), "calls without an output: {open:?}");
}

fn strict_message(item: &Value) {
    only(item, &["type", "role", "content"]);
    let content = item["content"].as_array().expect("a list");
    assert!(!content.is_empty());
    for part in content {
        let kind = part["type"].as_str().expect("a type");
        match item["role"].as_str().expect("a role") {
            "user" => assert!(["input_text", "input_image"].contains(&kind), "{part}"),
            "assistant" => {
                assert_eq!(kind, "output_text");
                assert_ne!(part["text"], "", "an empty answer");
            }
            other => panic!("role {other}"),
        }
    }
}

#[test]
fn a_whole_step_is_written_as_items() {
    let request = request(vec![
        entry(Message::user("fix it")),
        assistant(vec![
            thought("Hm.", Some(&reasoning_item()), "openai"),
            Part::text("Looking."),
            call("a", r#"{"path":"x"}"#),
            call("b", r#"{"path":"cut"#),
        ]),
        tool(vec![result("a", "content of x")]),
        tool(vec![result("b", "error: invalid_input: cut")]),
        assistant(vec![Part::text("Done.")]),
        entry(Message::user("thanks")),
    ]);
    assert_eq!(
        body(Quirks::default(), &request),
        json!({
            "model": "m",
            "instructions": "You are Tenon.",
            "tools": [
                {"type": "function", "name": "read", "description": "Reads \"things\"", "parameters":
                    {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}, "strict": false},
            ],
            "input": [
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "fix it"}]},
                {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}], "encrypted_content": "gAAA"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Looking."}]},
                {"type": "function_call", "call_id": "a", "name": "read", "arguments": "{\"path\":\"x\"}"},
                {"type": "function_call", "call_id": "b", "name": "read", "arguments": "{}"},
                {"type": "function_call_output", "call_id": "a", "output": "content of x"},
                {"type": "function_call_output", "call_id": "b", "output": "error: invalid_input: cut"},
                {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
                {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "thanks"}]},
            ],
            "tool_choice": "auto",
            "store": false,
            "include": ["reasoning.encrypted_content"],
            "stream": true,
        })
    );
}

#[test]
fn without_system_and_tools_neither_is_sent_and_all_can_be_left_out() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.prefix = Arc::new(Prefix {
        system: String::new(),
        tools: Vec::new(),
    });
    request.delivery = Delivery::Whole;
    let quirks = omitting(&["store", "include"]);
    assert_eq!(
        String::from_utf8(bytes(&codec(quirks), &request)).expect("text"),
        r#"{"model":"m","input":[{"type":"message","role":"user","content":[{"type":"input_text","text":"hi"}]}],"stream":false}"#
    );
}

#[test]
fn parameters_stand_after_the_items_and_each_can_be_left_out() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.parameters = Parameters {
        temperature: Some(0.5),
        top_p: Some(f64::NAN),
        max_tokens: Some(100),
        reasoning_effort: Some("high".into()),
        ..Parameters::default()
    };
    request.cache_key = Some(Arc::from("session-1"));
    let options = ResponsesOptions {
        metadata: vec![("b".into(), "2".into()), ("a".into(), "1".into())],
        ..ResponsesOptions::default()
    };
    let write = |quirks| {
        let codec = Responses::new(quirks, "openai", options.clone());
        String::from_utf8(bytes(&codec, &request)).expect("text")
    };
    let tail = |text: String| {
        let (_, tail) = text.split_once("}]}]").expect("the end of the items");
        tail.to_owned()
    };
    assert_eq!(
        tail(write(Quirks::default())),
        r#","tool_choice":"auto","store":false,"include":["reasoning.encrypted_content"],"reasoning":{"effort":"high","summary":"auto"},"max_output_tokens":100,"temperature":0.5,"prompt_cache_key":"session-1","client_metadata":{"b":"2","a":"1"},"stream":true}"#
    );
    let all = [
        "tool_choice",
        "store",
        "include",
        "reasoning",
        "max_output_tokens",
        "temperature",
        "prompt_cache_key",
        "client_metadata",
        "stream",
    ];
    assert_eq!(tail(write(omitting(&all))), "}");
    assert!(
        tail(write(omitting(&["reasoning.summary"]))).contains(r#""reasoning":{"effort":"high"}"#)
    );
    let bare: Value =
        serde_json::from_str(&write(omitting(&["tools", "instructions"]))).expect("JSON");
    assert!(bare.get("tools").is_none() && bare.get("tool_choice").is_none());
    assert!(bare.get("instructions").is_none());
}

#[test]
fn a_limit_below_what_the_format_takes_is_raised() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.parameters.max_tokens = Some(1);
    assert_eq!(body(Quirks::default(), &request)["max_output_tokens"], 16);
}

#[test]
fn a_limit_is_no_longer_than_there_is_room_and_none_is_made_up() {
    let mut request = request(vec![entry(Message::user("hi"))]);
    request.room = Some(70);
    let sent = body(Quirks::default(), &request);
    assert_eq!(sent.get("max_output_tokens"), None);
    for (wanted, limit) in [(60, 60), (100, 70)] {
        request.parameters.max_tokens = Some(wanted);
        let sent = body(Quirks::default(), &request);
        assert_eq!(sent["max_output_tokens"], limit);
    }
}

#[test]
fn text_stands_before_the_calls_of_its_message() {
    let items = items(
        Quirks::default(),
        vec![
            assistant(vec![
                call("a", "{}"),
                Part::text("One. "),
                call("b", "{}"),
                Part::text("Two."),
            ]),
            tool(vec![result("a", "1"), result("b", "2")]),
        ],
    );
    assert_eq!(items[0]["content"][0]["text"], "One. Two.");
    assert_eq!(items.len(), 5);
}
