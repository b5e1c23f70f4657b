//! What a run leaves behind: whole sessions, also side by side and on a full disk.

use crate::exec::{answers, calls, run};
use crate::model::Model;
use serde_json::{Value, json};
use std::process::{Command, Stdio};
use std::time::Duration;
use tenon_testing::{TestHome, wait_until};

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
    let requests = model.asked();
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
fn a_session_that_is_gone_on_with_cannot_be_one_that_is_not_kept() {
    let home = TestHome::new();
    let model = Model::new(&answers("yes"));
    assert_eq!(run(model.command(&home).args(["exec", "-p", "hi"])).0, 0);
    let id = tenon_vocab::SessionId::generate().to_string();
    for flags in [&["-c"][..], &["-c", "--fork"], &["--session", &id]] {
        let mut command = model.command(&home);
        command.args(["exec", "--no-save", "-p", "hi"]).args(flags);
        let (code, _, said) = run(&mut command);
        assert_eq!(code, 2, "{flags:?}: {said}");
        assert!(said.contains("--no-save saves nothing"), "{said}");
    }
    assert_eq!(model.bodies().len(), 1);
}
