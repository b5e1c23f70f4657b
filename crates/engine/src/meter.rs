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

/// How far a server's count is believed to be from the estimate: beyond it
/// something else was counted, such as a cut prompt or pictures.
const LEAST_RATE: f64 = 0.5;
const MOST_RATE: f64 = 2.0;

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
    /// It was said that nobody knows the window.
    assumed: bool,
    last: Option<Last>,
}

/// The last request that a server counted.
#[derive(Debug, Clone, Copy)]
struct Last {
    /// By our own estimate.
    sent: u64,
    /// As the server counted it.
    read: u64,
}

/// How a figure came about. One that is estimated is shown with `~`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Figure {
    Counted,
    /// The last request was counted, and what came since is estimated.
    Since,
    Estimated,
}

/// What is used of the window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Used {
    pub(crate) tokens: u64,
    pub(crate) kind: Figure,
}

#[derive(Debug, Default)]
pub(crate) struct Meter(Mutex<Figures>);

impl Meter {
    /// As it was after these messages: a session that goes on judges as it would
    /// have judged without the stop.
    pub(crate) fn resumed<'a>(history: impl IntoIterator<Item = &'a Message>) -> Self {
        let mut figures = Figures::default();
        for message in history {
            let counted = message.usage.filter(|usage| usage.input > 0);
            if let (Some(sent), Some(usage)) = (message.estimated, counted) {
                let read = usage.input;
                figures.last = Some(Last { sent, read });
                let ratio = read as f64 / sent.max(1) as f64;
                figures.best = Some(figures.best.map_or(ratio, |best| best.max(ratio)));
            }
        }
        Self(Mutex::new(figures))
    }

    fn lock(&self) -> MutexGuard<'_, Figures> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a server reported; tells, once, that it read too little.
    pub(crate) fn note(&self, sent: Sent, read: u64, estimate: Estimate) -> Option<Truncated> {
        let mut figures = self.lock();
        if read > 0 {
            let sent = sent.tokens;
            figures.last = Some(Last { sent, read });
        }
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

    /// What the next request will be counted as, from its estimate: what the
    /// server counted last, and the rest at the rate that it counted by (C4).
    pub(crate) fn expect(&self, estimated: u64) -> u64 {
        let Some(last) = self.lock().last else {
            return estimated;
        };
        let rate = (last.read as f64 / last.sent.max(1) as f64).clamp(LEAST_RATE, MOST_RATE);
        let at_rate = |tokens: u64| (tokens as f64 * rate).round() as u64;
        match estimated.checked_sub(last.sent) {
            Some(more) => last.read.saturating_add(at_rate(more)),
            // Something was taken out since: nothing of it was counted so.
            None => at_rate(estimated),
        }
    }

    /// What is used now, of which this is the estimate: what the next request will
    /// be counted as.
    pub(crate) fn used(&self, estimated: u64) -> Used {
        let kind = match self.lock().last {
            Some(last) if estimated == last.sent => Figure::Counted,
            Some(last) if estimated > last.sent => Figure::Since,
            _ => Figure::Estimated,
        };
        Used {
            tokens: self.expect(estimated),
            kind,
        }
    }

    /// The largest share of an estimate that a server has counted.
    pub(crate) fn share(&self) -> Option<f64> {
        self.lock().best
    }

    /// Whether it was said before that the window is full; from now on it was.
    pub(crate) fn crowded_before(&self) -> bool {
        std::mem::replace(&mut self.lock().crowded, true)
    }

    /// The same of a window that nobody knows.
    pub(crate) fn assumed_before(&self) -> bool {
        std::mem::replace(&mut self.lock().assumed, true)
    }

    /// Another model counts differently.
    pub(crate) fn forget(&self) {
        let mut figures = self.lock();
        figures.crowded = false;
        figures.assumed = false;
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
    fn what_comes_next_is_expected_at_the_rate_that_the_server_counts_by() {
        let meter = Meter::default();
        assert_eq!(meter.expect(500), 500);
        let estimated = Figure::Estimated;
        let used = |tokens, kind| Used { tokens, kind };
        assert_eq!(meter.used(500), used(500, estimated));
        meter.note(sent(1_000), 1_200, Estimate::Fitting);
        assert_eq!(meter.expect(1_000), 1_200);
        assert_eq!(meter.expect(1_500), 1_800);
        assert_eq!(meter.used(1_000), used(1_200, Figure::Counted));
        assert_eq!(meter.used(1_500), used(1_800, Figure::Since));
        // After a compaction nothing of what is left was counted so.
        assert_eq!(meter.expect(100), 120);
        assert_eq!(meter.used(100), used(120, estimated));
    }

    #[test]
    fn a_resumed_session_expects_what_it_would_have_expected() {
        let mut reply = Message::assistant("hi");
        reply.estimated = Some(1_000);
        reply.usage = Some(tenon_vocab::Usage {
            input: 1_200,
            ..tenon_vocab::Usage::default()
        });
        let meter = Meter::resumed([&Message::user("go"), &reply, &Message::user("on")]);
        assert_eq!(meter.expect(1_500), 1_800);
        assert_eq!(meter.share(), Some(1.2));
        assert_eq!(Meter::resumed([&Message::user("go")]).expect(7), 7);
    }

    #[test]
    fn a_count_that_cannot_be_true_does_not_spoil_what_is_expected() {
        let meter = Meter::default();
        meter.note(sent(1_000), 0, Estimate::Loose);
        assert_eq!(meter.expect(1_000), 1_000);
        meter.note(sent(1_000), 1, Estimate::Loose);
        assert_eq!(meter.expect(2_000), 501);
        meter.note(sent(10), u64::MAX, Estimate::Loose);
        assert_eq!(meter.expect(20), u64::MAX);
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
