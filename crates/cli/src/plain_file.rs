//! Small files that others may have put there, read without a wait and written
//! whole: a named
//! pipe under the name of a login would hold the program for ever, and a device
//! would never end. For files of our own state and of other programs; project
//! files have the workspace.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The file, when it is one.
///
/// # Errors
/// When it cannot be opened, or is a pipe, a device or a folder.
pub fn open(path: &Path) -> io::Result<File> {
    tenon_config::open_file(path)
}

/// The same, opened as these options say.
///
/// # Errors
/// As [`open`].
pub fn open_with(options: &mut OpenOptions, path: &Path) -> io::Result<File> {
    let flags = rustix::fs::OFlags::NONBLOCK | rustix::fs::OFlags::NOCTTY;
    let file = options
        .custom_flags(flags.bits().cast_signed())
        .open(path)?;
    // Of the opened file: the name may lead elsewhere a moment later.
    if file.metadata()?.is_file() {
        Ok(file)
    } else {
        Err(io::Error::other("it is not a regular file"))
    }
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

/// Puts a page in the place of another, whole or not at all. For nobody else to
/// read.
///
/// # Errors
/// When it cannot be written.
pub fn replace(path: &Path, page: &serde_json::Value) -> io::Result<()> {
    replace_text(path, &page.to_string())
}

/// The same for any text.
///
/// # Errors
/// When it cannot be written.
pub fn replace_text(path: &Path, page: &str) -> io::Result<()> {
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder)?;
    // 0600 by default, and never half a file.
    let mut temporary = tempfile::NamedTempFile::new_in(folder)?;
    temporary.write_all(page.as_bytes())?;
    temporary.persist(path).map_err(|error| error.error)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pipe_or_a_device_is_an_error_and_no_wait() {
        let folder = tempfile::tempdir().unwrap();
        let pipe = folder.path().join("pipe");
        let mode = rustix::fs::Mode::from_raw_mode(0o600);
        rustix::fs::mkfifoat(rustix::fs::CWD, &pipe, mode).unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink("/dev/zero", &link).unwrap();
        for path in [pipe.as_path(), link.as_path(), folder.path()] {
            assert!(read(path, 100).is_err(), "{}", path.display());
        }
        let lock = OpenOptions::new().write(true).create(true).clone();
        assert!(open_with(&mut lock.clone(), &pipe).is_err());
    }

    #[test]
    fn a_file_is_read_as_far_as_is_wanted_through_a_link_too() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("file");
        std::fs::write(&file, "12345").unwrap();
        let link = folder.path().join("link");
        std::os::unix::fs::symlink(&file, &link).unwrap();
        assert_eq!(read(&link, 3).unwrap(), b"123");
        let missing = read(&folder.path().join("none"), 3).unwrap_err();
        assert_eq!(missing.kind(), io::ErrorKind::NotFound);
    }
}
