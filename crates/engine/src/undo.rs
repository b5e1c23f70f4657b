//! Takes changes of files back, and gives them again; takes a part of the
//! conversation back with them. Between two runs only.
//!
//! An undo is for the last run that changed files and was not undone. It never
//! touches a file that is not as the session left it, and nothing outside the
//! root. What it takes away it keeps first, so that a redo is an undo of the
//! undo. The log has what was truly done; the conversation stays.

mod chain;
mod point;
mod roll;
mod words;

use crate::core::Core;
use std::sync::Arc;
use tenon_session::SessionError;
use tenon_vocab::{
    Checkpoint, CheckpointAction, ContextChange, HistoryRef, Notice, NoticeLevel, Reverted,
    TodoList,
};

pub use point::{NoPoint, Point, records};
pub use roll::{Deed, Outcome, Plan};
pub use words::{files, left, lines};

/// What the model is told with the next prompt: the files that went back since
/// the last one.
pub(crate) fn note(core: &Core) -> Option<String> {
    core.emitter
        .state(|state| words::for_model(&state.undo().moved))
}

pub(crate) async fn undo(core: &Arc<Core>) {
    beside(core, undo_files).await;
}

pub(crate) async fn redo(core: &Arc<Core>) {
    beside(core, redo_files).await;
}

pub(crate) async fn revert(core: &Arc<Core>, message: Option<u32>) {
    beside(core, move |core| revert_all(core, message)).await;
}

/// Beside the runtime, since it reads and writes files, and after all that has
/// run is recorded. Whatever happens, it is said: a front end waits for it.
async fn beside(
    core: &Arc<Core>,
    act: impl FnOnce(&Core) -> Result<Notice, SessionError> + Send + 'static,
) {
    core.keeper.settled().await;
    let engine = Arc::clone(core);
    let notice = match tokio::task::spawn_blocking(move || act(&engine)).await {
        Ok(Ok(notice)) => notice,
        Ok(Err(error)) => said(
            NoticeLevel::Error,
            "not_undone",
            format!("It could not be recorded: {error}"),
        ),
        Err(_) => said(
            NoticeLevel::Error,
            "not_undone",
            String::from(
                "Taking changes back crashed; this is a bug. Look at the files before you go on.",
            ),
        ),
    };
    core.emit_or_end(None, notice);
}

fn said(level: NoticeLevel, kind: &str, message: String) -> Notice {
    Notice {
        level,
        kind: kind.to_owned(),
        message,
        hint: None,
    }
}

fn undo_files(core: &Core) -> Result<Notice, SessionError> {
    let done: Vec<Vec<HistoryRef>> = core.emitter.state(|state| {
        let runs = state.undo().done.iter();
        runs.map(|run| run.at.clone()).collect()
    });
    let mut places: Vec<HistoryRef> = Vec::new();
    // A run that came to nothing, such as a command that was only prepared for,
    // is passed over.
    for run in done.into_iter().rev() {
        places.splice(0..0, run);
        let (plan, missing) = plan(core, &places);
        if plan.is_empty() && missing == 0 {
            continue;
        }
        let Some(first) = places.first() else {
            continue;
        };
        let outcome = roll(
            core,
            plan,
            CheckpointAction::Undone,
            first.seq.saturating_sub(1),
        )?;
        let mut notice = told(
            &outcome,
            missing,
            "Undone",
            "as before the last run that changed files",
        );
        notice.hint = Some(String::from(
            "The conversation stays as it is; /revert takes both back. /redo gives the files again.",
        ));
        return Ok(notice);
    }
    Ok(said(
        NoticeLevel::Info,
        "not_undone",
        String::from(
            "Nothing to undo: this session has changed no files, or all of it was taken back.",
        ),
    ))
}

