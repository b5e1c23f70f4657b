//! Files of the project that are secret by their name, at any depth: commands
//! that nobody is asked about do not see them. Looked for anew before each of
//! them, since one may have come a moment ago.

use super::tree::{Extent, Scope, Tree};
use std::path::{Path, PathBuf};

/// Each is a mount.
const MOST: usize = 128;
/// Bytes of their paths: a policy has to fit into a message.
const BYTES: usize = 48 * 1024;

/// The secret files of a project, and those that commands do not see anyway.
#[derive(Debug, Default)]
pub(in crate::jobs) struct SecretFiles {
    tree: Option<Tree>,
}

/// What was found.
#[derive(Debug, Default, PartialEq, Eq)]
pub(in crate::jobs) struct Secrets {
    pub(in crate::jobs) paths: Vec<PathBuf>,
    pub(in crate::jobs) coverage: Coverage,
}

/// Whether these are all.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(in crate::jobs) enum Coverage {
    All,
    /// There may be more of them: the project is too large, or they are too
    /// many.
    #[default]
    Some,
}

impl SecretFiles {
    /// What lies in `shown` is no secret to commands.
    pub(in crate::jobs) fn look(
        &mut self,
        root: &Path,
        hidden: &[PathBuf],
        shown: &[PathBuf],
    ) -> Secrets {
        let without: Vec<PathBuf> = hidden
            .iter()
            .filter(|path| path.starts_with(root))
            .cloned()
            .collect();
        let tree = match self.tree.take() {
            Some(tree) if tree.is_of(root, &without) => tree,
            _ => Tree::new(root.to_owned(), without),
        };
        let tree = self.tree.insert(tree);
        tree.look(Scope::All);
        let is_shown = |path: &PathBuf| shown.iter().any(|shown| path.starts_with(shown));
        let mut paths: Vec<PathBuf> = (tree.secrets().into_iter())
            .map(|path| root.join(path))
            .filter(|path| !is_shown(path) && !leads_to_another(root, path))
            .collect();
        let mut bytes = 0;
        let fitting = paths.iter().take(MOST).take_while(|path| {
            bytes += path.as_os_str().len() + 4;
            bytes <= BYTES
        });
        let fitting = fitting.count();
        let coverage = match (tree.extent(), fitting == paths.len()) {
            (Extent::Whole, true) => Coverage::All,
            _ => Coverage::Some,
        };
        paths.truncate(fitting);
        Secrets { paths, coverage }
    }
}

/// A link whose target has an innocent name outside of the project: hidden, it
/// would take a program of the machine from the command. What it leads to is
/// judged where a command names it.
fn leads_to_another(root: &Path, path: &Path) -> bool {
    path.is_symlink()
        && path.canonicalize().is_ok_and(|target| {
            !target.starts_with(root) && !tenon_policy::is_secret(&target.to_string_lossy())
        })
}
