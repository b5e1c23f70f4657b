//! The login of Codex (P5), as a source of credentials: found where Codex keeps
//! it, renewed as Codex renews it. Codex itself is never started, and a login is
//! made and ended with Codex alone.
//!
//! Renewing uses the old token up. So it is done by one task of one process at a
//! time, never dropped half-way, and only when the result can be written down.

mod claims;
mod find;
mod lock;
mod login;
mod refresh;

pub use find::{FoundIn, SESSION_HEADER, find, home, metadata};
pub use login::{Due, Means, is_open_to_others};

use super::desktop::Desktop;
use super::is_safe;
use crate::place::Place;
use find::{Found, fixed_headers};
use login::{Login, Slot};
use refresh::{Authority, Reason, Refused, URL_VARIABLE};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_config::{AuthStore, ResolvedProvider};
use tenon_tools::Jobs;
use tenon_transport::{Credential, CredentialError, CredentialSource, Renewal, Secret};
use tenon_vocab::Timestamp;
use tenon_vocab::port::BoxFuture;
use tokio::sync::Mutex;

/// After a failure that may pass, a token that still works is used for so long
/// before the next try.
const PAUSE: Duration = Duration::from_secs(30);

/// Whether a key of OpenAI's platform may stand in for a login: it is paid by
/// use, which nobody expects who has a subscription.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ApiKey {
    Refused,
    Allowed,
}

/// The credential of a provider that uses Codex' login.
pub fn source(
    place: &Place,
    provider: &ResolvedProvider,
    jobs: &Jobs,
) -> Arc<dyn CredentialSource> {
    let home = home(place, provider.codex_home.as_deref());
    let api_key = if provider.allow_api_key_fallback {
        ApiKey::Allowed
    } else {
        ApiKey::Refused
    };
    Arc::new(Codex(Arc::new(Inner {
        keyring: match provider.auth_store {
            AuthStore::File => None,
            AuthStore::Auto | AuthStore::Keyring => Desktop::find(place, jobs),
        },
        store: provider.auth_store,
        authority: Authority::new(place.env.get(URL_VARIABLE), Some(provider)),
        address: provider.base_url.clone(),
        headers: fixed_headers(&home),
        home,
        api_key,
        state: Mutex::default(),
    })))
}

struct Codex(Arc<Inner>);

struct Inner {
    home: PathBuf,
    keyring: Option<Desktop>,
    store: AuthStore,
    authority: Result<Authority, CredentialError>,
    /// Where the token is sent.
    address: String,
    headers: Vec<(String, String)>,
    api_key: ApiKey,
    /// Held while a login is renewed: ten requests at once renew it once.
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    /// Of the keyring: asking it starts a process.
    keyring: Option<Login>,
    /// The keyring was asked and has none: it is not asked for every request.
    in_file: bool,
    /// Tokens that could not be written down, and the token of the file that
    /// they replace.
    unsaved: Option<(String, Login)>,
    /// A token that was refused for good is not tried again.
    dead: Option<(String, Reason)>,
    /// The refresh token of which it was said that it is refused.
    told: Option<String>,
    paused: Option<Instant>,
}

impl CredentialSource for Codex {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        let inner = Arc::clone(&self.0);
        Box::pin(undropped(async move { inner.credential().await.map(Some) }))
    }

    fn renew<'a>(
        &'a self,
        refused: &'a Credential,
    ) -> BoxFuture<'a, Result<Renewal, CredentialError>> {
        let inner = Arc::clone(&self.0);
        let refused = refused.secret.clone();
        Box::pin(undropped(async move { inner.renew(&refused).await }))
    }

    fn describe(&self) -> String {
        format!(
            "the Codex login in {} (`codex login`)",
            self.0.home.display()
        )
    }
}

/// In a task of its own: a request that is interrupted must not take new tokens
/// with it before they are written.
async fn undropped<T: Send + 'static>(
    work: impl Future<Output = Result<T, CredentialError>> + Send + 'static,
) -> Result<T, CredentialError> {
    match tokio::spawn(work).await {
        Ok(outcome) => outcome,
        Err(_) => Err(CredentialError::new("looking for the Codex login failed")),
    }
}

