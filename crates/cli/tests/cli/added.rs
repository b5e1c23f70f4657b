//! Folders outside the project that the user added: what is free there, what is
//! not, and how long it lasts.

use crate::exec::{answers, calls, run};
use crate::model::{Model, tenon};
use crate::talk::Talk;
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use tenon_testing::TestHome;

/// A library beside the project, a repository with a secret.
fn library(home: &TestHome) -> PathBuf {
    let lib = home.path().join("lib");
    fs::create_dir_all(lib.join("src")).unwrap();
    fs::create_dir_all(lib.join(".git/hooks")).unwrap();
    fs::write(lib.join(".git/HEAD"), "ref: refs/heads/main\n").unwrap();
    fs::write(lib.join("src/a.txt"), "one\n").unwrap();
    fs::write(lib.join(".env"), "TOKEN=abc\n").unwrap();
    lib
}

/// A call by hand, with these flags.
fn call(home: &TestHome, tool: &str, input: &Value, flags: &[&str]) -> (i32, String) {
    let mut command = home.command(tenon());
    let input = input.to_string();
    command.args(["tools", "run", tool, "--input", &input]);
    let (code, out, err) = run(command.args(flags));
    (code, out + &err)
}

#[test]
fn an_added_folder_is_read_and_changed_under_the_rules_of_the_project() {
    let home = TestHome::new();
    let lib = library(&home);
    let flags = ["--add-dir", lib.to_str().unwrap()];
    let yes = ["--yes", "--add-dir", lib.to_str().unwrap()];
    let file = lib.join("src/a.txt");
    let (code, said) = call(&home, "read", &json!({"path": file}), &[]);
    assert_eq!(code, 5, "{said}");
    assert!(said.contains("--add-dir DIR"), "{said}");
    for (tool, input) in [
        ("read", json!({"path": file})),
        ("list", json!({"path": lib})),
        ("glob", json!({"path": lib, "pattern": "**/*.txt"})),
        ("grep", json!({"path": lib, "pattern": "one"})),
    ] {
        let (code, said) = call(&home, tool, &input, &flags);
        assert_eq!(code, 0, "{tool}: {said}");
        assert!(
            said.contains("a.txt") || said.contains("one"),
            "{tool}: {said}"
        );
    }
    let new = json!({"path": lib.join("deep/new.txt"), "content": "x"});
    let (code, said) = call(&home, "write", &new, &flags);
    assert_eq!(code, 5, "{said}");
    let (code, said) = call(&home, "write", &new, &yes);
    assert_eq!(code, 0, "{said}");
    assert_eq!(fs::read_to_string(lib.join("deep/new.txt")).unwrap(), "x");
    let (code, said) = call(&home, "read", &json!({"path": lib.join(".env")}), &flags);
    assert_eq!(code, 5, "{said}");
    let config = json!({"path": lib.join(".git/config"), "content": "x"});
    let (code, said) = call(&home, "write", &config, &yes);
    assert_eq!(code, 5, "{said}");
    // A link in it leads out of it as one in the project does.
    let other = home.path().join("other.txt");
    fs::write(&other, "elsewhere\n").unwrap();
    std::os::unix::fs::symlink(&other, lib.join("link.txt")).unwrap();
    let (code, said) = call(
        &home,
        "read",
        &json!({"path": lib.join("link.txt")}),
        &flags,
    );
    assert_eq!(code, 5, "{said}");
    assert!(!said.contains("elsewhere"), "{said}");
}

#[test]
fn commands_use_an_added_folder_and_what_steers_programs_there_stays() {
    let home = TestHome::new();
    let lib = library(&home);
    let dir = lib.to_str().unwrap();
    let bash = |line: &str, flags: &[&str]| {
        let all: Vec<&str> = flags.iter().copied().chain(["--add-dir", dir]).collect();
        call(&home, "bash", &json!({ "command": line }), &all)
    };
    let (code, said) = bash(&format!("cat {dir}/src/a.txt"), &[]);
    assert_eq!(code, 0, "{said}");
    assert!(said.contains("one"), "{said}");
    let (code, said) = bash(&format!("grep -rn . {dir}"), &[]);
    assert_eq!(code, 0, "{said}");
    assert!(!said.contains("TOKEN=abc"), "{said}");
    let (code, said) = bash(&format!("echo two > {dir}/src/b.txt"), &["--yes"]);
    assert_eq!(code, 0, "{said}");
    assert_eq!(fs::read_to_string(lib.join("src/b.txt")).unwrap(), "two\n");
    // Nobody can say what a script does: the walls hold.
    let script = format!(
        "cd {dir} && find . -name a.txt -execdir sh -c 'echo x > ../.git/hooks/post-commit' ';'"
    );
    bash(&script, &["--yolo"]);
    bash(&script, &["--yes"]);
    assert!(!lib.join(".git/hooks/post-commit").exists());
}

