//! Summaries of a session from outside of it (N10, `tenon sessions summarize`):
//! the same sections, without a running engine. Changes nothing.

use crate::compact::instruct;
use crate::compact::shares::{Force, Shares};
use crate::compact::view::View;
use crate::compact::{compose, facts};
use tenon_session::State;
use tenon_vocab::Recap;
use tenon_vocab::profile::Compaction;

/// What a model is to be asked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Question {
    pub system: String,
    pub text: String,
}

/// The question for a summary of the whole conversation, for a model that holds so
/// many tokens.
#[must_use]
pub fn question(state: &State, window: u64, settings: &Compaction) -> Question {
    let view = View::of_state(state, 0, 0);
    let shares = Shares::of(window, 0, settings, Force::Usual);
    let previous = view
        .previous
        .as_ref()
        .map(|known| known.summary.as_str())
        .filter(|summary| !summary.is_empty());
    let instruction = instruct::instruction(shares.summary, None, previous);
    let tokens = window.saturating_sub(shares.summary).saturating_mul(7) / 10;
    instruct::as_text(&view, view.items.len(), &instruction, tokens)
}

/// The sections from the log alone.
#[must_use]
pub fn from_log(state: &State, recap: &Recap, settings: &Compaction) -> String {
    let view = View::of_state(state, 0, 0);
    let previous = view.previous.as_ref().map(|known| known.summary.as_str());
    let said = view.last_said(view.items.len());
    compose::from_log(recap, previous, said.as_deref(), settings.summary_tokens)
}

/// Requests word for word, open tasks, files and commands.
#[must_use]
pub fn facts(recap: &Recap, settings: &Compaction) -> String {
    facts::write(recap, settings.summary_tokens, settings.summary_tokens / 2)
}
