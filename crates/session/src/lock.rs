//! One writer for each session: an advisory lock on `<id>.d/lock`, which also
//! holds the pid of the writer so that a refusal can name it. The kernel drops
//! the lock when the process ends in any way; the pid is only for messages.

use crate::SessionError;
use crate::place::{Place, private_file};
use std::fs::{self, File, TryLockError};
use std::io::{self, Read};
use std::os::unix::fs::{FileExt, MetadataExt};
use std::path::Path;
use tenon_vocab::SessionId;

/// The pid is written with blanks after it, so that the file is never cut:
/// that would make some file systems flush it.
const WIDTH: usize = 10;

#[derive(Debug)]
pub(crate) struct Lock {
    file: File,
}

impl Lock {
    pub fn take(place: &Place, id: SessionId) -> Result<Self, SessionError> {
        let path = place.lock();
        let say = |error| SessionError::io("lock", &path, error);
        // A deletion may remove the file between opening and locking it; a lock
        // on a removed file keeps nobody out.
        for _ in 0..8 {
            let mut options = private_file();
            options.create(true).truncate(false).read(true).write(true);
            let file = tenon_files::open_with(&mut options, &path).map_err(say)?;
            match file.try_lock() {
                Ok(()) if is_still(&file, &path) => {
                    let lock = Self { file };
                    lock.sign().map_err(say)?;
                    return Ok(lock);
                }
                Ok(()) => {}
                Err(TryLockError::WouldBlock) => {
                    return Err(SessionError::Locked {
                        id,
                        pid: signature(&path).unwrap_or(0),
                    });
                }
                Err(TryLockError::Error(error)) => return Err(say(error)),
            }
        }
        Err(SessionError::Locked { id, pid: 0 })
    }

    fn sign(&self) -> io::Result<()> {
        let pid = format!("{:<WIDTH$}\n", std::process::id());
        self.file.write_all_at(pid.as_bytes(), 0)
    }
}

fn is_still(file: &File, path: &Path) -> bool {
    match (file.metadata(), fs::metadata(path)) {
        (Ok(held), Ok(found)) => (held.dev(), held.ino()) == (found.dev(), found.ino()),
        _ => false,
    }
}

fn signature(path: &Path) -> Option<u32> {
    let mut text = String::new();
    let file = tenon_files::open(path).ok()?;
    file.take(32).read_to_string(&mut text).ok()?;
    text.trim().parse().ok()
}

impl Drop for Lock {
    fn drop(&mut self) {
        // A blank tells readers that nobody writes, without their having to try
        // the lock (which could refuse a writer for a moment).
        let blank = format!("{:<WIDTH$}\n", "");
        let _ = self.file.write_all_at(blank.as_bytes(), 0);
        // Not left to the closing: a command that is just being started has the
        // file too, until it becomes another program.
        let _ = self.file.unlock();
    }
}

/// The process that writes this session now, as far as can be told without
/// touching the lock.
pub(crate) fn writer(place: &Place) -> Option<u32> {
    let pid = signature(&place.lock())?;
    let process = rustix::process::Pid::from_raw(i32::try_from(pid).ok()?)?;
    match rustix::process::test_kill_process(process) {
        Ok(()) | Err(rustix::io::Errno::PERM) => Some(pid),
        Err(_) => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_process_that_is_just_being_started_keeps_no_session_locked() {
        let home = tempfile::tempdir().unwrap();
        let id = SessionId::generate();
        let place = Place::in_month(home.path(), id);
        fs::create_dir_all(&place.folder).unwrap();
        let lock = Lock::take(&place, id).unwrap();
        // What a child has between its birth and its program.
        let _inherited = lock.file.try_clone().unwrap();
        assert!(Lock::take(&place, id).is_err());
        drop(lock);
        assert!(Lock::take(&place, id).is_ok());
    }
}
