//! The first wall, built from inside a new mount namespace: everything
//! read-only, the writable folders writable again, protected paths read-only
//! again in them, private ones empty, hidden ones covered by something empty,
//! and a `/proc`, a `/dev/shm` and a `/dev/pts` of the command's own.
//!
//! Paths are opened without following any link: they were resolved before, and
//! a link that appears meanwhile is somebody's trick and stops the command.

use crate::places::{Places, Treatment};
use crate::walls::{OwnCopy, Private};
use crate::{private, raw};
use rustix::fs::{CWD, FileType, Mode, OFlags, ResolveFlags};
use rustix::io::Errno;
use rustix::mount::{
    FsMountFlags, FsOpenFlags, MountAttrFlags, MountFlags, MountPropagationFlags, MoveMountFlags,
    OpenTreeFlags, UnmountFlags,
};
use std::io;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::path::Path;

/// Nothing of it is written, and no program of it gets its owner's rights.
pub(crate) const CLOSED: u64 = raw::MOUNT_READ_ONLY | raw::MOUNT_NO_SETUID;

pub(crate) const SHARED_MEMORY: &str = "/dev/shm";

/// Why the wall does not stand.
#[derive(Debug)]
pub(crate) enum Trouble {
    /// The machine does not let us; other walls may do.
    Unavailable(String),
    /// It should have stood.
    Failed(String),
}

/// Builds the wall around this process. Gives what it does not hold.
pub(crate) fn build(places: &Places) -> Result<Vec<String>, Trouble> {
    // A container or a policy of the system that forbids mounts does so at
    // the first of them; from then on nothing may fail.
    rustix::mount::mount_change(
        "/",
        MountPropagationFlags::PRIVATE | MountPropagationFlags::REC,
    )
    .map_err(|error| Trouble::Unavailable(format!("mounts are not allowed: {error}")))?;
    let mut writable = Vec::new();
    // The command's own takes the place of the machine's shared memory.
    for path in places.writable.iter().filter(|path| *path != SHARED_MEMORY) {
        let copied = reach(path).and_then(|found| {
            let tree = copy(&found)?;
            raw::change_mounts(tree.as_fd(), raw::MOUNT_NO_SETUID)?;
            Ok(tree)
        });
        writable.push((path, copied.map_err(failed("opening", path))?));
    }
    let root = Path::new("/");
    reach(root)
        .and_then(|found| raw::change_mounts(found.as_fd(), CLOSED))
        .map_err(|error| match error.raw_os_error() {
            Some(libc::ENOSYS | libc::EPERM | libc::EACCES) => {
                Trouble::Unavailable(format!("can't make mounts read-only: {error}"))
            }
            _ => failed("protecting", root)(error),
        })?;
    let own = &places.private;
    let stage = Stage::raise(own).map_err(failed("staging on", Path::new(STAGE)))?;
    own_devices(own).map_err(failed("preparing", Path::new("/dev")))?;
    private::cover(own, Path::new(STAGE))?;
    for (path, tree) in writable {
        put(&tree, path).map_err(failed("making writable", path))?;
    }
    for (path, treatment) in &places.treated {
        let within = match places.writable_around(path) {
            Some(_) => Within::Writable,
            None => Within::ReadOnly,
        };
        treat(path, *treatment, within).map_err(failed("closing", path))?;
    }
    for own in &places.copies {
        stage
            .lead(own)
            .map_err(failed("making writable", &own.file))?;
    }
    stage.finish()
}

pub(crate) fn failed<'a>(
    doing: &'static str,
    path: &'a Path,
) -> impl Fn(io::Error) -> Trouble + use<'a> {
    move |error| Trouble::Failed(format!("{doing} `{}`: {error}", path.display()))
}

/// What a path lies in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Within {
    Writable,
    ReadOnly,
}

