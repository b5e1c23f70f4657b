//! A provider as configured becomes a model that can be asked: the wire format
//! over HTTP, the dialect over that, and around both what was learned of the
//! server's refusals. Which provider it is, `config` decides.

mod absent;
mod credentials;
mod facts;
mod keyed;
mod keys_in_use;
mod learned;
mod own;
mod source;
mod windows;

pub use absent::NoModel;
pub use credentials::{called, missing_key};
pub use facts::{Facts, facts};
pub use keyed::{keyed, usable};
pub use keys_in_use::keys_in_use;
pub use learned::{InForce, forget, in_force};
pub use own::{Wanted, wanted};
pub use source::{Models, small_doubt};

use crate::auth;
use crate::error::CliError;
use crate::place::Place;
use learned::Learned;
use std::sync::Arc;
use tenon_config::{KeySource, Origin, Proxy, Resolved, ResolvedProvider};
use tenon_model::dialect::Markdown;
use tenon_model::{
    Adaptive, Build, Chat, Codec, Dialect, Identity, Kind, Messages, Model, ModelError,
    ModelErrorKind, Quirks, Responses, ResponsesOptions, Software, Variant, Window, WindowSource,
};
use tenon_tools::Jobs;
use tenon_transport::{CredentialSource, Endpoint, HttpModel, ProxyChoice};
use tenon_vocab::Printable;
use windows::{Remembering, Windows};

