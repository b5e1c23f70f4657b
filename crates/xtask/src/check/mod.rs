//! Everything that can be said of the tree without running it. Each check is a
//! file; what it finds is a list of sentences that name a file and a fix.

mod chores;
mod forgotten;
mod hygiene;
mod layers;
mod lint;
mod listed;
mod locked;
mod sizes;
mod unused;

pub use lint::{format, lint};

use crate::docs::{self, Program};
use crate::repository::Repository;
use crate::say::say;
use crate::skips::Skips;
use crate::steps::run_all;
use anyhow::{Result, bail};

/// What a check found. A warning does not fail.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Findings {
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

impl From<Vec<String>> for Findings {
    fn from(problems: Vec<String>) -> Self {
        Self {
            problems,
            warnings: Vec::new(),
        }
    }
}

type Check = fn(&Repository) -> Result<Findings>;

const CHECKS: &[(&str, Check)] = &[
    ("layers", layers::check),
    ("chores", chores::check),
    ("sizes", sizes::check),
    ("forgotten files", forgotten::check),
    ("unused dependencies", unused::check),
    ("docs/dependencies.md", listed::check),
    ("lock file", locked::check),
    ("hygiene", hygiene::check),
];

/// `cargo xtask check`.
pub fn run(repository: &Repository) -> Result<()> {
    let skips = Skips::default();
    run_all(&[
        ("the tree", &|| tree(repository)),
        ("formatting", &|| format(repository)),
        ("lints", &|| lint(repository, &skips)),
        ("the reference", &|| reference(repository, Program::Fresh)),
    ])?;
    say(skips.verdict("check"));
    Ok(())
}

/// The checks that need no compiler.
pub fn tree(repository: &Repository) -> Result<()> {
    let mut problems = 0;
    for (name, check) in CHECKS {
        let findings = check(repository)?;
        let verdict = match findings.problems.len() {
            0 => String::from("ok"),
            1 => String::from("1 problem"),
            several => format!("{several} problems"),
        };
        say(format!("check {name}: {verdict}"));
        for warning in &findings.warnings {
            say(format!("  warning: {warning}"));
        }
        for problem in &findings.problems {
            say(format!("  {problem}"));
        }
        problems += findings.problems.len();
    }
    if problems > 0 {
        bail!("{problems} problems in the tree, listed above");
    }
    Ok(())
}

/// Whether the generated pages are those of the program as it is.
pub fn reference(repository: &Repository, program: Program<'_>) -> Result<()> {
    let there = repository
        .read("crates/cli/src/args.rs")
        .is_ok_and(|text| text.contains(docs::SUBCOMMAND));
    if !there {
        say("check reference: skipped, the program has no such subcommand yet");
        return Ok(());
    }
    docs::check(repository, program).map_err(|error| {
        error.context("docs/reference is not what the program says; run `cargo xtask docs`")
    })
}
