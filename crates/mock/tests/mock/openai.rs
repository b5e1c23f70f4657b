//! The official Python client against the server: if it understands every
//! reply, the server is honest.

use std::process::Command;

use serde_json::json;
use tenon_mock::{Options, Strictness};

use crate::client::start_json;

/// Names a Python that has the `openai` package.
const PYTHON: &str = "TENON_OPENAI_PYTHON";

#[tokio::test]
async fn the_official_client_understands_every_reply() {
    let Some(python) = std::env::var_os(PYTHON) else {
        println!("skipped: {PYTHON} names no Python with the openai package");
        return;
    };
    let call = |name: &str| json!({"function": {"name": name, "arguments": {"path": "notes.txt"}}});
    let scenarios = json!({"scenarios": [
        {"trigger": "two tools", "steps": [
            {"response": {"content": "Reading.", "tool_calls": [call("read"), call("list")]}, "repeat": 2},
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
        {"trigger": "plain", "steps": [{"response": {"content": "Grüße, 世界!"}}]},
    ]});
    let options = Options {
        strict: Strictness::Strict,
        ..Options::default()
    };
    let server = start_json(&scenarios, options).await;
    let script = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/openai_client.py");
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
    let requests = server.requests();
    let violating = requests
        .iter()
        .filter(|request| !request.violations.is_empty());
    assert_eq!(
        violating.count(),
        1,
        "only the one that the script sends on purpose"
    );
}
