//! Files that run code later: a command that was not confirmed for them neither
//! changes nor makes them, whatever writes.

use super::{Level, yards};
use tenon_tools::jobs::{Ended, Placement, RunSpec};

/// What is there before, and what there is not.
const THERE: [&str; 7] = [
    ".vscode/tasks.json",
    ".envrc",
    ".github/workflows/ci.yml",
    ".cargo/config.toml",
    "packages/a/.envrc",
    "packages/a/.vscode/tasks.json",
    "tools/hooks/pre-commit",
];
const NEW: [&str; 13] = [
    ".husky/_/pre-commit",
    ".idea/runConfigurations/x.xml",
    ".gitlab-ci.yml",
    ".mise.toml",
    ".npmrc",
    "lefthook.yml",
    "packages/.envrc",
    "packages/.zed/tasks.json",
    "packages/.config/mise/config.toml",
    ".new/.envrc",
    "src/.devcontainer/devcontainer.json",
    ".bashrc",
    "x.code-workspace",
];

#[tokio::test]
async fn they_stay_as_they_were_and_new_ones_are_set_aside_and_told() {
    for yard in yards() {
        for file in THERE {
            yard.put(file, "mine\n");
        }
        yard.put("packages/c/x", "x");
        yard.git(&yard.root, &["config", "core.hooksPath", "tools/hooks"]);
        yard.give();
        let mut script = String::new();
        for file in THERE.iter().chain(&NEW) {
            script.push_str(&format!(
                "mkdir -p \"$(dirname {file})\"; echo evil >> {file}\n"
            ));
        }
        let outcome = yard.sh(&script).await;
        let case = yard.case(&outcome);
        for file in THERE {
            assert_eq!(yard.text(file).as_deref(), Some("mine\n"), "{file} {case}");
        }
        let told = outcome.repairs.join("\n");
        for file in NEW {
            assert!(!yard.exists(file), "{file} {case}");
            let mut parts = file.split('/').map(|part| format!("/{part}` is protected"));
            let is_told = parts.any(|part| told.contains(&part));
            assert!(is_told, "{file} {case}");
        }
    }
}

#[tokio::test]
async fn a_folder_of_hooks_that_git_names_is_protected_before_it_exists_and_after() {
    for yard in yards() {
        yard.git(&yard.root, &["config", "core.hooksPath", "my-hooks"]);
        yard.git(
            &yard.root,
            &["config", "include.path", "../shared/git.conf"],
        );
        yard.give();
        let evil = "mkdir -p my-hooks shared; cp $EVIL my-hooks/pre-commit; printf '[core]\\nfsmonitor=%s\\n' $EVIL > shared/git.conf";
        let outcome = yard.sh(evil).await;
        assert!(!yard.exists("my-hooks"), "{}", yard.case(&outcome));
        assert!(!yard.exists("shared/git.conf"), "{}", yard.case(&outcome));
        yard.put("my-hooks/pre-push", "#!/bin/sh\n");
        yard.put("shared/git.conf", "[core]\n");
        let outcome = yard.sh(evil).await;
        assert!(
            !yard.exists("my-hooks/pre-commit"),
            "{}",
            yard.case(&outcome)
        );
        let conf = yard.text("shared/git.conf");
        assert_eq!(conf.as_deref(), Some("[core]\n"), "{}", yard.case(&outcome));
        yard.uses_git(&yard.root);
        assert!(!yard.has_run());
    }
}

#[tokio::test]
async fn a_file_near_the_top_cannot_be_written_at_all_behind_full_walls() {
    for yard in yards().into_iter().filter(|yard| yard.level == Level::Full) {
        yard.put(".vscode/tasks.json", "mine\n");
        let outcome = yard.sh("echo evil > .vscode/tasks.json").await;
        let denial = outcome.denial.as_ref().map(|denial| denial.switch.as_str());
        assert_eq!(denial, Some("sandbox.writable"), "{}", yard.case(&outcome));
        assert_eq!(outcome.repairs, Vec::<String>::new());
    }
}

#[tokio::test]
async fn what_the_user_makes_between_two_commands_stays_and_is_protected_at_once() {
    for yard in yards() {
        yard.sh("true").await;
        yard.put(".envrc", "mine\n");
        yard.put("packages/a/.envrc", "mine\n");
        let outcome = yard.sh("true").await;
        assert_eq!(
            outcome.repairs,
            Vec::<String>::new(),
            "{}",
            yard.case(&outcome)
        );
        let outcome = yard
            .sh("echo evil > .envrc; echo evil > packages/a/.envrc; rm -r packages/a/.envrc")
            .await;
        for file in [".envrc", "packages/a/.envrc"] {
            assert_eq!(
                yard.text(file).as_deref(),
                Some("mine\n"),
                "{file} {}",
                yard.case(&outcome)
            );
        }
    }
}

