//! Reads regular files, and nothing else: a pipe, a device or a socket is
//! recognised by looking at it and never opened for its content.

use super::beneath::{self, CONTENT};
use super::error::{Doing, WorkspaceError};
use super::resolve::{Place, file_type};
use super::{Attempt, Workspace};
use rustix::fs::{FileType, fstat};
use std::fs::File;
use std::io::Read;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;
use tenon_policy::Access;

/// The largest file that is taken into memory as a whole.
pub const READ_CAP: u64 = 64 * 1024 * 1024;

/// A whole file.
#[derive(Debug, Clone)]
pub struct FileContent {
    pub bytes: Vec<u8>,
    /// Unix permission bits.
    pub mode: u32,
    /// Normalised, links followed; the key of the [`super::Ledger`].
    pub path: String,
    pub absolute: PathBuf,
}

/// A piece of a file.
#[derive(Debug, Clone)]
pub struct FileRange {
    pub bytes: Vec<u8>,
    pub offset: u64,
    /// Of the whole file.
    pub size: u64,
    pub path: String,
    pub absolute: PathBuf,
}

/// A checked handle, for whoever reads a file as a stream.
#[derive(Debug)]
pub struct OpenFile {
    pub file: File,
    pub size: u64,
    pub mode: u32,
    pub path: String,
    pub absolute: PathBuf,
}

impl Workspace {
    /// Reads a whole regular file of at most [`READ_CAP`] bytes.
    ///
    /// # Errors
    /// When it is outside, missing, not a regular file, too large, unreadable.
    pub fn read(&self, path: &str) -> Result<FileContent, WorkspaceError> {
        let open = self.open_file(path)?;
        let bytes = read_capped(&open.file, open.size, &open.path)?;
        Ok(FileContent {
            bytes,
            mode: open.mode,
            path: open.path,
            absolute: open.absolute,
        })
    }

    /// Reads up to `limit` bytes from `offset`, of a file of any size.
    ///
    /// # Errors
    /// As [`Self::read`], but never for the size.
    pub fn read_range(
        &self,
        path: &str,
        offset: u64,
        limit: usize,
    ) -> Result<FileRange, WorkspaceError> {
        let open = self.open_file(path)?;
        let rest = open.size.saturating_sub(offset);
        let wanted = usize::try_from(rest).unwrap_or(usize::MAX).min(limit);
        let mut bytes = vec![0; wanted];
        let mut filled = 0;
        while filled < wanted {
            let read = open
                .file
                .read_at(&mut bytes[filled..], offset + filled as u64)
                .map_err(|e| WorkspaceError::io(Doing::Reading, &open.path, e))?;
            if read == 0 {
                break;
            }
            filled += read;
        }
        bytes.truncate(filled);
        Ok(FileRange {
            bytes,
            offset,
            size: open.size,
            path: open.path,
            absolute: open.absolute,
        })
    }

    /// Opens a regular file for reading.
    ///
    /// # Errors
    /// As [`Self::read`], but never for the size.
    pub fn open_file(&self, path: &str) -> Result<OpenFile, WorkspaceError> {
        self.settle(path, Access::Read, |place| self.open_place(place))
    }

    fn open_place(&self, place: &Place) -> Result<OpenFile, Attempt> {
        let Some(seen) = &place.found else {
            return Err(self.not_found(place).into());
        };
        if file_type(seen) != FileType::RegularFile {
            return Err(place.not_a_file(seen).into());
        }
        let handle = beneath::open(self.resolution, place.door(), &place.relative, CONTENT)
            .map_err(|e| Attempt::of(e, Doing::Reading, &place.shown))?;
        let stat = fstat(&handle).map_err(|e| Attempt::of(e, Doing::Reading, &place.shown))?;
        if file_type(&stat) != FileType::RegularFile {
            return Err(place.not_a_file(&stat).into());
        }
        Ok(OpenFile {
            file: File::from(handle),
            size: u64::try_from(stat.st_size).unwrap_or(0),
            mode: stat.st_mode & 0o7777,
            path: place.shown.clone(),
            absolute: place.absolute.clone(),
        })
    }
}

/// Reads what `file` holds; one that grows while it is read hits the cap.
pub(super) fn read_capped(file: &File, size: u64, path: &str) -> Result<Vec<u8>, WorkspaceError> {
    let too_large = |size| WorkspaceError::TooLarge {
        path: path.to_owned(),
        size,
        cap: READ_CAP,
    };
    if size > READ_CAP {
        return Err(too_large(size));
    }
    let mut bytes = Vec::with_capacity(usize::try_from(size).unwrap_or(0).saturating_add(1));
    let mut limited = file.take(READ_CAP + 1);
    limited
        .read_to_end(&mut bytes)
        .map_err(|e| WorkspaceError::io(Doing::Reading, path, e))?;
    if bytes.len() as u64 > READ_CAP {
        return Err(too_large(bytes.len() as u64));
    }
    Ok(bytes)
}
