//! Changes files: a temporary file beside the target, then a rename, both
//! through the handle of the parent folder. Whoever reads sees the old content
//! or the new one, never a part.
//!
//! The order is: look, compare with what the caller expects, make a file aside
//! (its mode is known only then), report to the journal, write it, look again,
//! rename. No fsync: the log is what must
//! survive a power cut, and a rename is never torn.

use super::beneath::{self, FOLDER};
use super::error::{Doing, JournalError, WorkspaceError};
use super::hash::sha256;
use super::path::Lexical;
use super::resolve::{Links, Place};
use super::target::{Found, Target, changed, create_folders, exists, keep_rights, move_to_free};
use super::{Attempt, OtherKind, Workspace};
use rustix::fd::OwnedFd;
use rustix::fs::{AtFlags, Mode, OFlags, fchmod, fstat, openat, renameat, unlinkat};
use rustix::io::Errno;
use std::ffi::OsStr;
use std::fs::{File, Permissions};
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::sync::atomic::Ordering;
use tenon_policy::Access;

/// Hidden from walks; only a killed process leaves one behind.
pub(super) const TEMPORARY: &str = ".tenon-tmp-";

/// One change, as the journal is told of it before it takes effect.
#[derive(Debug, Clone, Copy)]
pub struct Change<'a> {
    /// Normalised, as everywhere.
    pub path: &'a str,
    /// Permission bits before; `None` when there was no file.
    pub mode: Option<u32>,
    pub before: Option<&'a [u8]>,
    pub after: Option<&'a [u8]>,
    /// Permission bits after; `None` when there will be no file.
    pub after_mode: Option<u32>,
    /// Folders that were made for it, the outermost first.
    pub folders: &'a [MadeFolder],
}

/// A folder that was made for a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MadeFolder {
    /// As in [`Change::path`].
    pub path: String,
    /// Permission bits; none at all where they could not be looked at.
    pub mode: u32,
}

/// Keeps what a change destroys.
pub trait Journal: Send + Sync {
    /// Called before a change takes effect. An error stops the change. A change
    /// that was reported may still fail afterwards.
    ///
    /// # Errors
    /// When the content before could not be kept.
    fn changing(&self, change: &Change<'_>) -> Result<(), JournalError>;
}

/// What the caller believes to be there; checked again just before the change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Expect {
    Absent,
    /// The SHA-256 of the content.
    Content(String),
    Anything,
}

/// What a write did.
#[derive(Debug, Clone)]
pub struct Written {
    pub path: String,
    pub absolute: PathBuf,
    pub created: bool,
    /// False when the file held these bytes already; then nothing was touched.
    pub changed: bool,
    pub before: Option<Vec<u8>>,
    pub mode: u32,
    /// Of the new content.
    pub sha256: String,
}

#[derive(Debug, Clone)]
pub struct Removed {
    pub path: String,
    pub absolute: PathBuf,
    pub before: Vec<u8>,
    pub mode: u32,
}

#[derive(Debug, Clone)]
pub struct Renamed {
    pub from: String,
    pub to: String,
    pub absolute: PathBuf,
    pub bytes: Vec<u8>,
}

impl Workspace {
    /// Writes a whole file; creates missing folders; keeps the mode. A link
    /// inside the root is written through, never replaced.
    ///
    /// # Errors
    /// When the place may not be touched, the expectation fails, the journal
    /// refuses, or the system does. The old content is then still there.
    pub fn write(
        &self,
        path: &str,
        bytes: &[u8],
        expect: Expect,
    ) -> Result<Written, WorkspaceError> {
        self.settle(path, Access::Write, |place| {
            self.write_at(place, bytes, &expect, None)
        })
    }

