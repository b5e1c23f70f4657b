//! How a session stands: the state that opening it would give, for whoever only
//! wants to look. Reads from the last snapshot on, takes no lock and writes
//! nothing, so it also works while a process writes the session.

use crate::damage::Damage;
use crate::leftovers::Leftovers;
use crate::lines::Lines;
use crate::place::Place;
use crate::reading::read;
use crate::rebuild::{Index, Rebuilt, rebuild};
use crate::recap::note;
use crate::recover::recovery_events;
use crate::{Blobs, GivenUp, SessionError, State, Store};
use std::fs::File;
use tenon_vocab::{Event, Recap, SessionId, Timestamp};

#[derive(Debug)]
pub struct Standing {
    pub id: SessionId,
    /// When something was last recorded.
    pub updated: Timestamp,
    /// Lines that were passed over since the last snapshot.
    pub damage: Damage,
    state: State,
    log: Recorded,
}

/// The whole lines of a log as they were found.
#[derive(Debug)]
struct Recorded {
    file: File,
    place: Place,
    blobs: Blobs,
    index: Index,
    end: u64,
}

impl Store {
    /// The state of a session, also while another process writes it.
    ///
    /// # Errors
    /// When there is no such session or its first record cannot be read.
    pub fn standing(&self, id: SessionId) -> Result<Standing, SessionError> {
        Standing::of(id, self.place(id)?)
    }
}

impl Standing {
    fn of(id: SessionId, place: Place) -> Result<Self, SessionError> {
        // The partial file first: whatever supersedes it is then surely in the log.
        let mut left = Leftovers::read(&place)?;
        let file = tenon_files::open(&place.log)
            .map_err(|error| SessionError::io("read", &place.log, error))?;
        let blobs = Blobs::in_folder(place.blobs());
        let Rebuilt {
            mut state,
            next_seq,
            end,
            updated,
            index,
            damage,
        } = rebuild(&file, &place, &blobs)?;
        let log = Recorded {
            file,
            place,
            blobs,
            index,
            end,
        };
        if let Some(seq) = left.first_seq() {
            log.each(seq, &mut |event| left.supersede(event))?;
        }
        for event in recovery_events(&state, &left, next_seq, updated) {
            state.apply(&event, end);
        }
        Ok(Self {
            id,
            updated,
            damage,
            state,
            log,
        })
    }

    /// As after opening, with what a crash left out.
    #[must_use]
    pub fn state(&self) -> &State {
        &self.state
    }

    #[must_use]
    pub fn blobs(&self) -> Blobs {
        self.log.blobs.clone()
    }

    /// The facts of what has been recorded: those that the last compaction kept,
    /// and what came since. All of the log is read where there are none, or where
    /// a revert gave up something that they were made of.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn recap(&self) -> Result<Recap, SessionError> {
        let known = self
            .state
            .compacted()
            .and_then(|compacted| compacted.recap.as_deref().cloned());
        let mut recap = known.unwrap_or_default();
        let mut given_up = self.log.given_up(recap.until)?;
        if given_up
            .first_reverted()
            .is_some_and(|seq| seq < recap.until)
        {
            recap = Recap::default();
            given_up = self.log.given_up(0)?;
        }
        self.log.each(recap.until, &mut |event| {
            note(&mut recap, event, &given_up);
        })?;
        Ok(recap)
    }
}

impl Recorded {
    fn given_up(&self, from: u64) -> Result<GivenUp, SessionError> {
        let mut given_up = GivenUp::default();
        self.each(from, &mut |event| given_up.note(event))?;
        Ok(given_up)
    }

    /// Every record from this one on that can be read, one after the other.
    fn each(&self, from: u64, take: &mut dyn FnMut(&Event)) -> Result<(), SessionError> {
        let mut lines = Lines::new(&self.file, self.index.before(from));
        let say = |error| SessionError::io("read", &self.place.log, error);
        while lines.offset() < self.end {
            let Some(line) = lines.next_whole().map_err(say)? else {
                break;
            };
            if let Ok((event, _)) = read(line.bytes, &self.blobs)
                && event.seq >= from
            {
                take(&event);
            }
        }
        Ok(())
    }
}
