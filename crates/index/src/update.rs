//! From the logs into the index: only what was appended since the last time.
//! The logs are the truth. A session that is gone goes from the index; one whose
//! file is no longer the one that was read is read again from its beginning.

mod known;
mod reading;
mod writing;

pub(crate) use known::{Known, unsigned};

use crate::database::Index;
use crate::error::IndexError;
use crate::passage::may_speak;
use known::{forget, signed};
use reading::{Puts, Reading};
use rusqlite::OptionalExtension;
use std::collections::{HashMap, HashSet};
use tenon_session::LogFile;
use tenon_vocab::SessionId;
use writing::Writing;

/// A row of `words` is the number of the session and that of the passage in it.
pub(crate) const SHIFT: u32 = 24;
/// The passage that is the title.
pub(crate) const TITLE: i64 = 0;
/// Up to this size, what was deleted is taken out of the file at once.
const SMALL: i64 = 32 * 1024 * 1024;

/// What an update did.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Updated {
    /// Sessions of which something was read.
    pub read: usize,
    pub removed: usize,
    /// What could not be read, and why.
    pub unread: Vec<(SessionId, String)>,
}

/// What is to be read.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Behind {
    pub sessions: usize,
    pub bytes: u64,
}

#[derive(Debug, Default)]
struct Work {
    logs: Vec<LogFile>,
    gone: Vec<Known>,
    behind: Behind,
}

impl Index {
    /// Takes in what the logs have more than the index, and takes out what is
    /// no longer there. Can be interrupted at any time and goes on from there.
    ///
    /// # Errors
    /// When another process writes for too long, or the database is damaged.
    pub fn update(&mut self) -> Result<Updated, IndexError> {
        self.update_saying(&mut |_| {})
    }

    /// The same; says first how much is to be read, when there is something.
    ///
    /// # Errors
    /// As above.
    pub fn update_saying(&mut self, say: &mut dyn FnMut(Behind)) -> Result<Updated, IndexError> {
        let work = self.work()?;
        let mut done = Updated::default();
        if work.logs.is_empty() && work.gone.is_empty() {
            return Ok(done);
        }
        say(work.behind);
        let mut writing = Writing::begin(&self.connection)?;
        for known in &work.gone {
            forget(&self.connection, known)?;
            done.removed += 1;
            writing.breathe()?;
        }
        for log in &work.logs {
            match self.read(log, &mut writing) {
                Ok(()) => done.read += 1,
                Err(IndexError::Session(error)) => done.unread.push((log.id, error.to_string())),
                Err(other) => return Err(other),
            }
            writing.breathe()?;
        }
        writing.end()?;
        if done.removed > 0 {
            self.sweep()?;
        }
        Ok(done)
    }

    fn work(&self) -> Result<Work, IndexError> {
        let known = self.known()?;
        let mut logs = self.store.logs();
        let there: HashSet<SessionId> = logs.iter().map(|log| log.id).collect();
        let mut work = Work::default();
        logs.retain(|log| known.get(&log.id).is_none_or(|known| !known.is(log)));
        // Older sessions get lower numbers.
        logs.sort_unstable_by_key(|log| log.id);
        for log in &logs {
            let read = known.get(&log.id).map_or(0, |known| known.read);
            work.behind.sessions += 1;
            work.behind.bytes += log.bytes.saturating_sub(unsigned(read));
        }
        work.logs = logs;
        work.gone = known
            .into_values()
            .filter(|known| !there.contains(&known.id))
            .collect();
        Ok(work)
    }

    pub(crate) fn known(&self) -> Result<HashMap<SessionId, Known>, IndexError> {
        let mut statement = self.connection.prepare("SELECT * FROM session")?;
        let rows = statement.query_map([], Known::read)?;
        let mut all = HashMap::new();
        for known in rows {
            let known = known?;
            all.insert(known.id, known);
        }
        Ok(all)
    }

    pub(crate) fn numbered(&self, number: i64) -> Result<Option<Known>, IndexError> {
        let row = "SELECT * FROM session WHERE number = ?1";
        let found = self.connection.query_row(row, [number], Known::read);
        Ok(found.optional()?)
    }

    fn read(&self, log: &LogFile, writing: &mut Writing<'_>) -> Result<(), IndexError> {
        let mut reading = Reading::begin(self, log)?;
        let mut puts = Puts::new(&self.connection)?;
        match self.read_lines(log, &mut reading, &mut puts, writing) {
            Ok(Read::Whole) => reading.end(self, log, &mut puts),
            Ok(Read::ByAnother) => Ok(()),
            // What was read of it can be found, and it is not tried again
            // before it changes.
            Err(IndexError::Session(error)) => {
                reading.end(self, log, &mut puts)?;
                Err(IndexError::Session(error))
            }
            Err(other) => Err(other),
        }
    }

    fn read_lines(
        &self,
        log: &LogFile,
        reading: &mut Reading,
        puts: &mut Puts<'_>,
        writing: &mut Writing<'_>,
    ) -> Result<Read, IndexError> {
        let mut stream = self.store.stream(log.id, unsigned(reading.known.read))?;
        while unsigned(reading.known.read) < log.bytes {
            let Some(line) = stream.next_line()? else {
                break;
            };
            if may_speak(&line) {
                reading.take(&stream, &line, puts)?;
            }
            reading.known.read = signed(stream.offset());
            if writing.is_long() {
                reading.keep(&self.connection, log)?;
                writing.breathe()?;
                if !reading.is_ours(&self.connection)? {
                    return Ok(Read::ByAnother);
                }
            }
        }
        Ok(Read::Whole)
    }

    /// What was deleted stays in the file until its part of the index is
    /// written anew. For a small index that is done at once.
    fn sweep(&self) -> Result<(), IndexError> {
        let size: i64 = self.connection.query_row(
            "SELECT page_count * page_size FROM pragma_page_count, pragma_page_size",
            [],
            |row| row.get(0),
        )?;
        if size <= SMALL {
            self.connection
                .execute_batch("INSERT INTO words (words) VALUES ('optimize'); VACUUM;")?;
        }
        Ok(())
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Whole,
    /// Another process went on with it.
    ByAnother,
}
