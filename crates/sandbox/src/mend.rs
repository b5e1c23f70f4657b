//! Puts one watched path back as it was. The hands of `guard`, which says what
//! is watched and when.
//!
//! The command may still run, or have left links where folders were. So every
//! step goes from handle to handle and follows no link, and what appeared is
//! set aside under another name, never deleted.

use crate::guard::{Before, Care, Kept, MAX_FILE, Watched};
use crate::repair::{Repair, RepairEffect};
use crate::step::{identity, look, names, open_folder, read_file, read_link};
use rustix::fs::{AtFlags, CWD, FileType, Mode, OFlags, RenameFlags, Stat};
use rustix::io::Errno;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

pub(crate) struct Mender<'a> {
    pub(crate) watched: &'a Watched,
    /// How many things got another name so far.
    pub(crate) set_aside: &'a mut u32,
    pub(crate) told: &'a mut Vec<Repair>,
}

impl Mender<'_> {
    pub(crate) fn run(&mut self) -> io::Result<()> {
        let Some((last, above)) = self.watched.below.split_last() else {
            return Ok(());
        };
        let mut folder = open_folder(CWD, self.watched.base.as_os_str())?;
        for (index, name) in above.iter().enumerate() {
            folder = match open_folder(folder.as_fd(), name) {
                Ok(next) => next,
                Err(error) if error.kind() == io::ErrorKind::NotFound => {
                    let missed = self.watched.care == Care::Protected;
                    if missed && self.watched.before != Before::Missing {
                        self.tell(
                            RepairEffect::Left,
                            &[],
                            "was removed together with its folder by the command",
                        );
                    }
                    return Ok(());
                }
                Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                    self.reopen(folder.as_fd(), name)?
                }
                // A link or a file where a folder was or could have been.
                Err(_) => {
                    // It is told by its own name, not by that of what is watched.
                    let watched = Watched {
                        care: self.watched.care,
                        base: self.watched.base.clone(),
                        below: above.iter().take(index + 1).cloned().collect(),
                        before: Before::Missing,
                    };
                    let mut there = Mender {
                        watched: &watched,
                        set_aside: &mut *self.set_aside,
                        told: &mut *self.told,
                    };
                    return there.put_aside(folder.as_fd(), folder.as_fd(), name, &[]);
                }
            };
        }
        let folder = folder.as_fd();
        self.mend(folder, folder, last, &self.watched.before, &mut Vec::new())
    }

    /// A second time when the command took the right to write from one of the
    /// two folders.
    fn mend(
        &mut self,
        top: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        before: &Before,
        way: &mut Vec<OsString>,
    ) -> io::Result<()> {
        match self.mend_once(top, folder, name, before, way) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                unlock(top)?;
                unlock(folder)?;
                self.mend_once(top, folder, name, before, way)
            }
            done => done,
        }
    }

    /// `top` is the folder that holds the watched path: what does not belong
    /// into a protected folder goes there, under another name.
    fn mend_once(
        &mut self,
        top: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        before: &Before,
        way: &mut Vec<OsString>,
    ) -> io::Result<()> {
        let now = match look(folder, name) {
            Ok(facts) => Some(facts),
            Err(Errno::NOENT) => None,
            Err(error) => return Err(error.into()),
        };
        match (before, now) {
            (Before::Missing, None) => Ok(()),
            (Before::Missing, Some(_)) => self.put_aside(top, folder, name, way),
            (Before::Known(known), now) => {
                if now.as_ref().map(identity) != Some(*known) {
                    self.tell(
                        RepairEffect::Left,
                        way,
                        "was changed by the command and is too large to restore",
                    );
                }
                Ok(())
            }
            (Before::Link(target), now) => {
                if now.is_some() && read_link(folder, name).is_ok_and(|own| own == *target) {
                    return Ok(());
                }
                if now.is_some() {
                    self.put_aside(top, folder, name, way)?;
                }
                rustix::fs::symlinkat(target, folder, name)?;
                self.tell(
                    RepairEffect::Undone,
                    way,
                    "was changed by the command and has been restored",
                );
                Ok(())
            }
            (Before::File(kept), now) => self.mend_file(top, folder, name, kept, now, way),
            (Before::Folder(entries), now) => {
                if now.is_none_or(|facts| {
                    FileType::from_raw_mode(facts.st_mode) != FileType::Directory
                }) {
                    if now.is_some() {
                        self.put_aside(top, folder, name, way)?;
                    }
                    rustix::fs::mkdirat(folder, name, Mode::from_raw_mode(0o755))?;
                }
                self.mend_folder(top, folder, name, entries, way)
            }
        }
    }

    fn mend_folder(
        &mut self,
        top: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        entries: &BTreeMap<OsString, Before>,
        way: &mut Vec<OsString>,
    ) -> io::Result<()> {
        let handle = match open_folder(folder, name) {
            Err(error) if error.kind() == io::ErrorKind::PermissionDenied => {
                self.reopen(folder, name)?
            }
            other => other?,
        };
        for name in names(&handle)? {
            if !entries.contains_key(&name) {
                way.push(name.clone());
                let done = self.put_aside(top, handle.as_fd(), &name, way);
                way.pop();
                done?;
            }
        }
        for (name, before) in entries {
            way.push(name.clone());
            let done = self.mend(top, handle.as_fd(), name, before, way);
            way.pop();
            done?;
        }
        Ok(())
    }

    /// A folder that the command closed behind itself.
    fn reopen(&mut self, folder: BorrowedFd<'_>, name: &OsStr) -> io::Result<OwnedFd> {
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let handle = rustix::fs::openat(folder, name, flags, Mode::empty())?;
        let mode = rustix::fs::fstat(&handle)?.st_mode & 0o7777 | 0o700;
        // By the handle: the name may be another's by now.
        let own = format!("/proc/self/fd/{}", handle.as_raw_fd());
        rustix::fs::chmod(own, Mode::from_raw_mode(mode))?;
        let opened = open_folder(&handle, OsStr::new("."))?;
        self.tell(
            RepairEffect::Left,
            &[],
            "was made inaccessible by the command and has been opened again",
        );
        Ok(opened)
    }

    fn mend_file(
        &mut self,
        top: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        kept: &Kept,
        now: Option<Stat>,
        way: &[OsString],
    ) -> io::Result<()> {
        let is_file = now
            .as_ref()
            .is_some_and(|facts| FileType::from_raw_mode(facts.st_mode) == FileType::RegularFile);
        let has_mode = now.is_some_and(|facts| facts.st_mode & 0o7777 == kept.mode);
        if is_file
            && has_mode
            && read_file(folder, name, MAX_FILE).is_ok_and(|bytes| bytes == kept.bytes)
        {
            return Ok(());
        }
        if now.is_some() && !is_file {
            self.put_aside(top, folder, name, way)?;
        }
        // It may be a person's own change.
        let aside = match self.watched.care {
            Care::Guarded if is_file => self.move_aside(top, folder, name)?,
            Care::Guarded | Care::Protected => None,
        };
        write_file(folder, name, kept)?;
        match aside {
            Some(aside) => self.tell(
                RepairEffect::Undone,
                way,
                &format!(
                    "was changed while a command ran and has been restored; the changed version \
                     is `{aside}`"
                ),
            ),
            None => self.tell(
                RepairEffect::Undone,
                way,
                "was changed by the command and has been restored",
            ),
        }
        Ok(())
    }

    fn put_aside(
        &mut self,
        top: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
        way: &[OsString],
    ) -> io::Result<()> {
        if let Some(aside) = self.move_aside(top, folder, name)? {
            self.tell(
                RepairEffect::Undone,
                way,
                &format!("appeared while a command ran and was moved to `{aside}`"),
            );
        }
        Ok(())
    }

    /// Gives the new name; `None` when there is nothing any more.
    fn move_aside(
        &mut self,
        top: BorrowedFd<'_>,
        folder: BorrowedFd<'_>,
        name: &OsStr,
    ) -> io::Result<Option<String>> {
        loop {
            *self.set_aside += 1;
            let mut aside = name.to_owned();
            aside.push(format!(
                ".set-aside-{}-{}",
                std::process::id(),
                self.set_aside
            ));
            match rustix::fs::renameat_with(folder, name, top, &aside, RenameFlags::NOREPLACE) {
                Ok(()) => return Ok(Some(self.beside(&aside))),
                Err(Errno::EXIST) => {}
                Err(Errno::NOENT) => return Ok(None),
                Err(error) => return Err(error.into()),
            }
        }
    }

    fn tell(&mut self, effect: RepairEffect, way: &[OsString], what: &str) {
        let name = self.name(way);
        let text = format!("`{name}` is protected: it {what}");
        self.told.push(Repair { text, effect });
    }

    /// The new name of what was set aside, whole: whoever misses it looks for it.
    fn beside(&self, aside: &OsStr) -> String {
        let mut path = self.watched.base.clone();
        let above = self.watched.below.len().saturating_sub(1);
        path.extend(self.watched.below.iter().take(above));
        path.push(aside);
        path.display().to_string()
    }

    fn name(&self, way: &[OsString]) -> String {
        let mut path = self.watched.base.clone();
        path.extend(&self.watched.below);
        path.extend(way);
        path.display().to_string()
    }

    pub(crate) fn could_not(&mut self, error: &io::Error) {
        let path = self.name(&[]);
        self.told.push(Repair::left(format!(
            "`{path}` is protected, but it could not be checked: {error}"
        )));
    }
}

