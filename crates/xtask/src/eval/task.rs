//! A task of the evaluation: a folder of `eval/tasks` with a repository, a prompt,
//! a check that tells whether the work is done, and a script that does it.

use crate::repository::{relative, walk};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

#[derive(Debug)]
pub struct Task {
    pub name: String,
    pub prompt: String,
    /// What a model would say, step by step, that solves it.
    pub script: Value,
    folder: PathBuf,
    /// Programs that it cannot do without.
    needs: Vec<String>,
}

impl Task {
    pub fn load(folder: &Path) -> Result<Self> {
        let name = folder.file_name().context("a task without a name")?;
        let read = |file: &str| {
            let path = folder.join(file);
            fs::read_to_string(&path).with_context(|| format!("{} cannot be read", path.display()))
        };
        let facts: Value = serde_json::from_str(&read("task.json")?)?;
        let needs = facts["needs"].as_array().context("`needs` of task.json")?;
        Ok(Self {
            name: name.to_string_lossy().into_owned(),
            prompt: read("prompt.md")?.trim_end().to_owned(),
            script: serde_json::from_str(&read("script.json")?)?,
            folder: folder.to_owned(),
            needs: (needs.iter().filter_map(Value::as_str))
                .map(str::to_owned)
                .collect(),
        })
    }

    /// A program that it needs and that is not here.
    pub fn lacks(&self) -> Option<&str> {
        let is_here = |program: &&String| {
            let asked = Command::new(program)
                .arg("--version")
                .stdin(Stdio::null())
                .output();
            asked.is_ok_and(|output| output.status.success())
        };
        self.needs
            .iter()
            .find(|need| !is_here(need))
            .map(String::as_str)
    }

    /// Its repository as a new one, with everything committed.
    pub fn lay_out(&self, project: &Path) -> Result<()> {
        fs::create_dir_all(project)?;
        let repo = self.folder.join("repo");
        for file in walk(&repo)? {
            let name = relative(&repo, &file).context("a name that is no text")?;
            let into = project.join(name);
            fs::create_dir_all(into.parent().context("a file without a folder")?)?;
            fs::copy(&file, into)?;
        }
        let setup = self.folder.join("setup.sh");
        if setup.is_file() {
            ended(Command::new("sh").arg(&setup).current_dir(project))?;
        }
        let git = |words: &[&str]| {
            let mut command = Command::new("git");
            command
                .args(["-c", "user.name=eval", "-c", "user.email=eval@localhost"])
                .args(["-c", "commit.gpgsign=false", "-c", "core.autocrlf=false"])
                .args(words)
                .current_dir(project);
            ended(&mut command)
        };
        git(&["init", "--quiet", "--initial-branch=main"])?;
        git(&["add", "--all"])?;
        git(&["commit", "--quiet", "--allow-empty", "--message", "Begin"])
    }

    /// Whether the work in the project is done; what the check said if it is not.
    pub fn check(&self, project: &Path, answer: &Path, events: &Path) -> Result<Verdict> {
        let output = Command::new("sh")
            .arg(self.folder.join("check.sh"))
            .current_dir(project)
            .env("ANSWER", answer)
            .env("EVENTS", events)
            .env("PYTHONDONTWRITEBYTECODE", "1")
            .stdin(Stdio::null())
            .output()?;
        Ok(match output.status.success() {
            true => Verdict::Solved,
            false => Verdict::Failed(last_line(&output)),
        })
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    Solved,
    Failed(String),
}

/// All of them, by name; `only` takes those whose name contains it.
pub fn all(folder: &Path, only: Option<&str>) -> Result<Vec<Task>> {
    let mut folders = Vec::new();
    for entry in fs::read_dir(folder).with_context(|| format!("{}", folder.display()))? {
        let path = entry?.path();
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if path.is_dir() && only.is_none_or(|only| name.contains(only)) {
            folders.push(path.clone());
        }
    }
    folders.sort();
    if folders.is_empty() {
        bail!("there is no such task in {}", folder.display());
    }
    folders.iter().map(|folder| Task::load(folder)).collect()
}

fn ended(command: &mut Command) -> Result<()> {
    let output = command.stdin(Stdio::null()).output()?;
    if !output.status.success() {
        bail!("{command:?} failed: {}", last_line(&output));
    }
    Ok(())
}

fn last_line(output: &Output) -> String {
    let said = String::from_utf8_lossy(&output.stderr);
    let line = said.lines().rev().find(|line| !line.trim().is_empty());
    line.unwrap_or("the check failed without a word").to_owned()
}
