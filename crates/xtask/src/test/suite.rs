//! Runs the tests of the workspace: with cargo-nextest where it is installed,
//! else with cargo itself.

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use anyhow::{Context, Result, bail};
use std::io::{BufRead, BufReader};
use std::path::PathBuf;
use std::process::Stdio;

/// From which the property tests make their inputs.
const SEED: &str = "PROPTEST_RNG_SEED";

/// What tests are told through the environment.
#[derive(Debug)]
pub struct Variables {
    /// A Python that has the `openai` package.
    pub python: Option<PathBuf>,
    pub kills: Option<u32>,
}

impl Variables {
    fn set(&self, mut step: Step) -> Step {
        if let Some(python) = &self.python {
            step = step.env("TENON_OPENAI_PYTHON", python);
        }
        if let Some(kills) = self.kills {
            step = step.env("TENON_KILLS", kills.to_string());
        }
        // What CI says of a change must not depend on luck. New random inputs are
        // searched wherever a person runs the tests.
        if std::env::var_os("CI").is_some() && std::env::var_os(SEED).is_none() {
            step = step.env(SEED, "1");
        }
        step
    }
}

pub fn has_nextest(repository: &Repository) -> bool {
    Step::cargo(repository, &["nextest", "--version"]).succeeds()
}

pub fn run(repository: &Repository, variables: &Variables) -> Result<()> {
    if has_nextest(repository) {
        let words = [
            "nextest",
            "run",
            "--workspace",
            "--locked",
            "--no-fail-fast",
        ];
        return variables.set(Step::cargo(repository, &words)).run();
    }
    let words = [
        "test",
        "--workspace",
        "--locked",
        "--no-fail-fast",
        "--lib",
        "--bins",
        "--tests",
    ];
    plain(variables.set(Step::cargo(repository, &words)))
}

pub fn examples(repository: &Repository) -> Result<()> {
    let words = ["test", "--quiet", "--doc", "--workspace", "--locked"];
    Step::cargo(repository, &words).run()
}

/// cargo prints a result for each binary; one line at the end adds them up.
fn plain(step: Step) -> Result<()> {
    let (mut command, shown) = step.into_command();
    let mut child = command
        .stdout(Stdio::piped())
        .spawn()
        .with_context(|| format!("`{shown}` cannot be started"))?;
    let mut count = Count::default();
    if let Some(output) = child.stdout.take() {
        for line in BufReader::new(output).lines() {
            let line = line?;
            count.add(&line);
            say(line);
        }
    }
    let status = child.wait()?;
    say(format!("{} passed, {} failed", count.passed, count.failed));
    if !status.success() {
        bail!("`{shown}` failed ({status})");
    }
    Ok(())
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Count {
    passed: u64,
    failed: u64,
}

impl Count {
    fn add(&mut self, line: &str) {
        let Some(result) = line.strip_prefix("test result:") else {
            return;
        };
        for part in result.split(['.', ';']) {
            let mut words = part.split_whitespace();
            let number = words.next().and_then(|word| word.parse::<u64>().ok());
            match (number, words.next()) {
                (Some(number), Some("passed")) => self.passed += number,
                (Some(number), Some("failed")) => self.failed += number,
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::Count;

    #[test]
    fn adds_the_results_of_all_binaries_up() {
        let mut count = Count::default();
        count.add("test result: ok. 12 passed; 0 failed; 1 ignored; 0 measured; finished in 0.1s");
        count.add("test result: FAILED. 3 passed; 2 failed; 0 ignored; finished in 0.1s");
        count.add("5 passed; this is a line of a test");
        assert_eq!(
            count,
            Count {
                passed: 15,
                failed: 2
            }
        );
    }
}
