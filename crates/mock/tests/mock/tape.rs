//! Recording a real server and answering from the recording. The real server
//! is another mock; the way to it is a client written by hand.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use serde_json::{Value, json};
use tenon_mock::{
    Options, Pace, Playback, Running, Server, Slicing, Tape, TapeError, Upstream, UpstreamError,
    UpstreamFuture, UpstreamReply, UpstreamRequest,
};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::sync::mpsc;

use crate::client::{
    End, Reply, ask, ask_messages, get, post, post_to, questions, raw, start_json, streamed,
};

/// Plain HTTP, one connection a request; the body in the pieces of the socket.
#[derive(Debug)]
struct ByHand;

impl Upstream for ByHand {
    fn send(&self, request: UpstreamRequest) -> UpstreamFuture {
        Box::pin(async move {
            let url = request.url.strip_prefix("http://").unwrap();
            let (host, path) = url.split_at(url.find('/').unwrap());
            let lost = |error: std::io::Error| UpstreamError(error.to_string());
            let mut socket = TcpStream::connect(host).await.map_err(lost)?;
            let mut head = format!(
                "{} {path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\n",
                request.method
            );
            for (name, value) in &request.headers {
                head += &format!("{name}: {}\r\n", value.to_str().unwrap());
            }
            head += &format!("content-length: {}\r\n\r\n", request.body.len());
            socket.write_all(head.as_bytes()).await.map_err(lost)?;
            socket.write_all(&request.body).await.map_err(lost)?;
            let mut bytes = Vec::new();
            socket.read_to_end(&mut bytes).await.map_err(lost)?;
            Ok(passed_on(&crate::client::parse(&bytes)))
        })
    }
}

fn passed_on(reply: &Reply) -> UpstreamReply {
    let (pieces, body) = mpsc::channel(10_000);
    // Through the middle of characters, as a network does it.
    for piece in reply.body.chunks(50) {
        pieces.try_send(Ok(Bytes::copy_from_slice(piece))).unwrap();
    }
    if reply.end == End::Cut {
        pieces
            .try_send(Err(UpstreamError("cut".to_owned())))
            .unwrap();
    }
    let mut headers = hyper::HeaderMap::new();
    for line in reply.head.lines().skip(1) {
        let (name, value) = line.split_once(':').unwrap();
        let name: hyper::header::HeaderName = name.parse().unwrap();
        headers.append(name, value.trim().parse().unwrap());
    }
    headers.insert("set-cookie", "session=s3cret".parse().unwrap());
    UpstreamReply {
        status: hyper::StatusCode::from_u16(reply.status).unwrap(),
        headers,
        body,
    }
}

async fn real() -> Running {
    let call = json!({"function": {"name": "read", "arguments": {"path": "a"}}});
    let scenarios = json!({"scenarios": [
        {"trigger": "tool", "steps": [{"response": {"reasoning": "hm", "tool_calls": [call]}}]},
        {"trigger": "cut", "steps": [{"response": {"content": "x"}, "fault": {"cut_after_bytes": 120}}]},
        {"trigger": "busy", "steps": [{"response": {}, "fault": {"status": 429, "retry_after": 7}}]},
    ], "default_response": {"content": "Grüße, 世界! And more words than one piece can hold."}});
    start_json(&scenarios, Options::default()).await
}

async fn recorder(url: &str, out: &Path) -> Running {
    Server::record(
        ([127, 0, 0, 1], 0).into(),
        url,
        Arc::new(ByHand),
        out,
        Options::default(),
    )
    .await
    .unwrap()
    .spawn()
}

async fn player(out: &Path, slicing: Slicing) -> Running {
    let playback = Playback {
        slicing,
        pace: Pace::default(),
    };
    let tape = Tape::load(out).unwrap();
    Server::replay(
        ([127, 0, 0, 1], 0).into(),
        tape,
        playback,
        Options::default(),
    )
    .await
    .unwrap()
    .spawn()
}

fn lines(out: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(out).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

#[tokio::test]
async fn what_was_recorded_is_played_byte_for_byte_in_any_pieces() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let real = real().await;
    let recording = recorder(&real.base_url(), &out).await;
    let mut heard = Vec::new();
    for (path, question) in questions("use the tool") {
        for question in [question.clone(), streamed(question)] {
            let reply = post_to(&recording, path, &question).await;
            assert_eq!((reply.status, reply.end), (200, End::Complete));
            heard.push((path, question, reply));
        }
    }
    let models = get(&recording, "/v1/models").await;
    assert_eq!(lines(&out).len(), 7);
    for slicing in [
        Slicing::Recorded,
        Slicing::Bytes(1),
        Slicing::Bytes(1000),
        Slicing::Lines,
        Slicing::Events,
    ] {
        let playing = player(&out, slicing).await;
        // Backwards: the request decides, and not the order.
        for (path, question, before) in heard.iter().rev() {
            let reply = post_to(&playing, path, question).await;
            assert_eq!(reply.body, before.body, "{path} {slicing:?}");
            assert_eq!(reply.header("content-type"), before.header("content-type"));
        }
        assert_eq!(get(&playing, "/models").await.json(), models.json());
        assert_eq!(playing.requests()[0].violations, Vec::<String>::new());
    }
}

