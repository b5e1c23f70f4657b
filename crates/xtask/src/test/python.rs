//! A Python with the official `openai` and `anthropic` packages and the reference
//! validator of skills, in a folder of its own under `target`. A machine with only Rust goes without; CI does not.

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::{Result, bail};
use std::fs;
use std::path::{Path, PathBuf};

/// The versions that the tests were written against.
const PACKAGES: &[&str] = &["openai>=1.50,<4", "anthropic>=2.8,<3", "skills-ref==0.1.1"];

/// The interpreter, or `None` with a line that says why.
pub fn prepare(repository: &Repository) -> Result<Option<PathBuf>> {
    let folder = repository.target().join("ci").join("venv");
    let python = folder.join("bin").join("python");
    let ready = folder.join("ready");
    if python.is_file() && fs::read_to_string(&ready).is_ok_and(|text| text == PACKAGES.join(" ")) {
        return Ok(Some(python));
    }
    if !Step::new(repository, "python3", &["--version"]).succeeds() {
        return skip("there is no python3");
    }
    if let Err(error) = install(repository, &folder, &python) {
        return skip(&format!(
            "the official clients cannot be installed: {error}"
        ));
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

fn skip(reason: &str) -> Result<Option<PathBuf>> {
    if std::env::var_os("CI").is_some_and(|value| value == "true") {
        bail!("{reason}; CI must run the tests with the official Python clients");
    }
    say(format!(
        "skipped: the tests with the official Python clients, because {reason}"
    ));
    Ok(None)
}
