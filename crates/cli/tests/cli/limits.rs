//! What a run may do unasked, from the outside.

use crate::exec::{calls, run};
use crate::model::Model;
use serde_json::{Value, json};
use tenon_testing::TestHome;

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
        .asked()
        .last()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .unwrap();
    assert!(
        last.contains("path_outside_root") && !last.contains("s3cret"),
        "{last}\n{err}"
    );
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

#[test]
fn a_search_does_not_look_into_secret_files() {
    let home = TestHome::new();
    std::fs::write(home.project().join(".env"), "TOKEN=hunter2\n").unwrap();
    std::fs::write(home.project().join("readme.md"), "the TOKEN is in .env\n").unwrap();
    let model = Model::new(&calls("grep", json!({"pattern": "TOKEN"}), "found"));
    run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    let last = model
        .asked()
        .last()
        .map(|request| String::from_utf8_lossy(&request.body).into_owned())
        .unwrap();
    assert!(
        last.contains("the TOKEN is in .env") && !last.contains("hunter2"),
        "{last}"
    );
}