pub(crate) fn unlock(folder: BorrowedFd<'_>) -> io::Result<()> {
    let mode = rustix::fs::fstat(folder)?.st_mode & 0o7777;
    if mode & 0o700 != 0o700 {
        rustix::fs::fchmod(folder, Mode::from_raw_mode(mode | 0o700))?;
    }
    Ok(())
}

/// Beside it first, then in its place: whoever reads sees the one or the other.
pub(crate) fn write_file(folder: BorrowedFd<'_>, name: &OsStr, kept: &Kept) -> io::Result<()> {
    let mut beside = OsString::from(".");
    beside.push(name);
    beside.push(format!(".restored-{}", std::process::id()));
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let file = rustix::fs::openat(folder, &beside, flags, Mode::from_raw_mode(0o600))?;
    let file = std::fs::File::from(file);
    let written = io::Write::write_all(&mut &file, &kept.bytes).and_then(|()| {
        let (user, group) = kept.owner;
        // Only root can, and only for root it matters.
        let _ = std::os::unix::fs::fchown(&file, Some(user), Some(group));
        rustix::fs::fchmod(&file, Mode::from_raw_mode(kept.mode))?;
        rustix::fs::renameat(folder, &beside, folder, name)?;
        Ok(())
    });
    if written.is_err() {
        let _ = rustix::fs::unlinkat(folder, &beside, AtFlags::empty());
    }
    written
}
