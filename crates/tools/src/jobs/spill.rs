//! Keeps the whole output of a command: in memory while it is small, then in a
//! file that a model can read with the `read` tool.

use super::spec::Whole;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// A command can print for ever; its file cannot grow for ever.
const MAX_FILE: u64 = 64 * 1024 * 1024;
const MAX_NAME: usize = 80;

#[derive(Debug)]
pub(super) struct Spill {
    folder: PathBuf,
    label: String,
    /// More than this goes to a file.
    limit: usize,
    state: State,
}

#[derive(Debug)]
enum State {
    Memory(String),
    File {
        file: File,
        path: PathBuf,
        written: u64,
    },
    Full(PathBuf),
    Failed(String),
}

impl Spill {
    pub(super) fn new(folder: &Path, label: &str, limit: usize) -> Self {
        Self {
            folder: folder.to_owned(),
            label: safe_name(label),
            limit,
            state: State::Memory(String::new()),
        }
    }

    pub(super) fn push(&mut self, text: &str) {
        match &mut self.state {
            State::Memory(kept) if kept.len() + text.len() <= self.limit => kept.push_str(text),
            State::Memory(kept) => {
                let kept = std::mem::take(kept);
                self.state = match create(&self.folder, &self.label) {
                    Ok((file, path)) => State::File {
                        file,
                        path,
                        written: 0,
                    },
                    Err(error) => State::Failed(format!("{}: {error}", self.folder.display())),
                };
                self.write(&kept);
                self.write(text);
            }
            _ => self.write(text),
        }
    }

    pub(super) fn whole(&self) -> Whole {
        match &self.state {
            State::Memory(_) => Whole::Here,
            State::File { path, .. } => Whole::File(path.clone()),
            State::Full(path) => Whole::FileCut(path.clone()),
            State::Failed(reason) => Whole::Lost(reason.clone()),
        }
    }

    fn write(&mut self, text: &str) {
        let State::File {
            file,
            path,
            written,
        } = &mut self.state
        else {
            return;
        };
        let room = usize::try_from(MAX_FILE - *written).unwrap_or(usize::MAX);
        let fits = text.floor_char_boundary(room.min(text.len()));
        let (now, beyond) = text.split_at(fits);
        let mut outcome = file.write_all(now.as_bytes());
        *written += u64::try_from(now.len()).unwrap_or(0);
        if beyond.is_empty() {
            if let Err(error) = outcome {
                self.state = State::Failed(format!("{}: {error}", path.display()));
            }
            return;
        }
        let note = "\n[… the output goes on; only its first 64 MiB are kept here]\n";
        outcome = outcome.and_then(|()| file.write_all(note.as_bytes()));
        self.state = match outcome {
            Ok(()) => State::Full(path.clone()),
            Err(error) => State::Failed(format!("{}: {error}", path.display())),
        };
    }
}

/// The label comes from a model: it must not name another folder.
fn safe_name(label: &str) -> String {
    let name: String = label
        .chars()
        .map(|c| match c {
            'a'..='z' | 'A'..='Z' | '0'..='9' | '-' | '_' => c,
            _ => '_',
        })
        .take(MAX_NAME)
        .collect();
    if name.is_empty() {
        String::from("command")
    } else {
        name
    }
}

fn create(folder: &Path, label: &str) -> io::Result<(File, PathBuf)> {
    fs::DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(folder)?;
    let mut number = 1_u32;
    loop {
        let path = match number {
            1 => folder.join(format!("{label}.txt")),
            _ => folder.join(format!("{label}-{number}.txt")),
        };
        let opened = OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o600)
            .open(&path);
        match opened {
            Ok(file) => return Ok((file, path)),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && number < 10_000 => {
                number += 1;
            }
            Err(error) => return Err(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{MAX_FILE, Spill, Whole};
    use std::os::unix::fs::PermissionsExt;

    #[test]
    fn a_small_output_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(&folder.path().join("spill"), "call_1", 10);
        spill.push("0123456789");
        assert_eq!(spill.whole(), Whole::Here);
        assert!(!folder.path().join("spill").exists());
    }

    #[test]
    fn a_large_one_is_whole_in_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("spill");
        let mut spill = Spill::new(&inner, "../../call/1", 10);
        for _ in 0..3 {
            spill.push("01234567\n");
        }
        let path = inner.join("______call_1.txt");
        assert_eq!(spill.whole(), Whole::File(path.clone()));
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "01234567\n".repeat(3)
        );
        let mode = |path: &std::path::Path| path.metadata().unwrap().permissions().mode() & 0o777;
        assert_eq!((mode(&inner), mode(&path)), (0o700, 0o600));
    }

    #[test]
    fn a_name_that_is_taken_is_never_written_over() {
        let folder = tempfile::tempdir().unwrap();
        for _ in 0..2 {
            Spill::new(folder.path(), "call", 1).push("text");
        }
        assert!(folder.path().join("call.txt").exists());
        assert!(folder.path().join("call-2.txt").exists());
    }

    #[test]
    fn the_file_stops_growing_at_its_cap_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(folder.path(), "call", 1);
        let piece = "é".repeat(512 * 1024);
        for _ in 0..80 {
            spill.push(&piece);
        }
        let path = folder.path().join("call.txt");
        assert_eq!(spill.whole(), Whole::FileCut(path.clone()));
        let size = path.metadata().unwrap().len();
        assert!((MAX_FILE..MAX_FILE + 200).contains(&size), "{size}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_told_and_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        std::fs::write(&blocked, "").unwrap();
        let mut spill = Spill::new(&blocked.join("spill"), "call", 1);
        spill.push("text");
        spill.push("text");
        assert!(matches!(spill.whole(), Whole::Lost(_)));
    }
}