impl Inner {
    async fn credential(&self) -> Result<Credential, CredentialError> {
        if !is_safe(&self.address) {
            return Err(CredentialError::new(
                "the Codex login is not sent over an unencrypted connection",
            )
            .with_hint("Use an https:// address for this provider."));
        }
        let mut state = self.state.lock().await;
        let found = self.current(&mut state).await?;
        match (found.login.means(), self.api_key) {
            (Means::Tokens, _) => {}
            (Means::ApiKey, ApiKey::Allowed) => {
                let key = found.login.api_key().unwrap_or_default();
                return Ok(Secret::new(key).into());
            }
            (Means::ApiKey, ApiKey::Refused) => return Err(only_a_key()),
            (Means::Nothing, _) => return Err(self.no_login()),
        }
        let login = self.usable(&mut state, found).await?;
        Ok(Credential {
            warning: self.warning(&mut state, &login),
            ..self.credential_of(&login)
        })
    }

    fn credential_of(&self, login: &Login) -> Credential {
        let claims = login.claims();
        let mut headers = self.headers.clone();
        if let Some(account) = claims.account {
            headers.push((String::from("chatgpt-account-id"), account));
        }
        if claims.fedramp {
            headers.push((String::from("x-openai-fedramp"), String::from("true")));
        }
        Credential {
            secret: Secret::new(login.access().unwrap_or_default()),
            headers,
            warning: None,
        }
    }

    /// What is to be known of a token that still works and cannot be renewed, once.
    fn warning(&self, state: &mut State, login: &Login) -> Option<CredentialError> {
        let (dead, reason) = state.dead.as_ref()?;
        if login.refresh() != Some(dead) || state.told.as_ref() == Some(dead) {
            return None;
        }
        let why = Refused::ForGood(*reason).error().message;
        state.told = Some(dead.clone());
        let message = format!("{why}; the current token is used until it expires");
        Some(CredentialError::new(message).with_hint("Run `codex login` before it expires."))
    }

    /// The login as it is stored now, or as it would be if it could be written.
    async fn current(&self, state: &mut State) -> Result<Found, CredentialError> {
        if let Some(login) = &state.keyring {
            return Ok(Found {
                login: login.clone(),
                place: FoundIn::Keyring,
            });
        }
        let in_file = match state.in_file {
            true => find(&self.home, AuthStore::File, None).await?,
            false => None,
        };
        let found = match in_file {
            None => find(&self.home, self.store, self.keyring.as_ref()).await?,
            in_file => in_file,
        };
        let mut found = found.ok_or_else(|| self.no_login())?;
        state.in_file = found.place == FoundIn::File;
        match (&found.place, &state.unsaved) {
            (FoundIn::Keyring, _) => state.keyring = Some(found.login.clone()),
            (FoundIn::File, Some((old, login))) if found.login.refresh() == Some(old) => {
                found.login = login.clone();
            }
            (FoundIn::File, _) => {}
        }
        Ok(found)
    }

    /// The same login, renewed where its time is nearly up.
    async fn usable(&self, state: &mut State, found: Found) -> Result<Login, CredentialError> {
        let due = found.login.due(Timestamp::now());
        if due == Due::NotYet {
            return Ok(found.login);
        }
        if found.place == FoundIn::Keyring {
            return self.keyring_again(state, found.login).await;
        }
        let paused = state.paused.is_some_and(|since| since.elapsed() < PAUSE);
        if due == Due::Soon && paused {
            return Ok(found.login);
        }
        match self.renewed(state, &found.login).await {
            Ok(login) => Ok(login),
            // It still works, whatever becomes of the next one.
            Err(_) if due == Due::Soon => {
                state.paused = Some(Instant::now());
                Ok(found.login)
            }
            Err(refused) => Err(refused.error()),
        }
    }

    /// We only read the keyring, so the login in it is Codex' to renew.
    async fn keyring_again(&self, state: &mut State, old: Login) -> Result<Login, CredentialError> {
        state.keyring = None;
        let login = self.current(state).await?.login;
        match login.due(Timestamp::now()) {
            Due::Expired => Err(
                CredentialError::new("the Codex login in the keyring has expired")
                    .with_hint("Run `codex` once, which renews it, or `codex login`."),
            ),
            _ if login.access().is_some() => Ok(login),
            _ => Ok(old),
        }
    }

