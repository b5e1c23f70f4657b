//! The settings that stand above the first prompt, and how they are changed
//! there (U6): a prompt begins with them, Enter alone goes through them one by
//! one, `?` lists the providers, and the name of one chooses it with its own
//! model. Later such a line is a prompt like any other.

use super::Repl;
use super::session::Live;
use super::setup::each;
use crate::error::CliError;
use crate::screen::complain;
use crate::talk::Talk;
use tenon_config::ResolvedProvider;
use tenon_vocab::Printable;
use tenon_vocab::port::Handle;

/// What a line before the first prompt means.
enum Choice {
    List,
    /// Each setting is asked for.
    Each,
    /// A change, as it would be typed.
    Change(String),
    /// The provider has no model to begin with.
    Lacking(String),
}

/// What was done about a line.
pub enum Taken {
    /// It is no choice.
    No,
    /// This is to be done in its place.
    Line(String),
    Done,
}

/// Below the settings.
pub const HINT: &str = "Type a prompt to start. Enter goes through the settings; ? lists the providers, a name chooses one.";

/// Whether nothing was asked of the model here yet.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Begun {
    #[default]
    NotYet,
    Yes,
}

pub async fn take(repl: &mut Repl, live: &Live, input: &str) -> Result<Taken, CliError> {
    Ok(match choice(live.talk(), live.begun, input) {
        None => Taken::No,
        Some(Choice::Change(line)) => Taken::Line(line),
        Some(Choice::Each) => each_setting(repl, live).await?,
        Some(Choice::List) => {
            complain(&list(&live.handle).await);
            Taken::Done
        }
        Some(Choice::Lacking(why)) => {
            complain(Printable::line(&why).as_str());
            Taken::Done
        }
    })
}

fn choice(talk: &Talk, begun: Begun, input: &str) -> Option<Choice> {
    let word = input.trim();
    if word == "?" {
        return Some(Choice::List);
    }
    if begun == Begun::Yes {
        return None;
    }
    let providers = &talk.configured.resolved.providers;
    if word.is_empty() && providers.len() > 1 {
        return Some(Choice::Each);
    }
    let provider = providers.get(word)?;
    Some(match first_model(provider) {
        Some(model) => Choice::Change(format!("/models {word}/{model}")),
        None => Choice::Lacking(format!(
            "`{word}` has no model in the configuration. Name one: /models {word}/MODEL"
        )),
    })
}

async fn each_setting(repl: &mut Repl, live: &Live) -> Result<Taken, CliError> {
    let configured = live.talk().configured.clone();
    let settings = &live.settings;
    let resolved = &configured.resolved;
    let in_use = (resolved.providers.get(&settings.provider)).or(resolved
        .provider
        .as_ref()
        .filter(|it| it.name == settings.provider));
    let Some(provider) = in_use else {
        return Ok(Taken::Done);
    };
    let now = each::InUse {
        provider,
        model: Some(&settings.model),
    };
    let Some(chosen) = each::ask(repl, &resolved.providers, &now).await? else {
        complain("Nothing was changed.");
        return Ok(Taken::Done);
    };
    if chosen.provider == settings.provider && chosen.model == settings.model {
        let kept = format!("{} of {} stays.", chosen.model, chosen.provider);
        complain(Printable::line(&kept).as_str());
        return Ok(Taken::Done);
    }
    let line = format!("/models {}/{}", chosen.provider, chosen.model);
    Ok(Taken::Line(line))
}

fn first_model(provider: &ResolvedProvider) -> Option<&String> {
    provider.model.as_ref().or(provider.models.first())
}

/// The providers that can be chosen.
async fn list(handle: &Handle) -> String {
    let reply = handle.queries.ask(tenon_vocab::Query::Providers).await;
    super::table::reply(&reply, super::table::width())
}