fn redo_files(core: &Core) -> Result<Notice, SessionError> {
    let last = core
        .emitter
        .state(|state| state.undo().undone.last().cloned());
    let Some(group) = last else {
        return Ok(said(
            NoticeLevel::Info,
            "not_undone",
            String::from("Nothing to redo: nothing was undone, or files were changed since."),
        ));
    };
    let to_seq = group.runs.last().and_then(|run| run.at.last());
    let (plan, missing) = plan(core, &group.records);
    let to_seq = to_seq.map_or(0, |at| at.seq);
    let outcome = roll(core, plan, CheckpointAction::Redone, to_seq)?;
    let mut notice = told(&outcome, missing, "Redone", "as the session had left them");
    notice.hint = Some(String::from("/undo takes it back again."));
    Ok(notice)
}

fn plan(core: &Core, places: &[HistoryRef]) -> (Plan, usize) {
    let (records, missing) = core.emitter.log(|log| records(log, places));
    (Plan::make(&core.workspace, &records), missing)
}

fn roll(
    core: &Core,
    plan: Plan,
    action: CheckpointAction,
    to_seq: u64,
) -> Result<Outcome, SessionError> {
    let blobs = core.emitter.blobs();
    plan.carry_out(&core.workspace, &blobs, |files, unkept| {
        let record = Checkpoint {
            action,
            call: None,
            to_seq: Some(to_seq),
            files,
            ahead: false,
            unkept,
        };
        core.emitter.emit(None, record).map(|_| ())
    })
}

fn told(outcome: &Outcome, missing: usize, what: &str, how: &str) -> Notice {
    let count = outcome.done.len();
    let head = match count {
        0 => format!("{what}: no file was touched."),
        1 => format!("{what}: 1 file is {how}."),
        _ => format!("{what}: {count} files are {how}."),
    };
    let mut message = head + &lines(outcome);
    if missing > 0 {
        message.push_str(&format!(
            "\n{missing} records of changes are no longer there; what they changed stays."
        ));
    }
    let level = if outcome.left.is_empty() && missing == 0 {
        NoticeLevel::Info
    } else {
        NoticeLevel::Warning
    };
    said(level, "undone", message)
}

fn revert_all(core: &Core, message: Option<u32>) -> Result<Notice, SessionError> {
    let found = core
        .emitter
        .look(|log, state| Point::find(log, state, message));
    let point = match found {
        Ok(point) => point,
        Err(NoPoint::Log(error)) => return Err(error),
        Err(why) => return Ok(said(NoticeLevel::Warning, "not_undone", why.to_string())),
    };
    // The files first: when they cannot be recorded, the conversation stays too.
    let (outcome, missing) = match point.changes.as_slice() {
        [] => (Outcome::default(), 0),
        changes => {
            let (plan, missing) = plan(core, changes);
            let to_seq = point.before;
            (
                roll(core, plan, CheckpointAction::Reverted, to_seq)?,
                missing,
            )
        }
    };
    let before = point.before;
    core.emitter
        .emit(None, ContextChange::Reverted(Reverted { before }))?;
    if let Some(items) = point.todo {
        core.emitter.emit(None, TodoList { items })?;
    }
    forget(core);
    Ok(reverted(
        &outcome,
        missing,
        point.number,
        point.prompt.as_deref(),
    ))
}

fn reverted(
    outcome: &Outcome,
    missing: usize,
    number: Option<u32>,
    prompt: Option<&str>,
) -> Notice {
    let message = number.map_or_else(
        || String::from("the last prompt"),
        |n| format!("message {n}"),
    );
    let mut notice = told(outcome, missing, "Files", "as before it");
    let files = std::mem::take(&mut notice.message);
    notice.message = format!("Back to before {message}. {files}");
    if let Some(prompt) = prompt {
        notice.hint = Some(format!("What was said there: {prompt}"));
    }
    notice
}

/// What the model has seen only in what was given up, it has not seen.
fn forget(core: &Core) {
    let known: std::collections::HashSet<String> = core
        .emitter
        .state(|state| state.reads().map(|(path, _)| path.to_owned()).collect());
    let ledger = core.workspace.ledger();
    for (path, _) in ledger.all() {
        if !known.contains(&path) {
            ledger.forget(&path);
        }
    }
}
