//! What it costs that commands can be undone: one look at 50,000 files, and what
//! a command takes longer in such a project.

use super::place::Bench;
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
    let looked = Command::new(&bench.scan)
        .arg(&tree)
        .output()
        .with_context(|| format!("{} cannot be started", bench.scan.display()))?;
    let said = String::from_utf8_lossy(&looked.stdout);
    let first = said.split_whitespace().next().unwrap_or_default();
    let milliseconds: f64 = first.parse().context("the example `scan`")?;
    place.project = tree;
    let server = Server::start(bench, &place, &scripts::commands_that_write(COMMANDS))?;
    let (mut with, mut without) = (f64::INFINITY, f64::INFINITY);
    for _ in 0..ROUNDS {
        for (flag, least) in [(true, &mut with), (false, &mut without)] {
            let text = format!(
                r#"{{"sandbox": {{"mode": "off"}}, "checkpoints": {{"commands": {flag}}}}}"#
            );
            let config = place.write("undo.jsonc", &text)?;
            let config = config.to_string_lossy();
            let words = ["--config", &config, "-p", scripts::LOOP];
            let run = bench.exec(&place, &server.base_url, &words);
            *least = least.min(bench.once(&run)?.wall_ms);
        }
    }
    let each = f64::from(COMMANDS);
    Ok(vec![
        Line {
            name: "a look at 50,000 files, warm",
            value: milliseconds,
            unit: "ms",
            bound: Bound::Below(150.0),
            baseline: None,
        },
        Line {
            // The model answers at once here, so nothing hides the look after: it
            // may cost one look, and a little for the watch and the record. A
            // second look on the critical path would be over it.
            name: "a watched command in 50,000 files, over a plain one",
            value: (with - without) / each,
            unit: "ms",
            bound: Bound::Below(200.0),
            baseline: Some(without / each),
        },
    ])
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
