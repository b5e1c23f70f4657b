//! What ignore files say, read by us and not by the walker: it would open
//! whatever stands under the name, also a pipe that never ends or a link to a
//! device. Here only regular files of a sane size are read, through a handle
//! and never through a link; anything else counts as no rule at all.
//!
//! A worktree's `.git` file, which names a folder elsewhere, is not followed.

use super::Workspace;
use super::beneath::{self, CONTENT, LOOK, Resolution};
use ignore::gitignore::{Gitignore, GitignoreBuilder};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{FileType, fstat};
use std::collections::HashMap;
use std::fs::File;
use std::io::Read as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, PoisonError, RwLock};

const FILE_BYTES: u64 = 1024 * 1024;
/// What all ignore files of one walk may cost together, in bytes.
const TOTAL_COST: u64 = 16 * 1024 * 1024;
/// A wildcard becomes a piece of a state machine, far larger than its text.
const WILDCARD_COST: u64 = 256;

/// The ignore files of one walk. Each folder's are read when its first entry
/// is met, once.
pub(super) struct IgnoreFiles {
    /// The folder that is walked, by name and by handle.
    folder: PathBuf,
    handle: Arc<OwnedFd>,
    resolution: Resolution,
    /// What rules may still cost.
    left: AtomicU64,
    known: RwLock<HashMap<PathBuf, Rules>>,
}

/// The rules that hold in a folder. Of each kind the nearest file decides, and
/// a kind above is asked before those below. Cheap to clone.
#[derive(Clone, Default)]
struct Rules {
    ignore: Option<Arc<Layer>>,
    git: Option<Arc<Layer>>,
    exclude: Option<Arc<Layer>>,
}

struct Layer {
    file: Gitignore,
    above: Option<Arc<Layer>>,
}

impl IgnoreFiles {
    /// Reads what lies above the folder. `top` is the highest folder whose
    /// files hold; it is the folder itself or lies above it.
    pub(super) fn new(
        workspace: &Workspace,
        handle: &Arc<OwnedFd>,
        folder: &Path,
        top: &Path,
    ) -> Self {
        let mut files = Self {
            folder: folder.to_owned(),
            handle: Arc::clone(handle),
            resolution: workspace.resolution,
            left: AtomicU64::new(TOTAL_COST),
            known: RwLock::default(),
        };
        let above = files.above(top);
        let own = files.within(files.handle.as_fd(), Path::new(""), folder, above);
        files.known = RwLock::new(HashMap::from([(folder.to_owned(), own)]));
        files
    }

    /// The rules of the folders from `top` down to the one that is walked,
    /// without its own.
    fn above(&self, top: &Path) -> Rules {
        let mut rules = Rules::default();
        let Ok(door) = beneath::open_root(Path::new("/")) else {
            return rules;
        };
        let mut folders: Vec<&Path> = self
            .folder
            .ancestors()
            .skip(1)
            .take_while(|folder| folder.starts_with(top))
            .collect();
        folders.reverse();
        for folder in folders {
            let relative = folder.strip_prefix("/").unwrap_or(folder);
            rules = self.within(door.as_fd(), relative, folder, rules);
        }
        rules
    }

    /// Whether an entry is left out. Its folder has been walked into, so the
    /// rules above have let that pass.
    pub(super) fn leave_out(&self, entry: &Path, kind: Kind) -> bool {
        let Some(folder) = entry.parent() else {
            return false;
        };
        let rules = self.rules_of(folder);
        [&rules.ignore, &rules.git, &rules.exclude]
            .into_iter()
            .find_map(|layers| verdict(layers.as_ref(), entry, kind))
            == Some(Verdict::LeaveOut)
    }

    fn rules_of(&self, folder: &Path) -> Rules {
        let known = self.known.read().unwrap_or_else(PoisonError::into_inner);
        if let Some(rules) = known.get(folder) {
            return rules.clone();
        }
        drop(known);
        let (Some(parent), Ok(relative)) = (folder.parent(), folder.strip_prefix(&self.folder))
        else {
            return Rules::default();
        };
        let rules = self.within(self.handle.as_fd(), relative, folder, self.rules_of(parent));
        self.known
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(folder.to_owned(), rules.clone());
        rules
    }

