//! A view in which a call goes as far as its first change and no further. What it
//! ends with before that is what it would end with whoever allowed it: nobody
//! needs to be asked about a change that cannot be made (G23).

use super::{Workspace, WorkspaceError};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether a call in such a view came to its first change.
#[derive(Debug, Clone, Default)]
pub struct Rehearsal(Arc<AtomicBool>);

impl Rehearsal {
    #[must_use]
    pub fn would_change(&self) -> bool {
        self.0.load(Ordering::Relaxed)
    }
}

impl Workspace {
    /// A view in which writing, removing and renaming stop before they change
    /// anything, with what says whether one of them did.
    #[must_use]
    pub fn rehearsing(&self) -> (Self, Rehearsal) {
        let rehearsal = Rehearsal::default();
        let view = Self {
            rehearsal: Some(rehearsal.clone()),
            ..self.clone()
        };
        (view, rehearsal)
    }

    /// To be called before anything is changed, a folder made included.
    pub(super) fn about_to_change(&self, path: &str) -> Result<(), WorkspaceError> {
        let Some(rehearsal) = &self.rehearsal else {
            return Ok(());
        };
        rehearsal.0.store(true, Ordering::Relaxed);
        Err(WorkspaceError::Rehearsed {
            path: path.to_owned(),
        })
    }
}