#[test]
fn what_would_open_too_much_is_refused_with_a_reason() {
    let home = TestHome::new();
    let ssh = home.home().join(".ssh");
    fs::create_dir_all(&ssh).unwrap();
    fs::create_dir_all(home.tenon()).unwrap();
    for (folder, why) in [
        (PathBuf::from("/"), "the whole file system"),
        (PathBuf::from("/etc"), "of the system"),
        (home.home(), "your home folder"),
        (ssh, "keys and passwords"),
        (home.tenon(), "Tenon itself"),
        (home.project(), "in the project already"),
        (home.path().join("none"), "No such file"),
    ] {
        let flags = ["--add-dir", folder.to_str().unwrap()];
        let (code, said) = call(&home, "list", &json!({}), &flags);
        assert_eq!(code, 2, "{}: {said}", folder.display());
        assert!(said.contains(why), "{}: {said}", folder.display());
    }
}

fn writes(lib: &Path) -> Model {
    let input = json!({"path": lib.join("src/a.txt"), "content": "two\n"});
    Model::new(&calls("write", input, "done"))
}

#[test]
fn an_edit_in_an_added_folder_is_taken_back_with_the_session_that_keeps_it_open() {
    let home = TestHome::new();
    let lib = library(&home);
    let model = writes(&lib);
    let read = json!({"path": lib.join("src/a.txt")});
    let seen = Model::new(&calls("read", read, "seen"));
    let dir = lib.to_str().unwrap();
    let (code, _, err) = run(seen
        .command(&home)
        .args(["exec", "--add-dir", dir, "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    // The flag is not needed again.
    let again = [
        "exec",
        "-c",
        "--permission-mode",
        "accept-edits",
        "-p",
        "go",
    ];
    let (code, _, err) = run(model.command(&home).args(again));
    assert_eq!(code, 0, "{err}");
    assert_eq!(fs::read_to_string(lib.join("src/a.txt")).unwrap(), "two\n");
    let (_, out, err) = run(model.command(&home).args(["sessions", "revert", "--yes"]));
    let now = fs::read_to_string(lib.join("src/a.txt")).unwrap();
    assert_eq!(now, "one\n", "{out}{err}");
}

#[test]
fn a_folder_that_is_gone_when_its_session_goes_on_is_said_to_be() {
    let home = TestHome::new();
    let lib = library(&home);
    let model = Model::new(&answers("hello"));
    let dir = lib.to_str().unwrap();
    let (code, _, err) = run(model
        .command(&home)
        .args(["exec", "--add-dir", dir, "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    fs::remove_dir_all(&lib).unwrap();
    let (code, _, err) = run(model.command(&home).args(["exec", "-c", "-p", "go"]));
    assert_eq!(code, 0, "{err}");
    assert!(err.contains("Folder not added"), "{err}");
    assert!(err.contains(dir), "{err}");
}

#[test]
fn a_client_adds_a_folder_in_the_middle_of_a_session() {
    let home = TestHome::new();
    let lib = library(&home);
    let read = json!({"path": lib.join("src/a.txt")});
    let model = Model::new(&calls("read", read, "seen"));
    let mut talk = Talk::start(&home, &model, &[]);
    talk.prompt("go");
    assert_eq!(talk.until("tool_result")["ok"], false);
    talk.until("run_finished");
    talk.send(&json!({"type": "settings", "add_dir": lib}));
    let settings = talk.until("settings");
    assert_eq!(settings["add_dirs"], json!([lib]));
    talk.prompt("go");
    assert_eq!(talk.until("tool_result")["ok"], true);
    talk.until("run_finished");
    talk.end();
}

#[test]
fn a_configured_folder_is_open_and_one_of_an_untrusted_project_is_not() {
    let home = TestHome::new();
    let lib = library(&home);
    let read = json!({"path": lib.join("src/a.txt")});
    let list = json!({ "add_dirs": [lib] }).to_string();
    let own = home.project().join(".tenon");
    fs::create_dir_all(&own).unwrap();
    fs::write(own.join("tenon.jsonc"), &list).unwrap();
    let (code, said) = call(&home, "read", &read, &[]);
    assert_eq!(code, 5, "{said}");
    let explain = |flags: &[&str]| {
        let mut command: Command = home.command(tenon());
        let file = lib.join("src/a.txt");
        command.args(["policy", "explain", "read", file.to_str().unwrap()]);
        run(command.args(flags)).1
    };
    assert!(explain(&[]).contains("\ndeny"));
    assert!(explain(&["--add-dir", lib.to_str().unwrap()]).contains("\nallow"));
    fs::remove_dir_all(&own).unwrap();
    fs::create_dir_all(home.tenon()).unwrap();
    fs::write(home.tenon().join("tenon.jsonc"), &list).unwrap();
    let (code, said) = call(&home, "read", &read, &[]);
    assert_eq!(code, 0, "{said}");
    assert!(explain(&[]).contains("\nallow"));
}
