//! A message: who spoke, in ordered parts, and whether the model still sees it.

use crate::{BlobRef, CallId, Cost, Usage};
use serde::{Deserialize, Serialize};
use serde_json::Value;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Role {
    User,
    Assistant,
    /// The result of one call. Never written to the log as a `message`: it is
    /// made from a `tool_result` when the history is projected.
    Tool,
}

/// How a message ended.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    #[default]
    Complete,
    /// The user stopped it; the text so far stands.
    Interrupted,
    /// The stream or the program broke; the text so far stands.
    Broken,
    /// The step was tried again; kept for the reader, never sent (P19).
    Abandoned,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum StopReason {
    EndTurn,
    ToolUse,
    MaxTokens,
    ContentFilter,
    Error,
}

/// Why a message is in the history.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Origin {
    #[default]
    User,
    Model,
    Steer,
    Hook,
    Rule,
    Compaction,
    /// A command that the user ran with `!`: the line of the user, and as a message
    /// of the assistant what became of it. No prompt, and no words of a model.
    Shell,
    /// Put in by the projection so that roles alternate; never in the log.
    Filler,
}

/// Text before the tools of a step is a plan; text that ends a run is the answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Segment {
    Plan,
    Answer,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageSource {
    Blob(BlobRef),
    Url(String),
}

/// How a call reached us.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallForm {
    /// As the wire format has it.
    #[default]
    Native,
    /// Found in the text of an answer: the server or the model did not know better.
    Text,
}

impl CallForm {
    #[must_use]
    pub fn is_native(&self) -> bool {
        *self == Self::Native
    }
}

/// A call as the model wrote it. `arguments` is the exact string received: it
/// may be no JSON at all, and codecs must repair it on the way out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolCallPart {
    pub id: CallId,
    pub name: String,
    pub arguments: String,
    #[serde(default, skip_serializing_if = "CallForm::is_native")]
    pub form: CallForm,
}

impl ToolCallPart {
    #[must_use]
    pub fn new(id: CallId, name: impl Into<String>, arguments: impl Into<String>) -> Self {
        Self {
            id,
            name: name.into(),
            arguments: arguments.into(),
            form: CallForm::Native,
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Part {
    Text {
        text: String,
    },
    Image {
        #[serde(flatten)]
        source: ImageSource,
        media_type: String,
    },
    Reasoning {
        text: String,
        /// A provider's signature or encrypted form; returned only to that provider.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        signature: Option<String>,
        #[serde(default, skip_serializing_if = "Option::is_none")]
        provider: Option<String>,
    },
    ToolCall(ToolCallPart),
    ToolResult {
        call: CallId,
        name: String,
        text: String,
        ok: bool,
    },
    /// Something that only its provider understands, kept to be returned to it.
    Opaque {
        provider: String,
        raw: Value,
    },
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Message {
    pub role: Role,
    pub parts: Vec<Part>,
    #[serde(default)]
    pub status: Status,
    /// Whether the model sees it in later requests.
    #[serde(default = "yes")]
    pub in_context: bool,
    #[serde(default)]
    pub origin: Origin,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stop: Option<StopReason>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub usage: Option<Usage>,
    /// What the request was estimated at, where the server has counted it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub estimated: Option<u64>,
    /// What the request cost, by the prices of the model that answered; absent
    /// where no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub segment: Option<Segment>,
}

fn yes() -> bool {
    true
}

impl Message {
    #[must_use]
    pub fn new(role: Role, origin: Origin, parts: Vec<Part>) -> Self {
        Self {
            role,
            parts,
            status: Status::Complete,
            in_context: true,
            origin,
            stop: None,
            usage: None,
            estimated: None,
            cost: None,
            segment: None,
        }
    }

    #[must_use]
    pub fn user(text: impl Into<String>) -> Self {
        Self::new(Role::User, Origin::User, vec![Part::text(text)])
    }

    #[must_use]
    pub fn assistant(text: impl Into<String>) -> Self {
        Self::new(Role::Assistant, Origin::Model, vec![Part::text(text)])
    }

    /// The text parts joined, without reasoning.
    #[must_use]
    pub fn text(&self) -> String {
        let mut all = String::new();
        for part in &self.parts {
            if let Part::Text { text } = part {
                all.push_str(text);
            }
        }
        all
    }

    /// Whether it is of a command that the user ran with `!`.
    #[must_use]
    pub fn is_of_shell(&self) -> bool {
        self.origin == Origin::Shell
    }

    pub fn tool_calls(&self) -> impl Iterator<Item = &ToolCallPart> {
        self.parts.iter().filter_map(|part| match part {
            Part::ToolCall(call) => Some(call),
            _ => None,
        })
    }
}

impl Part {
    #[must_use]
    pub fn text(text: impl Into<String>) -> Self {
        Self::Text { text: text.into() }
    }
}
