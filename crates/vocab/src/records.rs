//! The payloads of the events: what each kind carries, and nothing of how it
//! is stored or drawn.

mod checkpoint;

pub use checkpoint::{Checkpoint, CheckpointAction, FileChange, FileMark, Unkept};

use crate::profile::PromptTier;
use crate::{
    CallId, CallStatus, Compacted, Cost, Display, Envelope, Explanation, FileHash, JobId,
    ModelTotals, PermissionMode, SandboxReport, SessionId, TodoItem, UndoState, Usage,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

/// The version of the log's shapes. A reader refuses a higher one by name.
pub const SCHEMA_VERSION: u32 = 1;

/// Content kept beside the log, named by its SHA-256 in lower-case hex.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct BlobRef {
    pub sha256: String,
    pub bytes: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ForkPoint {
    pub session: SessionId,
    pub seq: u64,
}

/// The first line of every log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Meta {
    pub schema_version: u32,
    pub id: SessionId,
    /// Absolute; the root of the workspace.
    pub cwd: String,
    pub program_version: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub git_branch: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub forked_from: Option<ForkPoint>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunOrigin {
    Prompt,
    FollowUp,
    Shell,
    Delegated,
    /// A background process has ended, and the user wants that to start a run.
    Job,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunStarted {
    /// The first 200 characters, for lists; the message that follows has the whole.
    pub prompt: String,
    pub origin: RunOrigin,
}

/// How a run ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    Completed,
    Interrupted,
    /// The model, the disk or the program failed.
    Failed,
    /// A limit was reached: steps, cost, time.
    Limit,
    /// The same call over and over.
    Loop,
    /// Ended because of what was denied.
    Denied,
    /// The model's answer was stopped by a content filter.
    Filtered,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct RunFinished {
    pub outcome: Outcome,
    /// Why, in a sentence, unless it completed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reason: Option<String>,
    pub steps: u32,
    pub calls: u32,
    #[serde(default)]
    pub failed_calls: u32,
    #[serde(default)]
    pub denied_calls: u32,
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
    pub duration_ms: u64,
    /// Byte offset of the last snapshot in this log, so that open reads from the tail.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<u64>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RunState {
    Idle,
    Planning,
    AwaitingPermission,
    ToolRunning,
    ModelGenerating,
    Done,
    Error,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct StateChanged {
    pub state: RunState,
    /// How much of the prompt the server has read, in percent, where it says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub read_percent: Option<u8>,
    /// About how many tokens the model has written of what is shown only when it
    /// is whole: a reply of the markdown dialect, the input of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub written_tokens: Option<u64>,
}

impl From<RunState> for StateChanged {
    fn from(state: RunState) -> Self {
        Self {
            state,
            read_percent: None,
            written_tokens: None,
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum TextChannel {
    Text,
    Reasoning,
}

/// What a model is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum RequestPurpose {
    /// The next message of the conversation.
    Step,
    /// The summary of a compaction.
    Compaction,
    Title,
    /// Something else on the side.
    Other,
}

/// A request goes out to a model; each try is one.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ModelRequest {
    pub purpose: RequestPurpose,
    pub model: String,
    /// The name of the provider in the configuration.
    pub endpoint: String,
    /// Messages of the conversation in it; the system prompt is none.
    pub messages: u64,
    /// All of it, with system prompt and tools, by our own estimate.
    pub estimated_tokens: u64,
}

/// A piece of the message that is being written.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TextDelta {
    pub channel: TextChannel,
    pub text: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolStream {
    Stdout,
    Stderr,
    /// A line about progress, not output.
    Status,
}

/// A piece of what a running call prints.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ToolDelta {
    pub call: CallId,
    pub stream: ToolStream,
    pub text: String,
}

/// A call was admitted and started.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolUse {
    pub call: CallId,
    /// The canonical name; the message has the name as the model gave it.
    pub name: String,
    /// The effective input: after repair, aliases and hooks.
    pub input: Value,
    pub explanation: Explanation,
    /// Calls of one batch run side by side.
    pub batch: u32,
}

/// The one result of a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ToolResult {
    pub call: CallId,
    pub name: String,
    pub ok: bool,
    #[serde(default)]
    pub status: CallStatus,
    pub envelope: Envelope,
    /// Exactly what the model sees.
    pub model_text: String,
    #[serde(default)]
    pub display: Display,
    pub duration_ms: u64,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<FileHash>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<(BlobRef, String)>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub sandbox: Option<SandboxReport>,
    /// Why it was denied, where it was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
}

/// The prefix of the requests from here on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Compiled {
    pub system: BlobRef,
    /// The pieces of the system prompt with their sources, as JSON.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fragments: Option<BlobRef>,
    pub tools: BlobRef,
    /// Whose words and tools these are; older logs do not say it. Not `agent`:
    /// that name is the envelope's.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent_name: Option<String>,
    pub model: String,
    pub endpoint: String,
    pub dialect: String,
    #[serde(default, skip_serializing_if = "Value::is_null")]
    pub parameters: Value,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quirks: Vec<String>,
    /// How much of the words and examples it holds; older logs do not say it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tier: Option<PromptTier>,
    /// What changed it: `start`, `resume: tools`, `model`, …
    pub reason: String,
}

