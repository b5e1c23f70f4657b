//! Formatting and clippy. Tests may unwrap, print and be long; the rest of the
//! workspace's lints hold for them as well.

use crate::repository::Repository;
use crate::shell::Step;
use crate::skips::Skips;
use anyhow::Result;

const PRODUCT: &[&str] = &[
    "clippy",
    "--quiet",
    "--workspace",
    "--lib",
    "--bins",
    "--locked",
    "--",
    "-D",
    "warnings",
];
const TESTS: &[&str] = &[
    "clippy",
    "--quiet",
    "--workspace",
    "--tests",
    "--examples",
    "--locked",
    "--",
    "-D",
    "warnings",
    "-A",
    "clippy::unwrap_used",
    "-A",
    "clippy::expect_used",
    "-A",
    "clippy::print_stdout",
    "-A",
    "clippy::print_stderr",
    "-A",
    "clippy::too_many_lines",
];

pub fn format(repository: &Repository) -> Result<()> {
    Step::cargo(repository, &["fmt", "--all", "--", "--check"]).run()
}

pub fn lint(repository: &Repository, skips: &Skips) -> Result<()> {
    Step::cargo(repository, PRODUCT).run()?;
    Step::cargo(repository, TESTS).run()?;
    deny(repository, skips)
}

/// Licences and sources in full, where the tool is installed. What must never
/// slip in is checked by `locked` without it.
fn deny(repository: &Repository, skips: &Skips) -> Result<()> {
    if !Step::cargo(repository, &["deny", "--version"]).succeeds() {
        skips.add(
            "licences and sources of dependencies",
            "cargo-deny is not installed",
            "cargo install --locked cargo-deny",
        );
        return Ok(());
    }
    let words = ["deny", "--locked", "check", "licenses", "bans", "sources"];
    Step::cargo(repository, &words).run()
}
