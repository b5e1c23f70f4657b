//! Tells what a command made from what it only moved. To take back what was made
//! is to remove it; what was moved may be the only copy, and stays wherever its
//! old place cannot be filled again.

use super::Between;
use super::keep::Shelf;
use std::cell::OnceCell;
use std::collections::{HashMap, HashSet};
use std::time::{Duration, SystemTime};
use tenon_tools::Workspace;
use tenon_tools::workspace::{EntryKind, Scan, Scanned, Stamp, Suspect, Writes};
use tenon_vocab::FileChange;

/// How far the clock of a file system may lag.
const CLOCK: Duration = Duration::from_millis(10);
/// Two smaller files may well have the same size by chance.
const TWIN: u64 = 4 * 1024;
/// How often it is asked anew what stays because something else does.
const ROUNDS: usize = 100;

/// Where something comes from that was not there.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Origin {
    Made,
    /// It was somewhere else before: in these places, or outside of what is
    /// looked at.
    Moved(Vec<String>),
    /// As large as something that is gone and was not kept.
    Twin(String),
}

/// By device and number.
type Places<'a> = HashMap<(u64, u64), Vec<&'a Scanned>>;

pub(super) struct Origins<'a> {
    before: &'a Scan,
    since: SystemTime,
    after: &'a Scan,
    /// What was seen to be written, where that was asked.
    written: Option<&'a Writes>,
    /// Sizes of what was changed or removed and was not kept.
    lost: HashMap<u64, &'a str>,
    olds: OnceCell<Places<'a>>,
    news: OnceCell<Places<'a>>,
    /// Files that were not touched, by size and time.
    untouched: OnceCell<HashSet<(u64, (i64, i64))>>,
}

impl<'a> Origins<'a> {
    pub(super) fn new(between: &Between<'a>, suspects: &[Suspect<'a>], shelf: &Shelf) -> Self {
        let lost = suspects
            .iter()
            .filter(|suspect| suspect.stamped)
            .filter_map(|suspect| suspect.before)
            .filter(|entry| entry.kind == EntryKind::File && entry.stamp.size >= TWIN)
            .filter(|entry| !shelf.holds(entry))
            .map(|entry| (entry.stamp.size, entry.path.as_str()))
            .collect();
        Self {
            before: between.before,
            since: between.since,
            after: between.after,
            written: between.parted.map(|parted| &parted.written),
            lost,
            olds: OnceCell::new(),
            news: OnceCell::new(),
            untouched: OnceCell::new(),
        }
    }

    pub(super) fn of(&self, workspace: &Workspace, suspect: &Suspect<'_>) -> Origin {
        let seen = if suspect.after.is_some() {
            None
        } else {
            ignored(workspace, suspect.path())
        };
        let Some(after) = suspect.after.or(seen.as_ref()) else {
            // No file, and ignored now: nothing but its birth is known.
            return match age(workspace, suspect.path(), self.since) {
                Age::New => Origin::Made,
                Age::Old | Age::Unknown => Origin::Moved(Vec::new()),
            };
        };
        let is_same = |before: &Scanned| before.stamp.identity() == after.stamp.identity();
        // Only an empty folder is ever removed.
        if after.kind == EntryKind::Folder {
            return Origin::Made;
        }
        if let Some(before) = suspect.before.filter(|before| is_same(before)) {
            let is_same_time = before.stamp.modified() == after.stamp.modified();
            return if is_same_time || !self.is_brought(after) {
                Origin::Made
            } else {
                Origin::Moved(Vec::new())
            };
        }
        let sources: Vec<String> = self
            .olds
            .get_or_init(|| by_identity(self.before))
            .get(&after.stamp.identity())
            .into_iter()
            .flatten()
            .map(|entry| entry.path.clone())
            .collect();
        let is_old = match age(workspace, &after.path, self.since) {
            Age::Old => true,
            Age::New => self.is_brought(after),
            Age::Unknown => !sources.is_empty() || self.is_brought(after),
        };
        match self.lost.get(&after.stamp.size) {
            _ if is_old => Origin::Moved(sources),
            Some(path) if after.kind == EntryKind::File && *path != after.path => {
                Origin::Twin((*path).to_owned())
            }
            _ => Origin::Made,
        }
    }

    /// Whether the content is older than the command: from another file system a
    /// move is a copy with the old time. A copy of what is still there is none.
    fn is_brought(&self, entry: &Scanned) -> bool {
        let key = |entry: &Scanned| (entry.stamp.size, entry.stamp.modified());
        let untouched = || {
            let untouched = self.before.entries().iter().filter(|old| {
                let entries = self.after.entries();
                entries
                    .binary_search_by(|new| new.path.cmp(&old.path))
                    .is_ok_and(|at| entries[at].stamp == old.stamp)
            });
            untouched.map(key).collect()
        };
        entry.stamp.is_older_than(self.since)
            && !self.untouched.get_or_init(untouched).contains(&key(entry))
    }

    /// Whether a file was in another place before, as it is, and was not kept.
    pub(super) fn is_moved_here(&self, new: &Scanned, shelf: &Shelf) -> bool {
        let olds = self.olds.get_or_init(|| by_identity(self.before));
        let mut all = olds.get(&new.stamp.identity()).into_iter().flatten();
        all.any(|old| self.is_moved(old, new) && !shelf.holds(old))
    }

    /// Whether a file stands in another place now, as it was.
    pub(super) fn stands_elsewhere(&self, old: &Scanned) -> bool {
        let news = self.news.get_or_init(|| by_identity(self.after));
        let mut all = news.get(&old.stamp.identity()).into_iter().flatten();
        all.any(|new| self.is_moved(old, new))
    }

    /// Where something that is gone stands now.
    pub(super) fn moved_to(&self, gone: &Scanned) -> Option<&'a str> {
        self.news
            .get_or_init(|| by_identity(self.after))
            .get(&gone.stamp.identity())?
            .iter()
            .find(|new| new.path != gone.path && new.stamp.size == gone.stamp.size)
            .map(|new| new.path.as_str())
    }

    /// Whether both are one file, under another name and else unchanged, as far as
    /// that can be seen without reading it: its time can be set back. One with
    /// several names may be reached in ways that nobody looks at.
    fn is_moved(&self, old: &Scanned, new: &Scanned) -> bool {
        let is_file = |entry: &Scanned| entry.kind == EntryKind::File && entry.stamp.is_alone();
        let is_written = |written: &Writes| written.holds(&new.path);
        old.path != new.path
            && is_file(old)
            && is_file(new)
            && old.stamp.mark() == new.stamp.mark()
            && old.stamp.mode == new.stamp.mode
            && !self.written.is_some_and(is_written)
    }
}

