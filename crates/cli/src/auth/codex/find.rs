//! Where Codex keeps its login, and what belongs to it. Only looks.

use super::login::{self, Due, Login};
use crate::auth::desktop::{Desktop, Item};
use crate::place::Place;
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use tenon_config::{AuthStore, KeySource, ResolvedProvider};
use tenon_transport::CredentialError;
use tenon_vocab::{SessionId, Timestamp};

/// Names the session of a request; that of a person, not of an agent below it.
pub const SESSION_HEADER: &str = "session_id";
const INSTALLATION: &str = "x-codex-installation-id";

/// Where Codex keeps its things.
pub fn home(place: &Place, configured: Option<&Path>) -> PathBuf {
    let of_user = || Path::new(place.env.get("HOME").unwrap_or("/")).join(".codex");
    configured
        .map(Path::to_owned)
        .or_else(|| place.env.get("CODEX_HOME").map(PathBuf::from))
        .unwrap_or_else(of_user)
}

/// What Codex sends along with the body of each request; nothing for a provider
/// that has no login of Codex.
pub fn metadata(place: &Place, provider: &ResolvedProvider) -> Vec<(String, String)> {
    if provider.key != KeySource::Codex {
        return Vec::new();
    }
    let id = installation_id(&home(place, provider.codex_home.as_deref()));
    let entry = id.map(|id| (String::from(INSTALLATION), id));
    entry.into_iter().collect()
}

/// The id that Codex gave to its installation.
fn installation_id(home: &Path) -> Option<String> {
    let text = tenon_files::read(&home.join("installation_id"), 256).ok()?;
    let id = std::str::from_utf8(&text).ok()?.trim();
    let fits =
        (8..=64).contains(&id.len()) && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '-');
    fits.then(|| id.to_owned())
}

/// A login and where it was found.
#[derive(Debug, Clone)]
pub struct Found {
    pub login: Login,
    pub place: FoundIn,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FoundIn {
    File,
    Keyring,
}

/// Looks in the keyring first, as Codex does. A login there that has expired, or a
/// keyring that fails, leaves it to the file: when a login is moved from the keyring
/// into the file, Codex leaves the old one behind.
///
/// # Errors
/// When the keyring fails or the file cannot be read, and the other has no login.
pub async fn find(
    home: &Path,
    store: AuthStore,
    keyring: Option<&Desktop>,
) -> Result<Option<Found>, CredentialError> {
    let kept = match keyring.filter(|_| store != AuthStore::File) {
        Some(keyring) => in_keyring(home, keyring).await,
        None => Ok(None),
    };
    let holds = |found: &Found| found.login.due(Timestamp::now()) != Due::Expired;
    if store == AuthStore::Keyring || matches!(&kept, Ok(Some(found)) if holds(found)) {
        return kept;
    }
    match login::read(home).await? {
        Some(login) => Ok(Some(Found {
            login,
            place: FoundIn::File,
        })),
        None => kept,
    }
}

async fn in_keyring(home: &Path, keyring: &Desktop) -> Result<Option<Found>, CredentialError> {
    let item = Item::new("Codex Auth", account(home));
    let kept = keyring.get(&item).await.map_err(|error| {
        CredentialError::new(format!("can't look up the Codex login: {error}"))
            .with_hint("Run `codex login`, or unlock the keyring.")
    })?;
    let login = kept.and_then(|kept| Login::parse(kept.expose().as_bytes()));
    Ok(login.map(|login| Found {
        login,
        place: FoundIn::Keyring,
    }))
}

/// The name under which Codex keeps the login of a home in the keyring.
pub(super) fn account(home: &Path) -> String {
    let canonical = home.canonicalize().unwrap_or_else(|_| home.to_owned());
    let digest = Sha256::digest(canonical.to_string_lossy().as_bytes());
    let hex: String = digest
        .iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect();
    format!("cli|{hex}")
}

/// What every request is sent with, whichever token it has.
pub(super) fn fixed_headers(home: &Path) -> Vec<(String, String)> {
    let mut headers = vec![
        (String::from("originator"), String::from("tenon")),
        (
            // For what belongs to no session, such as the list of models.
            String::from(SESSION_HEADER),
            SessionId::generate().to_string(),
        ),
    ];
    if let Some(id) = installation_id(home) {
        headers.push((String::from(INSTALLATION), id));
    }
    headers
}
