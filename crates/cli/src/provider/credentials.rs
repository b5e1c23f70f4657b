//! Where the key of a provider comes from when a request is made: a variable, a
//! command, the configuration. What the program itself keeps is `auth`'s.

use crate::auth;
use crate::place::Place;
use crate::sandbox;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_config::{KeySource, ResolvedProvider};
use tenon_model::Auth;
use tenon_tools::Jobs;
use tenon_tools::jobs::{Ended, RunSpec, Secrets, Walls};
use tenon_transport::{
    Credential, CredentialError, CredentialSource, Fixed, NoCredential, Renewal, Secret,
};
use tenon_vocab::port::BoxFuture;
use tokio_util::sync::CancellationToken;

pub fn credentials(
    place: &Place,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Arc<dyn CredentialSource> {
    // What `tenon auth login` saved comes after what a variable says.
    let or_saved = |first| auth::or_stored(place, &provider.name, first, jobs);
    match &provider.key {
        // Whoever set only the address is told which variable holds the key.
        KeySource::None if provider.name == "env" => Arc::new(FromVariables {
            names: vec![String::from("TENON_API_KEY")],
            key: None,
        }),
        KeySource::None if provider.auth == Auth::None => Arc::new(NoCredential),
        KeySource::None => or_saved(Arc::new(NoCredential)),
        KeySource::Literal(key) => Arc::new(Fixed(Secret::new(key.clone()))),
        KeySource::Env(names) => or_saved(Arc::new(FromVariables {
            names: names.clone(),
            key: names
                .iter()
                .find_map(|name| place.env.get(name))
                .map(|key| Secret::new(key.trim())),
        })),
        KeySource::Codex => auth::codex::source(place, provider, jobs),
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
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(std::future::ready(Ok(self.key.clone().map(Into::into))))
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
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(async move {
            if let Some(secret) = self.known().clone() {
                return Ok(Some(secret.into()));
            }
            let secret = self.run().await?;
            *self.known() = Some(secret.clone());
            Ok(Some(secret.into()))
        })
    }

    fn renew<'a>(
        &'a self,
        refused: &'a Credential,
    ) -> BoxFuture<'a, Result<Renewal, CredentialError>> {
        Box::pin(async move {
            let secret = self.run().await?;
            let same = secret == refused.secret;
            *self.known() = Some(secret);
            Ok(if same {
                Renewal::Unchanged
            } else {
                Renewal::Renewed
            })
        })
    }

    fn describe(&self) -> String {
        String::from("api_key_command")
    }
}
