//! The folder of all sessions: making, opening, finding and removing them.
//! One file for each session and no shared one, so that twenty programs can
//! work in it at once and no damage spreads.

use crate::blobs::Blobs;
use crate::damage::Damage;
use crate::digest::Digest;
use crate::frames::Partial;
use crate::leftovers::Leftovers;
use crate::load::{Loaded, load};
use crate::lock::{Lock, writer};
use crate::log::{Disk, Log};
use crate::packed;
use crate::place::{self, Place, private_file, private_folder};
use crate::rebuild::{Index, Rebuilt, rebuild};
use crate::record::encode;
use crate::recover::recovery_events;
use crate::sink::Appender;
use crate::{ListFilter, Listing, SessionError, State, Summary};
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenon_vocab::{Event, SessionId, Timestamp};

/// Sessions that are looked at for who writes them.
const NEWEST: usize = 50;

/// The folder `sessions` of a state folder.
#[derive(Debug, Clone)]
pub struct Store {
    root: PathBuf,
}

impl Store {
    /// Touches nothing; the folder is made with the first session.
    #[must_use]
    pub fn new(sessions: PathBuf) -> Self {
        Self { root: sessions }
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    /// Starts a session with its `meta` record.
    ///
    /// # Errors
    /// When the id is taken, or the folder cannot be written to.
    pub fn create(&self, first: &Event) -> Result<(Log, State), SessionError> {
        let state = State::new(first)?;
        let id = state.meta().id;
        if self.exists(id) {
            return Err(SessionError::Exists { id });
        }
        let month = place::month_of(&self.root, first.ts);
        let is_new_month = !month.is_dir();
        let place = Place::in_month(&month, id);
        private_folder(&place.folder)?;
        let lock = Lock::take(&place, id)?;
        if place.log.exists() {
            return Err(SessionError::Exists { id });
        }
        let blobs = Blobs::in_folder(place.blobs());
        let encoded = encode(first, &blobs)?;
        write_whole(&place, encoded.line.as_bytes())?;
        place::sync_folder(&month)?;
        if is_new_month {
            for above in [month.parent(), Some(&self.root)].into_iter().flatten() {
                place::sync_folder(above)?;
            }
        }
        let mut digest = Digest::new(first, state.meta());
        digest.bytes = encoded.line.len() as u64;
        let mut index = Index::default();
        index.note(0, 0);
        let disk = Disk {
            file: Appender::new(open_log(&place)?, digest.bytes),
            partial: Partial::new(&place),
            index,
            snapshot: 0,
            digest,
            unsynced: encoded.blobs,
            _lock: lock,
            place,
        };
        Ok((Log::on_disk(id, 1, blobs, disk, Damage::default()), state))
    }

    /// Goes on with a session: takes the lock, cuts a torn last line, and writes
    /// what a crash left out.
    ///
    /// # Errors
    /// When there is no such session, another process has it, it is of a newer
    /// version, or its first record cannot be read.
    pub fn open(&self, id: SessionId, now: Timestamp) -> Result<(Log, State), SessionError> {
        let place = self.place(id)?;
        private_folder(&place.folder)?;
        let lock = Lock::take(&place, id)?;
        let file = open_log(&place)?;
        let blobs = Blobs::in_folder(place.blobs());
        let Rebuilt {
            mut state,
            next_seq,
            end,
            updated,
            index,
            damage,
        } = rebuild(&file, &place, &blobs)?;
        file.set_len(end)
            .map_err(|error| SessionError::io("cut the torn end of", &place.log, error))?;
        let mut digest = Digest::of(&place)?;
        digest.totals = state.totals.clone();
        digest.updated = updated;
        digest.bytes = end;
        digest.seq = next_seq.saturating_sub(1);
        digest.partial = false;
        let disk = Disk {
            file: Appender::new(file, end),
            partial: Partial::new(&place),
            index,
            snapshot: state.last_snapshot().unwrap_or(0),
            digest,
            unsynced: Vec::new(),
            _lock: lock,
            place: place.clone(),
        };
        let mut log = Log::on_disk(id, next_seq, blobs, disk, damage);
        let mut left = Leftovers::read(&place)?;
        if let Some(seq) = left.first_seq() {
            for event in log.read_from(seq)? {
                left.supersede(&event);
            }
        }
        for event in recovery_events(&state, &left, next_seq, now) {
            let offset = log.append(&event)?;
            state.apply(&event, offset);
        }
        log.drop_frames()?;
        Ok((log, state))
    }

    /// Reads a session without touching it, also while a process writes it.
    ///
    /// # Errors
    /// When there is no such session or its first record cannot be read.
    pub fn load(&self, id: SessionId) -> Result<Loaded, SessionError> {
        load(id, self.place(id)?)
    }

    #[must_use]
    pub fn exists(&self, id: SessionId) -> bool {
        place::locate(&self.root, id).is_some()
    }

    pub(crate) fn place(&self, id: SessionId) -> Result<Place, SessionError> {
        place::locate(&self.root, id).ok_or_else(|| SessionError::NotFound {
            text: id.to_string(),
        })
    }

    /// The session that a user means: a whole id, or the beginning of just one.
    ///
    /// # Errors
    /// When it is no id, or fits none or several.
    pub fn find(&self, text: &str) -> Result<SessionId, SessionError> {
        let digits: String = text
            .chars()
            .filter(|c| *c != '-')
            .map(|c| c.to_ascii_lowercase())
            .collect();
        let is_id = !digits.is_empty()
            && digits.len() <= 32
            && digits.chars().all(|c| c.is_ascii_hexdigit());
        if !is_id {
            return Err(SessionError::NotAnId {
                text: text.to_owned(),
            });
        }
        let not_found = || SessionError::NotFound {
            text: text.to_owned(),
        };
        if digits.len() == 32 {
            let id = digits.parse().map_err(|_| not_found())?;
            return self.exists(id).then_some(id).ok_or_else(not_found);
        }
        let mut candidates: Vec<SessionId> = self
            .ids()
            .into_iter()
            .filter(|id| id.0.simple().to_string().starts_with(&digits))
            .collect();
        candidates.sort();
        candidates.dedup();
        match candidates.as_slice() {
            [] => Err(not_found()),
            [one] => Ok(*one),
            _ => Err(SessionError::Ambiguous {
                text: text.to_owned(),
                candidates,
            }),
        }
    }

    /// The session that was written to last, of one directory or of all.
    ///
    /// # Errors
    /// When the folder of sessions is there and cannot be read.
    pub fn latest(&self, cwd: Option<&str>) -> Result<Option<SessionId>, SessionError> {
        match fs::read_dir(&self.root) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(SessionError::io("read", &self.root, error)),
            Ok(_) => {}
        }
        let filter = ListFilter {
            cwd: cwd.map(ToOwned::to_owned),
        };
        Ok(self.list(&filter).sessions.first().map(|newest| newest.id))
    }

