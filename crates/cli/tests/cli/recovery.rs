//! What is shown before something is destroyed, and what is kept of it.

use crate::exec::calls;
use crate::model::Model;
use crate::program::Program;
use crate::talk::Talk;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;
use tenon_testing::TestHome;

fn running(command: &str) -> Model {
    Model::new(&calls("bash", json!({"command": command}), "that was it"))
}

fn git(folder: &Path, args: &[&str]) -> String {
    let output = Command::new("git")
        .args([
            "-c",
            "user.name=t",
            "-c",
            "user.email=t@t",
            "-c",
            "init.defaultBranch=main",
        ])
        .args(args)
        .current_dir(folder)
        .output()
        .unwrap();
    assert!(output.status.success(), "git {args:?}: {output:?}");
    String::from_utf8_lossy(&output.stdout).into_owned()
}

fn write(folder: &Path, name: &str, content: &[u8]) {
    let path = folder.join(name);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    std::fs::write(path, content).unwrap();
}

/// A repository with a change, a staged file, a deleted and some new files.
fn dirty(folder: &Path) {
    git(folder, &["init", "-q"]);
    write(folder, "changed.txt", b"before\n");
    write(folder, "gone.txt", b"here\n");
    write(folder, ".gitignore", b"*.log\n");
    git(folder, &["add", "."]);
    git(folder, &["commit", "-q", "-m", "first"]);
    write(folder, "changed.txt", b"work of a day\r\nand a half\n");
    write(folder, "staged.txt", b"staged\n");
    git(folder, &["add", "staged.txt"]);
    write(folder, "staged.txt", b"staged, and then more\n");
    std::fs::remove_file(folder.join("gone.txt")).unwrap();
    write(folder, "new/deep file.bin", b"\x00\xff\x01");
    write(folder, "-option", b"a name like an option\n");
    write(folder, "noise.log", b"ignored\n");
}

/// Every file of a tree but the repository's own.
fn tree(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    fn walk(base: &Path, folder: &Path, found: &mut BTreeMap<String, Vec<u8>>) {
        for entry in std::fs::read_dir(folder).unwrap().flatten() {
            let path = entry.path();
            if entry.file_name() == ".git" {
                continue;
            }
            if path.is_dir() {
                walk(base, &path, found);
            } else {
                let name = path.strip_prefix(base).unwrap().display().to_string();
                found.insert(name, std::fs::read(&path).unwrap());
            }
        }
    }
    let mut found = BTreeMap::new();
    walk(folder, folder, &mut found);
    found
}

/// What stands between two texts.
fn between<'a>(text: &'a str, from: &str, to: &str) -> &'a str {
    let (_, rest) = text
        .split_once(from)
        .unwrap_or_else(|| panic!("no {from}: {text}"));
    rest.split_once(to).map_or(rest, |(found, _)| found)
}

fn result_text(talk: &Talk) -> String {
    talk.all("tool_result")[0]["model_text"]
        .as_str()
        .unwrap()
        .to_owned()
}

