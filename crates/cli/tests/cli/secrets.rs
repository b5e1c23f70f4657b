//! Secrets from end to end: key files that no tool reads unasked, and a token in
//! an ordinary file that reaches neither the log, nor the screen, nor the model.

use crate::exec::run;
use crate::model::Model;
use crate::program::{Program, Ran};
use crate::talk::Talk;
use serde_json::{Value, json};
use std::path::Path;

/// Put together here, so that no scanner takes this file for a leak.
fn secret() -> String {
    format!("ghp_{}", "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8")
}

const MASKED: &str = "[masked:github-token]";

/// Each call in a step of its own, then an answer.
fn script(calls: &[(&str, Value)], answer: &str) -> String {
    let mut steps: Vec<Value> = calls
        .iter()
        .map(|(name, arguments)| {
            json!({"response": {"tool_calls": [{"function": {"name": name, "arguments": arguments}}]}})
        })
        .collect();
    steps.push(json!({"response": {"content": answer}}));
    json!({
        "scenarios": [{"name": "one", "trigger": "go", "scope": "turn", "steps": steps}],
        "default_response": {"content": "nothing"},
    })
    .to_string()
}

fn exec(program: &Program, model: &Model, args: &[&str]) -> Ran {
    let (code, out, err) = run(model.command(&program.home).args(args));
    Ran { code, out, err }
}

/// Every file below a folder, as text.
fn all_files(folder: &Path) -> String {
    let mut text = String::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else if let Ok(bytes) = std::fs::read(entry.path()) {
                text.push_str(&String::from_utf8_lossy(&bytes));
            }
        }
    }
    text
}

#[test]
fn a_token_in_an_ordinary_file_reaches_neither_log_nor_screen_nor_model() {
    let program = Program::new();
    let line = format!("const token = \"{}\";\n", secret());
    program.file("src/app.js", &format!("// app\n{line}start();\n"));
    // Long enough that the whole of it is kept in a file of its own.
    let long = format!("{}{line}{}", "x\n".repeat(30_000), "y\n".repeat(30_000));
    program.file("long.txt", &long);
    let answer = format!("It is {}.", secret());
    let calls = [
        ("read", json!({"path": "src/app.js"})),
        ("grep", json!({"pattern": "token"})),
        ("bash", json!({"command": "cat src/app.js"})),
        ("bash", json!({"command": "cat long.txt"})),
    ];
    let model = Model::new(&script(&calls, &answer));
    let args = ["exec", "--yes", "--format", "json", "-p", "go"];
    let ran = exec(&program, &model, &args).ended(0);
    assert!(!ran.out.contains(&secret()) && !ran.err.contains(&secret()));
    assert!(ran.out.contains("It is [masked:github-token]."));
    let bodies = model.bodies();
    assert_eq!(bodies.len(), 5);
    for body in &bodies {
        assert!(!body.contains(&secret()), "{body}");
    }
    for body in &bodies[1..] {
        assert!(body.contains(MASKED), "{body}");
    }
    let kept = all_files(&program.home.tenon().join("sessions"));
    assert!(kept.contains(MASKED) && !kept.contains(&secret()));
    assert!(kept.contains("x\nx\nx\nx\n"), "the long output is kept");

    let text = exec(&program, &model, &["exec", "--yes", "-p", "go"]).ended(0);
    assert!(!text.out.contains(&secret()) && !text.err.contains(&secret()));
    for format in ["md", "json"] {
        let export = program.run(&["sessions", "export", "--format", format]);
        let export = export.ended(0).says(MASKED);
        assert!(!export.out.contains(&secret()), "{}", export.out);
    }
}

#[test]
fn what_was_masked_is_on_record_by_kind_and_not_by_content() {
    let program = Program::new();
    program.file("a.txt", &format!("{} {}\n", secret(), secret()));
    let model = Model::new(&script(&[("read", json!({"path": "a.txt"}))], "done"));
    let args = ["exec", "--format", "json", "-p", "go"];
    let ran = exec(&program, &model, &args).ended(0);
    let hooks: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .filter(|event| event["type"] == "hook" && event["hook"] == "mask-secrets")
        .collect();
    assert_eq!(hooks.len(), 1, "{hooks:?}");
    assert_eq!(hooks[0]["event"], "PostToolUse");
    assert_eq!(hooks[0]["message"], "2 secrets masked: github-token");
}

#[test]
fn a_masked_line_is_never_written_back() {
    let program = Program::new();
    let before = format!("a = 1\ntoken = \"{}\"\nb = 2\n", secret());
    program.file("conf.py", &before);
    let calls = [
        ("read", json!({"path": "conf.py"})),
        (
            "write",
            json!({"path": "conf.py", "content": format!("a = 1\ntoken = \"{MASKED}\"\nb = 3\n")}),
        ),
        (
            "edit",
            json!({"path": "conf.py", "old": format!("token = \"{MASKED}\"\nb = 2"), "new": format!("token = \"{MASKED}\"\nb = 3")}),
        ),
        (
            "edit",
            json!({"path": "conf.py", "old": "b = 2", "new": "b = 3"}),
        ),
    ];
    let model = Model::new(&script(&calls, "done"));
    exec(&program, &model, &["exec", "--yes", "-p", "go"]).ended(0);
    assert_eq!(program.content("conf.py"), before.replace("b = 2", "b = 3"));
    let bodies = model.bodies();
    assert!(bodies[2].contains("masked_value"), "{}", bodies[2]);
    assert!(bodies[3].contains("masked_value"), "{}", bodies[3]);
    let last = bodies.last().unwrap();
    assert!(!last.contains(&secret()), "{last}");
}

