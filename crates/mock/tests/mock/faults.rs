//! What can be made to go wrong.

use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tenon_mock::{Options, Running};
use tokio::io::AsyncReadExt;

use crate::client::{End, Reply, ask, connect, post, script, start_json, streamed};

async fn server(fault: Value) -> Running {
    let steps = json!([{"response": {"content": "one two three four"}, "fault": fault}]);
    start_json(&script(steps), Options::default()).await
}

async fn sound() -> Reply {
    post(&server(json!({})).await, &streamed(ask("go"))).await
}

#[tokio::test]
async fn a_status_is_answered_with_an_error_and_retry_after() {
    let server = server(json!({"status": 429, "retry_after": 2})).await;
    for request in [ask("go"), streamed(ask("go"))] {
        let reply = post(&server, &request).await;
        assert_eq!(reply.status, 429);
        assert_eq!(reply.header("retry-after"), Some("2"));
        assert_eq!(reply.json()["error"]["type"], "rate_limit_error");
    }
}

#[tokio::test]
async fn a_body_is_sent_as_it_is() {
    let page = server(json!({"status": 502, "body": "<html>bad gateway</html>"})).await;
    let reply = post(&page, &ask("go")).await;
    assert_eq!(
        (reply.status, reply.text()),
        (502, "<html>bad gateway</html>")
    );
    assert_eq!(
        reply.header("content-type"),
        Some("text/plain; charset=utf-8")
    );
    let object = server(json!({"status": 400, "body": {"error": {"n_ctx": 8192}}})).await;
    let reply = post(&object, &ask("go")).await;
    assert_eq!(reply.json()["error"]["n_ctx"], 8192);
    assert_eq!(reply.header("content-type"), Some("application/json"));
    let empty = server(json!({"body": ""})).await;
    let reply = post(&empty, &ask("go")).await;
    assert_eq!((reply.status, reply.text()), (200, ""));
}

#[tokio::test]
async fn a_fault_with_times_ends_after_so_many_requests() {
    let server = server(json!({"status": 503, "times": 2})).await;
    let mut seen = Vec::new();
    for _ in 0..4 {
        seen.push(post(&server, &ask("go")).await.status);
    }
    assert_eq!(seen, [503, 503, 200, 200]);
}

#[tokio::test]
async fn each_step_counts_its_own_faults() {
    let step = json!({"response": {"content": "x"}, "fault": {"status": 500, "times": 1}});
    let server = start_json(&script(json!([step, step])), Options::default()).await;
    let second = json!({"messages": [
        {"role": "user", "content": "go"}, {"role": "tool", "tool_call_id": "c", "content": ""}
    ]});
    let mut seen = Vec::new();
    for request in [&ask("go"), &second, &ask("go"), &second] {
        seen.push(post(&server, request).await.status);
    }
    assert_eq!(seen, [500, 500, 200, 200]);
}

#[tokio::test]
async fn a_cut_stream_delivers_exactly_the_bytes_before_the_cut() {
    let whole = sound().await.body.len();
    for bytes in [0, 1, 100, 333, whole - 1, whole] {
        let server = server(json!({"cut_after_bytes": bytes})).await;
        let reply = post(&server, &streamed(ask("go"))).await;
        assert_eq!(
            (reply.status, reply.end, reply.body.len()),
            (200, End::Cut, bytes)
        );
    }
    let server = server(json!({"cut_after_bytes": whole + 1})).await;
    assert_eq!(post(&server, &streamed(ask("go"))).await.end, End::Complete);
}

#[tokio::test]
async fn a_late_cut_of_a_long_stream_loses_nothing_before_it() {
    let text = "word ".repeat(20_000);
    let step = json!({"response": {"content": text}, "fault": {"cut_after_bytes": 3_000_000}});
    let server = start_json(&script(json!([step])), Options::default()).await;
    let reply = post(&server, &streamed(ask("go"))).await;
    assert_eq!((reply.end, reply.body.len()), (End::Cut, 3_000_000));
}

#[tokio::test]
async fn a_cut_of_a_whole_reply_is_shorter_than_it_promised() {
    let server = server(json!({"cut_after_bytes": 20})).await;
    let reply = post(&server, &ask("go")).await;
    assert_eq!((reply.end, reply.body.len()), (End::Cut, 20));
}

#[tokio::test]
async fn a_stalled_stream_stops_after_a_whole_event_and_sends_comments() {
    let server = server(json!({"stall_after_bytes": 200})).await;
    let body = streamed(ask("go")).to_string();
    let mut socket = connect(
        server.address(),
        "POST",
        "/v1/chat/completions",
        body.as_bytes(),
    )
    .await;
    let mut bytes = Vec::new();
    while String::from_utf8_lossy(&bytes)
        .matches(": keep-alive\n\n")
        .count()
        < 2
    {
        assert_ne!(
            socket.read_buf(&mut bytes).await.unwrap(),
            0,
            "the connection stays open"
        );
    }
    let text = String::from_utf8(bytes).unwrap();
    assert!(!text.contains("[DONE]"));
    assert!(text.contains(r#""content":"one "#), "{text}");
    assert!(!text.contains("four"), "{text}");
}

#[tokio::test]
async fn a_malformed_chunk_stands_between_sound_ones() {
    let server = server(json!({"malformed_chunk": true})).await;
    let reply = post(&server, &streamed(ask("go"))).await;
    let broken: Vec<String> = reply
        .events()
        .into_iter()
        .filter(|data| data != "[DONE]" && serde_json::from_str::<Value>(data).is_err())
        .collect();
    assert_eq!(broken.len(), 1);
    assert_eq!(reply.joined("content"), "one two three four");
    let whole = post(&server, &ask("go")).await;
    assert_eq!(whole.end, End::Complete);
    assert!(serde_json::from_slice::<Value>(&whole.body).is_err());
}

/// Lower bounds only: a slow machine makes them larger, never smaller.
#[tokio::test]
async fn delays_hold_the_reply_back() {
    for fault in [json!({"delay_ms": 60}), json!({"first_token_ms": 60})] {
        let server = server(fault).await;
        let asked = Instant::now();
        let reply = post(&server, &streamed(ask("go"))).await;
        assert_eq!(reply.joined("content"), "one two three four");
        assert!(asked.elapsed() >= Duration::from_millis(60));
    }
}

#[tokio::test]
async fn the_head_comes_at_once_when_only_the_first_token_is_slow() {
    let server = server(json!({"first_token_ms": 3_600_000})).await;
    let body = streamed(ask("go")).to_string();
    let mut socket = connect(
        server.address(),
        "POST",
        "/v1/chat/completions",
        body.as_bytes(),
    )
    .await;
    let mut bytes = Vec::new();
    while !bytes.ends_with(b"\r\n\r\n") {
        assert_ne!(socket.read_buf(&mut bytes).await.unwrap(), 0);
    }
    assert!(bytes.starts_with(b"HTTP/1.1 200"));
}
