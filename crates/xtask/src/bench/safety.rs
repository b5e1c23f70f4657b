//! What the limits cost: a decision of the policy, the walls around a command,
//! and how soon an answer at the terminal is acted upon.

use super::place::{Bench, Place};
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::{Context, Result, bail};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::fd::OwnedFd;
use std::process::Command;
use std::time::Instant;

const COMMANDS: u32 = 30;
const ROUNDS: usize = 5;
/// 200 bytes of what a model writes: several commands, quotes, a redirection.
const LINE: &str = "cd crates/policy && git log --oneline -n 20 -- src/decide.rs | head -n 5 && grep -rn 'fn decide' src tests 2>/dev/null | sort | uniq -c && printf '%s\\n' \"all of the parts\" && ls -la src tests docs/api";

/// Runs the decision in a program of its own, built as the release is.
pub fn decision(bench: &Bench) -> Result<Vec<Line>> {
    let decide = bench.decide()?;
    let output = Command::new(&decide)
        .arg(LINE)
        .output()
        .with_context(|| format!("{} cannot be started", decide.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let microseconds: f64 = said.trim().parse().context("the example `decide`")?;
    Ok(vec![Line {
        name: "policy decision, 200 bytes of shell",
        value: microseconds,
        unit: "us",
        bound: Bound::Below(200.0),
        baseline: None,
    }])
}

/// The same run with and without walls; what a command costs more.
pub fn walls(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("walls")?;
    let server = Server::start(bench, &place, &scripts::commands_only(COMMANDS))?;
    let mut with = f64::INFINITY;
    let mut without = f64::INFINITY;
    let inside = place.write(
        "inside.jsonc",
        r#"{"sandbox": {"mode": "workspace-write"}}"#,
    )?;
    let outside = place.write("outside.jsonc", r#"{"sandbox": {"mode": "off"}}"#)?;
    for _ in 0..ROUNDS {
        for (config, least) in [(&inside, &mut with), (&outside, &mut without)] {
            let config = config.to_string_lossy();
            let words = ["--config", &config, "-p", scripts::LOOP];
            let run = bench.exec(&place, &server.base_url, &words);
            *least = least.min(bench.once(&run)?.wall_ms);
        }
    }
    let each = f64::from(COMMANDS);
    Ok(vec![Line {
        name: "sandboxed command, over a plain one",
        value: (with - without) / each,
        unit: "ms",
        bound: Bound::Below(4.0),
        baseline: Some(without / each),
    }])
}

/// A command in the room where it can only read, started as the program does.
pub fn reading(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("reading")?;
    let example = bench.reading()?;
    let output = Command::new(&example)
        .arg(&place.project)
        .arg(&bench.tenon)
        .arg("__supervise")
        .output()
        .with_context(|| format!("{} cannot be started", example.display()))?;
    let said = String::from_utf8_lossy(&output.stdout);
    let times: Option<Vec<f64>> = said
        .split_whitespace()
        .map(|word| word.parse().ok())
        .collect();
    let Some([reading, plain]) = times.as_deref() else {
        bail!(
            "the example `reading`: {}",
            String::from_utf8_lossy(&output.stderr)
        );
    };
    Ok(vec![Line {
        name: "command that only reads, over a plain one",
        value: reading - plain,
        unit: "ms",
        bound: Bound::Below(3.0),
        baseline: Some(*plain),
    }])
}

/// From the key to what comes of it, in a terminal.
pub fn approval(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("approval")?;
    let server = Server::start(bench, &place, &scripts::one_question())?;
    let mut least = f64::INFINITY;
    for _ in 0..ROUNDS {
        least = least.min(answered(bench, &place, &server)?);
    }
    Ok(vec![Line {
        name: "approval, from the key to the command's output",
        value: least,
        unit: "ms",
        bound: Bound::Below(50.0),
        baseline: None,
    }])
}

fn answered(bench: &Bench, place: &Place, server: &Server) -> Result<f64> {
    let (mut screen, mut child) = in_terminal(bench, place, server)?;
    let mut shown = String::new();
    read_until(&mut screen, &mut shown, "\n> ")?;
    let pressed = Instant::now();
    screen.write_all(b"y\r")?;
    shown.clear();
    read_until(&mut screen, &mut shown, "approved-and-run")?;
    let waited = pressed.elapsed();
    // A terminal that is full would keep the program from ending.
    let _ = std::io::copy(&mut screen, &mut std::io::sink());
    child.wait()?;
    Ok(waited.as_secs_f64() * 1e3)
}

fn in_terminal(
    bench: &Bench,
    place: &Place,
    server: &Server,
) -> Result<(File, std::process::Child)> {
    let controller = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY)?;
    grantpt(&controller)?;
    unlockpt(&controller)?;
    let name = ptsname(&controller, Vec::new())?;
    let user = || -> Result<OwnedFd> {
        let name = name.to_str().context("the name of a terminal")?;
        Ok(OpenOptions::new().read(true).write(true).open(name)?.into())
    };
    let root = place.project.to_string_lossy();
    let words = ["exec", "--root", &root, "-p", scripts::LOOP];
    let mut command = bench
        .tenon(place, &words)
        .toward(&server.base_url)
        .command()?;
    let child = command
        .stdin(user()?)
        .stdout(user()?)
        .stderr(user()?)
        .spawn()?;
    drop(command);
    Ok((File::from(controller), child))
}

fn read_until(screen: &mut File, shown: &mut String, wanted: &str) -> Result<()> {
    let mut piece = [0; 4096];
    while !shown.contains(wanted) {
        match screen.read(&mut piece) {
            Ok(count) if count > 0 => {
                shown.push_str(&String::from_utf8_lossy(&piece[..count]));
            }
            _ => bail!("the program ended before it showed `{wanted}`: {shown}"),
        }
    }
    Ok(())
}
