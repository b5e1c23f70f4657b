//! What a compaction would do, before it costs anything: which outputs go, where
//! the cut falls, how much that frees. A plan that frees too little is none, so
//! no model is asked for it. Pure.

use crate::compact::cut;
use crate::compact::prune::{self, Because, Pruned};
use crate::compact::shares::Shares;
use crate::compact::view::View;
use tenon_vocab::profile::Compaction;

/// Percent that a compaction must free to be worth doing (C5).
pub(crate) const WORTH: u64 = 10;

/// Why the conversation is made shorter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Why {
    /// The window is filled to the configured share.
    Due,
    /// A request was too long.
    Overflow,
    ByHand,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Plan {
    /// Nothing worth it can be made shorter.
    Nothing,
    Prune(Pruned),
    Replace {
        /// The index of the first item that stays.
        cut: usize,
        /// Outputs of what stays that are too long to stay.
        pruned: Pruned,
    },
}

pub(crate) fn make(view: &View, shares: &Shares, settings: &Compaction, why: Why) -> Plan {
    let before = view.tokens();
    let runs = match why {
        Why::ByHand => settings.keep_turns.min(2),
        Why::Due | Why::Overflow => settings.keep_turns,
    };
    let cut = place(view, shares, runs, why);
    if settings.prune && why != Why::ByHand {
        let wanted = before.saturating_sub(shares.pruned);
        let pruned = prune::outputs(view, 0..cut, 0, wanted, Because::Old);
        let after = before.saturating_sub(pruned.freed);
        if after <= shares.pruned && is_worth(before, pruned.freed, why) {
            return Plan::Prune(pruned);
        }
    }
    let kept = view.tokens_from(cut);
    // The model may not have read the last output yet: it goes only when there is
    // no room for it.
    let expected = view.fixed() + shares.replacement() + kept;
    let excess = match why {
        Why::ByHand => 0,
        Why::Due | Why::Overflow => expected.saturating_sub(shares.ceiling),
    };
    let pruned = if excess > 0 {
        prune::outputs(view, cut..view.items.len(), cut, excess, Because::TooLong)
    } else {
        Pruned::default()
    };
    let replaced = view.summary + view.tokens_from(0) - kept;
    // A short part has a short summary.
    let replacement = match why {
        Why::ByHand => 0,
        Why::Due | Why::Overflow => shares.replacement().min(replaced / 2 + shares.facts),
    };
    let freed = (replaced + pruned.freed).saturating_sub(replacement);
    let anything = cut > 0 || pruned.count > 0;
    if !anything || !is_worth(before, freed, why) {
        return Plan::Nothing;
    }
    if cut == 0 {
        // Nothing stands before what stays: only its outputs are too long.
        return Plan::Prune(pruned);
    }
    Plan::Replace { cut, pruned }
}

/// By hand the user wants it shorter now, also where all of it would fit: the
/// last run alone may stay then.
fn place(view: &View, shares: &Shares, runs: u32, why: Why) -> usize {
    let cut = cut::place(view, shares.kept, runs);
    if cut > 0 || why != Why::ByHand {
        return cut;
    }
    cut::run_starts(view).last().copied().unwrap_or(0)
}

fn is_worth(before: u64, freed: u64, why: Why) -> bool {
    match why {
        Why::Due => freed.saturating_mul(100) >= before.saturating_mul(WORTH),
        // A request that is a little too long needs only a little.
        Why::Overflow => freed.saturating_mul(50) >= before,
        Why::ByHand => freed > 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compact::shares::Force;
    use crate::compact::view::Item;
    use std::sync::Arc;
    use tenon_vocab::{HistoryRef, Message, RunId};

    /// A prompt of so many tokens, each in a run of its own.
    fn view(fixed: u64, prompts: &[u64]) -> View {
        let item = |seq: usize, tokens: u64| Item {
            at: HistoryRef {
                seq: seq as u64,
                offset: 0,
            },
            run: Some(RunId::generate()),
            message: Arc::new(Message::user("words")),
            asked_at: None,
            pruned: false,
            tokens,
        };
        View {
            items: prompts
                .iter()
                .enumerate()
                .map(|(seq, tokens)| item(seq, *tokens))
                .collect(),
            previous: None,
            system: fixed,
            tools: 0,
            summary: 0,
        }
    }

    #[test]
    fn a_tenth_must_become_free_but_less_is_enough_where_nothing_else_helps() {
        for (why, not, enough) in [
            (Why::Due, 99, 100),
            (Why::Overflow, 19, 20),
            (Why::ByHand, 0, 1),
        ] {
            assert!(!is_worth(1_000, not, why), "{why:?}");
            assert!(is_worth(1_000, enough, why), "{why:?}");
        }
    }

    #[test]
    fn what_frees_less_than_a_tenth_is_not_planned() {
        let settings = Compaction::default();
        let shares = Shares::of(16_000, 2_000, &settings, Force::Usual);
        let half = shares.kept / 2;
        let mut too_little = 0;
        let mut planned = 0;
        for replaced in (500..8_000).step_by(50) {
            let view = view(2_000, &[replaced, half, half]);
            let stands = shares.replacement().min(replaced / 2 + shares.facts);
            let freed = replaced.saturating_sub(stands);
            let plan = make(&view, &shares, &settings, Why::Due);
            if freed * 100 >= view.tokens() * 10 {
                planned += 1;
                assert!(matches!(plan, Plan::Replace { cut: 1, .. }), "{replaced}");
            } else {
                too_little += usize::from(freed > 0);
                assert_eq!(plan, Plan::Nothing, "{replaced}");
            }
        }
        assert!(too_little > 3 && planned > 3, "{too_little} {planned}");
    }
}
