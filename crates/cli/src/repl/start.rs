//! The settings that stand above the first prompt, and how they are changed
//! there (U6): Enter keeps them, `?` lists the providers, and the name of one
//! chooses it with its own model. Later such a line is a prompt like any other.

use crate::talk::Talk;
use tenon_config::ResolvedProvider;
use tenon_vocab::port::Handle;

/// What a line before the first prompt means.
pub enum Choice {
    List,
    /// A change, as it would be typed.
    Change(String),
    /// The provider has no model to begin with.
    Lacking(String),
}

/// Below the settings.
pub const HINT: &str = "Type a prompt to start with these settings; ? lists the providers, and a provider's name chooses it.";

/// Whether nothing was asked of the model here yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Begun {
    #[default]
    NotYet,
    Yes,
}

pub fn choice(talk: &Talk, begun: Begun, input: &str) -> Option<Choice> {
    let word = input.trim();
    if word == "?" {
        return Some(Choice::List);
    }
    if begun == Begun::Yes {
        return None;
    }
    let provider = talk.configured.resolved.providers.get(word)?;
    Some(match first_model(provider) {
        Some(model) => Choice::Change(format!("/models {word}/{model}")),
        None => Choice::Lacking(format!(
            "`{word}` has no model in the configuration. Name one: /models {word}/MODEL"
        )),
    })
}

fn first_model(provider: &ResolvedProvider) -> Option<&String> {
    provider.model.as_ref().or(provider.models.first())
}

/// The providers that can be chosen.
pub async fn list(handle: &Handle) -> String {
    let reply = handle.queries.ask(tenon_vocab::Query::Providers).await;
    super::table::reply(&reply, super::table::width())
}
