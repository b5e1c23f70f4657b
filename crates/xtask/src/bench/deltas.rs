//! What one delta of a stream costs: decoded, kept on the disk, shown.

use super::measure::RUNS;
use super::place::Bench;
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::Result;

const DELTAS: u32 = 20_000;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("deltas")?;
    let server = Server::start(bench, &place, &scripts::deltas(DELTAS, 16))?;
    let cpu = |words: &[&str]| -> Result<f64> {
        let run = bench.exec(&place, &server.base_url, words);
        Ok(bench.least(&run, RUNS)?.cpu_ms)
    };
    // A prompt that the script does not know gets one word back.
    let short = cpu(&["-p", scripts::HELLO])?;
    let text = cpu(&["-p", scripts::DELTAS])?;
    let json = cpu(&["-p", scripts::DELTAS, "--format", "json"])?;

    let address = server.address()?;
    let plain = |prompt: &str| -> Result<f64> {
        let run = bench.baseline(&["ask", &address, prompt]);
        Ok(bench.least(&run, RUNS)?.cpu_ms)
    };
    let baseline = each(plain(scripts::DELTAS)? - plain(scripts::HELLO)?);
    let line = |name, cpu: f64| Line {
        name,
        value: each(cpu - short),
        unit: "µs",
        bound: Bound::Below(5.0),
        baseline: Some(baseline),
    };
    Ok(vec![
        line("20,000 deltas as text, CPU of each", text),
        line("20,000 deltas as JSON, CPU of each", json),
    ])
}

/// Milliseconds for all as microseconds for one.
fn each(milliseconds: f64) -> f64 {
    milliseconds * 1e3 / f64::from(DELTAS)
}
