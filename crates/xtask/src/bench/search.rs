//! `grep` over a hundred thousand files, against ripgrep where it is installed.

use super::measure::Invocation;
use super::place::{Bench, Place};
use super::report::{Bound, Line};
use anyhow::Result;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const FOLDERS: u32 = 1_000;
const FILES: u32 = 100;
const WORD: &str = "needle_in_the_hay";
/// One file in so many holds the word.
const RARE: u32 = 5_000;
const RUNS: usize = 7;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("search")?;
    let tree = tree(bench)?;
    let grep = grep(bench, &place, &tree);
    // The first run warms the disk cache for all.
    bench.once(&grep)?;
    let ours = bench.least(&grep, RUNS)?.wall_ms;
    let root = tree.to_string_lossy();
    let plain = bench.least(&bench.baseline(&["scan", &root, WORD]), 3)?;
    let mut lines = vec![Line {
        name: "grep over 100,000 files",
        value: ours,
        unit: "ms",
        bound: Bound::Below(1_000.0),
        baseline: Some(plain.wall_ms),
    }];
    if has_ripgrep() {
        let rg = Invocation::new(Path::new("rg"), &["--hidden", "-n", WORD, &root]);
        bench.once(&rg)?;
        let theirs = bench.least(&rg, RUNS)?.wall_ms;
        lines.push(Line {
            name: "grep, compared with rg",
            value: ours / theirs,
            unit: "x",
            bound: Bound::Below(1.2),
            baseline: None,
        });
    }
    Ok(lines)
}

fn grep(bench: &Bench, place: &Place, tree: &Path) -> Invocation {
    let root = tree.to_string_lossy();
    let input = format!("{{\"pattern\":\"{WORD}\"}}");
    bench.tenon(
        place,
        &["--root", &root, "tools", "run", "grep", "--input", &input],
    )
}

fn has_ripgrep() -> bool {
    Command::new("rg")
        .arg("--version")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .is_ok_and(|status| status.success())
}

/// Made once and kept; the folder `.git` ends the search for ignore files of
/// the repository around it.
pub fn tree(bench: &Bench) -> Result<PathBuf> {
    let tree = bench.folder.join("tree");
    let done = tree.join(".git").join("done");
    if done.is_file() {
        return Ok(tree);
    }
    for folder in 0..FOLDERS {
        let path = tree.join(format!("d{}/e{}", folder / 32, folder % 32));
        fs::create_dir_all(&path)?;
        for file in 0..FILES {
            let number = folder * FILES + file;
            fs::write(path.join(format!("f{file}.rs")), text(number))?;
        }
    }
    fs::create_dir_all(tree.join(".git"))?;
    fs::write(done, "")?;
    Ok(tree)
}

fn text(number: u32) -> String {
    let mut text =
        format!("// file {number}\nfn part_{number}(value: u32) -> u32 {{\n    value + 1\n}}\n")
            .repeat(8);
    if number.is_multiple_of(RARE) {
        text.push_str(WORD);
        text.push('\n');
    }
    text
}
