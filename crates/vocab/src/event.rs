//! The event: what the engine emits, what the log holds, what renderers draw.
//!
//! On the wire and on the disk an event is one flat JSON object: the fields of
//! the envelope, `"type"` with the name of the kind, and the kind's own fields.
//! A kind that this version does not know becomes [`EventKind::Other`] and keeps
//! all of its fields.

use crate::{
    Answer, Checkpoint, ContextChange, HookFired, Interrupted, JobEvent, McpEvent, Message, Meta,
    ModelRequest, Notice, Question, Retry, Review, RunFinished, RunId, RunStarted, SessionId,
    Settings, Snapshot, StateChanged, TextDelta, TodoList, ToolDelta, ToolResult, ToolUse,
};
use jiff::Timestamp;
use serde::de::Error as _;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};

/// Whether an event is written to the log.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Durability {
    Durable,
    Ephemeral,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Event {
    /// Counts durable events, dense from 0. An ephemeral event carries the seq
    /// of the last durable one.
    pub seq: u64,
    /// Counts the ephemeral events after that durable one, from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub sub: Option<u32>,
    pub ts: Timestamp,
    pub session: SessionId,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    /// The run that this run is a part of, for the run of a child agent.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<RunId>,
    pub agent: String,
    #[serde(flatten)]
    pub kind: EventKind,
}

/// A kind of a newer version, kept whole.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct OtherEvent {
    #[serde(rename = "type")]
    pub name: String,
    #[serde(flatten)]
    pub fields: Map<String, Value>,
}

macro_rules! event_kinds {
    ($($variant:ident($payload:ty) = $name:literal, $durability:ident;)*) => {
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[serde(tag = "type")]
        pub enum EventKind {
            $(#[serde(rename = $name)] $variant($payload),)*
            #[serde(untagged)]
            Other(OtherEvent),
        }

        impl EventKind {
            /// All names that this version knows.
            pub const NAMES: &'static [&'static str] = &[$($name),*];

            /// The name on the wire.
            #[must_use]
            pub fn name(&self) -> &str {
                match self {
                    $(Self::$variant(_) => $name,)*
                    Self::Other(other) => &other.name,
                }
            }

            #[must_use]
            pub fn durability(&self) -> Durability {
                match self {
                    $(Self::$variant(_) => Durability::$durability,)*
                    Self::Other(_) => Durability::Durable,
                }
            }

            /// Builds a kind from its name and its own fields.
            ///
            /// # Errors
            /// When a known kind lacks a field or has one of a wrong type.
            pub fn from_fields(
                name: &str,
                fields: Map<String, Value>,
            ) -> Result<Self, serde_json::Error> {
                match name {
                    $($name => serde_json::from_value(Value::Object(fields)).map(Self::$variant),)*
                    _ => Ok(Self::Other(OtherEvent { name: name.to_owned(), fields })),
                }
            }
        }

        $(impl From<$payload> for EventKind {
            fn from(payload: $payload) -> Self {
                Self::$variant(payload)
            }
        })*
    };
}

event_kinds! {
    Meta(Meta) = "meta", Durable;
    RunStarted(RunStarted) = "run_started", Durable;
    RunFinished(RunFinished) = "run_finished", Durable;
    State(StateChanged) = "state", Ephemeral;
    Message(Message) = "message", Durable;
    ModelRequest(ModelRequest) = "model_request", Ephemeral;
    MessageDelta(TextDelta) = "message_delta", Ephemeral;
    ToolDelta(ToolDelta) = "tool_delta", Ephemeral;
    ToolUse(ToolUse) = "tool_use", Durable;
    ToolResult(ToolResult) = "tool_result", Durable;
    Question(Question) = "question", Durable;
    Answer(Answer) = "answer", Durable;
    Context(ContextChange) = "context", Durable;
    Snapshot(Snapshot) = "snapshot", Durable;
    Checkpoint(Checkpoint) = "checkpoint", Durable;
    Review(Review) = "review", Durable;
    Hook(HookFired) = "hook", Durable;
    Retry(Retry) = "retry", Durable;
    Job(JobEvent) = "job", Durable;
    Mcp(McpEvent) = "mcp", Durable;
    Todo(TodoList) = "todo", Durable;
    Settings(Settings) = "settings", Durable;
    Notice(Notice) = "notice", Durable;
    Interrupted(Interrupted) = "interrupted", Durable;
}

impl<'de> Deserialize<'de> for Event {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut fields = Map::deserialize(deserializer)?;
        let seq = take(&mut fields, "seq").map_err(D::Error::custom)?;
        let sub = take(&mut fields, "sub").map_err(D::Error::custom)?;
        let ts = take(&mut fields, "ts").map_err(D::Error::custom)?;
        let session = take(&mut fields, "session").map_err(D::Error::custom)?;
        let run = take(&mut fields, "run").map_err(D::Error::custom)?;
        let parent = take(&mut fields, "parent").map_err(D::Error::custom)?;
        let agent = take(&mut fields, "agent").map_err(D::Error::custom)?;
        let name: String = take(&mut fields, "type").map_err(D::Error::custom)?;
        let kind = EventKind::from_fields(&name, fields)
            .map_err(|error| D::Error::custom(format!("event `{name}`: {error}")))?;
        Ok(Self {
            seq,
            sub,
            ts,
            session,
            run,
            parent,
            agent,
            kind,
        })
    }
}

fn take<T: serde::de::DeserializeOwned>(
    fields: &mut Map<String, Value>,
    key: &str,
) -> Result<T, String> {
    let value = fields.shift_remove(key).unwrap_or(Value::Null);
    serde_json::from_value(value).map_err(|error| format!("field `{key}`: {error}"))
}

impl Event {
    #[must_use]
    pub fn is_durable(&self) -> bool {
        self.kind.durability() == Durability::Durable
    }
}
