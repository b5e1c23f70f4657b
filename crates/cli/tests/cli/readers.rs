//! Commands that only read, run for real: without a question, with what they
//! print anywhere else, and with nothing changed.

use crate::program::Program;
use serde_json::{Value, json};
use std::path::Path;
use std::process::Command;
use tenon_sandbox::{Level, Probe};

/// Each prints something in the project of [`project`].
const LINES: &[&str] = &[
    "git status --short",
    "git status -sb | head -3",
    "git log --oneline --stat",
    "git log -p -- src/main.rs",
    "git diff",
    "git diff --stat HEAD",
    "git show HEAD --format=%s",
    "git show HEAD:README.md",
    "git blame -s README.md",
    "git branch --list",
    "git rev-parse --abbrev-ref HEAD",
    "git ls-files",
    "git describe --all --always",
    "git grep -n main",
    "git --no-pager log -1 --format=%an",
    "git -C src log -1 --format=%s",
    "find . -name '*.rs' -not -path './.git/*'",
    "find src -type f -printf '%p %s\\n' | sort",
    "grep -rn main src",
    "grep -r --include='*.md' -c text .",
    "rg --sort path -n main",
    "sed -n 1,2p README.md",
    "sed 's/text/word/g; /^$/d' README.md",
    "awk '{n += NF} END {print n}' README.md",
    "jq -r .name data.json",
    "tree -L 1 src",
    "head -1 README.md; tail -n 1 README.md",
    "wc -l README.md src/main.rs",
    "sort -r README.md | uniq -c",
    "cut -d' ' -f1 README.md | tr a-z A-Z",
    "diff README.md data.json | head -2",
    "cmp README.md data.json",
    "stat -c '%s %n' README.md",
    "file README.md",
    "du -a src | cut -f2",
    "ls -A src",
    "cat README.md",
    "cat < README.md",
    "nl README.md",
    "tac README.md",
    "comm -12 README.md README.md",
    "xxd -l 8 README.md",
    "od -c README.md | head -2",
    "sha256sum README.md",
    "base64 README.md",
    "column -t README.md",
    "test -f README.md && echo there",
    "basename src/main.rs; dirname src/main.rs",
    "which bash",
    "uname -s",
    "pwd",
    "cd src && ls",
    "echo a; printf '%s\\n' b",
    "python3 --version",
    "seq 200000 | sort -rn | tail -1",
];

fn project(program: &Program) {
    program.file("README.md", "some text\nmore text\n\nmore text\n");
    program.file("src/main.rs", "fn main() {}\n");
    program.file("data.json", "{\"name\": \"a project\"}\n");
    let git = |args: &[&str]| {
        let done = program
            .home
            .command(Path::new("git"))
            .args(["-c", "user.name=A", "-c", "user.email=a@example.com"])
            .args(args)
            .current_dir(program.project())
            .output()
            .unwrap();
        assert!(done.status.success(), "{done:?}");
    };
    git(&["init", "-q", "-b", "main"]);
    git(&["add", "."]);
    git(&["commit", "-q", "-m", "all of it"]);
    program.file("README.md", "some text\nother text\n\nmore text\n");
    program.file("new.txt", "new\n");
}

fn is_there(line: &str) -> bool {
    let name = line.split(' ').next().unwrap_or_default();
    let found = Command::new("bash")
        .args(["-c", &format!("type {name}")])
        .output();
    found.unwrap().status.success()
}

/// What the line prints where nothing stands around it.
fn outside(program: &Program, line: &str) -> String {
    let done = program
        .home
        .command(Path::new("bash"))
        .args(["-c", line])
        .current_dir(program.project())
        .output()
        .unwrap();
    String::from_utf8(done.stdout).unwrap()
}

fn explained(program: &Program, line: &str) -> Value {
    let args = ["policy", "explain", "bash", line, "--format", "json"];
    program.run(&args).ended(0).json()
}

fn run(program: &Program, line: &str) -> Value {
    let input = json!({ "command": line }).to_string();
    program
        .run(&["tools", "run", "bash", "--input", &input])
        .json()
}

/// Whether this machine can hold a command to reading.
fn can_hold() -> bool {
    Probe::look().level == Level::Full.name()
}

#[test]
fn readers_run_unasked_with_the_output_that_they_have_elsewhere() {
    if !can_hold() {
        return;
    }
    let program = Program::new();
    project(&program);
    let before = outside(&program, "git status --porcelain; find . -type f | sort");
    for line in LINES.iter().filter(|line| is_there(line)) {
        let said = explained(&program, line);
        assert_eq!(said["class"], "allow", "{line}: {said}");
        assert_eq!(said["reads_only"], true, "{line}");
        let held = json!({"mode": "read-only", "network": "deny"});
        assert_eq!(said["sandbox"], held, "{line}");
        let ran = run(&program, line);
        let printed = ran["data"]["stdout"].as_str().unwrap_or_default();
        assert_eq!(printed, outside(&program, line), "{line}: {ran}");
    }
    let after = outside(&program, "git status --porcelain; find . -type f | sort");
    assert_eq!(before, after);
}

#[test]
fn without_a_sandbox_a_wider_reader_asks_and_a_plain_one_runs_as_ever() {
    let program = Program::new();
    project(&program);
    program.configure(r#"{"sandbox": {"mode": "off"}}"#);
    let said = explained(&program, "git status");
    assert_eq!(said["class"], "ask");
    assert_eq!(
        (&said["reads_only"], &said["sandbox"]),
        (&json!(false), &Value::Null)
    );
    let said = explained(&program, "cat README.md");
    assert_eq!(
        (&said["class"], &said["reads_only"]),
        (&json!("allow"), &json!(false))
    );
}

#[test]
fn what_the_room_stops_is_asked_about_and_runs_once_more_only_with_a_yes() {
    if !can_hold() {
        return;
    }
    let program = Program::new();
    project(&program);
    // A filter that writes: git runs it to see whether a file has changed.
    let git = |args: &str| outside(&program, &format!("git {args}"));
    git("config filter.noted.clean 'touch noted && cat'");
    git("config filter.noted.required true");
    program.file(".gitattributes", "README.md filter=noted\n");
    let line = "git diff --stat";
    assert_eq!(explained(&program, line)["class"], "allow");
    run(&program, line);
    assert!(!program.project().join("noted").exists());
    let input = json!({ "command": line }).to_string();
    program.run(&["tools", "run", "bash", "--yes", "--input", &input]);
    assert!(program.project().join("noted").exists());
}
