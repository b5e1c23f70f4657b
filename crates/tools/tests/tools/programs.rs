//! Whether the programs of a line that would run unasked are the system's, as the
//! tool finds out and the policy decides.

use crate::support::tool;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use tempfile::TempDir;
use tenon_policy::{Authority, Grants, ReadOnly, ReadingRoom, Rules, decide};
use tenon_tools::{Programs, Workspace, WorkspaceOptions};
use tenon_vocab::{Class, Timestamp};

const SYSTEM: &str = "/usr/bin:/bin";

struct Ground {
    dir: TempDir,
}

impl Ground {
    fn new() -> Self {
        let dir = tempfile::tempdir().unwrap();
        for folder in [
            "project/node_modules/.bin",
            "project/sub",
            "own/bin",
            "open/x",
        ] {
            std::fs::create_dir_all(dir.path().join(folder)).unwrap();
        }
        Self { dir }
    }

    fn path(&self, below: &str) -> PathBuf {
        self.dir.path().canonicalize().unwrap().join(below)
    }

    fn program(&self, below: &str) {
        let path = self.path(below);
        std::fs::write(&path, "#!/bin/sh\nexit 0\n").unwrap();
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    }

    fn class(&self, variables: &[(&str, &str)], input: &Value) -> Class {
        let environment: Vec<(OsString, OsString)> = (variables.iter())
            .map(|(name, value)| (OsString::from(name), OsString::from(value)))
            .collect();
        let options = WorkspaceOptions {
            programs: Programs::new(&environment, vec![self.path("open")]),
            ..WorkspaceOptions::default()
        };
        let workspace = Workspace::open(&self.path("project"), options).unwrap();
        let facts = tool("bash").facts(input, &workspace);
        let authority = Authority {
            agent: "build",
            read_only: ReadOnly::No,
            agent_rules: None,
            reading_room: ReadingRoom::Absent,
            mode: Default::default(),
        };
        let (rules, grants) = (Rules::built_in(), Grants::new());
        decide(&facts, &rules, &grants, &authority, Timestamp::UNIX_EPOCH).class
    }

    fn with_path(&self, path: &str, command: &str) -> Class {
        self.class(&[("PATH", path)], &json!({"command": command}))
    }
}

fn before_system(folder: &Path) -> String {
    format!("{}:{SYSTEM}", folder.display())
}

#[test]
fn a_reader_that_the_project_brings_is_asked_about_and_the_systems_runs_free() {
    let ground = Ground::new();
    let path = before_system(&ground.path("project/node_modules/.bin"));
    assert_eq!(ground.with_path(&path, "ls"), Class::Allow);
    ground.program("project/node_modules/.bin/ls");
    for command in [
        "ls",
        "ls | head -3",
        "cat a | ls",
        "timeout 5 ls",
        "nice ls",
    ] {
        assert_eq!(ground.with_path(&path, command), Class::Ask, "{command}");
    }
    // What the shell has itself is looked for nowhere, and another program is another.
    ground.program("project/node_modules/.bin/echo");
    for command in ["pwd", "echo a", "test -f a", "cat a", "head -3 a"] {
        assert_eq!(ground.with_path(&path, command), Class::Allow, "{command}");
    }
    assert_eq!(ground.with_path(&path, "env echo a"), Class::Ask);
    // Behind the system's it is never found.
    let behind = format!(
        "{SYSTEM}:{}",
        ground.path("project/node_modules/.bin").display()
    );
    assert_eq!(ground.with_path(&behind, "ls"), Class::Allow);
}

#[test]
fn an_empty_or_relative_element_counts_where_the_command_stands() {
    let ground = Ground::new();
    ground.program("project/sub/ls");
    for first in ["", ".", "sub/.."] {
        let path = format!("{first}:{SYSTEM}");
        assert_eq!(ground.with_path(&path, "ls"), Class::Allow, "{first:?}");
        assert_eq!(
            ground.with_path(&path, "cd sub && ls"),
            Class::Ask,
            "{first:?}"
        );
        let there = json!({"command": "ls", "workdir": "sub"});
        let variables = [("PATH", path.as_str())];
        let expected = if first == "sub/.." {
            Class::Allow
        } else {
            Class::Ask
        };
        assert_eq!(ground.class(&variables, &there), expected, "{first:?}");
    }
    let path = format!("sub:{SYSTEM}");
    assert_eq!(ground.with_path(&path, "ls"), Class::Ask);
}

#[test]
fn a_folder_outside_counts_where_commands_or_everybody_may_write_it() {
    let ground = Ground::new();
    let own = ground.path("own/bin");
    ground.program("own/bin/ls");
    assert_eq!(ground.with_path(&before_system(&own), "ls"), Class::Allow);
    std::fs::set_permissions(&own, std::fs::Permissions::from_mode(0o777)).unwrap();
    assert_eq!(ground.with_path(&before_system(&own), "ls"), Class::Ask);
    ground.program("open/x/ls");
    let open = before_system(&ground.path("open/x"));
    assert_eq!(ground.with_path(&open, "ls"), Class::Ask);
}

#[test]
fn a_link_from_outside_to_a_file_of_the_project_is_the_projects() {
    let ground = Ground::new();
    ground.program("project/sub/ls");
    symlink(ground.path("project/sub/ls"), ground.path("own/bin/ls")).unwrap();
    let path = before_system(&ground.path("own/bin"));
    assert_eq!(ground.with_path(&path, "ls"), Class::Ask);
    symlink(ground.path("project/sub"), ground.path("own/linked")).unwrap();
    let path = before_system(&ground.path("own/linked"));
    assert_eq!(ground.with_path(&path, "ls"), Class::Ask);
}

#[test]
fn what_is_run_before_every_program_must_not_be_the_projects_either() {
    let ground = Ground::new();
    let ours = ground.path("project/env.sh").display().to_string();
    let own = ground.path("own/env.sh").display().to_string();
    for (name, value, expected) in [
        ("BASH_ENV", ours.as_str(), Class::Ask),
        ("BASH_ENV", "env.sh", Class::Ask),
        ("BASH_ENV", own.as_str(), Class::Allow),
        ("LD_PRELOAD", ours.as_str(), Class::Ask),
        ("LD_LIBRARY_PATH", ours.as_str(), Class::Ask),
        ("LD_LIBRARY_PATH", "/usr/lib", Class::Allow),
        ("HOME", ours.as_str(), Class::Allow),
    ] {
        let variables = [("PATH", SYSTEM), (name, value)];
        for command in ["ls", "pwd"] {
            let class = ground.class(&variables, &json!({"command": command}));
            assert_eq!(class, expected, "{name}={value} {command}");
        }
    }
}

#[test]
fn a_shell_that_the_project_brings_runs_nothing_unasked() {
    let ground = Ground::new();
    ground.program("project/node_modules/.bin/bash");
    let path = before_system(&ground.path("project/node_modules/.bin"));
    assert_eq!(ground.with_path(&path, "echo a"), Class::Ask);
}
