//! Replies in the Messages format.

use serde_json::{Value, json};
use tenon_mock::{Chunking, Options, RequestKind, Running};

use crate::client::{ask_messages, get, post_to, send, start_json, streamed};

const PATH: &str = "/v1/messages";

fn scenarios(shape: Value) -> Value {
    let call = |path: &str| json!({"id": format!("toolu_{path}"), "function": {"name": "read", "arguments": {"path": path}}});
    json!({"scenarios": [{"trigger": "go", "shape": shape, "steps": [
        {"response": {"reasoning": "hm", "content": "ok", "tool_calls": [call("one"), call("two")]}, "repeat": 2},
        {"response": {"content": "step {{step}}: {{last_tool_result}}"}},
    ]}]})
}

async fn server(shape: Value) -> Running {
    let options = Options {
        chunk: Chunking::Whole,
        ..Options::default()
    };
    start_json(&scenarios(shape), options).await
}

fn answered(words: Option<&str>) -> Value {
    let mut request = ask_messages("go");
    let tool = |id: &str| json!({"type": "tool_use", "id": id, "name": "read", "input": {}});
    let result = |id: &str, text: &str| json!({"type": "tool_result", "tool_use_id": id, "content": [{"type": "text", "text": text}]});
    let mut results = vec![result("a", "first"), result("b", "plum")];
    results.extend(words.map(|words| json!({"type": "text", "text": words})));
    let messages = request["messages"].as_array_mut().unwrap();
    messages.push(json!({"role": "assistant", "content": [tool("a"), tool("b")]}));
    messages.push(json!({"role": "user", "content": results}));
    request
}

