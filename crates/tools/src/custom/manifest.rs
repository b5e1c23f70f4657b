//! `tool.json`: what a custom tool says of itself. Read strictly, because a
//! person decides by it and a model is told of it.

use super::layout::FolderFile;
use serde_json::{Map, Value, json};
use std::collections::BTreeMap;
use tenon_policy::EXTERNAL_DIRECTORY;
use tenon_vocab::Effect;
use tenon_vocab::names::canonical_name;

pub const MANIFEST: &str = "tool.json";

const FIELDS: [&str; 6] = [
    "name",
    "description",
    "parameters",
    "command",
    "effect",
    "timeout_secs",
];
const LONGEST_MANIFEST: usize = 128 * 1024;
const LONGEST_DESCRIPTION: usize = 4096;
const LONGEST_NAME: usize = 48;
const LONGEST_TIMEOUT: u64 = 24 * 3600;
const MOST_WORDS: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub struct Manifest {
    pub name: String,
    pub description: String,
    /// A JSON Schema of type object.
    pub parameters: Value,
    /// The program and its arguments. A word that begins with `./` names a file
    /// of the folder.
    pub command: Vec<String>,
    pub effect: Effect,
    pub timeout_secs: Option<u64>,
}

/// Whether a tool may be called so: what every server of models takes.
#[must_use]
pub fn is_name(name: &str) -> bool {
    name.len() <= LONGEST_NAME
        && name.starts_with(|c: char| c.is_ascii_lowercase())
        && name
            .chars()
            .all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_')
}

impl Manifest {
    /// # Errors
    /// What is wrong, in one sentence.
    pub fn parse(folder: &str, bytes: &[u8]) -> Result<Self, String> {
        if bytes.len() > LONGEST_MANIFEST {
            return Err(format!(
                "{MANIFEST} is larger than {LONGEST_MANIFEST} bytes"
            ));
        }
        let value: Value = serde_json::from_slice(bytes)
            .map_err(|error| format!("{MANIFEST} is not JSON: {error}"))?;
        let Value::Object(fields) = value else {
            return Err(format!("{MANIFEST} is not a JSON object"));
        };
        if let Some(unknown) = fields.keys().find(|key| !FIELDS.contains(&key.as_str())) {
            return Err(format!(
                "{MANIFEST} has the unknown key `{unknown}`; the keys are {}",
                FIELDS.join(", ")
            ));
        }
        Ok(Self {
            name: name(folder, &fields)?,
            description: description(&fields)?,
            parameters: parameters(&fields)?,
            command: command(&fields)?,
            effect: effect(&fields)?,
            timeout_secs: timeout(&fields)?,
        })
    }

    /// Whether the files that the command names are there and can run.
    pub(super) fn fits(&self, files: &BTreeMap<String, FolderFile>) -> Result<(), String> {
        for (at, word) in self.command.iter().enumerate() {
            let Some(path) = word.strip_prefix("./") else {
                continue;
            };
            match files.get(path) {
                None => return Err(format!("its command names {word}, which does not exist")),
                Some(file) if at == 0 && !file.executable => {
                    return Err(format!("{word} is not executable: run `chmod +x` on it"));
                }
                Some(_) => {}
            }
        }
        Ok(())
    }
}

fn name(folder: &str, fields: &Map<String, Value>) -> Result<String, String> {
    let name = match fields.get("name") {
        None => folder,
        Some(Value::String(name)) if name == folder => folder,
        Some(other) => {
            return Err(format!(
                "its name is {other} but its folder is `{folder}`; they must be the same"
            ));
        }
    };
    if !is_name(name) {
        return Err(format!(
            "`{name}` can't be its name: use lower-case letters, digits and `_`, a letter first, \
             at most {LONGEST_NAME}"
        ));
    }
    // Also the spellings that stand for a built-in tool, and tools of which the
    // rules that come along speak: their permission is not this tool's.
    match canonical_name(name) {
        Some(taken) => Err(format!(
            "`{name}` already names the built-in tool `{taken}`"
        )),
        None if name == EXTERNAL_DIRECTORY => Err(format!(
            "`{name}` has a meaning in permission \
             rules"
        )),
        None => Ok(name.to_owned()),
    }
}

fn description(fields: &Map<String, Value>) -> Result<String, String> {
    match fields.get("description").and_then(Value::as_str) {
        Some(text) if text.trim().is_empty() => Err("its description is empty".into()),
        Some(text) if text.len() > LONGEST_DESCRIPTION => Err(format!(
            "its description is longer than {LONGEST_DESCRIPTION} bytes"
        )),
        Some(text) => Ok(text.to_owned()),
        None => Err("it has no `description`, which tells the model what the tool does".into()),
    }
}

fn parameters(fields: &Map<String, Value>) -> Result<Value, String> {
    let Some(schema) = fields.get("parameters") else {
        return Ok(json!({"type": "object", "properties": {}, "additionalProperties": false}));
    };
    let is_object = schema.get("type") == Some(&json!("object"));
    let properties = schema.get("properties").is_none_or(Value::is_object);
    if is_object && properties {
        Ok(schema.clone())
    } else {
        Err("`parameters` must be a JSON Schema with \"type\": \"object\"".into())
    }
}

fn command(fields: &Map<String, Value>) -> Result<Vec<String>, String> {
    let wrong = || String::from("`command` must be a list of strings, such as [\"./run.py\"]");
    let words = fields.get("command").and_then(Value::as_array);
    let words: Option<Vec<String>> = words
        .ok_or_else(wrong)?
        .iter()
        .map(|word| word.as_str().map(str::to_owned))
        .collect();
    let words = words.ok_or_else(wrong)?;
    let first = words.first().ok_or_else(wrong)?;
    if words.len() > MOST_WORDS || first.is_empty() || words.iter().any(|w| w.contains('\0')) {
        return Err(wrong());
    }
    // What lies elsewhere is not among the bytes that a person accepted.
    if first.contains('/') && !first.starts_with("./") && !first.starts_with('/') {
        return Err(format!(
            "`command` begins with {first}: write a file of the folder with ./ in front"
        ));
    }
    let climbs = |word: &String| word.starts_with("./") && word.split('/').any(|part| part == "..");
    if words.iter().any(climbs) {
        return Err("`command` leaves its folder with `..`".into());
    }
    Ok(words)
}

fn effect(fields: &Map<String, Value>) -> Result<Effect, String> {
    match fields.get("effect").map(|value| (value, value.as_str())) {
        None | Some((_, Some("execute"))) => Ok(Effect::Execute),
        Some((_, Some("read"))) => Ok(Effect::Read),
        Some((_, Some("write"))) => Ok(Effect::Write),
        Some((other, _)) => Err(format!(
            "`effect` is {other}; it must be read, write or execute"
        )),
    }
}

fn timeout(fields: &Map<String, Value>) -> Result<Option<u64>, String> {
    match fields.get("timeout_secs") {
        None => Ok(None),
        Some(value) => match value.as_u64() {
            Some(seconds @ 1..=LONGEST_TIMEOUT) => Ok(Some(seconds)),
            _ => Err(format!(
                "`timeout_secs` is {value}; it must be a number from 1 to {LONGEST_TIMEOUT}"
            )),
        },
    }
}
