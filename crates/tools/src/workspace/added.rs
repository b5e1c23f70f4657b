//! Folders outside the project that the user opened beside it. Each is a root of
//! its own with a handle of its own: a place belongs to the root that holds it,
//! and is opened beneath that one, as in the project. Which folders may be added
//! is not decided here.

use super::beneath;
use super::error::{Doing, WorkspaceError};
use super::{Workspace, outside_name};
use rustix::fd::OwnedFd;
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError, RwLock};

#[derive(Debug, Clone)]
struct Root {
    handle: Arc<OwnedFd>,
    /// With links followed.
    path: PathBuf,
}

/// Shared by all clones of a workspace: a folder that is added is open to each.
#[derive(Debug, Default)]
pub(super) struct AddedRoots(RwLock<Vec<Root>>);

impl Workspace {
    /// Opens a folder beside the project, for every clone of this workspace.
    /// Gives its path with links followed.
    ///
    /// # Errors
    /// When it does not exist, is no folder, or cannot be entered.
    pub fn add_root(&self, folder: &Path) -> Result<PathBuf, WorkspaceError> {
        let shown = folder.to_string_lossy();
        let path = folder
            .canonicalize()
            .map_err(|error| WorkspaceError::io(Doing::Resolving, shown.as_ref(), error))?;
        let handle = beneath::open_root(&path)
            .map_err(|error| WorkspaceError::io(Doing::Resolving, shown.as_ref(), error))?;
        let mut roots = self
            .added()
            .0
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        if !roots.iter().any(|root| root.path == path) {
            roots.push(Root {
                handle: Arc::new(handle),
                path: path.clone(),
            });
        }
        Ok(path)
    }

    /// The folders that were added, with links followed, in the order in which
    /// they were.
    #[must_use]
    pub fn added_roots(&self) -> Vec<PathBuf> {
        self.roots().map(|root| root.path).collect()
    }

    /// The added root that holds a path with links followed, and the path
    /// beneath it. Of two that hold it, the inner one.
    pub(super) fn added_root_of(&self, canonical: &Path) -> Option<(Arc<OwnedFd>, PathBuf)> {
        let holding = self
            .roots()
            .filter(|root| canonical.starts_with(&root.path));
        let root = holding.max_by_key(|root| root.path.as_os_str().len())?;
        let relative = canonical.strip_prefix(&root.path).ok()?.to_path_buf();
        Some((root.handle, relative))
    }

    pub(super) fn is_added_root(&self, canonical: &Path) -> bool {
        self.roots().any(|root| root.path == canonical)
    }

    /// The handle and the path beneath it of a path as facts show it. One that
    /// lies in no root keeps its letters, which no handle opens.
    pub(super) fn held(&self, shown: &str) -> (Arc<OwnedFd>, PathBuf) {
        let path = Path::new(shown);
        let added = path.is_absolute().then(|| self.added_root_of(path));
        added
            .flatten()
            .unwrap_or_else(|| (Arc::clone(&self.shared.root), path.to_path_buf()))
    }

    /// Whether this can be a folder within a root, as facts show it: not a root,
    /// and nothing above one.
    #[must_use]
    pub fn holds_folder(&self, shown: &str) -> bool {
        let path = Path::new(shown);
        let is_within = |(_, relative): (_, PathBuf)| !relative.as_os_str().is_empty();
        !path.is_absolute() && !shown.is_empty() || self.added_root_of(path).is_some_and(is_within)
    }

    fn added(&self) -> &AddedRoots {
        &self.shared.added
    }

    fn roots(&self) -> impl Iterator<Item = Root> {
        let roots = self
            .added()
            .0
            .read()
            .unwrap_or_else(PoisonError::into_inner);
        roots.clone().into_iter()
    }

    /// Whether a path as facts show it lies in an added folder.
    #[must_use]
    pub fn is_in_added(&self, shown: &str) -> bool {
        let path = Path::new(shown);
        path.is_absolute()
            && outside_name(path).is_some_and(|path| self.added_root_of(&path).is_some())
    }
}
