//! What stands at a path, and how something else comes to stand there: for
//! taking changes back. It touches only what is beneath the root, follows no
//! link anywhere, and acts only while what it saw is still there.
//!
//! It reports to no journal: whoever takes back keeps what it takes away.

use super::beneath::{self, CONTENT, FOLDER, LOOK};
use super::error::{Doing, WorkspaceError};
use super::hash::sha256;
use super::read::{READ_CAP, read_capped};
use super::resolve::file_type;
use super::scan::Stamp;
use super::target::{Target, changed, create_folders, exists, move_to_free, same};
use super::{Attempt, Workspace};
use rustix::fd::{AsFd, OwnedFd};
use rustix::fs::{
    AtFlags, FileType, Mode, Stat, fchmod, fstat, mkdirat, readlinkat, renameat, statat, symlinkat,
    unlinkat,
};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::File;
use std::io::Write as _;
use std::os::unix::ffi::OsStrExt as _;
use std::path::{Component, Path};
use std::time::SystemTime;
use tenon_vocab::FileMark;

/// What there is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Absent,
    File {
        bytes: Vec<u8>,
        sha256: String,
        /// Permission bits.
        mode: u32,
    },
    /// A link and the path that it names.
    Link {
        target: Vec<u8>,
        sha256: String,
    },
    Folder {
        mode: u32,
    },
    /// A file that is not taken into memory.
    Large {
        size: u64,
    },
    /// A pipe, a socket, a device.
    Other,
}

/// What stands at a path, with what is needed to see that it still does.
#[derive(Debug)]
pub struct Stand {
    pub standing: Standing,
    stat: Option<Stat>,
}

/// What shall stand there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Wanted<'a> {
    Absent,
    /// Bits that lend rights (set-uid and its like) do not come back.
    File {
        bytes: &'a [u8],
        mode: Option<u32>,
    },
    Link {
        target: &'a [u8],
    },
    Folder {
        mode: u32,
    },
}

impl Workspace {
    /// What stands at a path of the project, the path's own last name.
    ///
    /// # Errors
    /// When the path leads outside or through a link, or it cannot be read.
    pub fn stand(&self, path: &str) -> Result<Stand, WorkspaceError> {
        let (door, relative) = self.held(path);
        let (parent, name) = parts(&relative, path)?;
        let folder = match beneath::open(self.resolution, door.as_fd(), parent, FOLDER) {
            Ok(folder) => folder,
            // Nothing can stand below what is no folder.
            Err(Errno::NOENT | Errno::NOTDIR) => return Ok(Stand::nothing()),
            Err(error) => return Err(refused(error, path)),
        };
        look(&folder, name, path)
    }

    /// Opens a plain file of the project for reading; `None` when it is gone or
    /// something else by now. Never waits for a pipe.
    #[must_use]
    pub fn open_plain(&self, path: &str) -> Option<File> {
        let (door, relative) = self.held(path);
        let handle = beneath::open(self.resolution, door.as_fd(), &relative, CONTENT).ok()?;
        let file = File::from(handle);
        file.metadata().ok()?.is_file().then_some(file)
    }

    /// When what stands there was made, where the file system tells.
    #[must_use]
    pub fn born(&self, path: &str) -> Option<SystemTime> {
        let (door, relative) = self.held(path);
        let handle = beneath::open(self.resolution, door.as_fd(), &relative, LOOK).ok()?;
        File::from(handle).metadata().ok()?.created().ok()
    }

    /// Which plain file stands there; `None` when it is none. Reads nothing of it.
    #[must_use]
    pub fn stamp(&self, path: &str) -> Option<Stamp> {
        let (door, relative) = self.held(path);
        let (parent, name) = parts(&relative, path).ok()?;
        let folder = beneath::open(self.resolution, door.as_fd(), parent, FOLDER).ok()?;
        stamp(&folder, name)
    }

