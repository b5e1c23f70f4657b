//! What the checkpoints of a session kept, for whoever wants it back. Reads the
//! log alone; writing files is the business of the caller.

use crate::{Loaded, Reading, SessionError};
use std::collections::BTreeMap;
use tenon_vocab::{
    BlobRef, CallId, CheckpointAction, Event, EventKind, FileChange, FileMark, Timestamp,
};

/// A file as it was before a call changed it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    /// Relative to the root of the session, with `/`.
    pub path: String,
    /// Unix permission bits.
    pub mode: Option<u32>,
    pub content: BlobRef,
    pub call: Option<CallId>,
    pub at: Timestamp,
}

/// What the whole session did to one path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    pub path: String,
    /// As it was before the session first changed it; none when there was none,
    /// or when it was not kept.
    pub before: Option<BlobRef>,
    pub mode: Option<u32>,
    /// What it held after the last change that is known of; none: it was gone.
    pub after: Option<String>,
    pub after_mode: Option<u32>,
    /// Which file it was before and after, where that is all that is known.
    pub before_mark: Option<FileMark>,
    pub after_mark: Option<FileMark>,
    /// Why a change of it was not kept, where one was not.
    pub unkept: Option<String>,
}

impl Loaded {
    /// The last kept state of each path, by path; only of one call when it is
    /// named. That a file did not exist is no state to get back.
    #[must_use]
    pub fn kept_files(&self, call: Option<&CallId>) -> Vec<KeptFile> {
        let mut last = BTreeMap::new();
        self.events().for_each(|event| keep(&mut last, event, call));
        last.into_values().collect()
    }

    /// What the session changed, by path: the first state and the last one. What
    /// was taken back counts, so a file that is as it was is not among them.
    #[must_use]
    pub fn changed_files(&self) -> Vec<ChangedFile> {
        let mut all: BTreeMap<String, ChangedFile> = BTreeMap::new();
        for event in self.events() {
            let EventKind::Checkpoint(checkpoint) = &event.kind else {
                continue;
            };
            for file in checkpoint.files.iter().filter(|_| !checkpoint.ahead) {
                all.entry(file.path.clone())
                    .and_modify(|known| {
                        known.after.clone_from(&file.after);
                        known.after_mode = file.after_mode;
                        known.after_mark.clone_from(&file.after_mark);
                    })
                    .or_insert_with(|| first_state(file));
            }
            if checkpoint.action == CheckpointAction::Saved {
                for unkept in &checkpoint.unkept {
                    all.entry(unkept.path.clone())
                        .or_insert_with(|| unknown(&unkept.path))
                        .unkept = Some(unkept.reason.clone());
                }
            }
        }
        all.into_values().filter(ChangedFile::differs).collect()
    }
}

impl Reading {
    /// As [`Loaded::kept_files`].
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn kept_files(&self, call: Option<&CallId>) -> Result<Vec<KeptFile>, SessionError> {
        let mut last = BTreeMap::new();
        for event in self.events() {
            keep(&mut last, &event?, call);
        }
        Ok(last.into_values().collect())
    }
}

fn keep(last: &mut BTreeMap<String, KeptFile>, event: &Event, call: Option<&CallId>) {
    let EventKind::Checkpoint(checkpoint) = &event.kind else {
        return;
    };
    let meant = call.is_none_or(|call| checkpoint.call.as_ref() == Some(call));
    if checkpoint.action != CheckpointAction::Saved || !meant {
        return;
    }
    for file in checkpoint.files.iter().filter(|file| file.was_a_file()) {
        let Some(content) = &file.before else {
            continue;
        };
        let kept = KeptFile {
            path: file.path.clone(),
            mode: file.mode,
            content: content.clone(),
            call: checkpoint.call.clone(),
            at: event.ts,
        };
        last.insert(file.path.clone(), kept);
    }
}

impl ChangedFile {
    fn differs(&self) -> bool {
        let before = self.before.as_ref().map(|blob| blob.sha256.as_str());
        let content = before != self.after.as_deref();
        let mode = match (self.mode, self.after_mode) {
            (Some(before), Some(after)) => before != after,
            // Folders have no content.
            (before, after) => FileChange::is_folder(before) || FileChange::is_folder(after),
        };
        let mark = self.before_mark != self.after_mark;
        content || mode || mark || self.unkept.is_some()
    }
}

fn first_state(file: &FileChange) -> ChangedFile {
    ChangedFile {
        path: file.path.clone(),
        before: file.before.clone(),
        mode: file.mode,
        after: file.after.clone(),
        after_mode: file.after_mode,
        before_mark: file.before_mark.clone(),
        after_mark: file.after_mark.clone(),
        unkept: None,
    }
}

fn unknown(path: &str) -> ChangedFile {
    ChangedFile {
        path: path.to_owned(),
        before: None,
        mode: None,
        after: None,
        after_mode: None,
        before_mark: None,
        after_mark: None,
        unkept: None,
    }
}
