//! Whether compactions get anywhere. Judged by what came of them: two in a row
//! that did not help are the end, because a third one would not help either.

use crate::active::Current;
use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};
use tenon_session::State;
use tenon_vocab::Refused;

/// Compactions in a row without success, at most (C5).
pub(crate) const MOST: u32 = 2;

/// Replies after a compaction from which on it was worth it.
const WORTH_IT: u32 = 2;

/// No server holds so little. An imported log may say anything.
const LEAST_REFUSED: u64 = 1_000;

#[derive(Debug, Default)]
struct Figures {
    /// Requests in a row that were too long.
    overflows: u32,
    /// Compactions in a row that freed too little.
    idle: u32,
    /// What was left after the last of them, in estimated tokens.
    left: u64,
    /// What a server refused as too long.
    refused: Option<Refused>,
    /// Replies since the last compaction of this run; none before the first.
    since: Option<u32>,
    /// Compactions in a row that bought no work.
    stuck: u32,
    /// The calls of this run, by name and input.
    calls: HashSet<u64>,
    /// Whether one of them since the last compaction had not been made before.
    novel: bool,
}

/// What came of the time between two compactions, where it was no work.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stuck {
    /// One step filled the window again.
    OneStep,
    /// Only calls were made that the run had made before: a model that reads
    /// again what a compaction took from it would go on so for ever.
    SameCalls,
}

#[derive(Debug, Default)]
pub(crate) struct Progress(Mutex<Figures>);

impl Progress {
    /// As it was after the last compaction: who goes on need not be refused again.
    pub(crate) fn resumed(state: &State) -> Self {
        let refused = state
            .compacted()
            .and_then(|compacted| compacted.refused.clone())
            .filter(|refused| refused.tokens >= LEAST_REFUSED);
        Self(Mutex::new(Figures {
            refused,
            ..Figures::default()
        }))
    }

    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Another prompt: what came of the one before says nothing of it.
    pub(crate) fn run_begins(&self) {
        let mut figures = self.lock();
        figures.since = None;
        figures.stuck = 0;
        figures.calls.clear();
    }

    /// A model answered: what was sent did fit.
    pub(crate) fn answered(&self) {
        let mut figures = self.lock();
        figures.overflows = 0;
        figures.since = figures.since.map(|replies| replies.saturating_add(1));
    }

    /// A file was changed: what the work is for goes on, in however small steps.
    pub(crate) fn worked(&self) {
        let mut figures = self.lock();
        figures.since = figures.since.map(|replies| replies.max(WORTH_IT));
        figures.novel = true;
    }

    /// A call has ended. One that only waits for a process is never the same.
    pub(crate) fn called(&self, name: &str, input: Option<&str>) {
        let mut figures = self.lock();
        let Some(input) = input else {
            figures.novel = true;
            return;
        };
        let mut hasher = DefaultHasher::new();
        (name, input).hash(&mut hasher);
        figures.novel |= figures.calls.insert(hasher.finish());
    }

    /// Counts a compaction that was done; why the run is stuck, after too many in
    /// a row that bought no work.
    pub(crate) fn done(&self) -> Option<Stuck> {
        let mut figures = self.lock();
        let stuck = match figures.since {
            // Still the same request: how often that is tried is counted elsewhere.
            Some(0) => return None,
            Some(replies) if replies < WORTH_IT => Some(Stuck::OneStep),
            Some(_) if !figures.novel => Some(Stuck::SameCalls),
            Some(_) | None => None,
        };
        figures.stuck = stuck.map_or(0, |_| figures.stuck + 1);
        figures.since = Some(0);
        figures.novel = false;
        stuck.filter(|_| figures.stuck >= MOST)
    }

    /// Counts a request that was too long; how many there were in a row.
    pub(crate) fn overflowed(&self) -> u32 {
        let mut figures = self.lock();
        figures.overflows += 1;
        figures.overflows
    }

    /// The server refused what should have fitted: that tells how large it is.
    pub(crate) fn learn(&self, current: &Current, tokens: u64) {
        let tokens = self
            .refused(current)
            .map_or(tokens, |least| tokens.min(least));
        self.lock().refused = Some(Refused {
            model: current.identity().model.clone(),
            tokens,
            window: current.window().map(|window| window.tokens),
        });
    }