#[test]
fn a_call_runs_with_the_exact_secret_that_the_model_wrote() {
    let program = Program::new();
    let calls = [(
        "write",
        json!({"path": "new.txt", "content": format!("{}\n", secret())}),
    )];
    let model = Model::new(&script(&calls, "done"));
    exec(&program, &model, &["exec", "--yes", "-p", "go"]).ended(0);
    assert_eq!(program.content("new.txt"), format!("{}\n", secret()));
    assert!(!model.bodies()[1].contains(&secret()));
    assert!(!all_files(&program.home.tenon().join("sessions")).contains(&secret()));
}

#[test]
fn a_key_file_is_not_read_unasked_by_any_tool() {
    let program = Program::new();
    program.file(".env", "PLAIN_WORD=needle-in-env\n");
    program.file("deploy/server.pem", "needle-in-key\n");
    program.file(".env.example", "PLAIN_WORD=needle-in-example\n");
    program.file("code.txt", "needle-in-code\n");
    let calls = [
        ("read", json!({"path": ".env"})),
        ("read", json!({"path": "deploy/server.pem"})),
        ("grep", json!({"pattern": "needle"})),
        ("bash", json!({"command": "cat .env"})),
        ("bash", json!({"command": "grep -r needle ."})),
        ("bash", json!({"command": "cat < .env"})),
        ("read", json!({"path": ".env.example"})),
    ];
    let model = Model::new(&script(&calls, "done"));
    exec(&program, &model, &["exec", "-p", "go"]);
    let bodies = model.bodies();
    let last = bodies.last().unwrap();
    assert!(!last.contains("needle-in-env"), "{last}");
    assert!(!last.contains("needle-in-key"), "{last}");
    assert!(last.contains("needle-in-code"), "{last}");
    assert!(last.contains("needle-in-example"), "{last}");
}

#[test]
fn the_user_can_add_patterns_and_switch_the_masking_off() {
    let program = Program::new();
    program.file("a.txt", &format!("TCK-123456 {}\n", secret()));
    let model = Model::new(&script(&[("read", json!({"path": "a.txt"}))], "done"));
    program.configure(r#"{"secrets": {"patterns": {"ticket": "TCK-[0-9]{6}"}}}"#);
    exec(&program, &model, &["exec", "-p", "go"]).ended(0);
    let body = model.bodies().last().unwrap().clone();
    assert!(
        body.contains("[masked:ticket] [masked:github-token]"),
        "{body}"
    );

    program.configure(r#"{"secrets": {"mask": false}}"#);
    exec(&program, &model, &["exec", "-p", "go"]).ended(0);
    let body = model.bodies().last().unwrap().clone();
    assert!(body.contains(&format!("TCK-123456 {}", secret())), "{body}");

    program.configure(r#"{"secrets": {"patterns": {"ticket": "TCK-("}}}"#);
    exec(&program, &model, &["exec", "-p", "go"]).complains("secrets.patterns.ticket");
}

#[test]
fn a_project_cannot_switch_the_masking_off() {
    let program = Program::new();
    program.file("a.txt", &format!("{}\n", secret()));
    program.file(".tenon/tenon.jsonc", r#"{"secrets": {"mask": false}}"#);
    let model = Model::new(&script(&[("read", json!({"path": "a.txt"}))], "done"));
    exec(&program, &model, &["exec", "-p", "go"]).ended(0);
    let body = model.bodies().last().unwrap().clone();
    assert!(body.contains(MASKED) && !body.contains(&secret()), "{body}");
}

/// The question about a command, as a front end gets it.
fn asked(command: &str) -> Value {
    let program = Program::new();
    let model = Model::new(&script(&[("bash", json!({"command": command}))], "done"));
    let mut talk = Talk::start(&program.home, &model, &["-p", "go"]);
    let question = talk.until("question");
    talk.answer(&question, "deny", None);
    talk.end();
    question
}

#[test]
fn a_question_shows_what_runs_whatever_it_looks_like() {
    let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
    let dashes = "-----";
    for command in [
        format!(
            ": '{dashes}BEGIN PRIVATE KEY{dashes}\n{line}'\ntouch EVIL\n: '{dashes}END PRIVATE KEY{dashes}'"
        ),
        String::from("echo http://u:pQ9;make;x@h"),
    ] {
        let question = asked(&command);
        assert_eq!(question["body"], command);
        assert_eq!(question["display"]["command"], command);
    }
}

#[test]
fn a_plain_token_in_a_question_is_masked_and_nothing_is_allowed_for_later() {
    let question = asked(&format!("touch {} && make", secret()));
    let masked = format!("touch {MASKED} && make");
    assert_eq!(
        question["body"],
        format!("{masked}\n(1 value masked; it runs with the real one)")
    );
    assert_eq!(question["display"]["command"], masked);
    let choices = question["choices"].as_array().unwrap();
    assert!(
        choices.iter().all(|choice| choice["rule"].is_null()),
        "{choices:?}"
    );
}

#[test]
fn what_a_server_says_is_shown_without_the_secrets_in_it() {
    let program = Program::new();
    let message = format!("{} may not do that", secret());
    let model = Model::scripted(
        json!({
            "scenarios": [],
            "default_response": {"content": "x"},
            "fault": {"status": 400, "body": {"error": {"message": message}}},
        }),
        std::time::Duration::ZERO,
    );
    for args in [
        ["exec", "-p", "go"].as_slice(),
        &["exec", "--format", "json", "-p", "go"],
        &["doctor", "--network"],
    ] {
        let ran = exec(&program, &model, args);
        let all = format!("{}{}", ran.out, ran.err);
        assert!(all.contains(MASKED), "{args:?}: {all}");
        assert!(!all.contains(&secret()), "{args:?}: {all}");
    }
}
