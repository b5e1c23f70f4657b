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
use std::sync::{Arc, Mutex, PoisonError};
use tenon_session::SessionError;
use tenon_vocab::notice;
use tenon_vocab::{
    Checkpoint, CheckpointAction, HistoryRef, Notice, NoticeLevel, Printable, TakenBack,
};

pub use point::{NoPoint, Point, Said, records};
pub use roll::{Deed, Outcome, Plan, Stage};
pub use words::{files, left, lines};

/// Which step the user was warned of: by the record of what was taken back last
/// and the runs until then. Two are asked for twice: a redo of a revert, which
/// gives files and no conversation, and an undo of what there is no room to keep.
#[derive(Debug, Default)]
pub(crate) struct Warned(Mutex<Option<(u64, u32)>>);

impl Warned {
    /// Whether it was so already; from now on it is.
    fn before(&self, of: (u64, u32)) -> bool {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.replace(of) == Some(of)
    }

    fn is(&self, of: (u64, u32)) -> bool {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) == Some(of)
    }
}

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
            notice::NOT_UNDONE,
            format!("It could not be recorded: {error}"),
        ),
        Err(_) => said(
            NoticeLevel::Error,
            notice::NOT_UNDONE,
            String::from("Undo crashed. This is a bug; check the files before you continue."),
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
    if let Some(rest) = rest(core) {
        let outcome = roll(core, rest.plan, rest.group.by, rest.group.to_seq)?;
        let mut notice = told(&outcome, rest.missing, "Undone", "as before");
        notice.hint = Some(String::from(
            "/redo brings back what was undone, except what is listed as gone.",
        ));
        return Ok(notice);
    }
    let (done, broken_off): (Vec<Vec<HistoryRef>>, Option<u64>) = core.emitter.state(|state| {
        let undo = state.undo();
        let runs = undo.done.iter();
        // One that was killed in the middle has taken no run back yet.
        let last = undo.undone.last().filter(|group| group.runs.is_empty());
        (
            runs.map(|run| run.at.clone()).collect(),
            last.map(|group| group.to_seq),
        )
    });
    if let Some(to_seq) = broken_off {
        let all = done.iter().flatten().copied();
        let places: Vec<HistoryRef> = all.filter(|at| at.seq > to_seq).collect();
        if !places.is_empty() {
            let (plan, missing) = plan(core, &places);
            return undone(core, plan, missing, to_seq);
        }
    }
    // A run that came to nothing is passed over: a command that was only
    // prepared for, or changes that the user has taken back. Its files stand as
    // the run before it left them, so that one is planned for alone.
    for run in done.into_iter().rev() {
        let (plan, missing) = plan(core, &run);
        if plan.is_empty() && missing == 0 {
            continue;
        }
        if let Some(first) = run.first() {
            return undone(core, plan, missing, first.seq.saturating_sub(1));
        }
    }
    Ok(said(
        NoticeLevel::Info,
        notice::NOT_UNDONE,
        String::from(
            "Nothing to undo: this session changed no watched files, or all its changes are undone.",
        ),
    ))
}

fn undone(core: &Core, plan: Plan, missing: usize, to_seq: u64) -> Result<Notice, SessionError> {
    let is_tight = plan.is_tight();
    let outcome = roll(core, plan, CheckpointAction::Undone, to_seq)?;
    let mut notice = told(
        &outcome,
        missing,
        "Undone",
        "as before the last run that changed files",
    );
    notice.hint = Some(String::from(if is_tight {
        warn(core);
        FOR_GOOD
    } else if outcome.done.is_empty() {
        "/undo again undoes the run before it. To retry this one: /redo, then /undo."
    } else {
        "The conversation stays as it is; /revert takes both back. /redo brings the files back."
    }));
    Ok(notice)
}

const FOR_GOOD: &str = "/undo again also undoes what there is no room to keep: it is then gone for good, and /redo can't bring it back. A larger `checkpoints.max_bytes` would keep it.";

/// What the last undo or revert left for want of room.
struct Rest {
    group: TakenBack,
    plan: Plan,
    missing: usize,
}

/// What is still to be taken back, once it was said that it goes for good.
fn rest(core: &Core) -> Option<Rest> {
    let last = core
        .emitter
        .state(|state| state.undo().undone.last().cloned());
    let group = last.filter(|group| !group.runs.is_empty())?;
    if !core.undo_warned.is(step(core, &group)) {
        return None;
    }
    let changes = group.runs.iter().flat_map(|run| &run.at);
    let places: Vec<HistoryRef> = changes.chain(&group.records).copied().collect();
    let (records, missing) = core.emitter.log(|log| records(log, &places));
    let limit = core.given.checkpoints.total_bytes;
    let plan = Plan::make(&core.workspace, &records);
    let plan = plan.for_good(&core.workspace, &core.emitter.blobs(), limit);
    plan.loses().then_some(Rest {
        group,
        plan,
        missing,
    })
}

/// From now on the next undo is about what the last one left.
fn warn(core: &Core) {
    let last = core
        .emitter
        .state(|state| state.undo().undone.last().cloned());
    if let Some(group) = last {
        core.undo_warned.before(step(core, &group));
    }
}

/// What a warning is about.
fn step(core: &Core, group: &TakenBack) -> (u64, u32) {
    let record = group.records.first().map_or(0, |at| at.seq);
    (record, core.emitter.state(tenon_session::State::runs))
}

