//! Opens what lies beneath a directory handle and refuses every symbolic link
//! on the way, the last name included.
//!
//! This is the only place where a path becomes a handle. Links are resolved
//! beforehand, as text ([`super::resolve`]); what is opened here is free of
//! links or fails with `ELOOP`. So a link that appears between the look and
//! the use cannot lead anywhere.

use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, openat, statat};
use rustix::io::Errno;
use std::path::{Component, Path};

/// How a path is walked. The kernel's way is one call; the other is for
/// kernels and sandboxes without `openat2`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Resolution {
    Kernel,
    Walk,
}

#[cfg(target_os = "linux")]
pub(super) const LOOK: OFlags = OFlags::PATH.union(OFlags::CLOEXEC);
#[cfg(not(target_os = "linux"))]
pub(super) const LOOK: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::CLOEXEC);

/// A handle on a folder that other opens start from.
pub(super) const FOLDER: OFlags = LOOK.union(OFlags::DIRECTORY);

/// For content. Never waits for the other end of a pipe, never becomes the
/// terminal's owner.
pub(super) const CONTENT: OFlags = OFlags::RDONLY
    .union(OFlags::NONBLOCK)
    .union(OFlags::NOCTTY)
    .union(OFlags::CLOEXEC);

pub(super) fn open_root(path: &Path) -> Result<OwnedFd, Errno> {
    openat(CWD, path, FOLDER, Mode::empty())
}

/// Whether this kernel, behind whatever filter we run, has `openat2`.
pub(super) fn probe(root: BorrowedFd<'_>) -> Resolution {
    match kernel(root, Path::new("."), FOLDER) {
        Ok(_) => Resolution::Kernel,
        Err(_) => Resolution::Walk,
    }
}

/// Opens `relative` beneath `root`; an empty path is the root itself.
/// `flags` must not create.
pub(super) fn open(
    resolution: Resolution,
    root: BorrowedFd<'_>,
    relative: &Path,
    flags: OFlags,
) -> Result<OwnedFd, Errno> {
    let relative = if relative.as_os_str().is_empty() {
        Path::new(".")
    } else {
        relative
    };
    if resolution == Resolution::Walk {
        return walk(root, relative, flags);
    }
    // The kernel answers EAGAIN when something was renamed while it looked.
    for _ in 0..8 {
        match kernel(root, relative, flags) {
            Err(Errno::AGAIN) => {}
            Err(Errno::XDEV) => return Err(Errno::LOOP),
            other => return other,
        }
    }
    walk(root, relative, flags)
}

#[cfg(target_os = "linux")]
fn kernel(root: BorrowedFd<'_>, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    use rustix::fs::{ResolveFlags, openat2};
    let resolve = ResolveFlags::BENEATH | ResolveFlags::NO_MAGICLINKS | ResolveFlags::NO_SYMLINKS;
    openat2(root, relative, flags, Mode::empty(), resolve)
}

#[cfg(not(target_os = "linux"))]
fn kernel(_: BorrowedFd<'_>, _: &Path, _: OFlags) -> Result<OwnedFd, Errno> {
    Err(Errno::NOSYS)
}

fn walk(root: BorrowedFd<'_>, relative: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    let mut names = relative.components().peekable();
    let mut held: Option<OwnedFd> = None;
    while let Some(component) = names.next() {
        let name = match component {
            Component::Normal(name) => Path::new(name),
            Component::CurDir => Path::new("."),
            _ => return Err(Errno::LOOP),
        };
        let here = held.as_ref().map_or(root, AsFd::as_fd);
        let wanted = if names.peek().is_some() {
            FOLDER
        } else {
            flags
        };
        held = Some(step(here, name, wanted)?);
    }
    held.ok_or(Errno::NOENT)
}

/// One name, never through a link. The kernel reports a link here as ENOTDIR
/// or, when only looking, opens the link itself: both become `ELOOP`.
pub(super) fn step(here: BorrowedFd<'_>, name: &Path, flags: OFlags) -> Result<OwnedFd, Errno> {
    match openat(here, name, flags | OFlags::NOFOLLOW, Mode::empty()) {
        Ok(handle) => {
            let stat = rustix::fs::fstat(&handle)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
                return Err(Errno::LOOP);
            }
            Ok(handle)
        }
        Err(Errno::NOTDIR) => {
            let stat = statat(here, name, AtFlags::SYMLINK_NOFOLLOW)?;
            if FileType::from_raw_mode(stat.st_mode) == FileType::Symlink {
                return Err(Errno::LOOP);
            }
            Err(Errno::NOTDIR)
        }
        Err(error) => Err(error),
    }
}
