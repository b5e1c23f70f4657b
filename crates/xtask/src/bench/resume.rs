//! How quickly work goes on: from the start of the program to the first request
//! of a session that already holds much.

use super::history::{self, Length};
use super::listener::Listener;
use super::measure::{Invocation, RUNS};
use super::place::{Bench, Place};
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::Result;
use tenon_vocab::SessionId;

const STEPS: u32 = 300;
const LARGE: u64 = 100_000_000;
const MANY: u64 = 10_000;
const VERY_MANY: u64 = 100_000;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let mut lines = vec![long(bench)?];
    lines.extend(large(bench)?);
    Ok(lines)
}

pub fn resumed(bench: &Bench, place: &Place, session: SessionId, base_url: &str) -> Invocation {
    let root = place.project.to_string_lossy();
    let session = session.to_string();
    let words = [
        "--root",
        &root,
        "sessions",
        "resume",
        &session,
        "-p",
        scripts::HELLO,
    ];
    bench.tenon(place, &words).toward(base_url)
}

fn long(bench: &Bench) -> Result<Line> {
    let place = bench.fresh("resume-long")?;
    scripts::project(&place)?;
    let session = SessionId::generate();
    let name = session.to_string();
    let server = Server::start(bench, &place, &scripts::steps(STEPS))?;
    let words = ["-p", scripts::LOOP, "--session", &name];
    bench.once(&bench.exec(&place, &server.base_url, &words))?;

    let listener = Listener::bind()?;
    let again = resumed(bench, &place, session, &listener.base_url()?);
    let address = listener.address()?;
    Ok(Line {
        name: "resume of 300 steps, to first request",
        value: listener.least(&again, RUNS)?,
        unit: "ms",
        bound: Bound::Below(25.0),
        baseline: Some(listener.least(&bench.baseline(&["ask", &address, "hello"]), RUNS)?),
    })
}

fn large(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("resume-large")?;
    let (session, log) = history::write(&place, Length::Bytes(LARGE))?;
    let listener = Listener::bind()?;
    let again = resumed(bench, &place, session, &listener.base_url()?);
    let first = listener.least(&again, RUNS)?;
    let server = Server::start(bench, &place, &scripts::hello())?;
    let measured = bench.least(&resumed(bench, &place, session, &server.base_url), RUNS)?;

    let log = log.to_string_lossy();
    let plain = bench.least(&bench.baseline(&["load", &log]), RUNS)?;
    Ok(vec![
        Line {
            name: "resume of 100 MB, to first request",
            value: first,
            unit: "ms",
            bound: Bound::Below(300.0),
            baseline: Some(plain.wall_ms),
        },
        Line {
            name: "resume of 100 MB, peak memory",
            value: measured.peak_mb,
            unit: "MB",
            bound: Bound::Below(60.0),
            baseline: Some(plain.peak_mb),
        },
    ])
}

/// What ten times as many messages cost in memory: what is out of the context
/// stays on the disk.
pub fn messages(bench: &Bench) -> Result<Vec<Line>> {
    let peak = |name: &str, count: u64| -> Result<f64> {
        let place = bench.fresh(name)?;
        let (session, _) = history::write(&place, Length::Messages(count))?;
        let server = Server::start(bench, &place, &scripts::hello())?;
        let run = resumed(bench, &place, session, &server.base_url);
        Ok(bench.least(&run, RUNS)?.peak_mb)
    };
    let many = peak("messages-many", MANY)?;
    let very_many = peak("messages-very-many", VERY_MANY)?;
    Ok(vec![Line {
        name: "memory of 100,000 messages over 10,000",
        value: very_many - many,
        unit: "MB",
        bound: Bound::Below(5.0),
        baseline: None,
    }])
}
