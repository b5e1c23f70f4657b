//! What people and the model are told of files that went back.

use super::roll::Outcome;
use std::fmt::Write as _;
use tenon_vocab::{CheckpointAction, FilesMoved, Unkept};

/// Paths that a notice names; beyond it they are counted.
const NAMED: usize = 40;

/// The files that went back, those that did not and why; a line each.
#[must_use]
pub fn lines(outcome: &Outcome) -> String {
    let mut text = String::new();
    for (path, deed) in outcome.done.iter().take(NAMED) {
        let _ = write!(text, "\n  {:<12} {path}", deed.word());
    }
    if outcome.done.len() > NAMED {
        let _ = write!(text, "\n  and {} more", outcome.done.len() - NAMED);
    }
    text.push_str(&left(&outcome.left));
    text
}

/// What stays as it is, and why.
#[must_use]
pub fn left(left: &[Unkept]) -> String {
    if left.is_empty() {
        return String::new();
    }
    let mut text = String::from("\nLeft as they are:");
    for unkept in left.iter().take(NAMED) {
        let _ = write!(text, "\n  {}: {}", unkept.path, unkept.reason);
    }
    if left.len() > NAMED {
        let _ = write!(text, "\n  and {} more", left.len() - NAMED);
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

/// What the model reads with the next prompt.
pub(super) fn for_model(moved: &[FilesMoved]) -> Option<String> {
    let mut text = String::new();
    for one in moved {
        let what = match one.action {
            CheckpointAction::Undone => {
                "The user took your last changes of files back. These files are now as they were before"
            }
            CheckpointAction::Redone => {
                "The user gave changes of files again that had been taken back. These files are now as you had left them"
            }
            // The messages that made the changes are gone with them.
            CheckpointAction::Reverted | CheckpointAction::Saved => {
                "The user went back in this conversation, and these files went back with it"
            }
        };
        if !one.back.is_empty() && one.action != CheckpointAction::Reverted {
            let _ = writeln!(text, "{what}: {}.", names(&one.back, one.more));
        }
        if !one.left.is_empty() {
            let _ = writeln!(
                text,
                "These files were changed too and were left as they are: {}.",
                names(&one.left, 0)
            );
        }
    }
    if text.is_empty() {
        return None;
    }
    text.push_str("Read a file again before you change it. Do not redo what was taken back unless you are asked to.");
    Some(text)
}

fn names(paths: &[String], more: u64) -> String {
    let mut text = paths.join(", ");
    if more > 0 {
        let _ = write!(text, " and {more} more");
    }
    text
}
