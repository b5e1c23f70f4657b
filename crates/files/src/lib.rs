//! Files of our own state, of the user's settings and of other programs, under
//! names where somebody else may have put something: a named pipe would hold the
//! program for ever, and a device would never end. So they are opened without a
//! wait, and only regular files are.
//!
//! Not for files of a project: those have the workspace.

use rustix::fs::{Mode, OFlags};
use std::fs::{File, OpenOptions};
use std::io::{self, Read as _};
use std::os::fd::AsFd;
use std::os::unix::fs::OpenOptionsExt as _;
use std::path::Path;

/// A file to read; links are followed.
///
/// # Errors
/// When it cannot be opened, or is no regular file.
pub fn open(path: &Path) -> io::Result<File> {
    open_with(OpenOptions::new().read(true), path)
}

/// The same, opened as these options say.
///
/// # Errors
/// As [`open`].
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let at_once = OFlags::NONBLOCK | OFlags::NOCTTY;
    regular(
        options
            .custom_flags(at_once.bits().cast_signed())
            .open(path)?,
    )
}

/// A file to read, by its name in a folder; a link of that name is an error.
///
/// # Errors
/// As [`open`]; `ELOOP` for a link.
pub fn open_in(folder: impl AsFd, name: impl AsRef<Path>) -> io::Result<File> {
    let flags =
        OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
    let opened = rustix::fs::openat(folder, name.as_ref(), flags, Mode::empty())?;
    regular(File::from(opened))
}

/// The beginning of a file, up to `most` bytes.
///
/// # Errors
/// As [`open`], or when it cannot be read.
pub fn read(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open(path)?.take(most).read_to_end(&mut bytes)?;
    Ok(bytes)
}

/// Of the opened file: the name may lead elsewhere a moment later.
fn regular(file: File) -> io::Result<File> {
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it isn't a regular file"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;
    use std::path::PathBuf;

    fn pipe_in(folder: &Path) -> PathBuf {
        let pipe = folder.join("pipe");
        let mode = Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        pipe
    }

    #[test]
    fn a_pipe_or_a_device_is_an_error_and_no_wait() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = pipe_in(folder.path());
        let link = folder.path().join("link");
        symlink("/dev/zero", &link).unwrap();
        for path in [pipe.as_path(), link.as_path(), folder.path()] {
            assert!(read(path, 100).is_err(), "{}", path.display());
        }
        let mut lock = OpenOptions::new();
        assert!(open_with(lock.write(true).create(true), &pipe).is_err());
        let opened = File::open(folder.path()).unwrap();
        assert!(open_in(&opened, "pipe").is_err());
    }

    #[test]
    fn a_pipe_that_somebody_reads_is_not_written_into() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = pipe_in(folder.path());
        // Whoever reads lets a writer in.
        let reader = OpenOptions::new().read(true).write(true).open(&pipe);
        assert!(open_with(OpenOptions::new().append(true), &pipe).is_err());
        drop(reader);
    }

    #[test]
    fn a_file_is_read_as_far_as_is_wanted_through_a_link_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        let link = folder.path().join("link");
        symlink(&file, &link).unwrap();
        assert_eq!(read(&link, 3).unwrap(), b"123");
        let missing = read(&folder.path().join("none"), 3).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }

    #[test]
    fn by_its_name_in_a_folder_a_link_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("file"), "12345").unwrap();
        symlink("file", folder.path().join("link")).unwrap();
        let opened = File::open(folder.path()).unwrap();
        assert!(open_in(&opened, "file").is_ok());
        let error = open_in(&opened, "link").unwrap_err();
        assert_eq!(
            error.raw_os_error(),
            Some(rustix::io::Errno::LOOP.raw_os_error())
        );
    }
}
