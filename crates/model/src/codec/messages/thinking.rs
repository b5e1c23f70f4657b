//! How much a model may think, in the two ways that the API has had: newer
//! models choose themselves and take a level of effort, older ones and most
//! other servers take a budget of tokens.

use crate::quirks::Quirks;
use crate::{Parameters, known};

/// The limit of an answer: the format wants one always (P17).
const MAX_TOKENS: u64 = 8192;
/// What every model that thinks can write, thinking and answer together.
const LONGEST: u64 = 32_000;
/// A smaller budget is refused.
const SMALLEST_BUDGET: u64 = 1024;
/// What is left for the answer at least.
const ANSWER: u64 = 1024;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thinking {
    /// Nothing is said: the server's default.
    Default,
    /// The user does not want it.
    Disabled,
    Budget(u64),
    /// The model decides; the word is that of `output_config.effort`.
    Adaptive(&'static str),
}

/// The first version that decides by itself: the budget is refused by later ones.
const ADAPTIVE_SINCE: (u32, u32) = (4, 6);
/// The first version that knows `xhigh`.
const XHIGH_SINCE: (u32, u32) = (4, 7);

/// What the user's effort means for this model: the same in every request,
/// however long the history is. A budget must fit below the user's limit, or
/// there is none.
pub(super) fn choose(model: &str, parameters: &Parameters, quirks: &Quirks) -> Thinking {
    let Some(level) = parameters.reasoning_effort.as_deref().and_then(Level::read) else {
        return Thinking::Default;
    };
    let version = version(model);
    if version >= Some(ADAPTIVE_SINCE) {
        // These refuse to be told not to think; the newest always do.
        return match level.word(version) {
            Some(word) => Thinking::Adaptive(word),
            None => Thinking::Default,
        };
    }
    if quirks.omits("thinking") {
        return Thinking::Default;
    }
    let Some(budget) = level.budget() else {
        return Thinking::Disabled;
    };
    let most = parameters.max_tokens.unwrap_or_else(|| longest(model));
    let budget = budget.min(most.saturating_sub(ANSWER));
    if budget < SMALLEST_BUDGET {
        return Thinking::Default;
    }
    Thinking::Budget(budget)
}

/// `max_tokens`, were there room without end: the user's, or one for thinking
/// and an answer.
pub(super) fn longest_answer(model: &str, parameters: &Parameters, thinking: Thinking) -> u64 {
    match (parameters.max_tokens, thinking) {
        (Some(given), _) => given,
        (None, Thinking::Budget(budget)) => (budget + MAX_TOKENS).min(longest(model)),
        (None, _) => MAX_TOKENS,
    }
}

/// What is asked for when an answer may have this many tokens: thinking, and
/// `max_tokens`. Where the budget does not fit any more it is halved: each
/// other budget costs the provider's cache, so there are few. Thinking is never
/// given up for want of room: the thoughts in the history would be refused.
pub(super) fn fit(thinking: Thinking, most: u64) -> (Thinking, u64) {
    let Thinking::Budget(mut budget) = thinking else {
        return (thinking, most.max(1));
    };
    while budget > SMALLEST_BUDGET && budget + ANSWER > most {
        budget = (budget / 2).max(SMALLEST_BUDGET);
    }
    (Thinking::Budget(budget), most.max(SMALLEST_BUDGET + 1))
}

fn longest(model: &str) -> u64 {
    known(model)
        .and_then(|known| known.max_output)
        .unwrap_or(LONGEST)
}

/// Whether what the model thought before may be shown to it. A Claude that
/// takes a budget refuses its own thinking when it got none.
pub(super) fn returns_thoughts(model: &str, thinking: Thinking) -> bool {
    match thinking {
        Thinking::Budget(_) | Thinking::Adaptive(_) => true,
        Thinking::Disabled => false,
        Thinking::Default => version(model).is_none_or(|version| version >= ADAPTIVE_SINCE),
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Level {
    Off,
    Minimal,
    Low,
    Medium,
    High,
    XHigh,
    Max,
}

impl Level {
    /// A word that is not known says nothing.
    fn read(word: &str) -> Option<Self> {
        Some(match word.trim().to_ascii_lowercase().as_str() {
            "none" | "off" | "disabled" => Self::Off,
            "minimal" => Self::Minimal,
            "low" => Self::Low,
            "medium" => Self::Medium,
            "high" => Self::High,
            "xhigh" => Self::XHigh,
            "max" => Self::Max,
            _ => return None,
        })
    }

    fn budget(self) -> Option<u64> {
        Some(match self {
            Self::Off => return None,
            Self::Minimal => SMALLEST_BUDGET,
            Self::Low => 4_096,
            Self::Medium => 10_000,
            Self::High => 24_000,
            Self::XHigh | Self::Max => 32_000,
        })
    }

    fn word(self, version: Option<(u32, u32)>) -> Option<&'static str> {
        Some(match self {
            Self::Off => return None,
            Self::Minimal | Self::Low => "low",
            Self::Medium => "medium",
            Self::XHigh if version >= Some(XHIGH_SINCE) => "xhigh",
            Self::High | Self::XHigh => "high",
            Self::Max => "max",
        })
    }
}

/// Which Claude this is: `claude-opus-4-6`, `anthropic/claude-4.7-opus`,
/// `claude-3-7-sonnet-20250219`. One without a number is newer than any that
/// has one. `None` for all other models.
fn version(model: &str) -> Option<(u32, u32)> {
    let lower = model.to_ascii_lowercase();
    let name = &lower[lower.find("claude")?..];
    let mut numbers = name
        .split(['-', '.', '@', ':', '_', '/'])
        .filter(|word| word.len() <= 2)
        .filter_map(|word| word.parse::<u32>().ok());
    match numbers.next() {
        Some(major) => Some((major, numbers.next().unwrap_or(0))),
        None => Some((u32::MAX, 0)),
    }
}

#[cfg(test)]
mod tests {
    use super::{Thinking, choose, fit, returns_thoughts, version};
    use crate::Parameters;
    use crate::quirks::Quirks;

    fn chosen(model: &str, effort: Option<&str>, max_tokens: Option<u64>) -> Thinking {
        let parameters = Parameters {
            reasoning_effort: effort.map(str::to_owned),
            max_tokens,
            ..Parameters::default()
        };
        choose(model, &parameters, &Quirks::default())
    }

    #[test]
    fn versions_are_read_from_every_spelling() {
        for (model, expected) in [
            ("claude-3-7-sonnet-20250219", Some((3, 7))),
            ("claude-sonnet-4-20250514", Some((4, 0))),
            ("claude-opus-4-5-20251101", Some((4, 5))),
            ("claude-opus-4-6", Some((4, 6))),
            ("anthropic/claude-4.7-opus", Some((4, 7))),
            ("anthropic.claude-opus-4-6-v1", Some((4, 6))),
            ("claude-3-5-sonnet@20240620", Some((3, 5))),
            ("claude-opus-5", Some((5, 0))),
            ("claude-mythos-preview", Some((u32::MAX, 0))),
            ("qwen3-4-6", None),
            ("", None),
        ] {
            assert_eq!(version(model), expected, "{model}");
        }
    }

    #[test]
    fn new_models_get_a_word_and_all_others_a_budget() {
        for (model, effort, expected) in [
            ("claude-opus-4-7", "minimal", Thinking::Adaptive("low")),
            ("claude-opus-4-7", "xhigh", Thinking::Adaptive("xhigh")),
            ("claude-opus-4-6", "xhigh", Thinking::Adaptive("high")),
            ("claude-opus-4-6", "none", Thinking::Default),
            ("claude-sonnet-4-5", "minimal", Thinking::Budget(1024)),
            ("claude-sonnet-4-5", "low", Thinking::Budget(4096)),
            ("claude-sonnet-4-5", "Medium", Thinking::Budget(10_000)),
            ("claude-sonnet-4-5", "none", Thinking::Disabled),
            ("glm-5", "high", Thinking::Budget(24_000)),
            ("glm-5", "max", Thinking::Budget(30_976)),
            ("claude-sonnet-4-5", "max", Thinking::Budget(32_000)),
            ("glm-5", "off", Thinking::Disabled),
            ("glm-5", "very much", Thinking::Default),
        ] {
            assert_eq!(
                chosen(model, Some(effort), None),
                expected,
                "{model} {effort}"
            );
        }
        assert_eq!(chosen("glm-5", None, None), Thinking::Default);
    }

    #[test]
    fn a_budget_stays_below_the_users_limit_or_there_is_none() {
        for (most, expected) in [
            (30, Thinking::Default),
            (2_047, Thinking::Default),
            (2_048, Thinking::Budget(1_024)),
            (8_192, Thinking::Budget(7_168)),
            (64_000, Thinking::Budget(24_000)),
        ] {
            assert_eq!(chosen("m", Some("high"), Some(most)), expected, "{most}");
        }
    }

    #[test]
    fn a_budget_that_does_not_fit_is_halved_and_never_given_up() {
        for (most, budget, limit) in [
            (32_192, 24_000, 32_192),
            (25_024, 24_000, 25_024),
            (25_023, 12_000, 25_023),
            (3_788, 1_500, 3_788),
            (2_048, 1_024, 2_048),
            (1, 1_024, 1_025),
        ] {
            let fitted = fit(Thinking::Budget(24_000), most);
            assert_eq!(fitted, (Thinking::Budget(budget), limit), "{most}");
        }
        assert_eq!(fit(Thinking::Default, 0), (Thinking::Default, 1));
    }

    #[test]
    fn thoughts_go_back_to_who_may_think_now_and_to_who_decides_alone() {
        let returned = |model, effort| returns_thoughts(model, chosen(model, effort, None));
        assert!(returned("claude-sonnet-4-5", Some("low")));
        assert!(!returned("claude-sonnet-4-5", None));
        assert!(!returned("claude-sonnet-4-5", Some("none")));
        assert!(returned("claude-mythos-preview", None));
        assert!(returned("claude-opus-4-7", Some("none")));
        assert!(returned("glm-5", None));
        assert!(!returned("glm-5", Some("none")));
    }
}
