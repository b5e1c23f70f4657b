//! Against a real server with a real model: opt-in, `cargo xtask test --live`.

use crate::model::tenon;
use serde_json::Value;
use std::process::{Command, Stdio};
use tenon_testing::TestHome;

/// The server named by the environment; these tests are run only with one.
fn command(home: &TestHome) -> Command {
    let url = std::env::var("TENON_LIVE_BASE_URL").expect("TENON_LIVE_BASE_URL names the server");
    let mut command = home.command(tenon());
    command.env("TENON_BASE_URL", url).stdin(Stdio::null());
    if let Ok(model) = std::env::var("TENON_LIVE_MODEL") {
        command.env("TENON_MODEL", model);
    }
    command
}

/// A small model rambles: a limit keeps the test short.
fn short(home: &TestHome) -> std::path::PathBuf {
    let path = home.path().join("short.jsonc");
    std::fs::write(&path, r#"{"max_tokens": 48, "temperature": 0}"#).unwrap();
    path
}

#[test]
#[ignore = "needs a real server"]
fn live_a_real_model_answers_and_the_session_goes_on() {
    let home = TestHome::new();
    let id = tenon_vocab::SessionId::generate().to_string();
    for prompt in ["Say hello.", "Say it again."] {
        let output = command(&home)
            .args(["exec", "--session", &id, "-p", prompt, "--config"])
            .arg(short(&home))
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{errors}");
        assert!(!output.stdout.is_empty(), "{errors}");
    }
    let output = command(&home)
        .args(["sessions", "verify", &id])
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stdout)
    );
}

#[test]
#[ignore = "needs a real server"]
fn live_the_stream_of_events_is_whole_and_carries_usage() {
    let home = TestHome::new();
    let output = command(&home)
        .args([
            "exec",
            "--format",
            "json",
            "-p",
            "Count to five.",
            "--config",
        ])
        .arg(short(&home))
        .output()
        .unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(
        events.iter().any(|event| event["type"] == "message_delta"),
        "{text}"
    );
    let end = events
        .iter()
        .find(|event| event["type"] == "run_finished")
        .unwrap();
    assert_eq!(end["outcome"], "completed", "{end}");
    assert!(end["usage"]["input"].as_u64().unwrap() > 0, "{end}");
}

#[test]
#[ignore = "needs a real server"]
fn live_the_models_of_the_server_are_listed() {
    let home = TestHome::new();
    let output = command(&home).args(["models", "--json"]).output().unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let models: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(!models.as_array().unwrap().is_empty(), "{models}");
}
