//! A look at the tree that is kept true: only the folders in which something has
//! happened are looked at again. Gives what a whole scan would give, or nothing
//! where that is not certain; never a guess.

use super::sentry::Sentry;
use super::{Changes, Extent, Noticed, Scan, ScanLimits, Scanned, Stamp, find};
use crate::workspace::Workspace;
use crate::workspace::walk::{EntryKind, WalkOptions, Walked};
use std::collections::{BTreeSet, HashMap};
use std::ops::{ControlFlow, Range};
use std::sync::{Mutex, PoisonError};

/// With more folders than this a scan is quicker.
const FOLDERS: usize = 1_000;

/// What became of a scan.
#[derive(Debug)]
pub enum Renewed {
    /// Nothing has happened since.
    Same,
    Anew(Box<Renewal>),
    /// Only a new scan can tell, and the sentry is of no use any more.
    Lost,
}

/// How often folders are made while somebody looks for them, before it is given
/// up to watch them.
const ROUNDS: usize = 4;

/// A scan that was brought up to date.
#[derive(Debug)]
pub struct Renewal {
    pub scan: Scan,
    /// Paths that were looked at again.
    pub seen: Vec<String>,
    /// Paths that are no longer there.
    pub gone: Vec<String>,
    /// Paths in which something happened: what was known of their content is not
    /// known any more, even where all times are the same.
    pub touched: BTreeSet<String>,
    /// Those of them in which something happened after the sentry was last
    /// asked. What was changed through a name elsewhere is not among them.
    pub later: BTreeSet<String>,
}

impl Workspace {
    /// A scan whose folders are watched from before they were looked at. No
    /// sentry, where that cannot be.
    #[must_use]
    pub fn scan_watched(&self, limits: &ScanLimits<'_>) -> (Scan, Option<Sentry>) {
        let Some(sentry) = Sentry::new(self.root()) else {
            return (self.scan(limits), None);
        };
        self.post(&sentry, ".", limits);
        let mut scan = self.scan(limits);
        for _ in 0..ROUNDS {
            sentry.seen(scan.entries());
            if scan.extent() != Extent::Whole || sentry.is_blind() {
                break;
            }
            if self.watched(&sentry, scan.entries()) {
                return (scan, Some(sentry));
            }
            scan = self.scan(limits);
        }
        (scan, None)
    }

    /// Whether all folders of a listing were watched before it. Now they are.
    fn watched(&self, sentry: &Sentry, listed: &[Scanned]) -> bool {
        let missed = sentry.lacks(listed);
        for folder in &missed {
            sentry.watch(self.root(), folder);
        }
        missed.is_empty()
    }

    /// Watches the folders below one that is watched. A hint for speed: one that
    /// is made meanwhile may be missing.
    fn post(&self, sentry: &Sentry, folder: &str, limits: &ScanLimits<'_>) {
        let options = WalkOptions {
            limit: limits.entries,
            ..WalkOptions::default()
        };
        let Ok(walk) = self.walk(folder, &options) else {
            return;
        };
        let found: Mutex<Vec<String>> = Mutex::default();
        let walked = walk.parallel(limits.threads, || {
            Box::new(|entry| {
                let is_own = limits.is_own(entry);
                if entry.kind() == EntryKind::Folder && !is_own && !limits.are_over() {
                    let mut found = found.lock().unwrap_or_else(PoisonError::into_inner);
                    found.push(walk.shown(entry));
                }
                ControlFlow::Continue(())
            })
        });
        if walked == Walked::Whole {
            let found = found.into_inner().unwrap_or_else(PoisonError::into_inner);
            for path in found {
                sentry.watch(self.root(), &path);
            }
        }
    }

    /// What has happened since a scan, also through names elsewhere. What the
    /// sentry has told once it does not tell again: see [`Self::renewed_since`].
    #[must_use]
    pub fn noticed(&self, scan: &Scan, sentry: &Sentry) -> Noticed {
        let mut changes = match sentry.noticed() {
            Noticed::Lost => return Noticed::Lost,
            Noticed::Nothing => Changes::default(),
            Noticed::Changes(changes) => changes,
        };
        self.add_linked(scan, sentry, &mut changes);
        if changes.folders.is_empty() {
            return Noticed::Nothing;
        }
        Noticed::Changes(changes)
    }

    fn add_linked(&self, scan: &Scan, sentry: &Sentry, changes: &mut Changes) {
        for path in sentry.linked() {
            if let Some(folder) = self.changed_elsewhere(scan, &path) {
                changes.folders.insert(folder);
                changes.paths.insert(path);
            }
        }
    }

