//! What a list shows of a session, kept in `<id>.d/digest` so that listing
//! reads some hundred bytes instead of a log. A cache: it says how much of the
//! log it covers, what was appended since is read on top, and without it the
//! head and the tail of the log are read.

use crate::SessionError;
use crate::lines::{Lines, line_at, line_within, read_at};
use crate::place::{Place, private_file};
use crate::totals::Totals;
use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::FileExt;
use tenon_vocab::{Event, EventKind, Meta, Outcome, SCHEMA_VERSION, Timestamp};

/// What is read of a log at each end when there is no digest.
const WINDOW: u64 = 64 * 1024;
/// More than a first record ever has: a file of gigabytes that is no log must
/// not hold up a list.
const FIRST: u64 = 1024 * 1024;
/// What is read on top of a digest.
const CATCH_UP: u64 = 256 * 1024;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Digest {
    /// The length of the log up to which this holds.
    pub bytes: u64,
    pub meta: Meta,
    pub created: Timestamp,
    pub updated: Timestamp,
    /// Of the last run; none while it is unfinished.
    pub outcome: Option<Outcome>,
    pub totals: Totals,
    /// The log was not read in full, so the figures are at least these.
    #[serde(skip)]
    pub partial: bool,
}

impl Digest {
    pub fn new(first: &Event, meta: &Meta) -> Self {
        Self {
            bytes: 0,
            meta: meta.clone(),
            created: first.ts,
            updated: first.ts,
            outcome: None,
            totals: Totals::default(),
            partial: false,
        }
    }

    pub fn apply(&mut self, event: &Event) {
        self.updated = event.ts;
        // What a copy has from the first session was paid there.
        let copied = self.meta.forked_from.as_ref();
        if copied.is_some_and(|fork| event.seq <= fork.seq) {
            self.totals.apply_unpaid(event);
        } else {
            self.totals.apply(event);
        }
        match &event.kind {
            _ if event.parent.is_some() => {}
            EventKind::RunStarted(_) => self.outcome = None,
            EventKind::RunFinished(finished) => self.outcome = Some(finished.outcome),
            _ => {}
        }
    }

    /// No sync and no fuss: a digest that is lost or torn is made again. Written
    /// in place, as one line with one call: replacing a file by renaming makes
    /// common file systems flush it, which costs more than all of the log.
    pub fn write(&self, place: &Place) -> io::Result<()> {
        let mut line = serde_json::to_vec(self)?;
        line.push(b'\n');
        let file = private_file()
            .write(true)
            .create(true)
            .truncate(false)
            .open(place.digest())?;
        file.write_all_at(&line, 0)
    }

    pub fn of(place: &Place) -> Result<Self, SessionError> {
        Self::of_length(place, Self::length(place)?)
    }

    /// Of the log, to know whether a digest holds.
    pub fn length(place: &Place) -> Result<u64, SessionError> {
        fs::metadata(&place.log)
            .map(|about| about.len())
            .map_err(|error| SessionError::io("read", &place.log, error))
    }

    /// Thousands are read for one list: the log itself is not even opened where
    /// the digest has it all.
    pub fn of_length(place: &Place, length: u64) -> Result<Self, SessionError> {
        if let Some(kept) = Self::kept(place, length) {
            return Ok(kept);
        }
        let file =
            File::open(&place.log).map_err(|error| SessionError::io("read", &place.log, error))?;
        Self::from_ends(&file, place, length)
    }

    fn kept(place: &Place, length: u64) -> Option<Self> {
        // Behind the first line there may be the rest of a longer one.
        let kept = line_at(&File::open(place.digest()).ok()?, 0).ok()??;
        let mut digest: Self = serde_json::from_slice(&kept).ok()?;
        if digest.meta.schema_version > SCHEMA_VERSION {
            return None;
        }
        let behind = length.checked_sub(digest.bytes)?;
        if behind > CATCH_UP {
            return None;
        }
        if behind > 0 {
            let file = File::open(&place.log).ok()?;
            digest.follow(&file, digest.bytes);
        }
        Some(digest)
    }

    fn from_ends(file: &File, place: &Place, length: u64) -> Result<Self, SessionError> {
        let say = |error| SessionError::io("read", &place.log, error);
        let mut digest = Self::from_head(file, place)?;
        if length <= 2 * WINDOW {
            digest.follow(file, 0);
            return Ok(digest);
        }
        digest.partial = true;
        // The head for the prompt, the tail for how it stands now. Two reads,
        // whatever lies between them and whether it has lines or not.
        let head = window(file, 0).map_err(say)?;
        digest.take_lines(&head);
        let tail = window(file, length - WINDOW).map_err(say)?;
        if let Some(feed) = tail.iter().position(|byte| *byte == b'\n') {
            digest.take_lines(&tail[feed + 1..]);
        }
        let whole = tail.iter().rposition(|byte| *byte == b'\n');
        digest.bytes = whole.map_or(length, |feed| length - WINDOW + feed as u64 + 1);
        Ok(digest)
    }

    /// The whole lines among these bytes.
    fn take_lines(&mut self, bytes: &[u8]) {
        let whole = bytes.iter().rposition(|byte| *byte == b'\n').unwrap_or(0);
        for line in bytes[..whole].split(|byte| *byte == b'\n') {
            if let Ok(event) = serde_json::from_slice::<Event>(line) {
                self.apply(&event);
            }
        }
    }

    fn from_head(file: &File, place: &Place) -> Result<Self, SessionError> {
        let first = first_record(file, place)?;
        match &first.kind {
            EventKind::Meta(meta) => Ok(Self::new(&first, meta)),
            kind => Err(SessionError::NotMeta {
                kind: kind.name().to_owned(),
                seq: first.seq,
            }),
        }
    }

    /// Lists need no content that was moved beside the log, so lines are read
    /// as they stand.
    fn follow(&mut self, file: &File, from: u64) {
        let mut lines = Lines::new(file, from);
        while let Ok(Some(line)) = lines.next_whole() {
            if let Ok(event) = serde_json::from_slice::<Event>(&line.bytes) {
                self.apply(&event);
            }
        }
        self.bytes = lines.offset();
    }
}

fn window(file: &File, from: u64) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; WINDOW as usize];
    let read = read_at(file, &mut bytes, from)?;
    bytes.truncate(read);
    Ok(bytes)
}

/// The first record, after a look at its version: the shapes of a newer one
/// may not be readable at all.
pub(crate) fn first_record(file: &File, place: &Place) -> Result<Event, SessionError> {
    #[derive(Deserialize)]
    struct Version {
        schema_version: Option<u32>,
    }
    let line = line_within(file, 0, FIRST)
        .map_err(|error| SessionError::io("read", &place.log, error))?
        .ok_or_else(|| SessionError::Empty {
            path: place.log.clone(),
        })?;
    let damaged = |reason: String| SessionError::Damaged {
        path: place.log.clone(),
        offset: 0,
        reason,
    };
    let version: Version = serde_json::from_slice(&line)
        .map_err(|error| damaged(format!("the first line is no session record ({error})")))?;
    match version.schema_version {
        Some(found) if found > SCHEMA_VERSION => {
            return Err(SessionError::NewerSchema {
                path: place.log.clone(),
                found,
                known: SCHEMA_VERSION,
            });
        }
        Some(_) => {}
        None => return Err(damaged(String::from("the first line is no `meta` record"))),
    }
    serde_json::from_slice(&line)
        .map_err(|error| damaged(format!("the first line cannot be read ({error})")))
}