#[tokio::test]
async fn what_was_confirmed_is_open_and_what_lies_beside_it_is_not() {
    for yard in yards() {
        yard.put(".vscode/tasks.json", "mine\n");
        yard.put(".vscode/settings.json", "mine\n");
        let script = "echo yes > .vscode/settings.json; echo evil > .vscode/tasks.json; echo yes > .envrc; echo evil > .npmrc";
        std::fs::write(yard.top.join("open/try.sh"), script).unwrap();
        let outcome = yard
            .run(RunSpec {
                confirmed: vec![
                    yard.root.join(".vscode/settings.json"),
                    yard.root.join(".envrc"),
                ],
                ..RunSpec::new(format!("sh {}/open/try.sh", yard.top.display()), &yard.root)
            })
            .await;
        let case = yard.case(&outcome);
        assert_eq!(
            yard.text(".vscode/settings.json").as_deref(),
            Some("yes\n"),
            "{case}"
        );
        assert_eq!(yard.text(".envrc").as_deref(), Some("yes\n"), "{case}");
        assert_eq!(
            yard.text(".vscode/tasks.json").as_deref(),
            Some("mine\n"),
            "{case}"
        );
        assert!(!yard.exists(".npmrc"), "{case}");
    }
}

#[tokio::test]
async fn what_the_configuration_opens_is_open_also_when_it_does_not_exist_yet() {
    for yard in yards() {
        let _shared = yard
            .jobs
            .clone()
            .with_opened(vec![yard.root.join(".envrc"), yard.root.join("src")]);
        let outcome = yard.sh("echo yes > .envrc; echo evil > src/.envrc").await;
        let case = yard.case(&outcome);
        assert_eq!(yard.text(".envrc").as_deref(), Some("yes\n"), "{case}");
        assert!(!yard.exists("src/.envrc"), "{case}");
    }
}

#[tokio::test]
async fn a_job_in_the_background_is_looked_after_at_the_next_command_and_at_its_end() {
    for yard in yards() {
        let script = "touch ready; until [ -e go ]; do sleep 0.01; done; echo evil > .envrc; touch made; until [ -e end ]; do sleep 0.01; done; echo evil > .npmrc";
        std::fs::write(yard.top.join("open/job.sh"), script).unwrap();
        let outcome = yard
            .run(RunSpec {
                placement: Placement::Background,
                ..RunSpec::new(format!("sh {}/open/job.sh", yard.top.display()), &yard.root)
            })
            .await;
        assert!(
            matches!(outcome.ended, Ended::Running(_)),
            "{}",
            yard.case(&outcome)
        );
        crate::jobs::until("it runs", || yard.exists("ready")).await;
        std::fs::write(yard.root.join("go"), "").unwrap();
        crate::jobs::until("it has written", || yard.exists("made")).await;
        let outcome = yard.sh("true").await;
        assert!(!yard.exists(".envrc"), "{}", yard.case(&outcome));
        assert_eq!(outcome.repairs.len(), 1, "{}", yard.case(&outcome));
        std::fs::write(yard.root.join("end"), "").unwrap();
        crate::jobs::until("it has ended", || {
            (yard.jobs.list().iter()).all(|job| job.state != tenon_tools::jobs::JobState::Running)
        })
        .await;
        assert!(!yard.exists(".npmrc"));
    }
}

#[tokio::test]
async fn what_a_file_tool_writes_beside_a_job_is_not_the_jobs() {
    for yard in yards() {
        let script = "touch ready; until [ -e end ]; do sleep 0.01; done";
        std::fs::write(yard.top.join("open/job.sh"), script).unwrap();
        yard.run(RunSpec {
            placement: Placement::Background,
            ..RunSpec::new(format!("sh {}/open/job.sh", yard.top.display()), &yard.root)
        })
        .await;
        crate::jobs::until("it runs", || yard.exists("ready")).await;
        yard.jobs.accept(yard.root.join(".vscode/tasks.json"));
        yard.put(".vscode/tasks.json", "mine\n");
        yard.put(".npmrc", "whose\n");
        let outcome = yard.sh("true").await;
        let case = yard.case(&outcome);
        assert!(yard.exists(".vscode/tasks.json"), "{case}");
        assert!(!yard.exists(".npmrc"), "{case}");
        std::fs::write(yard.root.join("end"), "").unwrap();
        yard.jobs.shutdown().await;
    }
}

#[tokio::test]
async fn a_project_with_more_such_files_than_a_policy_can_name_still_runs_commands() {
    for yard in yards().into_iter().take(1) {
        for number in 0..700 {
            let folder = format!("packages/{number}-{}", "long-".repeat(35));
            std::fs::create_dir_all(yard.root.join(&folder)).unwrap();
            std::fs::write(yard.root.join(&folder).join(".npmrc"), "mine\n").unwrap();
        }
        let outcome = yard.sh("echo evil > .envrc").await;
        assert_eq!(outcome.exit_code(), Some(0), "{}", yard.case(&outcome));
        assert!(!yard.exists(".envrc"), "{}", yard.case(&outcome));
    }
}
