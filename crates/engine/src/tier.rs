//! How many words a model is given before the work begins, and why so many
//! (V3). The tier is a part of the prefix: a session keeps the one that it began
//! with, whatever is learned of the window later, until its model is changed.

use std::fmt;
use tenon_model::{Identity, Reach, is_small};
use tenon_session::State;
use tenon_vocab::profile::PromptTier;

/// From this window on the full tier has room.
const ROOMY: u64 = 32 * 1024;

/// A tier with its reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChosenTier {
    pub tier: PromptTier,
    pub because: TierReason,
}

/// Why a model gets the words that it gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TierReason {
    /// `prompt.tier` says so.
    Setting,
    /// The session began with it.
    Session,
    /// So many tokens have room in a request.
    Window(u64),
    /// The name is of a small model.
    Family,
    /// Nobody knows the window yet; the server stands here or elsewhere.
    Unknown(Reach),
}

impl fmt::Display for TierReason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Setting => f.write_str("your `prompt.tier`"),
            Self::Session => f.write_str("as at the start of this session"),
            Self::Window(tokens) => write!(f, "the window has {tokens} tokens"),
            Self::Family => f.write_str("the name is that of a small model"),
            Self::Unknown(Reach::Local) => {
                f.write_str("nobody knows the window of this local server")
            }
            Self::Unknown(Reach::Remote) => {
                f.write_str("nobody knows the window of this hosted server")
            }
        }
    }
}

/// Who is asked, as far as it matters here.
#[derive(Debug, Clone, Copy)]
pub struct Asked<'a> {
    pub model: &'a str,
    /// What a request may have, in tokens, where that is known.
    pub window: Option<u64>,
    pub reach: Reach,
}

impl<'a> Asked<'a> {
    /// `cap` is the most that a request may have, whatever the window.
    #[must_use]
    pub fn of(identity: &'a Identity, window: Option<u64>, cap: Option<u64>) -> Self {
        Self {
            model: &identity.model,
            window: window.into_iter().chain(cap).min(),
            reach: identity.reach,
        }
    }
}

/// The rule: what the user says; else compact for a small model and in a small
/// window, full in a large one. A window that nobody knows counts as small
/// where the server is a local one.
#[must_use]
pub fn choose(setting: Option<PromptTier>, asked: Asked<'_>) -> ChosenTier {
    use PromptTier::{Compact, Full};
    let (tier, because) = match (setting, asked.window) {
        (Some(tier), _) => (tier, TierReason::Setting),
        (None, Some(tokens)) if tokens < ROOMY => (Compact, TierReason::Window(tokens)),
        (None, _) if is_small(asked.model) => (Compact, TierReason::Family),
        (None, Some(tokens)) => (Full, TierReason::Window(tokens)),
        (None, None) => {
            let tier = match asked.reach {
                Reach::Local => Compact,
                Reach::Remote => Full,
            };
            (tier, TierReason::Unknown(asked.reach))
        }
    };
    ChosenTier { tier, because }
}

/// The tier that a session goes on with: the one of its last request to this
/// model, so that a resume sends the same bytes.
#[must_use]
pub fn of_session(
    setting: Option<PromptTier>,
    asked: Asked<'_>,
    endpoint: &str,
    state: &State,
) -> ChosenTier {
    let compiled = state
        .compiled()
        .filter(|compiled| compiled.model == asked.model && compiled.endpoint == endpoint);
    match (setting, compiled.and_then(|compiled| compiled.tier)) {
        (None, Some(tier)) => ChosenTier {
            tier,
            because: TierReason::Session,
        },
        _ => choose(setting, asked),
    }
}

#[cfg(test)]
mod tests {
    use super::{Asked, ROOMY, TierReason, choose};
    use tenon_model::Reach;
    use tenon_vocab::profile::PromptTier::{self, Compact, Full};

    fn chosen(model: &str, window: Option<u64>, reach: Reach) -> (PromptTier, TierReason) {
        let asked = Asked {
            model,
            window,
            reach,
        };
        let chosen = choose(None, asked);
        (chosen.tier, chosen.because)
    }

    #[test]
    fn a_large_window_of_a_model_that_is_not_small_gets_the_full_tier() {
        use Reach::{Local, Remote};
        for (model, window, reach, tier, because) in [
            ("m", Some(ROOMY), Local, Full, TierReason::Window(ROOMY)),
            ("m", Some(8192), Remote, Compact, TierReason::Window(8192)),
            ("qwen:7b", Some(200_000), Local, Compact, TierReason::Family),
            ("qwen:7b", None, Remote, Compact, TierReason::Family),
            ("m", None, Local, Compact, TierReason::Unknown(Local)),
            ("m", None, Remote, Full, TierReason::Unknown(Remote)),
        ] {
            assert_eq!(
                chosen(model, window, reach),
                (tier, because),
                "{model} {window:?}"
            );
        }
    }

    #[test]
    fn what_the_user_says_comes_before_every_window_and_name() {
        for (setting, model, window) in [
            (Full, "qwen:7b", Some(4096)),
            (Compact, "claude", Some(200_000)),
        ] {
            let asked = Asked {
                model,
                window,
                reach: Reach::Local,
            };
            let chosen = choose(Some(setting), asked);
            assert_eq!(
                (chosen.tier, chosen.because),
                (setting, TierReason::Setting)
            );
        }
    }

    #[test]
    fn a_cap_on_requests_makes_a_large_window_small() {
        let identity = tenon_model::Identity::new("e", "m");
        let asked = |window, cap| Asked::of(&identity, window, cap).window;
        assert_eq!(asked(Some(200_000), Some(12_000)), Some(12_000));
        assert_eq!(asked(Some(8_000), Some(12_000)), Some(8_000));
        assert_eq!(asked(None, Some(12_000)), Some(12_000));
        assert_eq!(asked(None, None), None);
    }
}
