//! A name in a folder whose handle we hold: what stands there, whether it is
//! still the same, and how something else comes to stand there. The steps of
//! a change; [`super::change`] has their order.

use super::Attempt;
use super::beneath::{self, CONTENT, FOLDER};
use super::error::{Doing, WorkspaceError};
use super::read::read_capped;
use super::resolve::{file_type, other_kind};
use rustix::fd::{AsFd, BorrowedFd, OwnedFd};
use rustix::fs::{
    Access as Permission, AtFlags, FileType, Gid, Mode, RenameFlags, Stat, Uid, accessat, fchmod,
    fchown, fstat, mkdirat, renameat, renameat_with, statat,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::path::Path;

/// A regular file as it was found under a parent's handle.
pub(super) struct Found {
    pub(super) stat: Stat,
    pub(super) bytes: Vec<u8>,
}

/// Where a change takes place: a handle on the folder, and a name in it.
pub(super) struct Target<'a> {
    pub(super) folder: OwnedFd,
    pub(super) name: &'a OsStr,
    pub(super) shown: &'a str,
}

impl Target<'_> {
    /// Reads the regular file under the name, if there is one.
    pub(super) fn look(&self) -> Result<Option<Found>, Attempt> {
        let failed = |e| Attempt::of(e, Doing::Reading, self.shown);
        match statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(stat) => self.only_files(&stat)?,
        }
        let handle = match beneath::step(self.folder.as_fd(), Path::new(self.name), CONTENT) {
            Err(Errno::NOENT) => return Ok(None),
            other => other.map_err(failed)?,
        };
        let stat = fstat(&handle).map_err(failed)?;
        self.only_files(&stat)?;
        let size = u64::try_from(stat.st_size).unwrap_or(0);
        let bytes = read_capped(&File::from(handle), size, self.shown)?;
        Ok(Some(Found { stat, bytes }))
    }

    fn only_files(&self, stat: &Stat) -> Result<(), Attempt> {
        match file_type(stat) {
            FileType::RegularFile => Ok(()),
            FileType::Symlink => Err(Attempt::Moved),
            _ => Err(Attempt::Failed(WorkspaceError::NotAFile {
                path: self.shown.to_owned(),
                kind: other_kind(stat),
            })),
        }
    }

    /// Looks once more, just before the change: still the same file, or none.
    pub(super) fn confirm(&self, found: Option<&Found>) -> Result<(), Attempt> {
        let now = match statat(&self.folder, self.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(Attempt::of(error, Doing::Writing, self.shown)),
        };
        match (found, now) {
            (None, None) => Ok(()),
            (None, Some(_)) => Err(exists(self.shown)),
            (Some(found), Some(now)) if same(&found.stat, &now) => Ok(()),
            // Touched: the content decides.
            (Some(found), Some(_)) => match self.look()? {
                Some(again) if again.bytes == found.bytes => Ok(()),
                _ => Err(changed(self.shown)),
            },
            (Some(_), None) => Err(changed(self.shown)),
        }
    }

    /// A rename would replace a file that its owner has made read-only.
    pub(super) fn may_replace(&self, found: Option<&Found>) -> Result<(), Attempt> {
        if found.is_none() {
            return Ok(());
        }
        match accessat(
            &self.folder,
            self.name,
            Permission::WRITE_OK,
            AtFlags::empty(),
        ) {
            Err(Errno::ACCESS | Errno::PERM) => Err(Attempt::Failed(WorkspaceError::ReadOnly {
                path: self.shown.to_owned(),
            })),
            _ => Ok(()),
        }
    }
}

pub(super) fn same(a: &Stat, b: &Stat) -> bool {
    (a.st_dev, a.st_ino, a.st_size, a.st_mode) == (b.st_dev, b.st_ino, b.st_size, b.st_mode)
        && (a.st_mtime, a.st_mtime_nsec) == (b.st_mtime, b.st_mtime_nsec)
        && (a.st_ctime, a.st_ctime_nsec) == (b.st_ctime, b.st_ctime_nsec)
}

pub(super) fn exists(path: &str) -> Attempt {
    Attempt::Failed(WorkspaceError::Exists {
        path: path.to_owned(),
    })
}

pub(super) fn changed(path: &str) -> Attempt {
    Attempt::Failed(WorkspaceError::Changed {
        path: path.to_owned(),
    })
}

/// Owner before mode: changing the owner clears the set-id bits.
pub(super) fn keep_rights(file: &File, found: Option<&Found>) -> Result<u32, Errno> {
    let now = fstat(file)?;
    let Some(found) = found else {
        return Ok(now.st_mode);
    };
    let wanted = &found.stat;
    if (now.st_uid, now.st_gid) != (wanted.st_uid, wanted.st_gid) {
        // Only root can give files away; for others the file becomes theirs.
        let _ = fchown(
            file,
            Some(Uid::from_raw(wanted.st_uid)),
            Some(Gid::from_raw(wanted.st_gid)),
        );
    }
    fchmod(file, Mode::from_raw_mode(wanted.st_mode & 0o7777))?;
    Ok(wanted.st_mode)
}

/// Renames without replacing. File systems that cannot promise it get a look
/// just before, which is the best there is.
pub(super) fn move_to_free(from: &Target<'_>, to: &Target<'_>) -> Result<(), Attempt> {
    let failed = |e| match e {
        Errno::EXIST => exists(to.shown),
        other => Attempt::of(other, Doing::Renaming, to.shown),
    };
    match rename_noreplace(from, to) {
        Err(Errno::INVAL | Errno::NOSYS | Errno::NOTSUP) => {
            to.confirm(None)?;
            renameat(&from.folder, from.name, &to.folder, to.name).map_err(failed)
        }
        other => other.map_err(failed),
    }
}

#[cfg(any(target_os = "linux", target_vendor = "apple"))]
fn rename_noreplace(from: &Target<'_>, to: &Target<'_>) -> Result<(), Errno> {
    renameat_with(
        &from.folder,
        from.name,
        &to.folder,
        to.name,
        RenameFlags::NOREPLACE,
    )
}

#[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
fn rename_noreplace(_: &Target<'_>, _: &Target<'_>) -> Result<(), Errno> {
    Err(Errno::NOSYS)
}

/// Creates the folders of a path, name by name, never through a link.
pub(super) fn create_folders(door: BorrowedFd<'_>, parent: &Path) -> Result<OwnedFd, Errno> {
    let mut here = beneath::step(door, Path::new("."), FOLDER)?;
    for name in parent.components() {
        let name = Path::new(name.as_os_str());
        let next = match beneath::step(here.as_fd(), name, FOLDER) {
            Err(Errno::NOENT) => {
                match mkdirat(&here, name, Mode::from_raw_mode(0o777)) {
                    Ok(()) | Err(Errno::EXIST) => {}
                    Err(error) => return Err(error),
                }
                beneath::step(here.as_fd(), name, FOLDER)?
            }
            other => other?,
        };
        here = next;
    }
    Ok(here)
}
