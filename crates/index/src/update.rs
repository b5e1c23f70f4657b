//! From the logs into the index: only what was appended since the last time.
//! The logs are the truth. A session that is gone goes from the index; one whose
//! file is no longer the one that was read is read again from its beginning.

use crate::database::Index;
use crate::error::IndexError;
use crate::fold::{composed, words};
use crate::found::About;
use crate::passage::{self, may_speak};
use rusqlite::{Connection, OptionalExtension, Row, named_params, params};
use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::os::unix::fs::FileExt;
use std::time::{Duration, Instant};
use tenon_session::{LogFile, Numbers, Stream};
use tenon_vocab::{SessionId, Timestamp};

/// How long others may be kept from writing at a stretch.
const SLICE: Duration = Duration::from_secs(1);
/// Bytes before the place up to which a log was read, to know it again.
const TAIL: u64 = 64;
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

/// A session as the index has it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub number: i64,
    pub id: SessionId,
    /// Of the file when it was read.
    length: i64,
    modified: i64,
    /// The end of the last line that was read.
    read: i64,
    tail: Vec<u8>,
    messages: u32,
    passages: i64,
    pub about: About,
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

impl Known {
    fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
        let id: String = row.get("id")?;
        let updated: i64 = row.get("updated")?;
        Ok(Self {
            number: row.get("number")?,
            id: id.parse().map_err(|_| rusqlite::Error::InvalidQuery)?,
            length: row.get("length")?,
            modified: row.get("modified")?,
            read: row.get("read")?,
            tail: row.get("tail")?,
            messages: row.get("messages")?,
            passages: row.get("passages")?,
            about: About {
                title: row.get("title")?,
                cwd: row.get("cwd")?,
                updated: Timestamp::from_nanosecond(i128::from(updated))
                    .map_err(|_| rusqlite::Error::InvalidQuery)?,
            },
        })
    }

    fn of(connection: &Connection, id: SessionId) -> Result<Option<Self>, IndexError> {
        Ok(connection
            .query_row(
                "SELECT * FROM session WHERE id = ?1",
                [id.to_string()],
                Self::read,
            )
            .optional()?)
    }

    fn is(&self, log: &LogFile) -> bool {
        unsigned(self.length) == log.bytes && self.modified == stamp(log)
    }

    /// The file is still the one that was read, with more behind it.
    fn still_is(&self, log: &LogFile) -> bool {
        let read = unsigned(self.read);
        log.bytes >= read && tail(log, read).is_some_and(|tail| tail == self.tail)
    }
}

/// The bytes just before a place of a log.
fn tail(log: &LogFile, end: u64) -> Option<Vec<u8>> {
    let file = File::open(&log.path).ok()?;
    let mut bytes = vec![0; usize::try_from(end.min(TAIL)).ok()?];
    let from = end.saturating_sub(TAIL);
    file.read_exact_at(&mut bytes, from).ok()?;
    Some(bytes)
}

fn stamp(log: &LogFile) -> i64 {
    i64::try_from(log.modified.as_nanos()).unwrap_or(i64::MAX)
}

fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

fn forget(connection: &Connection, known: &Known) -> Result<(), IndexError> {
    clear(connection, known.number)?;
    connection.execute("DELETE FROM session WHERE number = ?1", [known.number])?;
    Ok(())
}

