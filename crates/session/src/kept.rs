//! What the checkpoints of a session kept, for whoever wants it back. Reads the
//! log alone; writing files is the business of the caller.

use crate::Loaded;
use std::collections::BTreeMap;
use tenon_vocab::{BlobRef, CallId, CheckpointAction, EventKind, Timestamp};

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

impl Loaded {
    /// The last kept state of each path, by path; only of one call when it is
    /// named. That a file did not exist is no state to get back.
    #[must_use]
    pub fn kept_files(&self, call: Option<&CallId>) -> Vec<KeptFile> {
        let mut last: BTreeMap<String, KeptFile> = BTreeMap::new();
        for event in self.events() {
            let EventKind::Checkpoint(checkpoint) = &event.kind else {
                continue;
            };
            let meant = call.is_none_or(|call| checkpoint.call.as_ref() == Some(call));
            if checkpoint.action != CheckpointAction::Saved || !meant {
                continue;
            }
            for file in &checkpoint.files {
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
        last.into_values().collect()
    }
}
