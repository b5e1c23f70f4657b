//! Which provider and which model: flags, then variables, then what was chosen
//! by hand in an earlier session, then files.

use crate::ConfigError;
use crate::address::not_yet;
use crate::load::{Loaded, Origin};
use crate::provider::{self, FROM_ENV, Variables};
use crate::resolve::Choice;
use crate::settings::ResolvedProvider;
use tenon_model::preset;
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

/// Whether several providers are configured and nobody says which.
#[must_use]
pub fn is_undecided(loaded: &Loaded, choice: &Choice) -> bool {
    let plain = files_alone(loaded, choice);
    named(plain.as_ref().unwrap_or(loaded), choice).is_err()
}

/// The settings that a flag refers to, where a saved choice hides them.
fn files_alone(loaded: &Loaded, choice: &Choice) -> Option<Loaded> {
    let by_flag = choice.provider.is_some() || choice.model.is_some();
    by_flag.then(|| loaded.without_saved()).flatten()
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
            "choose one with --provider, --model PROVIDER/MODEL, or `default_provider` in the configuration; `tenon models` lists them",
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
    let plain = files_alone(loaded, choice);
    let loaded = plain.as_ref().unwrap_or(loaded);
    let split = with_model(loaded, choice, warnings);
    let choice = split.as_ref().unwrap_or(choice);
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
        let small = loaded.env.get("LLM_SMALL_FAST_MODEL").map(str::trim);
        let own = format!("{FROM_ENV}/");
        let small = small.map(|name| name.strip_prefix(&own).unwrap_or(name).to_owned());
        provider.models.extend(provider.model.clone());
        provider.models.extend(small);
        provider.models.dedup();
    }
    Ok(Some(provider))
}

/// `PROVIDER/MODEL` as the model that the command line names: both are chosen.
/// Names of models have slashes of their own, so only the name of a provider
/// counts, and that of a preset only where nothing else is chosen.
fn with_model(loaded: &Loaded, choice: &Choice, warnings: &mut Vec<String>) -> Option<Choice> {
    let whole = choice.model.as_deref()?;
    let (name, model) = whole.split_once('/')?;
    let fixed = managed(loaded, "default_provider").is_some();
    if choice.provider.is_some() || fixed || name.is_empty() || model.is_empty() {
        return None;
    }
    let other = match named(loaded, choice) {
        Ok(Some(Named::Flag(other) | Named::Variable(other) | Named::File(other))) => Some(other),
        Ok(Some(Named::Address(_))) => Some(FROM_ENV.to_owned()),
        Ok(None) | Err(_) => None,
    };
    let configured = loaded.provider_names().iter().any(|known| known == name);
    let is_named = configured
        || other
            .as_deref()
            .map_or_else(|| preset(name).is_some(), |other| other == name);
    if !is_named || is_a_model_of(loaded, other.as_deref(), whole) {
        return None;
    }
    let model = Some(model.to_owned());
    // The one that is in use anyway stays as it was chosen, variables and all.
    if other.as_deref() == Some(name) {
        return Some(Choice {
            provider: None,
            model,
        });
    }
    if let Some(other) = other {
        warnings.push(format!(
            "reading `{whole}` as a model of the provider `{name}`; if you mean a model with that name at `{other}`, add --provider {other}"
        ));
    }
    Some(Choice {
        provider: Some(name.to_owned()),
        model,
    })
}

/// Whether the provider that is chosen otherwise has a model of this very name.
fn is_a_model_of(loaded: &Loaded, provider: Option<&str>, whole: &str) -> bool {
    let Some(name) = provider else {
        return false;
    };
    // Models of its own are called `openrouter/auto`.
    if name == "openrouter" && whole.starts_with("openrouter/") {
        return true;
    }
    provider::build(loaded, name, Variables::Hold).is_ok_and(|built| {
        let provider = built.provider;
        let listed = provider.model.iter().chain(&provider.models);
        listed.into_iter().any(|known| known == whole)
    })
}

/// Programs with a loop of their own are not driven yet.
pub(crate) fn speaks(provider: &ResolvedProvider) -> Result<(), ConfigError> {
    match provider.kind.path() {
        Some(_) => Ok(()),
        None => Err(not_yet(&provider.name)),
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
