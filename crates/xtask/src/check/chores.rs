//! docs/architecture.md lists the chores in its table of crates: the same ones
//! that `cargo xtask` explains.

use super::Findings;
use crate::repository::Repository;
use anyhow::Result;
use std::collections::BTreeSet;

const PAGE: &str = "docs/architecture.md";
const ROW: &str = "| `xtask` | the chores: ";

pub fn check(repository: &Repository) -> Result<Findings> {
    Ok(compare(&repository.read(PAGE)?, crate::HELP).into())
}

fn compare(page: &str, help: &str) -> Vec<String> {
    let row = page.lines().find_map(|line| line.strip_prefix(ROW));
    let cell = row
        .and_then(|row| row.split('|').next())
        .unwrap_or_default();
    let named: BTreeSet<&str> = cell.split(',').map(str::trim).collect();
    let explained: BTreeSet<&str> = help.lines().filter_map(chore).collect();
    let missing = explained.difference(&named);
    let gone = named.difference(&explained);
    missing
        .map(|chore| format!("{PAGE} does not name the chore `{chore}`"))
        .chain(gone.map(|chore| format!("{PAGE} names `{chore}`, which is no chore")))
        .collect()
}

/// The first word of a line that is indented by two blanks.
fn chore(line: &str) -> Option<&str> {
    let line = line.strip_prefix("  ")?;
    line.starts_with(|first: char| first.is_ascii_lowercase())
        .then(|| line.split(' ').next())?
}

#[cfg(test)]
mod tests {
    use super::compare;

    #[test]
    fn finds_a_chore_that_the_page_does_not_name_and_one_that_is_gone() {
        let help =
            "usage: x\n\n  check [--tree]   looks\n       --tree      more\n  eval   solves\n";
        let page = |chores: &str| format!("| `xtask` | the chores: {chores} | `vocab` | |\n");
        assert!(compare(&page("check, eval"), help).is_empty());
        assert_eq!(
            compare(&page("check, brew"), help),
            [
                "docs/architecture.md does not name the chore `eval`",
                "docs/architecture.md names `brew`, which is no chore",
            ]
        );
    }
}