/// Makes the model that is asked. Without a model's name the server is asked,
/// and its only model is taken.
pub async fn model(
    place: &Place,
    resolved: &Resolved,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Result<Arc<dyn Model>, CliError> {
    if let Some(missing) = missing_key(place, provider) {
        let hint = missing.hint.clone().unwrap_or_default();
        return Err(CliError::config(missing.message).with_hint(hint));
    }
    let named = match &provider.model {
        Some(model) => model.clone(),
        None => only_model(place, provider, jobs).await?,
    };
    Ok(stack(place, resolved, provider, &named, jobs)?)
}

/// How large it is, as far as that is known before its server is asked; `own` is
/// what the user says of it.
pub fn window(
    place: &Place,
    provider: &ResolvedProvider,
    model: &str,
    own: Option<u64>,
) -> Option<Window> {
    let known = facts(provider, model, own).window;
    if is_the_users(known.as_ref()) {
        return known;
    }
    Windows::of(place, provider, model).recall().or(known)
}

/// Asks a server how large its window is, and keeps what it says. A server that
/// does not say is one of many.
pub async fn ask_for_window(
    place: &Place,
    provider: &ResolvedProvider,
    model: &str,
    jobs: &Jobs,
) -> Option<Window> {
    let http = http(place, provider, model, None, jobs).ok()?;
    let asked = Remembering {
        model: Arc::new(http),
        windows: Windows::of(place, provider, model),
    };
    asked.served_window().await
}

/// The whole of it for one model.
pub fn stack(
    place: &Place,
    resolved: &Resolved,
    provider: &ResolvedProvider,
    model: &str,
    jobs: &Jobs,
) -> Result<Arc<dyn Model>, ModelError> {
    let windows = Windows::of(place, provider, model);
    let own = resolved.window_of(provider, model);
    let mut facts = facts(provider, model, own);
    facts.window = window(place, provider, model, own);
    let mut wire = Wire::new(place, provider, model, &facts, jobs);
    // What it said of its window tells which program it is.
    let seen = windows.place().unwrap_or_default();
    wire.software = Software::Unknown.or_seen(&seen);
    let build: Build = Box::new(move |variant| {
        let http: Arc<dyn Model> = Arc::new(wire.speak(variant)?);
        Ok(match variant.dialect {
            Dialect::Markdown => Arc::new(Markdown::new(http)),
            Dialect::Auto | Dialect::Native => http,
        })
    });
    let memory = Arc::new(Learned::of(place, provider, model));
    let configured = learned::configured(provider, model);
    let model = Arc::new(Adaptive::new(build, configured, memory)?);
    Ok(Arc::new(Remembering { model, windows }))
}

fn is_the_users(window: Option<&Window>) -> bool {
    window.is_some_and(|window| window.source == WindowSource::User)
}

/// The server alone, as it is configured: for its list of models and for
/// questions about it.
pub fn http(
    place: &Place,
    provider: &ResolvedProvider,
    model: &str,
    window: Option<u64>,
    jobs: &Jobs,
) -> Result<HttpModel, CliError> {
    let facts = facts(provider, model, window);
    let variant = Variant {
        quirks: provider.quirks.clone(),
        dialect: Dialect::Native,
    };
    Ok(Wire::new(place, provider, model, &facts, jobs).speak(&variant)?)
}

/// The one model that a server has, where nobody named any.
async fn only_model(
    place: &Place,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Result<String, CliError> {
    let name = called(provider);
    // The variable beside the one that gave the address.
    let variable = match &provider.base_url_origin {
        Origin::Environment(address) if address == "LLM_BASE_URL" => "LLM_DEFAULT_MODEL",
        _ => "TENON_MODEL",
    };
    let models = match http(place, provider, "", None, jobs)?.models().await {
        Ok(models) => models,
        // Where nothing answers, a model alone would not help.
        Err(error) if error.kind == ModelErrorKind::Network => {
            let error = CliError::from(error);
            let also = format!(
                "No model is chosen either: set {variable}, or `model` in the configuration."
            );
            return Err(CliError {
                hint: Some(match error.hint {
                    Some(first) => format!("{first}\n{also}"),
                    None => also,
                }),
                ..error
            });
        }
        // It was asked only because nothing names a model; say that, too.
        Err(error) => {
            let error = CliError::from(error);
            let hint = format!("Set {variable}, or `model` in the configuration.");
            return Err(CliError {
                message: format!(
                    "no model is chosen, and the server of `{name}` doesn't list its models: {}",
                    error.message
                ),
                hint: Some(match error.hint {
                    Some(more) => format!("{hint}\n{more}"),
                    None => hint,
                }),
                ..error
            });
        }
    };
    match models.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => Err(CliError::config(format!(
            "no model is chosen, and the server of `{name}` lists none"
        ))
        .with_hint(format!("Set {variable}, or `model` in the configuration."))),
        many => {
            let names: Vec<String> = many
                .iter()
                .take(20)
                .map(|model| shown_id(&model.id))
                .collect();
            Err(CliError::config(format!(
                "no model is chosen, and the server of `{name}` has {}: {}",
                many.len(),
                names.join(", ")
            ))
            .with_hint(format!(
                "Choose one with --model, {variable}, or `model` in the configuration."
            )))
        }
    }
}

/// A model's name as a server gave it, fit for a line of a screen.
pub fn shown_id(id: &str) -> String {
    const MOST: usize = 200;
    let cut = id.char_indices().nth(MOST).map(|(at, _)| at);
    let (kept, mark) = match cut {
        Some(at) => (&id[..at], "…"),
        None => (id, ""),
    };
    format!("{}{mark}", Printable::line(kept))
}

/// All that stays the same, however the server is spoken to. The credentials
/// are shared, so that a renewed key is not asked for again.
struct Wire {
    endpoint: Endpoint,
    identity: Identity,
    kind: Kind,
    /// As it was recognised by its own words, not by its name.
    software: Software,
    /// What the format of Responses sends along.
    options: ResponsesOptions,
    credentials: Arc<dyn CredentialSource>,
}

impl Wire {
    fn new(
        place: &Place,
        provider: &ResolvedProvider,
        model: &str,
        facts: &Facts,
        jobs: &Jobs,
    ) -> Self {
        Self {
            endpoint: endpoint(provider),
            identity: Identity {
                window: facts.window.clone(),
                vision: facts.vision,
                prices: facts.prices,
                reach: provider.reach,
                ..Identity::new(&provider.name, model)
            },
            kind: provider.kind,
            software: Software::Unknown,
            options: options(place, provider),
            credentials: credentials::credentials(place, provider, jobs),
        }
    }

    fn speak(&self, variant: &Variant) -> Result<HttpModel, ModelError> {
        let identity = Identity {
            quirks: variant.quirks.names(),
            ..self.identity.clone()
        };
        HttpModel::new(
            self.endpoint.clone(),
            identity,
            self.codec(variant.quirks.clone())?,
            Arc::clone(&self.credentials),
        )
    }

    fn codec(&self, quirks: Quirks) -> Result<Arc<dyn Codec>, ModelError> {
        // What only its maker understands goes back to exactly that model.
        let owner = format!("{}/{}", self.identity.endpoint, self.identity.model);
        Ok(match self.kind {
            Kind::Chat if self.software == Software::LlamaCpp => {
                Arc::new(Chat::new(quirks).asking_for_progress())
            }
            Kind::Chat => Arc::new(Chat::new(quirks)),
            Kind::Messages => Arc::new(Messages::new(quirks, owner)),
            Kind::Responses => Arc::new(Responses::new(quirks, owner, self.options.clone())),
            Kind::External => {
                return Err(ModelError::new(
                    ModelErrorKind::Configuration,
                    "an external agent is not a model server",
                ));
            }
        })
    }
}

fn options(place: &Place, provider: &ResolvedProvider) -> ResponsesOptions {
    let settings = provider.responses.clone();
    ResponsesOptions {
        metadata: auth::codex::metadata(place, provider),
        parallel_tool_calls: settings.parallel_tool_calls,
        store: settings.store,
        include: settings.include.unwrap_or_default(),
        effort: settings.effort,
        summary: settings.summary,
    }
}

fn endpoint(provider: &ResolvedProvider) -> Endpoint {
    Endpoint {
        name: provider.name.clone(),
        base_url: provider.base_url.clone(),
        base_url_variable: match &provider.base_url_origin {
            Origin::Environment(variable) => Some(variable.clone()),
            _ => None,
        },
        auth: provider.auth.clone(),
        headers: provider.headers.clone(),
        ca_file: provider.ca_file.clone(),
        client_cert: provider.client_cert.clone(),
        verify: provider.verify,
        timeouts: provider.timeouts.clone(),
        proxy: match &provider.proxy {
            Proxy::Environment => ProxyChoice::FromEnvironment,
            Proxy::None => ProxyChoice::None,
            Proxy::Url(url) => ProxyChoice::Url(url.clone()),
        },
        session_header: matches!(provider.key, KeySource::Codex)
            .then_some(auth::codex::SESSION_HEADER),
    }
}
