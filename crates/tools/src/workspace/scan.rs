//! The tree at one moment, by size and time: two scans around a command show
//! what it may have changed, without reading any content. `.git` is not in it,
//! and of what is ignored (`node_modules` as well) only what stands beside
//! something that is not, in a list of its own.
//!
//! A stamp can lie: a file that is written twice within one tick of the clock
//! has the same times. So what was touched just before a scan stays suspect in
//! the next comparison, and whoever compares looks at the content.

#[cfg(not(target_os = "linux"))]
#[path = "scan/blind.rs"]
mod sentry;
#[cfg(target_os = "linux")]
mod sentry;

mod noticed;
mod renew;
mod writes;

pub use noticed::{Changes, Noticed};
pub use renew::{Renewal, Renewed};
pub use sentry::Sentry;
pub(super) use sentry::is_local;
pub use writes::Writes;

use super::Workspace;
use super::moment::parts;
use super::walk::{Entry, EntryKind, Ignored, Walk, WalkOptions, Walked};
use std::cmp::Ordering as Order;
use std::fs::Metadata;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;
use std::path::PathBuf;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant, SystemTime};
use tenon_vocab::FileMark;

/// A tree with more entries than this is not watched.
pub const SCAN_ENTRIES: usize = 200_000;
/// Of what is ignored no more than this is listed, what lies highest first.
const IGNORED: usize = 2_000;
/// More than a tick of any clock that file systems take their times from.
const TICK: Duration = Duration::from_millis(50);
/// Entries between two looks at the clock.
const LOOK: usize = 256;

/// What tells one state of an entry from another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Stamp {
    pub size: u64,
    /// With the bits of the kind.
    pub mode: u32,
    device: u64,
    inode: u64,
    /// How many names it has.
    links: u64,
    modified: (i64, i64),
    /// Also moves where a program sets the other time back.
    changed: (i64, i64),
}

impl Stamp {
    #[must_use]
    pub fn of(metadata: &Metadata) -> Self {
        Self {
            size: metadata.len(),
            mode: metadata.mode(),
            device: metadata.dev(),
            inode: metadata.ino(),
            // Of a folder it counts those within.
            links: if metadata.is_dir() {
                1
            } else {
                metadata.nlink()
            },
            modified: (metadata.mtime(), metadata.mtime_nsec()),
            changed: (metadata.ctime(), metadata.ctime_nsec()),
        }
    }

    /// Which file it is, whatever it is called: device and number.
    #[must_use]
    pub fn identity(&self) -> (u64, u64) {
        (self.device, self.inode)
    }

    /// The same with its size and when it was written: for a record.
    #[must_use]
    pub fn mark(&self) -> FileMark {
        FileMark {
            device: self.device,
            inode: self.inode,
            bytes: self.size,
            modified: self.modified,
        }
    }

    /// Whether it has no other name.
    #[must_use]
    pub fn is_alone(&self) -> bool {
        self.links == 1
    }

    /// When its content was last written.
    #[must_use]
    pub fn modified(&self) -> (i64, i64) {
        self.modified
    }

    /// Whether it was touched so shortly before that time, or after it, that the
    /// times cannot tell what followed.
    #[must_use]
    pub fn is_fresh_at(&self, time: SystemTime) -> bool {
        let limit = parts(time, TICK);
        self.changed >= limit || self.modified >= limit
    }
}

/// One entry of the tree.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scanned {
    /// Relative to the root. Not the true name where `readable` is false.
    pub path: String,
    pub kind: EntryKind,
    pub stamp: Stamp,
    /// Whether the name is UTF-8: others cannot be named in a record.
    pub readable: bool,
}

impl Scanned {
    fn same_as(&self, other: &Self) -> bool {
        // The times of a folder change with what it holds.
        if self.kind == EntryKind::Folder && other.kind == EntryKind::Folder {
            return self.stamp.mode == other.stamp.mode;
        }
        self.stamp == other.stamp
    }
}

/// How far a scan goes.
#[derive(Debug)]
pub struct ScanLimits<'a> {
    pub entries: usize,
    pub deadline: Option<Instant>,
    /// One thread is quickest for a small tree.
    pub threads: usize,
    /// Ends the scan from elsewhere.
    pub stop: &'a AtomicBool,
    /// Folders that are none of the project's: Tenon's own.
    pub without: &'a [PathBuf],
}