    /// Writes a file back as it was: its content and its permission bits. It is
    /// never readable by more people than those bits say. Bits that lend rights
    /// (set-uid and its like) do not come back.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn restore(
        &self,
        path: &str,
        bytes: &[u8],
        mode: u32,
        expect: Expect,
    ) -> Result<Written, WorkspaceError> {
        let mode = mode & 0o777;
        let mut written = self.settle(path, Access::Write, |place| {
            self.write_at(place, bytes, &expect, Some(mode))
        })?;
        if written.mode != mode {
            let open = self.open_file(path)?;
            open.file
                .set_permissions(Permissions::from_mode(mode))
                .map_err(|error| WorkspaceError::io(Doing::Writing, &open.path, error))?;
            written.mode = mode;
            written.changed = true;
        }
        Ok(written)
    }

    /// Removes a regular file. A path that is a link is refused: whether the
    /// link or its target is meant cannot be known.
    ///
    /// # Errors
    /// As [`Self::write`].
    pub fn remove(&self, path: &str, expect: Expect) -> Result<Removed, WorkspaceError> {
        self.settle(path, Access::Write, |place| {
            self.refuse_link(path, place)?;
            let target = self.target(place, Parents::Keep)?;
            let Some(found) = target.look()? else {
                return Err(self.not_found(place).into());
            };
            check(&expect, Some(&found), &place.shown)?;
            self.about_to_change(&place.shown)?;
            self.report(place, Some(&found), None, &[])?;
            target.confirm(Some(&found))?;
            unlinkat(&target.folder, target.name, AtFlags::empty())
                .map_err(|e| Attempt::of(e, Doing::Removing, &place.shown))?;
            Ok(Removed {
                path: place.shown.clone(),
                absolute: place.absolute.clone(),
                mode: found.stat.st_mode & 0o7777,
                before: found.bytes,
            })
        })
    }

    /// Moves a regular file to a name that is free; creates missing folders.
    ///
    /// # Errors
    /// As [`Self::write`]; also when something stands at the new name.
    pub fn rename(&self, from: &str, to: &str) -> Result<Renamed, WorkspaceError> {
        self.settle(from, Access::Write, |source| {
            let result = self.settle(to, Access::Write, |place| {
                self.rename_at(from, source, place)
            });
            result.map_err(Attempt::Failed)
        })
    }

    fn rename_at(&self, from: &str, source: &Place, place: &Place) -> Result<Renamed, Attempt> {
        self.refuse_link(from, source)?;
        let origin = self.target(source, Parents::Keep)?;
        let Some(found) = origin.look()? else {
            return Err(self.not_found(source).into());
        };
        if place.found.is_some() {
            return Err(exists(&place.shown));
        }
        let missing = self.missing_folders(place);
        let target = self.target(place, Parents::Create)?;
        self.about_to_change(&place.shown)?;
        let folders = self.made_folders(place, missing);
        self.report(source, Some(&found), None, &[])?;
        let after = (found.bytes.as_slice(), found.stat.st_mode & 0o7777);
        self.report(place, None, Some(after), &folders)?;
        origin.confirm(Some(&found))?;
        move_to_free(&origin, &target)?;
        Ok(Renamed {
            from: source.shown.clone(),
            to: place.shown.clone(),
            absolute: place.absolute.clone(),
            bytes: found.bytes,
        })
    }

    fn write_at(
        &self,
        place: &Place,
        bytes: &[u8],
        expect: &Expect,
        wanted: Option<u32>,
    ) -> Result<Written, Attempt> {
        // An expectation that fails must not leave new folders behind.
        if place.found.is_none() {
            check(expect, None, &place.shown)?;
        }
        let missing = self.missing_folders(place);
        let target = self.target(place, Parents::Create)?;
        let folders = self.made_folders(place, missing);
        let found = target.look()?;
        check(expect, found.as_ref(), &place.shown)?;
        let differs = found.as_ref().is_none_or(|found| found.bytes != bytes);
        let mut mode = found.as_ref().map_or(0, |found| found.stat.st_mode);
        if differs {
            target.may_replace(found.as_ref())?;
            self.about_to_change(&place.shown)?;
            mode = self.replace(&target, found.as_ref(), bytes, wanted, |mode| {
                self.report(place, found.as_ref(), Some((bytes, mode)), &folders)
            })?;
        }
        Ok(Written {
            path: place.shown.clone(),
            absolute: place.absolute.clone(),
            created: found.is_none(),
            changed: differs,
            before: found.map(|found| found.bytes),
            mode: mode & 0o7777,
            sha256: sha256(bytes),
        })
    }

    fn report(
        &self,
        place: &Place,
        found: Option<&Found>,
        after: Option<(&[u8], u32)>,
        folders: &[MadeFolder],
    ) -> Result<(), WorkspaceError> {
        let Some(journal) = &self.journal else {
            return Ok(());
        };
        let change = Change {
            path: &place.shown,
            mode: found.map(|found| found.stat.st_mode & 0o7777),
            before: found.map(|found| found.bytes.as_slice()),
            after: after.map(|(bytes, _)| bytes),
            after_mode: after.map(|(_, mode)| mode),
            folders,
        };
        journal
            .changing(&change)
            .map_err(|source| WorkspaceError::Journal {
                path: place.shown.clone(),
                source,
            })
    }

    /// The folders above a place that are not there yet, the outermost first:
    /// each beneath the door and as it is shown.
    /// Only for the journal: a folder of the user must not be taken for ours.
    fn missing_folders<'a>(&self, place: &'a Place) -> Vec<(&'a Path, &'a Path)> {
        if self.journal.is_none() || place.found.is_some() {
            return Vec::new();
        }
        let mut missing: Vec<(&Path, &Path)> = place
            .relative
            .ancestors()
            .skip(1)
            .take_while(|folder| !folder.as_os_str().is_empty())
            .take_while(|folder| {
                beneath::open(self.resolution, place.door(), folder, FOLDER)
                    .is_err_and(|error| error == Errno::NOENT)
            })
            .zip(Path::new(&place.shown).ancestors().skip(1))
            .collect();
        missing.reverse();
        missing
    }

    /// The same folders when they are there, with what the umask left of their
    /// mode.
    fn made_folders(&self, place: &Place, missing: Vec<(&Path, &Path)>) -> Vec<MadeFolder> {
        let mode = |folder: &Path| {
            let handle = beneath::open(self.resolution, place.door(), folder, FOLDER);
            let stat = handle.and_then(fstat);
            stat.map_or(0, |stat| stat.st_mode & 0o7777)
        };
        let made = missing.into_iter().map(|(folder, shown)| MadeFolder {
            path: shown.to_string_lossy().into_owned(),
            mode: mode(folder),
        });
        made.collect()
    }

    fn refuse_link(&self, path: &str, place: &Place) -> Result<(), Attempt> {
        if place.links == Links::None {
            return Ok(());
        }
        let last = match self.lexical(path) {
            Ok(Lexical::Inside(relative)) => self.root().join(relative),
            Ok(Lexical::Outside(absolute)) => absolute,
            Err(error) => return Err(Attempt::Failed(error)),
        };
        if std::fs::symlink_metadata(last).is_ok_and(|found| found.file_type().is_symlink()) {
            return Err(Attempt::Failed(WorkspaceError::NotAFile {
                path: path.to_owned(),
                kind: OtherKind::Link,
            }));
        }
        Ok(())
    }

    /// The handle of the parent folder and the name in it.
    fn target<'a>(&self, place: &'a Place, parents: Parents) -> Result<Target<'a>, Attempt> {
        let Some(name) = place.relative.file_name() else {
            return Err(Attempt::Failed(WorkspaceError::NotAFile {
                path: place.shown.clone(),
                kind: OtherKind::Folder,
            }));
        };
        let parent = place.relative.parent().unwrap_or(Path::new(""));
        let folder = match beneath::open(self.resolution, place.door(), parent, FOLDER) {
            Ok(folder) => folder,
            Err(Errno::NOENT) if parents == Parents::Create => {
                self.about_to_change(&place.shown)?;
                create_folders(place.door(), parent)
                    .map_err(|e| Attempt::of(e, Doing::CreatingFolder, &place.shown))?
            }
            Err(Errno::NOENT) => return Err(self.not_found(place).into()),
            Err(error) => return Err(Attempt::of(error, Doing::CreatingFolder, &place.shown)),
        };
        Ok(Target {
            folder,
            name,
            shown: &place.shown,
        })
    }

    /// Puts `bytes` under the target's name; returns the mode of the new file.
    /// That is told to `report` before anything takes effect.
    fn replace(
        &self,
        target: &Target<'_>,
        found: Option<&Found>,
        bytes: &[u8],
        wanted: Option<u32>,
        report: impl FnOnce(u32) -> Result<(), WorkspaceError>,
    ) -> Result<u32, Attempt> {
        let failed = |e: Errno| Attempt::of(e, Doing::Writing, target.shown);
        let temporary = self.temporary(target, rights(found, wanted))?;
        let mut file = File::from(temporary.handle);
        let result = fstat(&file)
            .map_err(failed)
            .and_then(|new| {
                let kept = found.map_or(new.st_mode, |found| found.stat.st_mode);
                report(wanted.unwrap_or(kept) & 0o7777).map_err(Attempt::from)
            })
            .and_then(|()| {
                file.write_all(bytes)
                    .map_err(|e| WorkspaceError::io(Doing::Writing, target.shown, e).into())
            })
            .and_then(|()| keep_rights(&file, found).map_err(failed))
            .and_then(|mode| match wanted {
                Some(wanted) => fchmod(&file, Mode::from_raw_mode(wanted))
                    .map(|()| wanted)
                    .map_err(failed),
                None => Ok(mode),
            })
            .and_then(|mode| target.confirm(found).map(|()| mode))
            .and_then(|mode| {
                let aside = Target {
                    folder: target.folder.try_clone().map_err(|e| {
                        Attempt::Failed(WorkspaceError::io(Doing::Writing, target.shown, e))
                    })?,
                    name: OsStr::new(&temporary.name),
                    shown: target.shown,
                };
                match found {
                    None => move_to_free(&aside, target),
                    Some(_) => renameat(&aside.folder, aside.name, &target.folder, target.name)
                        .map_err(failed),
                }?;
                Ok(mode)
            });
        if result.is_err() {
            // Nothing more can be done if even this fails; the name is hidden
            // from every walk.
            let _ = unlinkat(&target.folder, &temporary.name, AtFlags::empty());
        }
        result
    }

    pub(super) fn temporary(&self, target: &Target<'_>, mode: u32) -> Result<Temporary, Attempt> {
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let clock = std::time::SystemTime::now()
            .duration_since(std::time::UNIX_EPOCH)
            .map_or(0, |since| since.subsec_nanos());
        loop {
            let number = self.shared.temporary.fetch_add(1, Ordering::Relaxed);
            let name = format!("{TEMPORARY}{}-{number}-{clock:08x}", std::process::id());
            match openat(&target.folder, &name, flags, Mode::from_raw_mode(mode)) {
                Ok(handle) => return Ok(Temporary { handle, name }),
                Err(Errno::EXIST) => {}
                Err(error) => return Err(Attempt::of(error, Doing::Writing, target.shown)),
            }
        }
    }
}

/// A new file gets what the umask leaves; one whose mode is known gets it later,
/// and until then nobody else may look.
fn rights(found: Option<&Found>, wanted: Option<u32>) -> u32 {
    match (found, wanted) {
        (None, None) => 0o666,
        _ => 0o600,
    }
}

pub(super) struct Temporary {
    pub(super) handle: OwnedFd,
    pub(super) name: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Parents {
    Create,
    Keep,
}

fn check(expect: &Expect, found: Option<&Found>, path: &str) -> Result<(), Attempt> {
    match (expect, found) {
        (Expect::Anything, _) | (Expect::Absent, None) => Ok(()),
        (Expect::Absent, Some(_)) => Err(exists(path)),
        (Expect::Content(hash), Some(found)) if sha256(&found.bytes) == *hash => Ok(()),
        (Expect::Content(_), _) => Err(changed(path)),
    }
}
