//! A session held whole, with every record and its state: for tests and for logs
//! that are known to be short. What shows or checks a log of any length uses
//! [`crate::Reading`] or [`crate::Standing`].

use crate::place::Place;
use crate::{Blobs, Reading, Record, SessionError, State};
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
    let reading = Reading::of(id, place)?;
    let records = reading.records().collect::<Result<Vec<_>, _>>()?;
    let Some((first, rest)) = records.split_first() else {
        return Err(SessionError::Empty { path: reading.path });
    };
    let mut state = State::new(&first.event)?;
    for record in rest.iter().filter(|record| record.event.seq > 0) {
        state.apply(&record.event, record.offset);
    }
    for event in &reading.virtual_tail {
        state.apply(event, reading.length());
    }
    Ok(Loaded {
        id,
        torn: reading.torn,
        damage: reading.damage.named.clone(),
        in_use_by: reading.in_use_by,
        blobs: reading.blobs(),
        path: reading.path,
        folder: reading.folder,
        virtual_tail: reading.virtual_tail,
        records,
        state,
    })
}