    /// Sessions of a directory that other processes write now, with their
    /// processes. Looks only at the newest ones: it is asked at every start.
    #[must_use]
    pub fn in_use(&self, cwd: &str) -> Vec<(SessionId, u32)> {
        place::newest(&self.root, NEWEST)
            .into_iter()
            .take(NEWEST)
            .filter_map(|found| Some((writer(&found.place())?, found)))
            .filter(|(pid, _)| *pid != std::process::id())
            .filter(|(_, found)| {
                Digest::of(&found.place()).is_ok_and(|digest| digest.meta.cwd == cwd)
            })
            .map(|(pid, found)| (found.id, pid))
            .collect()
    }

    /// The other process that writes this session now, as far as can be told
    /// without touching its lock: for lists and messages, not to decide by.
    #[must_use]
    pub fn open_elsewhere(&self, id: SessionId) -> Option<u32> {
        let pid = writer(&self.place(id).ok()?)?;
        (pid != std::process::id()).then_some(pid)
    }

    /// Sessions by the filter, newest first. What cannot be read is named and
    /// passed over; recorded directories are never looked at.
    #[must_use]
    pub fn list(&self, filter: &ListFilter) -> Listing {
        crate::list::list(self.root(), filter)
    }

    /// What a list shows of one session.
    ///
    /// # Errors
    /// When there is no such session or its first record cannot be read.
    pub fn summary(&self, id: SessionId) -> Result<Summary, SessionError> {
        let digest = Digest::of(&self.place(id)?)?;
        Ok(crate::list::summary(id, digest))
    }