/// The conversation from a message on is given up. It stays in the log.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reverted {
    /// The first seq that the model no longer sees.
    pub before: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum ContextChange {
    Compiled(Compiled),
    Compacted(Compacted),
    Reverted(Reverted),
}

/// Where one durable event of the live history stands in the file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct HistoryRef {
    pub seq: u64,
    pub offset: u64,
}

/// A command that the user ran with `!`, and what the model is to read of it
/// with the next prompt.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ShellNote {
    pub command: String,
    pub text: String,
}

/// All that is needed to go on without reading what stands before it, but for
/// the records that `history` points at.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Snapshot {
    pub settings: Option<Settings>,
    pub compiled: Option<Box<Compiled>>,
    /// The summary that stands before `history`, after a compaction.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub compacted: Option<Box<Compacted>>,
    pub todo: Vec<TodoItem>,
    pub usage: Usage,
    /// The same by model, in the order of their first use.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<ModelTotals>,
    pub runs: u32,
    pub compactions: u32,
    /// How often a part of the conversation was given up.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub reverts: u32,
    /// The first prompt, for lists.
    pub prompt: String,
    pub checkpoint_head: Option<u64>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub undo: Option<Box<UndoState>>,
    /// What each file held when it was last read or written.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads: Vec<FileHash>,
    /// Where each of them is told of, in the same order.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reads_at: Vec<u64>,
    /// What the user's own commands printed since the last prompt.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub shell: Vec<ShellNote>,
    /// Messages and results that the model still sees, in order.
    pub history: Vec<HistoryRef>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}

/// Validation or audit.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Review {
    /// `validation` or `audit`
    pub kind: String,
    /// `started`, `passed`, `failed`, `skipped`
    pub state: String,
    pub round: u32,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct HookFired {
    pub event: String,
    pub hook: String,
    /// `pass`, `warn`, `block`, `failed`
    pub result: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub message: Option<String>,
    pub duration_ms: u64,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Retry {
    /// 1 for the first try that is made again.
    pub attempt: u32,
    pub of: u32,
    pub delay_ms: u64,
    pub reason: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum JobAction {
    Started,
    /// Outlived its call: a timeout, or left running by the command.
    Detached,
    Exited,
    Killed,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct JobEvent {
    pub id: JobId,
    pub action: JobAction,
    pub command: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub exit_code: Option<i32>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct McpEvent {
    pub server: String,
    pub state: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// The settings from here on, in full.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Settings {
    pub provider: String,
    pub model: String,
    /// Not `agent`: that name is the envelope's.
    pub agent_name: String,
    /// `single` or `multi`
    pub mode: String,
    /// What may run without a question; not the `mode` above, which is older.
    #[serde(default)]
    pub permission_mode: PermissionMode,
    /// How hard the model is to think: `low`, `medium`, `high`, …
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub effort: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    #[serde(default)]
    pub pinned: bool,
    /// Folders outside of the project that are open beside it, absolute.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub add_dirs: Vec<String>,
    /// The request on the side that brought this change, such as one for a
    /// title. It is of this record alone, and no setting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub side: Option<Box<SideRequest>>,
}

/// What was asked of a small model beside the conversation, and what it took.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct SideRequest {
    pub provider: String,
    pub model: String,
    pub usage: Usage,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost: Option<Cost>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoticeLevel {
    Info,
    Warning,
    Error,
}

/// Something that the user should know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    pub level: NoticeLevel,
    /// A word to sort by: `auth`, `disk_full`, `truncated`, …
    pub kind: String,
    pub message: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hint: Option<String>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Interrupted {
    /// `user`, `shutdown`, `crash`, or `fork` where a copy was cut
    pub by: String,
}
