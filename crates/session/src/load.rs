//! A session read whole, for showing, exporting and checking. Takes no lock
//! and writes nothing, so it also works while a process writes the session.

use crate::digest::first_record;
use crate::leftovers::Leftovers;
use crate::lines::Lines;
use crate::lock::writer;
use crate::place::Place;
use crate::record::decode;
use crate::recover::recovery_events;
use crate::{Blobs, Record, SessionError, State};
use std::fs::File;
use std::path::PathBuf;
use tenon_vocab::{Event, SessionId};

#[derive(Debug)]
pub struct Loaded {
    pub id: SessionId,
    pub path: PathBuf,
    /// Where content beside the log lies.
    pub folder: PathBuf,
    pub records: Vec<Record>,
    /// Lines that cannot be read: where, and why.
    pub damage: Vec<(u64, String)>,
    /// The last line is not whole.
    pub torn: bool,
    /// What opening the session would append, when its last run is unfinished.
    pub virtual_tail: Vec<Event>,
    /// The process that has the session open, as far as can be told: then an
    /// unfinished run is a running one.
    pub in_use_by: Option<u32>,
    pub(crate) blobs: Blobs,
    state: State,
}

impl Loaded {
    /// As after opening: with the virtual tail.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    /// The events in order, the virtual tail last.
    pub fn events(&self) -> impl Iterator<Item = &Event> {
        self.records
            .iter()
            .map(|record| &record.event)
            .chain(&self.virtual_tail)
    }

    #[must_use]
    pub fn blobs(&self) -> Blobs {
        self.blobs.clone()
    }
}

pub(crate) fn load(id: SessionId, place: Place) -> Result<Loaded, SessionError> {
    let say = |error| SessionError::io("read", &place.log, error);
    // The partial file first: whatever supersedes it is then surely in the log.
    let mut left = Leftovers::read(&place)?;
    let in_use_by = writer(&place);
    let file = File::open(&place.log).map_err(say)?;
    let blobs = Blobs::in_folder(place.blobs());
    let first = first_record(&file, &place)?;
    let mut state = State::new(&first)?;
    let mut records: Vec<Record> = Vec::new();
    let mut damage = Vec::new();
    let mut lines = Lines::new(&file, 0);
    while let Some(line) = lines.next_whole().map_err(say)? {
        match read(line.bytes, &blobs) {
            Ok((event, text)) => {
                left.supersede(&event);
                if event.seq > 0 {
                    state.apply(&event, line.offset);
                }
                records.push(Record {
                    offset: line.offset,
                    event,
                    line: text,
                });
            }
            Err(reason) => damage.push((line.offset, reason)),
        }
    }
    let length = file.metadata().map_err(say)?.len();
    let next_seq = records
        .iter()
        .map(|record| record.event.seq.saturating_add(1))
        .max()
        .unwrap_or(1);
    let now = records.last().map_or(first.ts, |record| record.event.ts);
    let virtual_tail = recovery_events(&state, &left, next_seq, now);
    for event in &virtual_tail {
        state.apply(event, length);
    }
    Ok(Loaded {
        id,
        torn: lines.offset() < length,
        path: place.log,
        folder: place.folder,
        records,
        damage,
        virtual_tail,
        in_use_by,
        blobs,
        state,
    })
}

fn read(line: Vec<u8>, blobs: &Blobs) -> Result<(Event, String), String> {
    let text = String::from_utf8(line).map_err(|error| error.to_string())?;
    let event = decode(&text, blobs).map_err(|error| error.to_string())?;
    Ok((event, text))
}
