//! Where the key of a provider comes from when a request is made: a variable, a
//! command, the configuration. What the program itself keeps is `auth`'s.

use crate::auth;
use crate::auth::keys::{Keys, Saved};
use crate::place::Place;
use crate::sandbox;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_config::{KeySource, Origin, ResolvedProvider};
use tenon_model::{Auth, ModelError, ModelErrorKind, Reach, preset, presets};
use tenon_tools::Jobs;
use tenon_tools::jobs::{Ended, Excerpt, RunSpec, Secrets, Walls};
use tenon_transport::{
    Credential, CredentialError, CredentialSource, Fixed, NoCredential, Renewal, Secret,
};
use tenon_vocab::Printable;
use tenon_vocab::port::BoxFuture;
use tokio_util::sync::CancellationToken;

/// The provider that variables alone describe.
const FROM_VARIABLES: &str = "env";

/// What people call a provider: that of variables alone has no name of theirs.
pub fn called(provider: &ResolvedProvider) -> &str {
    match &provider.base_url_origin {
        Origin::Environment(variable) if provider.name == FROM_VARIABLES => variable,
        _ => &provider.name,
    }
}

/// Why a service need not be asked at all: it wants a key, and there is none.
/// Only at the service's own address; a gateway in its place may want none.
pub fn missing_key(place: &Place, provider: &ResolvedProvider) -> Option<ModelError> {
    let KeySource::Env(names) = &provider.key else {
        return None;
    };
    let own = provider.preset.and_then(preset)?.base_url;
    let hosted = provider.reach == Reach::Remote && own == Some(provider.base_url.as_str());
    let set = names.iter().any(|name| place.env.get(name).is_some());
    if !hosted || set || provider.auth == Auth::None || brings_its_own(provider) {
        return None;
    }
    // A file that cannot be read is told of when the key is taken from it.
    let saved = Keys::in_state(&place.paths.state).all();
    let is_saved = |saved: &Saved| saved.is_for(&provider.base_url);
    if saved.map_or(true, |saved| {
        saved.get(&provider.name).is_some_and(is_saved)
    }) {
        return None;
    }
    let message = format!(
        "the key of `{}` is not set: {}",
        provider.name,
        names.join(" or ")
    );
    let hint = format!(
        "Set it, or save it with `tenon auth login {}`.",
        provider.name
    );
    Some(ModelError::new(ModelErrorKind::Configuration, message).with_hint(hint))
}

/// Whether a header of the configuration carries the key.
fn brings_its_own(provider: &ResolvedProvider) -> bool {
    let wanted = match &provider.auth {
        Auth::Header(name) => name.as_str(),
        Auth::Bearer | Auth::None => "authorization",
    };
    let mut names = provider.headers.iter().map(|(name, _)| name);
    names.any(|name| name.eq_ignore_ascii_case(wanted))
}

/// Where the key comes from, as [`Told`]: whatever it is, the masker knows it
/// before a server does.
pub fn credentials(
    place: &Place,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Arc<dyn CredentialSource> {
    Arc::new(Told {
        source: source(place, provider, jobs),
        jobs: jobs.clone(),
    })
}

fn source(place: &Place, provider: &ResolvedProvider, jobs: &Jobs) -> Arc<dyn CredentialSource> {
    // What `tenon auth login` saved comes after what a variable says.
    let or_saved = |first| auth::or_stored(place, &provider.name, &provider.base_url, first, jobs);
    let from_variables = |names: &[String]| {
        Arc::new(FromVariables {
            names: names.to_vec(),
            found: names
                .iter()
                .find_map(|name| Some((name.clone(), Secret::new(place.env.get(name)?.trim())))),
            unused: match provider.name == FROM_VARIABLES {
                true => key_of_another(place, names),
                false => None,
            },
        })
    };
    match &provider.key {
        // Whoever set only the address is told which variable holds the key.
        KeySource::None if provider.name == FROM_VARIABLES => {
            from_variables(&[String::from("TENON_API_KEY")])
        }
        KeySource::None if provider.auth == Auth::None => Arc::new(NoCredential),
        KeySource::None => or_saved(Arc::new(NoCredential)),
        KeySource::Literal(key) => Arc::new(Fixed(Secret::new(key.clone()))),
        // No key is ever saved for it.
        KeySource::Env(names) if provider.name == FROM_VARIABLES => from_variables(names),
        KeySource::Env(names) => or_saved(from_variables(names)),
        KeySource::Codex => auth::codex::source(place, provider, jobs),
        KeySource::Command(command) => Arc::new(FromCommand {
            command: command.clone(),
            root: place.root.clone(),
            jobs: jobs.clone(),
            known: Mutex::default(),
        }),
    }
}

/// A variable with a key for a service, which is not sent to an address that
/// only a variable names: a key goes to its own service.
fn key_of_another(place: &Place, names: &[String]) -> Option<String> {
    let all = presets().iter().flat_map(|preset| preset.key_env);
    let others = all.filter(|name| !names.iter().any(|known| known == **name));
    let mut set = others.filter(|name| place.env.get(name).is_some());
    set.next().map(|name| (*name).to_owned())
}

/// Tells the masker of each key that it gives: one that a command prints, a
/// store keeps or a login renews is not known at the start.
struct Told {
    source: Arc<dyn CredentialSource>,
    /// Has the masker of the session, once there is one.
    jobs: Jobs,
}

impl CredentialSource for Told {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(async move {
            let found = self.source.credential().await?;
            if let Some(credential) = &found {
                self.jobs.masker().learn(credential.secret.expose());
            }
            Ok(found)
        })
    }

    fn renew<'a>(
        &'a self,
        refused: &'a Credential,
    ) -> BoxFuture<'a, Result<Renewal, CredentialError>> {
        self.source.renew(refused)
    }

    fn describe(&self) -> String {
        self.source.describe()
    }
}

/// The environment was read once, at the start; the key comes from there.
struct FromVariables {
    names: Vec<String>,
    /// The first that is set.
    found: Option<(String, Secret)>,
    /// One that is set and not used.
    unused: Option<String>,
}

impl CredentialSource for FromVariables {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        let key = self.found.as_ref().map(|(_, key)| key.clone().into());
        Box::pin(std::future::ready(Ok(key)))
    }

    fn describe(&self) -> String {
        if let Some((name, _)) = &self.found {
            return format!("${name}");
        }
        let names: Vec<String> = self.names.iter().map(|name| format!("${name}")).collect();
        let names = names.join(" or ");
        match &self.unused {
            None => names,
            Some(other) => format!(
                "{names} (${other} is set, but it is a service's key and is not sent to the address in $TENON_BASE_URL)"
            ),
        }
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
                "api_key_command failed with exit code {code}{}",
                self.last_words(&outcome.output.stderr)
            ))
            .with_hint("Run it by hand to see why.")),
            _ => Err(CredentialError::new("api_key_command did not end")),
        }
    }
}

impl FromCommand {
    /// The last line that it complained with, without secrets.
    fn last_words(&self, complaint: &Excerpt) -> String {
        const MOST: usize = 200;
        let text = match complaint.tail.is_empty() {
            true => &complaint.head,
            false => &complaint.tail,
        };
        let masked = self.jobs.masker().mask(text).into_owned();
        let Some(line) = masked.lines().rev().find(|line| !line.trim().is_empty()) else {
            return String::new();
        };
        let line = line.trim();
        let cut = line.char_indices().nth(MOST).map(|(at, _)| at);
        let (kept, mark) = match cut {
            Some(at) => (&line[..at], "…"),
            None => (line, ""),
        };
        format!(": {}{mark}", Printable::line(kept))
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
