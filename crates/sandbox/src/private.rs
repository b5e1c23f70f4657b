//! Folders that a command gets empty and as its own, as they are on this disk,
//! and what of theirs it sees all the same. They share one small file system in
//! memory, so that a command cannot fill the machine by them.

use crate::mounts::{CLOSED, Trouble, copy, failed, put, reach};
use crate::raw;
use crate::walls::Private;
use rustix::fs::{AtFlags, FileType, Mode};
use std::fs::File;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};

/// What they hold together: `sort` and others keep there what does not fit
/// into memory.
pub(crate) const BYTES: &str = "268435456";
/// Files cost memory even when they are empty.
pub(crate) const FILES: &str = "65536";
/// As the mode of a temporary folder is everywhere.
const OPEN: u32 = 0o1777;

/// Links resolved; none lies in another. What does not exist needs no cover.
pub(crate) fn resolve(asked: &Private) -> Result<Private, String> {
    let folders = outermost(asked.folders.iter().filter(|path| path.is_dir()));
    let mut closed = outermost(asked.closed.iter().filter(|path| path.is_dir()));
    closed.retain(|path| !folders.iter().any(|folder| path.starts_with(folder)));
    let mut all = folders.iter().chain(&closed);
    if all.any(|folder| folder.parent().is_none()) {
        return Err(String::from(
            "the list of private folders names the whole file system",
        ));
    }
    let asked = Private {
        folders,
        closed,
        seen: outermost(asked.seen.iter()),
    };
    let is_covered = |path: &PathBuf| asked.emptied().any(|folder| path.starts_with(folder));
    let seen = asked.seen.iter().filter(|path| is_covered(path)).cloned();
    Ok(Private {
        seen: seen.collect(),
        ..asked
    })
}

impl Private {
    /// All folders that the command gets empty.
    pub(crate) fn emptied(&self) -> impl Iterator<Item = &PathBuf> {
        self.folders.iter().chain(&self.closed)
    }

    /// Whether it covers a path, so that the command does not find it.
    pub(crate) fn covers(&self, path: &Path) -> bool {
        let lies = |folders: &[PathBuf]| folders.iter().any(|folder| path.starts_with(folder));
        (lies(&self.folders) || lies(&self.closed)) && !lies(&self.seen)
    }
}

fn outermost<'a>(paths: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let mut found: Vec<PathBuf> = paths.filter_map(|path| path.canonicalize().ok()).collect();
    // A folder stands before what lies in it.
    found.sort();
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in found {
        if !kept.iter().any(|other| path.starts_with(other)) {
            kept.push(path);
        }
    }
    kept
}

/// The folders on the stage that become the private ones.
pub(crate) fn prepare(stage: &OwnedFd, private: &Private) -> io::Result<()> {
    for at in 0..private.emptied().count() {
        let name = name(at);
        rustix::fs::mkdirat(stage, &name, Mode::RWXU)?;
        // Whatever the mask of this process is.
        rustix::fs::chmodat(stage, &name, Mode::from_raw_mode(OPEN), AtFlags::empty())?;
    }
    Ok(())
}

fn name(at: usize) -> String {
    format!("private{at}")
}

/// Covers the folders, when all else is read-only already.
pub(crate) fn cover(private: &Private, stage: &Path) -> Result<(), Trouble> {
    let mut seen = Vec::new();
    for path in &private.seen {
        let found = reach(path).and_then(|found| Ok((kind(&found)?, copy(&found)?)));
        match found {
            Ok((kind, tree)) => seen.push((path, kind, tree)),
            // It has gone since it was resolved.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(failed("keeping", path)(error)),
        }
    }
    for (at, folder) in private.emptied().enumerate() {
        reach(&stage.join(name(at)))
            .and_then(|own| put(&copy(&own)?, folder))
            .map_err(failed("emptying", folder))?;
    }
    for (path, kind, tree) in seen {
        make(path, kind)
            .and_then(|()| put(&tree, path))
            .map_err(failed("keeping", path))?;
    }
    for folder in &private.closed {
        reach(folder)
            .and_then(|found| raw::change_mounts(found.as_fd(), CLOSED))
            .map_err(failed("closing", folder))?;
    }
    Ok(())
}

fn kind(found: &OwnedFd) -> io::Result<FileType> {
    Ok(FileType::from_raw_mode(rustix::fs::fstat(found)?.st_mode))
}

/// Something of this kind to mount on.
fn make(path: &Path, kind: FileType) -> io::Result<()> {
    if kind == FileType::Directory {
        return std::fs::create_dir_all(path);
    }
    path.parent().map_or(Ok(()), std::fs::create_dir_all)?;
    File::create(path).map(drop)
}