    async fn renew(&self, refused: &Secret) -> Result<Renewal, CredentialError> {
        let mut state = self.state.lock().await;
        state.keyring = None;
        state.in_file = false;
        let found = self.current(&mut state).await?;
        if found.login.means() != Means::Tokens {
            return Ok(Renewal::Unchanged);
        }
        // Another request, or another program, was faster.
        if found.login.access() != Some(refused.expose()) {
            return Ok(Renewal::Renewed);
        }
        if found.place == FoundIn::Keyring {
            return Err(
                CredentialError::new("the Codex login in the keyring was refused")
                    .with_hint("Run `codex` once, which renews it, or `codex login`."),
            );
        }
        match self.renewed(&mut state, &found.login).await {
            Ok(_) => Ok(Renewal::Renewed),
            Err(refused) => Err(refused.error()),
        }
    }

    /// Renews the login of the file, unless somebody else just did.
    async fn renewed(&self, state: &mut State, login: &Login) -> Result<Login, Refused> {
        let authority = match &self.authority {
            Ok(authority) => authority,
            Err(error) => return Err(Refused::ForNow(error.message.clone())),
        };
        let _alone = lock::take(&self.home).await.map_err(Refused::ForNow)?;
        let mut login = login.clone();
        // Twice: between reading and asking, Codex may have renewed it.
        for _ in 0..2 {
            if let Some(newer) = self.newer(&login).await {
                if newer.due(Timestamp::now()) == Due::NotYet {
                    return Ok(newer);
                }
                login = newer;
            }
            match self.ask(state, authority, &login).await {
                Err(Refused::ForGood(Reason::Reused)) if self.newer(&login).await.is_some() => {}
                outcome => return outcome,
            }
        }
        Err(Refused::ForGood(Reason::Reused))
    }

    /// The login of the file, where it is another one now.
    async fn newer(&self, login: &Login) -> Option<Login> {
        let stored = login::read(&self.home).await.ok()??;
        let other = stored.refresh().is_some() && stored.refresh() != login.refresh();
        other.then_some(stored)
    }

    async fn ask(
        &self,
        state: &mut State,
        authority: &Authority,
        login: &Login,
    ) -> Result<Login, Refused> {
        let Some(token) = login.refresh() else {
            return Err(Refused::ForGood(Reason::Expired));
        };
        if let Some((dead, reason)) = &state.dead
            && dead == token
        {
            return Err(Refused::ForGood(*reason));
        }
        let slot = Slot::prepare(&self.home).map_err(|error| {
            Refused::ForNow(format!(
                "can't write {}: {error}",
                login::path(&self.home).display()
            ))
        })?;
        match authority.refresh(token).await {
            Ok(tokens) => {
                let renewed = login.renewed(tokens, Timestamp::now());
                if slot.write(&renewed).is_err() {
                    state.unsaved = Some((token.to_owned(), renewed.clone()));
                }
                Ok(renewed)
            }
            Err(Refused::ForGood(reason)) => {
                state.dead = Some((token.to_owned(), reason));
                Err(Refused::ForGood(reason))
            }
            Err(refused) => Err(refused),
        }
    }

    fn no_login(&self) -> CredentialError {
        let (place, hint) = match self.store {
            AuthStore::Keyring => (
                String::from("the keyring"),
                "Run `codex login`, or set `auth_store` of the provider to \"auto\": then its file counts, too.",
            ),
            AuthStore::Auto | AuthStore::File => (
                self.home.display().to_string(),
                "Run `codex login`, or set CODEX_HOME to where Codex keeps its login.",
            ),
        };
        CredentialError::new(format!("there is no Codex login in {place}")).with_hint(hint)
    }
}

fn only_a_key() -> CredentialError {
    CredentialError::new("Codex is logged in with an API key, which is billed by use, so Tenon does not use it")
        .with_hint("Run `codex login` and choose ChatGPT; or set `allow_api_key_fallback` and the base_url of OpenAI's API for this provider.")
}

#[cfg(test)]
mod tests;