fn treat(path: &Path, treatment: Treatment, within: Within) -> io::Result<()> {
    let found = match reach(path) {
        Ok(found) => found,
        // It was there a moment ago. What may not be looked into by us may not
        // be by the command; but in a folder that commands may change, it may
        // have been moved to where it can.
        Err(error)
            if (treatment, within) == (Treatment::Hidden, Within::ReadOnly)
                && is_out_of_reach(&error) =>
        {
            return Ok(());
        }
        Err(error) => return Err(error),
    };
    let tree = match treatment {
        Treatment::Anchored => copy(&found)?,
        Treatment::Protected => {
            let tree = copy(&found)?;
            raw::change_mounts(tree.as_fd(), CLOSED)?;
            tree
        }
        Treatment::Hidden => {
            let facts = rustix::fs::fstat(&found)?;
            let empty = match FileType::from_raw_mode(facts.st_mode) {
                FileType::Directory => EMPTY_FOLDER,
                _ => EMPTY_FILE,
            };
            let tree = copy(&reach(Path::new(empty))?)?;
            raw::change_mounts(tree.as_fd(), CLOSED)?;
            tree
        }
    };
    place(tree.as_fd(), found.as_fd())
}

fn is_out_of_reach(error: &io::Error) -> bool {
    matches!(error.raw_os_error(), Some(libc::EACCES | libc::ENOENT))
}

pub(crate) fn reach(path: &Path) -> io::Result<OwnedFd> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let found = rustix::fs::openat2(CWD, path, flags, Mode::empty(), ResolveFlags::NO_SYMLINKS)?;
    let facts = rustix::fs::fstat(&found)?;
    if FileType::from_raw_mode(facts.st_mode) == FileType::Symlink {
        return Err(Errno::LOOP.into());
    }
    Ok(found)
}

/// A copy of the mounts at a place, attached nowhere.
pub(crate) fn copy(found: &OwnedFd) -> io::Result<OwnedFd> {
    let flags = OpenTreeFlags::OPEN_TREE_CLONE
        | OpenTreeFlags::OPEN_TREE_CLOEXEC
        | OpenTreeFlags::AT_EMPTY_PATH
        | OpenTreeFlags::AT_RECURSIVE;
    Ok(rustix::mount::open_tree(found, "", flags)?)
}

pub(crate) fn put(tree: &OwnedFd, path: &Path) -> io::Result<()> {
    place(tree.as_fd(), reach(path)?.as_fd())
}

fn place(tree: BorrowedFd<'_>, onto: BorrowedFd<'_>) -> io::Result<()> {
    let flags = MoveMountFlags::MOVE_MOUNT_F_EMPTY_PATH | MoveMountFlags::MOVE_MOUNT_T_EMPTY_PATH;
    Ok(rustix::mount::move_mount(tree, "", onto, "", flags)?)
}

fn new_file_system(kind: &str, options: &[(&str, &str)]) -> io::Result<OwnedFd> {
    let context = rustix::mount::fsopen(kind, FsOpenFlags::FSOPEN_CLOEXEC)?;
    for (key, value) in options {
        rustix::mount::fsconfig_set_string(&context, *key, *value)?;
    }
    rustix::mount::fsconfig_create(&context)?;
    let attributes = MountAttrFlags::MOUNT_ATTR_NOSUID | MountAttrFlags::MOUNT_ATTR_NODEV;
    Ok(rustix::mount::fsmount(
        &context,
        FsMountFlags::FSMOUNT_CLOEXEC,
        attributes,
    )?)
}

