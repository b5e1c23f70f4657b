//! What is done when a request is too long for its limit. Beside the user's
//! own figure it is not sent: nobody is to use more than they said. The figures
//! of servers and of the catalogue are only held up: a server judges better by
//! itself, and a catalogue may be old.

use crate::active::Current;
use crate::budget::{ASSUMED, Limit, LimitSource, limit};
use crate::core::Core;
use crate::meter::{Meter, Sent};
use tenon_model::{ModelError, ModelErrorKind};

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

/// Holds what would be sent against the limit.
pub(crate) fn fit(core: &Core, current: &Current, sent: Sent) -> Fit {
    let Some(limit) = limit(core, current) else {
        return Fit::Fits;
    };
    if limit.source == LimitSource::Assumed {
        return unknown(&core.meter, sent.tokens);
    }
    if sent.tokens > limit.tokens {
        return judge(&core.meter, &limit, sent.tokens);
    }
    Fit::Fits
}

/// Of a window that nobody knows a short conversation need not hear (C10).
fn unknown(meter: &Meter, tokens: u64) -> Fit {
    if tokens <= ASSUMED / 2 || meter.assumed_before() {
        return Fit::Fits;
    }
    Fit::Doubtful(format!(
        "This server's window is unknown; Tenon assumes {ASSUMED} tokens. Set the provider's `context_window` in tenon.jsonc to its real size, or `context.window` for all providers."
    ))
}

fn judge(meter: &Meter, limit: &Limit, tokens: u64) -> Fit {
    let counted = tokens as f64 * meter.share().unwrap_or(SURE).min(1.0);
    let (most, key) = (limit.tokens, limit.key());
    if limit.is_binding() && counted > most as f64 {
        let error = ModelError::new(
            ModelErrorKind::ContextOverflow,
            format!(
                "The conversation has about {tokens} tokens, more than the {most} of `{key}`. It was not sent."
            ),
        )
        .with_hint(format!(
            "Start a new session with /new, or raise `{key}` if the server's window is larger."
        ));
        return Fit::TooLong(Box::new(error));
    }
    if meter.crowded_before() {
        return Fit::Fits;
    }
    Fit::Doubtful(format!(
        "The conversation has about {tokens} tokens and the window {most} ({}): it may not fit, and the answer has little room. /new starts a new session.",
        limit.said()
    ))
}
