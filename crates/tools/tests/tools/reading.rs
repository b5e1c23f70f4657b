//! Commands that only read, in a room of their own: as whoever runs the tests
//! and as nobody, with the real programs that people read a project with.

use crate::jobs::{Yard as Plain, soon};
use crate::warden::{Level, Who, Yard, yards};
use std::path::Path;
use tenon_tools::jobs::{Ended, NotStarted, Placement, Room, RunOutcome, RunSpec};

/// Where all walls stand.
fn rooms() -> Vec<Yard> {
    let mut yards = yards();
    yards.retain(|yard| yard.level == Level::Full);
    yards
}

async fn read(yard: &Yard, line: &str) -> RunOutcome {
    let spec = RunSpec {
        room: Room::Reading,
        ..RunSpec::new(line, &yard.root)
    };
    yard.run(spec).await
}

fn stdout(outcome: &RunOutcome) -> String {
    outcome.output.stdout.joined(|_| String::from("[cut]"))
}

fn stderr(outcome: &RunOutcome) -> String {
    outcome.output.stderr.joined(|_| String::from("[cut]"))
}

#[tokio::test]
async fn a_machine_with_all_walls_holds_readers_and_one_without_does_not() {
    for yard in yards() {
        assert_eq!(yard.jobs.holds_readers(), yard.level == Level::Full);
    }
    assert!(!Plain::new().jobs.holds_readers(), "no sandbox at all");
}

#[tokio::test]
async fn without_all_walls_a_reader_does_not_run() {
    for yard in yards() {
        let line = format!("touch {}/home/ran", yard.top.display());
        let outcome = read(&yard, &line).await;
        assert!(!yard.has_run());
        let refused = matches!(outcome.ended, Ended::NotStarted(NotStarted::Spawn(_)));
        assert_eq!(
            refused,
            yard.level == Level::Partial,
            "{}",
            yard.case(&outcome)
        );
        assert_eq!(yard.jobs.holds_readers(), !refused);
    }
    let plain = Plain::new();
    let spec = RunSpec {
        room: Room::Reading,
        ..plain.spec("echo ran")
    };
    let outcome = plain.run(spec).await;
    assert!(matches!(
        outcome.ended,
        Ended::NotStarted(NotStarted::NoSandbox)
    ));
}

#[tokio::test]
async fn what_was_taken_for_a_reader_and_writes_changes_nothing() {
    for yard in rooms() {
        for line in [
            "echo x > new",
            "echo x >> src/a.txt",
            "rm src/a.txt",
            "git gc",
            "git commit --allow-empty -m x",
            "git branch other",
            "touch ../home/ran",
            "touch ../open/new",
            "mkdir -p deep/er",
        ] {
            let outcome = read(&yard, line).await;
            assert_ne!(
                outcome.exit_code(),
                Some(0),
                "{line} {}",
                yard.case(&outcome)
            );
        }
        assert!(!yard.exists("new") && !yard.exists("deep") && !yard.has_run());
        assert!(!yard.top.join("open/new").exists());
        assert_eq!(yard.text("src/a.txt").as_deref(), Some("one\n"));
        assert!(yard.git(&yard.root, &["diff", "--quiet", "HEAD"]));
        assert!(!yard.git(&yard.root, &["rev-parse", "--verify", "-q", "other"]));
    }
}

#[tokio::test]
async fn a_secret_is_hidden_at_any_depth_and_at_once() {
    for yard in rooms() {
        let deep = "a/b/c/d/e/.env";
        yard.put(deep, "SECRET=deep\n");
        let line = format!("cat {deep}; grep -rs SECRET . ; echo end");
        let outcome = read(&yard, &line).await;
        assert_eq!(stdout(&outcome), "end\n", "{}", yard.case(&outcome));
        assert!(yard.jobs.secrets_hidden_whole());
        // In a folder that was just looked at, and in a new one.
        yard.put("a/b/c/signing.pem", "SECRET=pem\n");
        yard.put("a/b/x/y/.netrc", "SECRET=netrc\n");
        yard.put("node_modules/one/.env.local", "SECRET=packed\n");
        std::os::unix::fs::symlink("d/e/.env", yard.root.join("a/b/c/link")).unwrap();
        let outcome = read(&yard, "grep -rs SECRET . ; cat a/b/c/link; echo end").await;
        assert_eq!(stdout(&outcome), "end\n", "{}", yard.case(&outcome));
        // Elsewhere nothing has become of them.
        assert_eq!(yard.text(deep).as_deref(), Some("SECRET=deep\n"));
    }
}

