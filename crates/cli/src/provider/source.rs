//! Models by name, for a session that changes its model (P12) and for side
//! work. Only providers that are configured, or presets that the user names, are
//! asked; a name that no server knows is an error with the nearest ones.

use super::{shown_id, stack};
use crate::assemble::Configured;
use crate::place::Place;
use std::io::IsTerminal;
use std::sync::Arc;
use std::time::Duration;
use tenon_config::{
    Origin, ResolvedProvider, SmallModel, SmallNamed, managed_model, provider_named,
};
use tenon_engine::{Chosen, ModelSource, ProviderInfo};
use tenon_model::{Identity, Model, ModelEntry, ModelError, ModelErrorKind, Reach, known, preset};
use tenon_tools::Jobs;
use tenon_tools::input::suggest_name;
use tenon_vocab::port::BoxFuture;

/// How long a list of models is waited for: someone stands in front.
const PATIENCE: Duration = Duration::from_secs(5);
/// Names that an error lists, at most.
const LISTED: usize = 8;

pub struct Models {
    pub place: Place,
    pub configured: Arc<Configured>,
    /// The one that the session was opened with; variables may have made it.
    pub first: ResolvedProvider,
    pub jobs: Jobs,
}

impl ModelSource for Models {
    fn choose<'a>(
        &'a self,
        name: &'a str,
        current: &'a Identity,
    ) -> BoxFuture<'a, Result<Chosen, ModelError>> {
        Box::pin(async move {
            let (provider, model) = self.find(name.trim(), current).await?;
            self.allowed(&model)?;
            let made = self.made(&provider, &model)?;
            let parameters = self.configured.resolved.parameters_of(&provider, &model);
            self.remember(&provider, &model);
            Ok(Chosen {
                model: made,
                parameters,
            })
        })
    }

    fn configured(&self) -> Vec<(String, String)> {
        let mut found: Vec<(String, String)> = Vec::new();
        let others = self.configured.resolved.providers.values();
        for provider in std::iter::once(&self.first).chain(others) {
            for model in provider.model.iter().chain(&provider.models) {
                let entry = (provider.name.clone(), model.clone());
                if !found.contains(&entry) {
                    found.push(entry);
                }
            }
        }
        found
    }

    fn providers(&self) -> Vec<ProviderInfo> {
        let others = self.configured.resolved.providers.values();
        let others = others.filter(|provider| provider.name != self.first.name);
        std::iter::once(&self.first)
            .chain(others)
            .map(|provider| ProviderInfo {
                name: provider.name.clone(),
                model: provider.model.clone().or(provider.models.first().cloned()),
                place: provider.base_url.to_string(),
            })
            .collect()
    }

    fn offered<'a>(
        &'a self,
        provider: &'a str,
    ) -> BoxFuture<'a, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(async move {
            match self.provider(provider)? {
                Some(provider) => self.list(&provider).await,
                None => Err(refused(format!("there is no provider `{provider}`"))),
            }
        })
    }

    fn small(&self) -> Option<Arc<dyn Model>> {
        let wanted = self.configured.resolved.small.as_ref()?;
        let (provider, model) = match small(&self.configured, &self.first, wanted) {
            Small::Of(provider, model) => (*provider, model),
            Small::OfFirst(_) => (self.first.clone(), wanted.name.as_str()),
            Small::Nobody(_) => return None,
        };
        self.allowed(model).ok()?;
        self.made(&provider, model).ok()
    }
}