fn clear(connection: &Connection, number: i64) -> Result<(), IndexError> {
    let (first, last) = (number << SHIFT, ((number + 1) << SHIFT) - 1);
    connection.execute(
        "DELETE FROM words WHERE rowid IN
             (SELECT number FROM passage WHERE number BETWEEN ?1 AND ?2)",
        [first, last],
    )?;
    connection.execute(
        "DELETE FROM passage WHERE number BETWEEN ?1 AND ?2",
        [first, last],
    )?;
    Ok(())
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Read {
    Whole,
    /// Another process went on with it.
    ByAnother,
}

/// One session while it is read.
struct Reading {
    known: Known,
    numbers: Numbers,
}

impl Reading {
    /// What the index has of it by now; a first row when there is none.
    fn begin(index: &Index, log: &LogFile) -> Result<Self, IndexError> {
        let connection = &index.connection;
        let mut known = match Known::of(connection, log.id)? {
            Some(known) => known,
            None => {
                let about = index.store.summary(log.id)?.into();
                insert(connection, log.id, &about)?
            }
        };
        if !known.still_is(log) {
            clear(connection, known.number)?;
            known.read = 0;
            known.messages = 0;
            known.passages = TITLE + 1;
            known.about.title.clear();
        }
        let numbers = Numbers::after(known.messages);
        Ok(Self { known, numbers })
    }

    fn take(
        &mut self,
        stream: &Stream,
        line: &tenon_session::RawLine,
        puts: &mut Puts<'_>,
    ) -> Result<(), IndexError> {
        // A line that cannot be decoded says nothing.
        let Some(event) = stream.decode(line) else {
            return Ok(());
        };
        let message = self.numbers.of(&event);
        self.known.messages = self.numbers.last();
        let Some(passage) = passage::of(&event) else {
            return Ok(());
        };
        if self.known.passages >= 1 << SHIFT {
            return Ok(());
        }
        let row = (self.known.number << SHIFT) | self.known.passages;
        puts.put(row, signed(line.offset), message, &passage.text)?;
        self.known.passages += 1;
        Ok(())
    }

    /// Up to here it was read, for whoever goes on.
    fn keep(&mut self, connection: &Connection, log: &LogFile) -> Result<(), IndexError> {
        let known = &mut self.known;
        known.tail = tail(log, unsigned(known.read)).unwrap_or_default();
        connection.execute(
            "UPDATE session SET length = :length, modified = :modified, read = :read,
                 tail = :tail, messages = :messages, passages = :passages, title = :title,
                 cwd = :cwd, updated = :updated
             WHERE number = :number",
            named_params! {
                ":number": known.number,
                ":length": known.length,
                ":modified": known.modified,
                ":read": known.read,
                ":tail": known.tail,
                ":messages": known.messages,
                ":passages": known.passages,
                ":title": known.about.title,
                ":cwd": known.about.cwd,
                ":updated": nanoseconds(known.about.updated),
            },
        )?;
        Ok(())
    }

    /// Another process may have read on while nobody held the lock.
    fn is_ours(&self, connection: &Connection) -> Result<bool, IndexError> {
        let now = Known::of(connection, self.known.id)?;
        Ok(now.is_some_and(|now| now.number == self.known.number && now.read == self.known.read))
    }

    fn end(mut self, index: &Index, log: &LogFile, puts: &mut Puts<'_>) -> Result<(), IndexError> {
        let about: About = index.store.summary(log.id)?.into();
        if about.title != self.known.about.title {
            let row = (self.known.number << SHIFT) | TITLE;
            puts.remove(row)?;
            puts.put(row, -1, None, &about.title)?;
        }
        self.known.about = about;
        self.known.length = signed(log.bytes);
        self.known.modified = stamp(log);
        self.keep(&index.connection, log)
    }
}

fn insert(connection: &Connection, id: SessionId, about: &About) -> Result<Known, IndexError> {
    connection.execute(
        "INSERT INTO session (id, length, modified, read, tail, messages, passages, title,
             cwd, updated)
         VALUES (?1, -1, 0, 0, x'', 0, ?2, '', ?3, ?4)",
        params![
            id.to_string(),
            TITLE + 1,
            about.cwd,
            nanoseconds(about.updated)
        ],
    )?;
    Ok(Known {
        number: connection.last_insert_rowid(),
        id,
        length: -1,
        modified: 0,
        read: 0,
        tail: Vec::new(),
        messages: 0,
        passages: TITLE + 1,
        about: About {
            title: String::new(),
            ..about.clone()
        },
    })
}

fn nanoseconds(moment: Timestamp) -> i64 {
    i64::try_from(moment.as_nanosecond()).unwrap_or(i64::MAX)
}

/// The statements that are run for every passage.
struct Puts<'a> {
    passage: rusqlite::Statement<'a>,
    words: rusqlite::Statement<'a>,
    remove: [rusqlite::Statement<'a>; 2],
}

impl<'a> Puts<'a> {
    fn new(connection: &'a Connection) -> Result<Self, IndexError> {
        Ok(Self {
            passage: connection
                .prepare("INSERT INTO passage (number, place, message) VALUES (?1, ?2, ?3)")?,
            words: connection.prepare("INSERT INTO words (rowid, text) VALUES (?1, ?2)")?,
            remove: [
                connection.prepare(
                    "DELETE FROM words WHERE rowid IN
                         (SELECT number FROM passage WHERE number = ?1)",
                )?,
                connection.prepare("DELETE FROM passage WHERE number = ?1")?,
            ],
        })
    }

    fn put(
        &mut self,
        row: i64,
        place: i64,
        message: Option<u32>,
        text: &str,
    ) -> Result<(), IndexError> {
        let words = words(&composed(text));
        if words.is_empty() {
            return Ok(());
        }
        self.passage.execute(params![row, place, message])?;
        self.words.execute(params![row, words])?;
        Ok(())
    }

    fn remove(&mut self, row: i64) -> Result<(), IndexError> {
        for statement in &mut self.remove {
            statement.execute([row])?;
        }
        Ok(())
    }
}

/// A transaction that is ended and begun again before others wait for long.
struct Writing<'a> {
    connection: &'a Connection,
    since: Instant,
    open: bool,
}

impl<'a> Writing<'a> {
    fn begin(connection: &'a Connection) -> Result<Self, IndexError> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self {
            connection,
            since: Instant::now(),
            open: true,
        })
    }

    fn is_long(&self) -> bool {
        self.since.elapsed() > SLICE
    }

    fn breathe(&mut self) -> Result<(), IndexError> {
        if self.is_long() {
            self.commit()?;
            self.connection.execute_batch("BEGIN IMMEDIATE")?;
            self.open = true;
            self.since = Instant::now();
        }
        Ok(())
    }

    fn commit(&mut self) -> Result<(), IndexError> {
        self.connection.execute_batch("COMMIT")?;
        self.open = false;
        Ok(())
    }

    fn end(mut self) -> Result<(), IndexError> {
        self.commit()
    }
}

impl Drop for Writing<'_> {
    fn drop(&mut self) {
        if self.open {
            // What was not committed is read again the next time.
            let _ = self.connection.execute_batch("ROLLBACK");
        }
    }
}