    /// Which folder stands there; `None` when it is none. Lists nothing of it.
    #[must_use]
    pub fn folder_stamp(&self, path: &str) -> Option<Stamp> {
        let (door, relative) = self.held(path);
        let folder = beneath::open(self.resolution, door.as_fd(), &relative, FOLDER).ok()?;
        let metadata = File::from(folder).metadata().ok()?;
        Some(Stamp::of(&metadata))
    }

    /// Moves a plain file to a name that is free; makes missing folders.
    ///
    /// # Errors
    /// When another file stands there by now, the new name is taken, or the
    /// system does not do it. Then nothing was moved.
    pub fn move_back(&self, from: &str, mark: &FileMark, to: &str) -> Result<(), WorkspaceError> {
        let (door, relative) = self.held(from);
        let (source, name) = parts(&relative, from)?;
        let origin = Target {
            folder: beneath::open(self.resolution, door.as_fd(), source, FOLDER)
                .map_err(|error| refused(error, from))?,
            name,
            shown: from,
        };
        let (door, relative) = self.held(to);
        let (parent, name) = parts(&relative, to)?;
        let folder = match beneath::open(self.resolution, door.as_fd(), parent, FOLDER) {
            Err(Errno::NOENT) => create_folders(door.as_fd(), parent),
            other => other,
        };
        let target = Target {
            folder: folder.map_err(|error| refused(error, to))?,
            name,
            shown: to,
        };
        let moved = match stamp(&origin.folder, origin.name) {
            Some(now) if now.mark() == *mark => move_to_free(&origin, &target),
            _ => Err(changed(from)),
        };
        moved.map_err(|attempt| match attempt {
            Attempt::Failed(error) => error,
            Attempt::Moved => refused(Errno::LOOP, from),
        })
    }

    /// The path that a link names; `None` when it is none.
    #[must_use]
    pub fn link_target(&self, path: &str) -> Option<Vec<u8>> {
        match self.stand(path).ok()?.standing {
            Standing::Link { target, .. } => Some(target),
            _ => None,
        }
    }

    /// Puts something else in the place of what was seen there.
    ///
    /// # Errors
    /// When something else stands there by now, a folder is not empty, or the
    /// system does not do it. Then what stood there is still there.
    pub fn put_back(
        &self,
        path: &str,
        seen: &Stand,
        wanted: &Wanted<'_>,
    ) -> Result<(), WorkspaceError> {
        let (door, relative) = self.held(path);
        let (parent, name) = parts(&relative, path)?;
        let folder = match beneath::open(self.resolution, door.as_fd(), parent, FOLDER) {
            Ok(folder) => folder,
            Err(Errno::NOENT) if *wanted == Wanted::Absent => return Ok(()),
            Err(Errno::NOENT) => {
                create_folders(door.as_fd(), parent).map_err(|error| refused(error, path))?
            }
            Err(error) => return Err(refused(error, path)),
        };
        let target = Target {
            folder,
            name,
            shown: path,
        };
        seen.still_there(&target)?;
        let done = match wanted {
            Wanted::Absent => take_away(&target, seen),
            Wanted::Folder { mode } => make_folder(&target, seen, *mode),
            Wanted::Link { target: text } => self.put_link(&target, seen, text),
            Wanted::File { bytes, mode } => self.put_file(&target, seen, bytes, *mode),
        };
        done.map_err(|attempt| match attempt {
            Attempt::Failed(error) => error,
            Attempt::Moved => refused(Errno::LOOP, path),
        })
    }

    fn put_file(
        &self,
        target: &Target<'_>,
        seen: &Stand,
        bytes: &[u8],
        mode: Option<u32>,
    ) -> Result<(), Attempt> {
        let failed = |e: Errno| Attempt::of(e, Doing::Writing, target.shown);
        if let (Standing::File { bytes: there, .. }, Some(mode)) = (&seen.standing, mode)
            && there == bytes
        {
            return set_mode(target, mode & 0o777);
        }
        let temporary = self.temporary(target, mode.map_or(0o666, |_| 0o600))?;
        let mut file = File::from(temporary.handle);
        let put = file
            .write_all(bytes)
            .map_err(|e| Attempt::from(WorkspaceError::io(Doing::Writing, target.shown, e)))
            .and_then(|()| match mode {
                Some(mode) => fchmod(&file, Mode::from_raw_mode(mode & 0o777)).map_err(failed),
                None => Ok(()),
            })
            .and_then(|()| exchange(target, seen, &temporary.name));
        if put.is_err() {
            let _ = unlinkat(&target.folder, &temporary.name, AtFlags::empty());
        }
        put
    }

