//! Requests in the Messages format: what its strictest server takes, from any
//! history.

use crate::messages_support::{
    OWNER, PNG_TEXT, assert_strict, assistant, body, call, entry, link, messages, named_call,
    omitting, picture, request, result, results, signed, spec, user, with_picture,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_model::codec::{Codec, Messages};
use tenon_model::{Delivery, Prefix};
use tenon_vocab::{CallId, Message, Origin, Part, Role, Status};

#[test]
fn a_whole_step_is_written_strictly() {
    let request = request(vec![
        user("fix it"),
        assistant(vec![
            signed("hm", "S", OWNER),
            Part::text("Looking."),
            call("a", r#"{"path":"x"}"#),
            call("b", r#"{"path":"cut"#),
        ]),
        results(vec![result("a", "content of x")]),
        results(vec![Part::ToolResult {
            call: CallId::new("b"),
            name: "read".into(),
            text: "error: cut".into(),
            ok: false,
        }]),
        assistant(vec![Part::text("Done.")]),
        user("thanks"),
    ]);
    let body = body(&request);
    assert_strict(&body);
    let mark = json!({"type": "ephemeral"});
    let schema = json!({"type": "object", "properties": {"path": {"type": "string"}}});
    assert_eq!(
        body,
        json!({
            "model": "m",
            "tools": [
                {"name": "read", "description": "Reads \"things\"", "input_schema": schema},
                {"name": "list", "description": "Reads \"things\"", "input_schema": schema, "cache_control": mark},
            ],
            "system": [{"type": "text", "text": "You are Tenon.", "cache_control": mark}],
            "messages": [
                {"role": "user", "content": [{"type": "text", "text": "fix it"}]},
                {"role": "assistant", "content": [
                    {"type": "thinking", "thinking": "hm", "signature": "S"},
                    {"type": "text", "text": "Looking."},
                    {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
                    {"type": "tool_use", "id": "b", "name": "read", "input": {}},
                ]},
                {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "a", "content": "content of x"},
                    {"type": "tool_result", "tool_use_id": "b", "content": "error: cut", "is_error": true},
                ]},
                {"role": "assistant", "content": [{"type": "text", "text": "Done."}]},
                {"role": "user", "content": [{"type": "text", "text": "thanks"}]},
            ],
            "cache_control": mark,
            "max_tokens": 8192,
            "stream": true,
        })
    );
}

#[test]
fn without_system_and_tools_neither_is_sent() {
    let mut request = request(vec![user("hi")]);
    request.prefix = Arc::new(Prefix {
        system: " \n".into(),
        tools: Vec::new(),
    });
    request.delivery = Delivery::Whole;
    let codec = Messages::new(omitting(&["cache_control", "x.cache_control"]), OWNER);
    assert_eq!(
        String::from_utf8(codec.body("m", &request).concat()).expect("text"),
        r#"{"model":"m","messages":[{"role":"user","content":[{"type":"text","text":"hi"}]}],"max_tokens":8192,"stream":false}"#
    );
}

#[test]
fn what_the_user_says_after_results_stands_behind_them_in_the_same_message() {
    let sent = messages(vec![
        user("look"),
        assistant(vec![call("a", "{}")]),
        results(vec![result("a", "x")]),
        user("stop"),
        user("now"),
    ]);
    assert_eq!(sent.len(), 3);
    let kinds: Vec<&str> = sent[2]["content"]
        .as_array()
        .expect("blocks")
        .iter()
        .filter_map(|block| block["type"].as_str())
        .collect();
    assert_eq!(kinds, ["tool_result", "text", "text"]);
}

#[test]
fn no_history_makes_a_request_that_is_refused() {
    let mut gone = Message::assistant("gone");
    gone.in_context = false;
    let mut abandoned = Message::new(Role::Assistant, Origin::Model, vec![call("z", "{}")]);
    abandoned.status = Status::Abandoned;
    for history in [
        vec![],
        vec![assistant(vec![Part::text("I begin.")])],
        vec![user("")],
        vec![user("hi"), user("\n\t")],
        vec![user("hi"), assistant(vec![])],
        vec![user("hi"), assistant(vec![Part::text("   ")]), user("and")],
        vec![
            user("hi"),
            assistant(vec![Part::text("a")]),
            assistant(vec![Part::text("b")]),
        ],
        // Thinking that leads to nothing.
        vec![
            user("hi"),
            assistant(vec![signed("hm", "S", OWNER)]),
            user("and"),
        ],
        // Calls without results, at the end and in the middle.
        vec![
            user("hi"),
            assistant(vec![call("a", "{}"), call("b", "{}")]),
        ],
        vec![
            user("hi"),
            assistant(vec![call("a", "{}"), call("b", "{}")]),
            results(vec![result("b", "x")]),
            user("and"),
        ],
        vec![
            user("hi"),
            assistant(vec![call("a", "{}")]),
            assistant(vec![call("b", "{}")]),
            results(vec![result("b", "x")]),
        ],
        // Results without calls, twice, and late.
        vec![user("hi"), results(vec![result("a", "x")]), user("and")],
        vec![
            user("hi"),
            assistant(vec![call("a", "{}")]),
            results(vec![result("a", "x"), result("a", "y"), result("q", "z")]),
            results(vec![result("a", "x")]),
        ],
        vec![
            user("hi"),
            assistant(vec![call("a", "{}")]),
            user("wait"),
            results(vec![result("a", "x")]),
            user("and"),
        ],
        // An id that is used again.
        vec![
            user("hi"),
            assistant(vec![call("a", "{}"), call("a", "{}")]),
            results(vec![result("a", "x")]),
            results(vec![result("a", "y")]),
            assistant(vec![call("a", "{}")]),
            results(vec![result("a", "z")]),
        ],
        vec![
            user("hi"),
            entry(gone),
            entry(abandoned),
            results(vec![result("z", "")]),
        ],
        vec![
            user("hi"),
            assistant(vec![
                call("a", "null"),
                call("b", "[1]"),
                call("c", "\"{\\\"p\\\":1}\""),
            ]),
            results(vec![result("a", ""), result("b", " "), result("c", "x")]),
        ],
    ] {
        messages(history);
    }
}

#[test]
fn a_call_without_a_result_gets_one_that_says_so() {
    let sent = messages(vec![
        user("hi"),
        assistant(vec![call("a", "{}"), call("b", "{}")]),
        results(vec![result("b", "x")]),
        user("and"),
    ]);
    assert_eq!(
        sent[2]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "a", "content": "no result was recorded", "is_error": true},
            {"type": "tool_result", "tool_use_id": "b", "content": "x"},
            {"type": "text", "text": "and"},
        ])
    );
}

