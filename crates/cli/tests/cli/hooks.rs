//! `tenon hooks`, and hooks around the calls of a real run.

use crate::exec::{calls, run};
use crate::model::Model;
use crate::program::Program;
use serde_json::{Value, json};

fn configure(program: &Program, event: &str, hooks: Value) {
    program.configure(&json!({ "hooks": { event: hooks } }).to_string());
}

#[test]
fn the_list_has_what_comes_along_and_what_was_written_in_the_order_of_asking() {
    let program = Program::new();
    configure(
        &program,
        "PreToolUse",
        json!([{"name": "lint", "tool": "bash", "pattern": "git push*", "command": "./lint"}]),
    );
    let rows = program.run(&["hooks", "list", "--json"]).ended(0).json();
    let names: Vec<&str> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row["name"].as_str().unwrap())
        .collect();
    assert_eq!(
        names,
        [
            "block-dangerous-bash",
            "protect-env-files",
            "mask-secrets",
            "inject-env-info",
            "lint"
        ]
    );
    program
        .run(&["hooks", "list"])
        .ended(0)
        .says("bash git push*")
        .says("./lint");
}

#[test]
fn a_try_runs_the_hooks_that_are_about_the_call_and_says_what_their_answers_mean() {
    let program = Program::new();
    configure(
        &program,
        "PreToolUse",
        json!([
            {"name": "push", "tool": "bash", "pattern": "git push*",
             "command": "echo 'frozen' >&2; exit 2"},
            {"name": "reader", "tool": "read", "command": "exit 2"},
            {"name": "broken", "command": "exit 7"},
        ]),
    );
    let input = r#"{"command":"git push origin"}"#;
    let ran = program
        .run(&["hooks", "test", "pre_tool_use", "--input", input])
        .ended(0)
        .says("push (user): block")
        .says("frozen")
        .says("the call is refused")
        .says("broken (user): failed")
        .says("skipped");
    assert!(!ran.out.contains("reader"), "{}", ran.out);
    let rows = program
        .run(&["hooks", "test", "PreToolUse", "--input", input, "--json"])
        .ended(0)
        .json();
    assert_eq!(rows[0]["result"], "block");
    assert_eq!(rows[1]["result"], "failed");
    program
        .run(&["hooks", "test", "Stop"])
        .ended(0)
        .says("No hook matches this");
}

#[test]
fn a_try_says_what_the_hooks_that_come_along_would_do() {
    let program = Program::new();
    let input = r#"{"command":"rm -rf /"}"#;
    program
        .run(&["hooks", "test", "PreToolUse", "--input", input])
        .ended(0)
        .says("block-dangerous-bash (built-in): block")
        .says("the call is refused");
    let rows = program
        .run(&["hooks", "test", "PreToolUse", "--input", input, "--json"])
        .ended(0)
        .json();
    assert_eq!(rows[0]["name"], "block-dangerous-bash");
    program
        .run(&["hooks", "test", "PreToolUse"])
        .ended(0)
        .says("No hook matches this");
}

#[test]
fn a_try_of_what_does_not_exist_names_what_does() {
    let program = Program::new();
    program
        .run(&["hooks", "test", "PreTolUse"])
        .ended(2)
        .complains("PreToolUse");
    program
        .run(&["hooks", "test", "PreToolUse", "--input", "no"])
        .ended(2)
        .complains("--input");
}

#[test]
fn a_hook_refuses_a_call_by_hand() {
    let program = Program::new();
    program.file("a.txt", "hello");
    configure(
        &program,
        "PreToolUse",
        json!([{"tool": "read", "command": "echo 'closed' >&2; exit 2"}]),
    );
    let ran = program.run(&["tools", "run", "read", "--input", r#"{"path":"a.txt"}"#]);
    assert_eq!(ran.json()["error"]["code"], "blocked_by_hook");
    assert!(ran.out.contains("closed"), "{}", ran.out);
}

#[test]
fn a_hook_in_a_run_is_asked_and_its_word_reaches_the_model() {
    let program = Program::new();
    program.file("a.txt", "hello");
    configure(
        &program,
        "PostToolUse",
        json!([{"name": "style", "command": "echo '{\"message\":\"mind the tabs\"}'"}]),
    );
    let model = Model::new(&calls("read", json!({"path": "a.txt"}), "done"));
    let (code, out, err) = run(model
        .command(&program.home)
        .args(["exec", "-p", "go", "--format", "json"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains(r#""type":"hook""#), "{out}");
    assert!(
        model.bodies().last().unwrap().contains("mind the tabs"),
        "{:?}",
        model.bodies()
    );
}

#[test]
fn a_hook_answers_a_question_where_nobody_sits() {
    let program = Program::new();
    configure(
        &program,
        "PermissionRequest",
        json!([{"name": "ci", "tool": "bash", "pattern": "touch *",
                "command": "echo '{\"decision\":\"allow\"}'"}]),
    );
    let model = Model::new(&calls("bash", json!({"command": "touch made"}), "done"));
    let (code, out, err) = run(model
        .command(&program.home)
        .args(["exec", "-p", "go", "--format", "json"]));
    assert_eq!(code, 0, "{err}");
    assert!(program.project().join("made").exists());
    assert!(out.contains(r#""answered_by":"hook:ci""#), "{out}");
}

#[test]
fn the_hooks_of_a_project_that_nobody_trusts_never_run() {
    let program = Program::new();
    program.file("a.txt", "hello");
    program.file(
        ".tenon/tenon.jsonc",
        r#"{"hooks": {"PreToolUse": [{"command": "touch ran"}]}}"#,
    );
    program
        .run(&["tools", "run", "read", "--input", r#"{"path":"a.txt"}"#])
        .ended(0);
    assert!(!program.project().join("ran").exists());
    program
        .run(&["hooks", "list"])
        .ended(0)
        .complains("Ignored hooks of the project: 1.");
}
