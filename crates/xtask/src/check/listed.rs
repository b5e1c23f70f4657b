//! Every foreign crate earns its place with one line in docs/dependencies.md,
//! and a line goes when its crate does.

use super::Findings;
use crate::manifest::{OWN, members, workspace_dependencies};
use crate::repository::Repository;
use anyhow::Result;
use std::collections::BTreeSet;

const PAGE: &str = "docs/dependencies.md";

pub fn check(repository: &Repository) -> Result<Findings> {
    let mut there = workspace_dependencies(repository)?;
    for member in members(repository)? {
        let own = member
            .dependencies
            .into_iter()
            .chain(member.dev_dependencies);
        there.extend(own.filter(|name| !name.starts_with(OWN)));
    }
    Ok(compare(&repository.read(PAGE)?, &there).into())
}

fn compare(page: &str, there: &BTreeSet<String>) -> Vec<String> {
    let mut listed = BTreeSet::new();
    let mut problems = Vec::new();
    for name in page.lines().filter_map(first_cell) {
        if !listed.insert(name) {
            problems.push(format!("{PAGE} lists `{name}` twice"));
        }
        if !there.contains(name) {
            problems.push(format!("{PAGE} lists `{name}`, which nobody depends on"));
        }
    }
    for name in there {
        if !listed.contains(name.as_str()) {
            problems.push(format!("`{name}` has no line in {PAGE}"));
        }
    }
    problems
}

/// The name in backticks that a row of a table begins with.
fn first_cell(line: &str) -> Option<&str> {
    line.strip_prefix("| `")?.split('`').next()
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn finds_a_crate_without_a_line_and_a_line_without_a_crate() {
        let page = "| crate | job |\n|---|---|\n| `serde` | data |\n| `old` | gone |\n| `serde` | again |\n";
        let there = ["serde", "tokio"].map(String::from).into();
        assert_eq!(
            compare(page, &there),
            [
                "docs/dependencies.md lists `old`, which nobody depends on",
                "docs/dependencies.md lists `serde` twice",
                "`tokio` has no line in docs/dependencies.md"
            ]
        );
    }
}
