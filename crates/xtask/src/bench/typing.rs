//! What is written, in the real program in a pseudo terminal: a very long paste,
//! and a file that is looked for among a hundred thousand.

use super::place::Bench;
use super::report::{Bound, Line};
use super::scripts;
use super::search;
use super::server::Server;
use super::tui::{open, wait};
use anyhow::Result;
use std::thread::sleep;
use std::time::{Duration, Instant};
use tenon_testing::screen::{Screen, control};

const RUNS: usize = 5;
const PASTED_LINES: usize = 20_000;
/// Where the tree has this file, and how a person asks for it.
const WANTED: &str = "d16/e0/f77.rs";
const TYPED: &str = "d16/e0/f77";

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let mut place = bench.fresh("typing")?;
    place.project = search::tree(bench)?;
    let server = Server::start(bench, &place, &scripts::hello())?;
    let screen = open(bench, &place, &server);
    wait(&screen, "bench-model", Duration::from_millis(1))?;
    let paste = least(|| pasted(&screen))?;
    let (first, keys) = looked_for(&screen)?;
    let line = |name, value, bound| Line {
        name,
        value,
        unit: "ms",
        bound: Bound::Below(bound),
        baseline: None,
    };
    Ok(vec![
        line("screen: a paste of 1 MB", paste, 100.0),
        line(
            "screen: `@` among 100,000 files, first look",
            first,
            1_000.0,
        ),
        line("screen: `@`, slowest of the keys after it", keys, 50.0),
    ])
}

fn least(mut measure: impl FnMut() -> Result<f64>) -> Result<f64> {
    let mut least = f64::MAX;
    for _ in 0..RUNS {
        least = least.min(measure()?);
    }
    Ok(least)
}

/// Until the one word that stands for it is there; then it is taken out again.
fn pasted(screen: &Screen) -> Result<f64> {
    let text = "fifty bytes that somebody copied from a long log \n".repeat(PASTED_LINES);
    let began = Instant::now();
    screen.paste(&text);
    wait(screen, "[pasted 20", Duration::from_micros(200))?;
    let took = began.elapsed().as_secs_f64() * 1e3;
    screen.keys(&control('u'));
    gone(screen, "[pasted 20")?;
    Ok(took)
}

/// The time until the menu has the file, and then of the slowest of the keys that
/// take letters away and give them back.
fn looked_for(screen: &Screen) -> Result<(f64, f64)> {
    let began = Instant::now();
    screen.keys("@");
    for letter in TYPED.chars() {
        screen.key(&letter.to_string());
    }
    wait(screen, WANTED, Duration::from_micros(200))?;
    let typing = Duration::from_millis(20) * u32::try_from(TYPED.len()).unwrap_or(0);
    let first = began.elapsed().saturating_sub(typing).as_secs_f64() * 1e3;
    let mut slowest = 0.0_f64;
    let mut text = TYPED.to_owned();
    while let Some(letter) = text.pop().filter(|_| !text.is_empty()) {
        slowest = slowest.max(key(screen, "\x7f", &text)?);
        let whole = format!("{text}{letter}");
        slowest = slowest.max(key(screen, &letter.to_string(), &whole)?);
        slowest = slowest.max(key(screen, "\x7f", &text)?);
    }
    Ok((first, slowest))
}

/// From a key to the text that is then at the cursor.
fn key(screen: &Screen, key: &str, text: &str) -> Result<f64> {
    sleep(Duration::from_millis(40));
    let wanted = format!("> @{text}");
    let began = Instant::now();
    screen.keys(key);
    let limit = began + Duration::from_secs(10);
    while screen.view().at_cursor() != wanted {
        anyhow::ensure!(Instant::now() < limit, "`{wanted}` did not come");
        sleep(Duration::from_micros(100));
    }
    Ok(began.elapsed().as_secs_f64() * 1e3)
}

fn gone(screen: &Screen, text: &str) -> Result<()> {
    let limit = Instant::now() + Duration::from_secs(10);
    while screen.view().has(text) {
        anyhow::ensure!(Instant::now() < limit, "`{text}` stays");
        sleep(Duration::from_millis(1));
    }
    Ok(())
}
