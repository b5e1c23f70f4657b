//! What is kept of the requests.

use serde_json::Value;
use tenon_mock::{Options, Recording, Scenarios};

use crate::client::{ask, get, post, start};

#[tokio::test]
async fn requests_are_kept_in_order_with_headers_and_exact_bodies() {
    let server = start(Scenarios::built_in(), Options::default()).await;
    get(&server, "/v1/models").await;
    post(&server, &ask("one")).await;
    get(&server, "/wrong?x").await;
    let requests = server.requests();
    let paths: Vec<&str> = requests
        .iter()
        .map(|request| request.path.as_str())
        .collect();
    assert_eq!(paths, ["/v1/models", "/v1/chat/completions", "/wrong?x"]);
    assert_eq!(requests[1].headers["authorization"], "Bearer sk-test");
    assert_eq!(requests[1].body, ask("one").to_string());
    assert!(requests.iter().all(|request| request.violations.is_empty()));
}

#[tokio::test]
async fn the_oldest_are_forgotten_when_memory_is_full() {
    let record = Some(Recording {
        memory: 10_000,
        file: None,
    });
    let server = start(
        Scenarios::built_in(),
        Options {
            record,
            ..Options::default()
        },
    )
    .await;
    for number in 0..20 {
        post(&server, &ask(&format!("{number}"))).await;
    }
    let requests = server.requests();
    assert!((5..10).contains(&requests.len()), "{}", requests.len());
    assert_eq!(requests.last().unwrap().body, ask("19").to_string());
}

#[tokio::test]
async fn nothing_is_kept_when_nothing_is_asked_for() {
    let server = start(
        Scenarios::built_in(),
        Options {
            record: None,
            ..Options::default()
        },
    )
    .await;
    post(&server, &ask("x")).await;
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_file_gets_one_line_a_request_without_headers() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("requests.jsonl");
    let record = Some(Recording::from(path.clone()));
    let server = start(
        Scenarios::built_in(),
        Options {
            record,
            ..Options::default()
        },
    )
    .await;
    post(&server, &ask("one")).await;
    crate::client::send(
        server.address(),
        "POST",
        "/v1/chat/completions",
        b"{\n broken",
    )
    .await;
    let text = std::fs::read_to_string(&path).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["body"], ask("one"));
    assert!(
        text.contains(&ask("one").to_string()),
        "the body is there byte for byte"
    );
    assert_eq!(lines[1]["body"], "{\n broken");
    assert!(
        lines[1]["violations"][0]
            .as_str()
            .unwrap()
            .contains("not JSON")
    );
    assert!(!text.contains("sk-test"));
}
