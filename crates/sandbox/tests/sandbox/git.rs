//! Git behind the walls: it works, and what steers it stays as it was.

use crate::stage::{CASES, Stage, Who, skip};
use std::path::Path;

fn git(folder: &Path, words: &[&str]) -> bool {
    std::process::Command::new("git")
        .args(["-c", "user.name=a", "-c", "user.email=b@c"])
        .args(words)
        .current_dir(folder)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .status()
        .is_ok_and(|status| status.success())
}

#[tokio::test]
async fn git_works_behind_the_walls_around_its_hooks_and_its_configuration() {
    let script = "set -e; export HOME=$TOP/none GIT_CONFIG_NOSYSTEM=1
        git add -A; git -c user.name=a -c user.email=b@c commit -qm one
        git checkout -qb other; echo more >> src/main.rs; git -c user.name=a -c user.email=b@c commit -qam two
        git gc -q; git stash list; git log --oneline | wc -l; git status --short";
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        std::fs::remove_dir_all(stage.root.join(".git")).unwrap();
        let made = std::process::Command::new("git")
            .args(["init", "-q"])
            .current_dir(&stage.root)
            .status();
        if !made.is_ok_and(|status| status.success()) {
            return skip("git is not installed");
        }
        if case.who == Who::Nobody {
            stage.give_to_nobody();
        }
        let ran = stage.run(script).await;
        assert_eq!(ran.code, Some(0), "{}", format_args!("{case:?} {ran:#?}"));
        assert!(
            ran.out.starts_with("2\n"),
            "{}",
            format_args!("{case:?} {ran:#?}")
        );
        assert_eq!(ran.repairs, Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_linked_working_tree_commits_and_cannot_be_led_to_other_settings() {
    let script = "export HOME=$TOP/none GIT_CONFIG_NOSYSTEM=1
        mkdir -p evil/hooks; touch evil/HEAD
        echo $PWD/evil > $TOP/main/.git/commondir
        echo $PWD/evil > $TOP/main/.git/worktrees/root/commondir
        echo gitdir: $PWD/evil > .git; rm .git; mv .git old
        rm -r evil
        git add -A && git -c user.name=a -c user.email=b@c commit -qm two && git log --oneline | wc -l";
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let mut stage = Stage::new(case);
        let main = stage.top.join("main");
        std::fs::remove_dir_all(&stage.root).unwrap();
        std::fs::create_dir(&main).unwrap();
        if !git(&main, &["init", "-q"]) {
            return skip("git is not installed");
        }
        assert!(git(&main, &["commit", "-q", "--allow-empty", "-m", "one"]));
        assert!(git(&main, &["worktree", "add", "-q", "../root"]));
        std::fs::write(stage.root.join("new"), "x").unwrap();
        if case.who == Who::Nobody {
            stage.give_to_nobody();
        }
        let own = main.join(".git/worktrees/root");
        stage.policy.writable = vec![main.join(".git")];
        stage.policy.read_only = vec![
            stage.root.join(".git"),
            main.join(".git/hooks"),
            main.join(".git/config"),
            main.join(".git/commondir"),
            own.join("commondir"),
            own.join("gitdir"),
        ];
        let before = stage.text("main/.git/worktrees/root/commondir");
        let ran = stage.run(script).await;
        let context = format!("{case:?} {ran:#?}");
        assert!(!main.join(".git/commondir").exists(), "{context}");
        assert_eq!(
            stage.text("main/.git/worktrees/root/commondir"),
            before,
            "{context}"
        );
        let names = format!("gitdir: {}\n", own.display());
        assert_eq!(stage.text("root/.git"), Some(names), "{context}");
        // Without mounts it was broken while the command ran, and is mended.
        assert!(!case.has_mounts() || ran.out == "2\n", "{context}");
    }
}

#[tokio::test]
async fn a_git_folder_behind_a_link_is_protected_with_the_link() {
    let script = "echo evil > .git/config; echo evil > kept/hooks/pre-commit; mv kept moved
        rm .git; mkdir -p .git/hooks; echo evil > .git/config; true";
    for case in CASES {
        if !case.is_possible() {
            continue;
        }
        let stage = Stage::new(case);
        std::fs::rename(stage.root.join(".git"), stage.root.join("kept")).unwrap();
        std::os::unix::fs::symlink("kept", stage.root.join(".git")).unwrap();
        if case.who == Who::Nobody {
            stage.give_to_nobody();
        }
        let ran = stage.run(script).await;
        let context = format!("{case:?} {ran:#?}");
        let link = std::fs::read_link(stage.root.join(".git"));
        assert_eq!(link.unwrap(), Path::new("kept"), "{context}");
        let config = stage.text("root/.git/config");
        let hook = stage.text("root/.git/hooks/pre-commit");
        if case.has_mounts() {
            assert_eq!(config.as_deref(), Some("[core]\n"), "{context}");
            assert_eq!(hook.as_deref(), Some("#!/bin/sh\n"), "{context}");
        } else {
            // A folder that was moved away whole is told, not brought back.
            assert_eq!((config, hook), (None, None), "{context}");
            let told = ran.repairs.join("\n");
            assert!(
                told.contains("removed together with its folder"),
                "{context}"
            );
        }
    }
}
