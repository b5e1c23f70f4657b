//! A server with a small window, through the real program: it is said to be one,
//! and what the model reads are pages that fit.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::time::Duration;

fn call(name: &str, arguments: &Value) -> Value {
    json!({"response": {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}})
}

/// A server that holds 8,192 tokens and refuses more.
fn model(server: &str, steps: &[Value]) -> Model {
    Model::scripted(
        json!({
            "scenarios": [{"trigger": "look at", "scope": "turn", "steps": steps}],
            "server": server,
            "window": 8192,
            "fault": {"window": 8192},
            "default_response": {"content": "Read."},
        }),
        Duration::ZERO,
    )
}

fn exec(model: &Model, program: &Program, prompt: &str, more: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    command.args(["exec", "--yes", "-p", prompt]).args(more);
    Ran::of(command.output().unwrap())
}

fn events(ran: &Ran, kind: &str) -> Vec<Value> {
    let lines = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let all: Vec<Value> = lines.collect();
    all.into_iter()
        .filter(|event| event["type"] == kind)
        .collect()
}

#[test]
fn a_file_of_42_kb_comes_as_a_page_and_so_does_what_a_command_prints() {
    let program = Program::new();
    program.file(
        "big.txt",
        &"the quick brown fox jumps over it.\n".repeat(1_200),
    );
    let model = model(
        "llamacpp",
        &[
            call("read", &json!({"path": "big.txt"})),
            call("bash", &json!({"command": "cat big.txt"})),
            call("grep", &json!({"pattern": "fox"})),
        ],
    );
    let ran = exec(&model, &program, "look at it", &["--format", "json"]).ended(0);
    let results = events(&ran, "tool_result");
    assert_eq!(results.len(), 3);
    for result in &results {
        let text = result["model_text"].as_str().unwrap();
        assert!(text.len() < 6_000, "{}: {}", result["name"], text.len());
    }
    let (page, printed) = (&results[0], &results[1]);
    let next = &page["envelope"]["data"]["next_offset"];
    assert!(
        page["model_text"]
            .as_str()
            .unwrap()
            .contains(&format!("use offset={next} to continue")),
        "{page}"
    );
    let whole = printed["envelope"]["data"]["whole_output"]
        .as_str()
        .unwrap();
    assert!(
        printed["model_text"].as_str().unwrap().contains(whole),
        "{printed}"
    );
    assert_eq!(std::fs::read_to_string(whole).unwrap().len(), 42_000);
    let compactions = events(&ran, "context");
    assert!(
        compactions
            .iter()
            .all(|event| event["change"] != "compacted")
    );
    // Said once, with how this server holds more.
    let small: Vec<Value> = events(&ran, "notice")
        .into_iter()
        .filter(|notice| notice["kind"] == "small_window")
        .collect();
    assert_eq!(small.len(), 1, "{small:?}");
    let said = small[0]["message"].as_str().unwrap();
    assert!(
        said.contains("8,192 tokens") && said.contains("-c 65536"),
        "{said}"
    );
}

#[test]
fn the_next_session_and_the_doctor_know_it_from_the_start() {
    let program = Program::new();
    let model = model("ollama", &[call("list", &json!({}))]);
    exec(&model, &program, "look at it", &[]).ended(0);
    let again = exec(&model, &program, "hello", &[]).ended(0);
    let warning = "warning: The window has only 8,192 tokens";
    assert_eq!(again.err.matches(warning).count(), 1, "{}", again.err);
    assert!(
        again.err.contains("OLLAMA_CONTEXT_LENGTH=65536"),
        "{}",
        again.err
    );

    let mut doctor = model.command(&program.home);
    doctor.args(["doctor", "--json"]);
    let report = Ran::of(doctor.output().unwrap()).json().to_string();
    assert!(
        report.contains("The window has only 8,192 tokens"),
        "{report}"
    );
    assert!(report.contains("num_ctx"), "{report}");
}

#[test]
fn a_large_window_is_nothing_to_speak_of() {
    let program = Program::new();
    program.configure(r#"{"context": {"window": 65536}}"#);
    let model = Model::says("hi");
    let ran = exec(&model, &program, "hello", &[]).ended(0);
    assert!(!ran.err.contains("window"), "{}", ran.err);
    let mut doctor = model.command(&program.home);
    doctor.args(["doctor", "--json"]);
    let report = Ran::of(doctor.output().unwrap()).json().to_string();
    assert!(!report.contains("The window has"), "{report}");
}
