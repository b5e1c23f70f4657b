//! A file that a command makes for the user: only for its owner, because it
//! tells what was said and read, and never over something that is there.

use crate::error::CliError;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use tenon_vocab::Printable;

/// Before any work is done for a page that has no place; `hint` says what to do
/// about it.
///
/// # Errors
/// When something is there, be it a link that leads nowhere.
pub fn free(path: &Path, hint: &str) -> Result<(), CliError> {
    match path.symlink_metadata() {
        Ok(_) => Err(taken(path, hint)),
        Err(_) => Ok(()),
    }
}

/// # Errors
/// When something is there, or it cannot be written.
pub fn write(path: &Path, content: &[u8], hint: &str) -> Result<(), CliError> {
    create(path, hint)?
        .write_all(content)
        .map_err(|error| cannot(path, &error))
}

/// The file itself, for what is written piece by piece.
///
/// # Errors
/// When something is there, or it cannot be made.
pub fn create(path: &Path, hint: &str) -> Result<File, CliError> {
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    made.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => taken(path, hint),
        _ => cannot(path, &error),
    })
}

/// The same over whatever is there.
///
/// # Errors
/// When it cannot be opened.
pub fn private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .write(true)
        .create(true)
        .truncate(true)
        .mode(0o600)
        .open(path)
}

fn taken(path: &Path, hint: &str) -> CliError {
    CliError::usage(format!("{} already exists", shown(path))).with_hint(hint)
}

pub fn cannot(path: &Path, error: &std::io::Error) -> CliError {
    CliError::runtime(format!("can't write {}: {error}", shown(path)))
}

pub fn shown(path: &Path) -> String {
    Printable::line(&path.display().to_string()).into_string()
}
