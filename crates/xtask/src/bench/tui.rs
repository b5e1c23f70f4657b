//! The terminal interface, by the real program in a pseudo terminal: how soon
//! it is there, what it needs, what a key and a delta cost, what idling costs.

use super::place::{Bench, Place};
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::{Context, Result};
use std::fs;
use std::process::Command;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tenon_testing::screen::{Cells, ENTER, Screen};

const CELLS: Cells = Cells {
    columns: 100,
    rows: 30,
};
const STARTS: usize = 5;
const KEYS: usize = 100;
const DELTAS: u32 = 20_000;
/// To a line, so that the transcript has 10,000.
const WORDS: u32 = 2;
const IDLE: Duration = Duration::from_secs(20);
/// A kernel counts the time of a process in these.
const TICK_MS: f64 = 10.0;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("tui")?;
    let server = Server::start(bench, &place, &scripts::deltas(DELTAS, WORDS))?;
    let mut first = f64::MAX;
    for _ in 0..STARTS {
        let began = Instant::now();
        let screen = open(bench, &place, &server);
        wait(&screen, "bench-model", Duration::from_micros(200))?;
        first = first.min(began.elapsed().as_secs_f64() * 1e3);
    }
    let screen = open(bench, &place, &server);
    wait(&screen, "bench-model", Duration::from_millis(1))?;
    sleep(Duration::from_millis(500));
    let start = Standing::of(&screen)?;
    sleep(IDLE);
    let idle = Standing::of(&screen)?;
    screen.keys(scripts::DELTAS);
    sleep(Duration::from_millis(200));
    let before = Standing::of(&screen)?;
    screen.keys(ENTER);
    wait(&screen, "Done.", Duration::from_millis(20))?;
    let shown = Standing::of(&screen)?;
    let key = keys(&screen)?;
    let line = |name, value, unit, bound| Line {
        name,
        value,
        unit,
        bound: Bound::Below(bound),
        baseline: None,
    };
    Ok(vec![
        line("screen: start to first frame", first, "ms", 25.0),
        line("screen: memory after start", start.memory_mb, "MB", 15.0),
        line(
            "screen: idle for 20 s, CPU",
            idle.ran_ms - start.ran_ms,
            "ms",
            5.0,
        ),
        line(
            "screen: idle for 20 s, wakeups",
            idle.wakeups - start.wakeups,
            "",
            20.5,
        ),
        line(
            "screen: 20,000 deltas, CPU of each",
            (shown.cpu_ms - before.cpu_ms) * 1e3 / f64::from(DELTAS),
            "µs",
            10.0,
        ),
        line("screen: key to screen, median", key, "ms", 5.0),
        line(
            "screen: memory after 20,000 deltas",
            shown.memory_mb,
            "MB",
            25.0,
        ),
    ])
}

pub(super) fn open(bench: &Bench, place: &Place, server: &Server) -> Screen {
    let mut command = Command::new(&bench.tenon);
    command
        .arg("--root")
        .arg(&place.project)
        .env_clear()
        .env("PATH", std::env::var_os("PATH").unwrap_or_default())
        .env("TERM", "xterm-256color")
        .env("HOME", &place.home)
        .env("TENON_HOME", &place.home)
        .env("TENON_BASE_URL", &server.base_url)
        .env("TENON_MODEL", "bench-model");
    Screen::start(command, CELLS)
}

/// Looks often, so that what is measured is the program and not the looking.
pub(super) fn wait(screen: &Screen, text: &str, pause: Duration) -> Result<()> {
    let limit = Instant::now() + Duration::from_secs(120);
    while !screen.view().has(text) {
        anyhow::ensure!(Instant::now() < limit, "`{text}` did not come");
        sleep(pause);
    }
    Ok(())
}

/// The median time from a key to its letter on the screen.
fn keys(screen: &Screen) -> Result<f64> {
    let mut times = Vec::with_capacity(KEYS);
    for at in 0..KEYS {
        let text = "x".repeat(at % 20 + 1);
        if at % 20 == 0 {
            screen.keys("\x15");
            sleep(Duration::from_millis(60));
        }
        sleep(Duration::from_millis(40));
        let began = Instant::now();
        screen.keys("x");
        let wanted = format!("> {text}");
        wait(screen, &wanted, Duration::from_micros(100))?;
        times.push(began.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    times
        .get(times.len() / 2)
        .copied()
        .context("no key was measured")
}

/// What the process has used so far.
pub(super) struct Standing {
    cpu_ms: f64,
    /// The same of the threads that there are, to the nanosecond.
    ran_ms: f64,
    /// At its largest.
    memory_mb: f64,
    pub resident_mb: f64,
    wakeups: f64,
}

impl Standing {
    pub fn of(screen: &Screen) -> Result<Self> {
        let folder = format!("/proc/{}", screen.pid());
        let stat = fs::read_to_string(format!("{folder}/stat"))?;
        let status = fs::read_to_string(format!("{folder}/status"))?;
        let fields: Vec<&str> = stat
            .rsplit_once(')')
            .map_or("", |(_, rest)| rest)
            .split_whitespace()
            .collect();
        let ticks = |at: usize| -> f64 {
            let text = fields.get(at).copied().unwrap_or_default();
            text.parse().unwrap_or(0.0)
        };
        let figure = |name: &str| -> f64 {
            let line = status.lines().find(|line| line.starts_with(name));
            let word = line.and_then(|line| line.split_whitespace().nth(1));
            word.and_then(|word| word.parse().ok()).unwrap_or(0.0)
        };
        Ok(Self {
            ran_ms: tasks(&folder, "schedstat", |text| {
                text.split_whitespace().next()?.parse().ok()
            })? / 1e6,
            cpu_ms: (ticks(11) + ticks(12)) * TICK_MS,
            memory_mb: figure("VmHWM:") / 1024.0,
            resident_mb: figure("VmRSS:") / 1024.0,
            wakeups: tasks(&folder, "status", |text| {
                let line = |line: &&str| line.starts_with("voluntary_ctxt_switches:");
                text.lines()
                    .find(line)?
                    .split_whitespace()
                    .nth(1)?
                    .parse()
                    .ok()
            })?,
        })
    }
}

/// The sum of a figure over all threads.
fn tasks(folder: &str, file: &str, read: impl Fn(&str) -> Option<f64>) -> Result<f64> {
    let mut sum = 0.0;
    for task in fs::read_dir(format!("{folder}/task"))? {
        // One may have ended since.
        if let Ok(text) = fs::read_to_string(task?.path().join(file)) {
            sum += read(&text).unwrap_or(0.0);
        }
    }
    Ok(sum)
}
