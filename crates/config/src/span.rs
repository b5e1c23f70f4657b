//! A length of time as people write it: `30m`, `12h`, `7d`.

use serde_json::Value;
use std::time::Duration;

/// No longer than a year, so sums of them cannot overflow.
const LONGEST_SECS: u64 = 366 * 24 * 3600;

/// A whole number with a unit; without one, of seconds. From a second to a year.
pub(crate) fn read(value: &Value) -> Option<Duration> {
    let seconds = match value {
        Value::Number(number) => number.as_u64()?,
        Value::String(text) => seconds(text.trim())?,
        _ => return None,
    };
    (1..=LONGEST_SECS)
        .contains(&seconds)
        .then(|| Duration::from_secs(seconds))
}

fn seconds(text: &str) -> Option<u64> {
    let unit = text.trim_start_matches(|c: char| c.is_ascii_digit());
    let number: u64 = text.strip_suffix(unit)?.parse().ok()?;
    let each = match unit.trim() {
        "" | "s" => 1,
        "m" | "min" => 60,
        "h" => 60 * 60,
        "d" => 24 * 60 * 60,
        "w" => 7 * 24 * 60 * 60,
        _ => return None,
    };
    number.checked_mul(each)
}
