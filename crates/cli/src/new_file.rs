//! A file that a command makes for the user: only for its owner, because it
//! tells what was said and read, and never over something that is there.

use crate::error::CliError;
use std::fs::OpenOptions;
use std::io::{ErrorKind, Write};
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
    let made = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    match made.and_then(|mut file| file.write_all(content)) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Err(taken(path, hint)),
        Err(error) => Err(cannot(path, &error)),
        Ok(()) => Ok(()),
    }
}

fn taken(path: &Path, hint: &str) -> CliError {
    CliError::usage(format!("{} is there already", shown(path))).with_hint(hint)
}

pub fn cannot(path: &Path, error: &std::io::Error) -> CliError {
    CliError::runtime(format!("{} cannot be written: {error}", shown(path)))
}

pub fn shown(path: &Path) -> String {
    Printable::line(&path.display().to_string()).into_string()
}
