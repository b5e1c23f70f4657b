//! Keeps the whole output of a command: in memory while it is small, then in a
//! file that a model can read with the `read` tool.

use super::shelter::Shelter;
use super::spec::{Cut, Whole};
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// A command can print for ever; its file cannot grow for ever.
const MAX_FILE: u64 = 64 * 1024 * 1024;
const MAX_NAME: usize = 80;

#[derive(Debug)]
pub(super) struct Spill {
    shelter: Arc<Shelter>,
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
    Full(PathBuf, Cut),
    Failed(String),
}

impl Spill {
    pub(super) fn new(shelter: &Arc<Shelter>, label: &str, limit: usize) -> Self {
        Self {
            shelter: Arc::clone(shelter),
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
                self.state = self.begin();
                self.write(&kept);
                self.write(text);
            }
            _ => self.write(text),
        }
    }

    fn begin(&self) -> State {
        let folder = self.shelter.folder();
        if self.shelter.is_full() {
            return State::Failed(format!(
                "this session already keeps {} MiB of output, in {}",
                self.shelter.capacity() >> 20,
                folder.display()
            ));
        }
        match create(folder, &self.label) {
            Ok((file, path)) => State::File {
                file,
                path,
                written: 0,
            },
            Err(error) => State::Failed(format!("{}: {error}", folder.display())),
        }
    }

    pub(super) fn whole(&self) -> Whole {
        match &self.state {
            State::Memory(_) => Whole::Here,
            State::File { path, .. } => Whole::File(path.clone()),
            State::Full(path, cut) => Whole::FileCut(path.clone(), *cut),
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
        let wanted = (text.len() as u64).min(MAX_FILE - *written);
        let granted = self.shelter.take(wanted);
        let fits = usize::try_from(granted).unwrap_or(usize::MAX);
        let (now, beyond) = text.split_at(text.floor_char_boundary(fits));
        let mut outcome = file.write_all(now.as_bytes());
        *written += u64::try_from(now.len()).unwrap_or(0);
        if beyond.is_empty() {
            if let Err(error) = outcome {
                self.state = State::Failed(format!("{}: {error}", path.display()));
            }
            return;
        }
        let cut = if granted < wanted {
            Cut::Session(*written)
        } else {
            Cut::File
        };
        let note = match cut {
            Cut::File => "\n[… cut here: only the first 64 MiB of the output are kept]\n",
            Cut::Session(_) => "\n[… cut here: this session has no room for more output]\n",
        };
        outcome = outcome.and_then(|()| file.write_all(note.as_bytes()));
        self.state = match outcome {
            Ok(()) => State::Full(path.clone(), cut),
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
    use super::{Cut, MAX_FILE, Shelter, Spill, Whole};
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;
    use std::sync::Arc;

    fn shelter(folder: &Path) -> Arc<Shelter> {
        Arc::new(Shelter::new(folder.to_owned()))
    }

    #[test]
    fn all_files_of_a_session_share_its_room_and_what_was_there_counts() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("of_an_earlier_run.txt"), "x".repeat(60)).unwrap();
        let shelter = Arc::new(Shelter::of_size(folder.path().to_owned(), 100));
        let mut first = Spill::new(&shelter, "first", 1);
        first.push(&"a".repeat(30));
        let path = |name: &str| folder.path().join(name);
        assert_eq!(first.whole(), Whole::File(path("first.txt")));
        let mut second = Spill::new(&shelter, "second", 1);
        second.push(&"b".repeat(30));
        second.push(&"b".repeat(30));
        assert_eq!(
            second.whole(),
            Whole::FileCut(path("second.txt"), Cut::Session(10))
        );
        let kept = std::fs::read_to_string(path("second.txt")).unwrap();
        assert!(kept.starts_with("bbbbbbbbbb\n[…"), "{kept}");
        first.push("more");
        assert_eq!(
            first.whole(),
            Whole::FileCut(path("first.txt"), Cut::Session(30))
        );
        // With no room at all there is not even a file.
        let mut third = Spill::new(&shelter, "third", 1);
        third.push("ccc");
        assert!(matches!(third.whole(), Whole::Lost(why) if why.contains("already keeps")));
        assert!(!path("third.txt").exists());
    }

    #[test]
    fn a_small_output_makes_no_file() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(&shelter(&folder.path().join("spill")), "call_1", 10);
        spill.push("0123456789");
        assert_eq!(spill.whole(), Whole::Here);
        assert!(!folder.path().join("spill").exists());
    }

    #[test]
    fn a_large_one_is_whole_in_a_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("spill");
        let mut spill = Spill::new(&shelter(&inner), "../../call/1", 10);
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
            Spill::new(&shelter(folder.path()), "call", 1).push("text");
        }
        assert!(folder.path().join("call.txt").exists());
        assert!(folder.path().join("call-2.txt").exists());
    }

    #[test]
    fn the_file_stops_growing_at_its_cap_and_says_so() {
        let folder = tempfile::tempdir().unwrap();
        let mut spill = Spill::new(&shelter(folder.path()), "call", 1);
        let piece = "é".repeat(512 * 1024);
        for _ in 0..80 {
            spill.push(&piece);
        }
        let path = folder.path().join("call.txt");
        assert_eq!(spill.whole(), Whole::FileCut(path.clone(), Cut::File));
        let size = path.metadata().unwrap().len();
        assert!((MAX_FILE..MAX_FILE + 200).contains(&size), "{size}");
    }

    #[test]
    fn a_folder_that_cannot_be_made_is_told_and_nothing_fails() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        std::fs::write(&blocked, "").unwrap();
        let mut spill = Spill::new(&shelter(&blocked.join("spill")), "call", 1);
        spill.push("text");
        spill.push("text");
        assert!(matches!(spill.whole(), Whole::Lost(_)));
    }
}