    /// The least that this model refused, in estimated tokens. Where another
    /// window is believed in by now, it says nothing any more.
    pub(crate) fn refused(&self, current: &Current) -> Option<u64> {
        let window = current.window().map(|window| window.tokens);
        let model = &current.identity().model;
        let figures = self.lock();
        let refused = figures.refused.as_ref()?;
        (refused.model == *model && refused.window == window).then_some(refused.tokens)
    }

    /// The server has read so much of one request, in estimated tokens: what it
    /// refused before it holds by now.
    pub(crate) fn has_read(&self, current: &Current, tokens: u64) {
        if self.refused(current).is_some_and(|least| tokens >= least) {
            self.lock().refused = None;
        }
    }

    /// What stands in the record of a compaction.
    pub(crate) fn to_keep(&self) -> Option<Refused> {
        self.lock().refused.clone()
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

    /// One that would have made nothing shorter and was not done. No failure of
    /// the conversation, so it does not count towards the end of a run.
    pub(crate) fn futile(&self, left: u64) {
        let mut figures = self.lock();
        figures.left = left;
        figures.idle = figures.idle.max(1);
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_in_a_row_are_counted_and_one_that_helps_begins_again() {
        assert_eq!(MOST, 2, "C5");
        let progress = Progress::default();
        assert_eq!(progress.note(Helped::No, 9_000), 1);
        assert_eq!(progress.note(Helped::Yes, 4_000), 0);
        assert_eq!(progress.note(Helped::No, 9_000), 1);
        assert_eq!(progress.note(Helped::No, 9_000), 2);
        assert_eq!((progress.overflowed(), progress.overflowed()), (1, 2));
        progress.answered();
        assert_eq!(progress.overflowed(), 1);
    }

    #[test]
    fn another_one_is_pointless_until_a_tenth_was_added() {
        let progress = Progress::default();
        assert!(!progress.is_pointless(9_000));
        progress.note(Helped::No, 9_000);
        assert!(progress.is_pointless(9_899));
        assert!(!progress.is_pointless(9_900));
        progress.note(Helped::Yes, 9_000);
        assert!(!progress.is_pointless(9_000));
    }

    #[test]
    fn a_compaction_that_buys_one_step_is_counted_until_one_buys_more() {
        let progress = Progress::default();
        let step = |call: &str| {
            progress.answered();
            progress.called(call, Some("{}"));
        };
        step("a");
        assert_eq!(progress.done(), None, "the first one");
        assert_eq!(progress.done(), None, "of the same request");
        step("b");
        assert_eq!(progress.done(), None, "one");
        step("c");
        progress.worked();
        assert_eq!(progress.done(), None, "a file was changed");
        step("d");
        assert_eq!(progress.done(), None, "one");
        step("e");
        step("f");
        assert_eq!(progress.done(), None, "it bought two steps");
        step("g");
        assert_eq!(progress.done(), None, "one");
        step("h");
        assert_eq!(progress.done(), Some(Stuck::OneStep));
        progress.run_begins();
        assert_eq!(progress.done(), None, "another prompt");
    }

    #[test]
    fn calls_that_were_made_before_are_no_work_however_many() {
        let progress = Progress::default();
        let read = |input: Option<&str>| {
            progress.answered();
            progress.called("read", input);
        };
        let again = || ["1", "2", "3"].iter().for_each(|page| read(Some(page)));
        again();
        assert_eq!(progress.done(), None, "the first one");
        again();
        assert_eq!(progress.done(), None, "one");
        again();
        read(Some("4"));
        assert_eq!(progress.done(), None, "something new among them");
        again();
        read(None);
        assert_eq!(progress.done(), None, "a process was waited for");
        again();
        assert_eq!(progress.done(), None, "one");
        again();
        assert_eq!(progress.done(), Some(Stuck::SameCalls));
    }

    #[test]
    fn what_was_not_done_never_adds_up_to_the_end_of_a_run() {
        let progress = Progress::default();
        for _ in 0..5 {
            progress.futile(9_000);
        }
        assert!(progress.is_pointless(9_000));
        assert_eq!(progress.note(Helped::No, 9_000), 2);
    }
}
