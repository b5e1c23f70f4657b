//! Single steps among files, from handle to handle, without following a link.

use rustix::fs::{AtFlags, Dir, Mode, OFlags, Stat};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io::{self, Read};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};

/// By which a file is known that is not read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Identity {
    device: u64,
    inode: u64,
    size: i64,
    mode: u32,
    changed: (i64, u64),
}

pub(crate) fn look(folder: BorrowedFd<'_>, name: &OsStr) -> Result<Stat, Errno> {
    rustix::fs::statat(folder, name, AtFlags::SYMLINK_NOFOLLOW)
}

pub(crate) fn identity(facts: &Stat) -> Identity {
    Identity {
        device: facts.st_dev,
        inode: facts.st_ino,
        size: facts.st_size,
        mode: facts.st_mode,
        changed: (facts.st_ctime, facts.st_ctime_nsec),
    }
}

pub(crate) fn open_folder(folder: impl AsFd, name: &OsStr) -> io::Result<OwnedFd> {
    let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    Ok(rustix::fs::openat(folder, name, flags, Mode::empty())?)
}

pub(crate) fn names(folder: &OwnedFd) -> io::Result<Vec<OsString>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let name = entry.file_name().to_bytes();
        if name != b"." && name != b".." {
            names.push(OsStr::from_bytes(name).to_owned());
        }
    }
    Ok(names)
}

pub(crate) fn read_link(folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OsString> {
    let target = rustix::fs::readlinkat(folder, name, Vec::new())?;
    Ok(OsString::from_vec(target.into_bytes()))
}

/// Without waiting for whoever should write into a pipe of that name.
pub(crate) fn read_file(folder: BorrowedFd<'_>, name: &OsStr, most: u64) -> io::Result<Vec<u8>> {
    let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, name, flags, Mode::empty())?;
    let mut bytes = Vec::new();
    std::fs::File::from(file)
        .take(most + 1)
        .read_to_end(&mut bytes)?;
    Ok(bytes)
}
