//! Lays aside what files hold, before a command that may change them. Bounded in
//! bytes and time, small files first; what was left out has a reason that people
//! can read. It goes with the session: what was really changed is put into the
//! blobs by [`super::compare`].

use super::base::Again;
use crate::core::Core;
use std::collections::HashMap;
use std::io::Read as _;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};
use tenon_session::{Aside, AsideRef};
use tenon_tools::Workspace;
use tenon_tools::workspace::{EntryKind, Scan, Scanned, Stamp};

/// What one session lays aside, as it lies on the disk.
const ASIDE: u64 = 64 * 1024 * 1024;
/// Files that are ignored may take one part in so many of any room: many are
/// only products.
pub(super) const IGNORED_SHARE: u64 = 4;
/// What is read for one command while it waits.
const READ: u64 = 64 * 1024 * 1024;
/// What is read while nobody waits.
const READ_AHEAD: u64 = 256 * 1024 * 1024;
/// How long a look ahead goes on when a command comes to wait for it.
const GRACE: Duration = Duration::from_secs(1);

/// How much may be read, and for how long.
pub(super) struct Budget<'a> {
    bytes: u64,
    until: Instant,
    urgent: Option<&'a AtomicBool>,
    stop: &'a AtomicBool,
}

impl<'a> Budget<'a> {
    pub(super) fn waited_for(until: Instant, stop: &'a AtomicBool) -> Self {
        Self {
            bytes: READ,
            until,
            urgent: None,
            stop,
        }
    }

    /// Whether there is no more time, or somebody waits.
    pub(super) fn is_over(&self) -> bool {
        let is_set = |flag: &AtomicBool| flag.load(Ordering::Relaxed);
        Instant::now() > self.until || is_set(self.stop) || self.urgent.is_some_and(is_set)
    }

    pub(super) fn ahead(until: Instant, urgent: &'a AtomicBool, stop: &'a AtomicBool) -> Self {
        Self {
            bytes: READ_AHEAD,
            until,
            urgent: Some(urgent),
            stop,
        }
    }
}

/// One content.
struct Kept {
    stamp: Stamp,
    /// The stamp was too young to vouch for the content later.
    fresh: bool,
    place: AsideRef,
}

#[derive(Default)]
pub(super) struct Shelf {
    kept: HashMap<String, Kept>,
    aside: Option<Aside>,
    /// What this session has in its blobs, once it was looked at.
    pub(super) stored: Option<u64>,
    /// How much of that went there for ignored files since it was opened.
    pub(super) stored_ignored: u64,
}

/// Whether all that can be kept is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Filled {
    Whole,
    /// The time was over, or enough was read at once.
    Part,
}

impl Shelf {
    /// Keeps what is new in a scan, and forgets what is no longer there.
    pub(super) fn keep(&mut self, core: &Core, scan: &Scan, budget: &Budget<'_>) -> Filled {
        self.forget(scan);
        self.keep_all(core, scan, scan.entries().iter(), budget)
    }

