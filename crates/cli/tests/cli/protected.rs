//! Protected paths that appear while a command runs: the person at the screen
//! is told where they went, for they may be the person's own.

use crate::exec::{calls, run};
use crate::model::Model;
use crate::sandbox::{has_walls, home};
use serde_json::{Value, json};
use std::io::{BufRead, BufReader};
use std::process::Stdio;
use std::time::Duration;

#[test]
fn what_is_set_aside_is_told_on_the_screen() {
    if !has_walls("partial") {
        return;
    }
    let home = home();
    let made = home.project().join(".tenon");
    std::fs::write(home.project().join("try.sh"), "mkdir .tenon\n").unwrap();
    let model = Model::new(&calls("bash", json!({"command": "sh try.sh"}), "done"));
    let mut command = model.command(&home);
    command.args(["exec", "--yes", "-p", "go"]);
    let (code, _, err) = run(&mut command);
    assert_eq!(code, 0, "{err}");
    let made = made.display();
    let told = format!(
        "warning: `{made}` is protected: it appeared while a command ran and was moved to `{made}.set-aside-"
    );
    assert!(err.contains(&told), "{err}");
    assert!(err.contains("If you made this change"), "{err}");
    assert_eq!(err.matches("was moved to").count(), 1, "{err}");
}

#[test]
fn a_person_who_makes_a_protected_folder_meanwhile_is_told_at_once() {
    if !has_walls("partial") {
        return;
    }
    let home = home();
    let project = home.project();
    let script = "touch started; while [ ! -e stop ]; do sleep 0.01; done\n";
    std::fs::write(project.join("try.sh"), script).unwrap();
    let input = json!({"command": "sh try.sh", "timeout_ms": 60_000});
    let model = Model::new(&calls("bash", input, "done"));
    let mut program = model
        .command(&home)
        .args(["exec", "--yes", "--format", "json", "-p", "go"])
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    while !project.join("started").exists() {
        assert!(program.try_wait().unwrap().is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(5));
    }
    std::fs::create_dir(project.join(".tenon")).unwrap();
    std::fs::write(project.join(".tenon/mine"), "mine").ok();
    let lines = BufReader::new(program.stdout.take().unwrap()).lines();
    let mut events = lines.map(|line| serde_json::from_str::<Value>(&line.unwrap()).unwrap());
    // Only the command's end would end the events without it.
    let told = events
        .find(|event| event["type"] == "notice" && event["kind"] == "protected")
        .expect("a notice");
    assert_eq!(told["level"], "warning");
    assert!(!project.join("stop").exists());
    std::fs::write(project.join("stop"), "").unwrap();
    assert!(events.any(|event| event["type"] == "run_finished"));
    assert!(program.wait().unwrap().success());
    assert!(!project.join(".tenon").exists());
}
