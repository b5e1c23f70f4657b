//! The session as one JSON document, with the field names that scripts already
//! read (`createdAt`, `originalPrompt`, `taskList`, `history`, `totalTokens`),
//! and below `events` every record with all of its fields, also those that this
//! version does not know. The document can be imported again: `content` has what
//! stands beside the log and belongs to the conversation.
//!
//! Three things are left out, because they mean something only beside the log or
//! on the machine where it was written: the contents of files before a change
//! (their names stay), snapshots, and their offsets.

use crate::record::decode_value;
use crate::verify::named_content;
use crate::{Blobs, Loaded};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::ser::{Serialize, SerializeMap, Serializer};
use serde_json::{Map, Value, json};
use std::collections::HashSet;
use std::io;
use tenon_vocab::{BlobRef, Event, EventKind, Role, TodoItem, TodoStatus};

/// What `format` says, and the version of the shape around the events.
pub(crate) const FORMAT: &str = "tenon-session";
pub(crate) const FORMAT_VERSION: u64 = 1;
/// Why the earlier content of a file is not there.
pub(crate) const NOT_CARRIED: &str = "an export does not carry the earlier content of files";

/// Bytes of content in one document.
const CONTENT: u64 = 64 * 1024 * 1024;

/// The document as a value.
///
/// # Errors
/// When a key or a number cannot be written as JSON.
pub fn json(loaded: &Loaded) -> Result<Value, serde_json::Error> {
    serde_json::to_value(Document::new(loaded))
}

/// The document as text, written record by record.
///
/// # Errors
/// When it cannot be written.
pub fn write_json(loaded: &Loaded, out: impl io::Write) -> io::Result<()> {
    let mut out = io::BufWriter::new(out);
    serde_json::to_writer_pretty(&mut out, &Document::new(loaded))?;
    io::Write::write_all(&mut out, b"\n")?;
    io::Write::flush(&mut out)
}

struct Document<'a> {
    loaded: &'a Loaded,
    content: Content,
}

impl<'a> Document<'a> {
    fn new(loaded: &'a Loaded) -> Self {
        Self {
            loaded,
            content: Content::gather(loaded),
        }
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let loaded = self.loaded;
        let state = loaded.state();
        let meta = state.meta();
        let settings = state.settings();
        let usage = state.usage();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", FORMAT)?;
        map.serialize_entry("formatVersion", &FORMAT_VERSION)?;
        map.serialize_entry("schemaVersion", &meta.schema_version)?;
        map.serialize_entry("id", &loaded.id)?;
        let stamp = |record: Option<&crate::Record>| record.map(|record| record.event.ts);
        map.serialize_entry("createdAt", &stamp(loaded.records.first()))?;
        map.serialize_entry("updatedAt", &stamp(loaded.records.last()))?;
        map.serialize_entry("workingDirectory", &meta.cwd)?;
        map.serialize_entry("gitBranch", &meta.git_branch)?;
        map.serialize_entry("originalPrompt", &first_prompt(loaded))?;
        map.serialize_entry("title", &settings.map(|settings| &settings.title))?;
        map.serialize_entry("model", &settings.map(|settings| &settings.model))?;
        map.serialize_entry("provider", &settings.map(|settings| &settings.provider))?;
        map.serialize_entry("agent", &settings.map(|settings| &settings.agent_name))?;
        let tasks: Vec<Value> = state.todo().iter().map(task).collect();
        map.serialize_entry("taskList", &tasks)?;
        map.serialize_entry("history", &History(loaded))?;
        map.serialize_entry("totalTokens", &usage.total())?;
        map.serialize_entry("usage", &usage)?;
        map.serialize_entry("cost", &state.cost())?;
        map.serialize_entry("models", state.by_model())?;
        map.serialize_entry("compressionCount", &state.compactions())?;
        map.serialize_entry("forkedFrom", &meta.forked_from)?;
        map.serialize_entry("unfinished", &!loaded.virtual_tail.is_empty())?;
        map.serialize_entry("contentLeftOut", &self.content.left_out)?;
        map.serialize_entry("content", &self.content.carried)?;
        map.serialize_entry("events", &Events(loaded))?;
        map.end()
    }
}

