//! What a run changed in files, so that it can be undone: the record, and nothing
//! of how the contents are kept.

use super::BlobRef;
use crate::CallId;
use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CheckpointAction {
    Saved,
    Undone,
    Redone,
    Reverted,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileChange {
    /// Relative to the root, with `/`.
    pub path: String,
    /// Unix permission bits before; absent when there was no file. A mode of a
    /// file or a link without `before` says that something stood there and was
    /// not kept: an undo took it away when there was no room for it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub mode: Option<u32>,
    /// The content before; absent when there was no file, or it was not kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before: Option<BlobRef>,
    /// Hash of the content after; absent when the file is gone.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
    /// Permission bits after, where they are known: older logs have none for
    /// files that a tool made. As in `mode`, bits of the
    /// kind are there for what is no plain file: see [`FileChange::FOLDER`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_mode: Option<u32>,
    /// Which file stood there before, where its content was not kept and a
    /// command moved it away. Then `mode` is there and `before` is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub before_mark: Option<FileMark>,
    /// Which file a command moved here. Then `after_mode` is there and `after`
    /// is not.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub after_mark: Option<FileMark>,
}

/// Which file it is, for one whose content was not kept: it can be moved back,
/// and in no other way brought back.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct FileMark {
    pub device: u64,
    pub inode: u64,
    pub bytes: u64,
    /// When it was last written: seconds and nanoseconds.
    pub modified: (i64, i64),
}

impl FileChange {
    /// The bits of a mode that tell the kind.
    pub const KIND: u32 = 0o170_000;
    /// A folder; it has no content.
    pub const FOLDER: u32 = 0o040_000;
    /// A link; its content is the path that it names.
    pub const LINK: u32 = 0o120_000;

    /// Whether a mode is that of a folder.
    #[must_use]
    pub fn is_folder(mode: Option<u32>) -> bool {
        mode.is_some_and(|mode| mode & Self::KIND == Self::FOLDER)
    }

    /// Whether it is of a folder and nothing else: no file or link stood there, and
    /// none does.
    #[must_use]
    pub fn is_of_folder(&self) -> bool {
        let is_nothing = |content: bool, mark: &Option<FileMark>| !content && mark.is_none();
        is_nothing(self.before.is_some(), &self.before_mark)
            && is_nothing(self.after.is_some(), &self.after_mark)
            && (Self::is_folder(self.mode) || Self::is_folder(self.after_mode))
    }

    /// Whether a plain file stood there before, whose content was kept.
    #[must_use]
    pub fn was_a_file(&self) -> bool {
        self.before.is_some() && self.mode.is_none_or(|mode| mode & Self::KIND != Self::LINK)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Checkpoint {
    pub action: CheckpointAction,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub call: Option<CallId>,
    /// For undone, redone, reverted: the seq that the files now stand at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub to_seq: Option<u64>,
    pub files: Vec<FileChange>,
    /// Kept before a command that may destroy it: what `after` says is a guess,
    /// and the record of what the command really did follows.
    #[serde(default, skip_serializing_if = "is_false")]
    pub ahead: bool,
    /// What was changed and cannot be brought back, or was left as it is.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unkept: Vec<Unkept>,
    /// Paths that were kept ahead for this call and that stood as they were when
    /// it had ended: what was kept of them stands for no change.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub untouched: Vec<String>,
}

/// A file whose earlier state is not there, or that was not touched, and why.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Unkept {
    pub path: String,
    pub reason: String,
}

#[expect(
    clippy::trivially_copy_pass_by_ref,
    reason = "the form that serde asks for"
)]
fn is_false(flag: &bool) -> bool {
    !*flag
}
