//! What was found goes into the log, and people are told once what an undo will
//! not take back.

use super::{Found, RECORD};
use crate::core::Core;
use std::collections::HashSet;
use std::sync::atomic::Ordering;
use std::sync::{Arc, PoisonError};
use std::time::Duration;
use tenon_tools::workspace::{Extent, SCAN_ENTRIES};
use tenon_vocab::{
    CallId, Checkpoint, CheckpointAction, FileChange, NoticeLevel, Printable, RunId, Unkept,
};

/// Names in one line for people.
const SHOWN: usize = 3;
/// In the names that Tenon itself gives to what it sets aside.
const SET_ASIDE: &str = ".set-aside-";
/// Stands for the paths that nobody knows.
const COMMANDS: &str = "what commands changed";

/// What a command did.
pub(super) fn record(core: &Arc<Core>, run: RunId, call: Option<&CallId>, found: Found) {
    let Found {
        files,
        unkept,
        harmless,
        ..
    } = found;
    if files.is_empty() && unkept.is_empty() {
        return;
    }
    tell_unkept(core, run, &unkept, &harmless);
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

/// Each path once in a session; an undo names all of them, also the harmless ones.
fn tell_unkept(core: &Core, run: RunId, unkept: &[Unkept], harmless: &HashSet<String>) {
    let mut named = core
        .keeper
        .named
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let mut fresh = unkept.iter().filter(|one| {
        let is_full = named.len() >= RECORD;
        let is_harmless = harmless.contains(&one.path) || one.path.contains(SET_ASIDE);
        !is_full && !is_harmless && named.insert(one.path.clone())
    });
    let Some(first) = fresh.next() else { return };
    let more = match fresh.count() {
        0 => String::new(),
        count => format!(" and {count} more"),
    };
    drop(named);
    core.notice(
        Some(run),
        NoticeLevel::Info,
        "unkept",
        format!(
            "A command changed {}{more}, which /undo can't undo: {}.",
            Printable::line(&first.path),
            first.reason
        ),
    );
}

/// Says what a command destroyed that nobody had been asked about, and that a copy
/// is kept. `told` are files of which that was said before it ran.
pub(super) fn destroyed(
    core: &Core,
    call: &CallId,
    found: &Found,
    told: &HashSet<String>,
) -> Option<String> {
    // What stands elsewhere by now was moved, not destroyed.
    let left: HashSet<&str> = found
        .files
        .iter()
        .filter_map(|file| file.after.as_deref())
        .collect();
    let is_gone = |file: &&FileChange| {
        let before = file.before.as_ref();
        before.is_some_and(|before| !left.contains(before.sha256.as_str()))
            && !told.contains(&file.path)
            && !found.grown.contains(&file.path)
    };
    let (changed, removed): (Vec<&FileChange>, Vec<&FileChange>) = found
        .files
        .iter()
        .filter(is_gone)
        .partition(|file| file.after.is_some());
    let names_left = SHOWN.saturating_sub(removed.len());
    let done = [
        ("removed", &removed, SHOWN),
        ("changed", &changed, names_left),
    ]
    .into_iter()
    .filter(|(_, files, _)| !files.is_empty())
    .map(|(done, files, names)| format!("{done} {}", listed(files, names)))
    .collect::<Vec<_>>();
    let their = match removed.len() + changed.len() {
        0 => return None,
        1 => "Its",
        _ => "Their",
    };
    let emitter = &core.emitter;
    let outside = if emitter.blobs().outlive_the_session() {
        let session = emitter.session();
        format!(" or tenon sessions restore {session} --call {call}")
    } else {
        String::new()
    };
    Some(format!(
        "The command {}. {their} old content is kept. To get it back: /undo{outside}",
        done.join(" and ")
    ))
}

/// So many names, and how many more there are.
fn listed(files: &[&FileChange], names: usize) -> String {
    let shown: Vec<String> = files
        .iter()
        .take(names)
        .map(|file| Printable::line(&file.path).to_string())
        .collect();
    match (files.len() - shown.len(), shown.is_empty()) {
        (0, _) => shown.join(", "),
        (1, true) => String::from("1 file"),
        (more, true) => format!("{more} files"),
        (more, false) => format!("{} and {more} more", shown.join(", ")),
    }
}

/// A command that nobody watched has a record all the same: whoever asks what
/// the session changed must not hear that it was nothing. People are told once.
pub(super) fn unwatched(core: &Core, run: RunId, extent: Extent, limit: Duration) {
    let why = match extent {
        Extent::TooMany => format!("there are more than {SCAN_ENTRIES} files here"),
        _ => format!("checking all files takes longer than {} s", limit.as_secs()),
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
            "/undo can't undo what commands change: {why}. It can undo what the file tools change."
        ),
    );
}