    /// The same, where the rest is known to be as it was.
    pub(super) fn renew(
        &mut self,
        core: &Core,
        scan: &Scan,
        again: &Again,
        budget: &Budget<'_>,
    ) -> Filled {
        for path in again.gone.iter().chain(&again.touched) {
            self.kept.remove(path);
        }
        let entries = scan.entries();
        let seen = again.seen.iter().filter_map(|path| {
            let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path));
            entries.get(at.ok()?)
        });
        self.keep_all(core, scan, seen, budget)
    }

    fn keep_all<'a>(
        &mut self,
        core: &Core,
        scan: &Scan,
        entries: impl Iterator<Item = &'a Scanned>,
        budget: &Budget<'_>,
    ) -> Filled {
        let limit = core.given.checkpoints.file_bytes;
        let is_wanted = |entry: &&Scanned| {
            matches!(entry.kind, EntryKind::File | EntryKind::Link)
                && entry.readable
                && entry.stamp.size <= limit
                && !self.knows(entry)
        };
        let ignored = scan.ignored().iter().filter(is_wanted);
        let ignored: Vec<&Scanned> = self.fitting(scan, ignored.collect());
        let mut wanted: Vec<&Scanned> = entries.filter(is_wanted).collect();
        if !(wanted.is_empty() && ignored.is_empty()) && self.aside.is_none() {
            self.aside = core.emitter.log(|log| log.aside()).ok();
        }
        wanted.sort_unstable_by_key(|entry| entry.stamp.size);
        // What is watched comes first.
        wanted.extend(ignored);
        let (mut read, mut until) = (0, budget.until);
        let mut hurried = false;
        for entry in wanted {
            if !hurried
                && budget
                    .urgent
                    .is_some_and(|urgent| urgent.load(Ordering::Relaxed))
            {
                hurried = true;
                until = until.min(Instant::now() + GRACE);
            }
            let over = read + entry.stamp.size > budget.bytes
                || Instant::now() > until
                || budget.stop.load(Ordering::Relaxed);
            if over {
                return Filled::Part;
            }
            // More time would not help.
            if !self.has_room(core, entry.stamp.size) {
                return Filled::Whole;
            }
            read += entry.stamp.size;
            self.keep_one(&core.workspace, scan, entry);
        }
        Filled::Whole
    }

    /// The smallest of these ignored files, as many as there is room for.
    fn fitting<'a>(&self, scan: &Scan, mut wanted: Vec<&'a Scanned>) -> Vec<&'a Scanned> {
        if wanted.is_empty() {
            return wanted;
        }
        let kept = scan.ignored().iter();
        let kept = kept.filter_map(|entry| self.kept.get(&entry.path));
        let mut used: u64 = kept.map(|kept| kept.place.stored()).sum();
        wanted.sort_unstable_by_key(|entry| entry.stamp.size);
        wanted.retain(|entry| {
            used += entry.stamp.size;
            used <= ASIDE / IGNORED_SHARE
        });
        wanted
    }

    fn knows(&self, entry: &Scanned) -> bool {
        self.kept
            .get(&entry.path)
            .is_some_and(|kept| kept.stamp == entry.stamp && !kept.fresh)
    }

    fn keep_one(&mut self, workspace: &Workspace, scan: &Scan, entry: &Scanned) {
        let content = match entry.kind {
            EntryKind::Link => workspace.link_target(&entry.path),
            _ => read_whole(workspace, entry),
        };
        let (Some(content), Some(aside)) = (content, &mut self.aside) else {
            self.kept.remove(&entry.path);
            return;
        };
        if let Ok(place) = aside.put(&content) {
            let kept = Kept {
                stamp: entry.stamp,
                fresh: entry.stamp.is_fresh_at(scan.begun()),
                place,
            };
            self.kept.insert(entry.path.clone(), kept);
        }
    }

    /// Whether it is known what an entry held when it was scanned.
    pub(super) fn holds(&self, entry: &Scanned) -> bool {
        self.kept
            .get(&entry.path)
            .is_some_and(|kept| kept.stamp == entry.stamp)
    }

    /// What an entry held when it was scanned.
    pub(super) fn content(&self, entry: &Scanned) -> Option<(AsideRef, Vec<u8>)> {
        let kept = self
            .kept
            .get(&entry.path)
            .filter(|kept| kept.stamp == entry.stamp)?;
        let content = self.aside.as_ref()?.get(kept.place).ok()?;
        Some((kept.place, content))
    }

    fn forget(&mut self, scan: &Scan) {
        self.kept.retain(|path, kept| {
            let is_it = |entries: &[Scanned]| {
                let at = entries.binary_search_by(|entry| entry.path.as_str().cmp(path));
                at.is_ok_and(|at| entries[at].stamp == kept.stamp)
            };
            is_it(scan.entries()) || is_it(scan.ignored())
        });
    }

    /// Makes room by leaving behind what is no longer needed.
    fn has_room(&mut self, core: &Core, bytes: u64) -> bool {
        let Some(aside) = &self.aside else {
            return false;
        };
        if aside.used() + bytes <= ASIDE {
            return true;
        }
        let live: u64 = self.kept.values().map(|kept| kept.place.stored()).sum();
        if live > ASIDE / 2 {
            return false;
        }
        let Ok(mut fresh) = core.emitter.log(|log| log.aside()) else {
            return false;
        };
        let moved: Option<HashMap<String, Kept>> = std::mem::take(&mut self.kept)
            .into_iter()
            .map(|(path, kept)| {
                let place = fresh.put(&aside.get(kept.place).ok()?).ok()?;
                Some((path, Kept { place, ..kept }))
            })
            .collect();
        self.kept = moved.unwrap_or_default();
        self.aside = Some(fresh);
        true
    }
}

/// The content, if it is still that of the scan when it has been read.
fn read_whole(workspace: &Workspace, entry: &Scanned) -> Option<Vec<u8>> {
    let file = workspace.open_plain(&entry.path)?;
    let mut content = Vec::with_capacity(usize::try_from(entry.stamp.size).ok()? + 1);
    (&file)
        .take(entry.stamp.size + 1)
        .read_to_end(&mut content)
        .ok()?;
    let now = Stamp::of(&file.metadata().ok()?);
    (now == entry.stamp && content.len() as u64 == entry.stamp.size).then_some(content)
}

/// Why nothing was kept of an entry.
pub(super) fn reason(core: &Arc<Core>, entry: &Scanned) -> String {
    let limit = core.given.checkpoints.file_bytes;
    match entry.kind {
        EntryKind::Other => String::from("it is a pipe, a socket or a device"),
        EntryKind::File if entry.stamp.size > limit => format!(
            "it was larger than the {limit} bytes that are kept of a file (`checkpoints.max_file_bytes`)"
        ),
        _ => String::from(
            "it was not kept before the command ran: it could not be read, or there was too much to keep",
        ),
    }
}
