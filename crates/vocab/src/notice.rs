//! The kinds of notices that a front end looks for. A kind that is only shown
//! needs no name here.

use crate::Notice;

/// What is to be known before the first prompt.
pub const START: &str = "start";
/// The same, and an earlier start said it already.
pub const KNOWN: &str = "known";
/// What waited and is not done, because the run was stopped.
pub const DROPPED: &str = "dropped";
/// What is to be known of the files that a prompt mentions; comes before it.
pub const MENTION: &str = "mention";
/// The model, the effort or the agent was changed, or was not.
pub const SWITCHED: &str = "switched";
pub const NOT_SWITCHED: &str = "not_switched";
/// What the user said of the session itself was done, or was not.
pub const SETTINGS: &str = "settings";
/// An undo, a redo or a revert was done, or was not.
pub const UNDONE: &str = "undone";
pub const NOT_UNDONE: &str = "not_undone";

/// What a command is about to destroy was saved first. The hint is the way back
/// for whoever is in no conversation, where `/undo` is one.
pub const SAVED: &str = "saved";

/// The hint that a conversation shows.
#[must_use]
pub fn hint_in_conversation(notice: &Notice) -> Option<&str> {
    notice.hint.as_deref().filter(|_| notice.kind != SAVED)
}

/// Whether the heading of a session says it: it is not said again below.
#[must_use]
pub fn is_of_the_start(kind: &str) -> bool {
    matches!(kind, START | KNOWN)
}

/// Whether it is the answer to a command that starts no run: what waited for one
/// goes on.
#[must_use]
pub fn answers_a_change(kind: &str) -> bool {
    matches!(
        kind,
        SWITCHED | NOT_SWITCHED | SETTINGS | UNDONE | NOT_UNDONE
    )
}
