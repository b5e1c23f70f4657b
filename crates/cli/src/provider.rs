//! A provider as configured becomes a model that can be asked.

use crate::error::CliError;
use crate::place::Place;
use crate::sandbox;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_config::{KeySource, Proxy, ResolvedProvider};
use tenon_model::{
    Chat, DeltaStream, Identity, Model, ModelEntry, ModelError, ModelErrorKind, Request,
};
use tenon_tools::Jobs;
use tenon_tools::jobs::{Ended, RunSpec, Secrets, Walls};
use tenon_transport::{
    CredentialError, CredentialSource, Endpoint, Fixed, HttpModel, NoCredential, ProxyChoice,
    Secret,
};
use tenon_vocab::port::BoxFuture;
use tokio_util::sync::CancellationToken;

/// Makes the model. Without a model's name the server is asked, and its only
/// model is taken.
pub async fn model(
    place: &Place,
    provider: &ResolvedProvider,
    window: Option<u64>,
    jobs: &Jobs,
) -> Result<Arc<dyn Model>, CliError> {
    let named = match &provider.model {
        Some(model) => model.clone(),
        None => only_model(place, provider, jobs).await?,
    };
    Ok(Arc::new(http(place, provider, &named, window, jobs)?))
}

pub fn http(
    place: &Place,
    provider: &ResolvedProvider,
    model: &str,
    window: Option<u64>,
    jobs: &Jobs,
) -> Result<HttpModel, CliError> {
    let identity = Identity {
        endpoint: provider.name.clone(),
        model: model.to_owned(),
        dialect: String::from("native"),
        parameters: serde_json::Value::Null,
        quirks: provider.quirks.names(),
        context_window: window.or(provider.context_window),
    };
    let codec = Arc::new(Chat::new(provider.quirks.clone()));
    Ok(HttpModel::new(
        endpoint(provider),
        identity,
        codec,
        credentials(place, provider, jobs),
    )?)
}

async fn only_model(
    place: &Place,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Result<String, CliError> {
    let models = http(place, provider, "", None, jobs)?.models().await?;
    match models.as_slice() {
        [one] => Ok(one.id.clone()),
        [] => Err(
            CliError::config(format!("the server of `{}` names no model", provider.name))
                .with_hint("Set TENON_MODEL, or `model` in the configuration."),
        ),
        many => {
            let names: Vec<&str> = many
                .iter()
                .take(20)
                .map(|model| model.id.as_str())
                .collect();
            Err(CliError::config(format!(
                "no model is chosen, and the server of `{}` has {}: {}",
                provider.name,
                many.len(),
                names.join(", ")
            ))
            .with_hint("Choose one with --model, TENON_MODEL, or `model` in the configuration."))
        }
    }
}

fn endpoint(provider: &ResolvedProvider) -> Endpoint {
    Endpoint {
        name: provider.name.clone(),
        base_url: provider.base_url.clone(),
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
    }
}

fn credentials(
    place: &Place,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Arc<dyn CredentialSource> {
    match &provider.key {
        // Whoever set only the address is told which variable holds the key.
        KeySource::None if provider.name == "env" => Arc::new(FromVariables {
            names: vec![String::from("TENON_API_KEY")],
            key: None,
        }),
        KeySource::None => Arc::new(NoCredential),
        KeySource::Literal(key) => Arc::new(Fixed(Secret::new(key.clone()))),
        KeySource::Env(names) => Arc::new(FromVariables {
            names: names.clone(),
            key: names
                .iter()
                .find_map(|name| place.env.get(name))
                .map(|key| Secret::new(key.trim())),
        }),
        KeySource::Command(command) => Arc::new(FromCommand {
            command: command.clone(),
            root: place.root.clone(),
            jobs: jobs.clone(),
            known: Mutex::default(),
        }),
    }
}

/// The environment was read once, at the start; the key comes from there.
struct FromVariables {
    names: Vec<String>,
    key: Option<Secret>,
}

impl CredentialSource for FromVariables {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialError>> {
        Box::pin(std::future::ready(Ok(self.key.clone())))
    }

    fn describe(&self) -> String {
        let names: Vec<String> = self.names.iter().map(|name| format!("${name}")).collect();
        names.join(" or ")
    }
}

/// A key that a command prints: run once, and again after the server has refused
/// the key, so that one that expires is renewed. Through the one runner of
/// processes.
struct FromCommand {
    command: String,
    root: std::path::PathBuf,
    jobs: Jobs,
    known: Mutex<Option<Secret>>,
}

impl FromCommand {
    fn known(&self) -> MutexGuard<'_, Option<Secret>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn run(&self) -> Result<Secret, CredentialError> {
        // The user's own command: it reads credentials, so it needs the files
        // and variables that commands of a model do not get.
        let spec = RunSpec {
            walls: Walls::Outside,
            secrets: Secrets::Exact,
            environment: self.jobs.withheld(sandbox::whole_environment()),
            ..RunSpec::new(self.command.clone(), self.root.clone())
        };
        let outcome = self
            .jobs
            .run(spec, &CancellationToken::new(), &|_, _| {})
            .await;
        let printed = outcome.output.stdout.head.clone();
        match (&outcome.ended, outcome.exit_code()) {
            (_, Some(0)) if !printed.trim().is_empty() => Ok(Secret::new(printed.trim())),
            (_, Some(0)) => Err(CredentialError::new("api_key_command printed nothing")),
            (Ended::TimedOut, _) => Err(CredentialError::new("api_key_command took too long")),
            (_, Some(code)) => Err(CredentialError::new(format!(
                "api_key_command failed with exit code {code}"
            ))
            .with_hint("Run it by hand to see why.")),
            _ => Err(CredentialError::new(
                "api_key_command did not end by itself",
            )),
        }
    }
}

impl CredentialSource for FromCommand {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Secret>, CredentialError>> {
        Box::pin(async move {
            if let Some(secret) = self.known().clone() {
                return Ok(Some(secret));
            }
            let secret = self.run().await?;
            *self.known() = Some(secret.clone());
            Ok(Some(secret))
        })
    }

    fn refused(&self) {
        *self.known() = None;
    }

    fn describe(&self) -> String {
        String::from("api_key_command")
    }
}

/// Stands in where no model is asked: a single tool call.
#[derive(Debug)]
pub struct NoModel(Identity);

impl Default for NoModel {
    fn default() -> Self {
        Self(Identity {
            endpoint: String::from("none"),
            model: String::from("none"),
            dialect: String::from("native"),
            parameters: serde_json::Value::Null,
            quirks: Vec::new(),
            context_window: None,
        })
    }
}

impl Model for NoModel {
    fn identity(&self) -> &Identity {
        &self.0
    }

    fn stream(&self, _: Request) -> DeltaStream {
        Box::pin(futures_util::stream::once(std::future::ready(Err(none()))))
    }

    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>> {
        Box::pin(std::future::ready(Err(none())))
    }
}

fn none() -> ModelError {
    ModelError::new(ModelErrorKind::Configuration, "no model takes part in this")
}
