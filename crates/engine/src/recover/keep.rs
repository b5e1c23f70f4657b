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

/// The lines of a call's result about what was kept, and what people are told.
#[derive(Debug, Default)]
pub(super) struct Told {
    pub(super) result: Vec<String>,
    pub(super) people: Vec<String>,
    /// For whoever is in no conversation.
    pub(super) hint: Option<String>,
}

/// Keeps the files; gives what is to be said of it.
pub(super) async fn files(
    run: &Run,
    script: &Script,
    folder: &str,
    call: &CallId,
) -> Result<Told, String> {
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
    Ok(told(run, call, &kept, lost))
}

fn told(run: &Run, call: &CallId, kept: &Kept, lost: Vec<String>) -> Told {
    let mut told = Told::default();
    if !kept.changes.is_empty() {
        let files = count(kept.changes.len(), "file", "files");
        let them = if kept.changes.len() == 1 {
            "it"
        } else {
            "them"
        };
        let (until, back) = way_back(run, call);
        told.result.push(format!(
            "Kept before it ran: {files} ({}), in the checkpoints of this session.",
            size(kept.bytes)
        ));
        told.result.push(back.clone());
        told.people.push(format!(
            "Saved {files} first; /undo brings {them} back{until}."
        ));
        told.hint = Some(back);
    }
    let left = left_out(kept, lost);
    told.result.extend(left.clone());
    told.people.extend(left);
    told
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

/// What is not kept of it, and why.
fn left_out(kept: &Kept, mut lost: Vec<String>) -> Option<String> {
    for (number, why) in [
        (kept.large, "larger than 16 MB"),
        (kept.beyond, "beyond the 2000 files or 64 MB that are kept"),
        (kept.unreadable, "that could not be read"),
    ] {
        if number > 0 {
            lost.push(format!("{} {why}", count(number, "file", "files")));
        }
    }
    (!lost.is_empty()).then(|| format!("Not kept: {}.", lost.join("; ")))
}

/// How long `/undo` does it, and how the user gets it back without one.
fn way_back(run: &Run, call: &CallId) -> (&'static str, String) {
    let emitter = &run.core.emitter;
    if emitter.blobs().outlive_the_session() {
        let session = emitter.session();
        let back = format!("To get it back: tenon sessions restore {session} --call {call}");
        ("", back)
    } else {
        let back = "This session is not saved, so the copies are deleted with it.";
        (" until this session ends", back.to_owned())
    }
}

fn refusal(why: &str) -> String {
    format!("can't save the files that it would destroy ({why}), so it was not run")
}
