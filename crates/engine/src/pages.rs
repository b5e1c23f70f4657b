//! How much of a model's window one result may take (T1). A file that is longer
//! than the window is no use to it: what does not fit is compacted away before it
//! is read. So each result is a page of what is free, with the way to the next
//! one, and the caps of the configuration are the most. The one place of this
//! rule: tools get its figures as their limits and know nothing of windows.

use crate::budget::{self, ASSUMED};
use crate::run::Run;
use tenon_model::estimate_tokens;
use tenon_vocab::profile::ToolLimits;

/// A result may take this share of what is free, and calls that run side by side
/// have it together.
const SHARE: u64 = 4;
/// So much it may have always: less says nothing, and room can be made.
const LEAST: u64 = 400;
/// Bytes of a token, in code with the numbers of its lines.
const BYTES: u64 = 2;
/// A numbered line costs at least so many tokens.
const LINE: u64 = 8;

/// Who reads a result.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) enum Reader {
    #[default]
    Model,
    /// A program, which has no window.
    Program,
}

/// The limits of each of so many calls that run side by side.
pub(crate) fn limits(run: &mut Run, calls: usize) -> ToolLimits {
    let caps = run.core.tool_limits.clone();
    if run.reader == Reader::Program {
        return caps;
    }
    let current = run.core.active.get();
    let request = run.context.request(&run.core, &current, run.core.delivery);
    let used = run
        .core
        .meter
        .expect(estimate_tokens(&request).saturating_add(run.unsent));
    let window = budget::limit(&run.core, &current).map_or(ASSUMED, |limit| limit.tokens);
    within(caps, window.saturating_sub(used), calls)
}

fn within(caps: ToolLimits, free: u64, calls: usize) -> ToolLimits {
    let share = SHARE.saturating_mul(calls.max(1) as u64);
    let tokens = (free / share).max(LEAST);
    let size = |number: u64| usize::try_from(number).unwrap_or(usize::MAX);
    let bytes = size(tokens.saturating_mul(BYTES));
    ToolLimits {
        output_bytes: caps.output_bytes.min(bytes),
        read_bytes: caps.read_bytes.min(bytes),
        read_lines: caps.read_lines.min(size(tokens / LINE)),
        line_bytes: caps.line_bytes.min(bytes),
        ..caps
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pages(free: u64, calls: usize) -> (usize, usize, usize) {
        let limits = within(ToolLimits::default(), free, calls);
        (limits.output_bytes, limits.read_bytes, limits.read_lines)
    }

    #[test]
    fn a_result_has_a_quarter_of_what_is_free_and_never_more_than_the_caps() {
        let caps = ToolLimits::default();
        let most = (caps.output_bytes, caps.read_bytes, caps.read_lines);
        assert_eq!(pages(200_000, 1), most);
        assert_eq!(pages(5_600, 1), (2_800, 2_800, 175));
    }

    #[test]
    fn calls_that_run_side_by_side_share_and_each_has_the_least() {
        assert_eq!(pages(56_000, 10), pages(5_600, 1));
        assert_eq!(pages(0, 1), (800, 800, 50));
        assert_eq!(pages(5_600, 8), pages(0, 1));
    }
}
