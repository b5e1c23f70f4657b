//! The one writer of a session. Appending is inline and cheap; nothing here
//! decides what is written or when it is synced: that is the engine's.

use crate::aside::Aside;
use crate::blobs::Blobs;
use crate::damage::Damage;
use crate::digest::Digest;
use crate::frames::{Frame, FrameOf, Partial};
use crate::lines::Lines;
use crate::lock::Lock;
use crate::memory::Ring;
use crate::place::Place;
use crate::rebuild::{Index, record_at};
use crate::record::{Encoded, decode, encode};
use crate::scratch::Scratch;
use crate::sink::Appender;
use crate::{SessionError, State};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tenon_vocab::{BlobRef, Event, EventKind, HistoryRef, SessionId, TodoItem};

#[derive(Debug)]
pub struct Log {
    id: SessionId,
    next_seq: u64,
    blobs: Blobs,
    backing: Backing,
    damage: Damage,
}

#[derive(Debug)]
enum Backing {
    Disk(Box<Disk>),
    Memory { ring: Ring, scratch: Arc<Scratch> },
}

#[derive(Debug)]
pub(crate) struct Disk {
    pub place: Place,
    pub file: Appender<File>,
    pub partial: Partial,
    pub index: Index,
    /// Where the last snapshot begins.
    pub snapshot: u64,
    pub digest: Digest,
    /// Content that records refer to and that is not yet synced.
    pub unsynced: Vec<BlobRef>,
    pub _lock: Lock,
}

impl Log {
    pub(crate) fn on_disk(
        id: SessionId,
        next_seq: u64,
        blobs: Blobs,
        disk: Disk,
        damage: Damage,
    ) -> Self {
        Self {
            id,
            next_seq,
            blobs,
            backing: Backing::Disk(Box::new(disk)),
            damage,
        }
    }

    /// A session that leaves nothing behind: events in a bounded ring, content
    /// in memory, and a private temporary folder only when one is asked for.
    ///
    /// # Errors
    /// When the first event is no `meta` with seq 0.
    pub fn ephemeral(first: &Event) -> Result<(Self, State), SessionError> {
        let state = State::new(first)?;
        let scratch = Arc::new(Scratch::default());
        let mut ring = Ring::default();
        ring.push(first);
        let log = Self {
            id: state.meta().id,
            next_seq: 1,
            blobs: Blobs::in_memory(Arc::clone(&scratch)),
            backing: Backing::Memory { ring, scratch },
            damage: Damage::default(),
        };
        Ok((log, state))
    }

    #[must_use]
    pub fn id(&self) -> SessionId {
        self.id
    }

