//! Dependencies between our crates go one way. docs/architecture.md draws the
//! levels and says who may use whom; the Cargo files must agree, so that the
//! page cannot become a memory. Dev-dependencies are free.

use super::Findings;
use crate::manifest::{Member, members};
use crate::repository::Repository;
use anyhow::Result;
use std::collections::{BTreeMap, BTreeSet};

const PAGE: &str = "docs/architecture.md";
/// The level of what only developers run; above all others.
const DEV: u32 = u32::MAX;

/// Edges that no edit of the page makes right, with the reason.
const NEVER: &[(&str, &str, &str)] = &[
    (
        "mock",
        "model",
        "one mistake must not hide on both sides of the wire",
    ),
    (
        "engine",
        "transport",
        "the engine gets a model, not a network",
    ),
    ("engine", "config", "the engine gets values, not files"),
    ("engine", "mock", "only its tests may"),
];

pub fn check(repository: &Repository) -> Result<Findings> {
    let page = repository.read(PAGE)?;
    Ok(compare(&page, &members(repository)?).into())
}

#[derive(Debug, Default)]
struct Plan {
    levels: BTreeMap<String, u32>,
    may_use: BTreeMap<String, BTreeSet<String>>,
    problems: Vec<String>,
}

fn compare(page: &str, members: &[Member]) -> Vec<String> {
    let mut plan = Plan::default();
    plan.read_levels(page);
    plan.read_table(page);
    let mut problems = std::mem::take(&mut plan.problems);
    let known: BTreeSet<&str> = members.iter().map(|member| member.name.as_str()).collect();
    for name in plan.levels.keys().chain(plan.may_use.keys()) {
        if !known.contains(name.as_str()) {
            problems.push(format!("{PAGE} names `{name}`, but there is no such crate"));
        }
    }
    for member in members {
        let name = member.name.as_str();
        let Some(level) = plan.levels.get(name) else {
            problems.push(format!("crate `{name}` is in no level of {PAGE}"));
            continue;
        };
        let Some(allowed) = plan.may_use.get(name) else {
            problems.push(format!("crate `{name}` has no row in the table of {PAGE}"));
            continue;
        };
        for used in member.uses() {
            problems.extend(plan.edge(name, *level, allowed, used));
        }
    }
    problems.sort();
    problems.dedup();
    problems
}

impl Plan {
    /// Lines of a code block: `level 2   tools   transport`, `dev   xtask`.
    fn read_levels(&mut self, page: &str) {
        for line in blocks(page) {
            let line = line.split('(').next().unwrap_or_default();
            let mut words = line.split_whitespace();
            let level = match words.next() {
                Some("level") => words.next().and_then(|number| number.parse().ok()),
                Some("dev") => Some(DEV),
                _ => None,
            };
            let Some(level) = level else { continue };
            for name in words {
                if self.levels.insert(name.to_owned(), level).is_some() {
                    self.problems
                        .push(format!("{PAGE} puts `{name}` into two levels"));
                }
            }
        }
        if self.levels.is_empty() {
            self.problems
                .push(format!("{PAGE} has no block with lines `level N …`"));
        }
    }

    /// The table with the columns `crate` and `may use`. Only names in
    /// backticks count there; the rest is prose about libraries.
    fn read_table(&mut self, page: &str) {
        let mut columns = None;
        for line in page.lines() {
            let Some(cells) = cells(line) else {
                columns = None;
                continue;
            };
            let place = |wanted| cells.iter().position(|cell| *cell == wanted);
            if let (Some(name), Some(uses)) = (place("crate"), place("may use")) {
                columns = Some((name, uses));
                continue;
            }
            let Some((name, uses)) = columns else {
                continue;
            };
            let (Some(name), Some(uses)) = (cells.get(name), cells.get(uses)) else {
                continue;
            };
            for name in quoted(name) {
                let row = quoted(uses).map(ToOwned::to_owned).collect();
                if self.may_use.insert(name.to_owned(), row).is_some() {
                    self.problems
                        .push(format!("{PAGE} has two rows for `{name}`"));
                }
            }
        }
        for (name, allowed) in &self.may_use {
            for used in allowed {
                if let (Some(upper), Some(lower)) = (self.levels.get(name), self.levels.get(used))
                    && lower >= upper
                {
                    self.problems.push(format!(
                        "{PAGE} lets `{name}` use `{used}`, which is not below it"
                    ));
                }
            }
        }
    }

