//! One renewal at a time among all processes: an advisory lock on a file beside
//! the login. Codex does not take it; that it renewed the login meanwhile is
//! seen in the file.

use std::fs::{File, OpenOptions, TryLockError};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::time::{Duration, Instant};

/// Longer than one renewal takes at most.
const PATIENCE: Duration = Duration::from_secs(40);
const BETWEEN: Duration = Duration::from_millis(40);

/// Held as long as the file lives.
///
/// # Errors
/// With the reason, when it cannot be had.
pub async fn take(home: &Path) -> Result<File, String> {
    let path = home.join(".tenon-auth.lock");
    let cannot = |error: std::io::Error| format!("can't use {}: {error}", path.display());
    let mut options = OpenOptions::new();
    options.write(true).create(true).truncate(false).mode(0o600);
    let file = tenon_files::open_with(&mut options, &path).map_err(cannot)?;
    let begin = Instant::now();
    loop {
        match file.try_lock() {
            Ok(()) => return Ok(file),
            Err(TryLockError::Error(error)) => return Err(cannot(error)),
            Err(TryLockError::WouldBlock) if begin.elapsed() > PATIENCE => {
                return Err(String::from(
                    "another program is renewing it and does not finish",
                ));
            }
            // Asked again and again instead of waited for: a waiting thread
            // could not be given up.
            Err(TryLockError::WouldBlock) => tokio::time::sleep(BETWEEN).await,
        }
    }
}
