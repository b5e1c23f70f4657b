//! Taking back from outside of a session, and in one.

use crate::exec::{calls, run};
use crate::model::Model;
use serde_json::json;
use std::fs;
use tenon_testing::TestHome;

#[test]
fn a_revert_from_outside_says_what_it_would_do_and_does_it_after_a_yes() {
    let home = TestHome::new();
    let project = home.project();
    fs::write(project.join("sed.txt"), "one\n").unwrap();
    let command = json!({"command": "sed -i s/one/two/ sed.txt; echo new > new.txt"});
    let model = Model::new(&calls("bash", command, "done"));
    let (code, _, err) = run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    assert_eq!(
        fs::read_to_string(project.join("sed.txt")).unwrap(),
        "two\n"
    );
    let revert = |more: &[&str]| {
        let mut words = vec!["sessions", "revert"];
        words.extend(more);
        run(model.command(&home).args(words))
    };
    let (code, _, err) = revert(&["--dry-run"]);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("Back to before message 1: go"), "{err}");
    assert!(err.contains("restored     sed.txt"), "{err}");
    assert!(err.contains("removed      new.txt"), "{err}");
    assert!(project.join("new.txt").exists());
    let (code, _, err) = revert(&[]);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("Add --yes to do it"), "{err}");
    let (code, out, err) = revert(&["--yes"]);
    assert_eq!(code, 0, "{err}");
    assert!(
        out.contains("is back to before message 1. 2 files went back."),
        "{out}"
    );
    assert_eq!(
        fs::read_to_string(project.join("sed.txt")).unwrap(),
        "one\n"
    );
    assert!(!project.join("new.txt").exists());
    let (code, _, err) = revert(&["--yes"]);
    assert_eq!(code, 1);
    assert!(err.contains("There is no prompt to go back to"), "{err}");
    let (code, _, err) = revert(&["--to", "7", "--yes"]);
    assert_eq!(code, 1);
    assert!(err.contains("There is no message 7"), "{err}");
    let (code, _, err) = run(model.command(&home).args(["sessions", "verify"]));
    assert_eq!(code, 0, "{err}");
}

#[test]
fn a_revert_from_outside_keeps_within_what_the_settings_say() {
    let home = TestHome::new();
    let project = home.project();
    let made = json!({"path": "made.txt", "content": "made by a tool\n"});
    let model = Model::new(&calls("write", made, "done"));
    let (code, _, err) = run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    let settings = project.join("../small.jsonc");
    fs::write(&settings, r#"{"checkpoints": {"max_bytes": 1}}"#).unwrap();
    let settings = settings.to_str().unwrap();
    let revert = |how: &str| {
        let words = ["--config", settings, "sessions", "revert", how];
        run(model.command(&home).args(words))
    };
    let left = "made.txt: there is no room to keep its content";
    let (code, _, err) = revert("--dry-run");
    assert_eq!(code, 0, "{err}");
    assert!(err.contains(left), "{err}");
    assert!(!err.contains("removed "), "{err}");
    let (code, out, err) = revert("--yes");
    assert_eq!(code, 0, "{err}");
    assert!(project.join("made.txt").exists(), "it may be the only copy");
    assert!(out.contains(left), "{out}");
    assert!(out.contains("checkpoints.max_bytes"), "{out}");
}
