//! A session read without being held, for showing, exporting and checking: once
//! through for what is known of it, and again, record by record, by whoever wants
//! to see them. Takes no lock and writes nothing, so it also works while a process
//! writes the session; what is appended meanwhile is not part of it.

use crate::damage::Damage;
use crate::digest::first_record;
use crate::leftovers::Leftovers;
use crate::lines::Lines;
use crate::lock::writer;
use crate::outline::Outline;
use crate::place::Place;
use crate::recap::note;
use crate::record::decode;
use crate::recover::{Cause, closing_events};
use crate::{Blobs, Record, SessionError, Store};
use std::fs::File;
use std::path::{Path, PathBuf};
use tenon_vocab::{Event, Recap, SessionId, Timestamp};

#[derive(Debug)]
pub struct Reading {
    pub id: SessionId,
    pub path: PathBuf,
    /// Where content beside the log lies.
    pub folder: PathBuf,
    pub created: Timestamp,
    /// Of the last record.
    pub updated: Timestamp,
    pub damage: Damage,
    /// The last line is not whole.
    pub torn: bool,
    /// What opening the session would append, when its last run is unfinished.
    pub virtual_tail: Vec<Event>,
    /// The process that has the session open, as far as can be told: then an
    /// unfinished run is a running one.
    pub in_use_by: Option<u32>,
    outline: Outline,
    blobs: Blobs,
    file: File,
    /// Behind the last whole line.
    end: u64,
    length: u64,
}

impl Store {
    /// Reads a session through once, without touching it.
    ///
    /// # Errors
    /// When there is no such session or its first record cannot be read.
    pub fn read(&self, id: SessionId) -> Result<Reading, SessionError> {
        Reading::of(id, self.place(id)?)
    }
}

impl Reading {
    pub(crate) fn of(id: SessionId, place: Place) -> Result<Self, SessionError> {
        let say = |error| SessionError::io("read", &place.log, error);
        // The partial file first: whatever supersedes it is then surely in the log.
        let mut left = Leftovers::read(&place)?;
        let in_use_by = writer(&place);
        let file = tenon_files::open(&place.log).map_err(say)?;
        let blobs = Blobs::in_folder(place.blobs());
        let first = first_record(&file, &place)?;
        let mut outline = Outline::new(&first)?;
        let mut damage = Damage::default();
        let (mut updated, mut next_seq) = (first.ts, 1);
        let mut lines = Lines::new(&file, 0);
        while let Some(line) = lines.next_whole().map_err(say)? {
            match read(line.bytes, &blobs) {
                Ok((event, _)) => {
                    left.supersede(&event);
                    updated = event.ts;
                    next_seq = next_seq.max(event.seq.saturating_add(1));
                    if event.seq > 0 {
                        outline.apply(&event, line.offset);
                    }
                }
                Err(reason) => damage.note(line.offset, &reason),
            }
        }
        let end = lines.offset();
        let length = file.metadata().map_err(say)?.len();
        let virtual_tail = closing_events(outline.open(), &left, next_seq, updated, Cause::Crash);
        for event in &virtual_tail {
            outline.apply(event, length);
        }
        Ok(Self {
            id,
            created: first.ts,
            updated,
            damage,
            torn: end < length,
            length,
            virtual_tail,
            in_use_by,
            outline,
            blobs,
            file,
            end,
            path: place.log,
            folder: place.folder,
        })
    }

    /// As after opening: with the virtual tail.
    #[must_use]
    pub fn outline(&self) -> &Outline {
        &self.outline
    }

    /// Of the file, with what is torn at its end.
    pub(crate) fn length(&self) -> u64 {
        self.length
    }

    #[must_use]
    pub fn blobs(&self) -> Blobs {
        self.blobs.clone()
    }

    /// The records in order, from the file. Lines that cannot be read are passed
    /// over; they are in [`Self::damage`].
    pub fn records(&self) -> impl Iterator<Item = Result<Record, SessionError>> {
        Records {
            lines: Lines::new(&self.file, 0),
            end: self.end,
            path: &self.path,
            blobs: &self.blobs,
        }
    }

    /// The events in order, the virtual tail last.
    pub fn events(&self) -> impl Iterator<Item = Result<Event, SessionError>> {
        let tail = self.virtual_tail.iter().cloned();
        self.records()
            .map(|record| record.map(|record| record.event))
            .chain(tail.map(Ok))
    }

    /// The facts of what has been recorded, as [`crate::recap`] has them.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn recap(&self) -> Result<Recap, SessionError> {
        let mut recap = Recap::default();
        for record in self.records() {
            note(&mut recap, &record?.event, self.outline.given_up());
        }
        Ok(recap)
    }
}

struct Records<'a> {
    lines: Lines<&'a File>,
    /// What stands behind it was appended since.
    end: u64,
    path: &'a Path,
    blobs: &'a Blobs,
}

impl Iterator for Records<'_> {
    type Item = Result<Record, SessionError>;

    fn next(&mut self) -> Option<Self::Item> {
        while self.lines.offset() < self.end {
            match self.lines.next_whole() {
                Ok(Some(line)) => {
                    if let Ok((event, text)) = read(line.bytes, self.blobs) {
                        return Some(Ok(Record {
                            offset: line.offset,
                            event,
                            line: text,
                        }));
                    }
                }
                Ok(None) => return None,
                Err(error) => {
                    self.end = 0;
                    return Some(Err(SessionError::io("read", self.path, error)));
                }
            }
        }
        None
    }
}

/// Why a line is no record.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Unreadable {
    #[error("the line is empty")]
    Empty,
    #[error("{0}")]
    NoText(#[from] std::string::FromUtf8Error),
    #[error("{0}")]
    NoEvent(#[from] serde_json::Error),
}

pub(crate) fn read(line: Vec<u8>, blobs: &Blobs) -> Result<(Event, String), Unreadable> {
    if line.is_empty() {
        return Err(Unreadable::Empty);
    }
    let text = String::from_utf8(line)?;
    let event = decode(&text, blobs)?;
    Ok((event, text))
}
