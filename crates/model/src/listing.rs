//! The list of models that a server offers, in any of the shapes in use. Every
//! server names the size of its window differently.

use crate::{ModelEntry, ModelError, ModelErrorKind, failure};
use serde_json::Value;

/// How far a number is to be trusted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Trust {
    /// What a prompt must fit into.
    Served,
    /// What the model could hold, if it was started so.
    Possible,
}

/// Where the window may stand, the truest first: what is really loaded comes
/// before what the model could have.
const WINDOW_PATHS: &[(&str, Trust)] = &[
    ("/loaded_context_length", Trust::Served),
    ("/meta/n_ctx", Trust::Served),
    ("/max_model_len", Trust::Served),
    // OpenRouter: the provider that is asked first may serve less.
    ("/top_provider/context_length", Trust::Served),
    ("/context_length", Trust::Served),
    ("/context_window", Trust::Served),
    ("/max_context", Trust::Served),
    ("/max_input_tokens", Trust::Served),
    ("/model_info/max_input_tokens", Trust::Served),
    ("/inputTokenLimit", Trust::Served),
    ("/max_context_length", Trust::Possible),
    ("/meta/n_ctx_train", Trust::Possible),
];

/// The window of an entry, how far to trust it, and what its field is called.
pub(crate) fn window(entry: &Value) -> Option<(u64, Trust, &'static str)> {
    WINDOW_PATHS.iter().find_map(|(path, trust)| {
        let tokens = tokens(entry.pointer(path)?)?;
        let field = path.rsplit('/').next().unwrap_or(path);
        Some((tokens, *trust, field))
    })
}

/// The entries of a list of models, in whatever it stands.
pub(crate) fn entries(value: &Value) -> impl Iterator<Item = &Value> {
    list(value).into_iter().flatten()
}

fn list(value: &Value) -> Option<&Vec<Value>> {
    match value {
        Value::Array(list) => Some(list),
        other => ["data", "models"]
            .iter()
            .find_map(|key| other.get(key).and_then(Value::as_array)),
    }
}

/// Reads `{"data":[…]}`, `{"models":[…]}` or a bare list.
pub(crate) fn parse_models(body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
    let value: Value = serde_json::from_slice(body).map_err(|_| {
        ModelError::new(ModelErrorKind::Protocol, "The model list isn't valid JSON.")
            .with_hint(failure::BASE_URL_HINT)
    })?;
    if failure::is_error(&value) {
        return Err(failure::in_reply(&value));
    }
    let Some(list) = list(&value) else {
        return Err(ModelError::new(
            ModelErrorKind::Protocol,
            "Tenon doesn't know the format of the server's model list.",
        )
        .with_hint("Name the model with `--model NAME`, or `model` in the configuration."));
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
        context_window: window(value).map(|(tokens, ..)| tokens),
    })
}

pub(crate) fn tokens(value: &Value) -> Option<u64> {
    let number = match value {
        Value::String(text) => text.trim().parse().ok(),
        other => other.as_u64(),
    };
    number.filter(|&tokens| tokens > 0)
}
