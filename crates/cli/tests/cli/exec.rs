//! `tenon exec` as scripts and people use it.

use crate::model::{Model, tenon};
use serde_json::{Value, json};
use std::io::Write;
use std::process::{Command, Output, Stdio};
use std::time::Duration;
use tenon_testing::{TestHome, wait_until};

fn answers(text: &str) -> String {
    json!({"scenarios": [], "default_response": {"content": text}}).to_string()
}

/// One call, then an answer.
fn calls(name: &str, arguments: Value, answer: &str) -> String {
    json!({
        "scenarios": [{"name": "one", "trigger": "go", "scope": "turn", "steps": [
            {"response": {"content": "I will look.", "tool_calls": [{"function": {"name": name, "arguments": arguments}}]}},
            {"response": {"content": answer}},
        ]}],
        "default_response": {"content": "nothing"},
    })
    .to_string()
}

fn run(command: &mut Command) -> (i32, String, String) {
    let Output {
        status,
        stdout,
        stderr,
    } = command.stdin(Stdio::null()).output().unwrap();
    (
        status.code().unwrap_or(-1),
        String::from_utf8_lossy(&stdout).into_owned(),
        String::from_utf8_lossy(&stderr).into_owned(),
    )
}

#[test]
fn the_answer_alone_is_on_standard_output() {
    let home = TestHome::new();
    let model = Model::new(&calls("list", json!({}), "the **answer**"));
    let (code, out, err) = run(model.command(&home).args(["exec", "-p", "go"]));
    assert_eq!((code, out.as_str()), (0, "the **answer**\n"), "{err}");
    assert!(
        err.contains("I will look.") && err.contains("list") && err.contains("Done. ("),
        "{err}"
    );
}

