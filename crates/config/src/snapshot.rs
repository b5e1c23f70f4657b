//! The files of a folder that somebody else may have written, read once. What is
//! hashed is what is parsed and what is run: between the question and the use
//! nobody can put other bytes in their place.
//!
//! Links are never followed and special files never opened; they are listed as
//! left out. It is no copy of a project: more than a few megabytes is refused.

use crate::source::NAMES;
use rustix::fs::{Dir, FileType, Mode, OFlags, openat};
use rustix::io::Errno;
use sha2::{Digest, Sha256};
use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::io::{self, Read as _};
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;

const MAX_FILES: usize = 1000;
const MAX_BYTES: u64 = 16 * 1024 * 1024;
const MAX_DEPTH: usize = 12;

/// One file as it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KeptFile {
    pub bytes: Arc<[u8]>,
    pub executable: bool,
}

/// A folder as it was at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Snapshot {
    folder: PathBuf,
    files: BTreeMap<String, KeptFile>,
    left_out: Vec<String>,
    /// Why not everything was read; then there is no hash.
    incomplete: Option<String>,
    hash: String,
}

/// Where projects keep commands for other agents, as seen from `.tenon`. No name
/// in that folder begins so.
pub(crate) const OTHERS_COMMANDS: &str = "../.claude/commands/";

/// Whether a project's commands for other agents are among what is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Others {
    Too,
    /// They are the user's own.
    No,
}

impl Snapshot {
    /// What a project has for an agent: the folder `.tenon` of this root, and the
    /// commands that it keeps for others. `None` when there is neither.
    ///
    /// # Errors
    /// When something else stands in the place of `.tenon`, or it cannot be read.
    pub(crate) fn of_project(root: &Path, others: Others) -> io::Result<Option<Self>> {
        let folder = root.join(".tenon");
        let own = Self::read(&folder)?;
        let commands = match others {
            Others::Too => Reader::commands_of_others(root),
            Others::No => Reader::default(),
        };
        if commands.files.is_empty() && commands.left_out.is_empty() {
            return Ok(own);
        }
        let mut whole = own.unwrap_or_else(|| Reader::default().finish(&folder));
        whole.files.extend(commands.files);
        whole.left_out.extend(commands.left_out);
        whole.left_out.sort();
        whole.hash = hash(&whole.files, &whole.left_out);
        Ok(Some(whole))
    }

    /// `None` when there is no such folder.
    ///
    /// # Errors
    /// When something else stands there, or it cannot be read.
    pub fn read(folder: &Path) -> io::Result<Option<Self>> {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = match rustix::fs::open(folder, flags, Mode::empty()) {
            Ok(opened) => opened,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(rustix::io::Errno::LOOP | rustix::io::Errno::NOTDIR) => {
                return Err(io::Error::other("it is a link, or not a folder"));
            }
            Err(error) => return Err(error.into()),
        };
        let mut reader = Reader::default();
        // Always among what is read: it may narrow what holds, also where the
        // rest is too large to be trusted.
        for name in NAMES {
            reader.entry(opened.as_fd(), name, name);
        }
        reader.folder(&opened, "", 0);
        Ok(Some(reader.finish(folder)))
    }

    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Of every name, mark and byte; `None` when not everything could be read.
    #[must_use]
    pub fn hash(&self) -> Option<&str> {
        self.incomplete.is_none().then_some(self.hash.as_str())
    }

    /// Why there is no hash.
    #[must_use]
    pub fn incomplete(&self) -> Option<&str> {
        self.incomplete.as_deref()
    }

    #[must_use]
    pub fn file(&self, path: &str) -> Option<&KeptFile> {
        self.files.get(path)
    }

    /// The files below a folder (`tools/lint/`), by their path in it.
    pub fn below<'a>(
        &'a self,
        prefix: &'a str,
    ) -> impl Iterator<Item = (&'a str, &'a KeptFile)> + 'a {
        self.files
            .range(prefix.to_owned()..)
            .map_while(move |(path, file)| Some((path.strip_prefix(prefix)?, file)))
    }

    /// Where a file of it lies.
    #[must_use]
    pub(crate) fn path_of(&self, name: &str) -> PathBuf {
        match (name.strip_prefix("../"), self.folder.parent()) {
            (Some(beside), Some(root)) => root.join(beside),
            _ => self.folder.join(name),
        }
    }

    /// The names of the folders directly below a folder that hold files.
    #[must_use]
    pub fn folders(&self, prefix: &str) -> Vec<String> {
        let mut names: Vec<String> = self
            .below(prefix)
            .filter_map(|(path, _)| path.split_once('/'))
            .map(|(name, _)| name.to_owned())
            .collect();
        names.dedup();
        names
    }

    /// Links, special files and what could not be read: none of it is used.
    #[must_use]
    pub fn left_out(&self) -> &[String] {
        &self.left_out
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }
}

#[derive(Default)]
struct Reader {
    files: BTreeMap<String, KeptFile>,
    left_out: Vec<String>,
    bytes: u64,
    seen: usize,
    incomplete: Option<String>,
}

