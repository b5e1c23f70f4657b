//! Looks after protected paths that no mount holds: remembers what they are
//! before a command, and puts them back after it. This is repair, not a wall:
//! while the command runs the paths can change, and whoever relies on a guard
//! says so. `mend` does the work.

use crate::mend::Mender;
use crate::repair::Repair;
use crate::step::{Identity, identity, look, names, open_folder, read_file, read_link};
use rustix::fs::inotify::{self, CreateFlags, WatchFlags};
use rustix::fs::{CWD, FileType, Stat};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// A larger file is recognised as changed and not put back.
pub(crate) const MAX_FILE: u64 = 1024 * 1024;
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const MAX_ENTRIES: usize = 5_000;
const MAX_DEPTH: usize = 32;

/// What a path was before the command.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Before {
    Missing,
    Link(OsString),
    File(Kept),
    Folder(BTreeMap<OsString, Before>),
    /// Too large or too odd to keep; known by what the kernel says of it.
    Known(Identity),
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Kept {
    pub(crate) bytes: Vec<u8>,
    pub(crate) mode: u32,
    pub(crate) owner: (u32, u32),
}

/// How much a path is looked after.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Care {
    Protected,
    /// It may go with the folder that it lies in.
    Guarded,
}

/// Which of the watched paths to look at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Which {
    All,
    /// Those that may come into being at any time.
    Appearing,
}

#[derive(Debug)]
pub(crate) struct Watched {
    pub(crate) care: Care,
    pub(crate) base: PathBuf,
    pub(crate) below: Vec<OsString>,
    pub(crate) before: Before,
}

/// Remembers paths; [`Guard::mend`] puts them back.
#[derive(Debug, Default)]
pub(crate) struct Guard {
    watched: Vec<Watched>,
    set_aside: u32,
}

/// What may still be read into memory.
struct Budget {
    bytes: u64,
    entries: usize,
}

impl Guard {
    /// Each path is given by a folder that no command can replace, and the
    /// rest of the way.
    pub(crate) fn remember<'a>(paths: impl Iterator<Item = (&'a Path, &'a Path, Care)>) -> Self {
        let mut budget = Budget {
            bytes: MAX_BYTES,
            entries: MAX_ENTRIES,
        };
        let watched = paths
            .filter_map(|(base, below, care)| watch(base, below, care, &mut budget))
            .collect();
        Self {
            watched,
            set_aside: 0,
        }
    }

    /// Paths that are not put back when they change, since they are too large.
    pub(crate) fn unkept(&self) -> Vec<PathBuf> {
        self.watched
            .iter()
            .filter(|watched| watched.before.is_unkept())
            .map(|watched| {
                let mut path = watched.base.clone();
                path.extend(&watched.below);
                path
            })
            .collect()
    }

    /// Becomes readable when something happens beside a path that does not
    /// exist or is a link: those are looked after at once, so that a command
    /// that runs for hours does not have hours. `None` when there are none, or
    /// when the system has no watches to give; then the end must do.
    pub(crate) fn alarm(&self) -> Option<OwnedFd> {
        if !self.watched.iter().any(Watched::may_appear) {
            return None;
        }
        let alarm = inotify::init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK).ok()?;
        self.arm(&alarm);
        Some(alarm)
    }

    /// Watches what exists on the way; again after every alarm, since there
    /// may be more of it.
    pub(crate) fn arm(&self, alarm: &OwnedFd) {
        let events = WatchFlags::CREATE
            | WatchFlags::MOVED_TO
            | WatchFlags::MOVED_FROM
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR;
        for watched in self.watched.iter().filter(|watched| watched.may_appear()) {
            let Ok(mut folder) = open_folder(CWD, watched.base.as_os_str()) else {
                continue;
            };
            let above = watched.below.len().saturating_sub(1);
            let mut names = watched.below.iter().take(above);
            loop {
                let own = format!("/proc/self/fd/{}", folder.as_raw_fd());
                let _ = inotify::add_watch(alarm, own, events);
                match names.next().map(|name| open_folder(&folder, name)) {
                    Some(Ok(next)) => folder = next,
                    Some(Err(_)) | None => break,
                }
            }
        }
    }

    /// Puts back what has changed; a sentence for each.
    pub(crate) fn mend(&mut self, which: Which) -> Vec<Repair> {
        let mut told = Vec::new();
        let due = |watched: &&Watched| which == Which::All || watched.may_appear();
        for watched in self.watched.iter().filter(due) {
            let mut mender = Mender {
                watched,
                set_aside: &mut self.set_aside,
                told: &mut told,
            };
            if let Err(error) = mender.run() {
                mender.could_not(&error);
            }
        }
        told
    }
}

