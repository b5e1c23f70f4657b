//! Notices a model that goes round in circles: the same call with the same
//! result, or the same short cycle of calls, again and again. The same tool with
//! other arguments is work, not a circle.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash, Hasher};

/// The longest cycle that is looked for.
const LONGEST_CYCLE: usize = 4;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Verdict {
    Fine,
    /// Tell the model, with the count.
    Warn(u32),
    /// End the run.
    Stop(u32),
}

#[derive(Debug)]
pub(crate) struct RepeatGuard {
    warn: u32,
    stop: u32,
    recent: VecDeque<u64>,
}

impl RepeatGuard {
    pub(crate) fn new(warn: u32, stop: u32) -> Self {
        Self {
            warn: warn.max(2),
            stop: stop.max(3),
            recent: VecDeque::new(),
        }
    }

    /// Notes a finished call. Waiting for a process is not a circle, so a call
    /// that only polls must not be noted.
    pub(crate) fn note(&mut self, name: &str, input: &str, result: &str) -> Verdict {
        let mut hasher = DefaultHasher::new();
        (name, input, result).hash(&mut hasher);
        self.recent.push_back(hasher.finish());
        if self.recent.len() > LONGEST_CYCLE * self.stop as usize {
            self.recent.pop_front();
        }
        let rounds = (1..=LONGEST_CYCLE)
            .map(|period| self.rounds(period))
            .max()
            .unwrap_or(0);
        if rounds >= self.stop {
            Verdict::Stop(rounds)
        } else if rounds >= self.warn {
            Verdict::Warn(rounds)
        } else {
            Verdict::Fine
        }
    }

    /// How often the last `period` calls stand at the end, one after the other.
    fn rounds(&self, period: usize) -> u32 {
        let calls: Vec<u64> = self.recent.iter().rev().copied().collect();
        let Some(cycle) = calls.get(..period) else {
            return 0;
        };
        let rounds = calls
            .chunks(period)
            .take_while(|chunk| *chunk == cycle)
            .count();
        u32::try_from(rounds).unwrap_or(u32::MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_call_with_the_same_result_warns_at_three_and_stops_at_five() {
        let mut guard = RepeatGuard::new(3, 5);
        let verdicts: Vec<_> = (0..5).map(|_| guard.note("read", "{}", "x")).collect();
        assert_eq!(
            verdicts,
            [
                Verdict::Fine,
                Verdict::Fine,
                Verdict::Warn(3),
                Verdict::Warn(4),
                Verdict::Stop(5)
            ]
        );
    }

    #[test]
    fn a_cycle_of_calls_is_a_circle_too() {
        let mut guard = RepeatGuard::new(3, 5);
        let mut last = Verdict::Fine;
        for _ in 0..5 {
            for name in ["a", "b", "c"] {
                last = guard.note(name, "{}", "x");
            }
        }
        assert_eq!(last, Verdict::Stop(5));
    }

    #[test]
    fn other_arguments_or_another_result_is_work() {
        let mut guard = RepeatGuard::new(3, 5);
        for n in 0..50 {
            assert_eq!(guard.note("read", &n.to_string(), "x"), Verdict::Fine);
            assert_eq!(guard.note("bash", "{}", &n.to_string()), Verdict::Fine);
        }
    }
}