    fn put_link(&self, target: &Target<'_>, seen: &Stand, text: &[u8]) -> Result<(), Attempt> {
        let failed = |e: Errno| Attempt::of(e, Doing::Writing, target.shown);
        // A name that is surely free: made, and given up again.
        let temporary = self.temporary(target, 0o600)?;
        let name = temporary.name;
        unlinkat(&target.folder, &name, AtFlags::empty()).map_err(failed)?;
        symlinkat(OsStr::from_bytes(text), &target.folder, &name).map_err(failed)?;
        let put = exchange(target, seen, &name);
        if put.is_err() {
            let _ = unlinkat(&target.folder, &name, AtFlags::empty());
        }
        put
    }
}

impl Stand {
    fn nothing() -> Self {
        Self {
            standing: Standing::Absent,
            stat: None,
        }
    }

    fn still_there(&self, target: &Target<'_>) -> Result<(), WorkspaceError> {
        let now = match statat(&target.folder, target.name, AtFlags::SYMLINK_NOFOLLOW) {
            Ok(stat) => Some(stat),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(refused(error, target.shown)),
        };
        let is_same = match (&self.stat, &now) {
            (None, None) => true,
            // What a folder holds may have gone meanwhile, by us.
            (Some(seen), Some(now)) if is_folder(seen) => {
                is_folder(now) && seen.st_ino == now.st_ino
            }
            (Some(seen), Some(now)) => same(seen, now),
            _ => false,
        };
        if is_same {
            return Ok(());
        }
        let attempt = match now {
            Some(_) if self.stat.is_none() => exists(target.shown),
            _ => changed(target.shown),
        };
        match attempt {
            Attempt::Failed(error) => Err(error),
            Attempt::Moved => Err(refused(Errno::LOOP, target.shown)),
        }
    }
}

fn is_folder(stat: &Stat) -> bool {
    file_type(stat) == FileType::Directory
}

fn look(folder: &OwnedFd, name: &OsStr, path: &str) -> Result<Stand, WorkspaceError> {
    let stat = match statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) {
        Ok(stat) => stat,
        Err(Errno::NOENT) => return Ok(Stand::nothing()),
        Err(error) => return Err(refused(error, path)),
    };
    let size = u64::try_from(stat.st_size).unwrap_or(0);
    let standing = match file_type(&stat) {
        FileType::Directory => Standing::Folder {
            mode: stat.st_mode & 0o7777,
        },
        FileType::Symlink => {
            let target = readlinkat(folder, name, Vec::new())
                .map_err(|error| refused(error, path))?
                .into_bytes();
            Standing::Link {
                sha256: sha256(&target),
                target,
            }
        }
        FileType::RegularFile if size > READ_CAP => Standing::Large { size },
        FileType::RegularFile => {
            let handle = beneath::step(folder.as_fd(), Path::new(name), CONTENT)
                .map_err(|error| refused(error, path))?;
            let now = fstat(&handle).map_err(|error| refused(error, path))?;
            if !same(&stat, &now) {
                return Err(match changed(path) {
                    Attempt::Failed(error) => error,
                    Attempt::Moved => refused(Errno::LOOP, path),
                });
            }
            let bytes = read_capped(&File::from(handle), size, path)?;
            Standing::File {
                sha256: sha256(&bytes),
                bytes,
                mode: stat.st_mode & 0o7777,
            }
        }
        _ => Standing::Other,
    };
    Ok(Stand {
        standing,
        stat: Some(stat),
    })
}

