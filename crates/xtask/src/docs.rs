//! The generated reference: written from the program itself, so that flags,
//! keys, events and tools are documented once. The program does the writing;
//! this only calls it.

use crate::repository::Repository;
use crate::shell::Step;
use anyhow::Result;
use std::path::Path;

pub const FOLDER: &str = "docs/reference";
/// The hidden subcommand.
pub const SUBCOMMAND: &str = "__reference";

pub fn write(repository: &Repository) -> Result<()> {
    let words = [
        "run",
        "--quiet",
        "--package",
        "tenon-cli",
        "--",
        SUBCOMMAND,
        "--write",
        FOLDER,
    ];
    Step::cargo(repository, &words).run()
}

/// Which program is asked whether the reference still fits.
#[derive(Debug, Clone, Copy)]
pub enum Program<'a> {
    /// Builds it.
    Fresh,
    /// One that was built just now.
    Built(&'a Path),
}

pub fn check(repository: &Repository, program: Program<'_>) -> Result<()> {
    let words = [SUBCOMMAND, "--check", FOLDER];
    match program {
        Program::Built(path) => Step::new(repository, path, &words).run(),
        Program::Fresh => {
            let mut all = vec!["run", "--quiet", "--package", "tenon-cli", "--"];
            all.extend(words);
            Step::cargo(repository, &all).run()
        }
    }
}
