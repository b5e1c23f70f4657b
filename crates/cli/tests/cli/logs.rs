//! The log for diagnosis.

use crate::exec::calls;
use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;

const KEY: &str = concat!("ghp", "_abcdefghijklmnopqrstuvwxyz0123456789");

fn exec(program: &Program, flags: &[&str], variables: &[(&str, &str)]) -> Ran {
    let command = format!("echo {KEY}");
    let model = Model::new(&calls("bash", json!({"command": command}), "done"));
    let mut run = model.command(&program.home);
    run.args(["exec", "--yes", "-p", "go"]).args(flags);
    Ran::of(run.envs(variables.iter().copied()).output().unwrap()).ended(0)
}

#[test]
fn nothing_is_written_until_there_is_something_of_weight() {
    let program = Program::new();
    let path = program.home.tenon().join("logs/tenon.log");
    let said = program.run(&["logs", "path"]).ended(0);
    assert_eq!(said.out.trim(), path.to_str().unwrap());
    exec(&program, &["--log-level", "error"], &[]);
    assert!(!path.exists(), "nothing went wrong");
    program
        .run(&["logs"])
        .ended(0)
        .complains("Nothing was logged");
    exec(&program, &["--log-level", "info", "--no-save"], &[]);
    assert!(!path.exists(), "nothing of such a session is kept");
    program.configure(r#"{"logs": {"level": "off"}}"#);
    exec(&program, &[], &[]);
    assert!(!path.exists());
}

#[test]
fn what_was_done_is_logged_in_lines_for_nobody_else_and_without_secrets() {
    for by_variable in [true, false] {
        let program = Program::new();
        let ran = if by_variable {
            exec(&program, &[], &[("TENON_LOG", "info")])
        } else {
            exec(&program, &["--log-level", "info"], &[])
        };
        assert_eq!(ran.out, "done\n", "standard output is the answer's");
        let path = program.home.tenon().join("logs/tenon.log");
        assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains(KEY), "{text}");
        for part in ["run started", "bash", "[masked:", "run ended"] {
            assert!(text.contains(part), "no `{part}` in {text}");
        }
        let shown = program.run(&["logs", "show", "--lines", "1"]).ended(0);
        assert_eq!(shown.out.lines().count(), 1);
        assert!(shown.out.contains("run ended"), "{}", shown.out);
    }
}

#[test]
fn the_log_is_bounded_in_size_and_number() {
    let program = Program::new();
    program.configure(r#"{"logs": {"level": "debug", "max_bytes": 1024, "files": 3}}"#);
    for _ in 0..4 {
        exec(&program, &[], &[]);
    }
    let mut names: Vec<String> = std::fs::read_dir(program.home.tenon().join("logs"))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            assert!(entry.metadata().unwrap().len() <= 1024, "{entry:?}");
            entry.file_name().into_string().unwrap()
        })
        .collect();
    names.sort();
    names.retain(|name| name != "tenon.lock");
    assert_eq!(names, ["tenon.log", "tenon.log.1", "tenon.log.2"]);
}
