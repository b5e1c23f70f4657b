//! Everything around the chat itself: other paths, wrong requests, limits.

use serde_json::{Value, json};
use tenon_mock::{Options, Scenarios, Server, Strictness};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

use crate::client::{ask, get, parse, post, send, start};

fn strict() -> Options {
    Options {
        strict: Strictness::Strict,
        ..Options::default()
    }
}

#[tokio::test]
async fn both_paths_answer_and_others_are_not_found() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    let body = ask("how are you").to_string();
    for (path, status) in [
        ("/chat/completions", 200),
        ("/v1/chat/completions", 200),
        ("/v1/chat/completions?x=1", 200),
        ("/v1/completions", 404),
        ("/v1/embeddings", 404),
        ("/", 404),
    ] {
        let reply = send(server.address(), "POST", path, body.as_bytes()).await;
        assert_eq!(reply.status, status, "{path}");
        if status == 404 {
            let error = &reply.json()["error"];
            assert_eq!(error["type"], "invalid_request_error");
            // A client that looks for a missing model must find none here.
            let message = error["message"].as_str().unwrap();
            assert!(!message.contains("model"), "{message}");
        }
    }
}

#[tokio::test]
async fn models_and_health() {
    let options = Options {
        model: "other".to_owned(),
        ..Options::default()
    };
    let server = start(Scenarios::built_in(), options).await;
    for path in ["/models", "/v1/models"] {
        let models = get(&server, path).await.json();
        assert_eq!(models["object"], "list");
        assert_eq!(models["data"][0]["id"], "other");
    }
    assert_eq!(
        get(&server, "/health").await.json(),
        json!({"status": "ok"})
    );
    assert_eq!(post(&server, &ask("x")).await.json()["model"], "other");
}

#[tokio::test]
async fn a_wrong_method_is_told_the_right_one() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    let reply = get(&server, "/v1/chat/completions").await;
    assert_eq!((reply.status, reply.header("allow")), (405, Some("POST")));
    let reply = send(server.address(), "DELETE", "/v1/models", b"").await;
    assert_eq!((reply.status, reply.header("allow")), (405, Some("GET")));
}

#[tokio::test]
async fn what_is_no_chat_request_is_a_400_that_says_why() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    for (body, word) in [
        ("not json", "expected"),
        ("", "EOF"),
        ("[]", "messages"),
        ("{}", "messages"),
        (r#"{"messages": 1}"#, "sequence"),
        (r#"{"messages": [{"content": "x"}]}"#, "role"),
        (r#"{"messages": [], "stream": "yes"}"#, "boolean"),
    ] {
        let reply = send(
            server.address(),
            "POST",
            "/v1/chat/completions",
            body.as_bytes(),
        )
        .await;
        assert_eq!(reply.status, 400, "{body}");
        let message = reply.json()["error"]["message"]
            .as_str()
            .unwrap()
            .to_owned();
        assert!(message.contains(word), "{body}: {message}");
    }
    let deep = "[".repeat(200_000);
    let reply = send(
        server.address(),
        "POST",
        "/v1/chat/completions",
        deep.as_bytes(),
    )
    .await;
    assert_eq!(reply.status, 400);
    let bytes = send(
        server.address(),
        "POST",
        "/v1/chat/completions",
        b"\xff\xfe",
    )
    .await;
    assert_eq!(bytes.status, 400);
}

#[tokio::test]
async fn a_body_over_the_limit_is_refused_before_it_is_sent() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    let mut socket = TcpStream::connect(server.address()).await.unwrap();
    let head = format!(
        "POST /v1/chat/completions HTTP/1.1\r\nhost: m\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
        (64 << 20) + 1
    );
    socket.write_all(head.as_bytes()).await.unwrap();
    let mut bytes = Vec::new();
    socket.read_to_end(&mut bytes).await.unwrap();
    assert_eq!(parse(&bytes).status, 413);
}

#[tokio::test]
async fn garbage_instead_of_http_does_not_stop_the_server() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    let mut socket = TcpStream::connect(server.address()).await.unwrap();
    socket
        .write_all(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
        .await
        .unwrap();
    let mut bytes = Vec::new();
    let _ = socket.read_to_end(&mut bytes).await;
    assert_eq!(get(&server, "/health").await.status, 200);
}

#[tokio::test]
async fn one_connection_serves_several_requests() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    let mut socket = TcpStream::connect(server.address()).await.unwrap();
    for _ in 0..3 {
        socket
            .write_all(b"GET /health HTTP/1.1\r\nhost: m\r\n\r\n")
            .await
            .unwrap();
        let mut bytes = Vec::new();
        while !bytes.ends_with(br#"{"status":"ok"}"#) {
            assert_ne!(socket.read_buf(&mut bytes).await.unwrap(), 0);
        }
    }
}

