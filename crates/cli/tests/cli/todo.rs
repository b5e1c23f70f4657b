//! The task list as it reaches people and programs: drawn when it changes, in
//! the stream, in the pages of a session.

use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::time::Duration;

const SEVERAL: &str = "Do all of this:\n1. write it\n2. test it\n3. ship it";

fn write(path: &str) -> Value {
    json!({"response": {"tool_calls": [{"function": {"name": "write", "arguments": {"path": path, "content": "x\n"}}}]}})
}

fn list(items: &[&str]) -> Value {
    json!({"response": {"tool_calls": [{"function": {"name": "TodoWrite", "arguments": {"todos": items}}}]}})
}

fn model(steps: &[Value]) -> Model {
    Model::scripted(
        json!({
            "scenarios": [{"trigger": "Do all of this", "scope": "turn", "steps": steps}],
            "default_response": {"content": "Finished."},
        }),
        Duration::ZERO,
    )
}

fn exec(model: &Model, program: &Program, more: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    command.args(["exec", "--yes", "-p", SEVERAL]).args(more);
    Ran::of(command.output().unwrap())
}

#[test]
fn a_complex_task_gets_a_list_that_everybody_sees() {
    let program = Program::new();
    let model = model(&[
        write("a.txt"),
        list(&["[~] write it", "test it", "ship it"]),
        write("a.txt"),
        list(&["[x] write it", "[-] test it", "[~] ship it"]),
    ]);
    let ran = exec(&model, &program, &[]).ended(0);
    assert_eq!(ran.out, "Finished.\n");
    let started = "  [~] Do all of this: 1. write it 2. test it 3. ship it\n▸ write a.txt\n  Not run: the task list comes first";
    assert!(ran.err.contains(started), "{}", ran.err);
    let refined = "▸ todowrite\n  [~] write it\n  [ ] test it\n  [ ] ship it\n  0 of 3 done";
    assert!(ran.err.contains(refined), "{}", ran.err);
    assert!(ran.err.contains("1 of 3 done"), "{}", ran.err);
    assert_eq!(
        ran.err.matches("[~] write it").count(),
        1,
        "the list is drawn once for each change: {}",
        ran.err
    );
    assert_eq!(program.content("a.txt"), "x\n");

    let shown = program.run(&["sessions", "show"]).ended(0).out;
    assert!(
        shown.contains("  [x] write it\n  [-] test it\n  [~] ship it\n"),
        "{shown}"
    );
    let page = program
        .run(&["sessions", "export", "--format", "md"])
        .ended(0)
        .out;
    assert!(
        page.contains("- [x] write it\n- [-] test it\n- [~] ship it\n"),
        "{page}"
    );
}

#[test]
fn programs_get_the_list_as_an_event() {
    let program = Program::new();
    let model = model(&[list(&["one", "two"]), write("a.txt")]);
    let ran = exec(&model, &program, &["--format", "json"]).ended(0);
    let events: Vec<Value> = ran
        .out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let lists: Vec<&Value> = events
        .iter()
        .filter(|event| event["type"] == "todo")
        .collect();
    assert_eq!(lists.len(), 1);
    let wanted =
        json!([{"text": "one", "status": "pending"}, {"text": "two", "status": "pending"}]);
    assert_eq!(lists[0]["items"], wanted);
    assert_eq!(
        program.content("a.txt"),
        "x\n",
        "a list that is there first holds nothing up"
    );
}

#[test]
fn the_rule_can_be_switched_off() {
    let program = Program::new();
    program.configure(r#"{"todo": {"first": false}}"#);
    let model = model(&[write("a.txt")]);
    let ran = exec(&model, &program, &[]).ended(0);
    assert!(!ran.err.contains("task list"), "{}", ran.err);
    assert_eq!(model.asked().len(), 2);
}

#[test]
fn the_agent_that_only_plans_keeps_a_list_too() {
    let program = Program::new();
    let model = model(&[list(&["[~] look", "write the plan"])]);
    let ran = exec(&model, &program, &["--agent", "plan"]).ended(0);
    assert!(
        ran.err.contains("  [~] look\n  [ ] write the plan\n"),
        "{}",
        ran.err
    );
    assert!(!ran.err.contains("Denied"), "{}", ran.err);
}
