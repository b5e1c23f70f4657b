//! What was found goes into the log, and people are told once what an undo will
//! not take back.

use super::{Found, RECORD};
use crate::core::Core;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tenon_tools::workspace::{Extent, SCAN_ENTRIES};
use tenon_vocab::{CallId, Checkpoint, CheckpointAction, FileChange, NoticeLevel, RunId, Unkept};

/// Stands for the paths that nobody knows.
const COMMANDS: &str = "what commands changed";

/// What a command did.
pub(super) fn record(core: &Arc<Core>, run: RunId, call: Option<&CallId>, found: Found) {
    let Found { files, unkept, .. } = found;
    if files.is_empty() && unkept.is_empty() {
        return;
    }
    tell_unkept(core, run, &unkept);
    let mut chunks: Vec<Vec<FileChange>> = files.chunks(RECORD).map(<[_]>::to_vec).collect();
    if chunks.is_empty() {
        chunks.push(Vec::new());
    }
    let last = chunks.len() - 1;
    for (index, files) in chunks.into_iter().enumerate() {
        let unkept = if index == last {
            unkept.clone()
        } else {
            Vec::new()
        };
        core.emit_or_end(
            Some(run),
            Checkpoint {
                action: CheckpointAction::Saved,
                call: call.cloned(),
                to_seq: None,
                files,
                ahead: false,
                untouched: Vec::new(),
                unkept,
            },
        );
    }
}

/// Once in a session; an undo names each.
fn tell_unkept(core: &Core, run: RunId, unkept: &[Unkept]) {
    let Some(first) = unkept.first() else { return };
    if core.keeper.said.swap(true, Ordering::Relaxed) {
        return;
    }
    let more = match unkept.len() {
        1 => String::new(),
        count => format!(" and {} more", count - 1),
    };
    core.notice(
        Some(run),
        NoticeLevel::Info,
        "unkept",
        format!(
            "A command changed {}{more}, which /undo cannot take back: {}.",
            first.path, first.reason
        ),
    );
}

/// A command that nobody watched has a record all the same: whoever asks what
/// the session changed must not hear that it was nothing. People are told once.
pub(super) fn unwatched(core: &Core, run: RunId, extent: Extent, limit: Duration) {
    let why = match extent {
        Extent::TooMany => format!("there are more than {SCAN_ENTRIES} files here"),
        _ => format!(
            "looking at all files takes longer than {} s",
            limit.as_secs()
        ),
    };
    core.emit_or_end(
        Some(run),
        Checkpoint {
            action: CheckpointAction::Saved,
            call: None,
            to_seq: None,
            files: Vec::new(),
            ahead: false,
            untouched: Vec::new(),
            unkept: vec![Unkept {
                path: String::from(COMMANDS),
                reason: format!("not watched: {why}"),
            }],
        },
    );
    if core.keeper.said.swap(true, Ordering::Relaxed) {
        return;
    }
    core.notice(
        Some(run),
        NoticeLevel::Info,
        "unkept",
        format!(
            "What commands change cannot be taken back by /undo: {why}. What the file tools change can."
        ),
    );
}
