//! SIGKILL at any moment loses nothing that was shown, leaves no process behind
//! and leaves a session that goes on.

use crate::model::Model;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;
use tenon_testing::{TestHome, descendants_with_marker, wait_until};
use tenon_vocab::SessionId;

const ESCAPE: &str = "setsid sleep 300 & (nohup sleep 300 >/dev/null 2>&1 &) ; (setsid sh -c '(sleep 300 &) ; sleep 300' &) ; echo started";
const PRINTS: &str = "for i in 1 2 3 4 5 6; do echo printed-$i-by-step-STEP; sleep 0.02; done";

/// Thirty steps: text and reasoning that stream, reads, writes, commands that
/// print slowly and commands that try to escape. Each text begins with a word
/// that no other has.
fn script() -> String {
    let call = |name: &str, arguments: Value| json!([{"function": {"name": name, "arguments": arguments}}]);
    let mut steps = Vec::new();
    for n in 0..30 {
        let command = if n == 5 {
            ESCAPE.to_owned()
        } else {
            PRINTS.replace("STEP", &n.to_string())
        };
        let calls = match n % 4 {
            0 => call(
                "write",
                json!({"path": format!("file{n}.txt"), "content": format!("line {n}\n")}),
            ),
            1 => call("bash", json!({"command": command})),
            2 => call("read", json!({"path": format!("file{}.txt", n - 2)})),
            _ => call(
                "edit",
                json!({"path": format!("file{}.txt", n - 3), "old": "line", "new": "changed"}),
            ),
        };
        let text = format!(
            "S{n}-step has some words that stream in small pieces, so that a kill can fall between them."
        );
        let mut response = json!({"content": text, "tool_calls": calls});
        if n % 3 == 0 {
            response["reasoning"] = json!(format!(
                "R{n}-thought that streams in pieces as well, before the text."
            ));
        }
        steps.push(json!({"response": response}));
    }
    steps.push(json!({"response": {"content": "All thirty steps are done."}}));
    json!({
        "scenarios": [{"name": "long", "trigger": "thirty steps", "scope": "turn", "steps": steps}],
        "default_response": {"content": "Going on."},
    })
    .to_string()
}

/// What a reader of the JSON stream had seen: whole lines only.
#[derive(Default)]
struct Seen {
    durable: Vec<Value>,
    /// Of the message that was still being written, by channel.
    streaming: BTreeMap<String, String>,
    /// Of calls without a result.
    printing: BTreeMap<String, String>,
}

