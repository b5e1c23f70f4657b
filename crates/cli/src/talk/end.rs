//! Ending a session, and how to come back to it.

use super::{Kept, Running, Talk};
use crate::screen::{Paint, Style, complain};
use std::time::Duration;
use tenon_vocab::{Command, SessionId};

/// Ending kills processes, which may take two seconds.
const ENDING: Duration = Duration::from_secs(10);

/// A session whose engine was told to end. Whoever listens to its log lets go of
/// it before it is settled.
#[must_use]
pub struct Stopped {
    talk: Talk,
    /// The engine is done, and nothing writes any more.
    is_done: bool,
}

impl Running {
    /// Ends the engine and leaves the session whole.
    pub async fn stop(self) -> Stopped {
        self.commands.send(Command::Shutdown);
        drop(self.commands);
        let ended = tokio::time::timeout(ENDING, self.engine).await;
        Stopped {
            talk: self.talk,
            is_done: ended.is_ok(),
        }
    }
}

impl Stopped {
    /// Gives its id if it can be resumed; one to which nothing was said is not
    /// kept.
    pub fn settle(self) -> Option<SessionId> {
        let Talk {
            id, place, kept, ..
        } = self.talk;
        let store = place.store();
        match kept {
            Kept::Never => None,
            Kept::IfUsed if store.summary(id).is_ok_and(|summary| summary.runs == 0) => {
                if self.is_done {
                    // An empty session that stays is untidy, not wrong.
                    let _ = store.delete(id);
                }
                None
            }
            Kept::IfUsed | Kept::Always => Some(id),
        }
    }
}

/// Says how to come back to a session, after a word of which one it is.
pub fn come_back(which: &str, id: Option<SessionId>, paint: Paint) {
    if let Some(id) = id {
        let text = format!("{which}: tenon --session {id}");
        complain(&paint.paint(Style::Dim, &text));
    }
}
