//! Every line of `scenarios/`, held against the built-in policy.

use crate::support::default_class;
use std::collections::BTreeMap;
use std::path::Path;
use tenon_policy::{Access, Deed, Facts, PathFact, Place, Script, Subject, Target, analyse};
use tenon_vocab::{Class, Effect};

const ROOT: &str = "/home/u/p";
const HOME: &str = "/home/u";

/// The world of `scenarios/README.md`.
const FILES: &[&str] = &[
    "/home/u/p/a.txt",
    "/home/u/p/b.txt",
    "/home/u/p/README.md",
    "/home/u/p/Cargo.toml",
    "/home/u/p/.env",
    "/home/u/p/src/main.rs",
    "/home/u/p/src/lib.rs",
    "/home/u/p/docs/guide.md",
    "/home/u/p/old/x.txt",
    "/home/u/.ssh/id_rsa",
    "/etc/passwd",
    "/etc/hosts",
    "/tmp/.keep",
    "/dev/sda",
];

fn absolute(path: &str) -> String {
    let path = match path
        .strip_prefix('~')
        .or_else(|| path.strip_prefix("$HOME"))
    {
        Some(rest) => format!("{HOME}{rest}"),
        None if path.starts_with('/') => path.to_owned(),
        None => format!("{ROOT}/{path}"),
    };
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            part => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn seen(target: &Target) -> PathFact {
    let absolute = absolute(&target.path);
    let below = |folder: &str| {
        absolute == folder || absolute.starts_with(&format!("{}/", folder.trim_end_matches('/')))
    };
    let above = |file: &str| {
        file == absolute || file.starts_with(&format!("{}/", absolute.trim_end_matches('/')))
    };
    let place = match absolute.as_str() {
        "/" => Place::FileSystemRoot,
        HOME => Place::Home,
        ROOT => Place::Root,
        "/dev/sda" => Place::Device,
        _ if above(ROOT) => Place::AboveRoot,
        _ => Place::Ordinary,
    };
    let inside = below(ROOT);
    PathFact {
        exists: FILES.iter().any(|file| above(file)),
        path: match absolute.strip_prefix(ROOT) {
            Some("") => ".".into(),
            Some(rest) => rest.trim_start_matches('/').to_owned(),
            None => absolute.clone(),
        },
        access: match target.deed {
            Deed::Read => Access::Read,
            _ => Access::Write,
        },
        inside,
        symlink: false,
        place,
    }
}

pub fn call(command: &str) -> Facts {
    seen_of(analyse(command), command)
}

pub fn seen_of(script: Script, command: &str) -> Facts {
    let facts = script.targets.iter().map(seen).collect();
    Facts {
        tool: "bash".into(),
        effect: Effect::Execute,
        subject: Subject::Command(script.with_facts(facts)),
        input: serde_json::json!({"command": command}).to_string(),
    }
}

fn word(class: Class) -> &'static str {
    match class {
        Class::HardDeny => "hard_deny",
        Class::Deny => "deny",
        Class::Confirm => "confirm",
        Class::Ask => "ask",
        Class::Allow => "allow",
    }
}

/// File and line, class, command.
pub fn all() -> Vec<(String, String, String)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("scenarios");
    let mut found = Vec::new();
    let mut files: Vec<_> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "txt"))
        .collect();
    files.sort();
    for file in files {
        let text = std::fs::read_to_string(&file).unwrap();
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        for (at, line) in text.lines().enumerate() {
            if line.trim().is_empty() || line.starts_with('#') {
                continue;
            }
            let (class, command) = line
                .split_once(" | ")
                .unwrap_or_else(|| panic!("{name}:{}: no class in {line:?}", at + 1));
            let place = format!("{name}:{}", at + 1);
            found.push((place, class.to_owned(), command.replace('␤', "\n")));
        }
    }
    found
}

#[test]
fn every_scenario_gets_the_class_that_is_written_beside_it() {
    let mut wrong = Vec::new();
    for (place, expected, command) in all() {
        let facts = call(&command);
        let found = word(default_class(&facts));
        if found != expected {
            let Subject::Command(script) = &facts.subject else {
                unreachable!();
            };
            wrong.push(format!(
                "{place}: {expected} expected, {found} found: {command:?}\n    {:?} {:?}",
                script.commands, script.dangers
            ));
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ:\n{}",
        wrong.len(),
        wrong.join("\n")
    );
}

#[test]
fn the_scenarios_are_as_many_as_promised() {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let all = all();
    for (_, class, _) in &all {
        *counts.entry(class.clone()).or_default() += 1;
    }
    assert!(all.len() >= 300, "{counts:?}");
    let harmless = all
        .iter()
        .filter(|(place, class, _)| {
            place.starts_with("harmless.txt") && matches!(class.as_str(), "ask" | "allow")
        })
        .count();
    assert!(harmless >= 100, "{harmless} of {counts:?}");
}