    /// All that there are, in no order, by a look at names alone.
    #[must_use]
    pub fn ids(&self) -> Vec<SessionId> {
        let found = place::all(&self.root);
        found.into_iter().map(|found| found.id).collect()
    }

    /// Removes a session with all that belongs to it.
    ///
    /// # Errors
    /// When a process has it open, or the files cannot be removed.
    pub fn delete(&self, id: SessionId) -> Result<(), SessionError> {
        let place = self.place(id)?;
        private_folder(&place.folder)?;
        let lock = Lock::take(&place, id)?;
        remove(&place, lock)?;
        packed::remove(&self.root);
        if let Some(month) = place.log.parent() {
            place::remove_if_empty(&self.root, month);
        }
        Ok(())
    }

    /// Removes sessions that were not written to for so long. Pinned ones stay,
    /// those in use too, and what cannot be read stays for a person to look at.
    pub fn prune(&self, older_than: Duration, now: Timestamp) -> Vec<SessionId> {
        let Ok(limit) = now.checked_sub(older_than) else {
            return Vec::new();
        };
        let mut removed = Vec::new();
        for found in place::all(&self.root) {
            // Most are younger by their very names: this is done at every start.
            if place::made_at(found.id).is_some_and(|made| made >= limit) {
                continue;
            }
            let is_old = Digest::of(&found.place()).is_ok_and(|digest| {
                digest.updated < limit && digest.is_pinned(&found.place()).is_ok_and(|yes| !yes)
            });
            if is_old && self.delete(found.id).is_ok() {
                removed.push(found.id);
            }
        }
        for (id, orphan) in place::orphans(&self.root) {
            let is_old = place::modified(&orphan.folder).is_some_and(|at| at < limit);
            if is_old && let Ok(lock) = Lock::take(&orphan, id) {
                // Nobody misses what cannot be removed; the next prune tries again.
                let _ = remove(&orphan, lock);
            }
        }
        for month in place::months(&self.root) {
            place::remove_if_empty(&self.root, &month);
        }
        removed
    }
}

/// The first record appears whole or not at all: a log without it could not
/// even say which session it is.
fn write_whole(place: &Place, line: &[u8]) -> Result<(), SessionError> {
    let fresh = place.folder.join("first");
    let say = |error| SessionError::io("write", &place.log, error);
    let mut options = private_file();
    options.write(true).create(true).truncate(true);
    let mut file = tenon_files::open_with(&mut options, &fresh).map_err(say)?;
    file.write_all(line).map_err(say)?;
    fs::rename(&fresh, &place.log).map_err(say)
}

fn open_log(place: &Place) -> Result<fs::File, SessionError> {
    tenon_files::open_with(private_file().read(true).append(true), &place.log)
        .map_err(|error| SessionError::io("open", &place.log, error))
}

/// The log goes first: what is left without it is nobody's session. The lock
/// is held to the end.
fn remove(place: &Place, lock: Lock) -> Result<(), SessionError> {
    let gone = |removed: io::Result<()>| match removed {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        other => other,
    };
    gone(fs::remove_file(&place.log))
        .map_err(|error| SessionError::io("remove", &place.log, error))?;
    gone(fs::remove_dir_all(&place.folder))
        .map_err(|error| SessionError::io("remove", &place.folder, error))?;
    drop(lock);
    Ok(())
}