    /// Brings a scan up to date, by what its sentry has noticed.
    #[must_use]
    pub fn renewed(&self, scan: &Scan, sentry: &Sentry, limits: &ScanLimits<'_>) -> Renewed {
        self.renewed_since(scan, sentry, Changes::default(), limits)
    }

    /// The same, where the sentry has been asked since the scan: `earlier` is
    /// what it said then.
    #[must_use]
    pub fn renewed_since(
        &self,
        scan: &Scan,
        sentry: &Sentry,
        earlier: Changes,
        limits: &ScanLimits<'_>,
    ) -> Renewed {
        let mut changes = match sentry.noticed() {
            Noticed::Lost => return Renewed::Lost,
            Noticed::Nothing => Changes::default(),
            Noticed::Changes(changes) => changes,
        };
        let mut later = changes.paths.clone();
        changes.add(earlier);
        if self.rules() != scan.rules {
            return Renewed::Lost;
        }
        self.add_linked(scan, sentry, &mut changes);
        if changes.folders.is_empty() {
            return Renewed::Same;
        }
        if changes.folders.len() > FOLDERS {
            return Renewed::Lost;
        }
        let mut renewing = Renewing {
            workspace: self,
            old: scan,
            sentry,
            limits,
            ended: &changes.ended,
            dropped: vec![false; scan.entries.len()],
            listed: BTreeSet::new(),
            replaced: BTreeSet::new(),
            found: Vec::new(),
            ignored: Vec::new(),
        };
        for folder in &changes.folders {
            if renewing.folder(folder).is_none() {
                return Renewed::Lost;
            }
        }
        // What came while the folders were listed may be in the lists already.
        match sentry.peek() {
            Noticed::Lost => return Renewed::Lost,
            Noticed::Nothing => {}
            Noticed::Changes(more) => later.extend(more.paths),
        }
        let renewal = renewing.finish(changes.paths.clone(), later);
        if sentry.is_blind() || renewal.scan.entries.len() > limits.entries {
            return Renewed::Lost;
        }
        Renewed::Anew(Box::new(renewal))
    }

    /// The folder of a file with several names that is not what it was.
    fn changed_elsewhere(&self, scan: &Scan, path: &str) -> Option<String> {
        let known = scan.entry(path)?;
        let now = std::fs::symlink_metadata(self.root().join(path));
        let is_same = now.is_ok_and(|found| Stamp::of(&found) == known.stamp);
        (!is_same).then(|| parent(path).to_owned())
    }
}

impl Changes {
    fn add(&mut self, mut more: Self) {
        self.folders.append(&mut more.folders);
        self.ended.append(&mut more.ended);
        self.paths.append(&mut more.paths);
        self.written.add(more.written);
    }
}

impl Scan {
    fn entry(&self, path: &str) -> Option<&Scanned> {
        find(&self.entries, path)
    }

    /// Everything below a folder.
    fn below(&self, folder: &str) -> Range<usize> {
        if folder.is_empty() {
            return 0..self.entries.len();
        }
        let prefix = format!("{folder}/");
        let start = self
            .entries
            .partition_point(|entry| entry.path.as_str() < prefix.as_str());
        let end =
            start + self.entries[start..].partition_point(|entry| entry.path.starts_with(&prefix));
        start..end
    }
}

struct Renewing<'a> {
    workspace: &'a Workspace,
    old: &'a Scan,
    sentry: &'a Sentry,
    limits: &'a ScanLimits<'a>,
    ended: &'a BTreeSet<String>,
    /// Which entries of the old scan do not count any more.
    dropped: Vec<bool>,
    /// Folders whose own entries were listed anew.
    listed: BTreeSet<String>,
    /// Folders that are gone, new, or others by now: with all that is in them.
    replaced: BTreeSet<String>,
    found: Vec<Scanned>,
    ignored: Vec<Scanned>,
}

