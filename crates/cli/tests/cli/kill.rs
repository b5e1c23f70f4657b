//! SIGKILL at any moment loses nothing that was shown, leaves no process behind
//! and leaves a session that goes on.

use crate::model::Model;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tenon_testing::{TestHome, descendants_with_marker, wait_until};
use tenon_vocab::SessionId;

/// Thirty steps: text that streams, reads, writes, commands that try to escape.
fn script() -> String {
    let escape = "setsid sleep 300 & (nohup sleep 300 >/dev/null 2>&1 &) ; (setsid sh -c '(sleep 300 &) ; sleep 300' &) ; echo started";
    let call = |name: &str, arguments: Value| json!([{"function": {"name": name, "arguments": arguments}}]);
    let mut steps = Vec::new();
    for n in 0..30 {
        let calls = match n % 4 {
            0 => call(
                "write",
                json!({"path": format!("file{n}.txt"), "content": format!("line {n}\n")}),
            ),
            1 => call(
                "bash",
                json!({"command": if n == 5 { escape.to_owned() } else { format!("echo step {n}; seq 1 50") }}),
            ),
            2 => call("read", json!({"path": format!("file{}.txt", n - 2)})),
            _ => call(
                "edit",
                json!({"path": format!("file{}.txt", n - 3), "old": "line", "new": "changed"}),
            ),
        };
        let text = format!(
            "Step {n}: some words that stream in small pieces, so that a kill can fall between them."
        );
        steps.push(json!({"response": {"content": text, "tool_calls": calls}}));
    }
    steps.push(json!({"response": {"content": "All thirty steps are done."}}));
    json!({
        "scenarios": [{"name": "long", "trigger": "thirty steps", "scope": "turn", "steps": steps}],
        "default_response": {"content": "Going on."},
    })
    .to_string()
}

/// What a reader of the JSON stream had seen when it ended: whole lines only.
#[derive(Default)]
struct Seen {
    durable: Vec<Value>,
    /// Text of the message that was still being written.
    streaming: String,
}

fn seen(stdout: &str) -> Seen {
    let mut seen = Seen::default();
    let whole = stdout.rfind('\n').map_or("", |end| &stdout[..end]);
    for line in whole.lines() {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        match event["type"].as_str().unwrap() {
            "message_delta" => seen.streaming.push_str(event["text"].as_str().unwrap()),
            "message" => {
                seen.streaming.clear();
                seen.durable.push(event);
            }
            _ if event.get("sub").is_none() => seen.durable.push(event),
            _ => {}
        }
    }
    seen
}

fn output(command: &mut Command) -> (bool, String) {
    let output = command.stdin(Stdio::null()).output().unwrap();
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    let errors = String::from_utf8_lossy(&output.stderr).into_owned();
    (output.status.success(), format!("{text}{errors}"))
}

fn round(model: &Model, seed: u64) {
    let home = TestHome::new();
    let id = SessionId::generate().to_string();
    let marker = format!("tenon-kill-{id}");
    let stdout = home.path().join("stdout");
    let mut child = model
        .command(&home)
        .args([
            "exec",
            "--yes",
            "--format",
            "json",
            "--session",
            &id,
            "-p",
            "thirty steps, please",
        ])
        .env("TENON_TEST_MARKER", &marker)
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&stdout).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    // Anywhere between before its first event and after its end.
    std::thread::sleep(Duration::from_millis(
        seed.wrapping_mul(2_654_435_761) % 900,
    ));
    let _ = child.kill();
    let _ = child.wait();
    let gone = wait_until(Duration::from_secs(2), || {
        descendants_with_marker(&marker).is_empty()
    });
    assert!(
        gone,
        "seed {seed}: alive after two seconds: {:?}",
        descendants_with_marker(&marker)
    );
    let seen = seen(&std::fs::read_to_string(&stdout).unwrap());
    if seen.durable.is_empty() {
        return;
    }
    let (shown, log) = output(
        model
            .command(&home)
            .args(["sessions", "show", &id, "--events"]),
    );
    assert!(shown, "seed {seed}: {log}");
    let lines: Vec<Value> = log
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    for event in &seen.durable {
        let kept = lines.iter().find(|line| line["seq"] == event["seq"]);
        assert_eq!(
            kept,
            Some(event),
            "seed {seed}: a shown event is not in the log"
        );
    }
    let (shown, text) = output(model.command(&home).args(["sessions", "show", &id]));
    assert!(shown, "seed {seed}: {text}");
    assert!(
        text.contains(seen.streaming.trim()),
        "seed {seed}: shown text is lost: {:?}\n{text}",
        seen.streaming
    );
    let (whole, findings) = output(model.command(&home).args(["sessions", "verify", &id]));
    assert!(whole, "seed {seed}: {findings}");
    let (resumed, said) =
        output(
            model
                .command(&home)
                .args(["exec", "--session", &id, "-p", "go on"]),
        );
    assert!(resumed && said.contains("Going on."), "seed {seed}: {said}");
    let (whole, findings) = output(model.command(&home).args(["sessions", "verify", &id]));
    assert!(whole, "seed {seed} after resume: {findings}");
}

#[test]
fn a_kill_at_a_random_moment_loses_nothing_and_leaves_nothing() {
    let kills = std::env::var("TENON_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(200);
    let model = Model::slow(&script(), Duration::from_micros(300));
    let next = AtomicU64::new(0);
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= kills {
                        return;
                    }
                    round(&model, seed);
                }
            });
        }
    });
}
