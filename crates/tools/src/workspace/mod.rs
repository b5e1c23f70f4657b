//! The one door to the files of the project.
//!
//! A [`Workspace`] holds a handle on the root folder, and on each folder that
//! the user added to it. Every path is normalised,
//! its links are followed as text, the place it leads to is checked, and only
//! then is it opened, by a call that refuses links. So no `..`, no absolute
//! path and no link, also one that appears meanwhile, leads outside (T17).
//!
//! It does not decide what inside the root may be touched: that is the policy's
//! matter, which gets the normalised paths from [`Workspace::observe`].

mod added;
mod beneath;
mod change;
mod error;
mod foreign;
mod hash;
mod ignored;
mod ledger;
mod matches;
mod moment;
mod near;
mod path;
mod read;
mod rehearsal;
mod resolve;
mod scan;
mod stand;
mod target;
mod walk;

pub use beneath::Resolution;
pub use change::{Change, Expect, Journal, MadeFolder, Removed, Renamed, Written};
pub use error::{Doing, JournalError, OtherKind, WorkspaceError};
pub use hash::{Running, sha256};
pub use ledger::{Knowledge, Ledger, changed_since, unread};
pub use moment::{Age, Moment};
pub use read::{FileContent, FileRange, OpenFile, READ_CAP};
pub use rehearsal::Rehearsal;
pub use scan::{
    Changes, Extent, Noticed, Renewal, Renewed, SCAN_ENTRIES, Scan, ScanLimits, Scanned, Sentry,
    Stamp, Suspect, Writes,
};
pub use stand::{Stand, Standing, Wanted};
pub use walk::{Entry, EntryKind, Ignored, Walk, WalkOptions, Walked};

use crate::programs::Programs;
use added::AddedRoots;
use path::RootNames;
use resolve::Place;
use rustix::fd::{AsFd, OwnedFd};
use rustix::io::Errno;
use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tenon_policy::{Access, Foreign, Script};

/// How often a path is looked up again when links appear under our hands.
const ATTEMPTS: usize = 64;

/// Whether file tools may leave the root.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum External {
    #[default]
    Deny,
    /// Only what [`Workspace::admit_external`] has opened after a yes.
    Ask,
    Allow,
}

#[derive(Debug, Clone, Default)]
pub struct WorkspaceOptions {
    pub external: External,
    /// Folders that may be read although they are outside: the spill folder of
    /// the session, the folders of skills.
    pub extra_read: Vec<PathBuf>,
    /// The user's home: what `~` means, and a folder that must not be lost.
    pub home: Option<PathBuf>,
    /// Where commands find their programs.
    pub programs: Programs,
}

/// Cheap to clone; clones and views share the root and the ledger.
#[derive(Clone)]
pub struct Workspace {
    shared: Arc<Shared>,
    journal: Option<Arc<dyn Journal>>,
    admitted: Arc<[PathBuf]>,
    resolution: Resolution,
    private: Option<Private>,
    rehearsal: Option<Rehearsal>,
}

/// Says of a path, as shown, whether searches must pass it by.
pub type Private = Arc<dyn Fn(&str) -> bool + Send + Sync>;

struct Shared {
    root: Arc<OwnedFd>,
    added: AddedRoots,
    names: RootNames,
    external: External,
    extra_read: Vec<PathBuf>,
    /// With links followed.
    home: Option<PathBuf>,
    programs: Programs,
    ledger: Ledger,
    /// Numbers temporary files, so that two writers never share a name.
    temporary: AtomicU64,
}

impl fmt::Debug for Workspace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Workspace")
            .field("root", &self.shared.names.canonical)
            .field("external", &self.shared.external)
            .field("admitted", &self.admitted)
            .field("resolution", &self.resolution)
            .finish_non_exhaustive()
    }
}