#[test]
fn results_stand_in_the_order_of_the_calls_whenever_they_came() {
    for late in [
        vec![
            results(vec![result("b", "y")]),
            results(vec![result("a", "x")]),
        ],
        vec![results(vec![result("b", "y"), result("a", "x")])],
        vec![results(vec![result("a", "x"), result("b", "y")])],
    ] {
        let mut history = vec![
            user("hi"),
            assistant(vec![call("a", "{}"), call("b", "{}")]),
        ];
        history.extend(late);
        let sent = messages(history);
        assert_eq!(
            sent[2]["content"],
            json!([
                {"type": "tool_result", "tool_use_id": "a", "content": "x"},
                {"type": "tool_result", "tool_use_id": "b", "content": "y"},
            ])
        );
    }
}

#[test]
fn an_id_that_was_used_before_is_numbered_and_its_result_goes_with_it() {
    let sent = messages(vec![
        user("hi"),
        assistant(vec![call("a", "{}")]),
        results(vec![result("a", "first")]),
        assistant(vec![call("a", "{}"), call("a", "{}")]),
        results(vec![result("a", "second")]),
        results(vec![result("a", "third")]),
    ]);
    assert_eq!(
        sent[4]["content"],
        json!([
            {"type": "tool_result", "tool_use_id": "a_2", "content": "second"},
            {"type": "tool_result", "tool_use_id": "a_3", "content": "third"},
        ])
    );
}

#[test]
fn foreign_ids_and_names_are_made_to_fit_in_call_and_result_alike() {
    let long = "x".repeat(200);
    let ids = ["functions.read:0", "call|fc_1", "ä", &long, "toolu_ok"];
    let mut parts: Vec<Part> = ids.iter().map(|id| call(id, "{}")).collect();
    parts.push(named_call("n", "mcp.server/read file", "{}"));
    let sent = messages(vec![
        user("hi"),
        assistant(parts),
        results(ids.iter().map(|id| result(id, id)).collect()),
        results(vec![result("n", "x")]),
    ]);
    let calls = sent[1]["content"].as_array().expect("blocks");
    let answers = sent[2]["content"].as_array().expect("blocks");
    for (position, id) in ids.iter().enumerate() {
        assert_eq!(calls[position]["id"], answers[position]["tool_use_id"]);
        assert_eq!(answers[position]["content"], json!(id));
    }
    assert_eq!(calls[4]["id"], json!("toolu_ok"));
}