impl Reader {
    /// Only the files that are commands. Where there are too many, none: a project
    /// must not become one that cannot be trusted by what others have in it.
    fn commands_of_others(root: &Path) -> Self {
        let mut reader = Self::default();
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(root.join(".claude"), flags, Mode::empty())
            .and_then(|folder| openat(&folder, "commands", flags, Mode::empty()));
        match opened {
            Ok(folder) => reader.folder(&folder, OTHERS_COMMANDS, 0),
            Err(rustix::io::Errno::NOENT) => {}
            Err(_) => reader.leave_out(OTHERS_COMMANDS, "it is a link, or not a folder"),
        }
        reader.files.retain(|path, _| path.ends_with(".md"));
        if let Some(why) = reader.incomplete.take() {
            reader.files.clear();
            reader.left_out.clear();
            reader.leave_out(OTHERS_COMMANDS, &why);
        }
        reader
    }

    fn folder(&mut self, folder: &OwnedFd, prefix: &str, depth: usize) {
        if depth > MAX_DEPTH {
            self.stop(format!("it is nested deeper than {MAX_DEPTH} folders"));
            return;
        }
        let entries = match Dir::read_from(folder) {
            Ok(entries) => entries,
            Err(error) => return self.leave_out(prefix, &error.to_string()),
        };
        for entry in entries {
            if self.incomplete.is_some() {
                return;
            }
            let Ok(entry) = entry else {
                return self.leave_out(prefix, "can't read its entries");
            };
            let Ok(name) = entry.file_name().to_str() else {
                self.leave_out(prefix, "the name of an entry isn't UTF-8");
                continue;
            };
            if name == "." || name == ".." {
                continue;
            }
            self.seen += 1;
            if self.seen > MAX_FILES {
                return self.stop(format!("it has more than {MAX_FILES} files"));
            }
            let path = format!("{prefix}{name}");
            match entry.file_type() {
                FileType::Directory | FileType::Unknown => self.inner(folder, name, &path, depth),
                FileType::RegularFile => self.entry(folder.as_fd(), name, &path),
                _ => self.leave_out(&path, "it is a link, or not a file"),
            }
        }
    }

    fn inner(&mut self, folder: &OwnedFd, name: &str, path: &str, depth: usize) {
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        match openat(folder, name, flags, Mode::empty()) {
            Ok(inner) => self.folder(&inner, &format!("{path}/"), depth + 1),
            Err(Errno::NOTDIR) => self.entry(folder.as_fd(), name, path),
            Err(error) => self.leave_out(path, &error.to_string()),
        }
    }

    /// Reads a file, if it is one; nothing of that name is no trouble.
    fn entry(&mut self, folder: impl AsFd, name: &str, path: &str) {
        if self.files.contains_key(path) {
            return;
        }
        let file = match tenon_files::open_in(folder, name) {
            Ok(file) => file,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return,
            Err(error) if error.raw_os_error() == Some(Errno::LOOP.raw_os_error()) => {
                return self.leave_out(path, "it is a link, or not a file");
            }
            Err(error) => return self.leave_out(path, &error.to_string()),
        };
        let Ok(metadata) = file.metadata() else {
            return self.leave_out(path, "can't check it");
        };
        let mut bytes = Vec::new();
        let room = MAX_BYTES - self.bytes;
        if let Err(error) = file.take(room + 1).read_to_end(&mut bytes) {
            return self.leave_out(path, &error.to_string());
        }
        if bytes.len() as u64 > room {
            return self.stop(format!("it has more than {} MiB", MAX_BYTES / 1024 / 1024));
        }
        self.bytes += bytes.len() as u64;
        self.files.insert(
            path.to_owned(),
            KeptFile {
                bytes: bytes.into(),
                executable: metadata.permissions().mode() & 0o111 != 0,
            },
        );
    }

    fn leave_out(&mut self, path: &str, why: &str) {
        let line = format!("{}: {why}", path.trim_end_matches('/'));
        if !self.left_out.contains(&line) {
            self.left_out.push(line);
        }
    }

    fn stop(&mut self, why: String) {
        self.incomplete.get_or_insert(why);
    }

    fn finish(mut self, folder: &Path) -> Snapshot {
        self.left_out.sort();
        Snapshot {
            folder: folder.to_owned(),
            hash: hash(&self.files, &self.left_out),
            files: self.files,
            left_out: self.left_out,
            incomplete: self.incomplete,
        }
    }
}

/// Every part carries its length, so that no two contents run together.
fn hash(files: &BTreeMap<String, KeptFile>, left_out: &[String]) -> String {
    let mut hasher = Sha256::new();
    let mut part = |bytes: &[u8]| {
        hasher.update((bytes.len() as u64).to_le_bytes());
        hasher.update(bytes);
    };
    for (path, file) in files {
        part(path.as_bytes());
        part(if file.executable { b"x" } else { b"-" });
        part(&file.bytes);
    }
    for line in left_out {
        part(line.as_bytes());
    }
    hasher
        .finalize()
        .iter()
        .fold(String::with_capacity(64), |mut text, byte| {
            // Writing to a String cannot fail.
            let _ = write!(text, "{byte:02x}");
            text
        })
}
