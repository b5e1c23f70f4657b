//! What the patterns of a command line stand for, as the policy is told.

use crate::jobs::Yard;
use crate::support::tool;
use serde_json::{Value, json};
use std::path::Path;
use tenon_policy::{Script, Subject};
use tenon_tools::workspace::{Workspace, WorkspaceOptions};

/// The paths that a command was found to read, and whether each is certain.
fn read_by(workspace: &Workspace, input: &Value) -> Vec<(String, bool)> {
    let facts = tool("bash").facts(input, workspace);
    let Subject::Command(script) = facts.subject else {
        panic!("no command");
    };
    let Script { targets, .. } = script;
    let pair = |target: tenon_policy::Target| (target.path, target.certain);
    targets.into_iter().map(pair).collect()
}

fn sure(paths: &[&str]) -> Vec<(String, bool)> {
    paths.iter().map(|&path| (path.to_owned(), true)).collect()
}

fn make(root: &Path, files: &[&str]) {
    for file in files {
        let path = root.join(file);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, "x").unwrap();
    }
}

#[test]
fn a_pattern_stands_for_the_files_that_the_shell_would_find() {
    let yard = Yard::new();
    let workspace = Workspace::open(yard.path(), WorkspaceOptions::default()).unwrap();
    let root = workspace.root().to_owned();
    make(
        &root,
        &["src/a.rs", "src/b.rs", "src/.c.rs", "src/d.txt", "e.rs"],
    );
    std::fs::write(root.join(".gitignore"), "b.rs\n").unwrap();
    std::os::unix::fs::symlink("/etc/passwd", root.join("src/out.rs")).unwrap();
    let seen = |command: &str| read_by(&workspace, &json!({ "command": command }));
    let all = sure(&["src/a.rs", "src/b.rs", "src/out.rs"]);
    assert_eq!(seen("cat src/*.rs"), all);
    assert_eq!(seen("cat src/?.txt"), sure(&["src/d.txt"]));
    assert_eq!(seen("cat *.rs"), sure(&["e.rs"]));
    assert_eq!(seen("cat src/*.none"), sure(&["src/*.none"]));
    let below = json!({"command": "cat *.txt", "workdir": "src"});
    assert_eq!(read_by(&workspace, &below), sure(&["d.txt"]));
}

#[test]
fn a_pattern_that_could_become_an_option_or_too_many_files_stays_uncertain() {
    let yard = Yard::new();
    let workspace = Workspace::open(yard.path(), WorkspaceOptions::default()).unwrap();
    let root = workspace.root().to_owned();
    make(&root, &["-o.rs", "a.rs"]);
    let many: Vec<String> = (0..101).map(|n| format!("many/{n}.rs")).collect();
    let many: Vec<&str> = many.iter().map(String::as_str).collect();
    make(&root, &many);
    for pattern in ["*.rs", "many/*.rs", "none/*.rs", "/etc/*.conf", "*/a.rs"] {
        let command = format!("cat {pattern}");
        let seen = read_by(&workspace, &json!({ "command": command }));
        assert_eq!(seen, [(pattern.to_owned(), false)], "{pattern}");
    }
}