impl Watched {
    fn may_appear(&self) -> bool {
        matches!(self.before, Before::Missing | Before::Link(_))
    }
}

impl Before {
    fn is_unkept(&self) -> bool {
        match self {
            Self::Known(_) => true,
            Self::Folder(entries) => entries.values().any(Self::is_unkept),
            Self::Missing | Self::Link(_) | Self::File(_) => false,
        }
    }
}

/// The first link on the way is what is watched then: it decides where the
/// rest is.
fn watch(base: &Path, below: &Path, care: Care, budget: &mut Budget) -> Option<Watched> {
    let names: Vec<OsString> = below
        .components()
        .map(|part| match part {
            Component::Normal(name) => Some(name.to_owned()),
            _ => None,
        })
        .collect::<Option<_>>()?;
    let mut folder = open_folder(CWD, base.as_os_str()).ok()?;
    for (index, name) in names.iter().enumerate() {
        let is_last = index + 1 == names.len();
        let facts = match look(folder.as_fd(), name) {
            Ok(facts) => facts,
            Err(_) => break,
        };
        let kind = FileType::from_raw_mode(facts.st_mode);
        if kind == FileType::Directory && !is_last {
            folder = open_folder(folder.as_fd(), name).ok()?;
            continue;
        }
        return Some(Watched {
            care,
            base: base.to_owned(),
            below: names.get(..=index)?.to_vec(),
            before: remember(folder.as_fd(), name, &facts, budget, MAX_DEPTH),
        });
    }
    Some(Watched {
        care,
        base: base.to_owned(),
        below: names,
        before: Before::Missing,
    })
}

fn remember(
    folder: BorrowedFd<'_>,
    name: &OsStr,
    facts: &Stat,
    budget: &mut Budget,
    depth: usize,
) -> Before {
    let known = || Before::Known(identity(facts));
    if budget.entries == 0 || depth == 0 {
        return known();
    }
    budget.entries -= 1;
    match FileType::from_raw_mode(facts.st_mode) {
        FileType::Symlink => read_link(folder, name).map_or_else(|_| known(), Before::Link),
        FileType::RegularFile => {
            let size = u64::try_from(facts.st_size).unwrap_or(u64::MAX);
            if size > MAX_FILE.min(budget.bytes) {
                return known();
            }
            match read_file(folder, name, MAX_FILE) {
                Ok(bytes) => {
                    budget.bytes = budget.bytes.saturating_sub(size);
                    Before::File(Kept {
                        bytes,
                        mode: facts.st_mode & 0o7777,
                        owner: (facts.st_uid, facts.st_gid),
                    })
                }
                Err(_) => known(),
            }
        }
        FileType::Directory => {
            let Ok(handle) = open_folder(folder, name) else {
                return known();
            };
            let Ok(names) = names(&handle) else {
                return known();
            };
            let mut entries = BTreeMap::new();
            for name in names {
                if let Ok(facts) = look(handle.as_fd(), &name) {
                    let before = remember(handle.as_fd(), &name, &facts, budget, depth - 1);
                    entries.insert(name, before);
                }
            }
            Before::Folder(entries)
        }
        _ => known(),
    }
}
