//! Where the recent part begins: whole runs where they fit, else whole steps. A
//! call is never parted from its results, so the history stays one that every
//! server takes. Pure.

use crate::compact::view::View;

/// Whole runs that are kept at least before steps of a run are (C11).
const LEAST_RUNS: usize = 2;

/// The index of the first item that stays. All of it stays at 0. The last message
/// always stays, however long it is, with its results.
pub(crate) fn place(view: &View, tokens: u64, runs: u32) -> usize {
    let Some(last) = view.starts().next_back() else {
        return 0;
    };
    let longest = longest_that_fits(view, tokens).unwrap_or(last);
    let begins = run_starts(view);
    let wanted = usize::try_from(runs).unwrap_or(usize::MAX).max(LEAST_RUNS);
    let by_runs = begins
        .len()
        .checked_sub(wanted)
        .and_then(|index| begins.get(index).copied())
        .unwrap_or(0);
    let cut = longest.max(by_runs);
    // A run that is cut open loses its beginning; where enough whole ones remain,
    // it goes as a whole.
    let whole: Vec<usize> = begins.into_iter().filter(|begin| *begin >= cut).collect();
    if whole.len() >= LEAST_RUNS {
        whole.first().copied().unwrap_or(cut)
    } else {
        cut
    }
}

fn longest_that_fits(view: &View, tokens: u64) -> Option<usize> {
    let mut sum = 0;
    let mut end = view.items.len();
    let mut found = None;
    for start in view.starts().rev() {
        sum += view
            .items
            .get(start..end)
            .unwrap_or_default()
            .iter()
            .map(|item| item.tokens)
            .sum::<u64>();
        end = start;
        if sum > tokens {
            break;
        }
        found = Some(start);
    }
    found
}

/// Where each run begins.
pub(crate) fn run_starts(view: &View) -> Vec<usize> {
    let mut begins = Vec::new();
    let mut last = None;
    for start in view.starts() {
        let run = view.items.get(start).and_then(|item| item.run);
        if begins.is_empty() || run != last {
            begins.push(start);
        }
        last = run;
    }
    begins
}
