//! The JSON Schemas of what hooks are told and of what they answer.

use crate::error::CliError;
use serde_json::Value;
use tenon_engine::hooks;

pub fn input() -> Result<String, CliError> {
    page(&hooks::input_schema())
}

pub fn output() -> Result<String, CliError> {
    page(&hooks::output_schema())
}

fn page(schema: &Value) -> Result<String, CliError> {
    serde_json::to_string_pretty(schema)
        .map(|page| page + "\n")
        .map_err(|error| CliError::runtime(format!("a schema of hooks: {error}")))
}
