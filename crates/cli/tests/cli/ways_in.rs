//! The command line itself: flags on both sides of a command, words that are
//! none, flags that stand for settings.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::io::Write;
use std::process::Stdio;
use std::time::Duration;
use tenon_testing::wait_until;

fn run(program: &Program, model: &Model, args: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    Ran::of(command.args(args).output().unwrap())
}

#[test]
fn flags_count_before_a_command_as_behind_it() {
    let program = Program::new();
    let model = Model::says("hello");
    let run = |args: &[&str]| run(&program, &model, args);
    run(&["--model", "before", "exec", "-p", "hi"])
        .ended(0)
        .says("hello");
    run(&[
        "--model=exec",
        "--no-save",
        "exec",
        "--no-stream",
        "hi",
        "there",
    ])
    .ended(0);
    run(&[
        "-m", "resumed", "--root", ".", "sessions", "resume", "-p", "again",
    ])
    .ended(0);
    let asked: Vec<Value> = model
        .asked()
        .iter()
        .map(|request| serde_json::from_slice(&request.body).unwrap())
        .collect();
    let models: Vec<&str> = asked
        .iter()
        .map(|body| body["model"].as_str().unwrap())
        .collect();
    assert_eq!(models, ["before", "exec", "resumed"]);
    assert_ne!(asked[1]["stream"], json!(true));
    // A value that is called like the command, and a format that errors keep to.
    let lines = run(&["--format", "json", "-m", "exec", "exec", "-p", "exec"]).ended(0);
    assert!(
        lines.out.lines().all(|line| line.starts_with('{')),
        "{}",
        lines.out
    );
    let file = program.home.project().join("made.txt");
    let input = json!({"path": "made.txt", "content": "x"}).to_string();
    run(&[
        "--dry-run",
        "--yes",
        "tools",
        "run",
        "write",
        "--input",
        &input,
    ])
    .ended(0);
    assert!(!file.exists(), "a dry run");
}

#[test]
fn a_flag_that_the_command_does_not_know_is_refused_before_it_too() {
    let program = Program::new();
    let model = Model::says("hello");
    let run = |args: &[&str]| run(&program, &model, args);
    run(&["--dry-run", "sessions", "list"])
        .ended(2)
        .complains("`--dry-run` comes before `sessions list`")
        .complains("`tenon sessions list` does not take `--dry-run`");
    run(&["--model", "a", "--provider", "b", "models"])
        .ended(2)
        .complains("`tenon models` does not take `--model`");
    run(&["--model", "a", "exec", "--model", "b", "-p", "x"]).ended(2);
    let json = run(&["--format", "json", "--nonsense", "exec", "x"]).ended(2);
    assert!(json.out.is_empty());
    assert!(model.asked().is_empty());
}

#[test]
fn a_word_that_is_no_command_and_no_sentence_is_an_error_and_no_request() {
    let program = Program::new();
    let model = Model::says("hello");
    let run = |args: &[&str]| run(&program, &model, args);
    run(&["wbe"])
        .ended(2)
        .complains("there is no command `wbe`")
        .complains("tenon exec \"wbe\"");
    run(&["mcp", "list"])
        .ended(2)
        .complains("doesn't have the command `mcp` yet");
    run(&["sesions", "list"])
        .ended(2)
        .complains("did you mean `tenon sessions`?");
    let told = run(&["--format", "json", "doctr"]).ended(2);
    assert!(told.out.starts_with('{'), "{}", told.out);
    assert!(model.asked().is_empty());
    run(&["explain", "this", "project"]).ended(0);
    run(&["why?"]).ended(0);
    run(&["exec", "wbe"]).ended(0);
    assert_eq!(model.asked().len(), 3);
}

