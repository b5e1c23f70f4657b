//! What the Cargo files say, as far as the checks ask: who is there, and who
//! uses whom.

use crate::repository::Repository;
use anyhow::{Context, Result};
use std::collections::BTreeSet;
use std::fs;
use std::path::PathBuf;
use toml::{Table, Value};

/// The prefix of our own packages.
pub const OWN: &str = "tenon-";

/// One crate of the workspace.
#[derive(Debug, Clone, Default)]
pub struct Member {
    /// The name of its folder: `vocab`.
    pub name: String,
    pub folder: PathBuf,
    /// As the keys of `[dependencies]` and of the target tables name them.
    pub dependencies: Vec<String>,
    pub dev_dependencies: Vec<String>,
}

impl Member {
    /// The crates of this workspace that it uses outside of tests.
    pub fn uses(&self) -> impl Iterator<Item = &str> {
        self.dependencies
            .iter()
            .filter_map(|name| name.strip_prefix(OWN))
    }
}

pub fn members(repository: &Repository) -> Result<Vec<Member>> {
    let mut members = Vec::new();
    for entry in fs::read_dir(repository.join("crates"))? {
        let folder = entry?.path();
        let file = folder.join("Cargo.toml");
        if !file.is_file() {
            continue;
        }
        let text = fs::read_to_string(&file)?;
        let name = folder
            .file_name()
            .map(|name| name.to_string_lossy().into_owned())
            .unwrap_or_default();
        let table = parse(&text).with_context(|| format!("{}", file.display()))?;
        members.push(Member {
            dependencies: keys(&table, &["dependencies", "build-dependencies"]),
            dev_dependencies: keys(&table, &["dev-dependencies"]),
            name,
            folder,
        });
    }
    members.sort_by(|a, b| a.name.cmp(&b.name));
    Ok(members)
}

/// The foreign crates of `[workspace.dependencies]`.
pub fn workspace_dependencies(repository: &Repository) -> Result<BTreeSet<String>> {
    let root = parse(&repository.read("Cargo.toml")?)?;
    let listed = root
        .get("workspace")
        .and_then(|workspace| workspace.get("dependencies"))
        .and_then(Value::as_table);
    Ok(listed
        .into_iter()
        .flat_map(Table::keys)
        .filter(|name| !name.starts_with(OWN))
        .cloned()
        .collect())
}

fn parse(text: &str) -> Result<Table> {
    Ok(text.parse::<Table>()?)
}

/// The keys of these tables, at the top and below each `[target.…]`.
fn keys(manifest: &Table, tables: &[&str]) -> Vec<String> {
    let targets = manifest
        .get("target")
        .and_then(Value::as_table)
        .into_iter()
        .flat_map(Table::values)
        .filter_map(Value::as_table);
    let mut found = BTreeSet::new();
    for holder in std::iter::once(manifest).chain(targets) {
        for table in tables {
            let names = holder.get(*table).and_then(Value::as_table);
            found.extend(names.into_iter().flat_map(Table::keys).cloned());
        }
    }
    found.into_iter().collect()
}

#[cfg(test)]
mod tests {
    use super::{keys, parse};

    #[test]
    fn target_tables_count_too() {
        let manifest = parse(
            "[dependencies]\na = \"1\"\n[target.'cfg(unix)'.dependencies]\nb = \"1\"\n[dev-dependencies]\nc = \"1\"\n",
        )
        .unwrap();
        assert_eq!(keys(&manifest, &["dependencies"]), ["a", "b"]);
        assert_eq!(keys(&manifest, &["dev-dependencies"]), ["c"]);
    }
}
