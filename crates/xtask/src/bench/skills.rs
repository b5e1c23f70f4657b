//! What three hundred skills cost a start: their heads are read before the first
//! request.

use super::listener::Listener;
use super::measure::RUNS;
use super::place::Bench;
use super::report::{Bound, Line};
use super::scripts;
use anyhow::Result;
use std::fs;

const SKILLS: usize = 300;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let hello = ["-p", scripts::HELLO];
    let listener = Listener::bind()?;
    let url = listener.base_url()?;
    let without = bench.fresh("no-skills")?;
    let plain = listener.least(&bench.exec(&without, &url, &hello), RUNS)?;
    let place = bench.fresh("skills")?;
    for number in 0..SKILLS {
        let folder = place.home.join("skills").join(format!("skill-{number}"));
        fs::create_dir_all(&folder)?;
        let about = "what it is for, in some words; ".repeat(8);
        let body = "A long line of instructions.\n".repeat(400);
        fs::write(
            folder.join("SKILL.md"),
            format!("---\nname: skill-{number}\ndescription: {about}\n---\n{body}"),
        )?;
    }
    let first = listener.least(&bench.exec(&place, &url, &hello), RUNS)?;
    Ok(vec![Line {
        name: "start with 300 skills",
        value: first,
        unit: "ms",
        bound: Bound::Below(60.0),
        baseline: Some(plain),
    }])
}