#[test]
fn flags_stand_for_settings_and_the_last_of_two_counts() {
    let program = Program::new();
    let model = Model::says("hello");
    let run = |args: &[&str]| run(&program, &model, args);
    program.configure(r#"{"streaming": false}"#);
    run(&["exec", "--stream", "-p", "hi"]).ended(0);
    run(&["exec", "--stream", "--no-stream", "-p", "hi"]).ended(0);
    run(&["exec", "--no-transcript", "-p", "hi"]).ended(0);
    let streamed: Vec<bool> = model
        .asked()
        .iter()
        .map(|request| {
            let body: Value = serde_json::from_slice(&request.body).unwrap();
            body["stream"] == json!(true)
        })
        .collect();
    assert_eq!(streamed, [true, false, false]);
    let kept = program.run(&["sessions", "list", "--json"]).ended(0);
    let kept: Value = serde_json::from_str(&kept.out).unwrap();
    assert_eq!(kept.as_array().map(Vec::len), Some(2), "one was not kept");
}

#[test]
fn the_walls_of_one_run_are_chosen_by_a_flag() {
    let program = Program::new();
    let script = crate::exec::calls("bash", json!({"command": "echo x > made.txt"}), "done");
    let file = program.home.project().join("made.txt");
    for (mode, is_made) in [("read-only", false), ("workspace-write", true)] {
        let model = Model::new(&script);
        run(
            &program,
            &model,
            &["--sandbox", mode, "exec", "--yes", "-p", "go"],
        );
        assert_eq!(file.exists(), is_made, "{mode}");
    }
    let model = Model::says("hello");
    run(&program, &model, &["--sandbox", "none", "exec", "-p", "go"]).ended(2);
    assert!(model.asked().is_empty());
}

#[test]
fn a_server_that_does_not_answer_comes_before_the_variable_that_is_missing() {
    for (address, missing) in [
        ("LLM_BASE_URL", "LLM_DEFAULT_MODEL"),
        ("TENON_BASE_URL", "TENON_MODEL"),
    ] {
        let program = Program::new();
        let ran = Ran::of(
            program
                .command()
                .args(["exec", "-p", "hi"])
                .env(address, "http://127.0.0.1:1/v1")
                .output()
                .unwrap(),
        );
        ran.complains("error: No answer from http://127.0.0.1:1/v1")
            .complains(&format!("No model is chosen either: set {missing}"));
    }
}

#[test]
fn with_a_key_of_a_service_alone_the_provider_and_the_model_are_what_is_missing() {
    let program = Program::new();
    let run = |args: &[&str]| {
        let mut command = program.command();
        let command = command.args(args).env("MISTRAL_API_KEY", "a-key-0123");
        Ran::of(command.output().unwrap())
    };
    let ran = run(&["exec", "-p", "hi"]).ended(2);
    ran.complains("MISTRAL_API_KEY is set")
        .complains("tenon exec --provider mistral --model MODEL -p");
    let ran = program.run(&["exec", "-p", "hi"]).ended(2);
    ran.complains("TENON_BASE_URL");
}

#[test]
fn the_small_model_of_the_llm_variables_is_asked_also_on_this_machine() {
    for small in ["azure/gpt-5-mini", "env/azure/gpt-5-mini"] {
        let program = Program::new();
        let model = Model::says("hello");
        let mut child = program
            .command()
            .args(["exec", "--format", "json", "--input-format", "json"])
            .env("LLM_BASE_URL", &model.url)
            .env("LLM_DEFAULT_MODEL", "azure/gpt-5-1")
            .env("LLM_SMALL_FAST_MODEL", small)
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        let mut input = child.stdin.take().unwrap();
        writeln!(input, "{}", json!({"type": "prompt", "text": "hello"})).unwrap();
        // A session that ends does not wait for its title.
        let is_asked = wait_until(Duration::from_secs(60), || {
            model.asked().iter().any(|request| {
                let body: Value = serde_json::from_slice(&request.body).unwrap();
                body["model"] == "azure/gpt-5-mini"
            })
        });
        drop(input);
        let ended = child.wait_with_output().unwrap();
        let told = String::from_utf8_lossy(&ended.stderr);
        assert!(is_asked, "{small}: {told}");
        assert!(!told.contains("small_model"), "{told}");
    }
}
