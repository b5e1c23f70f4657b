//! The two tiers of the prompt with the real program: what is told of the project's
//! git in the full one, that a resume sends the same bytes, and who chooses.

use crate::exec::run;
use crate::model::Model;
use serde_json::Value;
use std::path::Path;
use std::process::Command;
use tenon_testing::TestHome;

fn git(folder: &Path, args: &[&str]) {
    let ended = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@localhost"])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(ended.status.success(), "{ended:?}");
}

/// A repository with one changed and one new file.
fn dirty(home: &TestHome) {
    let project = home.project();
    std::fs::write(project.join("kept.rs"), "one\n").unwrap();
    git(&project, &["init", "--quiet", "--initial-branch=trunk"]);
    git(&project, &["add", "."]);
    git(&project, &["commit", "--quiet", "--message", "first"]);
    std::fs::write(project.join("kept.rs"), "two\n").unwrap();
    std::fs::write(project.join("new.rs"), "three\n").unwrap();
}

fn exec(model: &Model, home: &TestHome, tier: &str, args: &[&str]) {
    let mut command = model.command(home);
    command.env("TENON_PROMPT_TIER", tier).arg("exec");
    let (code, out, err) = run(command.args(args));
    assert_eq!(code, 0, "{out}{err}");
}

fn messages(body: &str) -> Vec<Value> {
    let body: Value = serde_json::from_str(body).unwrap();
    body["messages"].as_array().unwrap().clone()
}

fn tools(body: &str) -> Value {
    serde_json::from_str::<Value>(body).unwrap()["tools"].clone()
}

/// Whether the command that looks may run here without a question.
fn looks_unasked(model: &Model, home: &TestHome) -> bool {
    let line = "git status --porcelain --branch -- .";
    let explain = ["policy", "explain", "bash", line, "--format", "json"];
    let (_, out, err) = run(model.command(home).args(explain));
    let verdict: Value = serde_json::from_str(&out).unwrap_or_else(|_| panic!("{out}{err}"));
    verdict["class"] == "allow"
}

#[test]
fn how_git_stood_is_told_once_and_a_resume_sends_the_same_bytes() {
    let home = TestHome::new();
    dirty(&home);
    let model = Model::says("yes");
    exec(&model, &home, "full", &["-p", "one"]);
    git(&home.project(), &["checkout", "--quiet", "-b", "other"]);
    exec(&model, &home, "full", &["--resume", "-p", "two"]);
    let bodies = model.bodies();
    let (first, second) = (messages(&bodies[0]), messages(&bodies[1]));
    assert_eq!(second[..first.len()], first[..]);
    assert_eq!(tools(&bodies[0]), tools(&bodies[1]));
    let asked = first[1].to_string();
    assert!(asked.contains("the branch was `trunk`"), "{asked}");
    if looks_unasked(&model, &home) {
        assert!(
            asked.contains("and 2 changes were not committed."),
            "{asked}"
        );
        assert!(asked.contains(" M kept.rs\\n?? new.rs\\n</git>"), "{asked}");
    }
    assert_eq!(bodies[1].matches("</git>").count(), 1);
    assert!(
        asked.contains("<permissions>\\nPermission mode: ask.\\n"),
        "{asked}"
    );
    assert!(asked.contains("Nobody is here to answer"), "{asked}");
}

#[test]
fn a_local_model_of_an_unknown_window_gets_the_compact_tier_and_no_notes() {
    let home = TestHome::new();
    dirty(&home);
    let model = Model::says("yes");
    exec(&model, &home, "auto", &["-p", "one"]);
    exec(&model, &home, "compact", &["-p", "two"]);
    exec(&model, &home, "full", &["-p", "three"]);
    let bodies = model.bodies();
    let [auto, compact, full] = [0, 1, 2].map(|at| messages(&bodies[at])[0].to_string());
    assert_eq!(auto, compact);
    assert!(full.len() > compact.len() * 2, "{full}");
    assert!(!bodies[0].contains("</git>") && !bodies[0].contains("</permissions>"));
}
