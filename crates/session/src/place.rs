//! Where the files of sessions lie: `<yyyy>/<mm>/<id>.jsonl` and beside it the
//! folder `<id>.d`. Knows names and permissions, never content.

use crate::SessionError;
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
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
    let guess =
        id.0.get_timestamp()
            .and_then(|stamp| i64::try_from(stamp.to_unix().0).ok())
            .and_then(|seconds| Timestamp::from_second(seconds).ok())
            .map(|ts| month_of(root, ts));
    guess
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

/// A log found by listing, before anything of it was read.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    pub id: SessionId,
    pub place: Place,
}

pub(crate) fn all(root: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for month in months(root) {
        for path in entries(&month) {
            if let Some(id) = id_of(&path, "jsonl") {
                let place = Place::in_month(&month, id);
                found.push(Found { id, place });
            }
        }
    }
    found
}

/// Folders whose log is gone: a creation or a deletion that was cut short.
pub(crate) fn orphans(root: &Path) -> Vec<Found> {
    let mut found = Vec::new();
    for month in months(root) {
        for path in entries(&month) {
            if let Some(id) = id_of(&path, "d") {
                let place = Place::in_month(&month, id);
                if !place.log.exists() {
                    found.push(Found { id, place });
                }
            }
        }
    }
    found
}

fn id_of(path: &Path, extension: &str) -> Option<SessionId> {
    if path.extension()?.to_str()? != extension {
        return None;
    }
    let stem = path.file_stem()?.to_str()?;
    let id: SessionId = stem.parse().ok()?;
    // Only the one spelling that we write: else two files could claim one id.
    (id.to_string() == stem).then_some(id)
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
