//! The folder of outputs that are too long for a result, and the room that all
//! of them share: a session that prints for ever must not fill the disk.

use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

/// What all files of the folder may take together.
const CAPACITY: u64 = 512 * 1024 * 1024;

#[derive(Debug)]
pub(super) struct Shelter {
    folder: PathBuf,
    capacity: u64,
    /// Bytes that are taken. Counted when the first output comes: a session
    /// that goes on finds the files of its earlier runs.
    used: OnceLock<AtomicU64>,
}

impl Shelter {
    pub(super) fn new(folder: PathBuf) -> Self {
        Self::of_size(folder, CAPACITY)
    }

    pub(super) fn of_size(folder: PathBuf, capacity: u64) -> Self {
        Self {
            folder,
            capacity,
            used: OnceLock::new(),
        }
    }

    pub(super) fn folder(&self) -> &Path {
        &self.folder
    }

    pub(super) fn capacity(&self) -> u64 {
        self.capacity
    }

    pub(super) fn is_full(&self) -> bool {
        self.used().load(Ordering::Relaxed) >= self.capacity
    }

    /// Takes room for so many bytes, or for as many as there is room for.
    pub(super) fn take(&self, wanted: u64) -> u64 {
        let mut granted = 0;
        let _ = self
            .used()
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |used| {
                granted = wanted.min(self.capacity.saturating_sub(used));
                Some(used + granted)
            });
        granted
    }

    fn used(&self) -> &AtomicU64 {
        self.used
            .get_or_init(|| AtomicU64::new(size_of(&self.folder)))
    }
}

/// A folder that is not there, or cannot be looked into, holds nothing of ours.
fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = std::fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .filter_map(|entry| entry.metadata().ok())
        .filter(std::fs::Metadata::is_file)
        .fold(0, |sum, found| sum.saturating_add(found.len()))
}