impl Workspace {
    /// Opens a root folder.
    ///
    /// # Errors
    /// When it does not exist, is no folder, or cannot be entered.
    pub fn open(root: &Path, options: WorkspaceOptions) -> Result<Self, WorkspaceError> {
        let failed =
            |e: std::io::Error| WorkspaceError::io(Doing::Resolving, root.to_string_lossy(), e);
        let canonical = root.canonicalize().map_err(failed)?;
        let given = std::path::absolute(root).map_err(failed)?;
        let handle = beneath::open_root(&canonical).map_err(|e| failed(e.into()))?;
        let resolution = beneath::probe(handle.as_fd());
        let extra_read = options
            .extra_read
            .iter()
            .filter_map(|folder| outside_name(folder))
            .collect();
        let home = options.home.as_deref().and_then(outside_name);
        Ok(Self {
            shared: Arc::new(Shared {
                root: Arc::new(handle),
                added: AddedRoots::default(),
                names: RootNames {
                    canonical,
                    given: tenon_sandbox::plain(&given),
                },
                external: options.external,
                extra_read,
                home,
                programs: options.programs,
                ledger: Ledger::default(),
                temporary: AtomicU64::new(0),
            }),
            journal: None,
            admitted: Arc::from([]),
            resolution,
            private: None,
            rehearsal: None,
        })
    }

    /// The root, absolute and with links followed.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.shared.names.canonical
    }

    /// The user's home, with links followed, where it is known.
    #[must_use]
    pub fn home(&self) -> Option<&Path> {
        self.shared.home.as_deref()
    }

    /// What of the programs of a command line could be the project's, when it
    /// begins in this folder.
    pub(crate) fn foreign_programs(&self, script: &Script, folder: &Path) -> Vec<Foreign> {
        let folder = self.root().join(folder);
        self.shared.programs.foreign(script, self.root(), &folder)
    }

    /// A view whose changes are reported before they take effect.
    #[must_use]
    pub fn with_journal(&self, journal: Arc<dyn Journal>) -> Self {
        Self {
            journal: Some(journal),
            ..self.clone()
        }
    }

    /// A view that may also touch these outside paths, and what lies in them.
    /// For after a yes: the paths are those of [`Self::observe`].
    #[must_use]
    pub fn admit_external<P: AsRef<Path>>(&self, paths: impl IntoIterator<Item = P>) -> Self {
        let admitted = paths
            .into_iter()
            .filter_map(|path| outside_name(path.as_ref()))
            .chain(self.admitted.iter().cloned())
            .collect();
        Self {
            admitted,
            ..self.clone()
        }
    }

    /// A view that resolves paths in the given way. For tests, and for systems
    /// whose `openat2` cannot be trusted.
    #[must_use]
    pub fn with_resolution(&self, resolution: Resolution) -> Self {
        Self {
            resolution,
            ..self.clone()
        }
    }

    /// A view whose searches do not look into the files that this names: those
    /// that a `read` would have to ask for. Their names stay visible.
    #[must_use]
    pub fn with_private(&self, private: Private) -> Self {
        Self {
            private: Some(private),
            ..self.clone()
        }
    }

    /// What the model has seen of each file.
    #[must_use]
    pub fn ledger(&self) -> &Ledger {
        &self.shared.ledger
    }

    /// Looks a path up and acts on it; again when a link appeared in between.
    fn settle<T>(
        &self,
        path: &str,
        access: Access,
        mut act: impl FnMut(&Place) -> Result<T, Attempt>,
    ) -> Result<T, WorkspaceError> {
        for _ in 0..ATTEMPTS {
            let place = self.place(path, access)?;
            match act(&place) {
                Ok(done) => return Ok(done),
                Err(Attempt::Failed(error)) => return Err(error),
                Err(Attempt::Moved) => {}
            }
        }
        Err(WorkspaceError::Unsettled {
            path: path.to_owned(),
        })
    }
}

/// Why an action on a place did not succeed.
enum Attempt {
    /// A link stands where none stood: look the path up again.
    Moved,
    Failed(WorkspaceError),
}

impl Attempt {
    fn of(errno: Errno, doing: Doing, path: &str) -> Self {
        match errno {
            Errno::LOOP => Self::Moved,
            other => Self::Failed(WorkspaceError::io(doing, path, other)),
        }
    }
}

impl From<WorkspaceError> for Attempt {
    fn from(error: WorkspaceError) -> Self {
        Self::Failed(error)
    }
}

/// An absolute path outside the root with its links followed.
fn outside_name(path: &Path) -> Option<PathBuf> {
    let absolute = std::path::absolute(path).ok()?;
    resolve::canonical(&tenon_sandbox::plain(&absolute))
        .ok()
        .map(|canonical| canonical.path)
}
