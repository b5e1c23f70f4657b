//! Writing to an index that others want to write to, too.

use crate::error::IndexError;
use rusqlite::Connection;
use std::time::{Duration, Instant};

/// How long others may be kept from writing at a stretch.
const SLICE: Duration = Duration::from_secs(1);

/// A transaction that is ended and begun again before others wait for long.
pub(super) struct Writing<'a> {
    connection: &'a Connection,
    since: Instant,
    open: bool,
}

impl<'a> Writing<'a> {
    pub(super) fn begin(connection: &'a Connection) -> Result<Self, IndexError> {
        connection.execute_batch("BEGIN IMMEDIATE")?;
        Ok(Self {
            connection,
            since: Instant::now(),
            open: true,
        })
    }

    pub(super) fn is_long(&self) -> bool {
        self.since.elapsed() > SLICE
    }

    pub(super) fn breathe(&mut self) -> Result<(), IndexError> {
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

    pub(super) fn end(mut self) -> Result<(), IndexError> {
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