impl Renewing<'_> {
    /// Outer folders come first.
    fn folder(&mut self, folder: &str) -> Option<()> {
        let is_known = folder.is_empty()
            || self
                .old
                .entry(folder)
                .is_some_and(|entry| entry.kind == EntryKind::Folder);
        // Whoever has replaced the folder above has seen this one too.
        if !is_known || self.is_replaced(folder) {
            return Some(());
        }
        let mut anew = self.workspace.listed(&place(folder), Some(1), self.limits);
        if anew.extent != Extent::Whole {
            return None;
        }
        let listed = anew.entries;
        self.listed.insert(folder.to_owned());
        self.ignored.append(&mut anew.ignored);
        let own = if folder.is_empty() {
            0
        } else {
            folder.len() + 1
        };
        for at in self.old.below(folder) {
            let entry = &self.old.entries[at];
            if entry.path[own..].contains('/') {
                continue;
            }
            self.dropped[at] = true;
            let stays = entry.kind != EntryKind::Folder
                || listed
                    .binary_search_by(|new| new.path.cmp(&entry.path))
                    .is_ok_and(|at| self.is_same_folder(entry, &listed[at]));
            if !stays {
                self.replace(&entry.path);
            }
        }
        for entry in listed {
            let is_new = entry.kind == EntryKind::Folder
                && !self
                    .old
                    .entry(&entry.path)
                    .is_some_and(|old| self.is_same_folder(old, &entry));
            if is_new {
                self.new_folder(&entry.path)?;
            }
            self.found.push(entry);
        }
        Some(())
    }

    fn new_folder(&mut self, folder: &str) -> Option<()> {
        self.replaced.insert(folder.to_owned());
        self.sentry.watch(self.workspace.root(), folder);
        let place = place(folder);
        self.workspace.post(self.sentry, &place, self.limits);
        for _ in 0..ROUNDS {
            let mut listed = self.workspace.listed(&place, None, self.limits);
            if listed.extent != Extent::Whole {
                return None;
            }
            if self.workspace.watched(self.sentry, &listed.entries) {
                self.found.append(&mut listed.entries);
                self.ignored.append(&mut listed.ignored);
                return Some(());
            }
        }
        None
    }

    /// The same one, still watched, and what may be listed in it has not changed.
    fn is_same_folder(&self, old: &Scanned, new: &Scanned) -> bool {
        let key = |entry: &Scanned| (entry.kind, entry.stamp.identity(), entry.stamp.mode);
        key(old) == key(new) && !self.ended.contains(&old.path)
    }

    fn replace(&mut self, folder: &str) {
        for at in self.old.below(folder) {
            self.dropped[at] = true;
        }
        self.replaced.insert(folder.to_owned());
    }

    fn is_replaced(&self, folder: &str) -> bool {
        let mut above = folder;
        while !above.is_empty() {
            if self.replaced.contains(above) {
                return true;
            }
            above = parent(above);
        }
        false
    }

    /// What is ignored, with what was found of it anew.
    fn ignored(&mut self) -> Vec<Scanned> {
        let stays = |entry: &&Scanned| {
            let folder = parent(&entry.path);
            !self.listed.contains(folder) && !self.is_replaced(folder)
        };
        let mut all: Vec<Scanned> = self.old.ignored.iter().filter(stays).cloned().collect();
        all.append(&mut self.ignored);
        all.sort_unstable_by(|a, b| a.path.cmp(&b.path));
        all
    }

    fn finish(mut self, touched: BTreeSet<String>, later: BTreeSet<String>) -> Renewal {
        let ignored = self.ignored();
        self.sentry.seen(&self.found);
        let seen: Vec<String> = self.found.iter().map(|entry| entry.path.clone()).collect();
        let is_seen: BTreeSet<&str> = seen.iter().map(String::as_str).collect();
        let old = self.old.entries.iter().zip(&self.dropped);
        let gone = old
            .clone()
            .filter(|(entry, dropped)| **dropped && !is_seen.contains(entry.path.as_str()))
            .map(|(entry, _)| entry.path.clone())
            .collect();
        // A second name changes what the first one shows, without an event there.
        let names = self.found.iter().filter(|entry| entry.stamp.links > 1);
        let linked: HashMap<(u64, u64), Stamp> = names
            .map(|entry| (entry.stamp.identity(), entry.stamp))
            .collect();
        let kept = old.filter(|(_, dropped)| !**dropped).map(|(entry, _)| {
            let mut entry = entry.clone();
            if !linked.is_empty() {
                let now = linked.get(&entry.stamp.identity());
                entry.stamp = now.copied().unwrap_or(entry.stamp);
            }
            entry
        });
        let mut entries: Vec<Scanned> = kept.collect();
        if !linked.is_empty() {
            self.sentry.seen(&entries);
        }
        entries.extend(self.found);
        entries.sort_by(|a, b| a.path.cmp(&b.path));
        Renewal {
            scan: Scan {
                entries,
                ignored,
                extent: Extent::Whole,
                // What was young then may still be: this is the older time.
                begun: self.old.begun,
                rules: self.old.rules,
            },
            seen,
            gone,
            touched,
            later,
        }
    }
}

/// As a path that nobody takes for a home folder.
fn place(folder: &str) -> String {
    format!("./{folder}")
}

fn parent(path: &str) -> &str {
    path.rsplit_once('/').map_or("", |(folder, _)| folder)
}

#[cfg(test)]
mod tests {
    use super::super::below;
    use super::*;

    #[test]
    fn the_root_is_the_empty_path() {
        assert_eq!(parent("a"), "");
        assert_eq!(parent("a/b/c"), "a/b");
        assert_eq!(below("", "a"), "a");
        assert_eq!(below("a", "b"), "a/b");
    }
}