#[tokio::test]
async fn strict_refuses_with_all_sentences_what_lenient_answers() {
    let request = json!({
        "model": "m",
        "messages": [{"role": "user", "content": null}],
        "top_k": 4,
    });
    let lenient = start(Scenarios::built_in(), Options::default()).await;
    assert_eq!(post(&lenient, &request).await.status, 200);
    assert_eq!(lenient.requests()[0].violations.len(), 2);

    let server = start(Scenarios::built_in(), strict()).await;
    let reply = post(&server, &request).await;
    assert_eq!(reply.status, 400);
    let message = reply.json()["error"]["message"]
        .as_str()
        .unwrap()
        .to_owned();
    assert!(
        message.contains("`top_k`") && message.contains("messages[0]"),
        "{message}"
    );
    assert_eq!(
        server.requests()[0].violations,
        message.lines().collect::<Vec<_>>()
    );
    assert_eq!(post(&server, &ask("how are you")).await.status, 200);
}

#[tokio::test]
async fn run_until_ends_when_asked_and_frees_the_port() {
    let server = Server::bind(
        ([127, 0, 0, 1], 0).into(),
        Scenarios::built_in(),
        Options::default(),
    )
    .await
    .unwrap();
    let address = server.address();
    let (stop, stopped) = tokio::sync::oneshot::channel::<()>();
    let task = tokio::spawn(server.run_until(stopped));
    assert_eq!(send(address, "GET", "/health", b"").await.status, 200);
    stop.send(()).unwrap();
    task.await.unwrap();
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn stop_ends_open_replies() {
    let step = json!({"response": {"content": "x"}, "fault": {"stall_after_bytes": 0}});
    let scenarios = json!({"scenarios": [{"trigger": "", "steps": [step]}]});
    let server = start(
        Scenarios::parse(&scenarios.to_string()).unwrap(),
        Options::default(),
    )
    .await;
    let address = server.address();
    let body = crate::client::streamed(ask("x")).to_string();
    let mut socket =
        crate::client::connect(address, "POST", "/v1/chat/completions", body.as_bytes()).await;
    socket.read_u8().await.unwrap();
    server.stop().await;
    let mut rest = Vec::new();
    let _ = socket.read_to_end(&mut rest).await;
    assert!(TcpStream::connect(address).await.is_err());
}

#[tokio::test]
async fn the_base_url_can_be_used_as_it_is() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    assert_eq!(
        server.base_url(),
        format!("http://127.0.0.1:{}/v1", server.address().port())
    );
    let everywhere = Server::bind(
        ([0, 0, 0, 0], 0).into(),
        Scenarios::built_in(),
        Options::default(),
    )
    .await
    .unwrap();
    assert!(everywhere.base_url().starts_with("http://127.0.0.1:"));
}

#[tokio::test]
async fn a_taken_port_is_an_error() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    let again = Server::bind(server.address(), Scenarios::built_in(), Options::default()).await;
    assert_eq!(again.unwrap_err().kind(), std::io::ErrorKind::AddrInUse);
    let _: Value = get(&server, "/health").await.json();
}
