//! Content beside the log, named by its SHA-256: `<id>.d/blobs/<sha256>`.
//! Written once, never changed, checked on every read. Contents of files are
//! packed where that saves room; the name is of what they stand for. A session that is not
//! saved keeps its content in memory and, past a limit, in a private folder
//! that goes with it.

use crate::SessionError;
use crate::pack::{pack, unpack};
use crate::place::{private_file, private_folder};
use crate::scratch::Scratch;
use sha2::{Digest as _, Sha256};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::fs::{self, File};
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use tenon_vocab::BlobRef;

/// Above this an unsaved session's content goes to its private folder.
const MEMORY_LIMIT: u64 = 32 * 1024 * 1024;

/// A cheap handle to the stored content of one session.
#[derive(Debug, Clone)]
pub struct Blobs(Where);

#[derive(Debug, Clone)]
enum Where {
    Folder(Arc<Path>),
    Memory(Arc<Mutex<Memory>>, Arc<Scratch>),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Form {
    Plain,
    Packed,
}

#[derive(Debug, Default)]
struct Memory {
    held: HashMap<String, Arc<[u8]>>,
    bytes: u64,
}

impl Blobs {
    pub(crate) fn in_folder(folder: PathBuf) -> Self {
        Self(Where::Folder(Arc::from(folder)))
    }

    pub(crate) fn in_memory(scratch: Arc<Scratch>) -> Self {
        Self(Where::Memory(Arc::default(), scratch))
    }

    /// Whether the content is still there when the session has ended.
    #[must_use]
    pub fn outlive_the_session(&self) -> bool {
        matches!(self.0, Where::Folder(_))
    }

    /// Stores content; the same content again costs a hash and a look.
    ///
    /// # Errors
    /// When the folder cannot be written to or the disk is full.
    pub fn put(&self, content: &[u8]) -> Result<BlobRef, SessionError> {
        self.store(content, Form::Plain)
    }

    /// Stores the content of a file, in fewer bytes where that is possible.
    ///
    /// # Errors
    /// As [`Self::put`].
    pub fn put_file(&self, content: &[u8]) -> Result<BlobRef, SessionError> {
        self.store(content, Form::Packed)
    }

    /// How much more would be taken by the content of a file, if it is not stored
    /// yet. Costs the packing.
    #[must_use]
    pub fn would_take(&self, content: &[u8]) -> u64 {
        let packed = match &self.0 {
            Where::Folder(_) => pack(content).map(|packed| packed.len()),
            Where::Memory(..) => None,
        };
        packed.unwrap_or(content.len()) as u64
    }

    /// How much of the disk the stored content takes. Costs a look at each.
    #[must_use]
    pub fn stored_bytes(&self) -> u64 {
        let of_folder = |folder: &Path| -> u64 {
            let entries = fs::read_dir(folder).into_iter().flatten().flatten();
            entries
                .filter_map(|entry| entry.metadata().ok())
                .map(|found| found.len())
                .sum()
        };
        match &self.0 {
            Where::Folder(folder) => of_folder(folder),
            Where::Memory(memory, scratch) => {
                let held = memory.lock().unwrap_or_else(PoisonError::into_inner).bytes;
                held + scratch
                    .existing()
                    .map_or(0, |folder| of_folder(&folder.join("blobs")))
            }
        }
    }

    fn store(&self, content: &[u8], form: Form) -> Result<BlobRef, SessionError> {
        let name = BlobRef {
            sha256: hash(content),
            bytes: content.len() as u64,
        };
        match &self.0 {
            Where::Folder(folder) => write_blob(folder, &name, content, form)?,
            Where::Memory(memory, scratch) => {
                let mut memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
                if memory.held.contains_key(&name.sha256) {
                    return Ok(name);
                }
                if memory.bytes + name.bytes > MEMORY_LIMIT {
                    drop(memory);
                    write_blob(&scratch.folder()?.join("blobs"), &name, content, form)?;
                } else {
                    memory.bytes += name.bytes;
                    memory.held.insert(name.sha256.clone(), Arc::from(content));
                }
            }
        }
        Ok(name)
    }

