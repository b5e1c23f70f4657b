//! Long outputs of calls by hand: a session keeps its own beside its log, a
//! single call has none, and who made it reads the file when the program is
//! gone. They are kept in the state folder for a week, like what is in a cache.

use crate::place::Place;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};
use tenon_vocab::SessionId;

const KEPT: Duration = Duration::from_secs(7 * 24 * 60 * 60);

/// The folder of all of them.
pub fn folder(place: &Place) -> PathBuf {
    place.paths.state.join("outputs")
}

/// Removes those that are older than a week. What cannot be removed now can be
/// another time.
pub fn tidy(place: &Place) {
    let Some(before) = SystemTime::now().checked_sub(KEPT) else {
        return;
    };
    let Ok(entries) = fs::read_dir(folder(place)) else {
        return;
    };
    for entry in entries.flatten() {
        let is_ours =
            (entry.file_name().to_str()).is_some_and(|it| it.parse::<SessionId>().is_ok());
        if is_ours && is_older(&entry.path(), before) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

fn is_older(folder: &Path, than: SystemTime) -> bool {
    fs::symlink_metadata(folder)
        .is_ok_and(|found| found.is_dir() && found.modified().is_ok_and(|modified| modified < than))
}
