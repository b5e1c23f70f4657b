//! The official Python clients against the server, in all three formats: if
//! they understand every reply, the server is honest.

use std::process::Command;

use serde_json::{Value, json};
use tenon_mock::{Options, RecordedRequest, Strictness};

use crate::client::start_json;

/// Names a Python that has the `openai` and the `anthropic` package.
const PYTHON: &str = "TENON_OPENAI_PYTHON";

fn scenarios() -> Value {
    let call = |name: &str| json!({"function": {"name": name, "arguments": {"path": "notes.txt"}}});
    let cached = json!({
        "prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120,
        "prompt_tokens_details": {"cached_tokens": 60, "cache_write_tokens": 30},
        "completion_tokens_details": {"reasoning_tokens": 7},
    });
    json!({"scenarios": [
        {"trigger": "two tools", "steps": [
            {"response": {"reasoning": "I must look.", "content": "Reading.",
                "tool_calls": [call("read"), call("list")]}, "repeat": 2},
            {"response": {"content": "It says: {{last_tool_result}}"}},
        ]},
        {"trigger": "too many", "steps": [
            {"response": {"content": "At last."}, "fault": {"status": 429, "retry_after": 0, "times": 1}},
        ]},
        {"trigger": "refused", "steps": [
            {"response": {}, "fault": {"status": 401}},
        ]},
        {"trigger": "cut", "steps": [
            {"response": {"content": "one two three"}, "fault": {"cut_after_bytes": 300}},
        ]},
        {"trigger": "overloaded", "steps": [
            {"response": {"content": "one two three"}, "fault": {"error_event": {"after": 4}}},
        ]},
        {"trigger": "long", "steps": [
            {"response": {"content": "never"}, "fault": {"window": 10}},
        ]},
        {"trigger": "short", "steps": [
            {"response": {"content": "one two", "finish_reason": "length"}},
        ]},
        {"trigger": "cached", "steps": [{"response": {"content": "ok", "usage": cached}}]},
        {"trigger": "plain", "steps": [{"response": {"content": "Grüße, 世界!"}}]},
    ]})
}

/// Runs a script in `tests` with the base URL; `None` without a Python.
async fn run(script: &str) -> Option<Vec<RecordedRequest>> {
    let Some(python) = std::env::var_os(PYTHON) else {
        println!("skipped: {PYTHON} names no Python with the official packages");
        return None;
    };
    let options = Options {
        strict: Strictness::Strict,
        ..Options::default()
    };
    let server = start_json(&scenarios(), options).await;
    let script = format!("{}/tests/{script}", env!("CARGO_MANIFEST_DIR"));
    let base_url = server.base_url();
    let run = move || {
        let mut command = Command::new(python);
        for name in [
            "http_proxy",
            "https_proxy",
            "all_proxy",
            "HTTP_PROXY",
            "HTTPS_PROXY",
            "ALL_PROXY",
        ] {
            command.env_remove(name);
        }
        command.arg(script).arg(base_url).output().unwrap()
    };
    let output = tokio::task::spawn_blocking(run).await.unwrap();
    assert!(
        output.status.success(),
        "{}\n{}",
        String::from_utf8_lossy(&output.stdout),
        String::from_utf8_lossy(&output.stderr)
    );
    Some(server.requests())
}

/// Each script sends one request on purpose that the validator refuses.
fn one_violates(requests: &[RecordedRequest]) {
    let violating: Vec<_> = requests
        .iter()
        .filter(|request| !request.violations.is_empty())
        .map(|request| &request.violations)
        .collect();
    assert_eq!(violating.len(), 1, "{violating:?}");
}

#[tokio::test]
async fn the_official_openai_client_understands_every_chat_reply() {
    if let Some(requests) = run("openai_client.py").await {
        one_violates(&requests);
    }
}

#[tokio::test]
async fn the_official_openai_client_understands_every_response() {
    if let Some(requests) = run("openai_responses.py").await {
        one_violates(&requests);
    }
}

#[tokio::test]
async fn the_official_anthropic_client_understands_every_message() {
    if let Some(requests) = run("anthropic_client.py").await {
        one_violates(&requests);
    }
}
