//! From a log to the state it stands for: from the last snapshot where there
//! is one, else from the first line. Reads only; recovery is not done here.

use crate::damage::Damage;
use crate::digest::first_record;
use crate::lines::{Lines, LinesBack, end_of_whole_lines, line_at};
use crate::place::Place;
use crate::reading::read;
use crate::record::decode;
use crate::{Blobs, SessionError, State};
use std::collections::BTreeMap;
use std::fs::File;
use tenon_vocab::{Event, EventKind, HistoryRef, Timestamp};

/// Below this a full parse is quicker than looking for a snapshot.
const SMALL: u64 = 256 * 1024;
/// Snapshots come every 8 MB; further back there is none worth the search.
const SEARCH: u64 = 32 * 1024 * 1024;
/// One in so many records is remembered by its place.
const STRIDE: u64 = 64;

/// Where some of the records are, so that reading from a seq need not begin at
/// the first line.
#[derive(Debug, Clone, Default)]
pub(crate) struct Index(BTreeMap<u64, u64>);

impl Index {
    pub fn note(&mut self, seq: u64, offset: u64) {
        if seq.is_multiple_of(STRIDE) {
            self.0.insert(seq, offset);
        }
    }

    /// An offset at or before the record.
    pub fn before(&self, seq: u64) -> u64 {
        self.0
            .range(..=seq)
            .next_back()
            .map_or(0, |(_, offset)| *offset)
    }
}

#[derive(Debug)]
pub(crate) struct Rebuilt {
    pub state: State,
    pub next_seq: u64,
    /// The length up to the last whole line.
    pub end: u64,
    pub updated: Timestamp,
    pub index: Index,
    /// What could not be read, and was passed over.
    pub damage: Damage,
}

pub(crate) fn rebuild(file: &File, place: &Place, blobs: &Blobs) -> Result<Rebuilt, SessionError> {
    let say = |error| SessionError::io("read", &place.log, error);
    let length = file.metadata().map_err(say)?.len();
    let end = end_of_whole_lines(file, length).map_err(say)?;
    let first = first_record(file, place)?;
    if end > SMALL
        && let Some(rebuilt) = from_snapshot(file, place, blobs, &first, end)?
    {
        return Ok(rebuilt);
    }
    let mut rebuilt = Rebuilt::new(State::new(&first)?, 0, end, first.ts);
    rebuilt.follow(file, place, blobs, 0)?;
    Ok(rebuilt)
}

fn from_snapshot(
    file: &File,
    place: &Place,
    blobs: &Blobs,
    first: &Event,
    end: u64,
) -> Result<Option<Rebuilt>, SessionError> {
    let Some((offset, event)) = last_snapshot(file, blobs, end) else {
        return Ok(None);
    };
    let EventKind::Snapshot(snapshot) = &event.kind else {
        return Ok(None);
    };
    let fetch = |at: HistoryRef| record_at(file, blobs, at.offset);
    let Some(state) = State::from_snapshot(first, offset, snapshot, fetch) else {
        return Ok(None);
    };
    let mut rebuilt = Rebuilt::new(state, event.seq + 1, end, event.ts);
    for at in &snapshot.history {
        rebuilt.index.note(at.seq, at.offset);
    }
    rebuilt.index.0.insert(event.seq, offset);
    let next = line_at(file, offset)
        .ok()
        .flatten()
        .map_or(end, |line| offset + line.len() as u64 + 1);
    rebuilt.follow(file, place, blobs, next)?;
    Ok(Some(rebuilt))
}

pub(crate) fn record_at(file: &File, blobs: &Blobs, offset: u64) -> Option<Event> {
    let line = line_at(file, offset).ok().flatten()?;
    decode(std::str::from_utf8(&line).ok()?, blobs).ok()
}

/// Looks from the end for a snapshot, or for the end of a run, which says where
/// the last one is. Anything odd on the way means: parse in full.
fn last_snapshot(file: &File, blobs: &Blobs, end: u64) -> Option<(u64, Event)> {
    let mut lines = LinesBack::new(file, end);
    while let Some(line) = lines.next_back().ok().flatten() {
        if line.offset + SEARCH < end {
            return None;
        }
        let Ok(text) = std::str::from_utf8(&line.bytes) else {
            continue;
        };
        // A mere look at the text: parsing each line would cost what the
        // snapshot is there to save. A false hit is found out below.
        if text.contains(r#""type":"snapshot""#)
            && let Ok(event) = decode(text, blobs)
            && matches!(event.kind, EventKind::Snapshot(_))
        {
            return Some((line.offset, event));
        }
        if text.contains(r#""type":"run_finished""#)
            && let Ok(event) = serde_json::from_str::<Event>(text)
            && let EventKind::RunFinished(finished) = event.kind
        {
            let offset = finished.snapshot?;
            return record_at(file, blobs, offset).map(|event| (offset, event));
        }
    }
    None
}

impl Rebuilt {
    fn new(state: State, next_seq: u64, end: u64, updated: Timestamp) -> Self {
        Self {
            state,
            next_seq,
            end,
            updated,
            index: Index::default(),
            damage: Damage::default(),
        }
    }

    /// Applies every whole line from an offset on. A line that cannot be read
    /// is passed over: one bad line must not take a session away.
    fn follow(
        &mut self,
        file: &File,
        place: &Place,
        blobs: &Blobs,
        from: u64,
    ) -> Result<(), SessionError> {
        let say = |error| SessionError::io("read", &place.log, error);
        let mut lines = Lines::new(file, from);
        while lines.offset() < self.end {
            let Some(line) = lines.next_whole().map_err(say)? else {
                break;
            };
            match read(line.bytes, blobs) {
                Ok((event, _)) => self.take(&event, line.offset),
                Err(reason) => self.damage.note(line.offset, &reason),
            }
        }
        Ok(())
    }

    pub fn take(&mut self, event: &Event, offset: u64) {
        self.index.note(event.seq, offset);
        self.next_seq = self.next_seq.max(event.seq.saturating_add(1));
        self.updated = event.ts;
        if event.seq > 0 {
            self.state.apply(event, offset);
        }
    }
}
