//! `process` with the action `wait`: what ends a wait, and what it tells.

use super::Shell;
use crate::jobs::until;
use crate::support::{code, data};
use serde_json::json;

#[tokio::test]
async fn waiting_for_a_process_ends_with_it_and_says_how() {
    let shell = Shell::new();
    let input = json!({"command": "read line; echo last; exit 3", "background": true});
    shell.call("bash", input).await;
    let wait = json!({"action": "wait", "id": "proc_1", "timeout_ms": 600_000});
    let write = json!({"action": "write", "id": "proc_1", "input": "\n"});
    let (waited, _) = tokio::join!(shell.process(wait.clone()), shell.process(write));
    let data = data(&waited);
    assert_eq!(
        (&data["ended_by"], &data["exit_code"]),
        (&json!("exit"), &json!(3))
    );
    assert!(
        waited
            .model_text
            .starts_with("last\n[proc_1: exited with code 3 after "),
        "{}",
        waited.model_text
    );
    let again = shell.process(wait).await;
    assert!(
        again
            .model_text
            .starts_with("(nothing new)\n[proc_1: exited with code 3 after "),
        "{}",
        again.model_text
    );
}

#[tokio::test]
async fn waiting_for_a_line_ends_with_that_line_also_before_it_ends() {
    let shell = Shell::new();
    // One stream, or the line that matches may be read before the one above it.
    let command =
        "exec 2>&1; read go; echo one; echo ready on 3000 >&2; read go; printf 'Name: '; read go";
    let input = json!({"command": command, "background": true});
    shell.call("bash", input).await;
    let wait = |until: &str| json!({"action": "wait", "id": "proc_1", "until": until});
    let write = json!({"action": "write", "id": "proc_1", "input": "\n"});
    let (waited, _) = tokio::join!(shell.process(wait(r"ready on \d+")), shell.process(write));
    assert_eq!(data(&waited)["ended_by"], "match");
    assert_eq!(data(&waited)["line"], "ready on 3000");
    assert_eq!(data(&waited)["state"], "running");
    assert!(
        waited.model_text.contains("matched `ready on 3000`"),
        "{}",
        waited.model_text
    );
    // A line that was read is not new.
    let input = json!({"action": "wait", "id": "proc_1", "until": "ready", "timeout_ms": 1});
    let waited = shell.process(input).await;
    assert_eq!(data(&waited)["ended_by"], "timeout");
    let write = json!({"action": "write", "id": "proc_1", "input": "\n"});
    let (waited, _) = tokio::join!(shell.process(wait("^Name: $")), shell.process(write));
    assert_eq!(data(&waited)["line"], "Name: ");
    let shown = shell.deltas.lock().unwrap();
    assert!(shown.iter().any(|delta| delta.text.contains("one")));
}

#[tokio::test]
async fn what_was_printed_before_the_wait_and_not_read_counts_as_new() {
    let shell = Shell::new();
    let input = json!({"command": "read go; echo listening; read go", "background": true});
    shell.call("bash", input).await;
    shell
        .process(json!({"action": "write", "id": "proc_1", "input": "\n"}))
        .await;
    until("it is printed", || {
        shell.yard.jobs.list()[0].unread_bytes > 0
    })
    .await;
    let input = json!({"action": "wait", "id": "proc_1", "until": "listen", "timeout_ms": 1});
    let waited = shell.process(input).await;
    assert_eq!(data(&waited)["line"], "listening");
    assert!(waited.model_text.starts_with("listening\n[proc_1: matched"));
}

#[tokio::test]
async fn a_line_that_the_start_has_shown_ends_the_first_wait_and_no_later_one() {
    let shell = Shell::new();
    let input = json!({"command": "echo listening; read go", "background": true});
    let started = shell.call("bash", input).await;
    assert!(started.model_text.starts_with("listening\n"), "{started:?}");
    let wait = json!({"action": "wait", "id": "proc_1", "until": "listening", "timeout_ms": 1});
    let first = shell.process(wait.clone()).await;
    assert_eq!(data(&first)["line"], "listening");
    let again = shell.process(wait).await;
    assert_eq!(
        data(&again)["ended_by"],
        "timeout",
        "nothing new was printed"
    );
}

#[tokio::test]
async fn a_wait_whose_time_is_up_says_so_with_what_came_meanwhile() {
    let shell = Shell::new();
    let input = json!({"command": "read go; echo working; read go", "background": true});
    shell.call("bash", input).await;
    shell
        .process(json!({"action": "write", "id": "proc_1", "input": "\n"}))
        .await;
    until("it is printed", || {
        shell.yard.jobs.list()[0].unread_bytes > 0
    })
    .await;
    let input = json!({"action": "wait", "id": "proc_1", "timeout_ms": 1});
    let waited = shell.process(input).await;
    assert_eq!(data(&waited)["ended_by"], "timeout");
    let text = &waited.model_text;
    assert!(
        text.starts_with("working\n[proc_1: it did not end within 0.0 s; running for "),
        "{text}"
    );
    let input = json!({"action": "wait", "id": "proc_1", "until": "(", "timeout_ms": 1});
    assert_eq!(code(&shell.process(input).await), "invalid_input");
}

#[tokio::test]
async fn a_wait_is_interrupted_at_once_and_the_process_lives() {
    let shell = Shell::new();
    let input = json!({"command": "exec sleep 600", "background": true});
    shell.call("bash", input).await;
    let wait = json!({"action": "wait", "id": "proc_1", "timeout_ms": 600_000});
    let stop = async { shell.yard.cancelled.cancel() };
    let (waited, ()) = tokio::join!(shell.process(wait), stop);
    assert_eq!(code(&waited), "interrupted");
    assert!(
        waited.model_text.contains("running for"),
        "{}",
        waited.model_text
    );
}