    /// The file; none for a session that is not saved.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match &self.backing {
            Backing::Disk(disk) => Some(&disk.place.log),
            Backing::Memory { .. } => None,
        }
    }

    pub(crate) fn file(&self) -> Option<(&File, &Path)> {
        match &self.backing {
            Backing::Disk(disk) => Some((&disk.file.sink, &disk.place.log)),
            Backing::Memory { .. } => None,
        }
    }

    /// The session's folder, where spilled outputs go (into `out/`).
    ///
    /// # Errors
    /// When the temporary folder of an unsaved session cannot be made.
    pub fn folder(&self) -> Result<PathBuf, SessionError> {
        match &self.backing {
            Backing::Disk(disk) => Ok(disk.place.folder.clone()),
            Backing::Memory { scratch, .. } => scratch.folder(),
        }
    }

    /// The seq that the next durable event must have.
    #[must_use]
    pub fn next_seq(&self) -> u64 {
        self.next_seq
    }

    /// Records that could not be read when the log was opened, for a notice.
    #[must_use]
    pub fn damage(&self) -> &Damage {
        &self.damage
    }

    #[must_use]
    pub fn blobs(&self) -> Blobs {
        self.blobs.clone()
    }

    /// Writes one record with one system call and gives its offset.
    ///
    /// # Errors
    /// When the event is not the next one, or the disk does not take it; then
    /// the file is as it was before.
    pub fn append(&mut self, event: &Event) -> Result<u64, SessionError> {
        if !event.is_durable() {
            return Err(SessionError::NotDurable {
                kind: event.kind.name().to_owned(),
            });
        }
        let encoded = match &self.backing {
            Backing::Disk(_) => Some(encode(event, &self.blobs)?),
            Backing::Memory { .. } => None,
        };
        self.write(event, encoded)
    }

    /// A record whose line is given: a copy from another log.
    pub(crate) fn append_line(
        &mut self,
        event: &Event,
        mut line: String,
    ) -> Result<u64, SessionError> {
        line.push('\n');
        let blobs = Vec::new();
        self.write(event, Some(Encoded { line, blobs }))
    }

    fn write(&mut self, event: &Event, encoded: Option<Encoded>) -> Result<u64, SessionError> {
        if event.seq != self.next_seq {
            return Err(SessionError::OutOfSequence {
                expected: self.next_seq,
                found: event.seq,
            });
        }
        let offset = match (&mut self.backing, encoded) {
            (Backing::Disk(disk), Some(encoded)) => disk.append(event, encoded)?,
            (Backing::Memory { ring, .. }, _) => {
                ring.push(event);
                event.seq
            }
            (Backing::Disk(_), None) => event.seq,
        };
        self.next_seq += 1;
        Ok(offset)
    }

    /// Makes all that was appended survive a power loss.
    ///
    /// # Errors
    /// When the disk fails.
    pub fn sync(&mut self) -> Result<(), SessionError> {
        let Backing::Disk(disk) = &mut self.backing else {
            return Ok(());
        };
        for blob in disk.unsynced.drain(..) {
            self.blobs.sync(&blob)?;
        }
        disk.file
            .sink
            .sync_data()
            .map_err(|error| SessionError::io("sync", &disk.place.log, error))
    }

    /// Keeps a piece of what streams until its record is written.
    ///
    /// # Errors
    /// When the disk does not take it.
    pub fn frame(&mut self, frame: &Frame) -> Result<(), SessionError> {
        match &mut self.backing {
            Backing::Disk(disk) => disk.partial.write(self.next_seq, frame),
            Backing::Memory { .. } => Ok(()),
        }
    }

    /// The record of this stream is in the log.
    ///
    /// # Errors
    /// When the file cannot be emptied.
    pub fn clear_frames(&mut self, of: &FrameOf) -> Result<(), SessionError> {
        match &mut self.backing {
            Backing::Disk(disk) => disk.partial.clear(of),
            Backing::Memory { .. } => Ok(()),
        }
    }

    pub(crate) fn drop_frames(&mut self) -> Result<(), SessionError> {
        match &mut self.backing {
            Backing::Disk(disk) => disk.partial.empty(),
            Backing::Memory { .. } => Ok(()),
        }
    }

    /// The record that stands at this place; `None` when it is not that one, or
    /// an unsaved session no longer holds it.
    #[must_use]
    pub fn record_at(&self, at: HistoryRef) -> Option<Event> {
        match &self.backing {
            Backing::Disk(disk) => record_at(&disk.file.sink, &self.blobs, at.offset),
            Backing::Memory { ring, .. } => ring.from(at.seq).into_iter().next(),
        }
        .filter(|event| event.seq == at.seq)
    }

    /// A place for contents that are needed only while the session is open.
    ///
    /// # Errors
    /// When the disk does not give one.
    pub fn aside(&self) -> Result<Aside, SessionError> {
        let folder = self.folder()?;
        Aside::in_folder(&folder)
            .map_err(|error| SessionError::io("create a file in", &folder, error))
    }

    /// The task list as it was before a record. Reads the log through, without
    /// holding it.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn todo_before(&self, seq: u64) -> Result<Vec<TodoItem>, SessionError> {
        let mut items = Vec::new();
        self.each_before(seq, r#""type":"todo""#, |kind| {
            if let EventKind::Todo(todo) = kind {
                items = todo.items;
            }
        })?;
        Ok(items)
    }

    /// The agent as it was before the event with this seq.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn agent_before(&self, seq: u64) -> Result<Option<String>, SessionError> {
        let mut agent = None;
        self.each_before(seq, r#""type":"settings""#, |kind| {
            if let EventKind::Settings(settings) = kind {
                agent = Some(settings.agent_name);
            }
        })?;
        Ok(agent)
    }

    /// The session's own events of one kind before a seq; `word` stands in the
    /// line of each.
    fn each_before(
        &self,
        seq: u64,
        word: &str,
        mut note: impl FnMut(EventKind),
    ) -> Result<(), SessionError> {
        let mut take = |event: Event| {
            if event.seq < seq && event.parent.is_none() {
                note(event.kind);
            }
        };
        let Backing::Disk(disk) = &self.backing else {
            self.read_from(0)?.into_iter().for_each(take);
            return Ok(());
        };
        let mut lines = Lines::new(&disk.file.sink, 0);
        let say = |error| SessionError::io("read", &disk.place.log, error);
        while let Some(line) = lines.next_whole().map_err(say)? {
            // A mere look first: most lines are of another kind.
            if let Ok(text) = std::str::from_utf8(&line.bytes)
                && text.contains(word)
                && let Ok(event) = decode(text, &self.blobs)
            {
                take(event);
            }
        }
        Ok(())
    }

    /// How much was written since the last snapshot; over 8 MB one is due.
    #[must_use]
    pub fn bytes_since_snapshot(&self) -> u64 {
        match &self.backing {
            Backing::Disk(disk) => disk.file.end().saturating_sub(disk.snapshot),
            Backing::Memory { .. } => 0,
        }
    }

    /// The durable events from `seq` on. An unsaved session gives those it
    /// still holds; the seq of the first tells what is gone.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_from(&self, seq: u64) -> Result<Vec<Event>, SessionError> {
        match &self.backing {
            Backing::Disk(disk) => disk.read_from(seq, &self.blobs),
            Backing::Memory { ring, .. } => Ok(ring.from(seq)),
        }
    }

    /// The same, where the place of a record before it is known: what stands
    /// before that place is not read.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read_after(&self, known: HistoryRef, seq: u64) -> Result<Vec<Event>, SessionError> {
        match &self.backing {
            Backing::Disk(disk) if known.seq <= seq => {
                let offset = disk.index.before(seq).max(known.offset);
                disk.read_at(offset, seq, &self.blobs)
            }
            Backing::Disk(disk) => disk.read_from(seq, &self.blobs),
            Backing::Memory { ring, .. } => Ok(ring.from(seq)),
        }
    }
}

