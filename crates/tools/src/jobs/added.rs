//! Folders outside the project that the user opened beside it, as commands see
//! them: written and read as the project is, but for what steers programs there
//! and for their secrets. What these are is looked up by whoever adds one.

use super::Jobs;
use super::running::lock;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_sandbox::{Mode, SandboxPolicy};

/// A folder that commands may use besides the project.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct AddedFolder {
    /// Absolute, with links followed.
    pub path: PathBuf,
    /// What of it no command writes.
    pub read_only: Vec<PathBuf>,
    /// What of it no command sees.
    pub hidden: Vec<PathBuf>,
}

/// The walls as they were set up, and as they are with the added folders.
#[derive(Debug, Default)]
pub(super) struct SessionWalls {
    base: Option<SandboxPolicy>,
    added: Vec<AddedFolder>,
    now: Option<Arc<SandboxPolicy>>,
}

impl SessionWalls {
    pub(super) fn set(&mut self, base: Option<SandboxPolicy>) {
        self.base = base;
        self.build();
    }

    fn add(&mut self, folder: AddedFolder) {
        self.added.retain(|held| held.path != folder.path);
        self.added.push(folder);
        self.build();
    }

    pub(super) fn now(&self) -> Option<Arc<SandboxPolicy>> {
        self.now.clone()
    }

    pub(super) fn added(&self) -> Vec<PathBuf> {
        self.added
            .iter()
            .map(|folder| folder.path.clone())
            .collect()
    }

    fn build(&mut self) {
        self.now = self.base.clone().map(|mut policy| {
            for folder in &self.added {
                open(&mut policy, folder);
            }
            Arc::new(policy)
        });
    }
}

fn open(policy: &mut SandboxPolicy, folder: &AddedFolder) {
    match policy.mode {
        Mode::WorkspaceWrite => {
            policy.writable.push(folder.path.clone());
            policy.read_only.extend(folder.read_only.iter().cloned());
        }
        // In a temporary folder it would be writable without a word.
        Mode::ReadOnly if is_writable(policy, &folder.path) => {
            policy.read_only.push(folder.path.clone());
        }
        Mode::ReadOnly | Mode::Off => {}
    }
    policy.hidden.extend(folder.hidden.iter().cloned());
}

fn is_writable(policy: &SandboxPolicy, path: &Path) -> bool {
    policy.writable.iter().any(|held| path.starts_with(held))
}

impl Jobs {
    /// Commands use this folder as they use the project, from now on, also those
    /// that clones of this one start.
    pub fn add_folder(&self, folder: AddedFolder) {
        lock(&self.inner.sandbox).add(folder);
    }

    pub(super) fn added_folders(&self) -> Vec<PathBuf> {
        lock(&self.inner.sandbox).added()
    }
}
