//! How a file stood when it was looked at: enough to know later whether it is
//! still the same, without a word about its content.

use rustix::fs::Stat;

/// Nothing but a length would hold for a log that was replaced by one as long.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Stamp {
    pub length: u64,
    pub inode: u64,
    /// In nanoseconds since 1970, like the next.
    pub modified: i64,
    /// Of the content or of what is known about the file; nobody can set it.
    pub changed: i64,
}

/// Within this, two changes of a file may bear the same time: clocks of file
/// systems go by the tick of the kernel.
const TICK: i64 = 20_000_000;
/// The same where they know whole seconds only, on some even ones.
const COARSE: i64 = 2_000_000_000;
const SECOND: i64 = 1_000_000_000;

impl Stamp {
    #[cfg_attr(
        target_os = "linux",
        expect(
            clippy::unnecessary_cast,
            reason = "the types of these fields differ from system to system"
        )
    )]
    pub fn of(about: &Stat) -> Self {
        let time = |seconds: i64, part: i64| seconds.saturating_mul(SECOND).saturating_add(part);
        Self {
            length: u64::try_from(about.st_size).unwrap_or(0),
            inode: about.st_ino as u64,
            modified: time(about.st_mtime as i64, about.st_mtime_nsec as i64),
            changed: time(about.st_ctime as i64, about.st_ctime_nsec as i64),
        }
    }

    /// Whether a change after `moment`, by the clock of the same file system,
    /// would surely show. Before that a stamp proves nothing.
    pub fn is_settled(&self, moment: i64) -> bool {
        let grain = if self.changed % SECOND == 0 {
            COARSE
        } else {
            TICK
        };
        self.changed.saturating_add(grain) < moment
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_was_changed_just_now_may_change_again_unseen() {
        let stamp = Stamp {
            length: 1,
            inode: 1,
            modified: 0,
            changed: 5 * SECOND + 7,
        };
        assert!(!stamp.is_settled(stamp.changed));
        assert!(!stamp.is_settled(stamp.changed + TICK));
        assert!(stamp.is_settled(stamp.changed + TICK + 1));
    }

    #[test]
    fn whole_seconds_are_taken_for_a_coarse_clock() {
        let stamp = Stamp {
            length: 1,
            inode: 1,
            modified: 0,
            changed: 5 * SECOND,
        };
        assert!(!stamp.is_settled(stamp.changed + TICK + 1));
        assert!(stamp.is_settled(stamp.changed + COARSE + 1));
    }
}
