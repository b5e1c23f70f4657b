//! A whole tool loop (call, result, answer) with real servers, in each wire
//! format that they speak: opt-in, `cargo xtask test --live`. The model is too
//! small to call a tool by itself, so `live/gate.py` demands the call; the
//! tokens and the shapes are the server's own.

use crate::model::tenon;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Stdio;
use tenon_testing::TestHome;

/// What the tool says, so that its result can be told from the model's words.
const FOUND: &str = "a plum on the table";

struct Server<'a> {
    url: String,
    model: &'a str,
    key: Option<&'a str>,
    /// What makes the model call the tool.
    prompt: &'a str,
}

/// The address that a variable names; these tests are run only with one.
fn address(variable: &str) -> String {
    std::env::var(variable).unwrap_or_else(|_| panic!("{variable} names the server"))
}

/// A tool that takes anything: a small model writes silly arguments.
fn give_tool(home: &TestHome) {
    let folder = home.project().join(".tenon/tools/look");
    std::fs::create_dir_all(&folder).unwrap();
    let manifest = json!({
        "name": "look",
        "description": "Looks around.",
        "parameters": {"type": "object", "properties": {"what": {"type": "string"}}},
        "command": ["./look.sh"],
    });
    std::fs::write(folder.join("tool.json"), manifest.to_string()).unwrap();
    let program = folder.join("look.sh");
    let script = format!(
        "#!/bin/sh\ncat >/dev/null\nprintf '%s' '{{\"ok\": true, \"data\": {{\"seen\": \"{FOUND}\"}}}}'\n"
    );
    std::fs::write(&program, script).unwrap();
    executable(&program);
}

fn executable(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(0o755)).unwrap();
}

/// Runs one prompt and gives the events.
fn run(server: &Server<'_>, kind: &str, streaming: bool) -> Vec<Value> {
    let home = TestHome::new();
    give_tool(&home);
    let settings = json!({
        "default_provider": "live",
        "system_prompt": "You are helpful.",
        "max_tokens": 160,
        "temperature": 0,
        "streaming": streaming,
        "providers": {"live": {
            "type": kind,
            "base_url": server.url,
            "model": server.model,
            "api_key_env": "LIVE_KEY",
        }},
    });
    let path = home.path().join("live.json");
    std::fs::write(&path, settings.to_string()).unwrap();
    let mut command = home.command(tenon());
    command.stdin(Stdio::null()).current_dir(home.project());
    command.env("LIVE_KEY", server.key.unwrap_or_default());
    command
        .args(["exec", "--yes", "--trust-project", "--format", "json"])
        .args(["-p", server.prompt, "--config"])
        .arg(&path);
    let output = command.output().unwrap();
    let text = String::from_utf8(output.stdout).unwrap();
    let errors = String::from_utf8_lossy(&output.stderr);
    let events: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert!(output.status.success(), "{kind}: {errors}\n{text}");
    events
}

/// The call was made as the wire format has it, ran, and its result came back
/// before the answer.
fn is_whole(events: &[Value], kind: &str) {
    let of = |name: &str| -> Vec<&Value> {
        events
            .iter()
            .filter(|event| event["type"] == name)
            .collect()
    };
    let called = of("message")
        .iter()
        .flat_map(|message| message["parts"].as_array().cloned().unwrap_or_default())
        .find(|part| part["type"] == "tool_call")
        .unwrap_or_else(|| panic!("{kind}: no call in {events:#?}"));
    assert_eq!(called["name"], "look", "{kind}");
    assert!(called["form"].is_null(), "{kind}: the call was native");
    let results = of("tool_result");
    assert!(
        results.iter().any(|result| result["model_text"]
            .as_str()
            .is_some_and(|text| text.contains(FOUND))),
        "{kind}: {results:#?}"
    );
    let end = of("run_finished").pop().unwrap();
    assert_eq!(end["outcome"], "completed", "{kind}: {end}");
    let answered = of("message")
        .iter()
        .any(|message| message["role"] == "assistant" && message["segment"] == "answer");
    assert!(answered, "{kind}: {events:#?}");
}

fn loops(server: &Server<'_>, kinds: &[&str]) {
    for kind in kinds {
        for streaming in [true, false] {
            is_whole(&run(server, kind, streaming), kind);
        }
    }
}

#[test]
#[ignore = "needs a real server"]
fn live_llama_cpp_carries_a_tool_loop_in_all_three_formats() {
    let server = Server {
        url: address("TENON_LIVE_GATE_URL"),
        model: "smollm2-135m",
        key: None,
        prompt: "Look with the look tool.",
    };
    loops(&server, &["chat", "messages", "responses"]);
}

#[test]
#[ignore = "needs a real server"]
fn live_llama_cpp_python_carries_a_tool_loop() {
    let server = Server {
        url: address("TENON_LIVE_LLAMA_PY_URL"),
        model: "smollm2-135m",
        key: None,
        prompt: "Look with the look tool.",
    };
    loops(&server, &["chat"]);
}

#[test]
#[ignore = "needs a real server"]
fn live_litellm_carries_a_tool_loop_in_all_three_formats() {
    let server = Server {
        url: address("TENON_LIVE_LITELLM_URL"),
        model: "scripted",
        key: Some("sk-live-test"),
        prompt: r#"CALL look {"what": "the table"}"#,
    };
    loops(&server, &["chat", "messages", "responses"]);
}
