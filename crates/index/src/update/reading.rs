//! One log into its rows: each passage with its words, and how far it was read.

use super::known::{Known, clear, insert, nanoseconds, signed, stamp, tail, unsigned};
use super::{SHIFT, TITLE};
use crate::database::Index;
use crate::error::IndexError;
use crate::fold::{composed, words};
use crate::found::About;
use crate::passage;
use rusqlite::{Connection, named_params, params};
use tenon_session::{LogFile, Numbers, RawLine, Stream};

/// One session while it is read.
pub(super) struct Reading {
    pub(super) known: Known,
    numbers: Numbers,
}

impl Reading {
    /// What the index has of it by now; a first row when there is none.
    pub(super) fn begin(index: &Index, log: &LogFile) -> Result<Self, IndexError> {
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

    pub(super) fn take(
        &mut self,
        stream: &Stream,
        line: &RawLine,
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
    pub(super) fn keep(
        &mut self,
        connection: &Connection,
        log: &LogFile,
    ) -> Result<(), IndexError> {
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
    pub(super) fn is_ours(&self, connection: &Connection) -> Result<bool, IndexError> {
        let now = Known::of(connection, self.known.id)?;
        Ok(now.is_some_and(|now| now.number == self.known.number && now.read == self.known.read))
    }

    pub(super) fn end(
        mut self,
        index: &Index,
        log: &LogFile,
        puts: &mut Puts<'_>,
    ) -> Result<(), IndexError> {
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

/// The statements that are run for every passage.
pub(super) struct Puts<'a> {
    passage: rusqlite::Statement<'a>,
    words: rusqlite::Statement<'a>,
    remove: [rusqlite::Statement<'a>; 2],
}

impl<'a> Puts<'a> {
    pub(super) fn new(connection: &'a Connection) -> Result<Self, IndexError> {
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
