//! Each way to misbehave, as a client sees it.

use serde_json::{Value, json};
use tenon_mock::Options;

use crate::client::{End, Reply, ask, post, start_json, streamed};

fn scenarios(shape: Value) -> Value {
    let call = |id: &str, path: &str| json!({"id": id, "function": {"name": "read", "arguments": {"path": path}}});
    json!({"scenarios": [{"trigger": "go", "shape": shape, "steps": [
        {"response": {"content": "ok", "tool_calls": [call("a", "one"), call("b", "two")]}}
    ]}]})
}

async fn both(shape: Value) -> (Reply, Value) {
    let server = start_json(&scenarios(shape), Options::default()).await;
    let mut request = streamed(ask("go"));
    request["stream_options"] = json!({"include_usage": true});
    let stream = post(&server, &request).await;
    assert_eq!(stream.end, End::Complete);
    (stream, post(&server, &ask("go")).await.json())
}

fn calls(whole: &Value) -> &Vec<Value> {
    whole["choices"][0]["message"]["tool_calls"]
        .as_array()
        .unwrap()
}

#[tokio::test]
async fn arguments_object_sends_objects() {
    let (stream, whole) = both(json!("arguments_object")).await;
    let deltas = stream.call_deltas();
    assert_eq!(deltas.len(), 2);
    assert_eq!(deltas[1]["function"]["arguments"], json!({"path": "two"}));
    assert_eq!(
        calls(&whole)[0]["function"]["arguments"],
        json!({"path": "one"})
    );
}

#[tokio::test]
async fn no_ids_sends_no_ids() {
    let (stream, whole) = both(json!("no_ids")).await;
    assert!(
        stream
            .call_deltas()
            .iter()
            .chain(calls(&whole))
            .all(|call| call.get("id").is_none())
    );
}

#[tokio::test]
async fn same_index_gives_every_call_index_0() {
    let (stream, _) = both(json!("same_index")).await;
    assert!(stream.call_deltas().iter().all(|call| call["index"] == 0));
    let ids: Vec<Value> = stream
        .call_deltas()
        .iter()
        .filter_map(|call| call.get("id").cloned())
        .collect();
    assert_eq!(ids, ["a", "b"]);
}

#[tokio::test]
async fn no_index_sends_no_index() {
    let (stream, _) = both(json!("no_index")).await;
    assert!(
        stream
            .call_deltas()
            .iter()
            .all(|call| call.get("index").is_none())
    );
}

#[tokio::test]
async fn no_done_ends_without_the_mark() {
    let (stream, _) = both(json!("no_done")).await;
    assert!(!stream.text().contains("[DONE]"));
}

#[tokio::test]
async fn crlf_ends_every_line_with_both() {
    let (stream, _) = both(json!("crlf")).await;
    let text = stream.text();
    assert_eq!(text.matches('\n').count(), text.matches("\r\n").count());
    assert_eq!(stream.joined("content"), "ok");
}

#[tokio::test]
async fn no_space_leaves_out_the_space() {
    let (stream, _) = both(json!("no_space")).await;
    assert!(stream.text().starts_with("data:{"));
    assert!(!stream.text().contains("data: "));
}

#[tokio::test]
async fn usage_none_never_counts() {
    let (stream, whole) = both(json!("usage_none")).await;
    assert!(
        stream
            .chunks()
            .iter()
            .all(|chunk| chunk.get("usage").is_none())
    );
    assert_eq!(whole.get("usage"), None);
}

#[tokio::test]
async fn llama_cpp_python_repeats_id_and_name_in_every_delta() {
    let (stream, whole) = both(json!("llama_cpp_python")).await;
    let deltas = stream.deltas();
    assert_eq!(deltas[0], json!({"role": "assistant", "content": null}));
    for call in stream.call_deltas() {
        assert!(call["id"].is_string());
        assert_eq!(call["function"]["name"], "read");
    }
    assert!(stream.call_deltas().len() > 2);
    assert_eq!(deltas.last().unwrap()["tool_calls"], Value::Null);
    assert!(
        stream
            .chunks()
            .iter()
            .all(|chunk| chunk.get("usage").is_none())
    );
    assert_eq!(
        whole["choices"][0]["message"]["function_call"]["name"],
        "read"
    );
}

#[tokio::test]
async fn shapes_can_be_combined() {
    let (stream, _) = both(json!(["no_ids", "same_index", "no_done", "crlf"])).await;
    assert!(
        stream
            .call_deltas()
            .iter()
            .all(|call| call.get("id").is_none() && call["index"] == 0)
    );
    assert!(!stream.text().contains("[DONE]"));
    assert!(stream.text().ends_with("\r\n\r\n"));
}
