//! What commands of the real program can and cannot do by default.

mod lacking;
mod outside;
mod own;
mod steering;

use crate::exec::{calls, run};
use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::io::Read;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use tenon_sandbox::Probe;
use tenon_testing::TestHome;

/// Not below `/tmp`, which commands may write.
pub fn home() -> TestHome {
    TestHome::beneath(Path::new(env!("CARGO_TARGET_TMPDIR")))
}

fn program() -> Program {
    Program { home: home() }
}

fn skipped(why: &str) {
    let proven = std::env::var_os("CI").is_some_and(|value| !value.is_empty());
    assert!(!proven, "with CI set this test must run, but: {why}");
    eprintln!("skipped: {why}");
}

/// `full`, `partial` or `none`, whatever this machine offers.
pub fn has_walls(level: &str) -> bool {
    // Tried without any of our own code: a probe that errs must not hide a test.
    let namespaces = Command::new("unshare")
        .args(["-Ur", "true"])
        .output()
        .is_ok_and(|done| done.status.success());
    let enough = namespaces || (level == "partial" && Probe::look().landlock.is_some());
    if !enough {
        skipped("there are no user namespaces here, or no Landlock");
    }
    enough
}

/// Whether the folder beside the project is outside for a command: it is not
/// when the sources themselves lie in a temporary folder, which commands write.
fn beside_is_outside(home: &Path) -> bool {
    let outside = !home.starts_with("/tmp") && !home.starts_with("/var/tmp");
    if !outside {
        skipped("the test's folders lie below a temporary folder");
    }
    outside
}

/// Runs a script of the project: the policy asks about it and knows no more.
fn script(program: &Program, lines: &str) -> Ran {
    program.file("try.sh", lines);
    let input = json!({"command": "sh try.sh"}).to_string();
    program.run(&["tools", "run", "bash", "--yes", "--input", &input])
}

fn result(ran: &Ran) -> Value {
    ran.json()["data"].clone()
}

fn git(folder: &Path, args: &[&str]) {
    let done = Command::new("git")
        .args(["-c", "user.name=t", "-c", "user.email=t@example.com"])
        .args(args)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .output()
        .unwrap();
    assert!(done.status.success(), "{args:?}: {done:?}");
}

#[test]
fn a_command_writes_the_project_and_temporary_folders_and_nothing_else() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    if !beside_is_outside(program.home.path()) {
        return;
    }
    let ran = script(&program, "echo x > inside && echo x > \"$TMPDIR/t\"").ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
    assert_eq!(program.content("inside"), "x\n");

    let ran = script(&program, "echo x > ../beside").ended(0);
    assert_ne!(result(&ran)["exit_code"], 0);
    assert_eq!(result(&ran)["sandbox_denial"]["switch"], "sandbox.writable");
    assert!(!program.home.path().join("beside").exists());

    let ran = script(&program, "echo x > \"$HOME/.bashrc\"").ended(0);
    assert_ne!(result(&ran)["exit_code"], 0);
    assert!(!program.home.home().join(".bashrc").exists());
}

#[test]
fn a_path_that_the_user_opens_is_writable() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    std::fs::create_dir(program.home.home().join("shared")).unwrap();
    program.configure(r#"{"sandbox": {"writable": ["~/shared"]}}"#);
    let ran = script(&program, "echo x > \"$HOME/shared/made\"").ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
}

#[test]
fn a_home_can_be_the_project_and_keeps_what_is_its_own() {
    if !has_walls("full") {
        return;
    }
    let home = home();
    let inside = home.home();
    std::fs::create_dir(inside.join(".ssh")).unwrap();
    std::fs::write(inside.join(".ssh/id_rsa"), "hush").unwrap();
    std::fs::write(inside.join(".bashrc"), "mine\n").unwrap();
    let lines = "echo x > made; cat .ssh/id_rsa; echo x >> .bashrc; mkdir -p .local/state/tenon/grants; echo x > .zshrc; mkdir -p .config/tenon && echo '{}' > .config/tenon/tenon.jsonc";
    std::fs::write(inside.join("try.sh"), lines).unwrap();
    let model = Model::new(&calls("bash", json!({"command": "sh try.sh"}), "done"));
    let mut command = model.command(&home);
    // The usual folders, which lie in the home.
    command
        .env_remove("TENON_HOME")
        .current_dir(&inside)
        .args(["exec", "--yes", "-p", "go"]);
    let (code, _, err) = run(&mut command);
    assert_eq!(code, 0, "{err}");
    assert!(inside.join("made").exists());
    assert_eq!(
        std::fs::read_to_string(inside.join(".bashrc")).unwrap(),
        "mine\n"
    );
    assert!(!model.bodies().pop().unwrap().contains("hush"));
    for path in [
        ".zshrc",
        ".config/tenon/tenon.jsonc",
        ".local/state/tenon/grants",
    ] {
        assert!(!inside.join(path).exists(), "{path}");
    }
    assert!(inside.join(".local/state/tenon/sessions").exists());
}

