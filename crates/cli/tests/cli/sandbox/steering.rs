//! What a command of the real program leaves for the git, the shell and the
//! editor of the user.

use super::{git, has_walls, program, result, script};
use crate::exec::{calls, run};
use crate::model::Model;
use serde_json::json;

#[test]
fn a_repository_that_a_command_embeds_runs_nothing_in_the_git_of_the_user() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    let project = program.home.project();
    git(&project, &["init", "-q"]);
    program.file("evil", "#!/bin/sh\ntouch ran\n");
    let lines = "chmod +x evil; git init -q lib; git -C lib config core.fsmonitor \"$PWD/evil\"; git -C lib -c user.name=a -c user.email=a@b commit -q --allow-empty -m a; git add -f lib; rm -f ran lib/ran";
    let ran = script(&program, lines).ended(0);
    let told = result(&ran)["exit_code"].clone();
    assert_eq!(told, 0, "{}", ran.out);
    git(&project, &["status"]);
    git(&project.join("lib"), &["status"]);
    for file in ["ran", "lib/ran"] {
        assert!(!project.join(file).exists(), "{file} {}", ran.out);
    }
    let config = program.content("lib/.git/config");
    assert!(
        !config.contains("evil") && config.contains("bare"),
        "{config}"
    );
}

#[test]
fn a_file_that_runs_code_later_is_written_only_by_a_command_that_was_confirmed_for_it() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    let project = program.home.project();
    std::fs::create_dir(project.join("a")).unwrap();
    let ran = script(&program, "echo evil > .envrc; echo evil > a/.envrc").ended(0);
    for file in [".envrc", "a/.envrc"] {
        assert!(!project.join(file).exists(), "{file} {}", ran.out);
    }
    let input = json!({"command": "echo mine > .envrc"});
    let model = Model::new(&calls("bash", input, "done"));
    let mut command = model.command(&program.home);
    command.args(["exec", "--yolo", "-p", "go"]);
    let (code, _, err) = run(&mut command);
    assert_eq!(code, 0, "{err}");
    assert_eq!(program.content(".envrc"), "mine\n", "{err}");
    script(&program, "echo evil > .envrc").ended(0);
    assert_eq!(program.content(".envrc"), "mine\n");
    program.configure(r#"{"sandbox": {"writable": [".envrc"]}}"#);
    script(&program, "echo theirs > .envrc").ended(0);
    assert_eq!(program.content(".envrc"), "theirs\n");
}

#[test]
fn a_call_by_hand_says_what_was_set_aside() {
    if !has_walls("partial") {
        return;
    }
    let program = program();
    let project = program.home.project();
    program.file(
        "w.sh",
        "echo evil > .envrc\nmkdir -p .github/workflows\necho evil > .github/workflows/ci.yml\n",
    );
    let ran = script(&program, "sh w.sh").ended(0);
    for file in [".envrc", ".github/workflows"] {
        assert!(!project.join(file).exists(), "{file} {}", ran.out);
        let is_told = |line: &str| line.contains(file) && line.contains("set-aside");
        assert!(ran.err.lines().any(is_told), "{file}: {}", ran.err);
    }
    let quiet = script(&program, "echo 1 > plain.txt").ended(0);
    assert!(!quiet.err.contains("protected"), "{}", quiet.err);
}

#[test]
fn repositories_below_are_moved_removed_and_configured_and_run_nothing() {
    if !has_walls("full") {
        return;
    }
    let program = program();
    let project = program.home.project();
    git(&project, &["init", "-q"]);
    git(&project, &["commit", "-q", "--allow-empty", "-m", "one"]);
    git(&project, &["worktree", "add", "-q", "tree"]);
    for folder in ["gone", "from", "kept"] {
        git(&project, &["init", "-q", folder]);
    }
    program.file("evil", "#!/bin/sh\ntouch ran\n");
    let lines = "set -e; chmod +x evil; rm -rf gone; mv from to; git worktree remove tree
        git worktree add -q other; git -C kept config user.name me
        git -C kept config core.fsmonitor \"$PWD/evil\"; git -C to config core.fsmonitor \"$PWD/evil\"
        git -C other config core.editor x
        cp evil kept/.git/hooks/post-index-change; cp evil to/.git/hooks/post-index-change";
    let ran = script(&program, lines).ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
    for path in ["gone", "from", "tree", ".git/worktrees/tree"] {
        assert!(!project.join(path).exists(), "{path} {}", ran.out);
    }
    for folder in ["kept", "to", "other", "."] {
        git(&project.join(folder), &["status"]);
        assert!(
            !project.join(folder).join("ran").exists(),
            "{folder} {}",
            ran.out
        );
    }
    let config = program.content("kept/.git/config");
    assert!(
        config.contains("me") && !config.contains("evil"),
        "{config}"
    );
    // In a session of its own, to which that working tree is an old one.
    let ran = script(&program, "git worktree remove other").ended(0);
    assert_eq!(result(&ran)["exit_code"], 0, "{}", ran.out);
    assert!(
        !project.join(".git/worktrees/other").exists(),
        "{}",
        ran.out
    );
}