#[test]
fn a_hard_reset_of_a_dirty_tree_can_be_taken_back_byte_for_byte() {
    let home = TestHome::new();
    let project = home.project();
    dirty(&project);
    let (before, index) = (tree(&project), git(&project, &["ls-files", "--stage"]));
    let model = running("git reset --hard && git clean -fd");
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    assert_eq!(question["intent"], "I will look.");
    let affects = question["affects"].to_string();
    assert!(affects.contains("5 uncommitted files are in"), "{affects}");
    talk.answer(&question, "once", None);
    talk.until("run_finished");
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert!(!project.join("staged.txt").exists(), "the command has run");
    let text = result_text(&talk);
    let restore = between(&text, "Restore the files with: ", "\n").trim();
    assert!(restore.contains("--source=refs/tenon/backup/"), "{text}");
    git(&project, &restore.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(tree(&project), before);
    let restore = between(&text, "Then the index with: ", "\n").trim();
    git(&project, &restore.split(' ').skip(1).collect::<Vec<_>>());
    assert_eq!(git(&project, &["ls-files", "--stage"]), index);
}

#[test]
fn a_clean_tree_needs_no_recovery_ref() {
    let home = TestHome::new();
    let project = home.project();
    dirty(&project);
    git(&project, &["add", "-A"]);
    git(&project, &["commit", "-q", "-m", "all"]);
    let model = running("git reset --hard");
    let mut talk = Talk::start(&home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert_eq!(git(&project, &["for-each-ref", "refs/tenon"]), "");
}

#[test]
fn a_deleted_branch_and_a_cleared_stash_are_held_by_a_ref() {
    let home = TestHome::new();
    let project = home.project();
    dirty(&project);
    git(&project, &["branch", "topic"]);
    git(&project, &["stash", "-q"]);
    let stash = git(&project, &["rev-parse", "refs/stash"]);
    let model = running("git branch -D topic && git stash clear");
    let mut talk = Talk::start(&home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    let text = result_text(&talk);
    assert!(
        text.contains(&format!("stash@{{0}} = {}", stash.trim())),
        "{text}"
    );
    assert!(text.contains("topic = "), "{text}");
    git(&project, &["reflog", "expire", "--expire=all", "--all"]);
    git(&project, &["gc", "-q", "--prune=now"]);
    git(&project, &["stash", "store", stash.trim()]);
    git(&project, &["stash", "apply", "-q"]);
}

#[test]
fn a_backup_that_fails_stops_the_command() {
    let home = TestHome::new();
    let project = home.project();
    dirty(&project);
    // Nothing can be written below a name that is a file.
    write(&project, ".git/refs/tenon", b"in the way");
    let before = tree(&project);
    let model = running("git reset --hard");
    let mut talk = Talk::start(&home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 5, "{:#?}", talk.events);
    assert_eq!(tree(&project), before);
    let text = result_text(&talk);
    assert!(text.contains("can't save"), "{text}");
}

fn kept(home: &TestHome, talk: &Talk) -> BTreeMap<String, Vec<u8>> {
    let id = talk.events[0]["session"].as_str().unwrap();
    let log = find(&home.tenon().join("sessions"), &format!("{id}.jsonl"));
    let blobs = log.with_extension("d").join("blobs");
    talk.all("checkpoint")
        .iter()
        .flat_map(|saved| saved["files"].as_array().unwrap())
        // Folders have no content.
        .filter(|file| file["before"].is_object())
        .map(|file| {
            let sha = file["before"]["sha256"].as_str().unwrap();
            let path = file["path"].as_str().unwrap().to_owned();
            (path, std::fs::read(blobs.join(sha)).unwrap())
        })
        .collect()
}

fn find(folder: &Path, name: &str) -> std::path::PathBuf {
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if entry.file_name() == name {
            return path;
        }
        if path.is_dir() && path.extension().is_none() {
            let found = find(&path, name);
            if found.exists() {
                return found;
            }
        }
    }
    folder.join("nothing")
}

#[test]
fn removed_files_are_in_the_checkpoints_of_the_session() {
    let home = TestHome::new();
    let project = home.project();
    write(&project, "src/a.rs", b"fn a() {}\n");
    write(&project, "src/deep/b.rs", b"fn b() {}\n");
    write(&project, "x.o", b"\x00object");
    write(&project, "notes.txt", b"keep me\n");
    let model = running("rm -rf src && rm *.o");
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    let affects = question["affects"].to_string();
    assert!(
        affects.contains("deletes src/, x.o (3 files, 27 bytes)"),
        "{affects}"
    );
    let choices: Vec<&Value> = question["choices"].as_array().unwrap().iter().collect();
    assert_eq!(choices.len(), 2, "no lasting yes: {choices:?}");
    assert!(choices[0]["typed"].is_null());
    talk.answer(&question, "once", None);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert!(!project.join("src").exists() && !project.join("x.o").exists());
    let kept = kept(&home, &talk);
    assert_eq!(
        kept.keys().collect::<Vec<_>>(),
        ["src/a.rs", "src/deep/b.rs", "x.o"]
    );
    assert_eq!(kept["x.o"], b"\x00object");
    let text = result_text(&talk);
    assert!(
        text.contains("Kept before it ran: 3 files (27 bytes)"),
        "{text}"
    );
    assert!(text.contains("tenon sessions restore "), "{text}");
}

#[test]
fn what_was_kept_comes_back_with_its_mode_and_overwrites_only_after_a_yes() {
    use std::os::unix::fs::PermissionsExt;
    let program = Program::new();
    let project = program.project();
    let run = project.join("src/run.sh");
    write(&project, "src/run.sh", b"#!/bin/sh\n");
    std::fs::set_permissions(&run, std::fs::Permissions::from_mode(0o750)).unwrap();
    write(&project, "notes.txt", b"first\n");
    let model = running("rm -rf src notes.txt");
    let mut talk = Talk::start(&program.home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert!(!run.exists());
    let text = result_text(&talk);
    let named = text
        .lines()
        .find_map(|line| line.split_once("To get it back: tenon "))
        .unwrap_or_else(|| panic!("{text}"))
        .1;
    let named: Vec<&str> = named.split_whitespace().collect();
    let restore = |more: &[&str]| program.run(&[&named, more].concat());
    restore(&["--list"])
        .ended(0)
        .says("src/run.sh")
        .says("gone");
    assert!(!run.exists(), "a list changes nothing");
    program
        .run(&["sessions", "restore", "src/"])
        .ended(0)
        .says("restored: src/run.sh");
    assert_eq!(run.metadata().unwrap().permissions().mode() & 0o777, 0o750);
    assert!(!project.join("notes.txt").exists());
    write(&project, "notes.txt", b"second\n");
    let ran = restore(&[]).ended(1).says("already the same: src/run.sh");
    ran.complains("not restored: notes.txt: it exists and differs");
    assert_eq!(program.content("notes.txt"), "second\n");
    restore(&["--yes"]).ended(0).says("overwritten: notes.txt");
    assert_eq!(program.content("notes.txt"), "first\n");
    program
        .run(&["sessions", "restore", "other.txt"])
        .ended(2)
        .complains("no copy of `other.txt` was kept");
    program
        .run(&["sessions", "restore", "--call", "nobody"])
        .ended(1)
        .complains("nothing was kept for the call");
}

/// A folder that became a link out of the project must not be written through.
#[test]
fn restoring_stays_in_the_project() {
    let program = Program::new();
    let project = program.project();
    write(&project, "src/a.rs", b"a\n");
    let model = running("rm -rf src");
    let mut talk = Talk::start(&program.home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    let outside = program.home.temp().join("elsewhere");
    std::fs::create_dir(&outside).unwrap();
    std::os::unix::fs::symlink(&outside, project.join("src")).unwrap();
    program
        .run(&["sessions", "restore", "--yes"])
        .ended(1)
        .complains("not restored: src/a.rs");
    assert!(!outside.join("a.rs").exists());
}

#[test]
fn an_overwritten_file_is_kept_and_the_rest_is_named() {
    let home = TestHome::new();
    let project = home.project();
    write(&project, "notes.txt", b"the only copy\n");
    let model = running("echo new > notes.txt; rm -f \"$NOWHERE/x\"");
    let mut talk = Talk::start(&home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert_eq!(kept(&home, &talk)["notes.txt"], b"the only copy\n");
    assert!(
        result_text(&talk).contains("Not kept: whatever"),
        "{}",
        result_text(&talk)
    );
}

#[test]
fn what_is_too_large_to_keep_is_said() {
    let home = TestHome::new();
    let file = std::fs::File::create(home.project().join("huge.bin")).unwrap();
    file.set_len(17 * 1024 * 1024).unwrap();
    write(&home.project(), "small.txt", b"small");
    let model = running("rm huge.bin small.txt");
    let mut talk = Talk::start(&home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    let text = result_text(&talk);
    assert!(
        text.contains("Kept before it ran: 1 file (5 bytes)"),
        "{text}"
    );
    assert!(
        text.contains("Not kept: 1 file larger than 16 MB."),
        "{text}"
    );
}

#[test]
fn ignored_files_that_git_clean_would_take_are_counted() {
    let home = TestHome::new();
    dirty(&home.project());
    let model = running("git clean -fdx");
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    let affects = question["affects"].to_string();
    assert!(
        affects.contains("1 ignored entry would be deleted"),
        "{affects}"
    );
    talk.answer(&question, "deny", None);
    talk.end();
    assert!(home.project().join("noise.log").exists());
}

/// A hook of the repository and a monitor that it names must not run by our doing.
#[test]
fn keeping_runs_nothing_of_the_repository() {
    use std::os::unix::fs::PermissionsExt;
    let home = TestHome::new();
    let project = home.project();
    dirty(&project);
    let marker = project.join("ran");
    let script = format!("#!/bin/sh\ntouch {}\n", marker.display());
    for hook in ["post-index-change", "reference-transaction", "monitor"] {
        let path = project.join(".git/hooks").join(hook);
        write(&project, &format!(".git/hooks/{hook}"), script.as_bytes());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let monitor = project.join(".git/hooks/monitor").display().to_string();
    git(&project, &["config", "core.fsmonitor", &monitor]);
    let _ = std::fs::remove_file(&marker);
    let model = running("git branch -D nothing-of-this-name; true");
    let mut talk = Talk::start(&home, &model, &["--yolo", "-p", "go"]);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert!(
        result_text(&talk).contains("refs/tenon/backup/"),
        "{}",
        result_text(&talk)
    );
    assert!(!marker.exists());
}

/// A repository that came as an archive brings its configuration along.
#[test]
fn looking_at_a_repository_runs_no_filter_of_it() {
    let home = TestHome::new();
    let project = home.project();
    dirty(&project);
    let marker = project.join("filtered");
    let clean = format!("touch {}; cat", marker.display());
    git(&project, &["config", "filter.x.clean", &clean]);
    git(&project, &["config", "filter.x.required", "true"]);
    write(&project, ".git/info/attributes", b"*.txt filter=x\n");
    let model = running("git stash clear && git reset --hard");
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    assert!(question["affects"].to_string().contains("uncommitted"));
    talk.answer(&question, "deny", None);
    talk.until("run_finished");
    talk.end();
    assert!(!marker.exists(), "the filter ran");
}

#[test]
fn what_reaches_beyond_the_project_wants_its_word_typed() {
    let home = TestHome::new();
    let outside = home.temp().join("precious.txt");
    std::fs::write(&outside, "precious").unwrap();
    let model = running(&format!("rm {}", outside.display()));
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    assert_eq!(question["choices"][0]["typed"], "yes");
    assert!(
        question["affects"]
            .to_string()
            .contains("outside the project")
    );
    talk.answer(&question, "once", None);
    let answer = talk.until("answer");
    assert_eq!(answer["choice"], "deny");
    assert_eq!(talk.end(), 5, "{:#?}", talk.events);
    assert!(outside.exists());

    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    talk.answer(&question, "once", Some("yes"));
    assert_eq!(talk.until("answer")["choice"], "once");
    talk.end();
}

#[test]
fn what_must_be_confirmed_is_denied_where_nobody_can_answer() {
    let home = TestHome::new();
    write(&home.project(), "a.txt", b"a");
    let model = running("rm a.txt");
    let (code, _, err) = crate::exec::run(model.command(&home).args(["exec", "--yes", "-p", "go"]));
    assert_eq!(code, 5, "{err}");
    assert!(
        err.contains("--yolo") && err.contains("--input-format json"),
        "{err}"
    );
    assert!(home.project().join("a.txt").exists());
    let body = model.bodies().pop().unwrap();
    assert!(body.contains("there is no one to ask"), "{body}");
}

#[test]
fn a_file_that_appears_while_the_question_stands_is_kept() {
    let home = TestHome::new();
    let project = home.project();
    write(&project, "a.txt", b"mine\n");
    let model = running("mv a.txt new.txt");
    let mut talk = Talk::start(&home, &model, &["-p", "go"]);
    let question = talk.until("question");
    write(&project, "new.txt", b"came meanwhile\n");
    talk.answer(&question, "once", None);
    assert_eq!(talk.end(), 0, "{:#?}", talk.events);
    assert_eq!(kept(&home, &talk)["new.txt"], b"came meanwhile\n");
}

#[test]
fn a_file_that_a_flag_lets_a_command_change_in_place_is_kept() {
    for command in [
        "sed -i s/before/after/ a.txt",
        "perl -i -pe s/before/after/ a.txt",
    ] {
        let home = TestHome::new();
        let project = home.project();
        write(&project, "a.txt", b"before\n");
        let model = running(command);
        let mut talk = Talk::start(&home, &model, &["--yes", "-p", "go"]);
        assert_eq!(talk.end(), 0, "{:#?}", talk.events);
        assert_eq!(std::fs::read(project.join("a.txt")).unwrap(), b"after\n");
        assert_eq!(kept(&home, &talk)["a.txt"], b"before\n", "{command}");
    }
}