#[tokio::test]
async fn what_the_user_shows_is_no_secret() {
    for yard in rooms() {
        yard.put("a/b/c/.env", "SHOWN=1\n");
        yard.put("a/.env", "SECRET=1\n");
        let shown = vec![yard.root.join("a/b")];
        let jobs = yard.jobs.clone().with_shown(shown);
        assert!(jobs.holds_readers());
        let outcome = read(&yard, "cat a/b/c/.env a/.env").await;
        assert_eq!(stdout(&outcome), "SHOWN=1\n", "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn a_project_with_more_secrets_than_can_be_hidden_says_so() {
    for yard in rooms() {
        assert!(yard.jobs.secrets_hidden_whole());
        for number in 0..200 {
            std::fs::write(yard.root.join(format!("src/{number}.pem")), "SECRET\n").unwrap();
        }
        yard.give();
        assert!(!yard.jobs.secrets_hidden_whole());
        let outcome = read(&yard, "cat src/0.pem src/a.txt").await;
        assert_eq!(stdout(&outcome), "one\n", "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn a_project_with_more_folders_than_are_looked_at_says_so() {
    for yard in rooms().into_iter().take(1) {
        for number in 0..4_100 {
            let folder = format!("src/{}/{number}", number / 64);
            std::fs::create_dir_all(yard.root.join(folder)).unwrap();
        }
        yard.put(".env", "SECRET\n");
        assert!(!yard.jobs.secrets_hidden_whole());
        let outcome = read(&yard, "cat .env src/a.txt").await;
        assert_eq!(stdout(&outcome), "one\n", "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn a_folder_that_was_closed_and_is_opened_hides_its_secrets_too() {
    use std::os::unix::fs::PermissionsExt;
    // Root is never kept out.
    for yard in rooms().into_iter().filter(|yard| yard.who == Who::Nobody) {
        yard.put("src/shut/.env", "SECRET=1\n");
        let mode = |mode| std::fs::Permissions::from_mode(mode);
        std::fs::set_permissions(yard.root.join("src/shut"), mode(0o000)).unwrap();
        assert!(yard.jobs.secrets_hidden_whole());
        std::fs::set_permissions(yard.root.join("src/shut"), mode(0o755)).unwrap();
        let outcome = read(&yard, "cat src/shut/.env; echo end").await;
        assert_eq!(stdout(&outcome), "end\n", "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn the_programs_that_people_read_with_work() {
    for yard in rooms() {
        yard.put("src/a.txt", "two\n");
        yard.put("data.json", "{\"key\": [1, 2]}\n");
        for (line, printed) in [
            ("git status --short", " M src/a.txt\n?? data.json\n"),
            (
                "git diff --stat | tail -1",
                " 1 file changed, 1 insertion(+), 1 deletion(-)\n",
            ),
            ("git log --format=%s", "one\n"),
            ("git show --format= --name-only HEAD", "src/a.txt\n"),
            ("find . -name '*.txt'", "./src/a.txt\n"),
            ("grep -rn two src", "src/a.txt:1:two\n"),
            ("sed -n 1p src/a.txt", "two\n"),
            ("seq 200000 | sort -S 64K | tail -1", "99999\n"),
            ("ls -l src/a.txt | wc -l", "1\n"),
            ("id -u | wc -l", "1\n"),
            (
                "echo $TMPDIR; cd /tmp && touch mine && ls mine",
                "/tmp\nmine\n",
            ),
            (
                "! command -v jq > /dev/null || jq -c .key data.json",
                "[1,2]\n",
            ),
            (
                "! command -v rg > /dev/null || rg -N two src",
                "src/a.txt:two\n",
            ),
        ] {
            let outcome = read(&yard, line).await;
            let got = stdout(&outcome);
            let is_there = !line.starts_with('!') || !got.is_empty();
            assert!(
                !is_there || got == printed,
                "{line} {}",
                yard.case(&outcome)
            );
            assert_eq!(stderr(&outcome), "", "{line}");
        }
    }
}

#[tokio::test]
async fn a_linked_worktree_is_read_with_its_repository() {
    for yard in rooms() {
        let made = yard.git(&yard.root, &["worktree", "add", "-q", "../open/tree"]);
        assert!(made);
        yard.give();
        let mut walls = (*yard.jobs.sandbox().unwrap()).clone();
        walls.root = yard.top.join("open/tree");
        let jobs = yard.jobs.clone().with_sandbox(Some(walls.clone()));
        let spec = RunSpec {
            room: Room::Reading,
            ..RunSpec::new("git status --short && git log --format=%s", &walls.root)
        };
        let cancelled = tokio_util::sync::CancellationToken::new();
        let outcome = soon(jobs.run(spec, &cancelled, &|_, _| {})).await;
        assert_eq!(stdout(&outcome), "one\n", "{}", yard.case(&outcome));
    }
}

/// What is asked of git behind the walls and what without them.
#[tokio::test]
async fn a_repository_of_another_user_is_read_where_its_reader_trusts_it() {
    if !rustix::process::geteuid().is_root() {
        eprintln!("skipped: only root gives files away");
        return;
    }
    for yard in rooms().into_iter().filter(|yard| yard.who == Who::Own) {
        let other = Some(1);
        std::os::unix::fs::chown(&yard.root, other, other).unwrap();
        let outcome = read(&yard, "git log --format=%s").await;
        assert!(
            stderr(&outcome).contains("safe.directory"),
            "{}",
            yard.case(&outcome)
        );
        let trusted = format!("[safe]\n\tdirectory = {}\n", yard.root.display());
        std::fs::write(yard.top.join("home/.gitconfig"), trusted).unwrap();
        let outcome = read(&yard, "git log --format=%s && git status --short").await;
        assert_eq!(stdout(&outcome), "one\n", "{}", yard.case(&outcome));
    }
}

#[tokio::test]
async fn cargo_says_what_a_project_is_made_of() {
    // The one that builds this test: a shim would look for its own home.
    let Some(cargo) = std::env::var_os("CARGO").map(std::path::PathBuf::from) else {
        return;
    };
    let rustc = cargo.with_file_name("rustc");
    let programs = [("CARGO", &cargo), ("RUSTC", &rustc)];
    for yard in rooms().into_iter().filter(|yard| yard.who == Who::Own) {
        yard.put(
            "Cargo.toml",
            "[package]\nname = \"small\"\nversion = \"1.2.3\"\n",
        );
        yard.put("src/lib.rs", "");
        yard.put(
            "Cargo.lock",
            "# This file is automatically @generated by Cargo.\n# It is not intended for manual editing.\nversion = 4\n\n[[package]]\nname = \"small\"\nversion = \"1.2.3\"\n",
        );
        let spec = RunSpec {
            room: Room::Reading,
            environment: programs
                .map(|(name, path)| (name.into(), path.into()))
                .to_vec(),
            ..RunSpec::new(
                "\"$CARGO\" metadata --offline --format-version 1",
                &yard.root,
            )
        };
        let outcome = yard.run(spec).await;
        assert_eq!(outcome.exit_code(), Some(0), "{}", yard.case(&outcome));
        assert!(
            stdout(&outcome).contains("small@1.2.3"),
            "{}",
            yard.case(&outcome)
        );
    }
}

#[tokio::test]
async fn no_program_of_a_repository_is_run() {
    for yard in rooms() {
        // Whether it ran is seen by what it prints: it could not write.
        let loud = "#!/bin/sh\necho RAN >&2\n";
        yard.put("loud", loud);
        use std::os::unix::fs::PermissionsExt;
        let runnable = std::fs::Permissions::from_mode(0o755);
        std::fs::set_permissions(yard.root.join("loud"), runnable).unwrap();
        let loud = yard.root.join("loud").display().to_string();
        for (key, value) in [
            ("core.fsmonitor", loud.as_str()),
            ("log.showSignature", "true"),
            ("gpg.program", &loud),
        ] {
            assert!(yard.git(&yard.root, &["config", key, value]));
        }
        yard.give();
        let outcome = read(&yard, "git status --short && git log --format=%s").await;
        assert_eq!(
            stdout(&outcome),
            "?? loud\none\n",
            "{}",
            yard.case(&outcome)
        );
        assert_eq!(stderr(&outcome), "");
    }
}

#[tokio::test]
async fn settings_of_git_that_the_environment_brings_still_count() {
    for yard in rooms() {
        let spec = RunSpec {
            room: Room::Reading,
            environment: [
                ("GIT_CONFIG_COUNT", "1"),
                ("GIT_CONFIG_KEY_0", "user.name"),
                ("GIT_CONFIG_VALUE_0", "Ada"),
            ]
            .map(|(name, value)| (name.into(), value.into()))
            .to_vec(),
            ..RunSpec::new(
                "git config user.name; git config core.hooksPath",
                &yard.root,
            )
        };
        let outcome = yard.run(spec).await;
        assert_eq!(
            stdout(&outcome),
            "Ada\n/dev/null\n",
            "{}",
            yard.case(&outcome)
        );
    }
}

#[tokio::test]
async fn what_a_reader_leaves_running_ends_with_it() {
    for yard in rooms() {
        let spec = RunSpec {
            room: Room::Reading,
            placement: Placement::Background,
            leftovers: tenon_tools::jobs::Leftovers::BecomeJob,
            ..RunSpec::new(
                "(setsid sleep 613 > /dev/null 2>&1 &); echo done",
                &yard.root,
            )
        };
        let outcome = yard.run(spec).await;
        assert_eq!(stdout(&outcome), "done\n", "{}", yard.case(&outcome));
        assert_eq!((outcome.job, yard.jobs.list()), (None, Vec::new()));
        let left = std::fs::read_dir("/proc").unwrap().flatten().any(|entry| {
            let line = std::fs::read(entry.path().join("cmdline")).unwrap_or_default();
            let cwd = std::fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            line == b"sleep\x00613\0" && cwd == Path::new(&yard.root)
        });
        assert!(!left);
    }
}

/// A yard outside of temporary folders, where the environment names nothing of it.
fn yard_elsewhere() -> Option<Yard> {
    let dir = tempfile::tempdir_in(env!("CARGO_TARGET_TMPDIR")).unwrap();
    let yard = Yard::plain_in(dir, Level::Full, Who::Own);
    yard.jobs.holds_readers().then_some(yard)
}

#[tokio::test]
async fn nothing_outside_the_project_is_there_however_a_line_leads_to_it() {
    let Some(yard) = yard_elsewhere() else {
        eprintln!("skipped: this machine does not hold readers");
        return;
    };
    let other = yard.top.join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("notes"), "private words\n").unwrap();
    yard.git(&other, &["init", "-q"]);
    yard.git(&other, &["add", "-A"]);
    yard.git(&other, &["commit", "-qm", "private words"]);
    yard.put("b/notes", "");
    std::fs::create_dir_all(yard.root.join("a")).unwrap();
    for (target, link) in [("notes", "a/notes"), ("", "src/other")] {
        std::os::unix::fs::symlink(other.join(target), yard.root.join(link)).unwrap();
    }
    std::fs::create_dir_all(yard.root.join("other")).unwrap();
    yard.put("options", &format!("{}\n", other.join("notes").display()));
    yard.put(
        "points/.git",
        &format!("gitdir: {}/.git\n", other.display()),
    );
    yard.git(&yard.root, &["init", "-q", "--bare", "bare"]);
    let bare = yard.root.join("bare");
    let worktree = other.display().to_string();
    yard.git(&bare, &["config", "core.worktree", &worktree]);
    yard.git(&bare, &["config", "core.bare", "false"]);
    yard.put(
        "tool",
        &format!("#!/bin/sh\ncat {worktree}/notes ~/notes\n"),
    );
    std::fs::write(yard.top.join("home/notes"), "private words\n").unwrap();
    for line in [
        "diff a b",
        "strings @options",
        "git -C src -C other log -p",
        "git -C points log -p",
        "git -C bare ls-files -o",
        "sh tool",
        "cat src/other/notes ~/notes",
    ] {
        let outcome = read(&yard, line).await;
        let told = format!("{}{}", stdout(&outcome), stderr(&outcome));
        let shows = told.contains("private words") || stdout(&outcome).contains("notes");
        assert!(!shows, "{line} {}", yard.case(&outcome));
    }
    let outcome = read(&yard, "cat src/a.txt; git log --format=%s").await;
    assert_eq!(stdout(&outcome), "one\none\n", "{}", yard.case(&outcome));
}

#[tokio::test]
async fn a_git_file_that_points_elsewhere_opens_only_what_points_back() {
    let Some(yard) = yard_elsewhere() else {
        return;
    };
    let tree = yard.top.join("tree");
    let words = ["worktree", "add", "-q", tree.to_str().unwrap()];
    assert!(yard.git(&yard.root, &words));
    let yard = yard.with_root(tree);
    let outcome = read(&yard, "git log --format=%s").await;
    assert_eq!(stdout(&outcome), "one\n", "{}", yard.case(&outcome));
    let archive = yard.top.join("archive");
    std::fs::create_dir_all(&archive).unwrap();
    let pointer = format!("gitdir: {}/project/.git\n", yard.top.display());
    std::fs::write(archive.join(".git"), pointer).unwrap();
    let yard = yard.with_root(archive);
    let outcome = read(&yard, "git log --format=%s").await;
    assert_eq!(stdout(&outcome), "", "{}", yard.case(&outcome));
}
