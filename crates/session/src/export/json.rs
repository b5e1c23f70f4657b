//! The session as one JSON document, with the field names that scripts already
//! read (`createdAt`, `originalPrompt`, `taskList`, `history`, `totalTokens`),
//! and below `events` every record with all of its fields, also those that this
//! version does not know. The document can be imported again: `content` has what
//! stands beside the log and belongs to the conversation.
//!
//! Three things are left out, because they mean something only beside the log or
//! on the machine where it was written: the contents of files before a change
//! (their names stay), snapshots, and their offsets.

mod harmless;

use crate::record::decode_value;
use crate::verify::named_content;
use crate::{Blobs, Reading, SessionError};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use harmless::Harmless;
use serde::ser::{Error as _, Serialize, SerializeMap, SerializeSeq, Serializer};
use serde_json::{Value, json};
use std::collections::HashSet;
use std::io;
use tenon_vocab::{BlobRef, ContextChange, Event, EventKind, Message, Role, TodoItem, TodoStatus};

/// What `format` says, and the version of the shape around the events.
pub(crate) const FORMAT: &str = "tenon-session";
pub(crate) const FORMAT_VERSION: u64 = 1;
/// Why the earlier content of a file is not there.
pub(crate) const NOT_CARRIED: &str = "exports do not include the earlier content of files";

/// Bytes of content in one document.
const CONTENT: u64 = 64 * 1024 * 1024;

/// The document as a value.
///
/// # Errors
/// When the log cannot be read.
pub fn json(reading: &Reading) -> io::Result<Value> {
    Ok(serde_json::to_value(Document::new(reading)?)?)
}

/// How a message of the assistant was written in this dialect; `None` where that is
/// its text. Whoever exports knows the dialects.
pub type Written<'a> = &'a dyn Fn(&str, &Message) -> Option<String>;

/// The document as text, written record by record.
///
/// # Errors
/// When the log cannot be read, or the document not be written.
pub fn write_json(
    reading: &Reading,
    written: Written<'_>,
    out: &mut dyn io::Write,
) -> io::Result<()> {
    let mut out = Harmless(io::BufWriter::new(out));
    let document = Document {
        written,
        ..Document::new(reading)?
    };
    serde_json::to_writer_pretty(&mut out, &document)?;
    io::Write::write_all(&mut out, b"\n")?;
    io::Write::flush(&mut out)
}

struct Document<'a> {
    reading: &'a Reading,
    content: Content,
    written: Written<'a>,
}

impl<'a> Document<'a> {
    fn new(reading: &'a Reading) -> io::Result<Self> {
        let content = Content::gather(reading).map_err(io::Error::other)?;
        Ok(Self {
            reading,
            content,
            written: &|_, _| None,
        })
    }
}

impl Serialize for Document<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let reading = self.reading;
        let outline = reading.outline();
        let meta = outline.meta();
        let settings = outline.settings();
        let usage = outline.usage();
        let mut map = serializer.serialize_map(None)?;
        map.serialize_entry("format", FORMAT)?;
        map.serialize_entry("formatVersion", &FORMAT_VERSION)?;
        map.serialize_entry("schemaVersion", &meta.schema_version)?;
        map.serialize_entry("id", &reading.id)?;
        map.serialize_entry("createdAt", &reading.created)?;
        map.serialize_entry("updatedAt", &reading.updated)?;
        map.serialize_entry("workingDirectory", &meta.cwd)?;
        map.serialize_entry("gitBranch", &meta.git_branch)?;
        map.serialize_entry("originalPrompt", outline.first_prompt())?;
        map.serialize_entry("title", &settings.map(|settings| &settings.title))?;
        map.serialize_entry("model", &settings.map(|settings| &settings.model))?;
        map.serialize_entry("provider", &settings.map(|settings| &settings.provider))?;
        map.serialize_entry("agent", &settings.map(|settings| &settings.agent_name))?;
        let tasks: Vec<Value> = outline.todo().iter().map(task).collect();
        map.serialize_entry("taskList", &tasks)?;
        map.serialize_entry("history", &History(reading, self.written))?;
        map.serialize_entry("totalTokens", &usage.total())?;
        map.serialize_entry("usage", &usage)?;
        map.serialize_entry("cost", &outline.cost())?;
        map.serialize_entry("models", outline.by_model())?;
        map.serialize_entry("compressionCount", &outline.compactions())?;
        map.serialize_entry("compressions", &Compressions(reading))?;
        map.serialize_entry("forkedFrom", &meta.forked_from)?;
        map.serialize_entry("unfinished", &!reading.virtual_tail.is_empty())?;
        map.serialize_entry("contentLeftOut", &self.content.left_out)?;
        map.serialize_entry("content", &self.content)?;
        map.serialize_entry("events", &Events(reading))?;
        map.end()
    }
}

