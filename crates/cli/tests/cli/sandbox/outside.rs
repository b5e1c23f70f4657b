//! One run outside of the walls: who may say yes to it, and how.

use super::{beside_is_outside, has_walls, home};
use crate::exec::{calls, run};
use crate::model::Model;
use crate::repl::terminal::{Setup, calls as scripted};
use serde_json::{Value, json};
use std::time::Duration;
use tenon_testing::TestHome;

#[test]
fn one_run_outside_is_offered_to_a_person_and_happens_after_a_yes() {
    if has_walls("partial") {
        one_run_outside("--yes");
        one_run_outside("--yolo");
    }
}

fn one_run_outside(flag: &'static str) {
    let home = home();
    std::fs::write(
        home.project().join("try.sh"),
        "echo x > ../beside && echo made it\n",
    )
    .unwrap();
    let arguments = json!({"command": "sh try.sh"});
    let model = Model::scripted(
        scripted("go", "bash", arguments, "that was it"),
        Duration::ZERO,
    );
    let setup = Setup {
        args: &[flag],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    let beside = home.path().join("beside");
    terminal
        .ready()
        .line("go")
        .see("Run it once outside the sandbox?")
        // Broken at words, and where depends on the length of the path.
        .see("already")
        .see("sandbox.writable")
        .see_prompt();
    assert!(!beside.exists());
    terminal.line("n").see_times("that was it", 1).see_prompt();
    assert!(!beside.exists());
    assert!(
        model
            .bodies()
            .pop()
            .unwrap()
            .contains("did not allow a run outside")
    );
    terminal
        .line("go")
        .see_times("Run it once outside the sandbox?", 2)
        .see_prompt()
        .line("y")
        .see_times("that was it", 2)
        .see_prompt();
    assert!(beside.exists());
}

#[test]
fn no_flag_leads_outside() {
    if !has_walls("partial") {
        return;
    }
    for flag in ["--yes", "--yolo"] {
        let home = home();
        if !beside_is_outside(home.path()) {
            return;
        }
        std::fs::write(home.project().join("try.sh"), "echo x > ../beside\n").unwrap();
        let model = Model::new(&calls("bash", json!({"command": "sh try.sh"}), "done"));
        let mut command = model.command(&home);
        command.args(["exec", flag, "-p", "go"]);
        let (_, _, err) = run(&mut command);
        assert!(!home.path().join("beside").exists(), "{flag}: {err}");
        let told = model.bodies().pop().unwrap();
        assert!(told.contains("the sandbox blocked it"), "{flag}: {told}");
    }
}

/// The advice to a call that nobody could be asked about.
fn advice(home: &TestHome, command: &str) -> String {
    let model = Model::new(&calls("bash", json!({"command": command}), "done"));
    let mut exec = model.command(home);
    exec.args(["exec", "--format", "json", "-p", "go"]);
    let (_, out, err) = run(&mut exec);
    let notice = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|event| event["type"] == "notice" && event["kind"] == "permission")
        .unwrap_or_else(|| panic!("no notice: {out} {err}"));
    notice["hint"].as_str().unwrap().to_owned()
}

#[test]
fn what_is_advised_where_nobody_is_there_would_help() {
    let home = home();
    let plain = advice(&home, "make test");
    assert!(
        plain.contains(r#"{"bash":{"make test *":"allow"}}"#),
        "{plain}"
    );

    let several = advice(&home, "make test && ls && git push origin");
    assert!(several.contains(r#""make test *":"allow""#), "{several}");
    assert!(several.contains(r#""git push"#), "{several}");
    assert!(!several.contains(r#""bash":"allow""#), "{several}");

    let unclear = advice(&home, "make $X && ls");
    assert!(unclear.starts_with("Allow it with --yes"), "{unclear}");
    assert!(!unclear.contains(r#""bash""#), "{unclear}");

    let outside = advice(&home, "touch /opt/beside/new");
    assert!(outside.contains("external_directory"), "{outside}");
    if has_walls("partial") {
        assert!(
            outside.contains(r#""sandbox": {"writable":["/opt/beside"]}"#),
            "{outside}"
        );
    }
}
