//! The list of models that a server offers, in any of the shapes in use. Every
//! server names the size of its window differently.

use crate::{ModelEntry, ModelError, ModelErrorKind, failure};
use serde_json::Value;

/// Where the window may stand, the truest first: what is really loaded comes
/// before what the model could have.
const WINDOW_PATHS: &[&str] = &[
    "/loaded_context_length",
    "/meta/n_ctx",
    "/max_model_len",
    "/context_length",
    "/context_window",
    "/max_context_length",
    "/max_context",
    "/max_input_tokens",
    "/top_provider/context_length",
    "/model_info/max_input_tokens",
    "/inputTokenLimit",
    "/meta/n_ctx_train",
];

/// Reads `{"data":[…]}`, `{"models":[…]}` or a bare list.
pub(crate) fn parse_models(body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
    let value: Value = serde_json::from_slice(body).map_err(|_| {
        ModelError::new(
            ModelErrorKind::Protocol,
            "The list of models is not valid JSON.",
        )
        .with_hint(failure::BASE_URL_HINT)
    })?;
    if failure::is_error(&value) {
        return Err(failure::in_reply(&value));
    }
    let list = match &value {
        Value::Array(list) => Some(list),
        other => ["data", "models"]
            .iter()
            .find_map(|key| other.get(key).and_then(Value::as_array)),
    };
    let Some(list) = list else {
        return Err(ModelError::new(
            ModelErrorKind::Protocol,
            "The server's list of models is in no known form.",
        )
        .with_hint("Name the model yourself: `--model NAME`, or `model` in the configuration."));
    };
    let mut entries: Vec<ModelEntry> = Vec::new();
    for entry in list.iter().filter_map(entry) {
        if !entries.iter().any(|known| known.id == entry.id) {
            entries.push(entry);
        }
    }
    Ok(entries)
}

fn entry(value: &Value) -> Option<ModelEntry> {
    let id = match value {
        Value::String(id) => id.as_str(),
        other => ["id", "model", "name", "key"]
            .iter()
            .find_map(|key| other.get(key).and_then(Value::as_str))?,
    };
    if id.is_empty() {
        return None;
    }
    Some(ModelEntry {
        id: id.to_owned(),
        context_window: WINDOW_PATHS
            .iter()
            .find_map(|path| value.pointer(path).and_then(window)),
    })
}

fn window(value: &Value) -> Option<u64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    number.filter(|&tokens| tokens > 0)
}
