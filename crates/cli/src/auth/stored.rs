//! The key that `tenon auth login` saved, as a source of credentials. Nothing is
//! started and no store is opened unless a key was saved for the provider.

use super::desktop::{Desktop, DesktopError, Item};
use super::keys::{Keys, KeysError, Saved};
use crate::place::Place;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use tenon_tools::Jobs;
use tenon_transport::{Credential, CredentialError, CredentialSource, Renewal, Secret};
use tenon_vocab::port::BoxFuture;

/// What `first` gives, else the key that was saved for this provider.
pub fn or_stored(
    place: &Place,
    name: &str,
    first: Arc<dyn CredentialSource>,
    jobs: &Jobs,
) -> Arc<dyn CredentialSource> {
    Arc::new(OrStored {
        first,
        name: name.to_owned(),
        keys: Keys::in_state(&place.paths.state),
        desktop: Desktop::find(place, jobs),
        known: Mutex::default(),
    })
}

#[derive(Debug, thiserror::Error)]
pub enum LookupError {
    #[error(transparent)]
    Keys(#[from] KeysError),
    #[error(
        "the key of `{name}` is in the desktop's credential store, which cannot be read: {why}"
    )]
    Desktop { name: String, why: String },
}

impl LookupError {
    /// What to do next.
    pub fn hint(&self) -> String {
        match self {
            Self::Keys(error) => error.hint(),
            Self::Desktop { name, .. } => format!(
                "Unlock the store, or save the key in a file with `tenon auth login {name} --store file`."
            ),
        }
    }
}

impl From<LookupError> for CredentialError {
    fn from(error: LookupError) -> Self {
        Self::new(error.to_string()).with_hint(error.hint())
    }
}

/// The key itself, from wherever it was saved.
///
/// # Errors
/// When one was saved and cannot be had.
pub async fn lookup(
    keys: &Keys,
    desktop: Option<&Desktop>,
    name: &str,
) -> Result<Option<Secret>, LookupError> {
    let why = match keys.all()?.remove(name) {
        None => return Ok(None),
        Some(Saved::File { key }) => return Ok(Some(Secret::new(key))),
        Some(Saved::Desktop) => match desktop {
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
    keys: Keys,
    desktop: Option<Desktop>,
    /// Asking the desktop starts a process: once is enough.
    known: Mutex<Option<Secret>>,
}

impl OrStored {
    fn known(&self) -> MutexGuard<'_, Option<Secret>> {
        self.known.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn look(&self) -> Result<Option<Secret>, CredentialError> {
        let found = lookup(&self.keys, self.desktop.as_ref(), &self.name).await?;
        self.known().clone_from(&found);
        Ok(found)
    }
}

impl CredentialSource for OrStored {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(async move {
            if let Some(credential) = self.first.credential().await? {
                return Ok(Some(credential));
            }
            let known = self.known().clone();
            let found = match known {
                Some(secret) => Some(secret),
                None => self.look().await?,
            };
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
        format!(
            "{} or `tenon auth login {}`",
            self.first.describe(),
            self.name
        )
    }
}
