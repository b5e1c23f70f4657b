//! A day in one window: thousands of turns with long outputs and long answers.
//! What is on the screen scrolls away, what the model saw is compacted, and the
//! program stays as large as it was.

use super::place::Bench;
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use super::tui::{Standing, open, wait};
use anyhow::{Context, Result};
use std::time::Duration;
use tenon_testing::screen::ENTER;

const TURNS: u32 = 2_000;
/// From here on nothing may grow: every buffer has been as full as it gets.
const WARM: u32 = 200;
/// How often the memory is looked at.
const EVERY: u32 = 100;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("soak")?;
    // As a user has it: only asking is left out, since nobody is there.
    place.configure(r#"{"permission": {"bash": "allow"}}"#)?;
    let server = Server::start(bench, &place, &scripts::soak())?;
    let screen = open(bench, &place, &server);
    wait(&screen, "bench-model", Duration::from_millis(1))?;
    let (mut warm, mut largest) = (None, 0.0_f64);
    for turn in 1..=TURNS {
        screen.keys(scripts::SOAK);
        wait(&screen, scripts::SOAK, Duration::from_millis(1))?;
        screen.keys(ENTER);
        wait(&screen, &scripts::soaked(turn), Duration::from_millis(5))
            .with_context(|| format!("turn {turn}\n{}", screen.view().text()))?;
        if turn % EVERY == 0 {
            let now = Standing::of(&screen)?.resident_mb;
            match turn {
                ..WARM => {}
                WARM => warm = Some(now),
                _ => largest = largest.max(now),
            }
        }
    }
    let warm = warm.context("too few turns")?;
    let line = |name, value, bound| Line {
        name,
        value,
        unit: "MB",
        bound: Bound::Below(bound),
        baseline: None,
    };
    Ok(vec![
        line("screen: memory after 200 turns", warm, 60.0),
        line(
            "screen: growth from there to 2,000 turns",
            largest - warm,
            10.0,
        ),
    ])
}
