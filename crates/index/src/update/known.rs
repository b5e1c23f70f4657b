//! A session as the index has it, and whether a log is still the one that was
//! read. Knows rows and stamps, not what is said.

use super::TITLE;
use crate::error::IndexError;
use crate::found::About;
use crate::update::SHIFT;
use rusqlite::{Connection, OptionalExtension, Row, params};
use std::os::unix::fs::FileExt;
use tenon_session::LogFile;
use tenon_vocab::{SessionId, Timestamp};

/// Bytes before the place up to which a log was read, to know it again.
const TAIL: u64 = 64;

/// A session as the index has it.
#[derive(Debug, Clone)]
pub(crate) struct Known {
    pub number: i64,
    pub id: SessionId,
    /// Of the file when it was read.
    pub(super) length: i64,
    pub(super) modified: i64,
    /// The end of the last line that was read.
    pub(super) read: i64,
    pub(super) tail: Vec<u8>,
    pub(super) messages: u32,
    pub(super) passages: i64,
    pub about: About,
}

impl Known {
    pub(super) fn read(row: &Row<'_>) -> rusqlite::Result<Self> {
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

    pub(super) fn of(connection: &Connection, id: SessionId) -> Result<Option<Self>, IndexError> {
        Ok(connection
            .query_row(
                "SELECT * FROM session WHERE id = ?1",
                [id.to_string()],
                Self::read,
            )
            .optional()?)
    }

    pub(super) fn is(&self, log: &LogFile) -> bool {
        unsigned(self.length) == log.bytes && self.modified == stamp(log)
    }

    /// The file is still the one that was read, with more behind it.
    pub(super) fn still_is(&self, log: &LogFile) -> bool {
        let read = unsigned(self.read);
        log.bytes >= read && tail(log, read).is_some_and(|tail| tail == self.tail)
    }
}

/// The bytes just before a place of a log.
pub(super) fn tail(log: &LogFile, end: u64) -> Option<Vec<u8>> {
    let file = tenon_files::open(&log.path).ok()?;
    let mut bytes = vec![0; usize::try_from(end.min(TAIL)).ok()?];
    let from = end.saturating_sub(TAIL);
    file.read_exact_at(&mut bytes, from).ok()?;
    Some(bytes)
}

pub(super) fn stamp(log: &LogFile) -> i64 {
    i64::try_from(log.modified.as_nanos()).unwrap_or(i64::MAX)
}

pub(super) fn signed(number: u64) -> i64 {
    i64::try_from(number).unwrap_or(i64::MAX)
}

pub(crate) fn unsigned(number: i64) -> u64 {
    u64::try_from(number).unwrap_or(0)
}

pub(super) fn insert(
    connection: &Connection,
    id: SessionId,
    about: &About,
) -> Result<Known, IndexError> {
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

pub(super) fn nanoseconds(moment: Timestamp) -> i64 {
    i64::try_from(moment.as_nanosecond()).unwrap_or(i64::MAX)
}

pub(super) fn forget(connection: &Connection, known: &Known) -> Result<(), IndexError> {
    clear(connection, known.number)?;
    connection.execute("DELETE FROM session WHERE number = ?1", [known.number])?;
    Ok(())
}

pub(super) fn clear(connection: &Connection, number: i64) -> Result<(), IndexError> {
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
