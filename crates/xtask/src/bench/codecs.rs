//! What a request and the wire formats cost apart from everything else: a long
//! history assembled and measured; one delta read, the history written, and
//! written again with one step more.

use super::place::Bench;
use super::report::{Bound, Line};
use anyhow::{Context, Result};
use serde_json::Value;
use std::process::Command;

/// The figures of the example, their unit and their limit.
const FIGURES: [(&str, &str, f64); 4] = [
    ("decode_us", "µs", 1.5),
    ("encode_ms", "ms", 5.0),
    ("encode_one_more_ms", "ms", 1.0),
    ("growth_mb", "MB", 5.0),
];

/// Each format, with the name of each figure.
const FORMATS: [(&str, [&str; 4]); 3] = [
    (
        "chat",
        [
            "chat, decoding of a delta",
            "chat, encoding of 1,000 messages",
            "chat, the same and one step more",
            "chat, growth with 100,000 messages",
        ],
    ),
    (
        "messages",
        [
            "messages, decoding of a delta",
            "messages, encoding of 1,000 messages",
            "messages, the same and one step more",
            "messages, growth with 100,000 messages",
        ],
    ),
    (
        "responses",
        [
            "responses, decoding of a delta",
            "responses, encoding of 1,000 messages",
            "responses, the same and one step more",
            "responses, growth with 100,000 messages",
        ],
    ),
];

/// Runs the formats in a program of its own, built as the release is.
pub fn run(bench: &Bench) -> Result<Vec<Line>> {
    let said = ask(bench, "assembly")?;
    let mut lines = vec![Line {
        name: "context assembly for 1,000 messages",
        value: said["assembly_ms"]
            .as_f64()
            .context("a figure is missing")?,
        unit: "ms",
        bound: Bound::Below(5.0),
        baseline: None,
    }];
    for (format, names) in FORMATS {
        let said = ask(bench, format)?;
        for (name, (figure, unit, limit)) in names.into_iter().zip(FIGURES) {
            lines.push(Line {
                name,
                value: said[figure].as_f64().context("a figure is missing")?,
                unit,
                bound: Bound::Below(limit),
                baseline: None,
            });
        }
    }
    Ok(lines)
}

fn ask(bench: &Bench, what: &str) -> Result<Value> {
    let codecs = bench.codecs()?;
    let output = Command::new(&codecs)
        .arg(what)
        .output()
        .with_context(|| format!("{} cannot be started", codecs.display()))?;
    serde_json::from_slice(&output.stdout).context("the example `codecs`")
}