fn stamp(folder: &OwnedFd, name: &OsStr) -> Option<Stamp> {
    let handle = beneath::step(folder.as_fd(), Path::new(name), LOOK).ok()?;
    let metadata = File::from(handle).metadata().ok()?;
    metadata.is_file().then(|| Stamp::of(&metadata))
}

/// The folder that holds a path, and its name there. Only names, beneath the
/// root: no `..`, nothing absolute.
fn parts<'p>(whole: &'p Path, path: &str) -> Result<(&'p Path, &'p OsStr), WorkspaceError> {
    let names_only = whole
        .components()
        .all(|part| matches!(part, Component::Normal(_)));
    match (whole.parent(), whole.file_name()) {
        (Some(parent), Some(name)) if names_only => Ok((parent, name)),
        _ => Err(WorkspaceError::io(
            Doing::Resolving,
            path,
            std::io::Error::other("it is not below the root"),
        )),
    }
}

fn refused(errno: Errno, path: &str) -> WorkspaceError {
    match errno {
        Errno::LOOP => WorkspaceError::io(
            Doing::Resolving,
            path,
            std::io::Error::other("there is a link on the way"),
        ),
        other => WorkspaceError::io(Doing::Resolving, path, other),
    }
}

fn take_away(target: &Target<'_>, seen: &Stand) -> Result<(), Attempt> {
    let flags = match seen.standing {
        Standing::Absent => return Ok(()),
        Standing::Folder { .. } => AtFlags::REMOVEDIR,
        _ => AtFlags::empty(),
    };
    unlinkat(&target.folder, target.name, flags)
        .map_err(|e| Attempt::of(e, Doing::Removing, target.shown))
}

fn make_folder(target: &Target<'_>, seen: &Stand, mode: u32) -> Result<(), Attempt> {
    let failed = |e: Errno| Attempt::of(e, Doing::CreatingFolder, target.shown);
    match seen.standing {
        Standing::Absent => {}
        Standing::Folder { .. } => return set_mode(target, mode & 0o1777),
        _ => take_away(target, seen)?,
    }
    mkdirat(&target.folder, target.name, Mode::from_raw_mode(0o700)).map_err(failed)?;
    set_mode(target, mode & 0o1777)
}

fn set_mode(target: &Target<'_>, mode: u32) -> Result<(), Attempt> {
    let failed = |e: Errno| Attempt::of(e, Doing::Writing, target.shown);
    // A handle that may be changed; the name itself could be swapped for a link.
    match beneath::step(target.folder.as_fd(), Path::new(target.name), CONTENT) {
        Ok(handle) => fchmod(&handle, Mode::from_raw_mode(mode)).map_err(failed),
        // It may not be read even by its owner: by name, after a look.
        Err(Errno::ACCESS) => rustix::fs::chmodat(
            &target.folder,
            target.name,
            Mode::from_raw_mode(mode),
            AtFlags::SYMLINK_NOFOLLOW,
        )
        .map_err(failed),
        Err(error) => Err(failed(error)),
    }
}

/// Puts what was written aside in the place of what was seen.
fn exchange(target: &Target<'_>, seen: &Stand, aside: &str) -> Result<(), Attempt> {
    let failed = |e: Errno| Attempt::of(e, Doing::Writing, target.shown);
    seen.still_there(target)?;
    match seen.standing {
        Standing::Absent => {
            let aside = Target {
                folder: target
                    .folder
                    .try_clone()
                    .map_err(|e| WorkspaceError::io(Doing::Writing, target.shown, e))?,
                name: OsStr::new(aside),
                shown: target.shown,
            };
            move_to_free(&aside, target)
        }
        Standing::Folder { .. } => {
            take_away(target, seen)?;
            renameat(&target.folder, aside, &target.folder, target.name).map_err(failed)
        }
        _ => renameat(&target.folder, aside, &target.folder, target.name).map_err(failed),
    }
}