fn redo_files(core: &Core) -> Result<Notice, SessionError> {
    let last = core
        .emitter
        .state(|state| state.undo().undone.last().cloned());
    let Some(group) = last else {
        return Ok(said(
            NoticeLevel::Info,
            notice::NOT_UNDONE,
            String::from("Nothing to redo: nothing was undone, or files were changed since."),
        ));
    };
    if group.by == CheckpointAction::Reverted
        && !group.runs.is_empty()
        && let Some(warning) = of_revert(core, &group)
    {
        return Ok(warning);
    }
    let to_seq = group.runs.last().and_then(|run| run.at.last());
    let (plan, missing) = plan(core, &group.records);
    let to_seq = to_seq.map_or(0, |at| at.seq);
    let outcome = roll(core, plan, CheckpointAction::Redone, to_seq)?;
    let mut notice = told(&outcome, missing, "Redone", "as left by the session");
    notice.hint = Some(String::from("/undo undoes it again."));
    Ok(notice)
}

/// What a redo of a revert would do, said once before it is done.
fn of_revert(core: &Core, group: &TakenBack) -> Option<Notice> {
    if core.undo_warned.before(step(core, group)) {
        return None;
    }
    let (plan, _) = plan(core, &group.records);
    let mut message = String::from(
        "Nothing was done yet. What you took back last was part of the conversation, with its files. /redo doesn't bring the conversation back; only these files would change again:",
    );
    for (path, deed) in plan.deeds().take(words::NAMED) {
        message.push_str(&format!(
            "\n  {:<12} {}",
            deed.word(),
            Printable::line(path)
        ));
    }
    message.push_str(&left(&plan.left));
    let mut notice = said(NoticeLevel::Warning, notice::NOT_UNDONE, message);
    notice.hint = Some(String::from(
        "Type /redo again to do that. /fork N continues in a copy that still has the conversation up to message N.",
    ));
    Some(notice)
}

fn plan(core: &Core, places: &[HistoryRef]) -> (Plan, usize) {
    let (records, missing) = core.emitter.log(|log| records(log, places));
    let plan = Plan::make(&core.workspace, &records);
    let limit = core.given.checkpoints.total_bytes;
    let plan = plan.within(&core.workspace, &core.emitter.blobs(), limit);
    (plan, missing)
}

fn roll(
    core: &Core,
    plan: Plan,
    action: CheckpointAction,
    to_seq: u64,
) -> Result<Outcome, SessionError> {
    let blobs = core.emitter.blobs();
    plan.carry_out(&core.workspace, &blobs, |stage, files, unkept| {
        let record = Checkpoint {
            action,
            call: None,
            to_seq: Some(to_seq),
            files,
            ahead: stage == Stage::Ahead,
            untouched: Vec::new(),
            unkept,
        };
        core.emitter.emit(None, record).map(|_| ())
    })
}

fn told(outcome: &Outcome, missing: usize, what: &str, how: &str) -> Notice {
    let count = outcome.done.len();
    let is_whole = outcome.left.is_empty() && outcome.lost.is_empty();
    let head = match count {
        1.. if what == "Undone" && !is_whole => {
            let files = if count == 1 { "file is" } else { "files are" };
            format!("Not everything was undone: {count} {files} {how}.")
        }
        0 if what == "Undone" => String::from("Nothing was undone: no file was touched."),
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
    let level = if is_whole && missing == 0 {
        NoticeLevel::Info
    } else {
        NoticeLevel::Warning
    };
    said(level, notice::UNDONE, message)
}

fn revert_all(core: &Core, message: Option<u32>) -> Result<Notice, SessionError> {
    let found = core
        .emitter
        .look(|log, state| Point::find(log, state, message));
    let mut point = match found {
        Ok(point) => point,
        Err(NoPoint::Log(error)) => return Err(error),
        Err(why) => {
            let why = why.told(Said::Inside);
            return Ok(said(NoticeLevel::Warning, notice::NOT_UNDONE, why));
        }
    };
    // An agent that is gone is not gone back to.
    point.settings = point
        .settings
        .filter(|then| core.cast.knows(&then.agent_name));
    let (plan, missing) = plan(core, &point.changes);
    let is_tight = plan.is_tight();
    let blobs = core.emitter.blobs();
    let outcome = point.carry_out(plan, &core.workspace, &blobs, |kind| {
        core.emitter.emit(None, kind).map(drop)
    })?;
    if let Some(then) = &point.settings {
        core.act_as(&then.agent_name);
    }
    forget(core);
    let mut notice = reverted(&outcome, missing, &point);
    if is_tight {
        warn(core);
        let hints = notice.hint.into_iter().chain([String::from(FOR_GOOD)]);
        notice.hint = Some(hints.collect::<Vec<_>>().join("\n"));
    }
    Ok(notice)
}

fn reverted(outcome: &Outcome, missing: usize, point: &Point) -> Notice {
    let message = point.name();
    let mut notice = told(outcome, missing, "Files", "as before it");
    let files = std::mem::take(&mut notice.message);
    notice.message = format!("Back to before {message}. {files}");
    if let Some(then) = &point.settings {
        let agent = Printable::line(&then.agent_name);
        notice
            .message
            .push_str(&format!(" The agent is {agent} again."));
    }
    let typed = point.prompt.as_ref().filter(|prompt| !prompt.is_empty());
    let typed = typed.map(|prompt| format!("What you had typed: {prompt}"));
    let files = match outcome.done.len() {
        0 => "",
        _ => "/redo brings the files back, then ",
    };
    let back = point.last.map(|last| {
        format!(
            "To get it back: {files}/fork {last} continues in a copy with the whole conversation."
        )
    });
    let hints: Vec<String> = typed.into_iter().chain(back).collect();
    notice.hint = (!hints.is_empty()).then(|| hints.join("\n"));
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