/// What the conversation needs of what stands beside the log, by name: it is
/// read again, one after the other, when it is written.
struct Content {
    carried: Vec<BlobRef>,
    /// Lost, damaged, or more than a document may carry.
    left_out: Vec<String>,
    blobs: Blobs,
}

impl Content {
    fn gather(reading: &Reading) -> Result<Self, SessionError> {
        let mut content = Self {
            carried: Vec::new(),
            left_out: Vec::new(),
            blobs: reading.blobs(),
        };
        let (mut seen, mut bytes) = (HashSet::new(), 0_u64);
        for record in reading.records() {
            let event = record?.event;
            if matches!(event.kind, EventKind::Checkpoint(_)) {
                continue;
            }
            for name in named_content(&event) {
                if !seen.insert(name.sha256.clone()) {
                    continue;
                }
                let room = CONTENT.saturating_sub(bytes);
                if name.bytes <= room && content.blobs.get(&name).is_ok() {
                    bytes = bytes.saturating_add(name.bytes);
                    content.carried.push(name);
                } else {
                    content.left_out.push(name.sha256);
                }
            }
        }
        Ok(content)
    }
}

impl Serialize for Content {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let carried = self.carried.iter().filter_map(|name| {
            let bytes = self.blobs.get(name).ok()?;
            Some((&name.sha256, value(bytes)))
        });
        serializer.collect_map(carried)
    }
}

fn value(content: Vec<u8>) -> Value {
    match String::from_utf8(content) {
        Ok(text) => json!({ "text": text }),
        Err(error) => json!({ "base64": STANDARD.encode(error.as_bytes()) }),
    }
}

struct Compressions<'a>(&'a Reading);

impl Serialize for Compressions<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut compressions = serializer.serialize_seq(None)?;
        for event in self.0.events() {
            let event = event.map_err(S::Error::custom)?;
            if let EventKind::Context(ContextChange::Compacted(compacted)) = &event.kind
                && event.parent.is_none()
            {
                compressions.serialize_element(&json!({
                    "timestamp": event.ts,
                    "tokensBefore": compacted.tokens_before,
                    "tokensAfter": compacted.tokens_after,
                }))?;
            }
        }
        compressions.end()
    }
}

struct History<'a>(&'a Reading, Written<'a>);

impl Serialize for History<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut entries = serializer.serialize_seq(None)?;
        let mut dialect = String::new();
        for event in self.0.events() {
            let event = event.map_err(S::Error::custom)?;
            if let EventKind::Context(ContextChange::Compiled(compiled)) = &event.kind
                && event.parent.is_none()
            {
                dialect.clone_from(&compiled.dialect);
            }
            let written = |message: &Message| (self.1)(&dialect, message);
            if let Some(entry) = entry(&event, written) {
                entries.serialize_element(&entry)?;
            }
        }
        entries.end()
    }
}

struct Events<'a>(&'a Reading);

impl Serialize for Events<'_> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let blobs = self.0.blobs();
        let mut events = serializer.serialize_seq(None)?;
        for record in self.0.records() {
            let record = record.map_err(S::Error::custom)?;
            if let Ok(value) = decode_value(&record.line, &blobs) {
                events.serialize_element(&portable(value))?;
            }
        }
        events.end()
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
            fields.shift_remove("untouched");
            fields.insert(String::from("unkept"), Value::Array(unkept));
        }
        _ => {}
    }
    record
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

fn entry(event: &Event, written: impl Fn(&Message) -> Option<String>) -> Option<Value> {
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
            let own = Some(message)
                .filter(|message| message.role == Role::Assistant && !message.is_of_shell());
            let content = own.and_then(written).unwrap_or_else(|| message.text());
            Some(json!({
                "role": role,
                "content": content,
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
