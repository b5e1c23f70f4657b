//! `cargo xtask bench`: speed and size of the release build against limits, and
//! against a plain program that does the same work on the same machine.
//!
//! CPU is the least of nine runs of user plus system time; memory is the peak
//! of the one process; the scripted model runs as another process. Nothing of
//! this is a test: a busy machine must not fail anybody's change.

mod build;
mod codecs;
mod deltas;
mod history;
mod listener;
mod measure;
mod place;
mod report;
mod resume;
mod safety;
mod scripts;
mod search;
mod server;
mod sessions;
mod skills;
mod soak;
mod start;
mod steps;
mod talk;
mod tui;
mod typing;
mod undo;

pub use measure::{MEASURE, measure_one};

use crate::repository::Repository;
use crate::say::say;
use anyhow::{Context, Result, bail};
use place::Bench;
use report::{Line, Report};
use std::path::PathBuf;

#[derive(Debug, Default)]
pub struct Options {
    json: Option<PathBuf>,
    /// Only the groups whose name holds this.
    only: Option<String>,
    /// Measure this build instead of making one.
    program: Option<PathBuf>,
}

impl Options {
    pub fn parse(words: &[&str]) -> Result<Self> {
        let mut options = Self::default();
        let mut words = words.iter();
        while let Some(word) = words.next() {
            let mut value = || {
                words
                    .next()
                    .with_context(|| format!("{word} needs a value"))
            };
            match *word {
                "--json" => options.json = Some(PathBuf::from(value()?)),
                "--only" => options.only = Some((*value()?).to_owned()),
                "--program" => options.program = Some(PathBuf::from(value()?)),
                other => bail!("unknown option `{other}` of `cargo xtask bench`"),
            }
        }
        Ok(options)
    }
}

type Group = fn(&Bench) -> Result<Vec<Line>>;

const GROUPS: &[(&str, Group)] = &[
    ("size", start::size),
    ("start", start::run),
    ("skills", skills::run),
    ("steps", steps::run),
    ("prefix", steps::prefix),
    ("deltas", deltas::run),
    ("codecs", codecs::run),
    ("resume", resume::run),
    ("messages", resume::messages),
    ("gigabyte", sessions::gigabyte),
    ("sessions", sessions::many),
    ("search", search::run),
    ("undo", undo::run),
    ("decision", safety::decision),
    ("walls", safety::walls),
    ("reading", safety::reading),
    ("approval", safety::approval),
    ("tui", tui::run),
    ("typing", typing::run),
    ("soak", soak::run),
];

/// CPU and memory stay true on a busy machine; times of the clock do not.
fn busy() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    let load: f64 = text.split_whitespace().next()?.parse().ok()?;
    let cores = std::thread::available_parallelism().ok()?.get() as f64;
    (load > cores / 2.0).then(|| {
        format!(
            "note: the machine is busy (load {load} on {cores} cores), so wall times are too high"
        )
    })
}

pub fn run(repository: &Repository, options: &Options) -> Result<()> {
    let bench = build::prepare(repository, options.program.as_deref())?;
    let mut report = Report::default();
    let mut broken = Vec::new();
    if let Some(note) = busy() {
        say(note);
    }
    say(Report::heading());
    for (name, group) in GROUPS {
        if options
            .only
            .as_deref()
            .is_some_and(|only| !name.contains(only))
        {
            continue;
        }
        match group(&bench) {
            Ok(lines) => lines.into_iter().for_each(|line| report.add(line)),
            Err(error) => {
                say(format!("{name}: cannot be measured: {error:#}"));
                broken.push(*name);
            }
        }
    }
    if let Some(path) = &options.json {
        report.write(path)?;
    }
    if !broken.is_empty() {
        bail!("not measured: {}", broken.join(", "));
    }
    report.verdict()
}
