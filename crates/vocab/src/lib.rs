//! The words every part of Tenon speaks: events, commands, messages, tool
//! results, questions. Nothing here acts; nothing here knows a terminal, a
//! network or a file.
//!
//! One set of enums serves the log on disk, the JSON stream, the REPL and every
//! other renderer, so a new fact is added here once and is then visible
//! everywhere.
//!
//! ```
//! use tenon_vocab::{Message, Part};
//!
//! let message = Message::user("fix the failing test");
//! assert_eq!(message.text(), "fix the failing test");
//! assert!(matches!(message.parts[0], Part::Text { .. }));
//! ```

mod command;
mod compacted;
mod decision;
pub mod effort;
mod ending;
mod event;
pub mod figures;
pub mod form;
pub mod frontmatter;
mod ids;
pub mod look;
pub mod marked;
mod message;
mod mode;
pub mod names;
pub mod notice;
pub mod port;
mod printable;
pub mod profile;
mod question;
mod recap;
mod records;
mod refusals;
pub mod silence;
pub mod slash;
mod subject;
mod todo;
mod tool;
mod undo;
mod usage;
pub mod wishes;

pub use command::{Command, Meter, Query, Reply, SettingsChange, Switch, TableReply, Turn};
pub use compacted::{Compacted, PrunedCall, Refused};
pub use decision::{
    Class, Decision, Explanation, OwnLine, RequiredMode, RequiredNetwork, RequiredSandbox,
    Responders, RuleTried,
};
pub use ending::{Cut, Ending, RunEnding, progress};
pub use event::{Durability, Event, EventKind, OtherEvent};
pub use ids::{CallId, IdError, JobId, QuestionId, RunId, SessionId};
pub use jiff::Timestamp;
pub use look::Look;
pub use message::{
    CallForm, ImageSource, Message, Origin, Part, Role, Segment, Status, StopReason, ToolCallPart,
};
pub use mode::{PLAN_AGENT, PermissionMode};
pub use printable::{Lines, Printable};
pub use question::{Answer, AnsweredBy, BodyRow, Choice, Question, QuestionKind};
pub use recap::{CommandFact, FileDone, FileFact, KeptText, OpenFact, Recap};
pub use records::{
    BlobRef, Checkpoint, CheckpointAction, Compiled, ContextChange, FileChange, FileMark,
    ForkPoint, HistoryRef, HookFired, Interrupted, JobAction, JobEvent, McpEvent, Meta,
    ModelRequest, Notice, NoticeLevel, Outcome, RequestPurpose, Retry, Reverted, Review,
    RunFinished, RunOrigin, RunStarted, RunState, SCHEMA_VERSION, Settings, ShellNote, SideRequest,
    Snapshot, StateChanged, TextChannel, TextDelta, ToolDelta, ToolResult, ToolStream, ToolUse,
    Unkept,
};
pub use refusals::Refusals;
pub use subject::{judged, subject};
pub use todo::{TodoItem, TodoList, TodoStatus, checklist};
pub use tool::{
    CallStatus, DiffFile, Display, Effect, Envelope, ErrorCode, FileEntry, FileHash, SandboxReport,
    ToolError, ToolImage, ToolOutput, ToolSpec,
};
pub use undo::{ChangedRun, FilesMoved, TakenBack, UndoState};
pub use usage::{Cost, ModelTotals, Usage};
