//! What cannot be read of a log. It is counted, and only the first of it is
//! named: a file of nothing else must fill neither the memory nor a screen.

use std::fmt::Display;

/// Unreadable lines that are told one by one.
const NAMED: usize = 1_000;

/// Lines that cannot be read.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Damage {
    /// Where, and why, of the first of them.
    pub named: Vec<(u64, String)>,
    pub lines: usize,
}

impl Damage {
    pub(crate) fn note(&mut self, offset: u64, reason: &dyn Display) {
        self.lines += 1;
        if self.named.len() < NAMED {
            self.named.push((offset, reason.to_string()));
        }
    }

    /// Those that are not named.
    pub(crate) fn unnamed(&self) -> usize {
        self.lines.saturating_sub(self.named.len())
    }

    /// All of it in one sentence, without its end; `None` where there is none.
    #[must_use]
    pub fn told(&self) -> Option<String> {
        let (offset, reason) = self.named.first()?;
        Some(match self.lines {
            1 => format!("can't read a line of the log, at byte {offset}: {reason}"),
            lines => {
                format!("can't read {lines} lines of the log, the first at byte {offset}: {reason}")
            }
        })
    }
}
