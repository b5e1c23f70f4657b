//! `process`, but for its waits, and what a model learns of processes that end.

use super::Shell;
use crate::jobs::until;
use crate::support::{code, data};
use serde_json::json;

#[tokio::test]
async fn a_background_process_is_followed_to_its_end() {
    let shell = Shell::new();
    let none = shell.process(json!({"action": "list"})).await;
    assert!(none.model_text.contains("no background process"));
    let input = json!({"command": "while read line; do echo got $line; done", "background": true});
    let output = shell.call("bash", input).await;
    assert_eq!(data(&output)["process_id"], "proc_1");
    assert_eq!(data(&output)["timed_out"], false);
    assert!(
        output
            .model_text
            .contains("running in the background as proc_1")
    );

    let quiet = shell
        .process(json!({"action": "read", "id": "proc_1"}))
        .await;
    assert!(
        quiet
            .model_text
            .starts_with("(nothing new)\n[proc_1: running for ")
    );
    let written = shell
        .process(json!({"action": "write", "id": "proc_1", "input": "one\n"}))
        .await;
    assert!(written.envelope.is_ok(), "{written:?}");
    let read = shell
        .process(json!({"action": "read", "id": "proc_1"}))
        .await;
    assert_eq!(data(&read)["output"], "got one\n");
    let end = json!({"action": "write", "id": "proc_1", "input": "two\n\u{4}"});
    shell.process(end).await;
    until("it ends", || shell.yard.jobs.list()[0].exit_code.is_some()).await;
    let read = shell
        .process(json!({"action": "read", "id": "proc_1"}))
        .await;
    assert!(
        read.model_text.starts_with("got two\n"),
        "{}",
        read.model_text
    );
}

#[tokio::test]
async fn a_process_that_is_over_is_not_said_to_run() {
    let shell = Shell::new();
    let starts = [
        ("echo last; exit 3", "exited with code 3 after "),
        ("exec sleep 600", "killed after "),
    ];
    for (at, (command, over)) in (1..).zip(starts) {
        let id = format!("proc_{at}");
        // The first process waits for a line, so that it ends after the call.
        let command = format!("read line; {command}");
        let input = json!({"command": command, "background": true});
        let begun = shell.call("bash", input).await;
        assert_eq!(data(&begun)["process_id"], id.as_str());
        let says = |output: &tenon_vocab::ToolOutput| output.display.exit().unwrap();
        let running = shell.process(json!({"action": "read", "id": id})).await;
        assert_eq!(says(&running), format!("running in the background as {id}"));
        let line = json!({"action": "write", "id": id, "input": "\n"});
        shell.process(line).await;
        if over.starts_with("killed") {
            shell.process(json!({"action": "kill", "id": id})).await;
        }
        let state = || shell.yard.jobs.list()[at - 1].state;
        until("it is over", || {
            state() != tenon_tools::jobs::JobState::Running
        })
        .await;
        let read = shell.process(json!({"action": "read", "id": id})).await;
        assert!(says(&read).starts_with(over), "{}", says(&read));
        assert!(read.model_text.contains(&format!("[{id}: {over}")));
        assert!(!read.model_text.contains("running"), "{}", read.model_text);
    }
}

#[tokio::test]
async fn a_wrong_process_call_says_what_would_be_right() {
    let shell = Shell::new();
    let output = shell.process(json!({"action": "read"})).await;
    assert_eq!(code(&output), "invalid_input");
    let output = shell
        .process(json!({"action": "read", "id": "proc_9"}))
        .await;
    assert_eq!(code(&output), "not_found");
    shell.bash("sleep 600 &").await;
    let output = shell
        .process(json!({"action": "kill", "id": "proc_9"}))
        .await;
    assert!(
        output.model_text.contains("proc_1"),
        "{}",
        output.model_text
    );
    let write = json!({"action": "write", "id": "proc_1", "input": "x"});
    let output = shell.process(write).await;
    assert_eq!(code(&output), "invalid_input");
    assert!(
        output.model_text.contains("no standard input"),
        "{}",
        output.model_text
    );
}

#[tokio::test]
async fn the_model_learns_of_an_end_once() {
    let shell = Shell::new();
    let over = |count: usize| {
        let jobs = &shell.yard.jobs;
        move || jobs.list()[count].state != tenon_tools::jobs::JobState::Running
    };
    for _ in 0..2 {
        let input = json!({"command": "read go", "background": true});
        shell.call("bash", input).await;
    }
    assert_eq!(shell.yard.jobs.tell(), []);
    for (at, id) in ["proc_1", "proc_2"].into_iter().enumerate() {
        let input = json!({"action": "write", "id": id, "input": "\n"});
        shell.process(input).await;
        until("it ends", over(at)).await;
    }
    let read = json!({"action": "read", "id": "proc_1"});
    shell.process(read).await;
    let told: Vec<String> = (shell.yard.jobs.tell().iter())
        .map(|job| job.id.to_string())
        .collect();
    assert_eq!(told, ["proc_2"]);
    assert_eq!(shell.yard.jobs.tell(), []);
}
