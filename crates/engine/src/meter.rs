//! Compares what a server says it has read with what was sent. Some servers cut
//! the front of a prompt that is too long, answer with 200 and say nothing: the
//! instructions and the tools are what is lost. Knows no model and no window.

use std::sync::{Mutex, MutexGuard, PoisonError};
use tenon_model::{Request, estimate_tokens};
use tenon_vocab::{Message, Part};

/// Smaller prompts are too near to what a template adds to be compared.
const WORTH_COMPARING: u64 = 2_000;
/// Below this share of what was expected, something was left out.
const SHARE: f64 = 0.7;

/// What was sent, in estimated tokens.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Sent {
    /// All of it.
    pub(crate) tokens: u64,
    /// What can be compared: what an image costs only its server knows.
    compared: u64,
    /// The most that the answer may have.
    pub(crate) limit: Option<u64>,
}

impl Sent {
    pub(crate) fn of(request: &Request) -> Self {
        let tokens = estimate_tokens(request);
        let pictured: u64 = request
            .entries
            .iter()
            .filter(|entry| has_images(&entry.message))
            .map(|entry| entry.tokens())
            .sum();
        Self {
            tokens,
            compared: tokens.saturating_sub(pictured),
            limit: request.max_tokens(),
        }
    }
}

fn has_images(message: &Message) -> bool {
    let is_image = |part: &Part| matches!(part, Part::Image { .. });
    message.parts.iter().any(is_image)
}

/// A prompt of which the server read too little.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Truncated {
    pub(crate) read: u64,
    pub(crate) expected: u64,
}

/// How the estimate is to be taken before a server has reported anything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Estimate {
    /// As it is: it counts what is sent.
    Fitting,
    /// What is sent has another form than what was counted.
    Loose,
}

#[derive(Debug, Default)]
struct Figures {
    /// The largest share of the estimate that was ever reported: an estimate
    /// that is always too high raises no alarm.
    best: Option<f64>,
    said: bool,
    /// It was said that the window is full.
    crowded: bool,
    last: Option<u64>,
}

#[derive(Debug, Default)]
pub(crate) struct Meter(Mutex<Figures>);

impl Meter {
    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a server reported; tells, once, that it read too little.
    pub(crate) fn note(&self, sent: Sent, read: u64, estimate: Estimate) -> Option<Truncated> {
        let mut figures = self.lock();
        figures.last = Some(read);
        if sent.compared == 0 || read == 0 {
            return None;
        }
        let ratio = read as f64 / sent.compared as f64;
        let usual = match (figures.best, estimate) {
            (Some(best), _) => Some(best.min(1.0)),
            (None, Estimate::Fitting) => Some(1.0),
            (None, Estimate::Loose) => None,
        };
        let truncated = sent.compared > WORTH_COMPARING
            && usual.is_some_and(|usual| ratio < SHARE * usual)
            && !figures.said;
        figures.best = Some(figures.best.map_or(ratio, |best| best.max(ratio)));
        figures.said |= truncated;
        truncated.then_some(Truncated {
            read,
            expected: sent.compared,
        })
    }

    /// The tokens of the last prompt, as its server counted them.
    pub(crate) fn last(&self) -> Option<u64> {
        self.lock().last
    }

    /// The largest share of an estimate that a server has counted.
    pub(crate) fn share(&self) -> Option<f64> {
        self.lock().best
    }

    /// Whether it was said before that the window is full; from now on it was.
    pub(crate) fn crowded_before(&self) -> bool {
        std::mem::replace(&mut self.lock().crowded, true)
    }

    /// Another model counts differently.
    pub(crate) fn forget(&self) {
        let mut figures = self.lock();
        figures.crowded = false;
        figures.best = None;
        figures.last = None;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sent(tokens: u64) -> Sent {
        Sent {
            tokens,
            compared: tokens,
            limit: None,
        }
    }

    #[test]
    fn a_prompt_of_which_less_than_70_percent_was_read_is_told_once() {
        let meter = Meter::default();
        let found = meter.note(sent(10_000), 4_096, Estimate::Fitting);
        assert_eq!(
            found,
            Some(Truncated {
                read: 4_096,
                expected: 10_000
            })
        );
        assert_eq!(meter.note(sent(20_000), 4_096, Estimate::Fitting), None);
    }

    #[test]
    fn an_estimate_that_is_always_too_high_raises_no_alarm() {
        let meter = Meter::default();
        for size in (1_000..50_000).step_by(1_000) {
            let found = meter.note(sent(size), size * 55 / 100, Estimate::Fitting);
            assert_eq!(found, None, "{size}");
        }
    }

    #[test]
    fn a_window_that_is_outgrown_is_noticed_against_the_usual_share() {
        let meter = Meter::default();
        assert_eq!(meter.note(sent(1_500), 900, Estimate::Fitting), None);
        assert_eq!(meter.note(sent(5_000), 3_000, Estimate::Fitting), None);
        assert!(meter.note(sent(9_000), 3_500, Estimate::Fitting).is_some());
    }

    #[test]
    fn small_prompts_and_prompts_of_another_form_are_not_compared_at_first() {
        let meter = Meter::default();
        assert_eq!(meter.note(sent(2_000), 10, Estimate::Fitting), None);
        let other = Meter::default();
        assert_eq!(other.note(sent(9_000), 3_000, Estimate::Loose), None);
        assert_eq!(other.note(sent(9_000), 2_900, Estimate::Loose), None);
        assert!(other.note(sent(9_000), 900, Estimate::Loose).is_some());
    }
}