#[tokio::test]
async fn no_key_and_no_cookie_is_written_down_but_the_server_gets_the_key() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let real = real().await;
    let recording = recorder(&real.base_url(), &out).await;
    let body = ask("hi").to_string();
    let request = format!(
        "POST /v1/chat/completions?key=s3cret&beta=true HTTP/1.1\r\nhost: m\r\nconnection: close\r\n\
         authorization: Bearer s3cret\r\nx-api-key: s3cret\r\napi-key: s3cret\r\ncookie: s3cret\r\n\
         chatgpt-account-id: s3cret\r\nx-anything: s3cret\r\nanthropic-version: 2023-06-01\r\n\
         content-length: {}\r\n\r\n{body}",
        body.len()
    );
    let reply = raw(recording.address(), request.as_bytes()).await;
    assert_eq!(reply.status, 200);
    let lines = lines(&out);
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(!text.contains("s3cret"), "{text}");
    assert_eq!(lines[0]["request"]["path"], "/v1/chat/completions?key&beta");
    assert_eq!(
        lines[0]["request"]["headers"]["anthropic-version"],
        "2023-06-01"
    );
    assert_eq!(lines[0]["request"]["body"], ask("hi"));
    let arrived = &real.requests()[0];
    assert_eq!(arrived.headers["authorization"], "Bearer s3cret");
    assert_eq!(arrived.headers["x-anything"], "s3cret");
    assert_eq!(arrived.path, "/v1/chat/completions?key=s3cret&beta=true");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&out).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[tokio::test]
async fn a_key_that_the_server_repeats_is_not_written_down_but_reaches_the_client() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    // Longer than one piece of the way to it.
    let key = format!("sk-{}", "0123456789".repeat(12));
    let said = format!("The key {key} is wrong");
    let real = start_json(
        &json!({"scenarios": [], "default_response": {"content": said}}),
        Options::default(),
    )
    .await;
    let recording = recorder(&real.base_url(), &out).await;
    let body = ask("hi").to_string();
    let request = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: m\r\nconnection: close\r\n\
         authorization: Bearer {key}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    );
    let reply = raw(recording.address(), request.as_bytes()).await;
    assert!(String::from_utf8_lossy(&reply.body).contains(&key));
    let text = std::fs::read_to_string(&out).unwrap();
    assert!(
        !text.contains("0123456789") && !text.contains("sk-"),
        "{text}"
    );
    assert!(text.contains(" key *****"), "{text}");
}

#[tokio::test]
async fn a_server_that_does_not_answer_is_a_502_and_leaves_no_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let url = real().await.base_url();
    let recording = recorder(&url, &out).await;
    for (path, question) in questions("hi") {
        let reply = post_to(&recording, path, &question).await;
        assert_eq!(reply.status, 502, "{path}");
        assert!(reply.text().contains("did not answer"), "{path}");
    }
    assert!(std::fs::read_to_string(&out).unwrap().is_empty());
}

#[tokio::test]
async fn a_cut_and_a_refusal_are_played_as_they_were() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let real = real().await;
    let recording = recorder(&real.base_url(), &out).await;
    let cut = post(&recording, &streamed(ask("cut"))).await;
    assert_eq!((cut.end, cut.body.len()), (End::Cut, 120));
    assert_eq!(post(&recording, &ask("busy")).await.status, 429);
    let taped = lines(&out);
    assert_eq!(taped[0]["response"]["end"], "cut");
    let pieces = taped[0]["response"]["pieces"].as_array().unwrap();
    assert_eq!(pieces.len(), 3, "fifty bytes each");
    assert!(pieces.iter().all(|piece| piece["at_ms"].is_u64()));
    let playing = player(&out, Slicing::Bytes(7)).await;
    let reply = post(&playing, &streamed(ask("cut"))).await;
    assert_eq!((reply.end, &reply.body), (End::Cut, &cut.body));
    let reply = post(&playing, &ask("busy")).await;
    assert_eq!(
        (reply.status, reply.header("retry-after")),
        (429, Some("7"))
    );
}

