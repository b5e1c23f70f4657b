//! A moment on the clock that files take their times from. That clock goes on in
//! ticks of some milliseconds, and the clock of programs runs ahead of it: what
//! was made just before such a moment and what is made just after it would have
//! the same time. So a moment lies where a tick begins, and nothing is on both
//! sides of it.
//!
//! What somebody else gives the times to, such as a server, is compared with a
//! margin, and within that nobody can tell.

use super::Workspace;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// How far the clock of another system may be from ours when a file is made.
const BIRTH: Duration = Duration::from_millis(10);
/// The same for what was written, which some keep more coarsely.
const WRITTEN: Duration = Duration::from_millis(50);
/// Longer than a tick of any clock.
#[cfg(target_os = "linux")]
const PATIENCE: Duration = Duration::from_millis(100);
#[cfg(target_os = "linux")]
const NAP: Duration = Duration::from_micros(200);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Moment {
    at: SystemTime,
    clock: Clock,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Clock {
    /// The times of files are of the very clock that was asked.
    Same,
    Other,
}

/// Where a time lies, seen from a moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Age {
    /// At the moment or after it.
    New,
    Old,
    /// The file system does not tell, or its clock is not fine enough.
    Unknown,
}

impl Workspace {
    /// Now. Waits for the next tick of the clock, which is some milliseconds at
    /// most: every file that is there is older, and every later one is not.
    #[must_use]
    pub fn moment(&self) -> Moment {
        if super::scan::is_local(self.root())
            && let Some(at) = next_tick()
        {
            return Moment {
                at,
                clock: Clock::Same,
            };
        }
        Moment::about(SystemTime::now())
    }
}

impl Moment {
    /// A time that was not taken at a tick.
    #[must_use]
    pub fn about(at: SystemTime) -> Self {
        Self {
            at,
            clock: Clock::Other,
        }
    }

    /// Of something that was made at this time.
    #[must_use]
    pub fn age(&self, born: Option<SystemTime>) -> Age {
        let margin = self.margin(BIRTH);
        match born {
            // The clock was set back since.
            Some(born) if born > SystemTime::now() + margin => Age::Old,
            Some(born) if born >= self.at => Age::New,
            Some(born) if born + margin < self.at => Age::Old,
            _ => Age::Unknown,
        }
    }

    /// Whether a content that was written at this time, in seconds and
    /// nanoseconds, is surely older.
    #[must_use]
    pub fn is_after(&self, written: (i64, i64)) -> bool {
        written < parts(self.at, self.margin(WRITTEN))
    }

    fn margin(&self, other: Duration) -> Duration {
        match self.clock {
            Clock::Same => Duration::ZERO,
            Clock::Other => other,
        }
    }
}

/// As files have it, so long before a time.
pub(super) fn parts(time: SystemTime, by: Duration) -> (i64, i64) {
    let since = time
        .checked_sub(by)
        .and_then(|time| time.duration_since(UNIX_EPOCH).ok())
        .unwrap_or_default();
    (
        i64::try_from(since.as_secs()).unwrap_or(i64::MAX),
        i64::from(since.subsec_nanos()),
    )
}

/// When the next tick of the clock of files begins. `None` when it does not.
#[cfg(target_os = "linux")]
fn next_tick() -> Option<SystemTime> {
    let begun = std::time::Instant::now();
    let first = coarse()?;
    loop {
        std::thread::sleep(NAP);
        let now = coarse()?;
        if now > first {
            return Some(now);
        }
        // It was set back, or stands still.
        if begun.elapsed() > PATIENCE {
            return None;
        }
    }
}

#[cfg(target_os = "linux")]
fn coarse() -> Option<SystemTime> {
    let now = rustix::time::clock_gettime(rustix::time::ClockId::RealtimeCoarse);
    let seconds = u64::try_from(now.tv_sec).ok()?;
    let nanoseconds = u32::try_from(now.tv_nsec).ok()?;
    UNIX_EPOCH.checked_add(Duration::new(seconds, nanoseconds))
}

/// Other systems do not say which clock it is.
#[cfg(not(target_os = "linux"))]
fn next_tick() -> Option<SystemTime> {
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_on_both_sides_of_a_moment() {
        let folder = tempfile::tempdir().unwrap();
        if !super::super::scan::is_local(folder.path()) {
            return;
        }
        for round in 0..20 {
            let (old, new) = (format!("old{round}"), format!("new{round}"));
            let made = |name: &str| {
                let path = folder.path().join(name);
                std::fs::write(&path, "").unwrap();
                std::fs::metadata(path).unwrap()
            };
            let older = made(&old);
            let Some(at) = next_tick() else { return };
            let newer = made(&new);
            let moment = Moment {
                at,
                clock: Clock::Same,
            };
            let written = |of: &std::fs::Metadata| {
                use std::os::unix::fs::MetadataExt as _;
                (of.mtime(), of.mtime_nsec())
            };
            assert!(moment.is_after(written(&older)) && !moment.is_after(written(&newer)));
            if let (Ok(before), Ok(after)) = (older.created(), newer.created()) {
                assert_eq!(moment.age(Some(before)), Age::Old);
                assert_eq!(moment.age(Some(after)), Age::New);
            }
        }
    }

    #[test]
    fn a_clock_of_others_is_given_a_margin_and_the_future_is_not_ours() {
        let now = SystemTime::now();
        let moment = Moment::about(now);
        let long = Duration::from_secs(1);
        assert_eq!(moment.age(None), Age::Unknown);
        assert_eq!(moment.age(now.checked_sub(BIRTH / 2)), Age::Unknown);
        assert_eq!(moment.age(now.checked_sub(long)), Age::Old);
        assert_eq!(moment.age(Some(now)), Age::New);
        assert_eq!(moment.age(now.checked_add(100 * long)), Age::Old);
        assert!(!moment.is_after(parts(now, BIRTH)));
        assert!(moment.is_after(parts(now, long)));
    }
}
