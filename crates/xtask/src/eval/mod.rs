//! `cargo xtask eval`: how well a model works with Tenon. Small tasks, each in a
//! new repository with a home of its own, each checked by a script. Without an
//! address the model is scripted: then it is the tasks and checks that are tested,
//! and not a model.

mod figures;
mod options;
mod table;
mod task;
mod trial;

use crate::repository::Repository;
use crate::say::say;
use crate::shell::Step;
use crate::skips::Skips;
use anyhow::{Context, Result, bail};
pub use options::Options;
use options::{Asked, Prompt};
use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};
use task::Task;
use trial::{Place, Trial};

pub const FOLDER: &str = "eval/tasks";
/// Prompts that can be compared by name.
pub const PROMPTS: &str = "eval/prompts";

pub fn run(repository: &Repository, options: &Options) -> Result<()> {
    let program = match &options.program {
        Some(program) => program.clone(),
        None => {
            let words = ["build", "--quiet", "--locked", "--package", "tenon-cli"];
            Step::cargo(repository, &words).run()?;
            repository.target().join("debug/tenon")
        }
    };
    let skips = Skips::default();
    let ended = measure(repository, &program, options, &skips);
    if let Some(told) = skips.told() {
        say(told);
    }
    ended
}

/// The scripted form, as a part of the tests.
pub fn rehearse(repository: &Repository, program: &Path, skips: &Skips) -> Result<()> {
    measure(repository, program, &Options::default(), skips)
}

fn measure(
    repository: &Repository,
    program: &Path,
    options: &Options,
    skips: &Skips,
) -> Result<()> {
    let mut tasks = task::all(&repository.join(FOLDER), options.only.as_deref())?;
    tasks.retain(|task| match task.lacks() {
        None => true,
        Some(program) => {
            let name = format!("the task {}", task.name);
            skips.add(&name, &format!("there is no {program}"), "install it");
            false
        }
    });
    let place = Place {
        // It is started in other folders.
        program: std::path::absolute(program)?,
        folder: repository.target().join("eval"),
        asked: options.asked.clone(),
    };
    let mut totals = Vec::new();
    for prompt in &options.prompts(repository) {
        let trials = all(&place, &tasks, prompt, options)?;
        say(table::of_tasks(&prompt.label, &trials));
        totals.push((prompt.label.clone(), trials));
    }
    if totals.len() > 1 {
        say(table::of_prompts(&totals));
    }
    let failed = totals.iter().flat_map(|(_, trials)| trials);
    let failed = failed.filter(|trial| trial.failure.is_some()).count();
    match options.asked {
        // A model may fail; the script of a task may not.
        Asked::Script if failed > 0 => {
            bail!("tasks that their own scripts do not solve: {failed}")
        }
        _ => Ok(()),
    }
}

/// Each task so often as is asked for, several at a time.
fn all(place: &Place, tasks: &[Task], prompt: &Prompt, options: &Options) -> Result<Vec<Trial>> {
    let work: Vec<(&Task, u32)> = tasks
        .iter()
        .flat_map(|task| (1..=options.rounds).map(move |round| (task, round)))
        .collect();
    let (next, done) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    std::thread::scope(|scope| {
        for _ in 0..options.jobs() {
            scope.spawn(|| {
                while let Some((task, round)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let ended = trial::run(place, task, prompt, *round)
                        .with_context(|| format!("the task {}", task.name));
                    if let Ok(mut done) = done.lock() {
                        done.push(ended);
                    }
                }
            });
        }
    });
    let done = done.into_inner().unwrap_or_default();
    let mut trials = done.into_iter().collect::<Result<Vec<Trial>>>()?;
    trials.sort_by(|a, b| (&a.task, a.round).cmp(&(&b.task, b.round)));
    Ok(trials)
}

/// Where the text of a named prompt is.
fn named(repository: &Repository, name: &str) -> PathBuf {
    repository.join(PROMPTS).join(format!("{name}.md"))
}
