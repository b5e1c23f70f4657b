//! The permission mode of a session of the real program: where it comes from,
//! what it lets run, and where it is said.

use crate::exec::{answers, calls, run};
use crate::model::Model;
use crate::program::Program;
use crate::sandbox::{has_walls, home};
use serde_json::{Value, json};
use tenon_sandbox::Probe;
use tenon_testing::TestHome;

/// One prompt with these flags; exit code, standard output and error.
fn exec(model: &Model, home: &TestHome, flags: &[&str]) -> (i32, String, String) {
    let mut command = model.command(home);
    run(command.args(["exec", "-p", "go"]).args(flags))
}

/// The permission modes that the events of a run tell, in their order.
fn told(events: &str) -> Vec<String> {
    let events = events
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    let settings = events.filter(|event: &Value| event["type"] == "settings");
    let mode = |event: Value| event["permission_mode"].as_str().unwrap().to_owned();
    settings.map(mode).collect()
}

fn writes() -> Model {
    let input = json!({"path": "made.txt", "content": "x"});
    Model::new(&calls("write", input, "done"))
}

#[test]
fn edits_are_accepted_by_a_flag_a_variable_or_a_file_of_the_users() {
    let model = writes();
    let made = |home: &TestHome| home.project().join("made.txt").exists();
    let plain = TestHome::new();
    let (code, _, err) = exec(&model, &plain, &[]);
    assert_eq!((code, made(&plain)), (5, false), "{err}");
    let by_flag = TestHome::new();
    let flags = ["--permission-mode", "accept-edits", "--format", "json"];
    let (code, out, err) = exec(&model, &by_flag, &flags);
    assert_eq!((code, made(&by_flag)), (0, true), "{err}");
    assert_eq!(told(&out), ["accept-edits"]);
    let by_variable = TestHome::new();
    let mut command = model.command(&by_variable);
    command.env("TENON_PERMISSION_MODE", "accept-edits");
    let (code, _, err) = run(command.args(["exec", "-p", "go"]));
    assert_eq!((code, made(&by_variable)), (0, true), "{err}");
    // It is said, without being asked for.
    assert!(err.contains("permission mode accept-edits"), "{err}");
    let by_file = Program::new();
    by_file.configure(r#"{"permission_mode": "accept-edits"}"#);
    let (code, _, err) = exec(&model, &by_file.home, &[]);
    assert_eq!((code, made(&by_file.home)), (0, true), "{err}");
}

#[test]
fn a_project_that_nobody_trusts_sets_no_mode() {
    let model = writes();
    let program = Program::new();
    program.file(".tenon/tenon.jsonc", r#"{"permission_mode": "auto"}"#);
    let (code, out, err) = exec(&model, &program.home, &["--format", "json"]);
    assert_eq!(code, 5, "{err}");
    assert_eq!(told(&out), ["ask"]);
    assert!(!program.project().join("made.txt").exists());
}

#[test]
fn plan_is_the_agent_and_the_agent_is_plan() {
    let model = writes();
    for flags in [["--permission-mode", "plan"], ["--agent", "plan"]] {
        let home = TestHome::new();
        let all = [&flags[..], &["--yolo", "--format", "json"]].concat();
        let (_, out, err) = exec(&model, &home, &all);
        assert_eq!(told(&out), ["plan"], "{err}");
        assert!(!home.project().join("made.txt").exists());
    }
    let both = ["--permission-mode", "auto", "--agent", "plan"];
    let (code, _, err) = exec(&model, &TestHome::new(), &both);
    assert_eq!(code, 2, "{err}");
    assert!(err.contains("contradict"), "{err}");
}

#[test]
fn a_managed_policy_forbids_a_mode_wherever_it_comes_from() {
    let program = Program::new();
    // Not among the temporary files: where anybody may write, nothing is believed.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("managed.jsonc");
    let modes = r#"{"locks": {"permission_modes": {"auto": false, "plan": false}}}"#;
    std::fs::write(&file, modes).unwrap();
    if std::os::unix::fs::MetadataExt::uid(&file.metadata().unwrap()) != 0 {
        return;
    }
    let model = Model::new(&answers("fine"));
    let with = |args: &[&str]| {
        let mut command = model.command(&program.home);
        command.env("TENON_MANAGED_CONFIG", &file).args(args);
        run(&mut command)
    };
    for args in [
        ["exec", "-p", "hi", "--permission-mode", "auto"],
        ["exec", "-p", "hi", "--permission-mode", "plan"],
    ] {
        let (code, _, err) = with(&args);
        assert_eq!(code, 2, "{err}");
        assert!(err.contains("managed.jsonc forbids it"), "{err}");
    }
    assert_eq!(with(&["exec", "-p", "hi", "--agent", "plan"]).0, 2);
    let explain = [
        "policy",
        "explain",
        "--permission-mode",
        "auto",
        "bash",
        "make",
    ];
    assert_eq!(with(&explain).0, 2);
    program.configure(r#"{"permission_mode": "auto"}"#);
    let (code, out, err) = with(&["exec", "-p", "hi", "--format", "json"]);
    assert_eq!(code, 0, "{err}");
    assert_eq!(told(&out), ["ask"]);
    assert!(out.contains("managed.jsonc forbids that"), "{out}");
}

#[test]
fn a_session_comes_back_in_its_mode_but_in_auto_only_if_that_is_said_again() {
    let model = Model::new(&answers("fine"));
    let home = TestHome::new();
    let again = |flags: &[&str]| {
        let all = [&["--format", "json"], flags].concat();
        let (code, out, err) = exec(&model, &home, &all);
        assert_eq!(code, 0, "{err}");
        out
    };
    let mode = |out: &str| told(out).pop();
    again(&["--permission-mode", "accept-edits"]);
    // What holds already is not told anew.
    assert_eq!(mode(&again(&["-c"])), None);
    let auto = again(&["-c", "--permission-mode", "auto"]);
    assert_eq!(mode(&auto).as_deref(), Some("auto"));
    let back = again(&["-c"]);
    assert_eq!(mode(&back).as_deref(), Some("ask"));
    assert!(back.contains("it continues in ask"), "{back}");
}

/// With a script that says by files whether it ran, and whether it got through.
fn home_that_reaches() -> TestHome {
    let home = home();
    let script = "import socket, sys\n\
        open('made.txt', 'w')\n\
        socket.create_connection(('127.0.0.1', int(sys.argv[1])), 5)\n\
        open('reached.txt', 'w')\n";
    std::fs::write(home.project().join("reach.py"), script).unwrap();
    home
}

#[test]
fn auto_runs_commands_in_the_sandbox_without_network_and_without_one_it_asks() {
    if !has_walls("full") || Probe::look().level != "full" {
        return;
    }
    let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    let line = format!("python3 reach.py {port}");
    let model = Model::new(&calls("bash", json!({"command": line}), "done"));
    let ran = |flags: &[&str]| {
        let home = home_that_reaches();
        let all = [&["--permission-mode", "auto"], flags].concat();
        let (_, _, err) = exec(&model, &home, &all);
        let there = |name: &str| home.project().join(name).exists();
        (there("made.txt"), there("reached.txt"), err)
    };
    let (made, reached, err) = ran(&[]);
    assert!(made && !reached, "{err}");
    let (made, _, err) = ran(&["--sandbox", "off"]);
    assert!(!made, "{err}");
    let home = home_that_reaches();
    let mut command = model.command(&home);
    command.env("TENON_SANDBOX_NETWORK", "inherit");
    let flags = ["exec", "-p", "go", "--permission-mode", "auto"];
    let (code, _, err) = run(command.args(flags));
    assert_eq!(code, 0, "{err}");
    assert!(home.project().join("reached.txt").exists(), "{err}");
}

#[test]
fn explain_says_what_a_mode_makes_of_a_call_and_why() {
    let program = Program::new();
    let explain = |mode: &str, tool: &str, argument: &str| {
        let args = [
            "policy",
            "explain",
            "--permission-mode",
            mode,
            tool,
            argument,
        ];
        program.run(&args).ended(0)
    };
    explain("accept-edits", "write", "notes.md")
        .says("permission mode accept-edits: changes a file of the project")
        .says("\nallow: ");
    explain("accept-edits", "bash", "make").says("\nask: ");
    explain("auto", "write", ".envrc").says("ask (confirm): ");
    explain("plan", "write", "notes.md").says("\ndeny (hard_deny): ");
    program.configure(r#"{"sandbox": {"mode": "off"}}"#);
    explain("auto", "bash", "make").says("no sandbox is set up here");
    program.configure("{}");
    if Probe::look().level == "full" && has_walls("full") {
        explain("auto", "bash", "make").says("permission mode auto: runs in the sandbox");
    }
}
