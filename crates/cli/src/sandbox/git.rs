//! The git folder around a root, so that `git commit` works in it: also where
//! that folder lies above the root, or elsewhere (a linked worktree, a
//! submodule). Its hooks and settings run programs, so they stay as they are.
//!
//! A `.git` file is content of the project: it may name any folder. It is
//! believed only where that folder points back at the root, which nobody can
//! forge without having been able to write there. To protect something it is
//! followed wherever it leads: that opens nothing.

use std::path::{Path, PathBuf};

/// Of a git folder: what names programs to run, or another folder that does.
const STEERING: [&str; 4] = ["hooks", "config", "config.worktree", "commondir"];
/// The same of a linked working tree's folder.
const STEERING_A_WORKTREE: [&str; 3] = ["config.worktree", "commondir", "gitdir"];
/// Submodules and working trees that are looked after; each costs mounts.
const MOST: usize = 64;

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

    /// What steers git there.
    pub(super) fn protected(&self) -> Vec<PathBuf> {
        let mut paths = steering(&self.common, WorkingTrees::of(&self.root, &self.common));
        if self.folder != self.common {
            paths.extend(STEERING.map(|name| self.folder.join(name)));
            paths.push(self.folder.join("gitdir"));
        }
        paths
    }
}

/// What steers git in the repository that a root lies in. A command that wrote
/// there would have the user's next git run its program. Repositories below the
/// root are judged after each command, by what is in them: a mount would keep
/// them from being moved and removed.
pub(super) fn steered(root: &Path) -> Vec<PathBuf> {
    let above = root
        .ancestors()
        .map(|folder| folder.join(".git"))
        .find(|entry| entry.symlink_metadata().is_ok());
    above
        .into_iter()
        .flat_map(|entry| of_entry(&entry, WorkingTrees::of(root, &entry)))
        .collect()
}

/// What holds the folders of linked working trees.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum WorkingTrees {
    Mounts,
    /// They lie in the project: they are judged after each command, so that
    /// `git worktree remove` can take them away.
    Judgement,
}

impl WorkingTrees {
    fn of(root: &Path, folder: &Path) -> Self {
        if root.join(".git") == folder {
            Self::Judgement
        } else {
            Self::Mounts
        }
    }
}

/// A `.git` folder is named as it is written, also where it is a link: the
/// sandbox guards the link then, and protects what it leads to. A `.git` file
/// is protected itself, with the folder that it names.
fn of_entry(entry: &Path, trees: WorkingTrees) -> Vec<PathBuf> {
    if entry.is_dir() {
        return if is_git(entry) {
            steering(entry, trees)
        } else {
            Vec::new()
        };
    }
    let mut paths = vec![entry.to_owned()];
    let Some(top) = entry.parent() else {
        return paths;
    };
    let Some(folder) = pointed_at(entry, top).filter(|folder| folder.join("HEAD").exists()) else {
        return paths;
    };
    paths.extend(steering(&folder, WorkingTrees::Mounts));
    if let Some(text) = short(&folder.join("commondir")) {
        paths.push(folder.join("gitdir"));
        let common = folder.join(text.trim()).canonicalize();
        paths.extend(
            common
                .into_iter()
                .flat_map(|common| steering(&common, WorkingTrees::Mounts)),
        );
    }
    paths
}

/// Of a git folder, the folders of its submodules and of its working trees.
fn steering(folder: &Path, trees: WorkingTrees) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> = std::iter::once(folder.to_owned())
        .chain(submodules(folder))
        .flat_map(|folder| STEERING.map(|name| folder.join(name)))
        .collect();
    if trees == WorkingTrees::Judgement {
        return paths;
    }
    let trees = std::fs::read_dir(folder.join("worktrees"));
    for tree in trees.into_iter().flatten().flatten().take(MOST) {
        paths.extend(STEERING_A_WORKTREE.map(|name| tree.path().join(name)));
    }
    paths
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
    let bytes = tenon_files::read(file, LARGEST).ok()?;
    String::from_utf8(bytes).ok()
}

/// The git folders of submodules, which have hooks and settings of their own.
fn submodules(common: &Path) -> Vec<PathBuf> {
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