/// Whether a scan saw everything.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Extent {
    #[default]
    Whole,
    /// There are more entries than the limit.
    TooMany,
    /// It was stopped, or took too long.
    Stopped,
}

/// Files, links and folders of the tree, ignored ones left out.
#[derive(Debug, Clone)]
pub struct Scan {
    /// Sorted by path.
    entries: Vec<Scanned>,
    /// Sorted by path too; nothing in an ignored folder.
    ignored: Vec<Scanned>,
    extent: Extent,
    begun: SystemTime,
    rules: Option<Stamp>,
}

/// A path that may differ between two scans.
#[derive(Debug, Clone, Copy)]
pub struct Suspect<'a> {
    pub before: Option<&'a Scanned>,
    pub after: Option<&'a Scanned>,
    /// False when the stamps are the same and only too young to be trusted.
    pub stamped: bool,
}

impl Suspect<'_> {
    #[must_use]
    pub fn path(&self) -> &str {
        self.before
            .or(self.after)
            .map_or("", |scanned| scanned.path.as_str())
    }
}

impl Scan {
    /// What was created, changed or removed between two scans, or may have been,
    /// by path.
    #[must_use]
    pub fn suspects<'a>(before: &'a Self, after: &'a Self) -> Vec<Suspect<'a>> {
        let mut suspects = Vec::new();
        let (mut old, mut new) = (
            before.entries.iter().peekable(),
            after.entries.iter().peekable(),
        );
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return suspects,
                (Some(_), None) => Order::Less,
                (None, Some(_)) => Order::Greater,
                (Some(a), Some(b)) => a.path.cmp(&b.path),
            };
            let a = (order != Order::Greater).then(|| old.next()).flatten();
            let b = (order != Order::Less).then(|| new.next()).flatten();
            let stamped = match (a, b) {
                (Some(a), Some(b)) => !a.same_as(b),
                _ => true,
            };
            let fresh =
                a.is_some_and(|a| a.kind != EntryKind::Folder && a.stamp.is_fresh_at(before.begun));
            if stamped || fresh {
                suspects.push(Suspect {
                    before: a,
                    after: b,
                    stamped,
                });
            }
        }
    }

    /// Which of the ignored files and links were changed or removed between two
    /// scans, or may have been. What is new among them is nobody's loss.
    #[must_use]
    pub fn ignored_suspects<'a>(before: &'a Self, after: &'a Self) -> Vec<Suspect<'a>> {
        let of = |old: &'a Scanned| {
            let new = find(&after.ignored, &old.path).or_else(|| find(&after.entries, &old.path));
            let stamped = new.is_none_or(|new| !old.same_as(new));
            (stamped || old.stamp.is_fresh_at(before.begun)).then_some(Suspect {
                before: Some(old),
                after: new,
                stamped,
            })
        };
        let files = before.ignored.iter();
        let files = files.filter(|old| matches!(old.kind, EntryKind::File | EntryKind::Link));
        files.filter_map(of).collect()
    }

    /// What is ignored and stands beside something that is not.
    #[must_use]
    pub fn ignored(&self) -> &[Scanned] {
        &self.ignored
    }

    #[must_use]
    pub fn entries(&self) -> &[Scanned] {
        &self.entries
    }

    #[must_use]
    pub fn extent(&self) -> Extent {
        self.extent
    }

    /// Of the rules of what is ignored that lie outside of the tree.
    #[must_use]
    pub fn rules(&self) -> Option<Stamp> {
        self.rules
    }

    #[must_use]
    pub fn begun(&self) -> SystemTime {
        self.begun
    }
}

fn find<'a>(sorted: &'a [Scanned], path: &str) -> Option<&'a Scanned> {
    let at = sorted.binary_search_by(|entry| entry.path.as_str().cmp(path));
    sorted.get(at.ok()?)
}

/// What a folder holds.
#[derive(Default)]
struct Listed {
    /// Sorted by path, like the ignored ones.
    entries: Vec<Scanned>,
    ignored: Vec<Scanned>,
    /// Whether the entries are all.
    extent: Extent,
}

impl Workspace {
    /// Looks at every entry of the tree. Costs a `stat` for each; blocks.
    #[must_use]
    pub fn scan(&self, limits: &ScanLimits<'_>) -> Scan {
        let begun = SystemTime::now();
        let rules = self.rules();
        let listed = self.listed(".", None, limits);
        Scan {
            entries: listed.entries,
            ignored: listed.ignored,
            extent: listed.extent,
            begun,
            rules,
        }
    }