#[test]
fn images_stand_where_they_belong_and_only_kinds_that_are_taken() {
    let shown = json!({"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG_TEXT}});
    let data = |bytes: &[u8]| {
        use base64::Engine as _;
        let text = base64::engine::general_purpose::STANDARD.encode(bytes);
        link(&format!("data:image/png;base64,{text}"))
    };
    let sent = messages(vec![
        // What it is said to be does not count.
        with_picture(
            Role::User,
            vec![Part::text("what is this?"), picture("image/jpeg")],
        ),
        assistant(vec![call("a", "{}")]),
        with_picture(
            Role::Tool,
            vec![result("a", "an image"), picture("image/png")],
        ),
        assistant(vec![Part::text("ok")]),
        entry(Message::new(
            Role::User,
            Origin::User,
            vec![
                link("https://example.test/a.png"),
                data(b"\xFF\xD8\xFF\xE0"),
                data(b"GIF89a"),
                data(b"RIFF\0\0\0\0WEBPVP8 "),
                data(b"II*\0tiff"),
                data(b""),
                data(&[b"\xFF\xD8\xFF", vec![0_u8; 4 * 1024 * 1024].as_slice()].concat()),
                link("data:image/png;base64,n o"),
                link("data:image/png,plain"),
                link("file:///etc/passwd"),
                picture("image/png"),
            ],
        )),
    ]);
    assert_eq!(
        sent[0]["content"],
        json!([{"type": "text", "text": "what is this?"}, shown])
    );
    assert_eq!(
        sent[2]["content"],
        json!([{"type": "tool_result", "tool_use_id": "a", "content": [{"type": "text", "text": "an image"}, shown]}])
    );
    let kinds: Vec<&str> = sent[4]["content"]
        .as_array()
        .expect("blocks")
        .iter()
        .map(|block| {
            let source = &block["source"];
            [&source["media_type"], &source["type"], &block["type"]]
                .into_iter()
                .find_map(|name| name.as_str())
                .expect("a kind")
        })
        .collect();
    assert_eq!(
        kinds,
        [
            "url",
            "image/jpeg",
            "image/gif",
            "image/webp",
            "text",
            "text",
            "text",
            "text",
            "text",
            "text",
            "text"
        ]
    );
    let missing = sent[4]["content"][10]["text"].as_str();
    assert!(missing.is_some_and(|text| text.contains("no longer available")));
}

#[test]
fn the_schema_of_a_tool_is_that_of_an_object() {
    let mut request = request(vec![user("hi")]);
    request.prefix = Arc::new(Prefix {
        system: String::new(),
        tools: vec![
            spec("a", Value::Null),
            spec(
                "b",
                json!({"properties": {"x": {"anyOf": [{"type": "string"}]}}}),
            ),
            spec(
                "c",
                json!({"type": "object", "anyOf": [{"required": ["x"]}], "properties": {"x": {}}}),
            ),
            spec("server.tool", json!({"type": "object"})),
        ],
    });
    let sent = body(&request);
    assert_strict(&sent);
    let schemas: Vec<&Value> = (0..4)
        .map(|at| &sent["tools"][at]["input_schema"])
        .collect();
    assert_eq!(*schemas[0], json!({"type": "object", "properties": {}}));
    assert_eq!(
        *schemas[1],
        json!({"type": "object", "properties": {"x": {"anyOf": [{"type": "string"}]}}})
    );
    assert_eq!(
        *schemas[2],
        json!({"type": "object", "properties": {"x": {}}})
    );
    assert_eq!(*schemas[3], *schemas[0]);
}

#[test]
fn calls_of_a_history_are_declared_where_there_are_no_tools_any_more() {
    let mut request = request(vec![
        user("hi"),
        assistant(vec![
            call("a", "{}"),
            call("b", "{}"),
            named_call("c", "list", "{}"),
        ]),
        results(vec![result("a", "x"), result("b", "y"), result("c", "z")]),
    ]);
    request.prefix = Arc::new(Prefix {
        system: "Sum up.".into(),
        tools: Vec::new(),
    });
    let sent = body(&request);
    assert_strict(&sent);
    assert_eq!(sent["tools"][0]["name"], json!("read"));
    assert_eq!(sent["tools"][1]["name"], json!("list"));
    assert_eq!(sent["tool_choice"], json!({"type": "none"}));
    request.entries.truncate(1);
    assert_eq!(body(&request).get("tools"), None);
}

#[test]
fn text_stands_before_calls_whoever_wrote_it_behind_them() {
    let sent = messages(vec![
        user("hi"),
        assistant(vec![
            signed("hm", "S", OWNER),
            call("a", "{}"),
            Part::text("between"),
            signed("ha", "T", OWNER),
            call("b", "{}"),
            Part::text("after"),
            signed("late", "U", OWNER),
        ]),
        results(vec![result("a", "x"), result("b", "y")]),
    ]);
    let said: Vec<&str> = sent[1]["content"]
        .as_array()
        .expect("blocks")
        .iter()
        .filter_map(|block| {
            ["thinking", "text", "id"]
                .iter()
                .find_map(|key| block[*key].as_str())
        })
        .collect();
    assert_eq!(said, ["hm", "between", "after", "a", "ha", "b"]);
}
