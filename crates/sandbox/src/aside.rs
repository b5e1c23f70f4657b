//! What Tenon itself does in a folder that commands may write: it looks at
//! what a command has made there, and takes what steers programs out of their
//! reach. By the same rules as [`crate::mend`]: from handle to handle, no link
//! is followed, and nothing is deleted.

use crate::guard::{Kept, MAX_FILE};
use crate::mend::{unlock, write_file};
use crate::step::{look, names, open_folder, read_file};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags};
use rustix::io::Errno;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Component, Path, PathBuf};

/// What stands at a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Standing {
    Nothing,
    Folder(Vec<OsString>),
    File(Vec<u8>),
    /// A link, a device, or a file that is too large to be read.
    Other,
}

/// A folder that no command can replace, and what is done below it.
#[derive(Debug, Clone, Copy)]
pub struct Below<'a> {
    base: &'a Path,
}

impl<'a> Below<'a> {
    #[must_use]
    pub fn new(base: &'a Path) -> Self {
        Self { base }
    }

    /// Looks at a path and follows no link on the way.
    ///
    /// # Errors
    /// When the way cannot be gone: a link or a file stands on it, or a folder
    /// is closed.
    pub fn look(&self, below: &Path) -> io::Result<Standing> {
        let (folder, name) = match self.reach(below) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Standing::Nothing),
            Err(error) => return Err(error),
        };
        let facts = match look(folder.as_fd(), &name) {
            Ok(facts) => facts,
            Err(Errno::NOENT) => return Ok(Standing::Nothing),
            Err(error) => return Err(error.into()),
        };
        match FileType::from_raw_mode(facts.st_mode) {
            FileType::Directory => Ok(Standing::Folder(names(&open_folder(&folder, &name)?)?)),
            FileType::RegularFile => {
                let bytes = read_file(folder.as_fd(), &name, MAX_FILE)?;
                let is_whole = u64::try_from(bytes.len()).is_ok_and(|length| length <= MAX_FILE);
                Ok(if is_whole {
                    Standing::File(bytes)
                } else {
                    Standing::Other
                })
            }
            _ => Ok(Standing::Other),
        }
    }

    /// Gives what stands at a path another name in the same folder, and says
    /// which; `None` when there is nothing.
    ///
    /// # Errors
    /// When it cannot be moved.
    pub fn set_aside(&self, below: &Path) -> io::Result<Option<PathBuf>> {
        let (folder, name) = match self.reach(below) {
            Ok(found) => found,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let done = match rename(&folder, &name) {
            Err(Errno::ACCESS | Errno::PERM) => {
                unlock(folder.as_fd())?;
                rename(&folder, &name)
            }
            done => done,
        };
        Ok(done?.map(|aside| self.base.join(below).with_file_name(aside)))
    }

    /// Sets a file aside and puts another content in its place, with its rights
    /// and its owner. Gives the new name of the old one.
    ///
    /// # Errors
    /// When it cannot be moved or written.
    pub fn replace(&self, below: &Path, bytes: Vec<u8>) -> io::Result<Option<PathBuf>> {
        let (folder, name) = self.reach(below)?;
        let facts = look(folder.as_fd(), &name)?;
        let kept = Kept {
            bytes,
            mode: facts.st_mode & 0o777,
            owner: (facts.st_uid, facts.st_gid),
        };
        let aside = self.set_aside(below)?;
        write_file(folder.as_fd(), &name, &kept)?;
        Ok(aside)
    }

    /// Copies a file into a new folder of this name beside it, with its rights
    /// and its owner. Gives the path of the copy.
    ///
    /// # Errors
    /// When there is something of that name, or no such file.
    pub fn copy(&self, file: &Path, folder: &str, bytes: &[u8]) -> io::Result<PathBuf> {
        let (above, name) = self.reach(file)?;
        let facts = look(above.as_fd(), &name)?;
        rustix::fs::mkdirat(&above, folder, Mode::from_raw_mode(0o700))?;
        let inner = open_folder(&above, OsStr::new(folder))?;
        let (user, group) = (facts.st_uid, facts.st_gid);
        // Only root can, and only for root it matters.
        let _ = std::os::unix::fs::fchown(&inner, Some(user), Some(group));
        let kept = Kept {
            bytes: bytes.to_vec(),
            mode: facts.st_mode & 0o777,
            owner: (user, group),
        };
        write_file(inner.as_fd(), &name, &kept)?;
        Ok(self.base.join(file).with_file_name(folder).join(name))
    }

    /// Removes what [`Below::copy`] made. What else lies there keeps the folder.
    pub fn remove_copy(&self, copy: &Path) {
        let Ok((inner, name)) = self.reach(copy) else {
            return;
        };
        let _ = rustix::fs::unlinkat(&inner, &name, AtFlags::empty());
        if let Some(folder) = copy.parent()
            && let Ok((above, folder)) = self.reach(folder)
        {
            let _ = rustix::fs::unlinkat(&above, &folder, AtFlags::REMOVEDIR);
        }
    }

    /// Writes into a file that stands there: it stays the same file, so that
    /// mounts over it in the walls of other commands stay, too. `lock` is the
    /// name of a file beside it that keeps others from writing meanwhile.
    ///
    /// # Errors
    /// When the lock is taken or the file cannot be written.
    pub fn write_locked(&self, below: &Path, lock: &str, bytes: &[u8]) -> io::Result<()> {
        let (folder, name) = self.reach(below)?;
        let new = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::CLOEXEC;
        rustix::fs::openat(&folder, lock, new, Mode::from_raw_mode(0o600))?;
        let flags = OFlags::WRONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let written = rustix::fs::openat(&folder, &name, flags, Mode::empty())
            .map_err(io::Error::from)
            .and_then(|file| {
                let mut file = std::fs::File::from(file);
                if !file.metadata()?.is_file() {
                    return Err(Errno::INVAL.into());
                }
                io::Write::write_all(&mut file, bytes)?;
                file.set_len(u64::try_from(bytes.len()).unwrap_or(u64::MAX))
            });
        let _ = rustix::fs::unlinkat(&folder, lock, AtFlags::empty());
        written
    }

    /// The folder that a path lies in, and its last name.
    fn reach(&self, below: &Path) -> io::Result<(OwnedFd, OsString)> {
        let mut names = Vec::new();
        for part in below.components() {
            match part {
                Component::Normal(name) => names.push(name),
                _ => return Err(Errno::INVAL.into()),
            }
        }
        let (last, above) = names.split_last().ok_or(Errno::INVAL)?;
        let mut folder = open_folder(CWD, self.base.as_os_str())?;
        for name in above {
            folder = open_folder(&folder, name)?;
        }
        Ok((folder, (*last).to_owned()))
    }
}

fn rename(folder: &OwnedFd, name: &OsStr) -> Result<Option<OsString>, Errno> {
    for count in 1_u32.. {
        let mut aside = name.to_owned();
        aside.push(format!(".set-aside-{}-{count}", std::process::id()));
        match rustix::fs::renameat_with(folder, name, folder, &aside, RenameFlags::NOREPLACE) {
            Ok(()) => return Ok(Some(aside)),
            Err(Errno::EXIST) => {}
            Err(Errno::NOENT) => return Ok(None),
            Err(error) => return Err(error),
        }
    }
    Err(Errno::EXIST)
}
