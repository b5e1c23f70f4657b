//! Whether compactions get anywhere. Judged by what came of them: two in a row
//! that did not help are the end, because a third one would not help either.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Compactions in a row without success, at most (C5).
pub(crate) const MOST: u32 = 2;

#[derive(Debug, Default)]
struct Figures {
    /// Requests in a row that were too long.
    overflows: u32,
    /// Compactions in a row that freed too little.
    idle: u32,
    /// What was left after the last of them, in estimated tokens.
    left: u64,
    /// What a server refused as too long: model and estimated tokens.
    refused: Option<(String, u64)>,
}

#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<Figures>);

impl Progress {
    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A model answered: what was sent did fit.
    pub(crate) fn answered(&self) {
        self.lock().overflows = 0;
    }

    /// Counts a request that was too long; how many there were in a row.
    pub(crate) fn overflowed(&self) -> u32 {
        let mut figures = self.lock();
        figures.overflows += 1;
        figures.overflows
    }

    /// The server refused what should have fitted: that tells how large it is.
    pub(crate) fn learn(&self, model: &str, tokens: u64) {
        let mut figures = self.lock();
        let least = match &figures.refused {
            Some((known, least)) if known == model => tokens.min(*least),
            _ => tokens,
        };
        figures.refused = Some((model.to_owned(), least));
    }

    /// The least that this model refused.
    pub(crate) fn refused(&self, model: &str) -> Option<u64> {
        match &self.lock().refused {
            Some((known, tokens)) if known == model => Some(*tokens),
            _ => None,
        }
    }

    /// Notes what a compaction left; how many in a row did not help.
    pub(crate) fn note(&self, helped: Helped, left: u64) -> u32 {
        let mut figures = self.lock();
        figures.left = left;
        figures.idle = match helped {
            Helped::Yes => 0,
            Helped::No => figures.idle + 1,
        };
        figures.idle
    }

    /// Whether another one would only do the same again: the last did not help,
    /// and hardly anything was added since.
    pub(crate) fn is_pointless(&self, tokens: u64) -> bool {
        let figures = self.lock();
        figures.idle > 0 && tokens < figures.left.saturating_add(figures.left / 10)
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Helped {
    Yes,
    No,
}