    /// Reads content and checks that it is what its name says.
    ///
    /// # Errors
    /// When it is not there, or was changed.
    pub fn get(&self, name: &BlobRef) -> Result<Vec<u8>, SessionError> {
        if !is_name(&name.sha256) {
            return Err(SessionError::BlobName {
                name: name.sha256.chars().take(80).collect(),
            });
        }
        match &self.0 {
            Where::Folder(folder) => read_blob(folder, name),
            Where::Memory(memory, scratch) => {
                let memory = memory.lock().unwrap_or_else(PoisonError::into_inner);
                if let Some(content) = memory.held.get(&name.sha256) {
                    return Ok(content.to_vec());
                }
                drop(memory);
                match scratch.existing() {
                    Some(folder) => read_blob(&folder.join("blobs"), name),
                    None => Err(missing(name)),
                }
            }
        }
    }

    /// Makes content that the log refers to survive a power loss.
    pub(crate) fn sync(&self, name: &BlobRef) -> Result<(), SessionError> {
        if let Where::Folder(folder) = &self.0 {
            let path = folder.join(&name.sha256);
            File::open(&path)
                .and_then(|file| file.sync_data())
                .map_err(|error| SessionError::io("sync", &path, error))?;
        }
        Ok(())
    }
}

pub(crate) fn hash(content: &[u8]) -> String {
    let digest = Sha256::digest(content);
    let mut text = String::with_capacity(64);
    for byte in digest {
        // Writing to a String cannot fail.
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// A name from a log is foreign text that becomes a path: nothing but hex.
fn is_name(text: &str) -> bool {
    text.len() == 64
        && text
            .bytes()
            .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b))
}

fn missing(name: &BlobRef) -> SessionError {
    SessionError::BlobMissing {
        sha256: name.sha256.clone(),
    }
}

fn write_blob(
    folder: &Path,
    name: &BlobRef,
    content: &[u8],
    form: Form,
) -> Result<(), SessionError> {
    let path = folder.join(&name.sha256);
    // A shorter file is packed, or what a power loss leaves: then it is written
    // again.
    match fs::metadata(&path) {
        Ok(found) if found.is_file() && found.len() == name.bytes => return Ok(()),
        Ok(found) if found.is_file() && read_blob(folder, name).is_ok() => return Ok(()),
        _ => {}
    }
    private_folder(folder)?;
    let packed = (form == Form::Packed).then(|| pack(content)).flatten();
    let say = |error: io::Error| SessionError::io("store content in", &path, error);
    // Two threads may store the same content at once: each has a file of its own.
    let mut file = tempfile::Builder::new()
        .prefix(".new-")
        .make_in(folder, |path| {
            tenon_files::open_with(private_file().write(true).create_new(true), path)
        })
        .map_err(say)?;
    file.write_all(packed.as_deref().unwrap_or(content))
        .map_err(say)?;
    file.into_temp_path()
        .persist(&path)
        .map_err(|error| say(error.error))
}

fn read_blob(folder: &Path, name: &BlobRef) -> Result<Vec<u8>, SessionError> {
    let path = folder.join(&name.sha256);
    let file = tenon_files::open(&path).map_err(|error| match error.kind() {
        io::ErrorKind::NotFound => missing(name),
        _ => SessionError::io("read", &path, error),
    })?;
    let damaged = || SessionError::BlobDamaged {
        sha256: name.sha256.clone(),
    };
    let found = file
        .metadata()
        .map_err(|error| SessionError::io("read", &path, error))?;
    if !found.is_file() || found.len() > name.bytes {
        return Err(damaged());
    }
    let mut content = Vec::new();
    file.take(name.bytes)
        .read_to_end(&mut content)
        .map_err(|error| SessionError::io("read", &path, error))?;
    // What is packed is shorter than what it stands for.
    if (content.len() as u64) < name.bytes {
        content = unpack(&content, name.bytes).ok_or_else(damaged)?;
    }
    if hash(&content) != name.sha256 {
        return Err(damaged());
    }
    Ok(content)
}
