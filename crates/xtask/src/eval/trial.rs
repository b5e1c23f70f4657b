//! One task, once: a new project, a run of the program, the check.

use super::figures::Figures;
use super::options::{Asked, Prompt, PromptText};
use super::task::{Task, Verdict};
use crate::server::Server;
use anyhow::{Context, Result, bail};
use serde_json::{Value, json};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Steps of one prompt: a model that goes round in circles ends here.
const MOST_STEPS: &str = "40";

/// What all trials share.
#[derive(Debug)]
pub struct Place {
    pub program: PathBuf,
    /// Outside of temporary folders: those are writable for every command.
    pub folder: PathBuf,
    pub asked: Asked,
}

#[derive(Debug)]
pub struct Trial {
    pub task: String,
    pub round: u32,
    pub figures: Figures,
    pub took: Duration,
    /// What the check said; `None` where the task is solved.
    pub failure: Option<String>,
}

/// The folders of one trial. They stay until the next one of the same name, to
/// be looked at.
struct Folders {
    all: PathBuf,
    home: PathBuf,
    project: PathBuf,
}

pub fn run(place: &Place, task: &Task, prompt: &Prompt, round: u32) -> Result<Trial> {
    let folders = folders(place, task, prompt, round)?;
    task.lay_out(&folders.project)?;
    let (answer, log) = (folders.all.join("answer.txt"), folders.all.join("events"));
    fs::write(&answer, "")?;
    fs::write(&log, "")?;
    if task.check(&folders.project, &answer, &log)? == Verdict::Solved {
        bail!("its check passes before anything was done");
    }
    let begun = Instant::now();
    let events = asked(place, task, prompt, &folders)?;
    let took = begun.elapsed();
    let figures = Figures::read(&events);
    fs::write(&answer, &figures.answer)?;
    fs::write(&log, &events)?;
    let failure = match task.check(&folders.project, &answer, &log)? {
        Verdict::Solved => None,
        Verdict::Failed(said) if figures.outcome == "completed" => Some(said),
        Verdict::Failed(said) => Some(format!("{} ({said})", figures.outcome)),
    };
    Ok(Trial {
        task: task.name.clone(),
        round,
        figures,
        took,
        failure,
    })
}

fn folders(place: &Place, task: &Task, prompt: &Prompt, round: u32) -> Result<Folders> {
    let label: String = (prompt.label.chars())
        .map(|letter| {
            if letter.is_alphanumeric() {
                letter
            } else {
                '-'
            }
        })
        .collect();
    let all = place
        .folder
        .join(label)
        .join(&task.name)
        .join(round.to_string());
    if all.exists() {
        fs::remove_dir_all(&all)?;
    }
    let home = all.join("home");
    fs::create_dir_all(&home)?;
    let mut config = json!({});
    match &prompt.text {
        PromptText::Tier(tier) => config["prompt"] = json!({ "tier": tier }),
        PromptText::File(path) => {
            let text = fs::read_to_string(path)
                .with_context(|| format!("{} cannot be read", path.display()))?;
            config["prompt"] = json!({ "tier": "compact" });
            config["system_prompt"] = Value::String(text.trim_end().to_owned());
        }
    }
    fs::write(home.join("tenon.jsonc"), config.to_string())?;
    Ok(Folders {
        project: all.join("project"),
        home,
        all,
    })
}

/// The events of the run.
fn asked(place: &Place, task: &Task, prompt: &Prompt, folders: &Folders) -> Result<String> {
    let mut command = tenon(&place.program, folders);
    let server = match &place.asked {
        Asked::Script => {
            let server = scripted(place, task, folders)?;
            command
                .env("TENON_BASE_URL", &server.base_url)
                .env("TENON_MODEL", "mock-model");
            Some(server)
        }
        Asked::Model(endpoint) => {
            command
                .env("TENON_BASE_URL", &endpoint.base_url)
                .env("TENON_MODEL", &endpoint.model);
            if let Some(name) = &endpoint.key_env {
                let key = std::env::var_os(name).with_context(|| format!("{name} is not set"))?;
                command.env("TENON_API_KEY", key);
            }
            None
        }
    };
    let output = command
        .args([
            "exec",
            "--yes",
            "--format",
            "json",
            "--max-turns",
            MOST_STEPS,
        ])
        .arg("--root")
        .arg(&folders.project)
        .args(["-p", &task.prompt])
        .current_dir(&folders.project)
        .stdin(Stdio::null())
        .output()?;
    drop(server);
    let events = String::from_utf8_lossy(&output.stdout).into_owned();
    if !events.contains(r#""type":"run_finished""#) {
        let said = String::from_utf8_lossy(&output.stderr);
        bail!("with the prompt {}: {}", prompt.label, said.trim());
    }
    Ok(events)
}

fn scripted(place: &Place, task: &Task, folders: &Folders) -> Result<Server> {
    // Every prompt contains nothing at all.
    let scenarios = json!({"scenarios": [{"trigger": "", "steps": task.script}]});
    let file = folders.all.join("scenarios.json");
    fs::write(&file, scenarios.to_string())?;
    let mut command = tenon(&place.program, folders);
    command
        .args(["mock-llm", "--port", "0", "--scenarios"])
        .arg(&file);
    Server::of(&mut command)
}

fn tenon(program: &Path, folders: &Folders) -> Command {
    let mut command = Command::new(program);
    let path = std::env::var_os("PATH").unwrap_or_default();
    command
        .env_clear()
        .env("PATH", path)
        .env("LANG", "C.UTF-8")
        .env("HOME", &folders.home)
        .env("TENON_HOME", &folders.home)
        .env("PYTHONDONTWRITEBYTECODE", "1");
    command
}
