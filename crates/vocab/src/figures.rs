//! Short forms of times, tokens and numbers, the same wherever they are shown.

use crate::{RunFinished, Usage};
use std::time::Duration;

/// From so many percent on a window is worth a look, and is nearly full.
pub const FILLING: u64 = 70;
pub const FULL: u64 = 90;

/// Of something that goes on: `7s`, `2m 05s`, `1h 02m`.
#[must_use]
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
    }
}

/// Of something that is over: `0.4s`, `3.2s`; from ten seconds on as [`elapsed`].
#[must_use]
pub fn took(time: Duration) -> String {
    match time.as_secs() {
        0..10 => format!("{}.{}s", time.as_secs(), time.subsec_millis() / 100),
        _ => elapsed(time),
    }
}

/// `950`, `1.2k`, `3.4M`.
#[must_use]
pub fn short(count: u64) -> String {
    match count {
        0..1000 => count.to_string(),
        1000..1_000_000 => format!("{:.1}k", count as f64 / 1000.0),
        _ => format!("{:.1}M", count as f64 / 1_000_000.0),
    }
}

/// Tokens of a run; `~` where no server counted them.
#[must_use]
pub fn tokens(usage: Usage) -> String {
    let mark = if usage.estimated { "~" } else { "" };
    format!("{mark}{} tokens", short(usage.total()))
}

/// How long something lasts, in its largest whole unit: `7 days`.
#[must_use]
pub fn span(time: Duration) -> String {
    const UNITS: [(u64, &str); 3] = [(24 * 60 * 60, "day"), (60 * 60, "hour"), (60, "minute")];
    let seconds = time.as_secs();
    let unit = UNITS.iter().find(|(unit, _)| seconds.is_multiple_of(*unit));
    let (number, noun) = unit.map_or((seconds, "second"), |(unit, noun)| (seconds / unit, *noun));
    count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// `1 step`, `3 steps`; `1 entry`, `3 entries`; `2 days`.
#[must_use]
pub fn count(number: usize, noun: &str) -> String {
    if number == 1 {
        return format!("1 {noun}");
    }
    match noun.strip_suffix('y') {
        Some(stem) if !stem.ends_with(['a', 'e', 'i', 'o', 'u']) => format!("{number} {stem}ies"),
        _ => format!("{number} {noun}s"),
    }
}

/// What a run took: `3.2s`, `4 steps`, `1.2k tokens`, `$0.0123`, `1 failed call`.
#[must_use]
pub fn of_run(finished: &RunFinished) -> Vec<String> {
    let mut figures = vec![
        took(Duration::from_millis(finished.duration_ms)),
        count(finished.steps as usize, "step"),
    ];
    if finished.usage.total() > 0 {
        figures.push(tokens(finished.usage));
    }
    figures.extend(finished.cost.map(|cost| cost.to_string()));
    if finished.failed_calls > 0 {
        figures.push(count(finished.failed_calls as usize, "failed call"));
    }
    figures
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_of_something_is_singular_and_several_have_their_plural() {
        for (number, noun, text) in [
            (1, "step", "1 step"),
            (0, "step", "0 steps"),
            (1, "entry", "1 entry"),
            (2, "entry", "2 entries"),
            (3, "day", "3 days"),
        ] {
            assert_eq!(count(number, noun), text);
        }
    }
    use crate::{Cost, Outcome};

    #[test]
    fn figures_are_short_and_right() {
        assert_eq!(elapsed(Duration::from_secs(7)), "7s");
        assert_eq!(elapsed(Duration::from_secs(125)), "2m 05s");
        assert_eq!(elapsed(Duration::from_secs(3725)), "1h 02m");
        assert_eq!(took(Duration::from_millis(3290)), "3.2s");
        assert_eq!(took(Duration::from_millis(125_900)), "2m 05s");
        assert_eq!(short(999), "999");
        assert_eq!(short(1250), "1.2k");
        assert_eq!(short(2_500_000), "2.5M");
        assert_eq!(count(1, "step"), "1 step");
    }

    fn run(total: u64, estimated: bool) -> RunFinished {
        RunFinished {
            outcome: Outcome::Completed,
            reason: None,
            steps: 4,
            calls: 0,
            failed_calls: 0,
            denied_calls: 0,
            usage: Usage {
                input: total,
                estimated,
                ..Usage::default()
            },
            cost: None,
            duration_ms: 3210,
            snapshot: None,
        }
    }

    #[test]
    fn only_a_figure_that_nobody_counted_is_marked() {
        assert_eq!(
            of_run(&run(1234, false)),
            ["3.2s", "4 steps", "1.2k tokens"]
        );
        assert_eq!(of_run(&run(950, true)), ["3.2s", "4 steps", "~950 tokens"]);
        assert_eq!(of_run(&run(0, false)), ["3.2s", "4 steps"]);
        let paid = RunFinished {
            cost: Some(Cost(12_340)),
            failed_calls: 1,
            ..run(0, false)
        };
        assert_eq!(
            of_run(&paid),
            ["3.2s", "4 steps", "$0.0123", "1 failed call"]
        );
    }
}
