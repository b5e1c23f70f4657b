//! What was typed before, across restarts. What belongs into it is said by
//! [`tenon_vocab::slash::Line::is_remembered`]. The file only grows by what was typed; an entry that was typed twice
//! is shown once, as the newer.

use rustyline::history::{FileHistory, History};
use std::fs::OpenOptions;
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

pub const ENTRIES: usize = 2000;
/// A larger file was not written by us.
const LARGEST: u64 = 16 * 1024 * 1024;
/// A longer entry is a paste that nobody looks for in a history.
const LONGEST: usize = 32 * 1024;

pub struct Past {
    path: PathBuf,
    /// As it stands in the file, so that a new entry is only appended.
    disk: FileHistory,
    entries: Vec<String>,
}

impl Past {
    /// Reads the file, or makes it. A file that cannot be read is moved aside:
    /// a broken history is no reason not to start.
    pub fn open(path: PathBuf) -> Self {
        let read = read(&path);
        if read.is_none() {
            let _ = std::fs::rename(&path, path.with_extension("unreadable"));
        }
        let disk = read.unwrap_or_else(empty);
        Self {
            path,
            entries: without_repeats(disk.iter().cloned().collect()),
            disk,
        }
    }

    pub fn entries(&self) -> &[String] {
        &self.entries
    }

    /// Keeps an input. That it cannot be written is no reason to stop.
    pub fn add(&mut self, input: &str) {
        if input.trim().is_empty() || input.len() > LONGEST {
            return;
        }
        self.entries.retain(|entry| entry != input);
        self.entries.push(input.to_owned());
        let _ = self.write(input);
    }

    fn write(&mut self, input: &str) -> rustyline::Result<()> {
        make(&self.path)?;
        self.disk.add(input)?;
        self.disk.append(&self.path)
    }
}

/// What the file holds; `None` when it is no history.
fn read(path: &Path) -> Option<FileHistory> {
    let mut disk = empty();
    match path.symlink_metadata() {
        Err(_) => Some(disk),
        Ok(found) if !found.is_file() || found.len() > LARGEST => None,
        Ok(_) => disk.load(path).is_ok().then_some(disk),
    }
}

fn empty() -> FileHistory {
    let config = rustyline::Config::builder()
        .max_history_size(ENTRIES)
        .map(|builder| builder.history_ignore_space(true).build())
        .unwrap_or_default();
    FileHistory::with_config(&config)
}

/// The library would make the file under a changed umask, which holds for every
/// thread of the program; so it is made here.
fn make(path: &Path) -> std::io::Result<()> {
    if let Some(folder) = path.parent() {
        std::fs::DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)?;
    }
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made {
        Ok(mut file) => file.write_all(b"#V2\n"),
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(error),
    }
}

/// Of equal entries only the last.
fn without_repeats(entries: Vec<String>) -> Vec<String> {
    let mut seen = std::collections::HashSet::new();
    let mut kept: Vec<String> = entries
        .into_iter()
        .rev()
        .filter(|entry| seen.insert(entry.clone()))
        .collect();
    kept.reverse();
    kept
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn inputs_survive_a_restart_with_their_newlines_and_backslashes() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("state/history");
        let mut past = Past::open(path.clone());
        for input in ["one\ntwo", "a \\ b", "漢字", "one\ntwo", " \n"] {
            past.add(input);
        }
        assert_eq!(
            Past::open(path.clone()).entries(),
            ["a \\ b", "漢字", "one\ntwo"]
        );
        let mode = path.metadata().unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn two_programs_do_not_overwrite_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        let (mut one, mut two) = (Past::open(path.clone()), Past::open(path.clone()));
        one.add("from one");
        two.add("from two");
        one.add("again one");
        assert_eq!(
            Past::open(path).entries(),
            ["from one", "from two", "again one"]
        );
    }

    #[test]
    fn a_file_that_is_no_history_is_moved_aside() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("history");
        std::fs::write(&path, b"#V2\n\xff\xfe\n").unwrap();
        let mut past = Past::open(path.clone());
        past.add("new");
        assert_eq!(Past::open(path.clone()).entries(), ["new"]);
        assert!(path.with_extension("unreadable").exists());
    }
}
