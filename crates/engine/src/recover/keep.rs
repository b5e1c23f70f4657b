//! Puts the files that a command would destroy into the session's checkpoint
//! store, as the journal does for the file tools: content first, then the
//! record, then the command.

use super::reach::{Reach, Reached};
use super::{count, looked, size};
use crate::run::Run;
use tenon_policy::Script;
use tenon_session::Blobs;
use tenon_tools::Workspace;
use tenon_vocab::{CallId, Checkpoint, CheckpointAction, FileChange};
use tokio_util::sync::CancellationToken;

const FILES: usize = 2_000;
const TOTAL: u64 = 64 * 1024 * 1024;
const EACH: u64 = 16 * 1024 * 1024;
/// Files in one record of the log.
const RECORD: usize = 500;

/// What was kept, and what was not.
#[derive(Debug, Default)]
struct Kept {
    changes: Vec<FileChange>,
    bytes: u64,
    /// Larger than one file may be.
    large: usize,
    /// Beyond what is kept for one call.
    beyond: usize,
    /// They could not be read, or are gone by now.
    unreadable: usize,
}

/// Keeps the files; gives lines for the result.
pub(super) async fn files(
    run: &Run,
    script: &Script,
    folder: &str,
    call: &CallId,
) -> Result<Vec<String>, String> {
    let Some(reach) = looked(run, script, folder).await else {
        return Err(refusal("checking them failed"));
    };
    let lost = reach.lost();
    let kept = store(run, reach).await?;
    for files in kept.changes.chunks(RECORD) {
        let checkpoint = Checkpoint {
            action: CheckpointAction::Saved,
            call: Some(call.clone()),
            to_seq: None,
            files: files.to_vec(),
            unkept: Vec::new(),
            ahead: true,
            untouched: Vec::new(),
        };
        run.core
            .emitter
            .emit(Some(run.id), checkpoint)
            .map_err(|error| refusal(&error.to_string()))?;
    }
    run.core.keeper.kept_ahead(run.id, call, &kept.changes);
    let mut lines = lines(&kept, lost);
    if !kept.changes.is_empty() {
        lines.insert(1, way_back(run, call));
    }
    Ok(lines)
}

async fn store(run: &Run, reach: Reach) -> Result<Kept, String> {
    let (workspace, blobs) = (run.core.workspace.clone(), run.core.emitter.blobs());
    let token = run.token.clone();
    let stored =
        tokio::task::spawn_blocking(move || put(&workspace, &blobs, reach.files, &token)).await;
    match stored {
        Ok(kept) => kept,
        Err(_) => Err(refusal("reading them failed")),
    }
}

fn put(
    workspace: &Workspace,
    blobs: &Blobs,
    files: Vec<Reached>,
    token: &CancellationToken,
) -> Result<Kept, String> {
    let mut kept = Kept::default();
    for file in files {
        if token.is_cancelled() {
            return Err(refusal("it was interrupted"));
        }
        if file.bytes > EACH {
            kept.large += 1;
        } else if kept.changes.len() >= FILES || kept.bytes + file.bytes > TOTAL {
            kept.beyond += 1;
        } else if let Ok(content) = workspace.read(&file.path) {
            let before = blobs
                .put_file(&content.bytes)
                .map_err(|error| refusal(&error.to_string()))?;
            kept.bytes += before.bytes;
            kept.changes.push(FileChange {
                path: content.path,
                mode: Some(content.mode),
                before: Some(before),
                after: None,
                after_mode: None,
                ..FileChange::default()
            });
        } else {
            kept.unreadable += 1;
        }
    }
    Ok(kept)
}

fn lines(kept: &Kept, mut lost: Vec<String>) -> Vec<String> {
    let mut lines = Vec::new();
    if !kept.changes.is_empty() {
        lines.push(format!(
            "Kept before it ran: {} ({}), in the checkpoints of this session.",
            count(kept.changes.len(), "file", "files"),
            size(kept.bytes)
        ));
    }
    for (number, why) in [
        (kept.large, "larger than 16 MB"),
        (kept.beyond, "beyond the 2000 files or 64 MB that are kept"),
        (kept.unreadable, "that could not be read"),
    ] {
        if number > 0 {
            lost.push(format!("{} {why}", count(number, "file", "files")));
        }
    }
    if !lost.is_empty() {
        lines.push(format!("Not kept: {}.", lost.join("; ")));
    }
    lines
}

/// How the user gets it back.
fn way_back(run: &Run, call: &CallId) -> String {
    let emitter = &run.core.emitter;
    if emitter.blobs().outlive_the_session() {
        format!(
            "To get it back: tenon sessions restore {} --call {call}",
            emitter.session()
        )
    } else {
        String::from("This session is not saved, so the copies are deleted with it.")
    }
}

fn refusal(why: &str) -> String {
    format!("can't save the files that it would destroy ({why}), so it was not run")
}
