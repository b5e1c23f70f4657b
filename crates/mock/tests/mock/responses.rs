//! Replies in the Responses format.

use serde_json::{Value, json};
use tenon_mock::{Chunking, Options, RequestKind, Running};

use crate::client::{ask_responses, post_to, send, start_json, streamed};

const PATH: &str = "/v1/responses";

async fn server(shape: Value) -> Running {
    let call = |path: &str| json!({"id": format!("call_{path}"), "function": {"name": "read", "arguments": {"path": path}}});
    let scenarios = json!({"scenarios": [{"trigger": "go", "shape": shape, "steps": [
        {"response": {"reasoning": "hm", "content": "ok", "tool_calls": [call("one"), call("two")]}, "repeat": 2},
        {"response": {"content": "step {{step}}: {{last_tool_result}}"}},
    ]}]});
    let options = Options {
        chunk: Chunking::Whole,
        ..Options::default()
    };
    start_json(&scenarios, options).await
}

#[tokio::test]
async fn a_stream_has_the_events_of_the_owner_in_their_order() {
    let server = server(json!([])).await;
    let reply = post_to(&server, PATH, &streamed(ask_responses("go"))).await;
    let call = [
        "response.output_item.added",
        "response.function_call_arguments.delta",
        "response.function_call_arguments.done",
        "response.output_item.done",
    ];
    let mut expected = vec![
        "response.created",
        "response.in_progress",
        "response.output_item.added",
        "response.reasoning_summary_part.added",
        "response.reasoning_summary_text.delta",
        "response.reasoning_summary_text.done",
        "response.reasoning_summary_part.done",
        "response.output_item.done",
        "response.output_item.added",
        "response.content_part.added",
        "response.output_text.delta",
        "response.output_text.done",
        "response.content_part.done",
        "response.output_item.done",
    ];
    expected.extend(call.iter().chain(&call));
    expected.push("response.completed");
    assert_eq!(reply.types(), expected);
    for (number, (name, data)) in reply.named().iter().enumerate() {
        assert_eq!(data["type"], *name);
        assert_eq!(data["sequence_number"], number);
    }
    let events: Vec<Value> = reply.named().into_iter().map(|(_, data)| data).collect();
    assert_eq!(events[10]["output_index"], 1);
    assert_eq!(events[10]["content_index"], 0);
    assert_eq!(events[18]["output_index"], 3);
    let last = &events[events.len() - 1]["response"];
    let whole = post_to(&server, PATH, &ask_responses("go")).await.json();
    assert_eq!(last["status"], "completed");
    let kinds = |response: &Value| -> Vec<Value> {
        let output = response["output"].as_array().unwrap();
        output.iter().map(|item| item["type"].clone()).collect()
    };
    assert_eq!(kinds(last), kinds(&whole));
    assert_eq!(last["output"][2]["call_id"], "call_one");
    assert_eq!(last["output"][3]["arguments"], r#"{"path":"two"}"#);
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0);
}

#[tokio::test]
async fn reasoning_is_sealed_only_when_that_was_asked_for() {
    let server = server(json!([])).await;
    let sealed = post_to(&server, PATH, &ask_responses("go")).await.json();
    assert!(sealed["output"][0]["encrypted_content"].is_string());
    let mut request = ask_responses("go");
    request["include"] = json!([]);
    let open = post_to(&server, PATH, &request).await.json();
    assert!(open["output"][0].get("encrypted_content").is_none());
}

#[tokio::test]
async fn outputs_are_steps_and_a_plain_text_is_an_input() {
    let server = server(json!([])).await;
    let mut request = ask_responses("go");
    let items = request["input"].as_array_mut().unwrap();
    for id in ["a", "b"] {
        items.push(
            json!({"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"}),
        );
    }
    for id in ["a", "b"] {
        items.push(
            json!({"type": "function_call_output", "call_id": id, "output": format!("out {id}")}),
        );
    }
    for path in [PATH, "/responses", "/backend-api/codex/responses"] {
        let reply = post_to(&server, path, &request).await.json();
        assert_eq!(reply["output"][0]["content"][0]["text"], "step 2: out b");
    }
    let requests = server.requests();
    assert!(
        requests
            .iter()
            .all(|request| request.kind == RequestKind::Responses)
    );
    assert_eq!(requests[0].violations, Vec::<String>::new());
    let plain = json!({"model": "m", "input": "go"});
    let reply = post_to(&server, PATH, &plain).await.json();
    assert_eq!(reply["output"][1]["content"][0]["text"], "ok");
}

#[tokio::test]
async fn llama_cpp_sends_no_indexes_and_no_end_of_arguments() {
    let server = server(json!("llama_cpp")).await;
    let reply = post_to(&server, PATH, &streamed(ask_responses("go"))).await;
    let types = reply.types();
    assert!(types.contains(&"response.reasoning_text.delta".to_owned()));
    assert!(!types.contains(&"response.function_call_arguments.done".to_owned()));
    for (_, data) in reply.named() {
        for name in ["output_index", "content_index", "sequence_number"] {
            assert!(data.get(name).is_none(), "{data}");
        }
    }
    let (_, created) = &reply.named()[0];
    assert_eq!(created["response"].as_object().unwrap().len(), 3);
}

#[tokio::test]
async fn litellm_sends_no_names_and_a_done_at_the_end() {
    let server = server(json!("litellm")).await;
    let reply = post_to(&server, PATH, &streamed(ask_responses("go"))).await;
    assert!(!reply.text().contains("event:"));
    assert!(reply.text().ends_with("data: [DONE]\n\n"));
    assert!(
        reply
            .named()
            .iter()
            .all(|(_, data)| data.get("sequence_number").is_none())
    );
}

#[tokio::test]
async fn the_general_quirks_hold_here_too() {
    let server = server(json!([
        "no_ids",
        "arguments_object",
        "usage_none",
        "same_index"
    ]))
    .await;
    let whole = post_to(&server, PATH, &ask_responses("go")).await.json();
    assert_eq!(whole["usage"], Value::Null);
    assert_eq!(whole["output"][2]["arguments"], json!({"path": "one"}));
    assert!(whole["output"][2].get("call_id").is_none());
    let reply = post_to(&server, PATH, &streamed(ask_responses("go"))).await;
    let indexes = reply
        .named()
        .into_iter()
        .filter_map(|(_, data)| data.get("output_index").cloned());
    assert!(indexes.into_iter().all(|index| index == 0));
}

#[tokio::test]
async fn a_reply_that_was_cut_by_its_length_is_incomplete() {
    let scenarios =
        json!({"scenarios": [], "default_response": {"content": "x", "finish_reason": "length"}});
    let server = start_json(&scenarios, Options::default()).await;
    let reply = post_to(&server, PATH, &streamed(ask_responses("go"))).await;
    let (name, last) = reply.named().pop().unwrap();
    assert_eq!(name, "response.incomplete");
    assert_eq!(
        last["response"]["incomplete_details"],
        json!({"reason": "max_output_tokens"})
    );
}

#[tokio::test]
async fn what_is_no_request_of_the_format_is_a_400() {
    let server = server(json!([])).await;
    for body in [
        "not json",
        "[]",
        "{}",
        r#"{"input": 1}"#,
        r#"{"input": [1]}"#,
    ] {
        let reply = send(server.address(), "POST", PATH, body.as_bytes()).await;
        assert_eq!(reply.status, 400, "{body}");
        assert_eq!(reply.json()["error"]["type"], "invalid_request_error");
    }
}