    /// Of the rules that lie outside of what is looked at.
    fn rules(&self) -> Option<Stamp> {
        let rules = std::fs::symlink_metadata(self.root().join(".git/info/exclude"));
        rules.ok().map(|found| Stamp::of(&found))
    }

    /// What a folder holds.
    fn listed(&self, folder: &str, depth: Option<usize>, limits: &ScanLimits<'_>) -> Listed {
        let options = WalkOptions {
            limit: limits.entries,
            depth,
            ignored: Ignored::Note,
        };
        let Ok(walk) = self.walk(folder, &options) else {
            return Listed {
                extent: Extent::Stopped,
                ..Listed::default()
            };
        };
        let all: Mutex<Vec<Scanned>> = Mutex::default();
        let stopped = AtomicBool::new(false);
        let own = || Own {
            walk: &walk,
            limits,
            stopped: &stopped,
            entries: Vec::new(),
            all: &all,
        };
        let walked = if limits.threads > 1 {
            walk.parallel(limits.threads, || {
                let mut own = own();
                Box::new(move |entry| own.visit(entry))
            })
        } else {
            let mut own = own();
            walk.each(|entry| own.visit(entry))
        };
        let mut entries = all.into_inner().unwrap_or_else(PoisonError::into_inner);
        // Several threads, and folder by folder is not the order of whole paths
        // (`a/b` and `a.b`).
        entries.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        let extent = match (walked, stopped.into_inner() || limits.are_over()) {
            (Walked::Whole, _) => Extent::Whole,
            (Walked::Part, true) => Extent::Stopped,
            (Walked::Part, false) => Extent::TooMany,
        };
        Listed {
            entries,
            ignored: ignored(&walk, limits),
            extent,
        }
    }
}

/// What a walk noted.
fn ignored(walk: &Walk, limits: &ScanLimits<'_>) -> Vec<Scanned> {
    let noted = walk.noted().into_iter();
    let mut noted: Vec<Entry> = noted
        .filter(|entry| entry.relative().to_str().is_some() && !limits.is_own(entry))
        .collect();
    noted.sort_unstable_by(|a, b| (a.depth(), a.absolute()).cmp(&(b.depth(), b.absolute())));
    noted.truncate(IGNORED);
    let mut all: Vec<Scanned> = noted
        .iter()
        .filter_map(|entry| scanned(walk, entry))
        .collect();
    all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
    all
}

fn scanned(walk: &Walk, entry: &Entry) -> Option<Scanned> {
    Some(Scanned {
        path: walk.shown(entry),
        kind: entry.kind(),
        stamp: Stamp::of(&entry.metadata()?),
        readable: entry.relative().to_str().is_some(),
    })
}

/// The path of a name in a folder; the root is the empty path.
fn below(folder: &str, name: &str) -> String {
    match folder {
        "" => name.to_owned(),
        folder => format!("{folder}/{name}"),
    }
}

impl ScanLimits<'_> {
    /// Whether it is Tenon's own.
    fn is_own(&self, entry: &Entry) -> bool {
        let own = |folder: &PathBuf| entry.absolute().starts_with(folder);
        self.without.iter().any(own)
    }

    fn are_over(&self) -> bool {
        self.stop.load(Ordering::Relaxed) || self.deadline.is_some_and(|end| Instant::now() > end)
    }
}

/// What one thread found; it goes to the others' when the thread is done.
struct Own<'a> {
    walk: &'a Walk,
    limits: &'a ScanLimits<'a>,
    stopped: &'a AtomicBool,
    entries: Vec<Scanned>,
    all: &'a Mutex<Vec<Scanned>>,
}

impl Own<'_> {
    fn visit(&mut self, entry: &Entry) -> ControlFlow<()> {
        if self.entries.len() % LOOK == LOOK - 1 && self.limits.are_over() {
            self.stopped.store(true, Ordering::Relaxed);
            return ControlFlow::Break(());
        }
        if !self.limits.is_own(entry)
            && let Some(scanned) = scanned(self.walk, entry)
        {
            self.entries.push(scanned);
        }
        ControlFlow::Continue(())
    }
}

impl Drop for Own<'_> {
    fn drop(&mut self) {
        self.all
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .append(&mut self.entries);
    }
}