/// Shared memory and terminals of the command's own. Where there is no such
/// folder, none is needed; where the kernel gives no terminals, the old ones
/// stay read-only.
fn own_devices(private: &Private) -> io::Result<()> {
    match reach(Path::new(SHARED_MEMORY)) {
        Ok(_) if private.folders.iter().any(|path| path == SHARED_MEMORY) => {}
        Ok(found) => {
            let memory = new_file_system("tmpfs", &[("mode", "1777")])?;
            place(memory.as_fd(), found.as_fd())?;
        }
        Err(error) if error.kind() == io::ErrorKind::NotFound => {}
        // It is a link to somewhere else in some containers.
        Err(error) if error.raw_os_error() == Some(libc::ELOOP) => {}
        Err(error) => return Err(error),
    }
    if Path::new("/dev/pts").is_dir() {
        let options = c"newinstance,ptmxmode=0666,mode=620";
        let flags = MountFlags::NOSUID | MountFlags::NOEXEC;
        let _ = rustix::mount::mount("devpts", "/dev/pts", "devpts", flags, options);
    }
    Ok(())
}

const STAGE: &str = "/proc";
const EMPTY_FOLDER: &str = "/proc/folder";
const EMPTY_FILE: &str = "/proc/file";
const LINK: &str = "/proc/link";

/// An empty folder and an empty file to cover hidden paths with, and what the
/// private folders become. They lie on `/proc` while the wall is built, since
/// that exists everywhere and is covered by the command's own afterwards.
struct Stage;

impl Stage {
    fn raise(own: &Private) -> io::Result<Self> {
        let (bytes, files) = match own.emptied().next() {
            None => ("64k", "16"),
            Some(_) => (private::BYTES, private::FILES),
        };
        let options = [("mode", "0755"), ("size", bytes), ("nr_inodes", files)];
        let empties = new_file_system("tmpfs", &options)?;
        private::prepare(&empties, own)?;
        rustix::fs::mkdirat(&empties, "folder", Mode::from_raw_mode(0o555))?;
        rustix::fs::openat(
            &empties,
            "file",
            OFlags::CREATE | OFlags::WRONLY | OFlags::CLOEXEC,
            Mode::from_raw_mode(0o444),
        )?;
        place(empties.as_fd(), reach(Path::new(STAGE))?.as_fd())?;
        Ok(Self)
    }

    /// Puts a link to the copy in the place of a file. The copy itself there
    /// would not do: nothing can be renamed onto a mount, and programs write a
    /// new file and rename it; through a link they do that beside the copy.
    fn lead(&self, own: &OwnCopy) -> io::Result<()> {
        rustix::fs::symlink(&own.copy, LINK)?;
        let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let link = rustix::fs::open(LINK, flags, Mode::empty())?;
        let tree = copy(&link)?;
        raw::change_mounts(tree.as_fd(), CLOSED)?;
        put(&tree, &own.file)?;
        rustix::fs::unlink(LINK)?;
        Ok(())
    }

    /// The command's own `/proc`. A container that covers parts of its own
    /// does not give a new one; then the old one stays, read-only.
    fn finish(self) -> Result<Vec<String>, Trouble> {
        let flags =
            MountFlags::NOSUID | MountFlags::NODEV | MountFlags::NOEXEC | MountFlags::RDONLY;
        let Err(error) = rustix::mount::mount("proc", "/proc", "proc", flags, None) else {
            return Ok(Vec::new());
        };
        rustix::mount::unmount("/proc", UnmountFlags::DETACH)
            .map_err(|error| failed("uncovering", Path::new("/proc"))(error.into()))?;
        Ok(vec![format!(
            "commands can see which processes run on this machine (no /proc of their own: {error})"
        )])
    }
}

#[cfg(test)]
mod tests {
    use super::{Treatment, Within, treat};

    #[test]
    fn a_hidden_path_that_vanished_stops_the_command_where_commands_may_have_moved_it() {
        let dir = tempfile::tempdir().unwrap();
        let gone = dir.path().canonicalize().unwrap().join("gone");
        assert!(treat(&gone, Treatment::Hidden, Within::Writable).is_err());
        assert!(treat(&gone, Treatment::Hidden, Within::ReadOnly).is_ok());
        assert!(treat(&gone, Treatment::Protected, Within::ReadOnly).is_err());
    }
}