#[test]
fn git_works_and_its_hooks_and_settings_stay() {
    if !has_walls("full") {
        return;
    }
    let program = program();
    git(&program.project(), &["init", "-q"]);
    let commit =
        "git add try.sh && git -c user.name=t -c user.email=t@example.com commit -q -m one";
    let ran = script(&program, commit).ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);

    let config = program.content(".git/config");
    for attack in [
        "echo 'touch pwned' > .git/hooks/pre-commit",
        "rm -r .git/hooks && mkdir .git/hooks",
        "mv .git/hooks .git/old",
        "rm .git/config",
    ] {
        let ran = script(&program, attack).ended(0);
        assert_ne!(result(&ran)["exit_code"], 0, "{attack}");
    }
    // Of the settings a command has a copy, of which this is not taken over.
    let ran = script(&program, "echo '[core] fsmonitor = ./x' >> .git/config").ended(0);
    assert!(
        ran.err.contains("core.fsmonitor"),
        "{} {}",
        ran.out,
        ran.err
    );
    // A protected path that is not there yet can be made for a moment; it is
    // set aside, at the latest when the command has ended.
    script(&program, "mkdir .tenon && echo '{}' > .tenon/tenon.jsonc").ended(0);
    assert!(!program.project().join(".git/hooks/pre-commit").exists());
    assert_eq!(program.content(".git/config"), config);
    assert!(!program.project().join(".tenon/tenon.jsonc").exists());
}

#[test]
fn git_commits_in_a_linked_worktree() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    let main = program.home.path().join("main");
    std::fs::create_dir(&main).unwrap();
    git(&main, &["init", "-q"]);
    git(&main, &["commit", "-q", "--allow-empty", "-m", "zero"]);
    std::fs::remove_dir(program.project()).unwrap();
    git(&main, &["worktree", "add", "-q", "../project"]);
    let commit =
        "git add try.sh && git -c user.name=t -c user.email=t@example.com commit -q -m one";
    let ran = script(&program, commit).ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
}

