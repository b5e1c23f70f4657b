//! What a list shows of a session, kept in `<id>.d/digest` so that listing
//! reads some hundred bytes instead of a log. A cache: it says how much of the
//! log it covers, what was appended since is read on top, and without it the
//! head and the tail of the log are read.

use crate::SessionError;
use crate::lines::{Lines, line_at, line_within, read_at};
use crate::place::{Place, private_file};
use crate::stamp::Stamp;
use crate::totals::Totals;
use serde::{Deserialize, Serialize};
use std::fs::File;
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
    /// When the log was written to last, as its file system tells: a log that was
    /// replaced by one of the same length is another.
    #[serde(default)]
    modified: i64,
    /// Of the last record.
    #[serde(default)]
    pub seq: u64,
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
            modified: 0,
            seq: first.seq,
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
        self.seq = event.seq;
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
    pub fn write(&self, place: &Place, log: &File) -> io::Result<()> {
        let modified = Stamp::of(&rustix::fs::fstat(log)?).modified;
        let mut line = serde_json::to_vec(&Self {
            modified,
            ..self.clone()
        })?;
        line.push(b'\n');
        let mut options = private_file();
        options.write(true).create(true).truncate(false);
        let file = tenon_files::open_with(&mut options, &place.digest())?;
        file.write_all_at(&line, 0)
    }

    pub fn of(place: &Place) -> Result<Self, SessionError> {
        let about = rustix::fs::stat(&place.log)
            .map_err(|error| SessionError::io("read", &place.log, error.into()))?;
        Self::of_stamp(place, Stamp::of(&about))
    }

    /// Whether nobody may remove the session. What was read of the two ends of a
    /// log is not enough to say no.
    pub fn is_pinned(&self, place: &Place) -> io::Result<bool> {
        let says = |digest: &Self| digest.totals.settings.as_ref().is_some_and(|s| s.pinned);
        if !self.partial {
            return Ok(says(self));
        }
        let mut whole = self.clone();
        whole.totals.settings = None;
        whole.follow(&tenon_files::open(&place.log)?, 0);
        if whole.bytes < self.bytes {
            return Err(io::Error::from(io::ErrorKind::InvalidData));
        }
        Ok(says(&whole))
    }

    /// Thousands are read for one list: the log itself is not even opened where
    /// the digest has it all.
    pub fn of_stamp(place: &Place, stamp: Stamp) -> Result<Self, SessionError> {
        if let Some(kept) = Self::kept(place, stamp) {
            return Ok(kept);
        }
        let file = tenon_files::open(&place.log)
            .map_err(|error| SessionError::io("read", &place.log, error))?;
        Self::from_ends(&file, place, stamp.length)
    }

    fn kept(place: &Place, stamp: Stamp) -> Option<Self> {
        // Behind the first line there may be the rest of a longer one.
        let kept = line_at(&tenon_files::open(&place.digest()).ok()?, 0).ok()??;
        let mut digest: Self = serde_json::from_slice(&kept).ok()?;
        if digest.meta.schema_version > SCHEMA_VERSION {
            return None;
        }
        match stamp.length.checked_sub(digest.bytes)? {
            0 => (digest.modified == stamp.modified).then_some(digest),
            1..=CATCH_UP => {
                let file = tenon_files::open(&place.log).ok()?;
                digest.is_followed(&file).then(|| {
                    digest.follow(&file, digest.bytes);
                    digest
                })
            }
            _ => None,
        }
    }

    /// Whether the log goes on where this ends: else it is another log. A record
    /// that is still being written decides nothing.
    fn is_followed(&self, file: &File) -> bool {
        #[derive(Deserialize)]
        struct Next {
            seq: u64,
        }
        match line_at(file, self.bytes) {
            Ok(Some(line)) => serde_json::from_slice::<Next>(&line)
                .is_ok_and(|next| next.seq == self.seq.saturating_add(1)),
            Ok(None) => true,
            Err(_) => false,
        }
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
            _ => Err(SessionError::not_meta(&first)),
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
        .map_err(|error| damaged(format!("the first line isn't a session record ({error})")))?;
    match version.schema_version {
        Some(found) if found > SCHEMA_VERSION => {
            return Err(SessionError::NewerSchema {
                path: place.log.clone(),
                found,
                known: SCHEMA_VERSION,
            });
        }
        Some(_) => {}
        None => {
            return Err(damaged(String::from(
                "the first line isn't a `meta` record",
            )));
        }
    }
    serde_json::from_slice(&line)
        .map_err(|error| damaged(format!("can't read the first line ({error})")))
}