/// What stands at a path that is in no scan.
fn ignored(workspace: &Workspace, path: &str) -> Option<Scanned> {
    let metadata = workspace.open_plain(path)?.metadata().ok()?;
    Some(Scanned {
        path: path.to_owned(),
        kind: EntryKind::File,
        stamp: Stamp::of(&metadata),
        readable: true,
    })
}

fn by_identity(scan: &Scan) -> Places<'_> {
    let mut places = Places::new();
    for entry in scan.entries() {
        if entry.kind != EntryKind::Folder {
            let all = places.entry(entry.stamp.identity()).or_default();
            all.push(entry);
        }
    }
    places
}

/// Against the time just before the command.
pub(super) enum Age {
    New,
    Old,
    /// The file system does not tell, or its clock is not fine enough.
    Unknown,
}

pub(super) fn age(workspace: &Workspace, path: &str, since: SystemTime) -> Age {
    match workspace.born(path) {
        Some(born) if born >= since => Age::New,
        Some(born) if born + CLOCK < since => Age::Old,
        _ => Age::Unknown,
    }
}

/// A change by a move, which counts only while its old place can be filled.
pub(super) struct Moving {
    pub(super) change: FileChange,
    pub(super) sources: Vec<String>,
}

impl Moving {
    /// Whether its own place can be filled again when it is gone from there.
    fn gives_back(&self) -> bool {
        self.change.before.is_some() || self.change.before_mark.is_some()
    }
}

/// Parts those that can be taken back from those that cannot. `safe` are places
/// that hold what they held, or can be filled with it again.
pub(super) fn part(
    mut moves: Vec<Moving>,
    safe: &HashSet<String>,
) -> (Vec<FileChange>, Vec<Moving>) {
    let mut stay = Vec::new();
    // One that cannot be taken back cannot fill its own place for another.
    for round in 0..=ROUNDS {
        let filled: HashSet<String> = moves
            .iter()
            .filter(|moving| moving.gives_back() && round < ROUNDS)
            .map(|moving| moving.change.path.clone())
            .collect();
        let is_safe = |path: &String| safe.contains(path) || filled.contains(path);
        let (back, more): (Vec<Moving>, Vec<Moving>) = moves
            .into_iter()
            .partition(|moving| moving.sources.iter().any(is_safe));
        moves = back;
        if more.is_empty() {
            break;
        }
        stay.extend(more);
    }
    let changes = moves.into_iter().map(|moving| moving.change).collect();
    (changes, stay)
}
