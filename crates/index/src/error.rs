//! Why the index cannot be used, sorted by what the caller does next: make it
//! again, or search without it. None of it concerns a session.

use rusqlite::ErrorCode;
use std::io;
use std::path::PathBuf;
use tenon_session::SessionError;

#[derive(Debug, thiserror::Error)]
pub enum IndexError {
    /// Another process writes it for longer than one waits.
    #[error("another process is writing the search index")]
    Busy,
    /// It cannot be read as what it should be.
    #[error("the search index is damaged: {0}")]
    Damaged(String),
    #[error("can't use the search index {}: {source}", .path.display())]
    Io { path: PathBuf, source: io::Error },
    #[error("can't use the search index: {0}")]
    Database(String),
    #[error(transparent)]
    Session(#[from] SessionError),
}

impl From<rusqlite::Error> for IndexError {
    fn from(error: rusqlite::Error) -> Self {
        match error.sqlite_error_code() {
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => Self::Busy,
            Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
                Self::Damaged(error.to_string())
            }
            // What should be a number is none, a table is not there: somebody
            // else's database, or the rest of one.
            None => Self::Damaged(error.to_string()),
            Some(ErrorCode::Unknown | ErrorCode::ConstraintViolation) => {
                Self::Damaged(error.to_string())
            }
            Some(_) => Self::Database(error.to_string()),
        }
    }
}
