//! How many tokens a request may have, and who says so (C4, C10): the window of
//! the model, or less where the user wants less. Where nobody knows the window,
//! one is assumed, and that is said. Not the place that makes a request shorter;
//! that is `compact`.

use crate::active::{self, Current};
use crate::core::Core;
use tenon_model::{Window, WindowSource};

/// What a server holds of which nothing is known. Small enough for most, large
/// enough to work in.
pub const ASSUMED: u64 = 32_768;

/// Of what was refused, in percent: an estimate is never exact.
const OF_REFUSED: u64 = 90;

/// Who set a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum LimitSource {
    Window(WindowSource),
    /// `context.max_tokens`
    Setting,
    /// The server refused what should have fitted.
    Refused,
    /// The server was asked and did not say.
    Assumed,
    /// No server is asked, and nobody else knows.
    Unasked,
}

/// The most that a request may have, with the room for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Limit {
    pub tokens: u64,
    pub source: LimitSource,
}

impl Limit {
    /// Whether it is the user's own word: more is never sent.
    pub(crate) fn is_binding(&self) -> bool {
        match &self.source {
            LimitSource::Window(source) => *source == WindowSource::User,
            LimitSource::Setting => true,
            LimitSource::Refused | LimitSource::Assumed | LimitSource::Unasked => false,
        }
    }

    /// The setting that would raise it.
    pub(crate) fn key(&self) -> &'static str {
        match self.source {
            LimitSource::Setting => "context.max_tokens",
            LimitSource::Window(_)
            | LimitSource::Refused
            | LimitSource::Assumed
            | LimitSource::Unasked => "context_window",
        }
    }

    /// Who says so, for people.
    #[must_use]
    pub fn said(&self) -> String {
        match &self.source {
            LimitSource::Window(source) => active::source(&Window {
                tokens: self.tokens,
                source: source.clone(),
            }),
            LimitSource::Setting => String::from("your `context.max_tokens`"),
            LimitSource::Refused => String::from(
                "the server refused a longer request; if its window is larger, set `context_window`",
            ),
            LimitSource::Unasked => String::from(
                "assumed, because Tenon does not ask this server; set `context_window`",
            ),
            LimitSource::Assumed => {
                String::from("assumed, because the server doesn't report it; set `context_window`")
            }
        }
    }
}

/// The limit of a request to this model. `None` as long as the server has not
/// been asked: what it says after its first reply may be much more.
pub(crate) fn limit(core: &Core, current: &Current) -> Option<Limit> {
    let window = match current.window() {
        Some(window) => Some(Limit {
            tokens: window.tokens,
            source: LimitSource::Window(window.source),
        }),
        None if current.window_is_open() => None,
        None => Some(Limit {
            tokens: ASSUMED,
            source: LimitSource::Assumed,
        }),
    };
    let refused = core.compaction.refused(current).map(|tokens| Limit {
        // Our estimate; a limit is counted as the server counts.
        tokens: core
            .meter
            .expect(tokens.saturating_mul(OF_REFUSED) / 100)
            .max(1),
        source: LimitSource::Refused,
    });
    capped(smaller(window, refused), core.given.request_tokens)
}

/// The limit as far as it is known without a server.
#[must_use]
pub fn unasked(window: Option<Window>, cap: Option<u64>) -> Limit {
    let assumed = Limit {
        tokens: ASSUMED,
        source: LimitSource::Unasked,
    };
    let window = window.map_or(assumed.clone(), |window| Limit {
        tokens: window.tokens,
        source: LimitSource::Window(window.source),
    });
    capped(Some(window), cap).unwrap_or(assumed)
}

fn smaller(one: Option<Limit>, other: Option<Limit>) -> Option<Limit> {
    match (one, other) {
        (Some(one), Some(other)) if other.tokens < one.tokens => Some(other),
        (one, other) => one.or(other),
    }
}

/// The user's cap holds where it is the smaller one.
fn capped(window: Option<Limit>, cap: Option<u64>) -> Option<Limit> {
    match (window, cap) {
        (Some(window), Some(cap)) if window.tokens <= cap => Some(window),
        (_, Some(cap)) => Some(Limit {
            tokens: cap,
            source: LimitSource::Setting,
        }),
        (window, None) => window,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(tokens: u64, source: WindowSource) -> Option<Limit> {
        let source = LimitSource::Window(source);
        Some(Limit { tokens, source })
    }

    #[test]
    fn the_smaller_of_window_and_cap_holds() {
        let large = window(131_072, WindowSource::Catalogue);
        let found = capped(large.clone(), Some(12_000)).unwrap();
        assert_eq!((found.tokens, found.source), (12_000, LimitSource::Setting));
        assert_eq!(capped(large.clone(), Some(200_000)), large);
        assert_eq!(capped(large.clone(), None), large);
        assert_eq!(capped(None, Some(12_000)).unwrap().tokens, 12_000);
        assert_eq!(capped(None, None), None);
    }

    #[test]
    fn what_was_refused_lowers_a_limit_and_never_raises_it() {
        let refused = |tokens| {
            let source = LimitSource::Refused;
            Some(Limit { tokens, source })
        };
        let known = window(8_192, WindowSource::Catalogue);
        assert_eq!(smaller(known.clone(), refused(6_000)), refused(6_000));
        assert_eq!(smaller(known.clone(), refused(9_000)), known);
        assert_eq!(smaller(None, refused(6_000)), refused(6_000));
    }

    #[test]
    fn without_a_server_the_same_words_and_figures_hold() {
        let assumed = unasked(None, None);
        assert_eq!((assumed.tokens, assumed.is_binding()), (ASSUMED, false));
        assert_eq!(unasked(None, Some(9_000)).source, LimitSource::Setting);
        assert_eq!(unasked(None, Some(90_000)), assumed);
    }

    #[test]
    fn only_the_users_own_word_binds() {
        let binding = |limit: Option<Limit>| limit.unwrap().is_binding();
        assert!(binding(window(1, WindowSource::User)));
        assert!(!binding(window(1, WindowSource::Catalogue)));
        assert!(!binding(window(1, WindowSource::Server("/props".into()))));
        assert!(binding(capped(None, Some(1))));
    }
}