#[tokio::test]
async fn a_stream_has_the_events_of_the_owner_in_their_order() {
    let server = server(json!([])).await;
    let reply = post_to(&server, PATH, &streamed(ask_messages("go"))).await;
    assert_eq!(
        reply.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    let block = [
        "content_block_start",
        "content_block_delta",
        "content_block_delta",
        "content_block_stop",
    ];
    let text = [block[0], block[1], block[3]];
    let mut expected = vec!["message_start", "ping"];
    expected.extend(block.iter().chain(&text).chain(&block).chain(&block));
    expected.extend(["message_delta", "message_stop"]);
    assert_eq!(reply.types(), expected);
    for (name, data) in reply.named() {
        assert_eq!(data["type"], name, "the name is the type");
    }
    let events: Vec<Value> = reply.named().into_iter().map(|(_, data)| data).collect();
    let message = &events[0]["message"];
    assert!(message["id"].as_str().unwrap().starts_with("msg_"));
    assert_eq!(message["content"], json!([]));
    assert_eq!(message["usage"]["output_tokens"], 0);
    assert_eq!(
        events[3]["delta"],
        json!({"type": "thinking_delta", "thinking": "hm"})
    );
    assert_eq!(events[4]["delta"]["type"], "signature_delta");
    assert_eq!(
        events[7]["delta"],
        json!({"type": "text_delta", "text": "ok"})
    );
    let start = json!({"type": "tool_use", "id": "toolu_one", "name": "read", "input": {}});
    assert_eq!(
        (&events[9]["content_block"], &events[9]["index"]),
        (&start, &json!(2))
    );
    assert_eq!(events[11]["delta"]["partial_json"], r#"{"path":"one"}"#);
    assert_eq!(events[17]["delta"]["stop_reason"], "tool_use");
    assert!(events[17]["usage"]["output_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn a_whole_reply_says_the_same() {
    let server = server(json!([])).await;
    let whole = post_to(&server, PATH, &ask_messages("go")).await.json();
    let kinds: Vec<&str> = whole["content"]
        .as_array()
        .unwrap()
        .iter()
        .map(|block| block["type"].as_str().unwrap())
        .collect();
    assert_eq!(kinds, ["thinking", "text", "tool_use", "tool_use"]);
    assert_eq!(whole["content"][3]["input"], json!({"path": "two"}));
    assert_eq!(whole["stop_reason"], "tool_use");
    assert_eq!(
        (&whole["type"], &whole["role"]),
        (&json!("message"), &json!("assistant"))
    );
}

#[tokio::test]
async fn results_are_steps_and_words_after_them_are_the_user_speaking() {
    let server = server(json!([])).await;
    let reply = post_to(&server, PATH, &answered(None)).await.json();
    assert_eq!(reply["content"][0]["text"], "step 2: plum");
    assert_eq!(reply["stop_reason"], "end_turn");
    let reply = post_to(&server, "/messages", &answered(Some("and now?")))
        .await
        .json();
    let said = reply["content"][0]["text"].as_str().unwrap();
    assert!(
        said.contains("mock server"),
        "no trigger in the last words: {said}"
    );
}

#[tokio::test]
async fn arguments_that_are_not_json_go_out_as_they_are() {
    let call = json!({"function": {"name": "read", "arguments": "{\"path\": "}});
    let scenarios =
        json!({"scenarios": [{"trigger": "go", "steps": [{"response": {"tool_calls": [call]}}]}]});
    let server = start_json(&scenarios, Options::default()).await;
    let reply = post_to(&server, PATH, &streamed(ask_messages("go"))).await;
    let sent: String = reply
        .named()
        .iter()
        .filter_map(|(_, data)| data["delta"]["partial_json"].as_str().map(str::to_owned))
        .collect();
    assert_eq!(sent, "{\"path\": ");
    let whole = post_to(&server, PATH, &ask_messages("go")).await.json();
    assert_eq!(whole["content"][0]["input"], "{\"path\": ");
}

#[tokio::test]
async fn tokens_are_counted_and_models_are_listed_in_the_owners_shape() {
    let server = server(json!([])).await;
    let mut question = ask_messages("go");
    question.as_object_mut().unwrap().shift_remove("max_tokens");
    let counted = post_to(&server, "/v1/messages/count_tokens", &question)
        .await
        .json();
    assert!(counted["input_tokens"].as_u64().unwrap() > 0);
    let requests = server.requests();
    assert_eq!(requests[0].kind, RequestKind::CountTokens);
    assert_eq!(requests[0].violations, Vec::<String>::new());
    let plain = get(&server, "/v1/models").await.json();
    assert_eq!(plain["object"], "list");
    let bytes = b"GET /v1/models HTTP/1.1\r\nhost: m\r\nconnection: close\r\nanthropic-version: 2023-06-01\r\n\r\n";
    let own = crate::client::raw(server.address(), bytes).await.json();
    assert_eq!(own["data"][0]["type"], "model");
    assert_eq!(
        (&own["has_more"], &own["last_id"]),
        (&json!(false), &json!("mock-model"))
    );
}

#[tokio::test]
async fn llama_cpp_sends_no_input_and_no_ping() {
    let server = server(json!("llama_cpp")).await;
    let reply = post_to(&server, PATH, &streamed(ask_messages("go"))).await;
    assert!(!reply.types().contains(&"ping".to_owned()));
    let blocks: Vec<Value> = reply
        .named()
        .into_iter()
        .map(|(_, mut data)| data["content_block"].take())
        .filter(|block| block["type"] == "tool_use")
        .collect();
    assert_eq!(blocks.len(), 2);
    assert!(blocks.iter().all(|block| block.get("input").is_none()));
    let (_, start) = &reply.named()[0];
    assert!(
        start["message"]["id"]
            .as_str()
            .unwrap()
            .starts_with("chatcmpl-")
    );
    let usage = start["message"]["usage"].as_object().unwrap();
    assert!(!usage.contains_key("cache_creation_input_tokens"));
    let events = reply.named();
    let (_, last) = &events[events.len() - 2];
    assert_eq!(last["usage"].as_object().unwrap().len(), 1);
}

#[tokio::test]
async fn litellm_tells_the_counts_only_at_the_end() {
    let server = server(json!("litellm")).await;
    let reply = post_to(&server, PATH, &streamed(ask_messages("go"))).await;
    let events = reply.named();
    assert_eq!(events[0].1["message"]["usage"]["input_tokens"], 0);
    let (_, last) = &events[events.len() - 2];
    assert!(last["usage"]["input_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn the_general_quirks_hold_here_too() {
    let no_ids = server(json!([
        "no_ids",
        "no_index",
        "usage_none",
        "crlf",
        "no_space"
    ]))
    .await;
    let reply = post_to(&no_ids, PATH, &streamed(ask_messages("go"))).await;
    assert!(reply.text().starts_with("event:message_start\r\ndata:{"));
    for (_, data) in reply.named() {
        assert!(data.get("index").is_none() && data["content_block"].get("id").is_none());
        assert!(data.get("usage").is_none() && data["message"].get("usage").is_none());
    }
    let same = server(json!("same_index")).await;
    let reply = post_to(&same, PATH, &streamed(ask_messages("go"))).await;
    let indexes = reply
        .named()
        .into_iter()
        .filter_map(|(_, data)| data.get("index").cloned());
    assert!(indexes.into_iter().all(|index| index == 0));
}

#[tokio::test]
async fn what_is_no_request_of_the_format_is_an_error_in_its_shape() {
    let server = server(json!([])).await;
    for body in ["not json", "[]", "{}", r#"{"messages": 1}"#] {
        let reply = send(server.address(), "POST", PATH, body.as_bytes()).await;
        assert_eq!(reply.status, 400, "{body}");
        let error = reply.json();
        assert_eq!(
            (&error["type"], &error["error"]["type"]),
            (&json!("error"), &json!("invalid_request_error"))
        );
    }
}
