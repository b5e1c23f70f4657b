//! `tenon sessions show --decisions`: the audit trail of a session.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::time::Duration;

/// A model that makes these calls, one a step, and then ends.
fn calling(calls: &[(&str, Value)]) -> Model {
    let mut steps: Vec<Value> = calls
        .iter()
        .map(|(name, arguments)| {
            json!({"response": {"content": "next", "tool_calls": [
                {"function": {"name": name, "arguments": arguments}}
            ]}})
        })
        .collect();
    steps.push(json!({"response": {"content": "done"}}));
    let script = json!({
        "scenarios": [{"name": "calls", "trigger": "go", "scope": "turn", "steps": steps}],
        "default_response": {"content": "nothing"},
    });
    Model::scripted(script, Duration::ZERO)
}

#[test]
fn every_decision_is_told_with_its_class_its_reason_and_who_answered() {
    let program = Program::new();
    program.file("a.txt", "hello");
    program.configure(r#"{"permission": {"bash": {"git push": "deny"}}}"#);
    let model = calling(&[
        ("read", json!({"path": "a.txt"})),
        ("bash", json!({"command": "true > new.txt"})),
        ("bash", json!({"command": "git push origin"})),
        ("bash", json!({"command": "rm a.txt"})),
    ]);
    let mut command = model.command(&program.home);
    command.args(["exec", "--yes", "-p", "go"]);
    Ran::of(command.output().unwrap());
    let rows = program
        .run(&["sessions", "show", "--decisions", "--json"])
        .ended(0)
        .json();
    let told: Vec<[&Value; 4]> = rows
        .as_array()
        .unwrap()
        .iter()
        .map(|row| {
            [
                &row["tool"],
                &row["class"],
                &row["decision"],
                &row["answered_by"],
            ]
        })
        .collect();
    assert_eq!(
        told,
        [
            [
                &json!("read"),
                &json!("allow"),
                &json!("allowed"),
                &Value::Null
            ],
            [
                &json!("bash"),
                &json!("ask"),
                &json!("allowed"),
                &json!("--yes")
            ],
            [
                &json!("bash"),
                &json!("deny"),
                &json!("denied"),
                &Value::Null
            ],
            [
                &json!("bash"),
                &json!("confirm"),
                &json!("denied"),
                &Value::Null
            ],
        ],
        "{rows}"
    );
    assert_eq!(rows[2]["argument"], "git push origin");
    assert_eq!(rows[2]["rule"], "bash: \"git push\" = deny");
    assert_eq!(program.content("a.txt"), "hello");
    program
        .run(&["sessions", "show", "--decisions"])
        .ended(0)
        .says("time")
        .says("git push origin")
        .says("confirm")
        .says("--yes");
}

#[test]
fn a_session_without_calls_has_nothing_to_tell() {
    let program = Program::new();
    program.session("hello");
    let ran = program.run(&["sessions", "show", "--decisions"]).ended(0);
    assert_eq!(ran.out, "");
    ran.complains("so there were no decisions");
    assert_eq!(
        program
            .run(&["sessions", "show", "--decisions", "--json"])
            .ended(0)
            .json(),
        json!([])
    );
    program.run(&["sessions", "show", "--json"]).ended(2);
    program
        .run(&["sessions", "show", "--decisions", "--events"])
        .ended(2);
}