#[tokio::test]
async fn other_requests_get_the_replies_of_their_path_in_order() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let exchange = |path: &str, body: Value, text: &str| {
        let pieces = json!([{"at_ms": 0, "text": text}]);
        json!({
            "request": {"method": "POST", "path": path, "body": body},
            "response": {"status": 200, "pieces": pieces},
        })
        .to_string()
    };
    let tape = [
        exchange("/v1/chat/completions", ask("a"), "1"),
        exchange("/v1/chat/completions", ask("b"), "2"),
        exchange("/v1/messages", ask_messages("a"), "3"),
        String::new(),
    ];
    std::fs::write(&out, tape.join("\n")).unwrap();
    let playing = player(&out, Slicing::Recorded).await;
    let mut again = ask("b");
    again["user"] = json!("another session");
    assert_eq!(
        post(&playing, &again).await.text(),
        "2",
        "the same but for who asks"
    );
    for text in ["1", "2", "2"] {
        assert_eq!(post(&playing, &ask("unknown")).await.text(), text);
    }
    assert_eq!(
        post(&playing, &ask("a")).await.text(),
        "1",
        "a reply can be heard again"
    );
    let other = post_to(&playing, "/v1/responses", &json!({"input": "a"})).await;
    assert_eq!(other.status, 404);
    assert!(other.text().contains("no reply to POST /v1/responses"));
}

#[tokio::test]
async fn bytes_that_are_no_text_survive() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let real = real().await;
    let recording = recorder(&real.base_url(), &out).await;
    let heard = post(&recording, &streamed(ask("hi"))).await;
    assert!(heard.text().contains("世"));
    let taped = lines(&out);
    let text = taped[0].to_string();
    assert!(
        text.contains("\"base64\""),
        "a piece ends inside a character: {text}"
    );
    let playing = player(&out, Slicing::Recorded).await;
    assert_eq!(post(&playing, &streamed(ask("hi"))).await.body, heard.body);
}

#[tokio::test]
async fn the_recorded_pace_is_at_least_as_slow() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let pieces = json!([{"at_ms": 30, "text": "a"}, {"at_ms": 80, "text": "b"}]);
    let line = json!({
        "request": {"method": "GET", "path": "/v1/models"},
        "response": {"status": 200, "pieces": pieces},
    });
    std::fs::write(&out, format!("{line}\n")).unwrap();
    let playback = Playback {
        slicing: Slicing::Recorded,
        pace: "recorded".parse().unwrap(),
    };
    let tape = Tape::load(&out).unwrap();
    let server = Server::replay(
        ([127, 0, 0, 1], 0).into(),
        tape,
        playback,
        Options::default(),
    )
    .await
    .unwrap()
    .spawn();
    let asked = std::time::Instant::now();
    assert_eq!(get(&server, "/v1/models").await.text(), "ab");
    assert!(asked.elapsed() >= std::time::Duration::from_millis(80));
}

#[test]
fn a_recording_that_cannot_be_played_is_named_with_its_line() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    assert!(matches!(Tape::load(&out), Err(TapeError::Read { .. })));
    std::fs::write(&out, "\n\n").unwrap();
    assert!(matches!(Tape::load(&out), Err(TapeError::Empty { .. })));
    let request = r#""request":{"method":"GET","path":"/"}"#;
    for (line, word) in [
        ("nonsense".to_owned(), "expected"),
        (format!("{{{request}}}"), "response"),
        (
            format!(r#"{{{request},"response":{{"status":9,"pieces":[]}}}}"#),
            "no status",
        ),
        (
            format!(r#"{{{request},"response":{{"status":200,"pieces":[{{"at_ms":0}}]}}}}"#),
            "piece 0",
        ),
        (
            format!(
                r#"{{{request},"response":{{"status":200,"pieces":[{{"at_ms":0,"base64":"%"}}]}}}}"#
            ),
            "piece 0",
        ),
    ] {
        std::fs::write(&out, format!("\n{line}\n")).unwrap();
        let text = Tape::load(&out).unwrap_err().to_string();
        assert!(
            text.contains("tape.jsonl, line 2") && text.contains(word),
            "{text}"
        );
    }
}

#[tokio::test]
async fn a_url_or_a_file_that_cannot_be_used_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("tape.jsonl");
    let record = |url: &'static str, out: std::path::PathBuf| async move {
        let address = ([127, 0, 0, 1], 0).into();
        Server::record(address, url, Arc::new(ByHand), &out, Options::default()).await
    };
    let error = record("localhost:8000", out.clone()).await.unwrap_err();
    assert_eq!(error.kind(), std::io::ErrorKind::InvalidInput);
    let missing = out.join("below");
    assert!(record("http://localhost:8000/v1", missing).await.is_err());
}