#[test]
fn a_prompt_can_come_as_words_as_a_flag_and_on_standard_input() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    assert_eq!(
        run(model.command(&home).args(["exec", "some", "words"])).1,
        "yes\n"
    );
    assert_eq!(run(model.command(&home).args(["-p", "flag"])).1, "yes\n");
    let mut child = model
        .command(&home)
        .args(["exec", "-"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    child
        .stdin
        .take()
        .unwrap()
        .write_all("from a pipe — 漢字".as_bytes())
        .unwrap();
    assert_eq!(child.wait_with_output().unwrap().stdout, b"yes\n");
    let bodies: Vec<String> = model
        .requests()
        .iter()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .collect();
    assert!(
        bodies[0].contains("some words") && bodies[2].contains("from a pipe — 漢字"),
        "{bodies:?}"
    );
}

#[test]
fn a_standard_input_that_never_closes_does_not_hang_a_run_with_a_prompt() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    let mut child = model
        .command(&home)
        .args(["exec", "-p", "hi"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let held_open = child.stdin.take();
    let ended = wait_until(Duration::from_secs(30), || {
        child.try_wait().unwrap().is_some()
    });
    assert!(ended, "it waits for standard input");
    drop(held_open);
}

#[test]
fn nothing_configured_is_said_with_what_to_do_and_asks_no_server() {
    let home = TestHome::new();
    let (code, out, err) = run(home.command(tenon()).args(["exec", "-p", "hi"]));
    assert_eq!((code, out.as_str()), (2, ""));
    for word in ["TENON_BASE_URL", "TENON_MODEL", "tenon demo"] {
        assert!(err.contains(word), "{err}");
    }
}

#[test]
fn every_line_of_the_json_stream_is_an_event_and_the_last_is_the_end() {
    let home = TestHome::new();
    let model = Model::new(&calls("list", json!({}), "done"));
    let (code, out, err) = run(model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    let events: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let ends = events
        .iter()
        .filter(|event| event["type"] == "run_finished")
        .count();
    assert_eq!(ends, 1);
    let seqs: Vec<u64> = events
        .iter()
        .filter(|event| event.get("sub").is_none())
        .map(|event| event["seq"].as_u64().unwrap())
        .collect();
    assert!(
        seqs.windows(2).all(|pair| pair[1] == pair[0] + 1),
        "{seqs:?}"
    );
}

#[test]
fn an_error_before_the_session_is_one_json_line_too() {
    let home = TestHome::new();
    let (code, out, _) = run(home
        .command(tenon())
        .args(["exec", "--format", "json", "-p", "hi"]));
    assert_eq!(code, 2);
    let line: Value = serde_json::from_str(out.trim()).unwrap();
    assert_eq!(
        (line["type"].as_str(), line["exit_code"].as_u64()),
        (Some("error"), Some(2))
    );
}

#[test]
fn a_server_that_is_not_there_is_named_with_its_port() {
    let home = TestHome::new();
    let (code, _, err) = run(home
        .command(tenon())
        .args(["exec", "-p", "hi", "--config"])
        .arg(config(&home, r#"{"retry": {"attempts": 0}}"#))
        .env("TENON_BASE_URL", "http://127.0.0.1:9/v1")
        .env("TENON_MODEL", "m"));
    assert_eq!(code, 1);
    assert!(err.contains("127.0.0.1:9"), "{err}");
}

fn config(home: &TestHome, text: &str) -> std::path::PathBuf {
    let path = home.path().join("extra.jsonc");
    std::fs::write(&path, text).unwrap();
    path
}

#[test]
fn with_nobody_to_ask_a_command_is_denied_and_the_exit_code_says_so() {
    let home = TestHome::new();
    let model = Model::new(&calls(
        "bash",
        json!({"command": "touch made"}),
        "I could not.",
    ));
    let (code, out, err) = run(model.command(&home).args(["exec", "-p", "go"]));
    assert_eq!((code, out.as_str()), (5, "I could not.\n"), "{err}");
    assert!(err.contains("--yes"), "{err}");
    assert!(!home.project().join("made").exists());
}

#[test]
fn yes_lets_it_run_and_dry_run_does_not() {
    let home = TestHome::new();
    let model = Model::new(&calls("bash", json!({"command": "touch made"}), "Done."));
    let (code, _, err) = run(model
        .command(&home)
        .args(["exec", "--dry-run", "--yes", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    assert!(!home.project().join("made").exists());
    let (code, _, err) = run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    assert!(home.project().join("made").exists());
}

#[test]
fn yes_does_not_reach_the_repository_s_own_files() {
    let home = TestHome::new();
    std::fs::create_dir(home.project().join(".git")).unwrap();
    let model = Model::new(&calls(
        "write",
        json!({"path": ".git/config", "content": "x"}),
        "Done.",
    ));
    let (code, _, err) = run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    assert_eq!(code, 5, "{err}");
    assert!(!home.project().join(".git/config").exists());
}

#[test]
fn a_path_outside_the_root_is_refused_by_its_code() {
    let home = TestHome::new();
    std::fs::write(home.path().join("secret"), "s3cret").unwrap();
    let model = Model::new(&calls("read", json!({"path": "../secret"}), "no"));
    let (_, _, err) = run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    let last = model
        .requests()
        .last()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .unwrap();
    assert!(
        last.contains("path_outside_root") && !last.contains("s3cret"),
        "{last}\n{err}"
    );
}

#[test]
fn ctrl_c_ends_the_run_with_130_and_keeps_the_text() {
    let home = TestHome::new();
    let long: String = (0..3000).map(|n| format!("word{n} ")).collect();
    let model = Model::slow(&answers(&long), Duration::from_millis(5));
    let out = home.path().join("out");
    let mut child = model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "talk"])
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let streaming = wait_until(Duration::from_secs(30), || {
        std::fs::read_to_string(&out).is_ok_and(|text| text.contains("word10 "))
    });
    assert!(streaming);
    Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(130));
    let events: Vec<Value> = std::fs::read_to_string(&out)
        .unwrap()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let names: Vec<&str> = events
        .iter()
        .rev()
        .take(12)
        .filter_map(|event| event["type"].as_str())
        .collect();
    assert!(
        names.contains(&"interrupted") && names.contains(&"run_finished"),
        "{names:?}"
    );
    assert!(
        events
            .iter()
            .any(|event| event["status"] == "interrupted" && event.to_string().contains("word10 "))
    );
}

#[test]
fn a_reader_that_goes_away_ends_the_run_cleanly() {
    let home = TestHome::new();
    let long: String = (0..3000).map(|n| format!("word{n} ")).collect();
    let model = Model::slow(&answers(&long), Duration::from_millis(100));
    let mut child = model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "talk"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = wait_until(Duration::from_secs(20), || {
        child.try_wait().unwrap().is_some()
    });
    assert!(ended, "it goes on for nobody");
    let (_, listed, _) = run(model.command(&home).args(["sessions", "verify"]));
    assert!(listed.contains("whole"), "{listed}");
}

#[test]
fn twenty_runs_at_once_give_twenty_whole_sessions() {
    let home = TestHome::new();
    let model = Model::new(&calls("list", json!({}), "done"));
    let children: Vec<_> = (0..20)
        .map(|_| {
            model
                .command(&home)
                .args(["exec", "-p", "go"])
                .stdin(Stdio::null())
                .stdout(Stdio::piped())
                .stderr(Stdio::null())
                .spawn()
                .unwrap()
        })
        .collect();
    for child in children {
        let output = child.wait_with_output().unwrap();
        assert!(output.status.success());
        assert_eq!(output.stdout, b"done\n");
    }
    let (_, listed, _) = run(model.command(&home).args(["sessions", "list", "--json"]));
    let sessions: Value = serde_json::from_str(&listed).unwrap();
    assert_eq!(sessions.as_array().unwrap().len(), 20);
    let (code, _, err) = run(model.command(&home).args(["sessions", "verify"]));
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_second_process_on_a_session_is_refused_with_the_first_one_s_pid() {
    let home = TestHome::new();
    let id = tenon_vocab::SessionId::generate().to_string();
    let long: String = (0..3000).map(|n| format!("word{n} ")).collect();
    let model = Model::slow(&answers(&long), Duration::from_millis(5));
    let out = home.path().join("out");
    let mut first = model
        .command(&home)
        .args(["exec", "--format", "json", "--session", &id, "-p", "talk"])
        .stdin(Stdio::null())
        .stdout(std::fs::File::create(&out).unwrap())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    assert!(wait_until(Duration::from_secs(30), || {
        std::fs::read_to_string(&out).is_ok_and(|text| text.contains("run_started"))
    }));
    let (code, _, err) = run(model
        .command(&home)
        .args(["exec", "--session", &id, "-p", "me too"]));
    assert_eq!(code, 1);
    assert!(err.contains(&first.id().to_string()), "{err}");
    let _ = first.kill();
    let _ = first.wait();
}

#[test]
fn each_request_begins_with_the_one_before_it_also_after_a_resume() {
    let home = TestHome::new();
    let id = tenon_vocab::SessionId::generate().to_string();
    let model = Model::new(&calls("list", json!({}), "done"));
    for _ in 0..3 {
        let (code, _, err) = run(model
            .command(&home)
            .args(["exec", "--session", &id, "-p", "go"]));
        assert_eq!(code, 0, "{err}");
    }
    let requests = model.requests();
    assert_eq!(requests.len(), 6);
    for pair in requests.windows(2) {
        assert_eq!(pair[1].violations, Vec::<String>::new());
        tenon_mock::wire::chat::validate_prefix(&pair[0].body, &pair[1].body).unwrap();
    }
}

#[test]
fn a_folder_that_cannot_be_written_is_said_plainly() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    let file = home.path().join("file");
    std::fs::write(&file, "").unwrap();
    let (code, _, err) = run(model
        .command(&home)
        .args(["exec", "-p", "hi"])
        .env("TENON_HOME", file.join("below")));
    assert_eq!(code, 1);
    assert!(err.contains("below") && !err.contains("panick"), "{err}");
}

#[test]
fn an_answer_that_does_not_fit_the_schema_is_exit_seven() {
    let home = TestHome::new();
    let schema = home.path().join("schema.json");
    std::fs::write(
        &schema,
        r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#,
    )
    .unwrap();
    let good = Model::new(&answers(r#"{"ok": true}"#));
    let bad = Model::new(&answers("certainly!"));
    assert_eq!(
        run(good
            .command(&home)
            .args(["exec", "-p", "x", "--output-schema"])
            .arg(&schema))
        .0,
        0
    );
    assert_eq!(
        run(bad
            .command(&home)
            .args(["exec", "-p", "x", "--output-schema"])
            .arg(&schema))
        .0,
        7
    );
}

#[test]
fn an_answer_of_the_wrong_type_does_not_fit_the_schema() {
    let home = TestHome::new();
    let schema = home.path().join("schema.json");
    std::fs::write(
        &schema,
        r#"{"type":"object","properties":{"ok":{"type":"boolean"}},"required":["ok"]}"#,
    )
    .unwrap();
    let model = Model::new(&answers(r#"{"ok": "maybe"}"#));
    let (code, _, err) = run(model
        .command(&home)
        .args(["exec", "-p", "x", "--output-schema"])
        .arg(&schema));
    assert_eq!(code, 7, "{err}");
}

#[test]
fn yes_does_not_answer_what_must_be_confirmed() {
    let home = TestHome::new();
    let model = Model::new(&calls(
        "write",
        json!({"path": ".envrc", "content": "x"}),
        "Done.",
    ));
    let (code, _, err) = run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    assert_eq!(code, 5, "{err}");
    assert!(!home.project().join(".envrc").exists());
}

#[test]
fn what_a_file_held_before_an_edit_is_kept_before_the_edit() {
    let home = TestHome::new();
    let id = tenon_vocab::SessionId::generate().to_string();
    std::fs::write(home.project().join("a.txt"), "old text\n").unwrap();
    let model = Model::new(&calls(
        "edit",
        json!({"path": "a.txt", "old": "old", "new": "new"}),
        "Done.",
    ));
    let args = [
        "exec",
        "--yes",
        "--format",
        "json",
        "--session",
        &id,
        "-p",
        "go",
    ];
    let (code, out, err) = run(model.command(&home).args(args));
    assert_eq!(code, 0, "{err}");
    let events: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let at = |name: &str| {
        events
            .iter()
            .position(|event| event["type"] == name)
            .unwrap()
    };
    assert!(at("checkpoint") < at("tool_result"));
    let blob = events[at("checkpoint")]["files"][0]["before"]["sha256"]
        .as_str()
        .unwrap()
        .to_owned();
    let found = std::process::Command::new("find")
        .arg(home.tenon())
        .args(["-name", &blob])
        .output()
        .unwrap();
    let path = String::from_utf8(found.stdout).unwrap();
    assert_eq!(std::fs::read_to_string(path.trim()).unwrap(), "old text\n");
}

/// On a disk of its own that is soon full; only where one can be mounted.
#[test]
fn a_full_disk_ends_the_run_and_nothing_was_shown_that_is_not_kept() {
    let home = TestHome::new();
    let small = home.path().join("small");
    std::fs::create_dir(&small).unwrap();
    let mounted = Command::new("mount")
        .args(["-t", "tmpfs", "-o", "size=160k", "tmpfs"])
        .arg(&small)
        .status();
    if !mounted.is_ok_and(|status| status.success()) {
        println!("skipped: no file system can be mounted here");
        return;
    }
    let big: String = (0..900)
        .map(|n| format!("line {n} of a long file\n"))
        .collect();
    std::fs::write(home.project().join("big.txt"), big).unwrap();
    let steps: Vec<Value> = (0..20)
        .map(|n| {
            json!({"response": {"content": format!("step {n}"), "tool_calls": [
            {"function": {"name": "read", "arguments": {"path": "big.txt", "offset": n + 1}}}]}})
        })
        .collect();
    let script = json!({"scenarios": [{"name": "s", "trigger": "go", "scope": "turn", "steps": steps}],
        "default_response": {"content": "ok"}});
    let model = Model::new(&script.to_string());
    let (code, out, err) = run(model
        .command(&home)
        .args(["exec", "--format", "json", "-p", "go"])
        .env("TENON_HOME", &small));
    let log = Command::new("find")
        .arg(&small)
        .args(["-name", "*.jsonl", "-exec", "cat", "{}", ";"])
        .output()
        .unwrap();
    let kept = String::from_utf8_lossy(&log.stdout).into_owned();
    let _ = Command::new("umount").arg(&small).status();
    assert_eq!(code, 1, "{err}");
    assert!(out.contains("disk is full"), "{out}");
    let events: Vec<Value> = out
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(
        events
            .iter()
            .filter(|event| event["type"] == "run_finished")
            .count(),
        1
    );
    let lines: Vec<Value> = kept
        .lines()
        .filter_map(|line| serde_json::from_str(line).ok())
        .collect();
    for event in events.iter().filter(|event| event.get("sub").is_none()) {
        let is_said_only = event["type"] == "run_finished" || event["kind"] == "log";
        let is_kept = lines
            .iter()
            .any(|line| line["seq"] == event["seq"] && line["type"] == event["type"]);
        assert!(is_said_only || is_kept, "shown and not kept: {event}");
    }
}

#[test]
fn nothing_is_kept_with_no_save() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    assert_eq!(
        run(model.command(&home).args(["exec", "--no-save", "-p", "hi"])).0,
        0
    );
    let (_, listed, _) = run(model
        .command(&home)
        .args(["sessions", "list", "--all", "--json"]));
    assert_eq!(listed.trim(), "[]");
}

#[test]
fn the_demo_works_in_an_empty_home() {
    let home = TestHome::new();
    let (code, out, err) = run(home.command(tenon()).args(["demo"]));
    assert_eq!(code, 0, "{err}");
    assert!(out.contains("all tests pass"), "{out}");
    let (code, shown, _) = run(home.command(tenon()).args(["sessions", "verify"]));
    assert_eq!(code, 0, "{shown}");
}

#[test]
fn a_search_does_not_look_into_secret_files() {
    let home = TestHome::new();
    std::fs::write(home.project().join(".env"), "TOKEN=hunter2\n").unwrap();
    std::fs::write(home.project().join("readme.md"), "the TOKEN is in .env\n").unwrap();
    let model = Model::new(&calls("grep", json!({"pattern": "TOKEN"}), "found"));
    run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    let last = model
        .requests()
        .last()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .unwrap();
    assert!(
        last.contains("the TOKEN is in .env") && !last.contains("hunter2"),
        "{last}"
    );
}
