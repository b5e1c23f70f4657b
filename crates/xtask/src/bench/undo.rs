//! What it costs that commands can be undone: one look at 50,000 files, and what
//! a command takes longer in such a project, the first one and each further one.

use super::place::{Bench, Place};
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::{Context, Result};
use std::fs;
use std::path::Path;
use std::process::Command;

const FOLDERS: u32 = 500;
const FILES: u32 = 100;
const COMMANDS: u32 = 10;
const ROUNDS: usize = 3;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let mut place = bench.fresh("undo")?;
    let tree = bench.folder.join("watched");
    grow(&tree)?;
    let scan = bench.scan()?;
    let looked = Command::new(&scan)
        .arg(&tree)
        .output()
        .with_context(|| format!("{} cannot be started", scan.display()))?;
    let said = String::from_utf8_lossy(&looked.stdout);
    let first = said.split_whitespace().next().unwrap_or_default();
    let milliseconds: f64 = first.parse().context("the example `scan`")?;
    place.project = tree;
    let one = times(bench, &place, 1)?;
    let all = times(bench, &place, COMMANDS)?;
    let further = f64::from(COMMANDS - 1);
    Ok(vec![
        Line {
            name: "a look at 50,000 files, warm",
            value: milliseconds,
            unit: "ms",
            bound: Bound::Below(150.0),
            baseline: None,
        },
        Line {
            // The model answers at once here, so nothing hides the first look and
            // the reading of 50,000 files. No command waits longer than this.
            name: "the first watched command in 50,000 files, over a plain one",
            value: one.watched - one.plain,
            unit: "ms",
            bound: Bound::Below(4_000.0),
            baseline: Some(one.plain),
        },
        Line {
            // A scan on its way would be over it.
            name: "a further watched command in 50,000 files, over a plain one",
            value: ((all.watched - one.watched) - (all.plain - one.plain)) / further,
            unit: "ms",
            bound: Bound::Below(60.0),
            baseline: Some((all.plain - one.plain) / further),
        },
    ])
}

/// Milliseconds of a run.
struct Times {
    watched: f64,
    plain: f64,
}

/// The least of some runs with so many commands.
fn times(bench: &Bench, place: &Place, commands: u32) -> Result<Times> {
    let server = Server::start(bench, place, &scripts::commands_that_write(commands))?;
    let mut times = Times {
        watched: f64::INFINITY,
        plain: f64::INFINITY,
    };
    for _ in 0..ROUNDS {
        for (flag, least) in [(true, &mut times.watched), (false, &mut times.plain)] {
            let text = format!(
                r#"{{"sandbox": {{"mode": "off"}}, "checkpoints": {{"commands": {flag}}}}}"#
            );
            let config = place.write("undo.jsonc", &text)?;
            let config = config.to_string_lossy();
            let words = ["--config", &config, "-p", scripts::LOOP];
            let run = bench.exec(place, &server.base_url, &words);
            *least = least.min(bench.once(&run)?.wall_ms);
        }
    }
    Ok(times)
}

/// Made once and kept.
fn grow(tree: &Path) -> Result<()> {
    let done = tree.join(".git").join("done");
    if done.is_file() {
        return Ok(());
    }
    for folder in 0..FOLDERS {
        let path = tree.join(format!("d{}/e{}", folder / 25, folder % 25));
        fs::create_dir_all(&path)?;
        for file in 0..FILES {
            let text = format!("fn f{folder}_{file}() {{}}\n").repeat(20);
            fs::write(path.join(format!("f{file}.rs")), text)?;
        }
    }
    fs::write(tree.join(".gitignore"), "target\n*.log\n")?;
    fs::create_dir_all(tree.join(".git"))?;
    fs::write(done, "")?;
    Ok(())
}
