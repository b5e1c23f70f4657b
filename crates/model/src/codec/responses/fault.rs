//! The codes of this format's errors, which say more than their sentences:
//! whether to try again, when, and what to do about it.

use crate::{ModelError, ModelErrorKind, failure};
use serde_json::Value;
use std::time::Duration;

const PLAN_HINT: &str =
    "This account's plan doesn't include this. Change the plan, or use an API key.";
const PROMPT_HINT: &str = "The provider refuses this request because of its content. Rephrase it.";
const OVERLOAD_HINT: &str = "The provider is overloaded: try again later.";
/// A server that asks for a longer pause is not waited for.
const LONGEST_PAUSE: Duration = Duration::from_secs(3_600);

/// An error inside an answer: `response.failed`, an event `error`, or a
/// response that carries one.
pub(super) fn in_answer(said: &Value) -> ModelError {
    refine(failure::in_reply(said), said)
}

/// What an HTTP error means, with the codes of this format.
pub(super) fn of_status(status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
    let error = failure::classify(status, retry_after, body);
    match failure::document(body) {
        Some(said) => refine(error, &said),
        None => error,
    }
}

fn refine(mut error: ModelError, said: &Value) -> ModelError {
    let codes = ["/error/code", "/error/type", "/code"];
    for code in codes.iter().filter_map(|path| said.pointer(path)?.as_str()) {
        match code {
            "usage_not_included" => {
                error.kind = ModelErrorKind::Rejected;
                error.hint = Some(PLAN_HINT.to_owned());
            }
            "usage_limit_reached" => {
                error.kind = ModelErrorKind::Rejected;
                error.hint = Some(limit_hint(said));
            }
            "invalid_prompt" | "cyber_policy" | "bio_policy" => {
                error.kind = ModelErrorKind::Rejected;
                error.hint = Some(PROMPT_HINT.to_owned());
            }
            "server_is_overloaded" | "slow_down" => {
                error.kind = ModelErrorKind::Unavailable;
                error.hint = Some(OVERLOAD_HINT.to_owned());
            }
            "rate_limit_exceeded" if error.kind == ModelErrorKind::RateLimited => {
                error.retry_after = error.retry_after.or_else(|| pause(&error.message));
            }
            _ => {}
        }
    }
    error
}

fn limit_hint(said: &Value) -> String {
    let seconds = ["/error/resets_in_seconds", "/resets_in_seconds"]
        .iter()
        .find_map(|path| said.pointer(path)?.as_u64());
    match seconds.map(|seconds| seconds.div_ceil(60)) {
        Some(minutes) if minutes >= 60 => format!(
            "Wait {} h {} min until the limit resets, or use another model.",
            minutes / 60,
            minutes % 60
        ),
        Some(minutes) => {
            format!("Wait {minutes} min until the limit resets, or use another model.")
        }
        None => String::from("Wait until the limit resets, or use another model."),
    }
}

/// `Please try again in 1.3s.`: the only place where a pause is told once an
/// answer has begun.
fn pause(sentence: &str) -> Option<Duration> {
    let lower = sentence.to_ascii_lowercase();
    let (_, rest) = lower.split_once("try again in ")?;
    let digits = rest
        .find(|c: char| !c.is_ascii_digit() && c != '.')
        .unwrap_or(rest.len());
    let number: f64 = rest[..digits].trim_end_matches('.').parse().ok()?;
    let unit = rest[digits..].trim_start();
    let seconds = if unit.starts_with("ms") {
        number / 1_000.0
    } else if unit.starts_with('s') {
        number
    } else if unit.starts_with('m') {
        number * 60.0
    } else {
        return None;
    };
    Duration::try_from_secs_f64(seconds)
        .ok()
        .filter(|pause| *pause <= LONGEST_PAUSE)
}

#[cfg(test)]
mod tests {
    use super::pause;
    use std::time::Duration;

    #[test]
    fn the_pause_is_read_from_the_sentence() {
        let cases = [
            ("Please try again in 1.3s. Visit …", Some(1_300)),
            ("Try again in 28ms.", Some(28)),
            ("try again in 20 seconds", Some(20_000)),
            ("Please try again in 2 minutes.", Some(120_000)),
            ("Please try again in 99999999s", None),
            ("try again in a while", None),
            ("try again in ", None),
            ("try again in 1..2s", None),
            ("no pause", None),
        ];
        for (sentence, expected) in cases {
            assert_eq!(
                pause(sentence),
                expected.map(Duration::from_millis),
                "{sentence}"
            );
        }
    }
}
