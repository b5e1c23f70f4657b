//! The tree at one moment, by size and time: two scans around a command show
//! what it changed, without reading any content.

use super::Workspace;
use super::walk::{EntryKind, WalkOptions, Walked};
use std::cmp::Ordering;
use std::ops::ControlFlow;
use std::os::unix::fs::MetadataExt;

/// A tree with more entries than this is compared in part.
const ENTRIES: usize = 50_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Stamp {
    size: u64,
    seconds: i64,
    nanoseconds: i64,
    inode: u64,
    mode: u32,
}

/// Files and links of the tree, ignored ones left out.
#[derive(Debug, Clone, Default)]
pub struct Scan {
    /// Sorted by path.
    entries: Vec<(String, Stamp)>,
    partial: bool,
}

impl Scan {
    /// The paths that were created, changed or removed between two scans,
    /// sorted.
    #[must_use]
    pub fn changes(before: &Self, after: &Self) -> Vec<String> {
        let mut changed = Vec::new();
        let (mut old, mut new) = (
            before.entries.iter().peekable(),
            after.entries.iter().peekable(),
        );
        loop {
            let order = match (old.peek(), new.peek()) {
                (None, None) => return changed,
                (Some(_), None) => Ordering::Less,
                (None, Some(_)) => Ordering::Greater,
                (Some(a), Some(b)) => a.0.cmp(&b.0),
            };
            let a = (order != Ordering::Greater).then(|| old.next()).flatten();
            let b = (order != Ordering::Less).then(|| new.next()).flatten();
            if a.map(|(_, stamp)| stamp) != b.map(|(_, stamp)| stamp)
                && let Some((path, _)) = a.or(b)
            {
                changed.push(path.clone());
            }
        }
    }

    /// Whether the tree was too large to be seen whole. Two partial scans may
    /// show changes that are none.
    #[must_use]
    pub fn is_partial(&self) -> bool {
        self.partial
    }

    #[must_use]
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }
}

impl Workspace {
    /// Looks at every file of the tree. Costs a `stat` for each; blocks.
    #[must_use]
    pub fn scan(&self) -> Scan {
        let options = WalkOptions {
            limit: ENTRIES,
            ..WalkOptions::default()
        };
        let Ok(walk) = self.walk(".", &options) else {
            return Scan {
                entries: Vec::new(),
                partial: true,
            };
        };
        let mut entries = Vec::new();
        let walked = walk.each(|entry| {
            if entry.kind() != EntryKind::Folder
                && let Some(metadata) = entry.metadata()
            {
                let stamp = Stamp {
                    size: metadata.len(),
                    seconds: metadata.mtime(),
                    nanoseconds: metadata.mtime_nsec(),
                    inode: metadata.ino(),
                    mode: metadata.mode(),
                };
                entries.push((walk.shown(entry), stamp));
            }
            ControlFlow::Continue(())
        });
        // Folder by folder is not the order of whole paths (`a/b` and `a.b`).
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        Scan {
            entries,
            partial: walked == Walked::Part,
        }
    }
}
