//! The files that the session has changed and that were not taken back: what an
//! undo, again and again, would go through.

use super::table;
use crate::core::Core;
use crate::undo;
use std::collections::BTreeMap;
use tenon_vocab::{BlobRef, FileChange, HistoryRef, Reply};

/// The first state of a path, and the last one.
struct Change {
    before: Option<BlobRef>,
    after: Option<String>,
    folder: bool,
}

pub(super) async fn list(core: &Core) -> Reply {
    core.keeper.settled().await;
    let records = core.emitter.look(|log, state| {
        let places: Vec<HistoryRef> = state
            .undo()
            .done
            .iter()
            .flat_map(|run| run.at.iter().copied())
            .collect();
        undo::records(log, &places).0
    });
    let mut changes: BTreeMap<String, Change> = BTreeMap::new();
    let mut unkept: BTreeMap<String, String> = BTreeMap::new();
    for record in records {
        for file in record.files.into_iter().filter(|_| !record.ahead) {
            let folder = is_folder(&file);
            changes
                .entry(file.path)
                .and_modify(|change| change.after.clone_from(&file.after))
                .or_insert(Change {
                    before: file.before,
                    after: file.after,
                    folder,
                });
        }
        unkept.extend(record.unkept.into_iter().map(|one| (one.path, one.reason)));
    }
    let mut rows: Vec<Vec<String>> = changes
        .into_iter()
        .filter(|(_, change)| !change.folder)
        .filter_map(|(path, change)| Some(vec![path, word(&change)?.to_owned()]))
        .collect();
    for (path, reason) in unkept {
        rows.push(vec![path, format!("changed, cannot be undone: {reason}")]);
    }
    let note = rows
        .is_empty()
        .then(|| String::from("No file was changed, or all of it was taken back."));
    table(&["file", "change"], rows, note)
}

fn is_folder(file: &FileChange) -> bool {
    [file.mode, file.after_mode]
        .into_iter()
        .flatten()
        .any(|mode| mode & FileChange::KIND == FileChange::FOLDER)
}

fn word(change: &Change) -> Option<&'static str> {
    match (&change.before, &change.after) {
        (None, None) => None,
        (None, Some(_)) => Some("created"),
        (Some(_), None) => Some("deleted"),
        (Some(_), Some(_)) => Some("changed"),
    }
}
