//! What the user types after `!` runs with what is theirs; what a model runs and
//! misses for it is named, and offered once outside.

use super::{has_walls, home};
use crate::exec::{calls, run};
use crate::model::Model;
use crate::repl::terminal::{Setup, calls as scripted};
use serde_json::json;
use std::os::unix::fs::PermissionsExt;
use std::time::Duration;
use tenon_testing::TestHome;

/// A home with a key for SSH, and a `git` that needs it.
fn with_key() -> (TestHome, String) {
    let home = home();
    let ssh = home.home().join(".ssh");
    std::fs::create_dir_all(&ssh).unwrap();
    std::fs::write(ssh.join("id_test"), "the key of the user\n").unwrap();
    let programs = home.home().join("programs");
    std::fs::create_dir_all(&programs).unwrap();
    let git = programs.join("git");
    std::fs::write(
        &git,
        "#!/bin/sh\n\
         case \"$1\" in push) ;; *) exit 0 ;; esac\n\
         if grep -q user \"$HOME/.ssh/id_test\" 2>/dev/null; then echo \"pushed, agent $SSH_AUTH_SOCK\"; exit 0; fi\n\
         echo 'git@example.com: Permission denied (publickey).' >&2\n\
         echo 'fatal: Could not read from remote repository.' >&2\n\
         exit 128\n",
    )
    .unwrap();
    std::fs::set_permissions(&git, std::fs::Permissions::from_mode(0o755)).unwrap();
    let path = std::env::var("PATH").unwrap();
    (home, format!("{}:{path}", programs.display()))
}

#[test]
fn a_line_of_the_user_s_own_has_their_files_and_variables_and_says_that_it_is_outside() {
    if !has_walls("partial") {
        return;
    }
    let ((home, path), model) = (with_key(), Model::says("fine"));
    let setup = Setup {
        env: &[("PATH", &path), ("MY_TOKEN", "open")],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("!cat ~/.ssh/id_test; echo token=$MY_TOKEN; echo x > ../beside")
        .see("the key of the user")
        .see("token=open")
        .see("· outside the sandbox")
        .see_last(">");
    assert!(home.path().join("beside").exists());
    assert!(!terminal.screen().contains("Run a command?"));
}

#[test]
fn a_managed_sandbox_keeps_a_line_of_the_user_s_own_inside_and_says_so() {
    if !has_walls("partial") {
        return;
    }
    // Not among the temporary files: where anybody may write, nothing is believed.
    let folder = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let file = folder.path().join("managed.jsonc");
    let lock = r#"{"locks": {"sandbox": "workspace-write"}}"#;
    std::fs::write(&file, lock).unwrap();
    if std::os::unix::fs::MetadataExt::uid(&file.metadata().unwrap()) != 0 {
        return;
    }
    let ((home, path), model) = (with_key(), Model::says("fine"));
    let managed = file.display().to_string();
    let setup = Setup {
        env: &[
            ("PATH", &path),
            ("MY_TOKEN", "open"),
            ("TENON_MANAGED_CONFIG", &managed),
        ],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("!cat ~/.ssh/id_test; echo token=$MY_TOKEN; git push")
        .see("token=")
        .see("a managed policy requires it")
        .see_last(">");
    let screen = terminal.screen();
    assert!(!screen.contains("the key of the user"), "{screen}");
    assert!(!screen.contains("token=open"), "{screen}");
    assert!(!screen.contains("once outside"), "{screen}");
}

#[test]
fn a_push_that_misses_its_keys_is_offered_one_run_outside_with_them() {
    if !has_walls("partial") {
        return;
    }
    let (home, path) = with_key();
    let arguments = json!({"command": "git push origin main"});
    let model = Model::scripted(
        scripted("go", "bash", arguments, "that was it"),
        Duration::ZERO,
    );
    let setup = Setup {
        env: &[("PATH", &path), ("SSH_AUTH_SOCK", "/run/agent.7")],
        ..Setup::new(&home, &model)
    };
    let Some(terminal) = setup.start() else {
        return;
    };
    terminal
        .ready()
        .line("go")
        .see("Run a command?")
        .see_last(">")
        .line("y")
        .see("Run it once outside the sandbox?")
        .see("hides your SSH keys")
        .see_last(">")
        .line("y")
        .see("that was it");
    let told = model.bodies().pop().unwrap();
    assert!(told.contains("pushed, agent /run/agent.7"), "{told}");
    assert!(
        told.contains("the user allowed this one outside it"),
        "{told}"
    );
}

#[test]
fn with_nobody_there_the_result_names_the_credential_and_the_key_that_shows_it() {
    if !has_walls("partial") {
        return;
    }
    let (home, path) = with_key();
    for flag in ["--yes", "--yolo"] {
        let call = calls("bash", json!({"command": "git push"}), "done");
        let model = Model::new(&call);
        let mut command = model.command(&home);
        command.env("PATH", &path).args(["exec", flag, "-p", "go"]);
        let (_, _, err) = run(&mut command);
        let told = model.bodies().pop().unwrap();
        assert!(
            told.contains("git push failed because the sandbox hides your SSH keys (~/.ssh)"),
            "{flag}: {told} {err}"
        );
        assert!(told.contains("sandbox.show"), "{told}");
        assert!(!told.contains("pushed"), "{told}");
    }
}
