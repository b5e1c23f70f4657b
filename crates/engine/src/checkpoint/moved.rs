//! Tells what a command made from what it only moved. To take back what was made
//! is to remove it; what was moved may be the only copy, and stays wherever its
//! old place cannot be filled again.

use super::Between;
use super::keep::Shelf;
use std::cell::{OnceCell, RefCell};
use std::collections::{HashMap, HashSet};
use tenon_tools::Workspace;
use tenon_tools::workspace::{
    Age, EntryKind, Moment, Scan, Scanned, Stamp, Standing, Suspect, Writes, sha256,
};
use tenon_vocab::FileChange;

/// Two smaller files may well have the same size by chance.
const TWIN: u64 = 4 * 1024;
/// Files that may be what another is a copy of; with more it counts as none.
const ORIGINALS: usize = 100;
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

/// What was found at a path, as far as it tells where it comes from.
pub(super) struct Content<'a> {
    hash: Option<&'a str>,
    /// Only its mode is another.
    is_as_before: bool,
}

impl<'a> Content<'a> {
    pub(super) fn new(now: &'a Standing, before: Option<&[u8]>) -> Self {
        let is_as_before = match now {
            Standing::File { bytes, .. } | Standing::Link { target: bytes, .. } => {
                before == Some(bytes)
            }
            _ => false,
        };
        Self {
            hash: hash_of(now),
            is_as_before,
        }
    }
}

/// By device and number.
type Places<'a> = HashMap<(u64, u64), Vec<&'a Scanned>>;

/// Size, and when it was written.
type Look = (u64, (i64, i64));

pub(super) struct Origins<'a> {
    before: &'a Scan,
    since: Moment,
    after: &'a Scan,
    /// What was seen to be written, where that was asked.
    written: Option<&'a Writes>,
    /// Sizes of what was changed or removed and was not kept.
    lost: HashMap<u64, &'a str>,
    olds: OnceCell<Places<'a>>,
    news: OnceCell<Places<'a>>,
    /// Files that were not touched.
    untouched: OnceCell<HashMap<Look, Vec<&'a Scanned>>>,
    /// What they hold, by hash, of those that were asked for.
    held: RefCell<HashMap<Look, HashSet<String>>>,
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
            held: RefCell::default(),
        }
    }

    /// `content` is what was found there. It is not all as before.
    pub(super) fn of(
        &self,
        workspace: &Workspace,
        shelf: &Shelf,
        suspect: &Suspect<'_>,
        content: &Content<'_>,
    ) -> Origin {
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
        let is_brought = || self.is_brought(workspace, after, content);
        if suspect.before.is_some_and(is_same) {
            return if content.is_as_before || !is_brought() {
                Origin::Made
            } else {
                Origin::Moved(Vec::new())
            };
        }
        let olds = self.olds.get_or_init(|| by_identity(self.before));
        let olds = olds.get(&after.stamp.identity());
        let olds = olds.map_or(&[][..], Vec::as_slice);
        // The same file with something else in it, which is older than the
        // command: that came from elsewhere, whatever the file was before.
        if !olds.is_empty()
            && !olds.iter().any(|old| held(shelf, old, after, content))
            && is_brought()
        {
            return Origin::Moved(Vec::new());
        }
        let sources: Vec<String> = olds.iter().map(|entry| entry.path.clone()).collect();
        let is_old = match age(workspace, &after.path, self.since) {
            Age::Old => true,
            Age::New => is_brought(),
            Age::Unknown => !sources.is_empty() || is_brought(),
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
    fn is_brought(&self, workspace: &Workspace, entry: &Scanned, content: &Content<'_>) -> bool {
        self.since.is_after(entry.stamp.modified()) && !self.is_copy(workspace, entry, content)
    }

    /// Whether an untouched file holds the same. Size and time alone do not say
    /// it: files that are written one after the other often share them.
    fn is_copy(&self, workspace: &Workspace, entry: &Scanned, content: &Content<'_>) -> bool {
        let untouched = self.untouched.get_or_init(|| self.untouched());
        let key = look(entry);
        let Some(originals) = untouched.get(&key) else {
            return false;
        };
        let Some(hash) = content.hash else {
            return false;
        };
        if originals.len() > ORIGINALS {
            return false;
        }
        let mut held = self.held.borrow_mut();
        let hashes = held.entry(key).or_insert_with(|| {
            let stands = originals.iter().map(|old| workspace.stand(&old.path));
            let hashes =
                stands.filter_map(|stand| hash_of(&stand.ok()?.standing).map(str::to_owned));
            hashes.collect()
        });
        hashes.contains(hash)
    }

    fn untouched(&self) -> HashMap<Look, Vec<&'a Scanned>> {
        let mut untouched: HashMap<Look, Vec<&Scanned>> = HashMap::new();
        let entries = self.after.entries();
        for old in self.before.entries() {
            let is_same = entries
                .binary_search_by(|new| new.path.cmp(&old.path))
                .is_ok_and(|at| entries[at].stamp == old.stamp);
            if is_same && old.kind != EntryKind::Folder {
                untouched.entry(look(old)).or_default().push(old);
            }
        }
        untouched
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

/// Whether a file held then what it holds now, or one that was not kept seems to.
fn held(shelf: &Shelf, old: &Scanned, now: &Scanned, content: &Content<'_>) -> bool {
    match shelf.content(old) {
        Some((_, bytes)) => content.hash == Some(sha256(&bytes).as_str()),
        None => look(old) == look(now),
    }
}

fn look(entry: &Scanned) -> Look {
    (entry.stamp.size, entry.stamp.modified())
}

fn hash_of(standing: &Standing) -> Option<&str> {
    match standing {
        Standing::File { sha256, .. } | Standing::Link { sha256, .. } => Some(sha256),
        _ => None,
    }
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

pub(super) fn age(workspace: &Workspace, path: &str, since: Moment) -> Age {
    since.age(workspace.born(path))
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
