//! Before an admitted call destroys something, what it would destroy is kept:
//! files inside the root in the session's checkpoint store, the state of a
//! repository under a ref of its own.
//!
//! It is no undo and no backup program. It is bounded in files, bytes and time,
//! names what it left out, and what it cannot keep at all is not run.

mod git;
mod glob;
mod keep;
mod reach;

use crate::run::Run;
use serde_json::Value;
use tenon_policy::{Deed, Facts, PathFact, Script, Subject, Target};
use tenon_vocab::{CallId, Notice, NoticeLevel, notice};

pub(crate) use reach::{is_plain_glob, is_sweep};

/// Keeps what an admitted call of the class `Confirm` would destroy. Gives lines
/// for the call's result.
///
/// # Errors
/// Why it could not be kept: the call must not run.
pub(crate) async fn before(run: &Run, facts: &Facts, call: &CallId) -> Result<Vec<String>, String> {
    let Subject::Command(script) = &facts.subject else {
        // The other tools report to the journal before they change a file.
        return Ok(Vec::new());
    };
    let folder = folder_of(facts);
    let mut kept = keep::files(run, script, &folder, call).await?;
    let states = git::keep(run, script, &folder).await?;
    kept.people.extend(states.iter().cloned());
    kept.result.extend(states);
    Ok(told(run, kept))
}

/// Keeps the files that an admitted call of the class `Ask` names and destroys:
/// those that are there, inside the root. Nothing is looked at when it names none.
///
/// # Errors
/// Why they could not be kept: the call must not run.
pub(crate) async fn files(run: &Run, facts: &Facts, call: &CallId) -> Result<Vec<String>, String> {
    let Subject::Command(script) = &facts.subject else {
        return Ok(Vec::new());
    };
    let is_lost = |(target, fact): (&Target, Option<&PathFact>)| {
        target.certain
            && !matches!(target.deed, Deed::Read | Deed::Append)
            && fact.is_some_and(|fact| fact.exists && fact.inside)
    };
    if !script.observed().any(is_lost) {
        return Ok(Vec::new());
    }
    let kept = keep::files(run, script, &folder_of(facts), call).await?;
    Ok(told(run, kept))
}

/// Says it to people; what is left is for the call's result.
fn told(run: &Run, kept: keep::Told) -> Vec<String> {
    if !kept.people.is_empty() {
        run.core.emit_or_end(
            Some(run.id),
            Notice {
                level: NoticeLevel::Info,
                kind: notice::SAVED.to_owned(),
                message: kept.people.join("\n"),
                hint: kept.hint,
            },
        );
    }
    kept.result
}

/// What a call would affect, a line each, for whoever is to say yes to it.
pub(crate) async fn affects(run: &Run, facts: &Facts) -> Vec<String> {
    let Subject::Command(script) = &facts.subject else {
        return Vec::new();
    };
    let folder = folder_of(facts);
    let mut lines = match looked(run, script, &folder).await {
        Some(reach) => reach.lines(),
        None => Vec::new(),
    };
    lines.extend(git::affects(run, script, &folder).await);
    lines
}

/// Looks beside the runtime: folders may be large. `None` when that crashed.
async fn looked(run: &Run, script: &Script, folder: &str) -> Option<reach::Reach> {
    let (workspace, script) = (run.core.workspace.clone(), script.clone());
    let (folder, token) = (folder.to_owned(), run.token.clone());
    tokio::task::spawn_blocking(move || reach::look(&workspace, &script, &folder, &token))
        .await
        .ok()
}

/// The folder that a command runs in, as it was given; empty is the root.
fn folder_of(facts: &Facts) -> String {
    serde_json::from_str::<Value>(&facts.input)
        .ok()
        .and_then(|input| input["workdir"].as_str().map(str::to_owned))
        .unwrap_or_default()
}

/// `1 file`, `3 files`.
fn count(number: usize, one: &str, many: &str) -> String {
    let what = if number == 1 { one } else { many };
    format!("{number} {what}")
}

/// Bytes for people.
fn size(bytes: u64) -> String {
    const KB: u64 = 1000;
    match bytes {
        1 => String::from("1 byte"),
        0..KB => format!("{bytes} bytes"),
        KB..1_000_000 => format!("{} KB", bytes.div_ceil(KB)),
        _ => format!("{:.1} MB", bytes as f64 / 1_000_000.0),
    }
}
