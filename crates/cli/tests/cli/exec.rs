//! `tenon exec` as scripts and people use it.

use crate::model::{Model, tenon};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tenon_testing::{TestHome, wait_until};

pub fn answers(text: &str) -> String {
    json!({"scenarios": [], "default_response": {"content": text}}).to_string()
}

/// One call, then an answer.
pub fn calls(name: &str, arguments: Value, answer: &str) -> String {
    json!({
        "scenarios": [{"name": "one", "trigger": "go", "scope": "turn", "steps": [
            {"response": {"content": "I will look.", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}},
            {"response": {"content": answer}},
        ]}],
        "default_response": {"content": "nothing"},
    })
    .to_string()
}

pub fn run(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.stdin(Stdio::null()).output().unwrap();
    (
        status.code().unwrap_or(-1),
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

#[test]
fn the_answer_alone_is_on_standard_output() {
    let home = TestHome::new();
    let model = Model::new(&calls("list", json!({}), "the **answer**"));
    let (code, out, err) = run(model.command(&home).args(["exec", "-p", "go"]));
    assert_eq!((code, out.as_str()), (0, "the **answer**\n"), "{err}");
    assert!(
        err.contains("I will look.") && err.contains("▸ list") && !err.contains("Done."),
        "{err}"
    );
}

#[test]
fn a_prompt_can_come_as_words_as_a_flag_and_on_standard_input() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    assert_eq!(
        run(model.command(&home).args(["exec", "some", "words"])).1,
        "yes\n"
    );
    assert_eq!(run(model.command(&home).args(["-p", "flag"])).1, "yes\n");
    let mut child = model
        .command(&home)
        .args(["exec", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all("from a pipe — 漢字".as_bytes())
        .unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"yes\n");
    let bodies: Vec<String> = model
        .asked()
        .iter()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .collect();
    assert!(
        bodies[0].contains("some words") && bodies[2].contains("from a pipe — 漢字"),
        "{bodies:?}"
    );
}

#[test]
fn a_standard_input_that_never_closes_does_not_hang_a_run_with_a_prompt() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    let mut child = model
        .command(&home)
        .args(["exec", "-p", "hi"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let held_open = child.stdin.take();
    let ended = wait_until(Duration::from_secs(30), || {
        child.try_wait().unwrap().is_some()
    });
    assert!(ended, "it waits for standard input");
    drop(held_open);
}

#[test]
fn nothing_configured_is_said_with_what_to_do_and_asks_no_server() {
    let home = TestHome::new();
    let (code, out, err) = run(home.command(tenon()).args(["exec", "-p", "hi"]));
    assert_eq!((code, out.as_str()), (2, ""));
    for word in ["TENON_BASE_URL", "TENON_MODEL", "tenon demo"] {
        assert!(err.contains(word), "{err}");
    }
}

#[test]
fn every_line_of_the_json_stream_is_an_event_and_the_last_is_the_end() {
    let home = TestHome::new();
    let model = Model::new(&calls("list", json!({}), "done"));
    let (code, out, err) = run(model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    let events: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ends = events
        .iter()
        .filter(|event| event["type"] == "run_finished")
        .count();
    assert_eq!(ends, 1);
    let seqs: Vec<u64> = events
        .iter()
        .filter(|event| event.get("sub").is_none())
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert!(
        seqs.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{seqs:?}"
    );
}

#[test]
fn an_error_before_the_session_is_one_json_line_too() {
    let home = TestHome::new();
    let (code, out, _) = run(home
        .command(tenon())
        .args(["exec", "--format", "json", "-p", "hi"]));
    assert_eq!(code, 2);
    let line: Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!(
        (line["type"].as_str(), line["exit_code"].as_u64()),
        (Some("error"), Some(2))
    );
}

#[test]
fn a_server_that_is_not_there_is_named_with_its_port() {
    let home = TestHome::new();
    let (code, _, err) = run(home
        .command(tenon())
        .args(["exec", "-p", "hi", "--config"])
        .arg(config(&home, r#"{"retry": {"attempts": 0}}"#))
        .env("TENON_BASE_URL", "http://127.0.0.1:9/v1")
        .env("TENON_MODEL", "m"));
    assert_eq!(code, 1);
    assert!(err.contains("127.0.0.1:9"), "{err}");
    // Where the address comes from, and no provider that nobody wrote.
    assert!(err.contains("that TENON_BASE_URL is correct"), "{err}");
    assert!(!err.contains("`env`"), "{err}");
}

#[test]
fn a_server_that_is_not_there_is_said_to_be_so_while_it_is_tried_again() {
    let home = TestHome::new();
    let (code, out, err) = run(home
        .command(tenon())
        .args(["exec", "-p", "hi", "--config"])
        .arg(config(
            &home,
            r#"{"retry": {"attempts": 2, "first_ms": 1}}"#,
        ))
        .env("TENON_BASE_URL", "http://127.0.0.1:9/v1")
        .env("TENON_MODEL", "m"));
    assert_eq!((code, out.as_str()), (1, ""));
    let yet = "No answer from http://127.0.0.1:9/v1 yet: connection refused.";
    assert_eq!(err.matches(yet).count(), 2, "{err}");
    assert!(
        err.contains("Retrying in 0 s (2 of 2); Ctrl+C stops."),
        "{err}"
    );
    assert!(
        err.contains("error: No answer from http://127.0.0.1:9/v1: connection refused"),
        "{err}"
    );
}

fn config(home: &TestHome, text: &str) -> std::path::PathBuf {
    let path = home.path().join("extra.jsonc");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn ctrl_c_ends_the_run_with_130_and_keeps_the_text() {
    let home = TestHome::new();
    let long: String = (0..3000).map(|n| format!("word{n} ")).collect();
    let model = Model::slow(&answers(&long), Duration::from_millis(5));
    let out = home.path().join("out");
    let mut child = model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "talk"])
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let streaming = wait_until(Duration::from_secs(30), || {
        std::fs::read_to_string(&out).is_ok_and(|text| text.contains("word10 "))
    });
    assert!(streaming);
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let events: Vec<Value> = std::fs::read_to_string(&out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = events
        .iter()
        .rev()
        .take(12)
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert!(
        names.contains(&"interrupted") && names.contains(&"run_finished"),
        "{names:?}"
    );
    assert!(
        events
            .iter()
            .any(|event| event["status"] == "interrupted" && event.to_string().contains("word10 "))
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_run_cleanly() {
    let home = TestHome::new();
    let long: String = (0..3000).map(|n| format!("word{n} ")).collect();
    let model = Model::slow(&answers(&long), Duration::from_millis(100));
    let mut child = model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "talk"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = wait_until(Duration::from_secs(20), || {
        child.try_wait().unwrap().is_some()
    });
    assert!(ended, "it goes on for nobody");
    let (_, listed, _) = run(model.command(&home).args(["sessions", "verify"]));
    assert!(listed.contains("whole"), "{listed}");
}

#[test]
fn an_answer_that_does_not_fit_the_schema_is_exit_seven() {
    let home = TestHome::new();
    let schema = home.path().join("schema.json");
    std::fs::write(
        &schema,
        r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#,
    )
    .unwrap();
    let good = Model::new(&answers(r#"{"ok": true}"#));
    let bad = Model::new(&answers("certainly!"));
    assert_eq!(
        run(good
            .command(&home)
            .args(["exec", "-p", "x", "--output-schema"])
            .arg(&schema))
        .0,
        0
    );
    assert_eq!(
        run(bad
            .command(&home)
            .args(["exec", "-p", "x", "--output-schema"])
            .arg(&schema))
        .0,
        7
    );
}

#[test]
fn a_fence_around_the_value_is_taken_off_wherever_it_is_written() {
    let home = TestHome::new();
    let schema = home.path().join("schema.json");
    std::fs::write(
        &schema,
        r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#,
    )
    .unwrap();
    let last = home.path().join("last.json");
    for answer in [
        "```json\n{\"ok\": true}\n```",
        "Here it is:\n~~~\n{\"ok\": true}\n~~~\nDone.",
    ] {
        let model = Model::new(&answers(answer));
        for flag in ["--final-only", "--yes"] {
            let (code, out, err) = run(model
                .command(&home)
                .args(["exec", "-p", "x", flag, "--output-schema"])
                .arg(&schema)
                .arg("--output-last-message")
                .arg(&last));
            assert_eq!((code, out.as_str()), (0, "{\"ok\": true}\n"), "{err}");
            assert_eq!(std::fs::read_to_string(&last).unwrap(), "{\"ok\": true}");
        }
    }
}

#[test]
fn an_answer_of_the_wrong_type_does_not_fit_the_schema() {
    let home = TestHome::new();
    let schema = home.path().join("schema.json");
    std::fs::write(
        &schema,
        r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#,
    )
    .unwrap();
    let model = Model::new(&answers(r#"{"ok": "maybe"}"#));
    let (code, _, err) = run(model
        .command(&home)
        .args(["exec", "-p", "x", "--output-schema"])
        .arg(&schema));
    assert_eq!(code, 7, "{err}");
}

/// On a disk of its own that is soon full; only where one can be mounted.
#[test]
fn the_demo_works_in_an_empty_home() {
    let home = TestHome::new();
    let (code, out, err) = run(home.command(tenon()).args(["demo"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("all tests pass"), "{out}");
    let (code, shown, _) = run(home.command(tenon()).args(["sessions", "verify"]));
    assert_eq!(code, 0, "{shown}");
}