/// What the conversation needs of what stands beside the log.
struct Content {
    carried: Map<String, Value>,
    /// By name: lost, damaged, or more than a document may carry.
    left_out: Vec<String>,
}

impl Content {
    fn gather(loaded: &Loaded) -> Self {
        let mut content = Self {
            carried: Map::new(),
            left_out: Vec::new(),
        };
        let (mut seen, mut bytes) = (HashSet::new(), 0);
        let named = loaded
            .records
            .iter()
            .filter(|record| !matches!(record.event.kind, EventKind::Checkpoint(_)))
            .flat_map(|record| named_content(&record.event));
        for name in named {
            if !seen.insert(name.sha256.clone()) {
                continue;
            }
            match read(&name, &loaded.blobs, CONTENT.saturating_sub(bytes)) {
                Some(value) => {
                    bytes = bytes.saturating_add(name.bytes);
                    content.carried.insert(name.sha256, value);
                }
                None => content.left_out.push(name.sha256),
            }
        }
        content
    }
}

fn read(name: &BlobRef, blobs: &Blobs, room: u64) -> Option<Value> {
    let bytes = blobs.get(name).ok().filter(|_| name.bytes <= room)?;
    Some(match String::from_utf8(bytes) {
        Ok(text) => json!({ "text": text }),
        Err(error) => json!({ "base64": STANDARD.encode(error.as_bytes()) }),
    })
}

struct History<'a>(&'a Loaded);

impl Serialize for History<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(self.0.events().filter_map(entry))
    }
}

struct Events<'a>(&'a Loaded);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(
            self.0
                .records
                .iter()
                .filter_map(|record| decode_value(&record.line, &self.0.blobs).ok())
                .map(portable),
        )
    }
}

/// A record without what means something only beside its log.
fn portable(mut record: Value) -> Value {
    let Some(fields) = record.as_object_mut() else {
        return record;
    };
    match fields.get("type").and_then(Value::as_str) {
        Some("snapshot") => {
            let envelope = ["seq", "ts", "session", "run", "parent", "agent", "type"];
            fields.retain(|key, _| envelope.contains(&key.as_str()));
        }
        Some("run_finished") => {
            fields.shift_remove("snapshot");
        }
        Some("checkpoint") => {
            let files = fields.insert(String::from("files"), json!([]));
            let kept = files.as_ref().and_then(Value::as_array);
            let named = kept
                .into_iter()
                .flatten()
                .map(|file| json!({"path": file["path"], "reason": NOT_CARRIED}));
            let mut unkept = match fields.get_mut("unkept").map(Value::take) {
                Some(Value::Array(unkept)) => unkept,
                _ => Vec::new(),
            };
            unkept.extend(named);
            fields.insert(String::from("unkept"), Value::Array(unkept));
        }
        _ => {}
    }
    record
}

/// The whole of it; the run's record holds only its beginning.
fn first_prompt(loaded: &Loaded) -> String {
    loaded
        .events()
        .filter(|event| event.parent.is_none())
        .find_map(|event| match &event.kind {
            EventKind::Message(message) if message.role == Role::User => Some(message.text()),
            _ => None,
        })
        .unwrap_or_else(|| loaded.state().first_prompt().to_owned())
}

fn task(item: &TodoItem) -> Value {
    let status = match item.status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in-progress",
        TodoStatus::Completed => "complete",
        TodoStatus::Cancelled => "cancelled",
    };
    json!({"status": status, "text": item.text})
}

fn entry(event: &Event) -> Option<Value> {
    if event.parent.is_some() {
        return None;
    }
    match &event.kind {
        EventKind::Message(message) => {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            };
            Some(json!({
                "role": role,
                "content": message.text(),
                "status": message.status,
                "calls": message.tool_calls().collect::<Vec<_>>(),
            }))
        }
        EventKind::ToolResult(result) => Some(json!({
            "role": "tool",
            "name": result.name,
            "call": result.call,
            "ok": result.ok,
            "content": result.model_text,
        })),
        _ => None,
    }
}
