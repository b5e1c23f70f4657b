//! A Python with the official `openai` and `anthropic` packages and the reference
//! validator of skills, in a folder of its own under `target`. A machine with only Rust goes without; CI does not.

use crate::repository::Repository;
use crate::shell::Step;
use crate::skips::Skips;
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The versions that the tests were written against.
const PACKAGES: &[&str] = &["openai>=1.50,<4", "anthropic>=2.8,<3", "skills-ref==0.1.1"];

/// The interpreter, or `None` with a line that says why.
pub fn prepare(repository: &Repository, skips: &Skips) -> Result<Option<PathBuf>> {
    let folder = repository.target().join("ci").join("venv");
    let python = folder.join("bin").join("python");
    let ready = folder.join("ready");
    if python.is_file() && fs::read_to_string(&ready).is_ok_and(|text| text == PACKAGES.join(" ")) {
        return Ok(Some(python));
    }
    if !Step::new(repository, "python3", &["--version"]).succeeds() {
        let remedy = "install python3 with its venv module";
        return skip(skips, "there is no python3", remedy);
    }
    if let Err(error) = install(repository, &folder, &python) {
        let why = format!("they cannot be installed: {error}");
        return skip(skips, &why, "pip must reach a package index");
    }
    fs::write(ready, PACKAGES.join(" "))?;
    Ok(Some(python))
}

fn install(repository: &Repository, folder: &Path, python: &Path) -> Result<()> {
    let place = folder.to_string_lossy();
    Step::new(repository, "python3", &["-m", "venv", "--clear", &place]).run()?;
    let mut words = vec![
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
    ];
    words.extend(PACKAGES);
    Step::new(repository, python, &words).run()
}

fn skip(skips: &Skips, reason: &str, remedy: &str) -> Result<Option<PathBuf>> {
    if std::env::var_os("CI").is_some_and(|value| value == "true") {
        bail!("{reason}; CI must run the tests with the official Python clients");
    }
    skips.add("the tests with the official Python clients", reason, remedy);
    Ok(None)
}
