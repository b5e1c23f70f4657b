//! The file of the index: opening it, and making it again when it is not what
//! it should be. A database that is deleted while somebody has it open would
//! lend its journal to the next one, so whoever has it open holds a lock that
//! only the deletion asks for alone.
//!
//! No write-ahead log: it needs memory that processes share, which network file
//! systems do not have (G10).

use crate::error::IndexError;
use rusqlite::{Connection, OpenFlags};
use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use tenon_session::Store;

/// Of the tables and of how text becomes words: another one is made again.
const VERSION: i64 = 1;
/// How long one waits for another process.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(20);

/// The words lie in `words` alone, by rows that `passage` explains. The text
/// stays in the logs.
const TABLES: &str = "
    CREATE TABLE session (
        number INTEGER PRIMARY KEY,
        id TEXT NOT NULL UNIQUE,
        length INTEGER NOT NULL,
        modified INTEGER NOT NULL,
        read INTEGER NOT NULL,
        tail BLOB NOT NULL,
        messages INTEGER NOT NULL,
        passages INTEGER NOT NULL,
        title TEXT NOT NULL,
        cwd TEXT NOT NULL,
        updated INTEGER NOT NULL
    );
    CREATE TABLE passage (
        number INTEGER PRIMARY KEY,
        place INTEGER NOT NULL,
        message INTEGER
    );
    CREATE VIRTUAL TABLE words USING fts5 (
        text, content='', contentless_delete=1, tokenize='ascii'
    );
    INSERT INTO words (words, rank) VALUES ('hashsize', 16777216);
";

/// The index over all sessions of a store.
#[derive(Debug)]
pub struct Index {
    pub(crate) connection: Connection,
    pub(crate) store: Store,
    path: PathBuf,
    /// Held as long as the database is open.
    lock: File,
}

impl Index {
    /// Opens the database, or makes it; one that is damaged or of another
    /// version is made again. Reads no session: [`Index::update`] does.
    ///
    /// # Errors
    /// When the folder cannot be written to, or a damaged one is in use.
    pub fn open(path: &Path, store: &Store) -> Result<Self, IndexError> {
        let lock = prepare(path)?;
        let mut last = None;
        for _ in 0..3 {
            wait(&lock, path, Wanted::Shared)?;
            match connect(path) {
                Ok(connection) => {
                    return Ok(Self {
                        connection,
                        store: store.clone(),
                        path: path.to_owned(),
                        lock,
                    });
                }
                Err(IndexError::Damaged(why)) => {
                    last = Some(IndexError::Damaged(why));
                    remove(&lock, path)?;
                }
                Err(other) => return Err(other),
            }
        }
        Err(last.unwrap_or(IndexError::Busy))
    }

    /// Deletes the database and begins with an empty one. While other processes
    /// have it open it is emptied instead.
    ///
    /// # Errors
    /// When that cannot be done.
    pub fn rebuild(self) -> Result<Self, IndexError> {
        let Self {
            connection,
            store,
            path,
            lock,
        } = self;
        match connection.close() {
            Ok(()) => {}
            // Dropped, it is closed without a word.
            Err((connection, _)) => drop(connection),
        }
        let removed = remove(&lock, &path);
        drop(lock);
        let again = Self::open(&path, &store)?;
        match removed {
            Err(IndexError::Busy) => again.empty()?,
            other => other?,
        }
        Ok(again)
    }

    fn empty(&self) -> Result<(), IndexError> {
        Ok(self.connection.execute_batch(
            "BEGIN IMMEDIATE;
             INSERT INTO words (words) VALUES ('delete-all');
             DELETE FROM passage;
             DELETE FROM session;
             COMMIT;",
        )?)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Wanted {
    Shared,
    Alone,
}

/// The folder, the lock beside the database, and the database itself as a file
/// that only its owner can read.
fn prepare(path: &Path) -> Result<File, IndexError> {
    let say = |source| IndexError::Io {
        path: path.to_owned(),
        source,
    };
    if let Some(folder) = path.parent() {
        DirBuilder::new()
            .recursive(true)
            .mode(0o700)
            .create(folder)
            .map_err(say)?;
    }
    open_private(&path.with_extension("lock")).map_err(say)
}

fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new()
        .read(true)
        .write(true)
        .create(true)
        .truncate(false)
        .mode(0o600)
        .open(path)
}

fn wait(lock: &File, path: &Path, wanted: Wanted) -> Result<(), IndexError> {
    let since = Instant::now();
    loop {
        let taken = match wanted {
            Wanted::Shared => lock.try_lock_shared(),
            Wanted::Alone => lock.try_lock(),
        };
        match taken {
            Ok(()) => return Ok(()),
            Err(TryLockError::Error(source)) => {
                return Err(IndexError::Io {
                    path: path.to_owned(),
                    source,
                });
            }
            // Those who have it open keep it for long; the one who deletes does not.
            Err(TryLockError::WouldBlock) if wanted == Wanted::Alone => {
                return Err(IndexError::Busy);
            }
            Err(TryLockError::WouldBlock) if since.elapsed() > PATIENCE => {
                return Err(IndexError::Busy);
            }
            Err(TryLockError::WouldBlock) => std::thread::sleep(PAUSE),
        }
    }
}

fn remove(lock: &File, path: &Path) -> Result<(), IndexError> {
    let say = |source| IndexError::Io {
        path: path.to_owned(),
        source,
    };
    lock.unlock().map_err(say)?;
    wait(lock, path, Wanted::Alone)?;
    let mut journal = path.as_os_str().to_owned();
    journal.push("-journal");
    for file in [Path::new(&journal), path] {
        match fs::remove_file(file) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => return Err(say(error)),
            _ => {}
        }
    }
    lock.unlock().map_err(say)
}

fn connect(path: &Path) -> Result<Connection, IndexError> {
    open_private(path).map_err(|source| IndexError::Io {
        path: path.to_owned(),
        source,
    })?;
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(path, flags)?;
    connection.busy_timeout(PATIENCE)?;
    connection.execute_batch(
        "PRAGMA trusted_schema = OFF;
         PRAGMA temp_store = MEMORY;
         PRAGMA cache_size = -16000;
         PRAGMA synchronous = NORMAL;",
    )?;
    if version(&connection)? == 0 {
        create(&connection)?;
    }
    match version(&connection)? {
        VERSION => Ok(connection),
        other => Err(IndexError::Damaged(format!("it is of version {other}"))),
    }
}

fn version(connection: &Connection) -> Result<i64, IndexError> {
    Ok(connection.query_row("PRAGMA user_version", [], |row| row.get(0))?)
}

fn create(connection: &Connection) -> Result<(), IndexError> {
    connection.execute_batch("BEGIN IMMEDIATE")?;
    // Another process may have been quicker.
    let made = match version(connection) {
        Ok(0) => connection
            .execute_batch(&format!("{TABLES} PRAGMA user_version = {VERSION};"))
            .map_err(IndexError::from),
        Ok(_) => Ok(()),
        Err(error) => Err(error),
    };
    let end = if made.is_ok() { "COMMIT" } else { "ROLLBACK" };
    let ended = connection.execute_batch(end);
    made?;
    Ok(ended?)
}
