//! The scripted model server as another process, so that its cost is not
//! Tenon's.

use super::place::{Bench, Place};
use anyhow::{Context, Result, bail};
use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Stdio};

#[derive(Debug)]
pub struct Server {
    child: Child,
    /// `http://127.0.0.1:PORT/v1`
    pub base_url: String,
}

impl Server {
    pub fn start(bench: &Bench, place: &Place, scenarios: &Value) -> Result<Self> {
        Self::with(bench, place, scenarios, None)
    }

    /// One that writes every request down.
    pub fn recording(bench: &Bench, place: &Place, scenarios: &Value, into: &Path) -> Result<Self> {
        Self::with(bench, place, scenarios, Some(into))
    }

    fn with(
        bench: &Bench,
        place: &Place,
        scenarios: &Value,
        record: Option<&Path>,
    ) -> Result<Self> {
        let script = place.write("scenarios.json", &scenarios.to_string())?;
        let script = script.to_string_lossy();
        let mut words = vec!["mock-llm", "--port", "0", "--scenarios", &script];
        let record = record.map(Path::to_string_lossy);
        if let Some(record) = &record {
            words.extend(["--record-requests", record]);
        }
        let mut child = bench
            .tenon(place, &words)
            .command()?
            .stdout(Stdio::piped())
            .stderr(Stdio::inherit())
            .spawn()?;
        let mut first = String::new();
        if let Some(output) = child.stdout.take() {
            BufReader::new(output).read_line(&mut first)?;
        }
        match first.trim().strip_prefix("listening on ") {
            Some(base_url) => Ok(Self {
                child,
                base_url: base_url.to_owned(),
            }),
            None => {
                let _ = child.kill();
                bail!("`tenon mock-llm` did not start: {first}");
            }
        }
    }

    /// `127.0.0.1:PORT`, for a program that speaks to the socket itself.
    pub fn address(&self) -> Result<String> {
        let rest = self.base_url.strip_prefix("http://");
        let address = rest.and_then(|rest| rest.split('/').next());
        Ok(address.context("the address of the server")?.to_owned())
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
