//! What people and the model are told of files that went back.

use super::roll::{Deed, Outcome};
use std::fmt::Write as _;
use tenon_vocab::marked::{Mark, element};
use tenon_vocab::{CheckpointAction, FilesMoved, Printable, Unkept};

/// Paths that a notice names; beyond it they are counted.
pub(super) const NAMED: usize = 40;

/// The files that went back, those that did not and why; a line each.
#[must_use]
pub fn lines(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (path, deed) in outcome.done.iter().take(NAMED) {
        let path = Printable::line(path);
        let _ = write!(text, "\n  {:<12} {path}", deed.word());
    }
    if outcome.done.len() > NAMED {
        let _ = write!(text, "\n  and {} more", outcome.done.len() - NAMED);
    }
    if outcome
        .done
        .iter()
        .any(|(_, deed)| *deed == Deed::MovedBack)
    {
        text.push_str(
            "\nFiles that were moved back were not read: their size, time and permissions are as before.",
        );
    }
    text.push_str(&left(&outcome.left));
    text.push_str(&listed("/redo can't bring back:", &outcome.lost));
    text
}

/// What stays as it is, and why.
#[must_use]
pub fn left(left: &[Unkept]) -> String {
    listed("Left as they are:", left)
}

fn listed(what: &str, all: &[Unkept]) -> String {
    if all.is_empty() {
        return String::new();
    }
    let mut text = format!("\n{what}");
    for unkept in all.iter().take(NAMED) {
        let (path, reason) = (
            Printable::line(&unkept.path),
            Printable::line(&unkept.reason),
        );
        let _ = write!(text, "\n  {path}: {reason}");
    }
    if all.len() > NAMED {
        let _ = write!(text, "\n  and {} more", all.len() - NAMED);
    }
    text
}

/// `1 file`, `3 files`.
#[must_use]
pub fn files(count: usize) -> String {
    match count {
        1 => String::from("1 file"),
        count => format!("{count} files"),
    }
}

/// What the model reads with the next prompt: of what it was not told yet.
pub(super) fn for_model(moved: &[FilesMoved]) -> Option<String> {
    let mut text = String::new();
    for one in net(moved) {
        let back = match (one.action, one.forgotten) {
            (CheckpointAction::Undone, _) => Some(
                "The user took back your last file changes. These files are now as they were before",
            ),
            (CheckpointAction::Redone, true) => Some(
                "The user went back in this conversation, and then restored file changes from the part that is gone. Read these files before you rely on their content",
            ),
            (CheckpointAction::Redone, false) => Some(
                "The user restored file changes that had been taken back. These files are now as you left them",
            ),
            // The messages that made the changes are gone with them.
            (CheckpointAction::Reverted | CheckpointAction::Saved, _) => None,
        };
        if let Some(what) = back.filter(|_| !one.back.is_empty()) {
            let _ = writeln!(text, "{what}: {}.", names(&one.back, one.more));
        }
        if !one.left.is_empty() {
            let what = match one.action {
                CheckpointAction::Reverted | CheckpointAction::Saved => {
                    "The user went back in this conversation. These files were changed in the meantime and did not go back with it"
                }
                _ if one.back.is_empty() => {
                    "The user wanted file changes taken back or restored. These files were left as they are"
                }
                _ => "These files were changed as well, and were left as they are",
            };
            let _ = writeln!(text, "{what}: {}.", names(&one.left, 0));
        }
    }
    if text.is_empty() {
        return None;
    }
    text.push_str(
        "Read a file again before you change it. Don't redo what was taken back unless asked.",
    );
    Some(element(Mark::Undo.tag(), &[], &text))
}

/// Without what was taken back and given again at once.
fn net(moved: &[FilesMoved]) -> Vec<&FilesMoved> {
    let mut all: Vec<&FilesMoved> = Vec::new();
    for one in moved.iter().filter(|one| one.told.is_none()) {
        let cancels = all.last().is_some_and(|last| {
            (last.action, one.action) == (CheckpointAction::Undone, CheckpointAction::Redone)
                && (last.to_seq, last.more) == (one.to_seq, one.more)
                && last.back == one.back
                && last.left.is_empty()
                && one.left.is_empty()
        });
        if cancels {
            all.pop();
        } else {
            all.push(one);
        }
    }
    all
}

fn names(paths: &[String], more: u64) -> String {
    let paths: Vec<String> = paths
        .iter()
        .map(|path| Printable::line(path).into_string())
        .collect();
    let mut text = paths.join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}
