//! How the window is divided when a conversation is made shorter (C11). All of it
//! is a share of what the system prompt and the tools leave: a constant that is
//! small in a large window is the whole of a small one, and then every step would
//! be a compaction. In estimated tokens; pure.

use crate::compact::facts;
use tenon_vocab::profile::Compaction;

/// The facts without a long original request, in a window of usual size (C11).
const FACTS: u64 = 1_200;
/// Percent of the space that they may have in a large one, and the most that is
/// worth its price in each request.
const LARGE_FACTS: u64 = 3;
const MOST_FACTS: u64 = 6_000;
/// With less the facts would be headings; they have it, or this percent of a
/// space in which even that is much.
const LEAST_FACTS: u64 = 240;
const SMALL_FACTS: u64 = 20;
/// Skills and rules that are kept word for word, each, at most.
const KEPT_TEXTS: u64 = 4_000;
/// Percent of the space that edited rules of the project may have.
const MOST_RULES: u64 = 30;
/// Percent of the space that the original request and such rules may have.
const MOST_GOAL: u64 = 25;

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
    /// Of the facts the original request.
    pub(crate) goal: u64,
    /// The most that it may have.
    most_goal: u64,
    pub(crate) skills: u64,
    pub(crate) rules: u64,
    /// Of them those of the whole project, which nobody tells again in a run.
    held: u64,
    /// What the system prompt and the tools leave, up to the threshold.
    space: u64,
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
        let most_facts = share(LARGE_FACTS).clamp(FACTS, MOST_FACTS);
        let least_facts = share(SMALL_FACTS).clamp(64, LEAST_FACTS);
        let facts = facts.clamp(least_facts, most_facts);
        let most_goal = match force {
            Force::Usual => share(MOST_GOAL),
            Force::Hard => share(MOST_GOAL / 2),
            Force::Hardest => 0,
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
            facts,
            goal: facts.saturating_mul(facts::GOAL) / 100,
            most_goal,
            skills: share(12).min(KEPT_TEXTS),
            rules: share(12).min(KEPT_TEXTS),
            held: 0,
            space,
            kept,
        }
    }

    /// With room for rules of this length, which hold for the whole project: more
    /// than their share where they need it, and the recent part gives it. Longer
    /// ones than that cannot be kept.
    pub(crate) fn holding(self, rules: u64) -> Self {
        let most = self.space.saturating_mul(MOST_RULES) / 100;
        if rules > most.max(self.rules) {
            return self;
        }
        let more = rules.saturating_sub(self.rules);
        Self {
            rules: self.rules.max(rules),
            held: rules,
            kept: self.kept - more.min(self.kept / 2),
            ..self
        }
    }

    /// With room for an original request of this length (C5: word for word): more
    /// than its part of the facts where it needs it, and the recent part gives it.
    pub(crate) fn asking(self, goal: u64) -> Self {
        let most = self.most_goal.saturating_sub(self.held);
        let more = goal.min(most).saturating_sub(self.goal);
        Self {
            facts: self.facts + more,
            goal: self.goal + more,
            kept: self.kept - more.min(self.kept / 2),
            ..self
        }
    }

    /// The most that stands before the recent part after a compaction, but for
    /// skills and the rules of folders.
    pub(crate) fn replacement(&self) -> u64 {
        self.summary + self.facts + self.held
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
    fn the_figures_of_a_usual_window_are_the_configured_ones() {
        let shares = Shares::of(32_768, 4_000, &Compaction::default(), Force::Usual);
        assert_eq!((shares.summary, shares.facts), (3_000, 1_200));
    }

    #[test]
    fn the_facts_grow_with_a_large_window_and_keep_a_few_lines_in_a_tiny_one() {
        let facts = |limit, force| Shares::of(limit, 3_000, &Compaction::default(), force).facts;
        let of_usual = [4_096, 8_192, 32_768, 200_000, 1_000_000];
        let of_usual = of_usual.map(|limit| facts(limit, Force::Usual));
        assert!(
            of_usual.is_sorted_by(|less, more| less < more),
            "{of_usual:?}"
        );
        assert_eq!(of_usual[2], FACTS);
        assert_eq!(of_usual[4], MOST_FACTS);
        assert!(of_usual[0] >= 150, "{of_usual:?}");
        assert_eq!(facts(5_500, Force::Hardest), LEAST_FACTS);
    }

    #[test]
    fn rules_that_need_more_than_their_share_take_it_from_the_recent_part() {
        let usual = Shares::of(9_000, 4_000, &Compaction::default(), Force::Usual);
        let short = usual.holding(usual.rules / 2);
        assert_eq!((short.rules, short.kept), (usual.rules, usual.kept));
        let long = usual.holding(usual.rules * 2);
        assert_eq!(long.rules, usual.rules * 2);
        assert_eq!(long.kept, usual.kept - usual.rules);
        let after = 4_000 + long.replacement() + long.kept;
        assert!(after < long.threshold, "{long:?}");
        // What would fill the window is not kept at all.
        assert_eq!(usual.holding(9_000), usual);
    }

    #[test]
    fn a_long_request_has_up_to_a_quarter_of_the_space_and_leaves_room_to_work() {
        for limit in [8_192, 16_384, 32_768, 131_072] {
            let usual = Shares::of(limit, 3_000, &Compaction::default(), Force::Usual);
            assert_eq!(usual.asking(usual.goal), usual);
            let space = usual.threshold - 3_000;
            for goal in [space / 5, space] {
                let long = usual.asking(goal);
                assert_eq!(long.goal, goal.min(space / 4), "{long:?}");
                assert_eq!(long.facts - long.goal, usual.facts - usual.goal);
                let after = 3_000 + long.replacement() + long.kept;
                assert!(long.threshold - after >= space / 4, "{long:?}");
            }
            let with_rules = usual.holding(space * 3 / 10).asking(space);
            assert!(3_000 + with_rules.replacement() + with_rules.kept < usual.threshold);
        }
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