#[test]
fn secret_files_and_credentials_cannot_be_read() {
    if !has_walls("full") {
        return;
    }
    let program = program();
    program.file(".env", "KEY=hush-project");
    program.file(".env.example", "KEY=");
    let ssh = program.home.home().join(".ssh");
    std::fs::create_dir(&ssh).unwrap();
    std::fs::write(ssh.join("id_ed25519"), "hush-key").unwrap();
    let sessions = program.home.tenon().join("sessions");
    std::fs::create_dir(&sessions).unwrap();
    std::fs::write(sessions.join("old"), "hush-session").unwrap();
    let lines = "cat .env .env.example; cat \"$HOME/.ssh/id_ed25519\"; ls -A \"$HOME/.ssh\"; cat \"$TENON_HOME/sessions/old\"; true";
    let ran = script(&program, lines).ended(0);
    assert!(!ran.out.contains("hush"), "{}", ran.out);
    assert_eq!(result(&ran)["stdout"], "KEY=\n".trim_end(), "{}", ran.out);

    program.configure(r#"{"sandbox": {"show": [".env", "~/.ssh"]}}"#);
    let ran = script(&program, lines).ended(0);
    assert!(ran.out.contains("hush-project") && ran.out.contains("hush-key"));
    assert!(!ran.out.contains("hush-session"));
}

#[test]
fn the_command_for_a_key_may_read_what_commands_may_not() {
    let home = home();
    std::fs::write(home.home().join(".netrc"), "the-key\n").unwrap();
    let model = Model::new(&calls("list", json!({}), "the answer"));
    let config = json!({
        "default_provider": "mine",
        "providers": {"mine": {
            "base_url": model.url, "model": "mock-model",
            "api_key_command": "cat \"$HOME/.netrc\"; test -n \"$MY_VAULT_TOKEN\"",
        }},
    });
    std::fs::write(home.tenon().join("tenon.jsonc"), config.to_string()).unwrap();
    let mut command = home.command(crate::model::tenon());
    command
        .env("MY_VAULT_TOKEN", "x")
        .args(["exec", "-p", "go"]);
    let (code, out, err) = run(&mut command);
    assert_eq!((code, out.as_str()), (0, "the answer\n"), "{err}");
}

#[test]
fn credentials_in_variables_do_not_reach_commands() {
    let program = program();
    program.file("try.sh", "env");
    let input = json!({"command": "sh try.sh"}).to_string();
    let bash = |config: &str| {
        program.configure(config);
        let mut command = program.command();
        command
            .env("GITHUB_TOKEN", "hush-1")
            .env("AWS_SECRET_ACCESS_KEY", "hush-2")
            .env("SSH_AUTH_SOCK", "/tmp/hush-3")
            .env("MY_SETTING", "seen")
            .args(["tools", "run", "bash", "--yes", "--input", &input]);
        Ran::of(command.output().unwrap()).ended(0).out
    };
    let out = bash("{}");
    assert!(out.contains("MY_SETTING=seen"), "{out}");
    assert!(!out.contains("hush"), "{out}");
    let out =
        bash(r#"{"sandbox": {"environment": {"keep": ["GITHUB_TOKEN"], "withhold": ["MY_*"]}}}"#);
    assert!(
        out.contains("GITHUB_TOKEN=") && !out.contains("MY_SETTING"),
        "{out}"
    );
    let out = bash(r#"{"sandbox": {"mode": "off"}}"#);
    assert!(!out.contains("hush-1") && !out.contains("hush-2"), "{out}");
}

#[test]
fn a_command_reaches_no_server_when_the_network_is_denied() {
    if !has_walls("partial") {
        return;
    }
    let server = TcpListener::bind("127.0.0.1:0").unwrap();
    server.set_nonblocking(true).unwrap();
    let address = server.local_addr().unwrap();
    let program = program();
    let lines = format!(
        "exec bash -c 'echo hi > /dev/tcp/127.0.0.1/{}'",
        address.port()
    );
    let ran = script(&program, &lines).ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
    let (mut reached, _) = server.accept().unwrap();
    let mut said = String::new();
    reached.set_nonblocking(false).unwrap();
    reached.read_to_string(&mut said).unwrap();
    assert_eq!(said, "hi\n");

    program.configure(r#"{"sandbox": {"network": "deny"}}"#);
    let ran = script(&program, &lines).ended(0);
    assert_ne!(result(&ran)["exit_code"], 0, "{}", ran.out);
    assert!(server.accept().is_err());
}

#[test]
fn the_log_says_of_each_command_what_stood_around_it() {
    if !has_walls("full") {
        return;
    }
    let home = home();
    let model = Model::new(&calls("bash", json!({"command": "true"}), "done"));
    let mut command = model.command(&home);
    command.args(["exec", "--yes", "--format", "json", "-p", "go"]);
    let (code, out, err) = run(&mut command);
    assert_eq!(code, 0, "{err}");
    let result: Value = out
        .lines()
        .map(|line| serde_json::from_str::<Value>(line).unwrap())
        .find(|event| event["type"] == "tool_result")
        .unwrap();
    assert_eq!(result["sandbox"]["adapter"], "native", "{result}");
    assert_eq!(result["sandbox"]["level"], "full");
}

#[test]
fn in_a_fresh_home_package_managers_find_the_stores_that_they_need() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    let home = program.home.home();
    if !beside_is_outside(&home) {
        return;
    }
    let folder = program.project().join("programs");
    program.file("programs/npm", "#!/bin/sh\nmkdir -p ~/.npm/_cacache/tmp && echo 1 > ~/.npm/_cacache/tmp/a && echo 1 > ~/.npm/_logs/a && echo $npm_config_update_notifier\n");
    program.file("programs/cargo", "#!/bin/sh\nmkdir -p ~/.cargo/registry/index && echo 1 > ~/.cargo/.package-cache && echo 1 > ~/.cargo/git/a\n");
    let input = json!({"command": "sh programs/npm && sh programs/cargo"}).to_string();
    let mut command = program.command();
    let path = format!("{}:/usr/bin:/bin", folder.display());
    command.env("PATH", path);
    command.args(["tools", "run", "bash", "--yes", "--input", &input]);
    let ran = Ran::of(command.output().unwrap()).ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
    assert!(ran.out.contains("false"), "{}", ran.out);
    assert!(home.join(".npm/_cacache/tmp/a").exists());
    assert!(!home.join(".cache/go-build").exists() || Path::new("/usr/bin/go").exists());
    let outside = script(&program, "echo 1 > ~/.npm/a; echo 1 > ~/.cargo/a").ended(0);
    assert!(!home.join(".npm/a").exists() && !home.join(".cargo/a").exists());
    assert_ne!(result(&outside)["exit_code"], 0, "{}", outside.out);
}
