//! Builds what is measured: the release binary, and the plain program beside it.

use super::place::Bench;
use crate::repository::Repository;
use crate::shell::Step;
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};

const BASELINE: &str = include_str!("../../bench/baseline.rs");

pub fn prepare(repository: &Repository, program: Option<&Path>) -> Result<Bench> {
    let folder = repository.target().join("bench");
    fs::create_dir_all(&folder)?;
    let tenon = match program {
        Some(program) => fs::canonicalize(program)?,
        None => release(repository)?,
    };
    let source = folder.join("baseline.rs");
    let baseline = folder.join("baseline");
    fs::write(&source, BASELINE)?;
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let (from, to) = (source.to_string_lossy(), baseline.to_string_lossy());
    let words = [
        "--edition",
        "2024",
        "-O",
        "-C",
        "strip=symbols",
        &from,
        "-o",
        &to,
    ];
    Step::new(repository, rustc, &words).run()?;
    Ok(Bench {
        tenon,
        baseline,
        repository: repository.clone(),
        folder,
    })
}

/// A small program that times one part, built as the release is.
pub fn example(repository: &Repository, package: &str, name: &str) -> Result<PathBuf> {
    let words = [
        "build",
        "--release",
        "--locked",
        "--package",
        package,
        "--example",
        name,
    ];
    Step::cargo(repository, &words).run()?;
    Ok(repository.target().join("release/examples").join(name))
}

fn release(repository: &Repository) -> Result<PathBuf> {
    let words = ["build", "--release", "--locked", "--package", "tenon-cli"];
    Step::cargo(repository, &words).run()?;
    Ok(repository.target().join("release").join("tenon"))
}
