//! The stream as events: order, pieces, ends.

use serde_json::{Value, json};
use std::time::Duration;
use tenon_mock::{Chunking, Options};
use tokio::io::AsyncReadExt;

use crate::client::{End, Reply, ask, connect, post, script, start_json, streamed};

fn two_calls() -> Value {
    json!([{"response": {
        "content": "Reading both files now.",
        "reasoning": "two files",
        "tool_calls": [
            {"id": "a", "function": {"name": "read", "arguments": {"path": "src/one/file.rs"}}},
            {"id": "b", "function": {"name": "read", "arguments": {"path": "two"}}},
        ]
    }}])
}

async fn stream(steps: Value, options: Options) -> Reply {
    let server = start_json(&script(steps), options).await;
    post(&server, &streamed(ask("go"))).await
}

#[tokio::test]
async fn events_come_in_the_order_that_clients_expect() {
    let reply = stream(two_calls(), Options::default()).await;
    assert_eq!(
        reply.header("content-type"),
        Some("text/event-stream; charset=utf-8")
    );
    assert_eq!(reply.end, End::Complete);
    let deltas = reply.deltas();
    assert_eq!(deltas[0], json!({"role": "assistant", "content": ""}));
    assert_eq!(reply.joined("reasoning_content"), "two files");
    assert_eq!(reply.joined("content"), "Reading both files now.");
    let calls = reply.call_deltas();
    assert_eq!(
        calls[0],
        json!({"index": 0, "id": "a", "type": "function", "function": {"name": "read", "arguments": ""}})
    );
    let second = calls.iter().position(|call| call["index"] == 1).unwrap();
    let joined: String = calls[1..second]
        .iter()
        .map(|call| {
            assert_eq!(call.get("id"), None);
            call["function"]["arguments"].as_str().unwrap()
        })
        .collect();
    assert!(second > 2, "the arguments come in several pieces");
    assert_eq!(joined, r#"{"path":"src/one/file.rs"}"#);
    let finishes: Vec<Value> = reply
        .chunks()
        .iter()
        .map(|chunk| chunk["choices"][0]["finish_reason"].clone())
        .collect();
    let (last, others) = finishes.split_last().unwrap();
    assert_eq!(last, "tool_calls");
    assert!(others.iter().all(Value::is_null));
    assert_eq!(reply.events().last().unwrap(), "[DONE]");
}

#[tokio::test]
async fn usage_comes_only_when_asked_for_in_a_chunk_without_choices() {
    let server = start_json(&script(two_calls()), Options::default()).await;
    let plain = post(&server, &streamed(ask("go"))).await;
    assert!(
        plain
            .chunks()
            .iter()
            .all(|chunk| chunk.get("usage").is_none())
    );
    let mut request = streamed(ask("go"));
    request["stream_options"] = json!({"include_usage": true});
    let reply = post(&server, &request).await;
    let last = reply.chunks().pop().unwrap();
    assert_eq!(last["choices"], json!([]));
    assert!(last["usage"]["total_tokens"].as_u64().unwrap() > 0);
    assert_eq!(reply.events().last().unwrap(), "[DONE]");
}

#[tokio::test]
async fn every_way_of_cutting_gives_the_same_text() {
    let text = "Zwölf Boxkämpfer\n\n  jagen 漢字 \u{1f600}!  ";
    let steps = json!([{"response": {"content": text}}]);
    let mut counts = Vec::new();
    for chunk in [
        Chunking::Words,
        Chunking::Bytes(1),
        Chunking::Bytes(7),
        Chunking::Whole,
    ] {
        let reply = stream(
            steps.clone(),
            Options {
                chunk,
                ..Options::default()
            },
        )
        .await;
        assert_eq!(reply.joined("content"), text);
        counts.push(reply.deltas().len() - 2);
    }
    assert_eq!(counts, [5, text.chars().count(), 6, 1]);
}

#[tokio::test]
async fn an_answer_without_text_still_opens_and_finishes() {
    let reply = stream(json!([{"response": {}}]), Options::default()).await;
    assert_eq!(
        reply.deltas(),
        [json!({"role": "assistant", "content": ""}), json!({})]
    );
}

#[tokio::test]
async fn a_stream_of_twenty_thousand_words_arrives_whole() {
    let text = "word ".repeat(20_000);
    let reply = stream(json!([{"response": {"content": text}}]), Options::default()).await;
    assert_eq!(reply.deltas().len(), 20_002);
    assert_eq!(reply.joined("content"), text);
}

#[tokio::test]
async fn a_paced_stream_is_written_event_by_event() {
    let options = Options {
        delay: Duration::from_millis(5),
        ..Options::default()
    };
    let reply = stream(json!([{"response": {"content": "one two three"}}]), options).await;
    assert_eq!(reply.joined("content"), "one two three");
    assert_eq!(reply.end, End::Complete);
}

#[tokio::test]
async fn a_client_that_goes_away_does_not_disturb_the_next() {
    let steps = json!([{"response": {"content": "word ".repeat(200_000)}}]);
    let server = start_json(&script(steps), Options::default()).await;
    let body = streamed(ask("go")).to_string();
    let mut socket = connect(
        server.address(),
        "POST",
        "/v1/chat/completions",
        body.as_bytes(),
    )
    .await;
    socket.read_u8().await.unwrap();
    drop(socket);
    assert_eq!(post(&server, &ask("else")).await.status, 200);
}
