//! The settings of the project's own repository: git writes them as it does
//! elsewhere, and nothing with which it runs programs ever stands in them.

use super::{Level, Yard, yards};
use std::time::Duration;
use tenon_tools::jobs::{Placement, RunSpec};

fn config(yard: &Yard) -> String {
    yard.text(".git/config").unwrap()
}

/// Where the walls show a copy in the place of the settings.
fn full_yards() -> Vec<Yard> {
    let mut yards = yards();
    yards.retain(|yard| yard.level == Level::Full);
    yards
}

#[tokio::test]
async fn git_keeps_remotes_upstreams_and_names() {
    for yard in full_yards() {
        let script = "set -e
            git init -q --bare ../open/hub; git branch -M main
            git remote add hub $TOP/open/hub; git push -qu hub main
            git push -q hub main:other; git fetch -q hub; git switch -q other
            git branch -q third; git branch -qu hub/main third; git branch -m third fourth
            git config user.email me@example.com; git config --unset user.email
            git config user.name 'Me # \"it\"'; printf '# mine\n' >> .git/config";
        let outcome = yard.sh(script).await;
        let case = yard.case(&outcome);
        assert_eq!(outcome.exit_code(), Some(0), "{case}");
        assert_eq!(outcome.repairs, Vec::<String>::new(), "{case}");
        for (key, value) in [
            ("branch.main.remote", "hub"),
            ("branch.other.merge", "refs/heads/other"),
            ("branch.fourth.merge", "refs/heads/main"),
            ("user.name", "Me # \"it\""),
        ] {
            let matches = format!("^{}$", value.replace('/', "."));
            let words = ["config", "--get", key, &matches];
            assert!(
                yard.git(&yard.root, &words),
                "{key} {case} {}",
                config(&yard)
            );
        }
        assert!(config(&yard).contains("# mine"), "{}", config(&yard));
        assert!(!config(&yard).contains("me@example.com"), "{case}");
        let left = std::fs::read_dir(yard.root.join(".git")).unwrap();
        let left = left.flatten().map(|entry| entry.file_name());
        let is_ours = |name: &std::ffi::OsString| name.to_string_lossy().contains("tenon");
        assert_eq!(left.filter(is_ours).count(), 0, "{case}");
    }
}

#[tokio::test]
async fn of_what_a_script_sets_only_the_harmless_half_stays() {
    const EVIL: [&str; 9] = [
        "git config core.fsmonitor $EVIL",
        "printf '[Core]\\n FSMonitor = %s\\n' $EVIL >> .git/config",
        "git config core.hooksPath h; mkdir h; cp $EVIL h/pre-commit; cp $EVIL h/post-index-change",
        "git config include.path ../more; printf '[core]\\nfsmonitor=%s\\n' $EVIL > more",
        "git config filter.x.clean $EVIL; echo '* filter=x' > .gitattributes",
        "git config remote.o.url \"ext::$EVIL\"; git config protocol.ext.allow always",
        "rm -f .git/config .git/config.lock; cp .git/config c; git config -f c core.fsmonitor $EVIL; cp c .git/config",
        "d=$(dirname $(readlink .git/config)); git config -f c core.fsmonitor $EVIL; rm $d/config; ln -s $PWD/c $d/config",
        "d=$(dirname $(readlink .git/config)); mv $d ${d}x; mkdir $d; git config -f $d/config core.fsmonitor $EVIL",
    ];
    for evil in EVIL {
        for yard in full_yards() {
            let script = format!("git config user.name me; {evil}");
            let outcome = yard.sh(&script).await;
            let case = format!("{evil} {}", yard.case(&outcome));
            yard.uses_git(&yard.root);
            assert!(!yard.has_run(), "{case} {}", config(&yard));
            assert!(!outcome.repairs.is_empty(), "{case}");
            let text = config(&yard);
            assert!(!text.to_lowercase().contains("evil"), "{case} {text}");
            assert!(yard.git(&yard.root, &["status"]), "{case} {text}");
        }
    }
}

#[tokio::test]
async fn a_setting_of_the_user_that_runs_a_program_cannot_be_taken_away() {
    for yard in full_yards() {
        yard.git(&yard.root, &["config", "core.sshCommand", "ssh -i mine"]);
        yard.git(&yard.root, &["remote", "add", "o", "https://example.com/a"]);
        yard.give();
        let script = "git config --unset core.sshCommand; git config user.name me; git remote set-url o https://example.com/b";
        let outcome = yard.sh(script).await;
        let case = format!("{} {}", yard.case(&outcome), config(&yard));
        assert!(config(&yard).contains("ssh -i mine"), "{case}");
        assert!(yard.git(&yard.root, &["config", "user.name"]), "{case}");
        let told = outcome.repairs.join("");
        assert!(told.contains("core.sshcommand"), "{case}");
        assert!(told.contains("remote.o.url"), "{case}");
    }
}

#[tokio::test]
async fn no_such_setting_stands_there_while_the_command_runs() {
    for yard in full_yards() {
        let script = "git config core.fsmonitor $EVIL; git config user.name me; echo set; exec tail -f /dev/null";
        std::fs::write(yard.top.join("open/try.sh"), script).unwrap();
        let line = format!("sh {}/open/try.sh", yard.top.display());
        let spec = RunSpec {
            placement: Placement::Background,
            ..RunSpec::new(line, &yard.root)
        };
        let outcome = yard.run(spec).await;
        let id = outcome.job.clone().unwrap();
        let mut printed = outcome.output.stdout.head.clone();
        while !printed.contains("set") {
            let news = yard.jobs.read(&id, Duration::from_secs(5)).await.unwrap();
            printed.push_str(&news.text.head);
        }
        assert!(!config(&yard).contains("evil"), "{}", config(&yard));
        yard.uses_git(&yard.root);
        assert!(!yard.has_run(), "{}", config(&yard));
        // The user's own change meanwhile stands beside that of the command.
        assert!(yard.git(&yard.root, &["config", "core.editor", "mine"]));
        yard.jobs.kill(&id).await.unwrap();
        let text = config(&yard);
        assert!(text.contains("mine") && !text.contains("evil"), "{text}");
        assert!(
            yard.git(&yard.root, &["config", "--get", "user.name", "me"]),
            "{text}"
        );
    }
}