    /// The rules of a folder on top of those above it.
    fn within(&self, door: BorrowedFd<'_>, relative: &Path, folder: &Path, above: Rules) -> Rules {
        let layer = |name: &str, above: Option<Arc<Layer>>| {
            let text = self.text(door, &relative.join(name));
            match text.and_then(|text| parse(folder, &text)) {
                Some(file) => Some(Arc::new(Layer { file, above })),
                None => above,
            }
        };
        Rules {
            ignore: layer(".ignore", above.ignore),
            git: layer(".gitignore", above.git),
            exclude: layer(".git/info/exclude", above.exclude),
        }
    }

    fn text(&self, door: BorrowedFd<'_>, relative: &Path) -> Option<String> {
        // Looked at before it is opened: opening a device can do things.
        let seen = beneath::open(self.resolution, door, relative, LOOK).ok()?;
        sane_size(&seen)?;
        let handle = beneath::open(self.resolution, door, relative, CONTENT).ok()?;
        let size = sane_size(&handle)?;
        let mut bytes = Vec::new();
        // One that grows while it is read is cut where it ended.
        File::from(handle).take(size).read_to_end(&mut bytes).ok()?;
        let text = String::from_utf8_lossy(&bytes).into_owned();
        let pay = |left: u64| left.checked_sub(cost(&text));
        self.left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, pay)
            .ok()?;
        Some(text)
    }
}

/// Of a regular file that is not too large to be read.
fn sane_size(handle: &OwnedFd) -> Option<u64> {
    let stat = fstat(handle).ok()?;
    let regular = FileType::from_raw_mode(stat.st_mode) == FileType::RegularFile;
    u64::try_from(stat.st_size)
        .ok()
        .filter(|size| regular && *size <= FILE_BYTES)
}

/// Whether a rule for folders only can mean an entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Folder,
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Verdict {
    LeaveOut,
    Show,
}

fn verdict(mut layers: Option<&Arc<Layer>>, entry: &Path, kind: Kind) -> Option<Verdict> {
    while let Some(layer) = layers {
        let found = layer.file.matched(entry, kind == Kind::Folder);
        if found.is_ignore() {
            return Some(Verdict::LeaveOut);
        }
        if found.is_whitelist() {
            return Some(Verdict::Show);
        }
        layers = layer.above.as_ref();
    }
    None
}

/// `*.ext` is looked up by its ending and costs no more than a plain name.
fn cost(text: &str) -> u64 {
    let wildcards = text
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.strip_prefix('!').unwrap_or(line))
        .map(|line| line.strip_prefix("*.").unwrap_or(line))
        .map(|line| line.matches(['*', '?', '[', '{']).count() as u64)
        .sum::<u64>();
    text.len() as u64 + wildcards * WILDCARD_COST
}

/// `None` when there is no rule in it, or more than can be matched.
fn parse(folder: &Path, text: &str) -> Option<Gitignore> {
    let mut builder = GitignoreBuilder::new(folder);
    for line in text.trim_start_matches('\u{feff}').lines() {
        // A line that cannot be understood is no rule, as in git.
        let _ = builder.add_line(None, line);
    }
    builder.build().ok().filter(|file| !file.is_empty())
}

/// The highest folder whose ignore files hold for a walk. Inside the project
/// that is the root of its repository; without one it is the project's, for a
/// `*` in the home folder would hide everything.
pub(super) fn top(root: &Path, folder: &Path) -> PathBuf {
    let base = if folder.starts_with(root) {
        root
    } else {
        folder
    };
    base.ancestors()
        .find(|above| above.join(".git").symlink_metadata().is_ok())
        .unwrap_or(base)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::{TOTAL_COST, WILDCARD_COST, cost};

    #[test]
    fn wildcards_cost_more_than_their_text() {
        let plain = "*.log\n!*.rs\ntarget/\n# ***\n";
        assert_eq!(cost(plain), plain.len() as u64);
        assert_eq!(cost("*.*.x"), 5 + WILDCARD_COST);
        assert_eq!(cost("a*b?c\n"), 6 + 2 * WILDCARD_COST);
        // A mebibyte of wildcards alone is too much for a whole walk.
        assert!(cost(&"a*b*c\n".repeat(1024 * 1024 / 6)) > TOTAL_COST);
    }
}
