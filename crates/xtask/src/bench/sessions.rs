//! Many sessions, and one that is very long: what a list, a search and a resume
//! cost among them. Writing them takes longer than measuring, so they are kept.

use super::history::{self, Length};
use super::listener::Listener;
use super::measure::RUNS;
use super::place::{Bench, Place};
use super::report::{Bound, Line};
use super::resume::resumed;
use super::scripts;
use super::server::Server;
use super::talk;
use anyhow::{Context, Result};
use std::fs::{self, File};
use tenon_session::Store;
use tenon_vocab::SessionId;

const MANY: u32 = 5_000;
const GIGABYTE: u64 = 1_000_000_000;
const HUGE: u64 = 2_000_000_000;
/// In one session in so many.
const RARE: &str = "needleword";

pub fn gigabyte(bench: &Bench) -> Result<Vec<Line>> {
    let (place, session) = bench.kept("gigabyte", |place| {
        let (id, _) = history::write(place, Length::Bytes(GIGABYTE))?;
        Ok(id.to_string())
    })?;
    let session: SessionId = session.trim().parse().ok().context("no session id")?;
    let listener = Listener::bind()?;
    let again = resumed(bench, &place, session, &listener.base_url()?);
    let first = listener.least(&again, RUNS)?;
    let server = Server::start(bench, &place, &scripts::hello())?;
    let whole = bench.least(&resumed(bench, &place, session, &server.base_url), RUNS)?;
    let list = bench.least(&bench.tenon(&place, &["sessions", "list", "--all"]), RUNS)?;
    Ok(vec![
        Line {
            name: "resume of 1 GB, to first request",
            value: first,
            unit: "ms",
            bound: Bound::Below(1_000.0),
            baseline: None,
        },
        Line {
            name: "resume of 1 GB, peak memory",
            value: whole.peak_mb,
            unit: "MB",
            bound: Bound::Below(150.0),
            baseline: None,
        },
        Line {
            name: "sessions list with 1 GB in it",
            value: list.wall_ms,
            unit: "ms",
            bound: Bound::Below(50.0),
            baseline: None,
        },
    ])
}

/// One of the sessions is damaged, and one is a file of 2 GB without its digest.
pub fn many(bench: &Bench) -> Result<Vec<Line>> {
    let (place, _) = bench.kept("sessions", |place| {
        let store = Store::new(place.home.join("sessions"));
        let cwd = fs::canonicalize(&place.project)?;
        let mut last = Vec::new();
        for number in 0..MANY {
            last.push(talk::write(&store, &cwd, number, RARE)?);
        }
        let damaged = last.pop().context("no session")?;
        fs::write(&damaged, "no record\n")?;
        fs::remove_dir_all(damaged.with_extension("d"))?;
        let huge = last.pop().context("no session")?;
        File::options().write(true).open(&huge)?.set_len(HUGE)?;
        fs::remove_dir_all(huge.with_extension("d"))?;
        Ok(String::new())
    })?;
    let cache = place.home.join("cache");
    if cache.exists() {
        fs::remove_dir_all(&cache)?;
    }
    let list = bench.tenon(&place, &["sessions", "list", "--all"]);
    bench.once(&list)?;
    let list = bench.least(&list, RUNS)?;
    let build = bench.once(&search(bench, &place, RARE))?;
    Ok(vec![
        limited("sessions list of 5,000", list.wall_ms, 50.0),
        limited(
            "search in 5,000, index from nothing",
            build.wall_ms,
            60_000.0,
        ),
        limited(
            "search in 5,000, a rare word",
            found(bench, &place, RARE)?,
            200.0,
        ),
        limited(
            "search in 5,000, a word of all",
            found(bench, &place, "common")?,
            200.0,
        ),
        limited(
            "search in 5,000, four words",
            found(bench, &place, &talk::four_words())?,
            200.0,
        ),
        limited(
            "start among 5,000, to first request",
            start(bench, &place)?,
            100.0,
        ),
    ])
}

fn limited(name: &'static str, value: f64, limit: f64) -> Line {
    Line {
        name,
        value,
        unit: "ms",
        bound: Bound::Below(limit),
        baseline: None,
    }
}

fn search(bench: &Bench, place: &Place, words: &str) -> super::measure::Invocation {
    bench.tenon(place, &["sessions", "search", words])
}

fn found(bench: &Bench, place: &Place, words: &str) -> Result<f64> {
    let search = search(bench, place, words);
    bench.once(&search)?;
    Ok(bench.least(&search, RUNS)?.wall_ms)
}

fn start(bench: &Bench, place: &Place) -> Result<f64> {
    let listener = Listener::bind()?;
    let words = ["-p", scripts::HELLO, "--no-save"];
    let exec = bench.exec(place, &listener.base_url()?, &words);
    listener.least(&exec, RUNS)
}
