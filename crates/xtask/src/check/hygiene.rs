//! The tree must build and read the same on any machine: no path of the one it
//! was written on, no address of a package registry (mirrors differ), and a
//! page for contributors that is short enough to be read.

use super::Findings;
use crate::repository::Repository;
use anyhow::Result;

const AGENTS: &str = "AGENTS.md";
const AGENTS_LINES: usize = 60;

/// Written in two halves, so that this file does not find itself.
const REGISTRIES: &[&str] = &[
    concat!("crates.io", "-index"),
    concat!("index.", "crates.io"),
    concat!("static.", "crates.io"),
    concat!("pypi", ".org"),
    concat!("pythonhosted", ".org"),
    concat!("deb.debian", ".org"),
    concat!("security.debian", ".org"),
    concat!("archive.ubuntu", ".com"),
    concat!("registry.npmjs", ".org"),
    concat!("proxy.golang", ".org"),
    concat!("rubygems", ".org"),
];
const MACHINE: &[&str] = &[concat!("/wo", "rk/"), concat!("/ro", "ot/")];
const HOME: &str = concat!("/ho", "me/");
/// Names of nobody, for examples. Tests may invent more.
const NOBODY: &[&str] = &["u", "me", "you", "user"];

pub fn check(repository: &Repository) -> Result<Findings> {
    let mut problems = Vec::new();
    for path in repository.files()? {
        // The lock file names the default registry in cargo's own words.
        if path == "Cargo.lock" {
            continue;
        }
        // What is not text holds no words for people.
        let Ok(text) = repository.read(&path) else {
            continue;
        };
        for (number, line) in text.lines().enumerate() {
            let invented = path.contains("/tests/");
            if let Some(what) = stain(line).or_else(|| somebody(line).filter(|_| !invented)) {
                problems.push(format!("{path}:{}: {what}", number + 1));
            }
        }
        if path == AGENTS && text.lines().count() >= AGENTS_LINES {
            problems.push(format!("{AGENTS} must stay under {AGENTS_LINES} lines"));
        }
    }
    Ok(problems.into())
}

fn stain(line: &str) -> Option<String> {
    if let Some(host) = REGISTRIES.iter().find(|host| line.contains(**host)) {
        return Some(format!("the address of a registry: {host}"));
    }
    if let Some(path) = MACHINE.iter().find(|path| stands_alone(line, path)) {
        return Some(format!("a path of one machine: {path}"));
    }
    None
}

/// The home folder of somebody.
fn somebody(line: &str) -> Option<String> {
    let (_, name) = line.split_once(HOME)?;
    let name = name
        .split(|c: char| !c.is_alphanumeric() && c != '_' && c != '-')
        .next()?;
    let real = !name.is_empty() && !NOBODY.contains(&name);
    real.then(|| format!("a path of one machine: {HOME}{name}"))
}

/// At the start of a path, not in the middle of one.
fn stands_alone(line: &str, path: &str) -> bool {
    line.match_indices(path).any(|(at, _)| {
        let before = line[..at].chars().next_back();
        !before.is_some_and(|c| c.is_alphanumeric() || matches!(c, '.' | '_' | '-' | '/' | '}'))
    })
}

#[cfg(test)]
mod tests {
    use super::{HOME, MACHINE, REGISTRIES, somebody, stain};

    #[test]
    fn finds_paths_of_a_machine_and_addresses_of_registries() {
        assert!(stain(&format!("see {}main", MACHINE[0])).is_some());
        assert!(stain(&format!("cp x {}y", MACHINE[1])).is_some());
        assert!(somebody(&format!("{HOME}alice/x")).is_some());
        assert!(stain(&format!("https://{}/x", REGISTRIES[3])).is_some());
    }

    #[test]
    fn leaves_prose_and_examples_alone() {
        assert_eq!(stain("published on crates.io"), None);
        assert_eq!(somebody(&format!("{HOME}u/.config")), None);
        assert_eq!(somebody(&format!("{HOME}$USER")), None);
        assert_eq!(stain(&format!("./net{}", MACHINE[0])), None);
        assert_eq!(stain("a framework/for work"), None);
    }
}
