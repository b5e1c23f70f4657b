//! The scripted model server of a measurement: another process, so that its cost
//! is not Tenon's.

use super::place::{Bench, Place};
pub use crate::server::Server;
use anyhow::{Context, Result};
use serde_json::Value;
use std::path::Path;

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
        Self::of(&mut bench.tenon(place, &words).command()?)
    }

    /// `127.0.0.1:PORT`, for a program that speaks to the socket itself.
    pub fn address(&self) -> Result<String> {
        let rest = self.base_url.strip_prefix("http://");
        let address = rest.and_then(|rest| rest.split('/').next());
        Ok(address.context("the address of the server")?.to_owned())
    }
}
