//! What can be taken back of the changes to files, and given again: the part of
//! a session's state that would otherwise need a look at the whole log.

use crate::{CheckpointAction, HistoryRef, RunId};
use serde::{Deserialize, Serialize};

/// The changes of one run, by where their records stand.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ChangedRun {
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub run: Option<RunId>,
    pub at: Vec<HistoryRef>,
}

/// Changes that were taken back, and can be given again.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TakenBack {
    /// An undo, or a revert.
    #[serde(default = "undone")]
    pub by: CheckpointAction,
    /// The seq that the files stood at afterwards.
    pub to_seq: u64,
    /// What taking back changed.
    pub records: Vec<HistoryRef>,
    pub runs: Vec<ChangedRun>,
}

fn undone() -> CheckpointAction {
    CheckpointAction::Undone
}

/// What the user did to files between two prompts, for the model to know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FilesMoved {
    pub action: CheckpointAction,
    /// The changes that it was about came after this seq.
    #[serde(default)]
    pub to_seq: u64,
    /// The seq of the prompt that it was told with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub told: Option<u64>,
    /// The messages that made the changes were given up by a revert.
    #[serde(default, skip_serializing_if = "is_known")]
    pub forgotten: bool,
    pub back: Vec<String>,
    /// Named, and left as they are.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub left: Vec<String>,
    /// Beyond those that are named.
    #[serde(default, skip_serializing_if = "is_none_more")]
    pub more: u64,
}

/// What can be taken back and given again, without reading the log for it.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct UndoState {
    /// The oldest first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub done: Vec<ChangedRun>,
    /// The one that comes back next is the last.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub undone: Vec<TakenBack>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub moved: Vec<FilesMoved>,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_none_more(count: &u64) -> bool {
    *count == 0
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_known(forgotten: &bool) -> bool {
    !*forgotten
}
