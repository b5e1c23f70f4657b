//! Where the files of sessions lie: `<yyyy>/<mm>/<id>.jsonl` and beside it the
//! folder `<id>.d`. Knows names and permissions, never content.

use crate::SessionError;
use crate::stamp::Stamp;
use rustix::fs::AtFlags;
use std::collections::HashSet;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;
use tenon_vocab::{SessionId, Timestamp};

/// The log of one session and the folder beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Place {
    pub log: PathBuf,
    pub folder: PathBuf,
}

impl Place {
    pub fn in_month(month: &Path, id: SessionId) -> Self {
        Self {
            log: month.join(format!("{id}.jsonl")),
            folder: month.join(format!("{id}.d")),
        }
    }

    pub fn partial(&self) -> PathBuf {
        self.folder.join("partial")
    }

    pub fn lock(&self) -> PathBuf {
        self.folder.join("lock")
    }

    pub fn blobs(&self) -> PathBuf {
        self.folder.join("blobs")
    }

    pub fn digest(&self) -> PathBuf {
        self.folder.join("digest")
    }
}

/// `<yyyy>/<mm>` of a moment, in UTC.
pub(crate) fn month_of(root: &Path, ts: Timestamp) -> PathBuf {
    root.join(ts.strftime("%Y").to_string())
        .join(ts.strftime("%m").to_string())
}

/// Finds the log of a session. Ids made by us tell their month, so the usual
/// case is one look; others are looked for in every month.
pub(crate) fn locate(root: &Path, id: SessionId) -> Option<Place> {
    made_at(id)
        .map(|ts| month_of(root, ts))
        .into_iter()
        .chain(months(root))
        .map(|month| Place::in_month(&month, id))
        .find(|place| place.log.is_file())
}

/// All month folders that exist.
pub(crate) fn months(root: &Path) -> Vec<PathBuf> {
    let is_number = |path: &PathBuf| {
        path.file_name()
            .and_then(|name| name.to_str())
            .is_some_and(|name| !name.is_empty() && name.bytes().all(|b| b.is_ascii_digit()))
    };
    let mut found = Vec::new();
    for year in entries(root).into_iter().filter(is_number) {
        found.extend(entries(&year).into_iter().filter(is_number));
    }
    found
}

/// A log found by listing, before anything of it was read. Holds no path: among
/// thousands most need none.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub id: SessionId,
    month: Arc<Month>,
}

#[derive(Debug)]
struct Month {
    path: PathBuf,
    /// For looks at its files that need not walk the whole path each time.
    folder: File,
}

impl Found {
    pub fn place(&self) -> Place {
        Place::in_month(&self.month.path, self.id)
    }

    /// How the log stands now.
    pub fn stamp(&self) -> io::Result<Stamp> {
        const ENDING: &[u8] = b".jsonl";
        let mut name = [0; 36 + ENDING.len()];
        self.id.0.hyphenated().encode_lower(&mut name[..36]);
        name[36..].copy_from_slice(ENDING);
        let about = rustix::fs::statat(&self.month.folder, &name[..], AtFlags::empty())?;
        Ok(Stamp::of(&about))
    }
}

pub(crate) fn all(root: &Path) -> Vec<Found> {
    months(root).into_iter().flat_map(in_month).collect()
}

fn in_month(month: PathBuf) -> Vec<Found> {
    let (Ok(entries), Ok(folder)) = (fs::read_dir(&month), File::open(&month)) else {
        return Vec::new();
    };
    let month = Arc::new(Month {
        path: month,
        folder,
    });
    entries
        .flatten()
        .filter_map(|entry| {
            Some(Found {
                id: id_of(Path::new(&entry.file_name()), "jsonl")?,
                month: Arc::clone(&month),
            })
        })
        .collect()
}

/// The sessions that were made last, at least so many where there are: ids begin
/// with the time, and a session lies in the month in which it was made, so the
/// months before need no look.
pub(crate) fn newest(root: &Path, count: usize) -> Vec<Found> {
    let mut months = months(root);
    months.sort_unstable();
    let mut found = Vec::new();
    for month in months.into_iter().rev() {
        if found.len() >= count {
            break;
        }
        found.extend(in_month(month));
    }
    found.sort_unstable_by_key(|found| std::cmp::Reverse(found.id));
    found
}

/// Folders whose log is gone: a creation or a deletion that was cut short.
pub(crate) fn orphans(root: &Path) -> Vec<(SessionId, Place)> {
    let mut found = Vec::new();
    for month in months(root) {
        let names = entries(&month);
        let logs: HashSet<SessionId> = names.iter().filter_map(|n| id_of(n, "jsonl")).collect();
        for id in names.iter().filter_map(|name| id_of(name, "d")) {
            let place = Place::in_month(&month, id);
            // One look more for the few: a log may have come since.
            if !logs.contains(&id) && !place.log.exists() {
                found.push((id, place));
            }
        }
    }
    found
}

/// When a session was made, where its id tells: to the millisecond, or a copy
/// would seem older than what was written in the same second before.
pub(crate) fn made_at(id: SessionId) -> Option<Timestamp> {
    let (seconds, part) = id.0.get_timestamp()?.to_unix();
    Timestamp::new(i64::try_from(seconds).ok()?, i32::try_from(part).ok()?).ok()
}

fn id_of(path: &Path, extension: &str) -> Option<SessionId> {
    let name = path.file_name()?.to_str()?;
    let stem = name.strip_suffix(extension)?.strip_suffix('.')?;
    let id: SessionId = stem.parse().ok()?;
    // Only the one spelling that we write: else two files could claim one id.
    let mut written = [0; 36];
    (id.0.hyphenated().encode_lower(&mut written) == stem).then_some(id)
}

fn entries(folder: &Path) -> Vec<PathBuf> {
    fs::read_dir(folder)
        .map(|entries| entries.flatten().map(|entry| entry.path()).collect())
        .unwrap_or_default()
}

/// Makes a folder that only its owner can enter, and its parents.
pub(crate) fn private_folder(path: &Path) -> Result<(), SessionError> {
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(path)
        .map_err(|error| SessionError::io("create the folder", path, error))
}

/// Options for a file that only its owner can read.
pub(crate) fn private_file() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.mode(0o600);
    options
}

/// Makes the names in a folder survive a power loss.
pub(crate) fn sync_folder(path: &Path) -> Result<(), SessionError> {
    File::open(path)
        .and_then(|folder| folder.sync_all())
        .or_else(|error| match error.kind() {
            // Some network file systems cannot sync a folder; nothing to be done.
            io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported => Ok(()),
            _ => Err(error),
        })
        .map_err(|error| SessionError::io("sync the folder", path, error))
}

pub(crate) fn modified(path: &Path) -> Option<Timestamp> {
    let time: SystemTime = fs::metadata(path).ok()?.modified().ok()?;
    Timestamp::try_from(time).ok()
}

/// Removes the month and the year when nothing is left in them.
pub(crate) fn remove_if_empty(root: &Path, month: &Path) {
    if month.starts_with(root)
        && fs::remove_dir(month).is_ok()
        && let Some(year) = month.parent().filter(|year| *year != root)
    {
        // Fails while another month is there, which is what is wanted.
        let _ = fs::remove_dir(year);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_tells_the_millisecond_in_which_a_session_was_made() {
        let id = "01930000-0007-7000-8000-000000000000".parse().unwrap();
        let made = Timestamp::from_millisecond(0x0193_0000_0007).unwrap();
        assert_eq!(made_at(id), Some(made));
    }
}
