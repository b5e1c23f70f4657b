//! The demo does what it says, with real files and a real shell.

use std::path::Path;
use std::process::Command;

use serde_json::{Value, json};
use tenon_mock::{Options, Running, Scenarios, Strictness, demo};

use crate::client::{post, start};

fn write_project(root: &Path) {
    for (path, content) in demo::files() {
        let path = root.join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }
}

/// The simplest tools that can play the demo.
fn run_tool(root: &Path, name: &str, input: &Value) -> String {
    let path = || root.join(input["path"].as_str().unwrap());
    match name {
        "list" => std::fs::read_dir(path()).unwrap().count().to_string(),
        "read" => std::fs::read_to_string(path()).unwrap(),
        "write" => {
            std::fs::write(path(), input["content"].as_str().unwrap()).unwrap();
            "ok".to_owned()
        }
        "edit" => {
            let text = std::fs::read_to_string(path()).unwrap();
            let (old, new) = (
                input["old"].as_str().unwrap(),
                input["new"].as_str().unwrap(),
            );
            assert_eq!(text.matches(old).count(), 1);
            std::fs::write(path(), text.replace(old, new)).unwrap();
            "ok".to_owned()
        }
        "bash" => {
            let command = input["command"].as_str().unwrap();
            let output = Command::new("sh")
                .args(["-c", command])
                .current_dir(root)
                .output()
                .unwrap();
            let text = String::from_utf8(output.stdout).unwrap();
            format!("{text}exit code {}", output.status.code().unwrap())
        }
        other => panic!("the demo uses a tool that does not exist: {other}"),
    }
}

/// A whole run: what each tool was called and what it said, then the last text.
async fn play(server: &Running, root: &Path, prompt: &str) -> (Vec<(String, String)>, String) {
    let mut messages = vec![json!({"role": "user", "content": prompt})];
    let mut results = Vec::new();
    loop {
        let request = json!({"model": "m", "messages": messages});
        let reply = post(server, &request).await;
        assert_eq!(reply.status, 200, "{}", reply.text());
        let message = reply.json()["choices"][0]["message"].clone();
        let Some(calls) = message["tool_calls"].as_array().cloned() else {
            return (results, message["content"].as_str().unwrap().to_owned());
        };
        messages.push(message);
        for call in calls {
            let name = call["function"]["name"].as_str().unwrap().to_owned();
            let input = serde_json::from_str(call["function"]["arguments"].as_str().unwrap());
            let output = run_tool(root, &name, &input.unwrap());
            messages.push(json!({"role": "tool", "tool_call_id": call["id"], "content": output}));
            results.push((name, output));
        }
    }
}

#[tokio::test]
async fn the_demo_finds_the_failure_mends_it_and_sees_the_tests_pass() {
    let folder = tempfile::tempdir().unwrap();
    write_project(folder.path());
    let options = Options {
        strict: Strictness::Strict,
        ..Options::default()
    };
    let server = start(Scenarios::built_in(), options).await;
    let (results, last) = play(&server, folder.path(), demo::PROMPT).await;
    let names: Vec<&str> = results.iter().map(|(name, _)| name.as_str()).collect();
    assert_eq!(names, ["list", "read", "read", "bash", "edit", "bash"]);
    let (failing, passing) = (&results[3].1, &results[5].1);
    assert!(
        failing.contains("FAIL") && failing.ends_with("exit code 1"),
        "{failing}"
    );
    assert!(
        !passing.contains("FAIL") && passing.ends_with("exit code 0"),
        "{passing}"
    );
    assert!(last.contains("all tests pass"), "{last}");
}

#[tokio::test]
async fn the_built_in_hello_world_runs_too() {
    let folder = tempfile::tempdir().unwrap();
    let server = start(Scenarios::built_in(), Options::default()).await;
    let (results, last) = play(&server, folder.path(), "a hello world please").await;
    assert_eq!(results[1].1, "Hello, World!\nexit code 0");
    assert!(last.starts_with("Done!"), "{last}");
}