    fn edge(
        &self,
        name: &str,
        level: u32,
        allowed: &BTreeSet<String>,
        used: &str,
    ) -> Option<String> {
        let never = NEVER
            .iter()
            .find(|(from, to, _)| (*from, *to) == (name, used));
        if let Some((_, _, reason)) = never {
            return Some(format!("`{name}` must never use `{used}`: {reason}"));
        }
        match self.levels.get(used) {
            Some(lower) if *lower >= level => Some(format!(
                "`{name}` uses `{used}`, which is not below it in {PAGE}"
            )),
            _ if !allowed.contains(used) => Some(format!(
                "`{name}` uses `{used}`, which its row in {PAGE} does not list"
            )),
            _ => None,
        }
    }
}

/// The lines inside code fences.
fn blocks(page: &str) -> impl Iterator<Item = &str> {
    let mut inside = false;
    page.lines().filter(move |line| {
        if line.trim_start().starts_with("```") {
            inside = !inside;
            return false;
        }
        inside
    })
}

fn cells(line: &str) -> Option<Vec<&str>> {
    let inner = line.trim().strip_prefix('|')?.strip_suffix('|')?;
    Some(inner.split('|').map(str::trim).collect())
}

fn quoted(cell: &str) -> impl Iterator<Item = &str> {
    cell.split('`').skip(1).step_by(2)
}

#[cfg(test)]
mod tests {
    use super::compare;
    use crate::manifest::Member;

    const PAGE: &str = "\
```
level 0   vocab   sandbox
level 1   model   mock
level 2   engine  (the loop)
dev       xtask
```

| crate | why | may use |
|---|---|---|
| `vocab` | words | serde |
| `sandbox` | walls | |
| `model` | speaks | `vocab` |
| `mock` | scripts | hyper |
| `engine` | loops | `vocab`, `model` |
| `xtask` | chores | `vocab` |
";

    fn member(name: &str, uses: &[&str]) -> Member {
        Member {
            name: name.to_owned(),
            dependencies: uses.iter().map(|used| format!("tenon-{used}")).collect(),
            ..Member::default()
        }
    }

    fn house(model: &[&str], mock: &[&str], engine: &[&str]) -> Vec<Member> {
        vec![
            member("vocab", &[]),
            member("sandbox", &[]),
            member("model", model),
            member("mock", mock),
            member("engine", engine),
            member("xtask", &["vocab"]),
        ]
    }

    #[test]
    fn a_house_as_drawn_is_fine() {
        let members = house(&["vocab"], &[], &["vocab", "model"]);
        assert_eq!(compare(PAGE, &members), Vec::<String>::new());
    }

    #[test]
    fn finds_an_edge_upwards_and_one_sideways() {
        let found = compare(PAGE, &house(&["engine", "mock"], &[], &[]));
        assert_eq!(found.len(), 2, "{found:?}");
        assert!(found[0].contains("`model` uses `engine`, which is not below"));
        assert!(found[1].contains("`model` uses `mock`, which is not below"));
    }

    #[test]
    fn finds_an_edge_that_the_table_does_not_list() {
        let found = compare(PAGE, &house(&["vocab", "sandbox"], &[], &[]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("does not list"));
    }

    #[test]
    fn the_mock_never_uses_the_model_whatever_the_page_says() {
        let page = PAGE
            .replace("level 1   model   mock", "level 1   model\nlevel 2   mock")
            .replace("level 2   engine", "level 3   engine")
            .replace("| hyper |", "| `model` |");
        let found = compare(&page, &house(&[], &["model"], &[]));
        assert_eq!(found.len(), 1, "{found:?}");
        assert!(found[0].contains("must never"));
    }

    #[test]
    fn finds_a_crate_that_is_not_drawn_and_a_drawn_one_that_is_not_there() {
        let mut members = house(&[], &[], &[]);
        members.push(member("helper", &[]));
        members.retain(|member| member.name != "sandbox");
        let found = compare(PAGE, &members);
        assert!(
            found
                .iter()
                .any(|line| line.contains("`helper` is in no level"))
        );
        assert!(found.iter().any(|line| line.contains("names `sandbox`")));
    }

    #[test]
    fn finds_a_crate_in_two_levels_and_a_row_that_points_up() {
        let page = PAGE
            .replace("level 2   engine", "level 2   engine vocab")
            .replace("| words | serde |", "| words | `model` |");
        let found = compare(&page, &house(&[], &[], &[]));
        assert!(
            found.iter().any(|line| line.contains("two levels")),
            "{found:?}"
        );
        let page = PAGE.replace("| words | serde |", "| words | `model` |");
        let found = compare(&page, &house(&[], &[], &[]));
        assert!(
            found
                .iter()
                .any(|line| line.contains("lets `vocab` use `model`"))
        );
    }
}
