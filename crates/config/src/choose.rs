//! Which provider and which model: flags, then variables, then files.

use crate::ConfigError;
use crate::address::not_yet;
use crate::load::{Loaded, Origin};
use crate::provider::{self, FROM_ENV, Variables};
use crate::resolve::Choice;
use crate::settings::ResolvedProvider;
use tenon_model::Kind;
use tenon_policy::Layer;

/// How the provider was named: by whom depends which variables and which
/// `model` hold for it.
enum Named {
    Flag(String),
    Variable(String),
    File(String),
    /// `TENON_BASE_URL` or `LLM_BASE_URL` alone.
    Address(Variables),
}

fn named(loaded: &Loaded, choice: &Choice) -> Result<Option<Named>, ConfigError> {
    if let Some(name) = managed(loaded, "default_provider") {
        return Ok(Some(Named::File(name)));
    }
    if let Some(name) = &choice.provider {
        return Ok(Some(Named::Flag(name.clone())));
    }
    let default = loaded.get("default_provider");
    let default = default.and_then(|(value, origin)| Some((value.as_str()?.to_owned(), origin)));
    match default {
        Some((name, Origin::Flag(_))) => return Ok(Some(Named::Flag(name))),
        Some((name, Origin::Environment(_))) => return Ok(Some(Named::Variable(name))),
        _ if loaded.env.get("TENON_BASE_URL").is_some() => {
            return Ok(Some(Named::Address(Variables::Hold)));
        }
        Some((name, _)) => return Ok(Some(Named::File(name))),
        None => {}
    }
    let names = loaded.provider_names();
    match names.as_slice() {
        [only] => Ok(Some(Named::File(only.clone()))),
        [] if loaded.env.get("LLM_BASE_URL").is_some() => {
            Ok(Some(Named::Address(Variables::Ignored)))
        }
        [] => Ok(None),
        several => Err(ConfigError::hinted(
            format!("several providers are configured: {}", several.join(", ")),
            "choose one with --provider, or with `default_provider` in the configuration",
        )),
    }
}

/// What the administrator chose is chosen, whatever flags say.
pub(crate) fn managed(loaded: &Loaded, dotted: &str) -> Option<String> {
    let (value, origin) = loaded.get(dotted)?;
    let managed = matches!(
        origin,
        Origin::File {
            layer: Layer::Managed,
            ..
        }
    );
    managed.then(|| value.as_str().map(str::to_owned))?
}

pub(crate) fn chosen_provider(
    loaded: &Loaded,
    choice: &Choice,
    warnings: &mut Vec<String>,
) -> Result<Option<ResolvedProvider>, ConfigError> {
    let Some(named) = named(loaded, choice)? else {
        return Ok(None);
    };
    let (name, variables) = match &named {
        Named::Flag(name) | Named::File(name) => (name.as_str(), Variables::Ignored),
        Named::Variable(name) => (name.as_str(), Variables::Hold),
        Named::Address(variables) => (FROM_ENV, *variables),
    };
    let built = provider::build(loaded, name, variables)?;
    for warning in built.warnings {
        if !warnings.contains(&warning) {
            warnings.push(warning);
        }
    }
    let mut provider = built.provider;
    speaks(&provider)?;
    provider.model = model(loaded, choice, &named, &provider);
    if matches!(named, Named::Address(_)) {
        let small = loaded.env.get("LLM_SMALL_FAST_MODEL").map(str::to_owned);
        provider.models.extend(provider.model.clone());
        provider.models.extend(small);
        provider.models.dedup();
    }
    Ok(Some(provider))
}

/// Programs with a loop of their own are not driven yet.
pub(crate) fn speaks(provider: &ResolvedProvider) -> Result<(), ConfigError> {
    match provider.kind {
        Kind::Chat | Kind::Messages | Kind::Responses => Ok(()),
        Kind::External => Err(not_yet(&provider.name)),
    }
}

/// A `model` of a file was written for the provider of that file: it does not
/// hold for one that a flag or a variable names instead, if that has its own.
fn model(
    loaded: &Loaded,
    choice: &Choice,
    named: &Named,
    provider: &ResolvedProvider,
) -> Option<String> {
    if let Some(model) = managed(loaded, "model") {
        return Some(model);
    }
    if choice.model.is_some() {
        return choice.model.clone();
    }
    let top = loaded
        .get("model")
        .and_then(|(value, origin)| Some((value.as_str()?.to_owned(), origin.rank())));
    let by_hand = Origin::Environment(String::new()).rank();
    if let Some((model, rank)) = &top
        && *rank >= by_hand
    {
        return Some(model.clone());
    }
    let top = top.map(|(model, _)| model);
    match named {
        Named::File(_) => top.or_else(|| provider.model.clone()),
        Named::Flag(_) | Named::Variable(_) => provider.model.clone().or(top),
        Named::Address(_) => loaded.env.get("LLM_DEFAULT_MODEL").map(str::to_owned),
    }
}
