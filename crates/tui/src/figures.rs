//! Short forms of times, tokens and sizes.

use std::time::Duration;
use tenon_vocab::Usage;

/// `7s`, `2m 05s`, `1h 02m`.
#[must_use]
pub fn elapsed(time: Duration) -> String {
    let seconds = time.as_secs();
    match seconds {
        0..60 => format!("{seconds}s"),
        60..3600 => format!("{}m {:02}s", seconds / 60, seconds % 60),
        _ => format!("{}h {:02}m", seconds / 3600, seconds % 3600 / 60),
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

/// `1 step`, `3 steps`.
#[must_use]
pub fn count(number: u32, noun: &str) -> String {
    let plural = if number == 1 { "" } else { "s" };
    format!("{number} {noun}{plural}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figures_are_short_and_right() {
        assert_eq!(elapsed(Duration::from_secs(7)), "7s");
        assert_eq!(elapsed(Duration::from_secs(125)), "2m 05s");
        assert_eq!(elapsed(Duration::from_secs(3725)), "1h 02m");
        assert_eq!(short(999), "999");
        assert_eq!(short(1250), "1.2k");
        assert_eq!(count(1, "step"), "1 step");
    }
}
