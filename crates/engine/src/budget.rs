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

/// Who set a limit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum LimitSource {
    Window(WindowSource),
    /// `context.max_tokens`
    Setting,
    /// The server was asked and did not say.
    Assumed,
}

/// The most that a request may have, with the room for its answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Limit {
    pub(crate) tokens: u64,
    pub(crate) source: LimitSource,
}

impl Limit {
    /// Whether it is the user's own word: more is never sent.
    pub(crate) fn is_binding(&self) -> bool {
        match &self.source {
            LimitSource::Window(source) => *source == WindowSource::User,
            LimitSource::Setting => true,
            LimitSource::Assumed => false,
        }
    }

    /// The setting that would raise it.
    pub(crate) fn key(&self) -> &'static str {
        match self.source {
            LimitSource::Setting => "context.max_tokens",
            LimitSource::Window(_) | LimitSource::Assumed => "context_window",
        }
    }

    /// Who says so, for people.
    pub(crate) fn said(&self) -> String {
        match &self.source {
            LimitSource::Window(source) => active::source(&Window {
                tokens: self.tokens,
                source: source.clone(),
            }),
            LimitSource::Setting => String::from("your `context.max_tokens`"),
            LimitSource::Assumed => {
                String::from("assumed; the server does not say what it holds: set `context_window`")
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
    capped(window, core.given.request_tokens)
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
    fn only_the_users_own_word_binds() {
        let binding = |limit: Option<Limit>| limit.unwrap().is_binding();
        assert!(binding(window(1, WindowSource::User)));
        assert!(!binding(window(1, WindowSource::Catalogue)));
        assert!(!binding(window(1, WindowSource::Server("/props".into()))));
        assert!(binding(capped(None, Some(1))));
    }
}
