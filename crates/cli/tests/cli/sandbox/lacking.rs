//! Where not all walls stand: what is said, and what is demanded.

use super::{has_walls, home, program, result, script, skipped};
use crate::exec::{calls, run};
use crate::model::Model;
use serde_json::json;
use std::process::Command;
use tenon_testing::TestHome;

#[test]
fn without_walls_it_is_said_and_commands_go_anywhere() {
    let program = program();
    program.configure(r#"{"sandbox": {"mode": "off"}}"#);
    let ran = script(&program, "echo x > ../beside").ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
    assert!(program.home.path().join("beside").exists());
}

/// What a session says at its start.
fn start(home: &TestHome) -> String {
    let model = Model::says("hello");
    let (code, _, err) = run(model.command(home).args(["exec", "-p", "hi"]));
    assert_eq!(code, 0, "{err}");
    err
}

#[test]
fn walls_that_hold_need_no_words_and_others_are_named_once() {
    if !has_walls("full") {
        return;
    }
    let home = home();
    assert!(!start(&home).contains("sandbox"));
    std::fs::write(home.project().join(".env"), "A=1").unwrap();
    let said = start(&home);
    assert!(
        said.contains("sandbox: hidden from commands: .env (to show it: sandbox.show)"),
        "{said}"
    );
    std::fs::write(
        home.tenon().join("tenon.jsonc"),
        r#"{"sandbox": {"mode": "off"}}"#,
    )
    .unwrap();
    let said = start(&home);
    assert_eq!(said.matches("sandbox: off").count(), 1, "{said}");
}

/// The program as it runs where no namespaces are to be had; `None` where that
/// cannot be arranged.
fn without_namespaces(command: &Command) -> Option<Command> {
    let confine = "echo 0 > /proc/sys/user/max_user_namespaces && exec setpriv --bounding-set=-all --inh-caps=-all --no-new-privs \"$@\"";
    let wrap = |program: &std::ffi::OsStr| {
        let mut wrapped = Command::new("unshare");
        wrapped
            .args(["-U", "-r", "sh", "-c", confine, "sh"])
            .arg(program);
        wrapped
    };
    let possible = wrap("true".as_ref())
        .output()
        .is_ok_and(|done| done.status.success());
    if !possible {
        skipped("namespaces cannot be taken away here");
        return None;
    }
    let mut wrapped = wrap(command.get_program());
    wrapped.args(command.get_args()).env_clear();
    for (name, value) in command.get_envs() {
        wrapped.env(name, value.unwrap());
    }
    wrapped.current_dir(command.get_current_dir().unwrap());
    Some(wrapped)
}

#[test]
fn where_not_all_walls_stand_the_start_says_so_and_they_can_be_demanded() {
    let home = home();
    let model = Model::new(&calls(
        "bash",
        json!({"command": "echo ran > made"}),
        "done",
    ));
    let mut command = model.command(&home);
    command.args(["exec", "--yes", "-p", "go"]);
    let Some(mut partial) = without_namespaces(&command) else {
        return;
    };
    let (code, _, err) = run(&mut partial);
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("): not covered: "), "{err}");
    assert_eq!(err.matches("not covered").count(), 1, "{err}");
    assert!(home.project().join("made").exists());

    std::fs::remove_file(home.project().join("made")).unwrap();
    std::fs::write(
        home.tenon().join("tenon.jsonc"),
        r#"{"sandbox": {"lacking": "refuse"}}"#,
    )
    .unwrap();
    let (_, _, err) = run(&mut without_namespaces(&command).unwrap());
    assert!(err.contains("sandbox: commands can't run"), "{err}");
    assert!(!home.project().join("made").exists());
}

#[test]
fn where_walls_are_lacking_the_log_of_a_session_is_not_put_back() {
    // Below `/tmp`, which commands may write, the program's own folder too.
    let home = TestHome::new();
    let model = Model::new(&calls(
        "bash",
        json!({"command": "sleep 0.1; echo ran > made"}),
        "done",
    ));
    let mut command = model.command(&home);
    command.args(["exec", "--yes", "-p", "go"]);
    let Some(mut partial) = without_namespaces(&command) else {
        return;
    };
    let (code, out, err) = run(&mut partial);
    assert_eq!((code, out.as_str()), (0, "done\n"), "{err}");
    assert!(
        err.contains("commands may be able to write Tenon's own"),
        "{err}"
    );
    let mut verify = home.command(crate::model::tenon());
    let (code, out, err) = run(verify.args(["sessions", "verify"]));
    assert_eq!(code, 0, "{out}{err}");
    let mut show = home.command(crate::model::tenon());
    let (_, out, _) = run(show.args(["sessions", "show", "--events"]));
    assert!(out.contains("run_finished"), "{out}");
}
