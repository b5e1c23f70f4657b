//! Runs other programs for a chore: shown before it starts, in the root of the
//! repository, with a sentence when it fails.

use crate::repository::Repository;
use crate::say::say;
use anyhow::{Context, Result, bail};
use std::ffi::{OsStr, OsString};
use std::process::{Command, Stdio};

#[derive(Debug)]
pub struct Step {
    command: Command,
    shown: String,
}

impl Step {
    pub fn new(repository: &Repository, program: impl AsRef<OsStr>, words: &[&str]) -> Self {
        let program = program.as_ref();
        let mut command = Command::new(program);
        command
            .args(words)
            .current_dir(repository.root())
            .stdin(Stdio::null());
        let shown = format!("{} {}", program.to_string_lossy(), words.join(" "));
        Self { command, shown }
    }

    /// The cargo that started us.
    pub fn cargo(repository: &Repository, words: &[&str]) -> Self {
        let mut step = Self::new(repository, cargo_program(), words);
        step.shown = format!("cargo {}", words.join(" "));
        // Set by the outer `cargo run`; they would confuse what is built inside.
        for name in ["CARGO_MANIFEST_DIR", "CARGO_PKG_NAME", "CARGO_PKG_VERSION"] {
            step.command.env_remove(name);
        }
        step
    }

    pub fn env(mut self, name: &str, value: impl AsRef<OsStr>) -> Self {
        self.command.env(name, value);
        self
    }

    pub fn run(mut self) -> Result<()> {
        say(format!("$ {}", self.shown));
        let status = self
            .command
            .status()
            .with_context(|| format!("`{}` cannot be started", self.shown))?;
        if !status.success() {
            bail!("`{}` failed ({status})", self.shown);
        }
        Ok(())
    }

    /// What it printed on standard output.
    pub fn output(mut self) -> Result<String> {
        let output = self
            .command
            .stderr(Stdio::inherit())
            .output()
            .with_context(|| format!("`{}` cannot be started", self.shown))?;
        if !output.status.success() {
            bail!("`{}` failed ({})", self.shown, output.status);
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// Whether it can be run and succeeds; says nothing.
    pub fn succeeds(mut self) -> bool {
        self.command
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .status()
            .is_ok_and(|status| status.success())
    }

    /// For callers that read its output while it runs.
    pub fn into_command(self) -> (Command, String) {
        say(format!("$ {}", self.shown));
        (self.command, self.shown)
    }
}

fn cargo_program() -> OsString {
    std::env::var_os("CARGO").unwrap_or_else(|| OsString::from("cargo"))
}
