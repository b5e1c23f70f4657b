//! The fields of one provider as written, with their places.

use crate::ConfigError;
use crate::load::{Loaded, Origin};
use serde_json::Value;
use std::path::PathBuf;

/// The entry of one provider.
pub(crate) struct Entry<'a> {
    pub loaded: &'a Loaded,
    pub name: &'a str,
}

impl<'a> Entry<'a> {
    pub(crate) fn dotted(&self, field: &str) -> String {
        format!("providers.{}.{field}", self.name)
    }

    pub(crate) fn get(&self, field: &str) -> Option<(&'a Value, &'a Origin)> {
        self.loaded.get(&self.dotted(field))
    }

    pub(crate) fn text(&self, field: &str) -> Option<&'a str> {
        self.get(field).and_then(|(value, _)| value.as_str())
    }

    pub(crate) fn number(&self, field: &str) -> Option<u64> {
        self.get(field).and_then(|(value, _)| value.as_u64())
    }

    pub(crate) fn texts(&self, field: &str) -> Vec<String> {
        match self.get(field).map(|(value, _)| value) {
            Some(Value::String(text)) => vec![text.clone()],
            Some(Value::Array(items)) => items
                .iter()
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            _ => Vec::new(),
        }
    }

    /// A path of a file, relative to the file that names it.
    pub(crate) fn path(&self, field: &str) -> Option<PathBuf> {
        let (value, origin) = self.get(field)?;
        let path = PathBuf::from(value.as_str()?);
        Some(match origin.folder() {
            Some(folder) if path.is_relative() => folder.join(path),
            _ => path,
        })
    }

    /// An error about a field, with the place where it is written.
    pub(crate) fn wrong(&self, field: &str, why: &str, hint: &str) -> ConfigError {
        let place = match self.get(field) {
            Some((_, origin)) => format!("{origin}: "),
            None => String::new(),
        };
        ConfigError::hinted(format!("{place}`{}`: {why}", self.dotted(field)), hint)
    }
}
