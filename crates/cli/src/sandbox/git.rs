//! The git folder around a root, so that `git commit` works in it: also where
//! that folder lies above the root, or elsewhere (a linked worktree, a
//! submodule). Its hooks and settings run programs, so they stay as they are.
//!
//! A `.git` file is content of the project: it may name any folder. It is
//! believed only where that folder points back at the root, which nobody can
//! forge without having been able to write there.

use std::path::{Path, PathBuf};

/// What git writes, and what of it must not be written.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Repository {
    root: PathBuf,
    /// Git's folder for this working tree, canonical.
    folder: PathBuf,
    /// The one that all working trees share; often the same.
    common: PathBuf,
}

impl Repository {
    /// What lies outside of the root.
    pub(super) fn writable(&self) -> Vec<PathBuf> {
        [&self.folder, &self.common]
            .into_iter()
            .filter(|folder| !folder.starts_with(&self.root))
            .cloned()
            .collect()
    }

    pub(super) fn protected(&self) -> Vec<PathBuf> {
        let mut folders = vec![self.common.clone()];
        if self.folder != self.common {
            folders.push(self.folder.clone());
        }
        folders.extend(submodules(&self.common));
        folders
            .iter()
            .flat_map(|folder| ["hooks", "config", "config.worktree"].map(|name| folder.join(name)))
            .collect()
    }
}

/// The repository that a root belongs to. One that is made later is not seen
/// until the next session, because git itself must be able to make it.
pub(super) fn around(root: &Path) -> Option<Repository> {
    let (top, entry) = root.ancestors().find_map(|folder| {
        let entry = folder.join(".git");
        let found = entry.symlink_metadata().ok()?;
        (found.is_dir() || found.is_file()).then_some((folder, entry))
    })?;
    if entry.is_dir() {
        // A folder of that name that is no repository gets nothing.
        let folder = entry.canonicalize().ok().filter(|folder| is_git(folder))?;
        return Some(Repository {
            root: root.to_owned(),
            common: folder.clone(),
            folder,
        });
    }
    let folder = pointed_at(&entry, top)?;
    let common = if is_worktree_of(&folder, &entry) {
        folder.parent()?.parent()?.to_owned()
    } else if is_submodule_of(&folder, top) {
        folder.clone()
    } else {
        return None;
    };
    is_git(&common).then(|| Repository {
        root: root.to_owned(),
        folder,
        common,
    })
}

fn is_git(folder: &Path) -> bool {
    folder.join("HEAD").exists() && folder.join("objects").is_dir()
}

/// The folder that a `.git` file names.
fn pointed_at(file: &Path, top: &Path) -> Option<PathBuf> {
    let text = short(file)?;
    let path = text.strip_prefix("gitdir:")?.trim();
    top.join(path).canonicalize().ok()
}

/// `<common>/worktrees/<name>`, which names the file that named it.
fn is_worktree_of(folder: &Path, file: &Path) -> bool {
    let in_worktrees = folder
        .parent()
        .and_then(Path::file_name)
        .is_some_and(|name| name == "worktrees");
    let back = short(&folder.join("gitdir"))
        .map(|text| folder.join(text.trim()))
        .and_then(|path| path.canonicalize().ok());
    in_worktrees && back.is_some() && back == file.canonicalize().ok()
}

/// A folder whose settings say that its working tree is this one.
fn is_submodule_of(folder: &Path, top: &Path) -> bool {
    let back = short(&folder.join("config")).and_then(|text| {
        text.lines()
            .filter_map(|line| line.trim().strip_prefix("worktree"))
            .find_map(|rest| {
                rest.trim()
                    .strip_prefix('=')
                    .map(|path| path.trim().to_owned())
            })
    });
    let back = back.and_then(|path| folder.join(path).canonicalize().ok());
    back.is_some() && back == top.canonicalize().ok()
}

fn short(file: &Path) -> Option<String> {
    const LARGEST: u64 = 64 * 1024;
    let found = file.symlink_metadata().ok()?;
    if !found.is_file() || found.len() > LARGEST {
        return None;
    }
    std::fs::read_to_string(file).ok()
}

/// The git folders of submodules, which have hooks and settings of their own.
fn submodules(common: &Path) -> Vec<PathBuf> {
    const MOST: usize = 64;
    let mut found = Vec::new();
    let mut open = vec![common.join("modules")];
    // A submodule may have a name with slashes: its folder lies deeper.
    for _ in 0..3 {
        for folder in std::mem::take(&mut open) {
            let Ok(entries) = std::fs::read_dir(&folder) else {
                continue;
            };
            for entry in entries.flatten().take(MOST) {
                let path = entry.path();
                if is_git(&path) {
                    found.push(path);
                } else if entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                    open.push(path);
                }
            }
        }
        open.truncate(MOST);
    }
    found.truncate(MOST);
    found
}
