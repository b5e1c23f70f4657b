//! How the window is divided when a conversation is made shorter (C11). All of it
//! is a share of what the system prompt and the tools leave: a constant that is
//! small in a large window is the whole of a small one, and then every step would
//! be a compaction. In estimated tokens; pure.

use tenon_vocab::profile::Compaction;

/// The facts, at most (C11).
const FACTS: u64 = 1_200;
/// Skills and rules that are kept word for word, each, at most.
const KEPT_TEXTS: u64 = 4_000;

/// How much is given up. Each time that a server still says no, more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Force {
    Usual,
    Hard,
    Hardest,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Shares {
    /// What a request may have.
    pub(crate) limit: u64,
    /// From here on it is made shorter.
    pub(crate) threshold: u64,
    /// Below this, pruning alone is enough.
    pub(crate) pruned: u64,
    /// What may be left at most; where recent outputs are in the way, they go.
    pub(crate) ceiling: u64,
    pub(crate) summary: u64,
    pub(crate) facts: u64,
    pub(crate) skills: u64,
    pub(crate) rules: u64,
    /// Of the recent part that stays as it is.
    pub(crate) kept: u64,
}

impl Shares {
    /// `fixed` is what the system prompt and the tools take.
    pub(crate) fn of(limit: u64, fixed: u64, settings: &Compaction, force: Force) -> Self {
        let free = limit.saturating_sub(fixed);
        let space = free.saturating_mul(u64::from(settings.at_percent.min(95))) / 100;
        let threshold = fixed.min(limit) + space;
        let share = |percent: u64| space.saturating_mul(percent) / 100;
        let (kept, summary, facts) = match force {
            Force::Usual => (share(30), share(18), share(15)),
            Force::Hard => (share(15), share(12), share(12)),
            Force::Hardest => (share(5), share(8), share(10)),
        };
        let (pruned, ceiling) = match force {
            Force::Usual => (share(60), space),
            Force::Hard => (share(40), share(70)),
            Force::Hardest => (share(20), share(35)),
        };
        Self {
            limit,
            threshold,
            pruned: fixed.min(limit) + pruned,
            ceiling: fixed.min(limit) + ceiling,
            summary: summary.min(settings.summary_tokens).max(64),
            facts: facts.clamp(64, FACTS),
            skills: share(12).min(KEPT_TEXTS),
            rules: share(12).min(KEPT_TEXTS),
            kept,
        }
    }

    /// The most that stands before the recent part after a compaction, but for
    /// skills and rules.
    pub(crate) fn replacement(&self) -> u64 {
        self.summary + self.facts
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn on_every_window_a_compaction_leaves_room_to_work() {
        let settings = Compaction::default();
        for limit in [4_096, 8_192, 16_384, 32_768, 131_072, 1_000_000] {
            let shares = Shares::of(limit, 3_000, &settings, Force::Usual);
            let after = 3_000 + shares.replacement() + shares.kept;
            assert!(shares.threshold < limit, "{shares:?}");
            assert!(shares.threshold >= limit * 70 / 100, "{shares:?}");
            let space = shares.threshold - 3_000;
            assert!(
                shares.threshold - after >= space / 4,
                "too soon again: {shares:?}"
            );
        }
    }

    #[test]
    fn the_figures_of_a_large_window_are_the_configured_ones() {
        let shares = Shares::of(200_000, 4_000, &Compaction::default(), Force::Usual);
        assert_eq!((shares.summary, shares.facts), (3_000, 1_200));
    }

    #[test]
    fn a_window_that_the_prompt_alone_overfills_is_no_panic() {
        for limit in [0, 1, 100] {
            let shares = Shares::of(limit, 5_000, &Compaction::default(), Force::Hardest);
            assert_eq!(shares.threshold, limit);
            assert_eq!(shares.kept, 0);
        }
    }
}
