//! The section `secrets`: whether secrets are masked in what is recorded and
//! sent, and by which patterns besides those that come along.

use crate::ConfigError;
use crate::load::{Loaded, Origin};
use serde_json::Value;
use std::sync::Arc;
use tenon_policy::{Layer, Masker};

const MASK: &str = "secrets.mask";
const PATTERNS: &str = "secrets.patterns.";

/// The masker that the settings describe. A project, trusted or not, may add
/// patterns and cannot switch the masking off.
///
/// # Errors
/// When a pattern cannot be used.
pub(crate) fn masker(
    loaded: &Loaded,
    warnings: &mut Vec<String>,
) -> Result<Arc<Masker>, ConfigError> {
    if let Some((Value::Bool(false), origin)) = loaded.get(MASK) {
        match origin {
            Origin::File {
                layer: Layer::Project,
                ..
            } => warnings.push(format!(
                "{MASK} = false is ignored ({origin}): only your own configuration can turn off masking"
            )),
            _ => return Ok(Masker::none()),
        }
    }
    let patterns: Vec<(&str, &str, &Origin)> = loaded
        .iter()
        .filter_map(|(dotted, entry)| {
            let name = dotted.strip_prefix(PATTERNS)?;
            Some((name, entry.value.as_str()?, &entry.origin))
        })
        .collect();
    for (name, pattern, origin) in &patterns {
        Masker::with_patterns([(*name, *pattern)]).map_err(|error| {
            ConfigError::hinted(
                format!("{PATTERNS}{name} ({origin}): {error}"),
                "A pattern has a name and a regular expression: \"ticket\": \"TCK-[0-9]{6}\". If it has a group named `secret`, only that part is masked.",
            )
        })?;
    }
    let pairs = patterns.iter().map(|(name, pattern, _)| (*name, *pattern));
    Masker::with_patterns(pairs).map_err(|error| ConfigError::general(error.to_string()))
}
