//! A log line by line, from any place in it, without holding it: for whoever
//! reads what was appended, or walks through more than fits into memory. Takes
//! no lock and writes nothing, so it also works while a process writes.

use crate::lines::Lines;
use crate::place::{self, Place};
use crate::record::decode;
use crate::{Blobs, SessionError, Store};
use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;
use tenon_vocab::{Event, SessionId};

const KIND: &str = r#""type":""#;

/// A log as its folder shows it; nothing of it was read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LogFile {
    pub id: SessionId,
    pub path: PathBuf,
    pub bytes: u64,
    /// Since 1970; zero where the file system does not tell.
    pub modified: Duration,
}

/// One whole line as it stands in the file, without its line feed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RawLine {
    pub offset: u64,
    pub text: String,
}

impl RawLine {
    /// The kind of its event, by a mere look: a guess, which holds for every
    /// line that this program wrote. Whoever relies on it decodes the line.
    #[must_use]
    pub fn kind(&self) -> Option<&str> {
        let (_, rest) = self.text.split_once(KIND)?;
        rest.split_once('"').map(|(kind, _)| kind)
    }
}

/// Where the reading of a log stands.
#[derive(Debug)]
pub struct Stream {
    lines: Lines<File>,
    place: Place,
    blobs: Blobs,
}

impl Store {
    /// Reads a session from a place in its log on: 0, or the end of a line.
    ///
    /// # Errors
    /// When there is no such session, or it cannot be read.
    pub fn stream(&self, id: SessionId, from: u64) -> Result<Stream, SessionError> {
        let place = self.place(id)?;
        let file = tenon_files::open(&place.log)
            .map_err(|error| SessionError::io("read", &place.log, error))?;
        Ok(Stream {
            lines: Lines::new(file, from),
            blobs: Blobs::in_folder(place.blobs()),
            place,
        })
    }

    /// All logs with their sizes, in no order. One look at each, no reading.
    #[must_use]
    pub fn logs(&self) -> Vec<LogFile> {
        let found = place::all(self.root());
        let looked_at = found.into_iter().filter_map(|found| {
            let stamp = found.stamp().ok()?;
            Some(LogFile {
                id: found.id,
                path: found.place().log,
                bytes: stamp.length,
                modified: Duration::from_nanos(u64::try_from(stamp.modified).unwrap_or(0)),
            })
        });
        looked_at.collect()
    }
}

impl Stream {
    /// The next whole line. `None` at the end, and before a line that is still
    /// being written. A line that is no UTF-8 comes as an empty text, which is no
    /// event either.
    ///
    /// # Errors
    /// When the file cannot be read, or has no line feed for so long that it is
    /// no log.
    pub fn next_line(&mut self) -> Result<Option<RawLine>, SessionError> {
        let line = self
            .lines
            .next_whole()
            .map_err(|error| SessionError::io("read", &self.place.log, error))?;
        Ok(line.map(|line| RawLine {
            offset: line.offset,
            text: String::from_utf8(line.bytes).unwrap_or_default(),
        }))
    }

    /// The event of a line, with the content that was moved beside the log.
    #[must_use]
    pub fn decode(&self, line: &RawLine) -> Option<Event> {
        decode(&line.text, &self.blobs).ok()
    }

    /// Just behind the last line that was given.
    #[must_use]
    pub fn offset(&self) -> u64 {
        self.lines.offset()
    }
}
