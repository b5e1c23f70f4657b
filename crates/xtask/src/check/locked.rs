//! What must never come in through somebody else's dependency, looked up in
//! Cargo.lock: the crates that deny.toml bans, and any source but the default
//! registry. cargo-deny says more, but is not on every machine.

use super::Findings;
use crate::repository::Repository;
use anyhow::{Context, Result};
use toml::{Table, Value};

/// How cargo itself writes the default registry into a lock file.
const DEFAULT_SOURCE: &str = concat!("registry+https://github.com/rust-lang/crates.io", "-index");

pub fn check(repository: &Repository) -> Result<Findings> {
    let deny = repository.read("deny.toml")?;
    let lock = repository.read("Cargo.lock")?;
    Ok(compare(&deny, &lock)?.into())
}

fn compare(deny: &str, lock: &str) -> Result<Vec<String>> {
    let deny: Table = deny.parse().context("deny.toml")?;
    let lock: Table = lock.parse().context("Cargo.lock")?;
    let banned: Vec<&str> = deny
        .get("bans")
        .and_then(|bans| bans.get("deny"))
        .and_then(Value::as_array)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.as_str().or_else(|| entry.get("crate")?.as_str()))
        .collect();
    let packages = lock.get("package").and_then(Value::as_array);
    let mut problems = Vec::new();
    for package in packages.into_iter().flatten() {
        let field = |name| package.get(name).and_then(Value::as_str);
        let name = field("name").unwrap_or_default();
        if banned.contains(&name) {
            problems.push(format!("`{name}` is banned by deny.toml and in Cargo.lock"));
        }
        if let Some(source) = field("source").filter(|source| *source != DEFAULT_SOURCE) {
            problems.push(format!("`{name}` comes from {source}"));
        }
    }
    Ok(problems)
}

#[cfg(test)]
mod tests {
    use super::{DEFAULT_SOURCE, compare};

    #[test]
    fn finds_a_banned_crate_and_a_foreign_source() {
        let deny = "[bans]\ndeny = [\"openssl\", { crate = \"aws-lc-sys\", reason = \"size\" }]\n";
        let lock = format!(
            "[[package]]\nname = \"aws-lc-sys\"\nsource = \"{DEFAULT_SOURCE}\"\n\
             [[package]]\nname = \"odd\"\nsource = \"git+ssh://somewhere\"\n\
             [[package]]\nname = \"tenon-vocab\"\n"
        );
        assert_eq!(
            compare(deny, &lock).unwrap(),
            [
                "`aws-lc-sys` is banned by deny.toml and in Cargo.lock",
                "`odd` comes from git+ssh://somewhere"
            ]
        );
    }
}
