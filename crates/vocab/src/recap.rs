//! The facts of a session, taken from its events without a model: what was asked
//! for, what was done to which files, which commands ran and how they ended. A
//! summary may forget; this does not. How it is gathered is the session's, how it
//! is written for a model the engine's.

use crate::{CallId, TodoItem};
use serde::{Deserialize, Serialize};

/// Bounded: what does not fit is counted in `left_out`.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct Recap {
    /// The facts of all events before this seq are in it.
    pub until: u64,
    /// The root of the session; paths below it are relative.
    pub root: String,
    /// The first prompt, word for word.
    pub goal: String,
    /// The later prompts and what was said in between, word for word, in order.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub prompts: Vec<String>,
    /// In the order of the last touch.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub files: Vec<FileFact>,
    /// In the order of their last run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub commands: Vec<CommandFact>,
    /// Failures of other calls, the newest last.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub errors: Vec<String>,
    pub todo: Vec<TodoItem>,
    /// What the user answered when asked, as `question: answer`.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub decisions: Vec<String>,
    /// Skills that were loaded, by name; the newest text of each.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub skills: Vec<KeptText>,
    /// Calls whose results come later.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub open: Vec<OpenFact>,
    /// Prompts that are no longer in the list.
    #[serde(skip_serializing_if = "is_zero")]
    pub left_out: u32,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileFact {
    pub path: String,
    pub done: FileDone,
}

/// The strongest thing that was done to a file; reading is the weakest.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum FileDone {
    Read,
    Edited,
    Created,
    Deleted,
    /// A change was undone by the user.
    TakenBack,
}

impl FileDone {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Read => "read",
            Self::Edited => "edited",
            Self::Created => "created",
            Self::Deleted => "deleted",
            Self::TakenBack => "changed, then taken back by the user",
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct CommandFact {
    pub command: String,
    /// Of its last run: `exit 0`, `exit 1: …`, `denied`, `timed out`.
    pub outcome: String,
    pub times: u32,
}

/// What is kept of a call until its result is known: only what a fact is made of.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpenFact {
    pub call: CallId,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub command: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub path: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub question: Option<String>,
}

/// A text that is kept word for word.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct KeptText {
    pub name: String,
    pub text: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_zero(count: &u32) -> bool {
    *count == 0
}
