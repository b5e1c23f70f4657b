//! `tenon logs`: what was written for diagnosis, and where.

use super::pages;
use crate::args::{LogsCommand, Shared};
use crate::error::CliError;
use crate::place::Place;
use crate::{CommandResult, logs};
use std::io::{Read, Seek, SeekFrom};
use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

/// How often a log that is followed is looked at.
const LOOK: Duration = Duration::from_millis(300);
/// The most of it that is read at once.
const MOST: u64 = 16 * 1024 * 1024;

/// `tenon logs` alone.
const LINES: usize = 200;

pub fn run(shared: &Shared, command: Option<LogsCommand>) -> CommandResult {
    let path = logs::path(&Place::find(shared)?);
    match command {
        Some(LogsCommand::Path) => pages::print(&path.display().to_string()),
        Some(LogsCommand::Show { lines, follow }) => {
            let end = show(&path, lines)?;
            if follow {
                go_on(&path, end)
            } else {
                Ok(ExitCode::SUCCESS)
            }
        }
        None => show(&path, LINES).map(|_| ExitCode::SUCCESS),
    }
}

/// The last lines; gives where the file ended.
fn show(path: &Path, lines: usize) -> Result<u64, CliError> {
    let (text, end) = from(path, 0)?;
    let all: Vec<&str> = text.lines().collect();
    if all.is_empty() {
        crate::screen::complain(
            "Nothing was logged. `--log-level info`, TENON_LOG=info or `logs.level` log more.",
        );
        return Ok(end);
    }
    let last = &all[all.len().saturating_sub(lines)..];
    pages::print_foreign(&last.join("\n"))?;
    Ok(end)
}

fn go_on(path: &Path, mut from_here: u64) -> CommandResult {
    loop {
        std::thread::sleep(LOOK);
        let length = path.metadata().map_or(0, |about| about.len());
        // A new file was begun.
        if length < from_here {
            from_here = 0;
        }
        if length > from_here {
            let (text, end) = from(path, from_here)?;
            from_here = end;
            pages::print_foreign(&text)?;
        }
    }
}

/// What stands behind a place, and where it ends.
fn from(path: &Path, start: u64) -> Result<(String, u64), CliError> {
    let read = || -> std::io::Result<(String, u64)> {
        let mut file = match tenon_files::open(path) {
            Ok(file) => file,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                return Ok((String::new(), 0));
            }
            Err(error) => return Err(error),
        };
        let start = start.max(file.metadata()?.len().saturating_sub(MOST));
        file.seek(SeekFrom::Start(start))?;
        let mut bytes = Vec::new();
        let count = file.take(MOST).read_to_end(&mut bytes)?;
        Ok((
            String::from_utf8_lossy(&bytes).into_owned(),
            start + count as u64,
        ))
    };
    read().map_err(|error| {
        CliError::runtime(format!("can't read the log {}: {error}", path.display()))
    })
}
