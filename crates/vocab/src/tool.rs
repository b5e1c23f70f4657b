//! What a tool says of itself, and what it gives back.

use crate::TodoItem;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

/// What running a tool can change. Decides whether calls may run side by side.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Effect {
    /// Changes nothing; may run beside other reads and may be dropped.
    Read,
    /// Changes files of the workspace; always runs to its end.
    Write,
    /// Starts or ends processes.
    Execute,
    /// Talks to the user or to the engine; runs alone.
    Interact,
}

impl Effect {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Write => "write",
            Self::Execute => "execute",
            Self::Interact => "interact",
        }
    }
}

/// A tool as the model is told of it.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolSpec {
    pub name: String,
    pub description: String,
    /// A JSON Schema of type object.
    pub parameters: Value,
    pub effect: Effect,
    /// Where the tool comes from: `built-in`, `custom`, an MCP server's name.
    pub source: String,
}

/// Every way in which a call can fail, as the model reads it (T20).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    InvalidInput,
    PathError,
    ReadError,
    WriteError,
    MkdirError,
    Timeout,
    PermissionDenied,
    BlockedByHook,
    UnknownTool,
    PathOutsideRoot,
    Stale,
    OldNotFound,
    ReplacementCountMismatch,
    NoChange,
    PatchRejected,
    NotFound,
    MaskedValue,
    Repeated,
    DryRun,
    Interrupted,
    NotStarted,
    UnknownOutcome,
    Internal,
    /// A code written by a newer version.
    #[serde(other)]
    Unknown,
}

impl ErrorCode {
    /// The name on the wire.
    #[must_use]
    pub fn name(self) -> String {
        match serde_json::to_value(self) {
            Ok(Value::String(name)) => name,
            _ => String::from("unknown"),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolError {
    pub code: ErrorCode,
    pub message: String,
    /// What had already been done, where it failed, what is near.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub details: Option<Value>,
}

/// `{"ok":true,"data":{…}}` or `{"ok":false,"error":{"code","message"}}`.
#[derive(Debug, Clone, PartialEq)]
pub enum Envelope {
    Ok(Value),
    Err(ToolError),
}

impl Envelope {
    #[must_use]
    pub fn is_ok(&self) -> bool {
        matches!(self, Self::Ok(_))
    }

    #[must_use]
    pub fn error(&self) -> Option<&ToolError> {
        match self {
            Self::Ok(_) => None,
            Self::Err(error) => Some(error),
        }
    }
}

impl Serialize for Envelope {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self {
            Self::Ok(data) => json!({"ok": true, "data": data}).serialize(serializer),
            Self::Err(error) => json!({"ok": false, "error": error}).serialize(serializer),
        }
    }
}

impl<'de> Deserialize<'de> for Envelope {
    fn deserialize<D: serde::Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        #[derive(Deserialize)]
        struct Wire {
            ok: bool,
            #[serde(default)]
            data: Value,
            error: Option<ToolError>,
        }
        let wire = Wire::deserialize(deserializer)?;
        match (wire.ok, wire.error) {
            (true, _) => Ok(Self::Ok(wire.data)),
            (false, Some(error)) => Ok(Self::Err(error)),
            (false, None) => Err(serde::de::Error::missing_field("error")),
        }
    }
}

/// One file of a diff.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DiffFile {
    pub path: String,
    /// The name before a rename, or the link through which `path` was named.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// created, updated, deleted, renamed
    pub operation: String,
    pub additions: u64,
    pub deletions: u64,
    /// Unified diff of this file, without the file header.
    pub unified: String,
    /// Bytes of the diff that `unified` does not hold.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub left_out_bytes: u64,
}

impl DiffFile {
    /// What the operation is called before it is done, in a question.
    #[must_use]
    pub fn to_do(&self) -> &str {
        match self.operation.as_str() {
            "created" => "create",
            "updated" => "update",
            "deleted" => "delete",
            "renamed" => "rename",
            other => other,
        }
    }
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the shape that serde calls"
)]
fn is_zero(count: &u64) -> bool {
    *count == 0
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileEntry {
    pub path: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

/// What a renderer draws. Renderers know these shapes and no tool.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
#[serde(tag = "shape", rename_all = "snake_case")]
pub enum Display {
    #[default]
    Nothing,
    Text {
        /// One line for people: `120 lines`.
        summary: String,
        #[serde(default, skip_serializing_if = "String::is_empty")]
        body: String,
    },
    Diff {
        files: Vec<DiffFile>,
    },
    Files {
        summary: String,
        entries: Vec<FileEntry>,
    },
    Terminal {
        command: String,
        /// The tail of what it printed, as a person would want to see it.
        output: String,
        exit_code: Option<i32>,
        /// The process that goes on in the background.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        job: Option<String>,
        /// What became of a process of the background, where the code does not
        /// say it: `killed after 2.0 s`.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        state: Option<String>,
    },
    Todo {
        items: Vec<TodoItem>,
    },
    Table {
        columns: Vec<String>,
        rows: Vec<Vec<String>>,
    },
}

/// What a file held when a tool read it; a later write compares (T2).
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileHash {
    /// Relative to the root where it is inside, with `/`.
    pub path: String,
    pub sha256: String,
}

/// Which wall a process ran behind, and how much of it really stood.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SandboxReport {
    /// `native`, `landlock`, `bubblewrap` or `none`.
    pub adapter: String,
    /// `none`, `partial`, `full`
    pub level: String,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub not_covered: Vec<String>,
}

/// How a call ended, beside its envelope.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CallStatus {
    #[default]
    Completed,
    Denied,
    Interrupted,
    NotStarted,
    UnknownOutcome,
}

/// A picture for the model to look at.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ToolImage {
    pub content: Vec<u8>,
    pub media_type: String,
}

/// What a tool gives back.
#[derive(Debug, Clone, PartialEq)]
pub struct ToolOutput {
    pub envelope: Envelope,
    /// Exactly what the model is shown.
    pub model_text: String,
    pub display: Display,
    pub reads: Vec<FileHash>,
    pub images: Vec<ToolImage>,
    pub sandbox: Option<SandboxReport>,
    /// Secrets that were masked before the tool saw them: kind and count.
    pub masked: Vec<(String, usize)>,
}

impl ToolOutput {
    #[must_use]
    pub fn ok(data: Value, model_text: impl Into<String>, display: Display) -> Self {
        Self {
            envelope: Envelope::Ok(data),
            model_text: model_text.into(),
            display,
            reads: Vec::new(),
            images: Vec::new(),
            sandbox: None,
            masked: Vec::new(),
        }
    }

    /// A failure. The model reads `error: CODE: MESSAGE`.
    #[must_use]
    pub fn error(code: ErrorCode, message: impl Into<String>) -> Self {
        let message = message.into();
        Self {
            model_text: format!("error: {}: {message}", code.name()),
            display: Display::Text {
                summary: message.clone(),
                body: String::new(),
            },
            envelope: Envelope::Err(ToolError {
                code,
                message,
                details: None,
            }),
            reads: Vec::new(),
            images: Vec::new(),
            sandbox: None,
            masked: Vec::new(),
        }
    }

    #[must_use]
    pub fn with_details(mut self, details: Value) -> Self {
        if let Envelope::Err(error) = &mut self.envelope {
            error.details = Some(details);
        }
        self
    }
}
