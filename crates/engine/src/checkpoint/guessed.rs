//! What was kept before a command that may destroy it is a guess: the record of
//! it says that the file is gone. When the command has ended, this finds which of
//! the files it left alone. Where that cannot be told the guess stands, because a
//! file that the command removed must come back.

use super::{Found, RECORD, jobs_run};
use crate::core::Core;
use std::collections::HashSet;
use std::sync::{Arc, Mutex, PoisonError};
use tenon_tools::workspace::{EntryKind, Scan, Standing};
use tenon_vocab::{CallId, Checkpoint, CheckpointAction, FileChange, RunId};

/// The files of calls that have not ended.
#[derive(Default)]
pub(super) struct Guesses(Mutex<Vec<Guessed>>);

/// What was kept for one call.
pub(super) struct Guessed {
    run: RunId,
    call: CallId,
    files: Vec<FileChange>,
}

impl Guesses {
    pub(super) fn add(&self, run: RunId, call: &CallId, files: &[FileChange]) {
        let guessed = Guessed {
            run,
            call: call.clone(),
            files: files.to_vec(),
        };
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.push(guessed);
    }

    pub(super) fn of_call(&self, run: RunId, call: &CallId) -> Vec<Guessed> {
        self.take(|one| one.run == run && one.call == *call)
    }

    /// Those that are left: of calls that were never started.
    pub(super) fn of_run(&self, run: RunId) -> Vec<Guessed> {
        self.take(|one| one.run == run)
    }

    fn take(&self, wanted: impl Fn(&Guessed) -> bool) -> Vec<Guessed> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        all.extract_if(.., |one| wanted(one)).collect()
    }
}

/// What was kept for these calls.
pub(super) fn paths(guessed: &[Guessed]) -> HashSet<String> {
    let files = guessed.iter().flat_map(|one| &one.files);
    files.map(|file| file.path.clone()).collect()
}

/// The look after a command that saw all of the tree.
pub(super) struct Watched<'a> {
    pub(super) before: &'a Scan,
    pub(super) found: &'a Found,
}

impl Watched<'_> {
    /// Whether it would have found a change of this path. What is ignored was
    /// not looked at.
    fn covers(&self, path: &str) -> bool {
        let entries = self.before.entries();
        let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path));
        self.found.is_whole && at.is_ok_and(|at| entries[at].kind == EntryKind::File)
    }
}

/// Records what these calls left alone.
pub(super) fn settle(core: &Arc<Core>, guessed: Vec<Guessed>, watched: Option<&Watched<'_>>) {
    let named: HashSet<&str> = watched
        .map(|watched| watched.found.paths().collect())
        .unwrap_or_default();
    // A job may still be about to remove what stands there.
    let is_over = !jobs_run(core);
    for one in guessed {
        let is_untouched = |file: &FileChange| {
            !named.contains(file.path.as_str())
                && (watched.is_some_and(|watched| watched.covers(&file.path))
                    || is_over && stands(core, file))
        };
        let files = one.files.into_iter().filter(is_untouched);
        let paths: Vec<String> = files.map(|file| file.path).collect();
        for untouched in paths.chunks(RECORD) {
            let checkpoint = Checkpoint {
                action: CheckpointAction::Saved,
                call: Some(one.call.clone()),
                to_seq: None,
                files: Vec::new(),
                ahead: false,
                untouched: untouched.to_vec(),
                unkept: Vec::new(),
            };
            core.emit_or_end(Some(one.run), checkpoint);
        }
    }
}

/// Whether it is still what was kept.
fn stands(core: &Core, file: &FileChange) -> bool {
    let Some(kept) = &file.before else {
        return false;
    };
    let stand = core.workspace.stand(&file.path);
    stand.is_ok_and(|stand| match stand.standing {
        Standing::File { sha256, mode, .. } => sha256 == kept.sha256 && Some(mode) == file.mode,
        _ => false,
    })
}