fn seen(lines: &[String]) -> Seen {
    let mut seen = Seen::default();
    for line in lines {
        let event: Value = serde_json::from_str(line).unwrap_or_else(|e| panic!("{e}: {line}"));
        let text = event["text"].as_str().unwrap_or_default();
        match event["type"].as_str().unwrap() {
            "message_delta" => {
                let channel = event["channel"].as_str().unwrap().to_owned();
                seen.streaming.entry(channel).or_default().push_str(text);
            }
            "tool_delta" => {
                let call = event["call"].as_str().unwrap().to_owned();
                seen.printing.entry(call).or_default().push_str(text);
            }
            kind if event.get("sub").is_none() => {
                if kind == "message" {
                    seen.streaming.clear();
                }
                if kind == "tool_result" {
                    seen.printing.remove(event["call"].as_str().unwrap());
                }
                seen.durable.push(event);
            }
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

fn start(model: &Model, home: &TestHome, id: &str, marker: &str) -> Child {
    model
        .command(home)
        .args([
            "exec",
            "--yes",
            "--format",
            "json",
            "--session",
            id,
            "-p",
            "thirty steps, please",
        ])
        .env("TENON_TEST_MARKER", marker)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap()
}

/// Reads until so many lines have come and a little longer, then kills. What was
/// in the pipe by then had been shown as well.
fn killed_after(mut child: Child, lines: u64, pause: Duration) -> Vec<String> {
    let mut reader = BufReader::new(child.stdout.take().unwrap());
    let mut read = Vec::new();
    let mut line = String::new();
    while (read.len() as u64) < lines && reader.read_line(&mut line).unwrap() > 0 {
        read.push(std::mem::take(&mut line));
    }
    std::thread::sleep(pause);
    let _ = child.kill();
    let _ = child.wait();
    while reader.read_line(&mut line).unwrap() > 0 {
        read.push(std::mem::take(&mut line));
    }
    // The last line may have been cut by the kill.
    read.retain(|line| line.ends_with('\n'));
    read
}

/// How often a kill fell into what.
#[derive(Debug, Default)]
struct Hits {
    streaming: u32,
    tool_open: u32,
    printing: u32,
    late: u32,
}

fn round(model: &Model, seed: u64, all_lines: u64, hits: &Mutex<Hits>) {
    let home = TestHome::new();
    let id = SessionId::generate().to_string();
    let marker = format!("tenon-kill-{id}");
    let chance = seed
        .wrapping_mul(6_364_136_223_846_793_005)
        .wrapping_add(1_442_695_040_888_963_407)
        >> 20;
    let pause = Duration::from_micros(chance % 12_000);
    let lines = killed_after(
        start(model, &home, &id, &marker),
        chance % (all_lines + 2),
        pause,
    );
    let gone = wait_until(Duration::from_secs(2), || {
        descendants_with_marker(&marker).is_empty()
    });
    assert!(
        gone,
        "seed {seed}: alive after two seconds: {:?}",
        descendants_with_marker(&marker)
    );
    let (listed, list) = output(
        model
            .command(&home)
            .args(["sessions", "list", "--all", "--json"]),
    );
    assert!(listed, "seed {seed}: {list}");
    if list.trim() == "[]" {
        assert!(
            lines.is_empty(),
            "seed {seed}: a session that was shown is not listed"
        );
        return;
    }
    let seen = seen(&lines);
    count(&seen, all_lines, lines.len() as u64, hits);
    compare(model, &home, &id, seed, &seen);
}

fn count(seen: &Seen, all_lines: u64, lines: u64, hits: &Mutex<Hits>) {
    let open = seen
        .durable
        .iter()
        .filter(|event| event["type"] == "tool_use")
        .count()
        > seen
            .durable
            .iter()
            .filter(|event| event["type"] == "tool_result")
            .count();
    let mut hits = hits.lock().unwrap();
    hits.streaming += u32::from(!seen.streaming.is_empty());
    hits.tool_open += u32::from(open);
    hits.printing += u32::from(!seen.printing.is_empty());
    hits.late += u32::from(lines * 2 > all_lines);
}

/// Everything that was shown is in the log, and the session goes on.
fn compare(model: &Model, home: &TestHome, id: &str, seed: u64, seen: &Seen) {
    let events = |what: &str| {
        let (shown, log) = output(
            model
                .command(home)
                .args(["sessions", "show", id, "--events"]),
        );
        assert!(shown, "seed {seed} {what}: {log}");
        log.lines()
            .filter_map(|line| serde_json::from_str::<Value>(line).ok())
            .collect::<Vec<_>>()
    };
    let before = events("killed");
    for event in &seen.durable {
        let kept = before.iter().find(|line| line["seq"] == event["seq"]);
        assert_eq!(
            kept,
            Some(event),
            "seed {seed}: a shown event is not in the log"
        );
    }
    let (shown, text) = output(model.command(home).args(["sessions", "show", id]));
    let said = seen
        .streaming
        .get("text")
        .map(String::as_str)
        .unwrap_or_default();
    assert!(
        shown && text.contains(said.trim()),
        "seed {seed}: shown text is lost: {said:?}\n{text}"
    );
    let (whole, findings) = output(model.command(home).args(["sessions", "verify", id]));
    assert!(whole, "seed {seed}: {findings}");
    let (resumed, said) =
        output(
            model
                .command(home)
                .args(["exec", "--session", id, "-p", "go on"]),
        );
    assert!(resumed && said.contains("Going on."), "seed {seed}: {said}");
    let (whole, findings) = output(model.command(home).args(["sessions", "verify", id]));
    assert!(whole, "seed {seed} after resume: {findings}");
    let after = events("resumed");
    for text in seen.streaming.values() {
        let is_kept = after.iter().any(|event| {
            event["type"] == "message"
                && event["parts"].as_array().is_some_and(|parts| {
                    parts.iter().any(|part| {
                        part["text"]
                            .as_str()
                            .is_some_and(|kept| kept.starts_with(text.as_str()))
                    })
                })
        });
        assert!(is_kept, "seed {seed}: streamed text is lost: {text:?}");
    }
    for (call, printed) in &seen.printing {
        let result = after
            .iter()
            .find(|event| event["type"] == "tool_result" && event["call"] == **call);
        let kept = result
            .map(|result| result["model_text"].as_str().unwrap_or_default())
            .unwrap_or_default();
        for line in printed
            .lines()
            .filter(|line| printed.contains(&format!("{line}\n")))
        {
            assert!(
                kept.contains(line),
                "seed {seed}: shown output is lost: {line:?} not in {kept:?}"
            );
        }
    }
}

#[test]
fn a_kill_at_a_random_moment_loses_nothing_and_leaves_nothing() {
    let kills: u64 = std::env::var("TENON_KILLS")
        .ok()
        .and_then(|n| n.parse().ok())
        .unwrap_or(200);
    let model = Model::slow(&script(), Duration::from_micros(300));
    let home = TestHome::new();
    let whole = start(
        &model,
        &home,
        &SessionId::generate().to_string(),
        "tenon-kill-none",
    );
    let all_lines = killed_after(whole, u64::MAX, Duration::ZERO).len() as u64;
    assert!(
        all_lines > 150,
        "the run that is not killed says too little: {all_lines}"
    );
    let (next, hits) = (AtomicU64::new(0), Mutex::new(Hits::default()));
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                loop {
                    let seed = next.fetch_add(1, Ordering::Relaxed);
                    if seed >= kills {
                        return;
                    }
                    round(&model, seed, all_lines, &hits);
                }
            });
        }
    });
    let hits = hits.into_inner().unwrap();
    println!("{kills} kills, {all_lines} lines in a whole run: {hits:?}");
    if kills >= 100 {
        let least = [hits.streaming, hits.tool_open, hits.printing, hits.late]
            .into_iter()
            .min();
        assert!(
            least >= Some(5),
            "the kills do not fall where they should: {hits:?}"
        );
    }
}
