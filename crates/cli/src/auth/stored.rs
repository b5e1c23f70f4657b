//! The key that `tenon auth login` saved, as a source of credentials. Nothing is
//! started and no store is opened unless a key was saved for the provider.

use super::desktop::{Desktop, DesktopError, Item};
use super::keys::{Keys, KeysError, Saved, origin};
use crate::place::Place;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_tools::Jobs;
use tenon_transport::{Credential, CredentialError, CredentialSource, Renewal, Secret};
use tenon_vocab::port::BoxFuture;

/// What `first` gives, else the key that was saved for this provider at this
/// address.
pub fn or_stored(
    place: &Place,
    name: &str,
    address: &str,
    first: Arc<dyn CredentialSource>,
    jobs: &Jobs,
) -> Arc<dyn CredentialSource> {
    Arc::new(OrStored {
        first,
        name: name.to_owned(),
        address: address.to_owned(),
        keys: Keys::in_state(&place.paths.state),
        desktop: Desktop::find(place, jobs),
        known: Mutex::default(),
        unused: Mutex::default(),
        gave: Mutex::default(),
    })
}

#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(
        "the key of `{name}` is in the desktop's credential store, which Tenon can't read: {why}"
    )]
    Desktop { name: String, why: String },
    #[error("the key saved for `{name}` is for {origin} and is not sent to {asked}")]
    Elsewhere {
        name: String,
        origin: String,
        asked: String,
    },
}

impl LookupError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::Keys(error) => error.hint(),
            Self::Desktop { name, .. } => format!(
                "Unlock the store, or save the key in a file with `tenon auth login {name} --store file`."
            ),
            Self::Elsewhere { name, .. } => format!(
                "To use a key there, save it with `tenon auth login {name}` while that address is set."
            ),
        }
    }
}

impl From<LookupError> for CredentialError {
    fn from(error: LookupError) -> Self {
        Self::new(error.to_string()).with_hint(error.hint())
    }
}

/// The key itself, from wherever it was saved, for this address.
///
/// # Errors
/// When one was saved and cannot be had.
pub async fn lookup(
    keys: &Keys,
    desktop: Option<&Desktop>,
    name: &str,
    address: &str,
) -> Result<Option<Secret>, LookupError> {
    let why = match keys.all()?.remove(name) {
        None => return Ok(None),
        Some(saved) if !saved.is_for(address) => {
            return Err(LookupError::Elsewhere {
                name: name.to_owned(),
                origin: saved.origin().to_owned(),
                asked: origin(address),
            });
        }
        Some(Saved::File { key, .. }) => return Ok(Some(Secret::new(key))),
        Some(Saved::Desktop { .. }) => match desktop {
            None => String::from("there is no session bus or no tool for it here"),
            Some(desktop) => match desktop.get(&Item::key_of(name)).await {
                Ok(Some(secret)) => return Ok(Some(secret)),
                Ok(None) => String::from("it is no longer there"),
                Err(error) => DesktopError::to_string(&error),
            },
        },
    };
    Err(LookupError::Desktop {
        name: name.to_owned(),
        why,
    })
}

struct OrStored {
    first: Arc<dyn CredentialSource>,
    name: String,
    /// Where the key would be sent.
    address: String,
    keys: Keys,
    desktop: Option<Desktop>,
    /// Asking the desktop starts a process: once is enough.
    known: Mutex<Option<Secret>>,
    /// Why the saved key is not used, when it is another server's.
    unused: Mutex<Option<String>>,
    /// Which of the two gave the last key.
    gave: Mutex<Option<Gave>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gave {
    First,
    Saved,
}

impl OrStored {
    fn known(&self) -> MutexGuard<'_, Option<Secret>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn remember(&self, gave: Option<Gave>) {
        *self.gave.lock().unwrap_or_else(PoisonError::into_inner) = gave;
    }

    async fn look(&self) -> Result<Option<Secret>, CredentialError> {
        let desktop = self.desktop.as_ref();
        let found = match lookup(&self.keys, desktop, &self.name, &self.address).await {
            // The server may want none; if it does, its refusal tells of this.
            Err(error @ LookupError::Elsewhere { .. }) => {
                let told = error.to_string();
                *self.unused.lock().unwrap_or_else(PoisonError::into_inner) = Some(told);
                None
            }
            found => found?,
        };
        self.known().clone_from(&found);
        Ok(found)
    }
}

impl CredentialSource for OrStored {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(async move {
            if let Some(credential) = self.first.credential().await? {
                self.remember(Some(Gave::First));
                return Ok(Some(credential));
            }
            let known = self.known().clone();
            let found = match known {
                Some(secret) => Some(secret),
                None => self.look().await?,
            };
            self.remember(found.as_ref().map(|_| Gave::Saved));
            Ok(found.map(Credential::from))
        })
    }

    fn renew<'a>(
        &'a self,
        refused: &'a Credential,
    ) -> BoxFuture<'a, Result<Renewal, CredentialError>> {
        Box::pin(async move {
            let ours = self.known().as_ref() == Some(&refused.secret);
            if !ours {
                return self.first.renew(refused).await;
            }
            // Another one may have been saved meanwhile.
            let same = self.look().await?.as_ref() == Some(&refused.secret);
            Ok(if same {
                Renewal::Unchanged
            } else {
                Renewal::Renewed
            })
        })
    }

    fn describe(&self) -> String {
        let saved = format!("`tenon auth login {}`", self.name);
        let gave = *self.gave.lock().unwrap_or_else(PoisonError::into_inner);
        match gave {
            Some(Gave::First) => self.first.describe(),
            Some(Gave::Saved) => saved,
            None => {
                let unused = self.unused.lock().unwrap_or_else(PoisonError::into_inner);
                let unused = unused.as_ref().map(|why| format!(" ({why})"));
                format!(
                    "{}, or from {saved}{}",
                    self.first.describe(),
                    unused.unwrap_or_default()
                )
            }
        }
    }
}
