//! What is done when a request is too long for the window. Beside the user's
//! own figure it is not sent: nobody is to use more than they said. The figures
//! of servers and of the catalogue are only held up: a server judges better by
//! itself, and a catalogue may be old.

use crate::active::{Current, source};
use crate::meter::{Meter, Sent};
use tenon_model::{ModelError, ModelErrorKind, Window, WindowSource};

/// The share of an estimate that is there at least, before a server has counted.
const SURE: f64 = 0.75;

/// What to do with a request.
#[derive(Debug)]
pub(crate) enum Fit {
    Fits,
    /// Send it, and say this: it may be too long.
    Doubtful(String),
    /// Do not send it.
    TooLong(Box<ModelError>),
}

/// Holds what would be sent against the window.
pub(crate) fn fit(meter: &Meter, current: &Current, sent: Sent) -> Fit {
    match current.window() {
        Some(window) if sent.tokens > window.tokens => judge(meter, &window, sent.tokens),
        _ => Fit::Fits,
    }
}

fn judge(meter: &Meter, window: &Window, tokens: u64) -> Fit {
    let counted = tokens as f64 * meter.share().unwrap_or(SURE).min(1.0);
    if window.source == WindowSource::User && counted > window.tokens as f64 {
        let error = ModelError::new(
            ModelErrorKind::ContextOverflow,
            format!(
                "The conversation has about {tokens} tokens, more than the {} of `context_window`. It was not sent.",
                window.tokens
            ),
        )
        .with_hint(
            "Start a new session with /new, or raise `context_window` when the server holds more.",
        );
        return Fit::TooLong(Box::new(error));
    }
    if meter.crowded_before() {
        return Fit::Fits;
    }
    Fit::Doubtful(format!(
        "The conversation has about {tokens} tokens and the window {} ({}): it may not fit, and the answer has little room. /new starts a new session.",
        window.tokens,
        source(window)
    ))
}
