//! What a step of the loop costs beyond the commands it runs, whether it stays
//! the same in a long run, and whether each request begins with the one before.

use super::place::{Bench, Place};
use super::report::{Bound, Line};
use super::scripts;
use super::server::Server;
use anyhow::{Context, Result, bail};
use serde_json::value::RawValue;
use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use tenon_vocab::{Event, EventKind, Role};

const SHORT: u32 = 50;
const LONG: u32 = 300;
/// Steps at each end of a long run that are compared.
const END: usize = 50;
const ROUNDS: usize = 5;
/// Noise, and the longer request itself, which the server must read.
const FLAT: f64 = 1.5;

pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let mut lines = vec![short(bench)?];
    lines.extend(long(bench)?);
    Ok(lines)
}

fn short(bench: &Bench) -> Result<Line> {
    let place = bench.fresh("steps-short")?;
    let server = Server::start(bench, &place, &scripts::steps(SHORT))?;
    let commands = place.write("commands", &scripts::commands(SHORT))?;
    let commands = commands.to_string_lossy();
    let plain = bench.baseline(&["spawn", &commands]);
    let mut least = f64::INFINITY;
    let mut plain_ms = f64::INFINITY;
    for _ in 0..ROUNDS {
        scripts::project(&place)?;
        let run = bench.once(&bench.bare(&place, &server.base_url, &["-p", scripts::LOOP])?)?;
        let spawned = bench.once(&plain)?;
        least = least.min(run.wall_ms);
        plain_ms = plain_ms.min(spawned.wall_ms);
    }
    let steps = f64::from(SHORT);
    Ok(Line {
        name: "50 steps, overhead of a step",
        value: (least - plain_ms) / steps,
        unit: "ms",
        bound: Bound::Below(3.0),
        baseline: Some(plain_ms / steps),
    })
}

fn long(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("steps-long")?;
    let server = Server::start(bench, &place, &scripts::steps(LONG))?;
    let events = place.file("events.jsonl");
    let mut peak = f64::INFINITY;
    let mut flat = f64::INFINITY;
    for _ in 0..3 {
        scripts::project(&place)?;
        let words = ["-p", scripts::LOOP, "--format", "json"];
        let run = bench
            .bare(&place, &server.base_url, &words)?
            .into_file(events.clone());
        peak = peak.min(bench.once(&run)?.peak_mb);
        flat = flat.min(slope(&events)?);
    }
    let plain = bench.once(&bench.baseline(&["say"]))?;
    Ok(vec![
        Line {
            name: "300 steps, peak memory",
            value: peak,
            unit: "MB",
            bound: Bound::Below(25.0),
            baseline: Some(plain.peak_mb),
        },
        Line {
            name: "300 steps, last 50 to first 50",
            value: flat,
            unit: "x",
            bound: Bound::Below(FLAT),
            baseline: None,
        },
    ])
}

/// The mean time of the last steps over that of the first.
fn slope(events: &Path) -> Result<f64> {
    let mut moments = Vec::new();
    for line in fs::read_to_string(events)?.lines() {
        let event: Event = serde_json::from_str(line)?;
        if let EventKind::Message(message) = &event.kind
            && message.role == Role::Assistant
        {
            moments.push(event.ts);
        }
    }
    let steps: Vec<f64> = moments
        .windows(2)
        .map(|pair| pair[1].duration_since(pair[0]).as_secs_f64())
        .collect();
    if steps.len() < LONG as usize {
        bail!(
            "{} steps instead of {LONG}; see {}",
            steps.len(),
            events.display()
        );
    }
    let mean = |steps: &[f64]| steps.iter().sum::<f64>() / steps.len() as f64;
    Ok(mean(&steps[steps.len() - END..]) / mean(&steps[..END]))
}

/// The share of requests that begin with all that the one before it sent.
pub fn prefix(bench: &Bench) -> Result<Vec<Line>> {
    let place = bench.fresh("prefix")?;
    scripts::project(&place)?;
    let record = place.file("requests.jsonl");
    let server = Server::recording(bench, &place, &scripts::steps(LONG), &record)?;
    bench.once(&bench.exec(&place, &server.base_url, &["-p", scripts::LOOP]))?;
    drop(server);
    // The window is asked for once, between two replies; that is no completion.
    let text: String = fs::read_to_string(&record)?
        .lines()
        .filter(|line| line.contains("/chat/completions"))
        .map(|line| format!("{line}\n"))
        .collect();
    let share = stable(&text)?;
    only_expected(&place, &text)?;
    Ok(vec![Line {
        name: "requests that begin with the one before",
        value: share * 100.0,
        unit: "%",
        bound: Bound::AtLeast(100.0),
        baseline: None,
    }])
}

fn only_expected(place: &Place, text: &str) -> Result<()> {
    let requests = text.lines().count();
    if requests != LONG as usize + 1 {
        bail!(
            "{requests} requests for {LONG} steps; see {}",
            place.folder.display()
        );
    }
    Ok(())
}

fn stable(record: &str) -> Result<f64> {
    let bodies: Vec<&str> = record.lines().map(body).collect::<Result<_>>()?;
    let pairs = bodies.windows(2);
    let all = pairs.len();
    let mut kept = 0;
    for pair in pairs {
        if pair[1].starts_with(sent(pair[0])?) {
            kept += 1;
        }
    }
    if all == 0 {
        bail!("there are no two requests to compare");
    }
    Ok(f64::from(kept) / all as f64)
}

fn body(line: &str) -> Result<&str> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(line)?;
    Ok(fields.get("body").context("a record without a body")?.get())
}

/// The body up to and with its last message.
fn sent(body: &str) -> Result<&str> {
    let fields: BTreeMap<String, &RawValue> = serde_json::from_str(body)?;
    let messages = fields
        .get("messages")
        .context("a body without messages")?
        .get();
    let end = messages.as_ptr() as usize - body.as_ptr() as usize + messages.len();
    // Without the bracket that closes the list.
    Ok(&body[..end - 1])
}

#[cfg(test)]
mod tests {
    use super::stable;

    #[test]
    fn a_request_that_rewrites_what_was_sent_is_counted() {
        let one = r#"{"path":"/","body":{"model":"m","messages":[{"a":1}],"stream":true}}"#;
        let two = r#"{"path":"/","body":{"model":"m","messages":[{"a":1},{"b":2}],"stream":true}}"#;
        let other =
            r#"{"path":"/","body":{"model":"m","messages":[{"a":2},{"b":2}],"stream":true}}"#;
        assert_eq!(stable(&format!("{one}\n{two}\n")).unwrap(), 1.0);
        assert_eq!(stable(&format!("{one}\n{two}\n{other}\n")).unwrap(), 0.5);
    }
}