/// Whose the small model is.
enum Small<'n> {
    Of(Box<ResolvedProvider>, &'n str),
    /// The whole name is a model of the provider in use; with a slash in it,
    /// the provider that it may have been meant to name.
    OfFirst(Option<&'n str>),
    /// Nothing is asked on the side; why.
    Nobody(String),
}

fn small<'n>(
    configured: &Configured,
    first: &ResolvedProvider,
    wanted: &'n SmallModel,
) -> Small<'n> {
    let named = wanted.name.as_str();
    let own = named
        .strip_prefix(first.name.as_str())
        .and_then(|rest| rest.strip_prefix('/'))
        .filter(|model| !model.is_empty());
    // Both variables speak of one server, so the name is its own, slashes and all.
    let of_llm = wanted.named == SmallNamed::OfLlmServer
        && first.base_url_origin == Origin::Environment(String::from("LLM_BASE_URL"));
    if of_llm {
        return Small::Of(Box::new(first.clone()), own.unwrap_or(named));
    }
    let listed = first.models.iter().any(|model| model == named);
    let split = named.split_once('/').filter(|_| !listed);
    let other = split.map(|(name, model)| (name, model, named_provider(configured, first, name)));
    match (other, first.reach) {
        (Some((_, model, Ok(Some(provider)))), _) => Small::Of(Box::new(provider), model),
        (Some((name, _, Err(error))), _) => Small::Nobody(format!(
            "its provider `{name}` can't be used ({})",
            error.message
        )),
        // A side request evicts what a local server has in its cache.
        (Some((name, _, Ok(None))), Reach::Local) => {
            Small::Nobody(format!("there is no provider `{name}`"))
        }
        (None, Reach::Local) => Small::Nobody(format!(
            "on a private address it needs its provider's name, as `{}/{named}`",
            first.name
        )),
        (Some((name, ..)), Reach::Remote) => Small::OfFirst(Some(name)),
        (None, Reach::Remote) => Small::OfFirst(None),
    }
}

/// Why the small model is not what it may seem to be, for a warning at start.
pub fn small_doubt(configured: &Configured, first: &ResolvedProvider) -> Option<String> {
    let wanted = configured.resolved.small.as_ref()?;
    let named = wanted.name.as_str();
    match small(configured, first, wanted) {
        Small::Nobody(why) => Some(format!(
            "small_model `{named}` is ignored: {why}; there are no side requests"
        )),
        // Where the models have a slash in their names, so may this one.
        Small::OfFirst(Some(name)) if !first.model.as_deref().unwrap_or_default().contains('/') => {
            Some(format!(
                "there is no provider `{name}`, so small_model `{named}` is read as a model of `{}`",
                first.name
            ))
        }
        Small::Of(..) | Small::OfFirst(_) => None,
    }
}

/// A provider of this name; `None` when nobody is called so.
fn named_provider(
    configured: &Configured,
    first: &ResolvedProvider,
    name: &str,
) -> Result<Option<ResolvedProvider>, ModelError> {
    if name == first.name {
        return Ok(Some(first.clone()));
    }
    let resolved = &configured.resolved;
    if let Some(error) = resolved.unusable.get(name) {
        return Err(refused(error.to_string()));
    }
    if !resolved.providers.contains_key(name) && preset(name).is_none() {
        return Ok(None);
    }
    provider_named(&configured.loaded, name)
        .map(Some)
        .map_err(|error| refused(error.to_string()))
}

impl Models {
    /// For the next session here (U8), when a person chose it: a program that
    /// drives a session over a pipe chooses for itself only.
    fn remember(&self, provider: &ResolvedProvider, model: &str) {
        if std::io::stdin().is_terminal() {
            // What cannot be kept is chosen again.
            let _ = self.configured.loaded.keep_choice(&provider.name, model);
        }
    }

    fn made(&self, provider: &ResolvedProvider, model: &str) -> Result<Arc<dyn Model>, ModelError> {
        let resolved = &self.configured.resolved;
        stack(&self.place, resolved, provider, model, &self.jobs)
    }

    /// What the administrator chose is not changed.
    fn allowed(&self, model: &str) -> Result<(), ModelError> {
        match managed_model(&self.configured.loaded) {
            Some(fixed) if fixed != model => Err(refused(format!(
                "the administrator of this machine has set the model to `{fixed}`"
            ))),
            _ => Ok(()),
        }
    }

    fn provider(&self, name: &str) -> Result<Option<ResolvedProvider>, ModelError> {
        named_provider(&self.configured, &self.first, name)
    }

