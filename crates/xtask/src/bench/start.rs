//! How big the program is, how quickly it starts, and what a hello costs.

use super::listener::Listener;
use super::measure::RUNS;
use super::place::{Bench, megabytes};
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::Result;

pub fn size(bench: &Bench) -> Result<Vec<Line>> {
    Ok(vec![Line {
        name: "binary, stripped",
        value: megabytes(&bench.tenon)?,
        unit: "MB",
        bound: Bound::Below(16.0),
        baseline: Some(megabytes(&bench.baseline)?),
    }])
}

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("start")?;
    let plain = bench.least(&bench.baseline(&["say"]), RUNS)?;
    let version = bench.least(&bench.tenon(&place, &["--version"]), RUNS)?;

    let listener = Listener::bind()?;
    let hello = ["-p", scripts::HELLO];
    let first = listener.least(&bench.exec(&place, &listener.base_url()?, &hello), RUNS)?;
    let address = listener.address()?;
    let plain_first = listener.least(&bench.baseline(&["ask", &address, "hello"]), RUNS)?;

    let server = Server::start(bench, &place, &scripts::hello())?;
    let greeting = bench.least(&bench.exec(&place, &server.base_url, &hello), RUNS)?;
    let address = server.address()?;
    let asked = bench.least(&bench.baseline(&["ask", &address, scripts::HELLO]), RUNS)?;

    Ok(vec![
        Line {
            name: "--version, CPU",
            value: version.cpu_ms,
            unit: "ms",
            bound: Bound::Below(3.0),
            baseline: Some(plain.cpu_ms),
        },
        Line {
            name: "start to first request",
            value: first,
            unit: "ms",
            bound: Bound::Below(15.0),
            baseline: Some(plain_first),
        },
        Line {
            name: "hello, CPU",
            value: greeting.cpu_ms,
            unit: "ms",
            bound: Bound::Below(20.0),
            baseline: Some(asked.cpu_ms),
        },
        Line {
            name: "hello, peak memory",
            value: greeting.peak_mb,
            unit: "MB",
            bound: Bound::Below(16.0),
            baseline: Some(asked.peak_mb),
        },
    ])
}