impl Disk {
    fn append(&mut self, event: &Event, encoded: Encoded) -> Result<u64, SessionError> {
        let offset = self
            .file
            .append(encoded.line.as_bytes())
            .map_err(|error| SessionError::io("write", &self.place.log, error))?;
        self.unsynced.extend(encoded.blobs);
        self.index.note(event.seq, offset);
        self.digest.apply(event);
        self.digest.bytes = self.file.end();
        match event.kind {
            EventKind::Snapshot(_) => self.snapshot = offset,
            EventKind::RunFinished(_) if event.parent.is_none() => self.write_digest(),
            _ => {}
        }
        Ok(offset)
    }

    fn write_digest(&self) {
        // A cache: when it cannot be written, lists read the log.
        let _ = self.digest.write(&self.place, &self.file.sink);
    }

    fn read_from(&self, seq: u64, blobs: &Blobs) -> Result<Vec<Event>, SessionError> {
        self.read_at(self.index.before(seq), seq, blobs)
    }

    fn read_at(&self, offset: u64, seq: u64, blobs: &Blobs) -> Result<Vec<Event>, SessionError> {
        let say = |error| SessionError::io("read", &self.place.log, error);
        let mut lines = Lines::new(&self.file.sink, offset);
        let mut events = Vec::new();
        while lines.offset() < self.file.end() {
            let Some(line) = lines.next_whole().map_err(say)? else {
                break;
            };
            let event = std::str::from_utf8(&line.bytes)
                .ok()
                .and_then(|text| decode(text, blobs).ok());
            events.extend(event.filter(|event| event.seq >= seq));
        }
        Ok(events)
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        self.write_digest();
    }
}