    async fn find(
        &self,
        name: &str,
        current: &Identity,
    ) -> Result<(ResolvedProvider, String), ModelError> {
        if name.is_empty() {
            return Err(refused("name a model"));
        }
        let here = match self.provider(&current.endpoint)? {
            Some(here) => here,
            None => self.first.clone(),
        };
        if is_configured(&here, name) || name == current.model {
            return Ok((here, name.to_owned()));
        }
        let split = name.split_once('/').filter(|(_, model)| !model.is_empty());
        if let Some((_, model)) = split.filter(|(provider, _)| *provider == here.name) {
            return self.checked(here, model).await;
        }
        let elsewhere = match split {
            Some((provider, model)) => self.provider(provider)?.map(|found| (found, model)),
            None => None,
        };
        let Some((other, model)) = elsewhere else {
            return self.checked(here, name).await;
        };
        // A name with a slash may be a model's own: `openai/gpt-oss-20b`.
        if let Ok(list) = self.list(&here).await
            && list.iter().any(|entry| entry.id == name)
        {
            return Ok((here, name.to_owned()));
        }
        self.has_key(&other)?;
        self.checked(other, model).await
    }

    /// A preset that was never configured has to have its key; what is
    /// configured may need none.
    fn has_key(&self, provider: &ResolvedProvider) -> Result<(), ModelError> {
        let known = &self.configured.resolved.providers;
        match super::missing_key(&self.place, provider) {
            Some(missing) if !known.contains_key(&provider.name) => Err(missing),
            _ => Ok(()),
        }
    }

    /// Whether the server has it. A server that gives no list is believed to.
    async fn checked(
        &self,
        provider: ResolvedProvider,
        model: &str,
    ) -> Result<(ResolvedProvider, String), ModelError> {
        let sure = is_configured(&provider, model)
            // Services take names that their lists leave out.
            || (provider.reach == Reach::Remote && known(model).is_some());
        if sure {
            return Ok((provider, model.to_owned()));
        }
        match self.list(&provider).await {
            Ok(list) if !list.is_empty() && !list.iter().any(|entry| entry.id == model) => {
                Err(self.unknown(&provider, model, &list))
            }
            _ => Ok((provider, model.to_owned())),
        }
    }

    async fn list(&self, provider: &ResolvedProvider) -> Result<Vec<ModelEntry>, ModelError> {
        let failed = |error: crate::error::CliError| refused(error.message);
        let http = super::http(&self.place, provider, "", None, &self.jobs).map_err(failed)?;
        match tokio::time::timeout(PATIENCE, http.models()).await {
            Ok(list) => list,
            Err(_) => Err(refused("the server did not list its models in time")),
        }
    }

    fn unknown(&self, provider: &ResolvedProvider, model: &str, list: &[ModelEntry]) -> ModelError {
        let ids: Vec<&str> = list.iter().map(|entry| entry.id.as_str()).collect();
        let is_provider = matches!(self.provider(model), Ok(Some(_)));
        let hint = match suggest_name(model, &ids) {
            _ if is_provider => {
                format!("`{model}` is a provider: name one of its models as well, `{model}/MODEL`.")
            }
            Some(near) => format!("Did you mean `{}`? `/models` lists them.", shown_id(&near)),
            None => {
                let names: Vec<String> = ids.iter().take(LISTED).map(|id| shown_id(id)).collect();
                let more = match ids.len().saturating_sub(LISTED) {
                    0 => String::new(),
                    more => format!(" and {more} more"),
                };
                format!("Its models are: {}{more}.", names.join(", "))
            }
        };
        refused(format!(
            "the server of `{}` has no model `{model}`",
            super::called(provider)
        ))
        .with_hint(hint)
    }
}

fn is_configured(provider: &ResolvedProvider, model: &str) -> bool {
    provider.model.as_deref() == Some(model) || provider.models.iter().any(|known| known == model)
}

fn refused(message: impl Into<String>) -> ModelError {
    ModelError::new(ModelErrorKind::Configuration, message)
}
