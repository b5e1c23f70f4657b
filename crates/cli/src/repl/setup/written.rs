//! What the set-up writes: the same settings as flags for this session and as
//! the user's file.

use crate::error::CliError;
use serde_json::{Map, Value, json};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;

/// Dotted keys with their values.
pub type Flags = Vec<(String, Value)>;

/// What was answered, and what is needed besides.
pub struct Server {
    pub name: String,
    pub base_url: Option<String>,
    pub key_env: Option<String>,
}

pub fn flags(server: &Server, model: Option<&str>) -> Flags {
    let of = |field: &str| format!("providers.{}.{field}", server.name);
    let mut flags = vec![(String::from("default_provider"), json!(server.name))];
    flags.extend(
        server
            .base_url
            .iter()
            .map(|url| (of("base_url"), json!(url))),
    );
    flags.extend(
        server
            .key_env
            .iter()
            .map(|name| (of("api_key_env"), json!(name))),
    );
    flags.extend(model.map(|model| (of("model"), json!(model))));
    flags
}

/// The same as a file: `a.b.c` becomes nested objects.
pub fn page(flags: &[(String, Value)]) -> String {
    let mut whole = Map::new();
    for (key, value) in flags {
        let mut parts = key.split('.');
        match (parts.next(), parts.next(), parts.next()) {
            (Some(top), Some(name), Some(field)) => {
                let entry = whole.entry(top).or_insert_with(|| json!({}));
                entry[name][field] = value.clone();
            }
            _ => {
                whole.insert(key.clone(), value.clone());
            }
        }
    }
    serde_json::to_string_pretty(&Value::Object(whole)).unwrap_or_default() + "\n"
}

/// For the user alone, and never over something that is there.
pub fn create(folder: &Path, path: &Path, page: &str) -> Result<(), CliError> {
    let written = std::fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)
        .and_then(|()| {
            OpenOptions::new()
                .write(true)
                .create_new(true)
                .mode(0o600)
                .open(path)
        })
        .and_then(|mut file| file.write_all(page.as_bytes()));
    written.map_err(|error| CliError::runtime(format!("can't write {}: {error}", path.display())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_written_is_the_configuration_and_no_key() {
        let server = Server {
            name: "own".into(),
            base_url: Some("http://127.0.0.1:1/v1".into()),
            key_env: Some("MY_KEY".into()),
        };
        let page: Value = serde_json::from_str(&page(&flags(&server, Some("m")))).unwrap();
        assert_eq!(
            page,
            json!({"default_provider": "own", "providers": {"own": {
                "base_url": "http://127.0.0.1:1/v1", "api_key_env": "MY_KEY", "model": "m"}}})
        );
    }
}
