//! What one process costs. It is started by a process that starts nothing else
//! (`xtask __measure`), so the kernel's count of "children" is this one child:
//! its time, and the peak of its memory. A large parent would lend the child
//! its own size at the fork; this one is small.

use anyhow::{Context, Result, bail};
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeVal;
use serde_json::{Value, json};
use std::ffi::OsString;
use std::fs::{self, File};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

/// The hidden subcommand: a file for the figures, then the command.
pub const MEASURE: &str = "__measure";

/// Runs of which the least counts.
pub const RUNS: usize = 9;

/// The body of the hidden subcommand.
pub fn measure_one(words: &[OsString]) -> Result<()> {
    let [figures, program, arguments @ ..] = words else {
        bail!("{MEASURE} FILE PROGRAM ARGUMENTS…");
    };
    let started = Instant::now();
    let status = Command::new(program)
        .args(arguments)
        .status()
        .with_context(|| format!("{} cannot be started", program.display()))?;
    let wall = started.elapsed();
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let figures_text = json!({
        "cpu_ms": milliseconds(usage.user_time()) + milliseconds(usage.system_time()),
        "wall_ms": wall.as_secs_f64() * 1e3,
        // Linux counts in kibibytes.
        "peak_mb": usage.max_rss() as f64 * 1024.0 / 1e6,
    });
    fs::write(figures, figures_text.to_string())?;
    if !status.success() {
        bail!("{} failed ({status})", program.display());
    }
    Ok(())
}

fn milliseconds(time: TimeVal) -> f64 {
    time.tv_sec() as f64 * 1e3 + time.tv_usec() as f64 / 1e3
}

#[derive(Debug, Clone, Copy)]
pub struct Cost {
    pub cpu_ms: f64,
    pub wall_ms: f64,
    pub peak_mb: f64,
}

impl Cost {
    /// The least of each figure.
    fn least(self, other: Self) -> Self {
        Self {
            cpu_ms: self.cpu_ms.min(other.cpu_ms),
            wall_ms: self.wall_ms.min(other.wall_ms),
            peak_mb: self.peak_mb.min(other.peak_mb),
        }
    }
}

/// A command to measure, with nothing of our own environment.
#[derive(Debug, Clone)]
pub struct Invocation {
    pub program: PathBuf,
    pub words: Vec<String>,
    pub variables: Vec<(&'static str, OsString)>,
    /// Where standard output goes; nowhere without it.
    pub output: Option<PathBuf>,
}

impl Invocation {
    pub fn new(program: &Path, words: &[&str]) -> Self {
        let inherited = ["PATH", "LANG"]
            .into_iter()
            .filter_map(|name| Some((name, std::env::var_os(name)?)));
        Self {
            program: program.to_owned(),
            words: words.iter().map(|word| (*word).to_owned()).collect(),
            variables: inherited.collect(),
            output: None,
        }
    }

    pub fn variable(mut self, name: &'static str, value: impl Into<OsString>) -> Self {
        self.variables.push((name, value.into()));
        self
    }

    pub fn into_file(mut self, path: PathBuf) -> Self {
        self.output = Some(path);
        self
    }

    /// Ready to be started directly.
    pub fn command(&self) -> Result<Command> {
        let mut command = Command::new(&self.program);
        command.args(&self.words);
        self.dress(&mut command)?;
        Ok(command)
    }

    fn dress(&self, command: &mut Command) -> Result<()> {
        let output = match &self.output {
            Some(path) => Stdio::from(File::create(path)?),
            None => Stdio::null(),
        };
        command
            .env_clear()
            .envs(self.variables.iter().map(|(name, value)| (name, value)))
            .stdin(Stdio::null())
            .stdout(output)
            .stderr(Stdio::piped());
        Ok(())
    }

    /// Its cost, once.
    pub fn cost(&self, figures: &Path) -> Result<Cost> {
        let mut command = Command::new(std::env::current_exe()?);
        command
            .arg(MEASURE)
            .arg(figures)
            .arg(&self.program)
            .args(&self.words);
        self.dress(&mut command)?;
        let output = command.output()?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr);
            bail!(
                "{} {}: {}",
                self.program.display(),
                self.words.join(" "),
                said.trim()
            );
        }
        let read: Value = serde_json::from_str(&fs::read_to_string(figures)?)?;
        let figure = |name: &str| read[name].as_f64().context("a figure is missing");
        Ok(Cost {
            cpu_ms: figure("cpu_ms")?,
            wall_ms: figure("wall_ms")?,
            peak_mb: figure("peak_mb")?,
        })
    }

    /// The least of so many runs.
    pub fn least_cost(&self, figures: &Path, runs: usize) -> Result<Cost> {
        let mut least = self.cost(figures)?;
        for _ in 1..runs {
            least = least.least(self.cost(figures)?);
        }
        Ok(least)
    }
}

#[cfg(test)]
mod tests {
    use super::measure_one;
    use serde_json::Value;

    #[test]
    fn writes_time_and_memory_of_its_only_child() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("figures");
        let words = [file.clone().into_os_string(), "true".into()];
        measure_one(&words).unwrap();
        let read: Value = serde_json::from_str(&std::fs::read_to_string(file).unwrap()).unwrap();
        assert!(read["peak_mb"].as_f64().unwrap() > 0.0);
        assert!(read["wall_ms"].as_f64().unwrap() > 0.0);
    }

    #[test]
    fn a_command_that_fails_is_no_measurement() {
        let folder = tempfile::tempdir().unwrap();
        let words = [
            folder.path().join("figures").into_os_string(),
            "false".into(),
        ];
        assert!(measure_one(&words).is_err());
    }
}
