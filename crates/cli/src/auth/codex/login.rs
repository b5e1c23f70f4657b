//! The login as Codex stores it: `auth.json` in Codex' home, or the same text in
//! the keyring. What we do not know of it is kept as it is; Codex reads it again.

use super::claims::{self, Claims};
use super::refresh::Tokens;
use serde_json::{Map, Value, json};
use std::io;
use std::path::{Path, PathBuf};
use tempfile::NamedTempFile;
use tenon_transport::CredentialError;
use tenon_vocab::Timestamp;

/// No login comes near this.
const LARGEST: u64 = 1024 * 1024;
/// A token whose life is not known is renewed when it is so old, in seconds.
const OLD: i64 = 8 * 24 * 60 * 60;
/// A token is renewed so long before its end, in seconds.
const EARLY: i64 = 5 * 60;

/// What a login proves itself with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Means {
    /// A ChatGPT account.
    Tokens,
    /// A key of OpenAI's platform, which is paid by use.
    ApiKey,
    Nothing,
}

/// Whether the token can be used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Due {
    NotYet,
    /// It ends within minutes, or is old.
    Soon,
    Expired,
}

#[derive(Clone, PartialEq)]
pub struct Login {
    document: Map<String, Value>,
}

/// Shows nothing of it.
impl std::fmt::Debug for Login {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Login").finish_non_exhaustive()
    }
}

impl Login {
    pub fn parse(text: &[u8]) -> Option<Self> {
        let document = serde_json::from_slice(text).ok()?;
        Some(Self { document })
    }

    fn token(&self, name: &str) -> Option<&str> {
        let text = self.document.get("tokens")?.get(name)?.as_str()?.trim();
        Some(text).filter(|text| !text.is_empty())
    }

    pub fn access(&self) -> Option<&str> {
        self.token("access_token")
    }

    pub fn refresh(&self) -> Option<&str> {
        self.token("refresh_token")
    }

    pub fn api_key(&self) -> Option<&str> {
        let text = self.document.get("OPENAI_API_KEY")?.as_str()?.trim();
        Some(text).filter(|text| !text.is_empty())
    }

    /// A login that Codex itself would use as a key is one, tokens or not.
    pub fn means(&self) -> Means {
        let mode = self.document.get("auth_mode").and_then(Value::as_str);
        let keyed = mode.is_some_and(|mode| mode.eq_ignore_ascii_case("apikey"));
        match (self.access(), self.api_key()) {
            (_, Some(_)) if keyed => Means::ApiKey,
            (Some(_), _) => Means::Tokens,
            (None, Some(_)) => Means::ApiKey,
            (None, None) => Means::Nothing,
        }
    }

    /// What both tokens say together. The expiry is the access token's alone.
    pub fn claims(&self) -> Claims {
        let access = Claims::of(self.access().unwrap_or_default());
        let identity = Claims::of(self.token("id_token").unwrap_or_default());
        let tokens = self.document.get("tokens");
        let named = tokens.and_then(|tokens| claims::word(tokens.get("account_id")?));
        Claims {
            expires: access.expires,
            account: named.or(identity.account).or(access.account),
            email: identity.email.or(access.email),
            plan: identity.plan.or(access.plan),
            fedramp: identity.fedramp || access.fedramp,
        }
    }

    pub fn due(&self, now: Timestamp) -> Due {
        let now = now.as_second();
        let access = Claims::of(self.access().unwrap_or_default());
        match access.expires {
            Some(end) if end <= now => Due::Expired,
            Some(end) if end - now <= EARLY => Due::Soon,
            Some(_) => Due::NotYet,
            None => match self.last_refresh() {
                Some(last) if now.saturating_sub(last.as_second()) > OLD => Due::Soon,
                _ => Due::NotYet,
            },
        }
    }

    fn last_refresh(&self) -> Option<Timestamp> {
        self.document.get("last_refresh")?.as_str()?.parse().ok()
    }

    /// The same login with new tokens.
    pub fn renewed(&self, tokens: Tokens, now: Timestamp) -> Self {
        let mut renewed = self.clone();
        let held = renewed
            .document
            .entry("tokens")
            .or_insert_with(|| json!({}));
        if let Value::Object(held) = held {
            held.insert(String::from("access_token"), tokens.access.into());
            if let Some(identity) = tokens.identity {
                held.insert(String::from("id_token"), identity.into());
            }
            // Without a new one the old one stays good.
            if let Some(refresh) = tokens.refresh {
                held.insert(String::from("refresh_token"), refresh.into());
            }
        }
        let stamp = Value::from(now.to_string());
        renewed.document.insert(String::from("last_refresh"), stamp);
        renewed
    }
}

/// Where the login lies.
pub fn path(home: &Path) -> PathBuf {
    home.join("auth.json")
}

/// The login of a home; `None` when there is no file.
///
/// # Errors
/// When the file is there and cannot be understood.
pub async fn read(home: &Path) -> Result<Option<Login>, CredentialError> {
    let path = path(home);
    let mut tries = 0;
    loop {
        let unreadable = match tenon_files::read(&path, LARGEST) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => error.to_string(),
            Ok(text) => match Login::parse(&text) {
                Some(login) => return Ok(Some(login)),
                None => String::from("it isn't a JSON object"),
            },
        };
        // Codex writes the file in place: for a moment it is empty or half.
        tries += 1;
        if tries > 3 {
            return Err(CredentialError::new(format!(
                "can't read the Codex login in {}: {unreadable}",
                path.display()
            ))
            .with_hint("Run `codex login`, then try again."));
        }
        tokio::time::sleep(std::time::Duration::from_millis(30)).await;
    }
}

/// Whether others than its owner may read or change the login.
pub fn is_open_to_others(home: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    std::fs::metadata(path(home)).is_ok_and(|about| about.mode() & 0o077 != 0)
}

/// A place for the renewed login, made before the old one is used up: tokens
/// that cannot be written down are lost for Codex too.
#[derive(Debug)]
pub struct Slot {
    fresh: NamedTempFile,
    path: PathBuf,
}

impl Slot {
    /// # Errors
    /// When nothing can be written there.
    pub fn prepare(home: &Path) -> io::Result<Self> {
        // A link stays a link: what it leads to is replaced.
        let path = path(home).canonicalize()?;
        let folder = path.parent().unwrap_or(home);
        let mut builder = tempfile::Builder::new();
        // Made with 0600, and kept so.
        let fresh = builder.prefix(".auth-").tempfile_in(folder)?;
        Ok(Self { fresh, path })
    }

    /// Whole or not at all.
    ///
    /// # Errors
    /// When it cannot be written; the old file is then as it was.
    pub fn write(self, login: &Login) -> io::Result<()> {
        let Self { mut fresh, path } = self;
        serde_json::to_writer_pretty(&mut fresh, &login.document)?;
        fresh.as_file().sync_all()?;
        fresh.persist(path).map_err(|failed| failed.error)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn login(value: &Value) -> Login {
        Login::parse(value.to_string().as_bytes()).unwrap()
    }

    #[test]
    fn a_key_beside_tokens_counts_only_where_codex_says_so() {
        let both = json!({"OPENAI_API_KEY": "sk", "tokens": {"access_token": "t"}});
        assert_eq!(login(&both).means(), Means::Tokens);
        let mut keyed = both;
        keyed["auth_mode"] = "apikey".into();
        assert_eq!(login(&keyed).means(), Means::ApiKey);
        assert_eq!(
            login(&json!({"OPENAI_API_KEY": null})).means(),
            Means::Nothing
        );
        assert_eq!(login(&json!({"tokens": "no"})).means(), Means::Nothing);
    }

    #[test]
    fn an_opaque_token_is_renewed_when_it_is_old() {
        let now: Timestamp = "2026-01-20T00:00:00Z".parse().unwrap();
        let at = |last: Value| {
            login(&json!({"tokens": {"access_token": "t"}, "last_refresh": last})).due(now)
        };
        assert_eq!(at("2026-01-19T00:00:00.123456Z".into()), Due::NotYet);
        assert_eq!(at("2026-01-01T00:00:00Z".into()), Due::Soon);
        assert_eq!(at(Value::Null), Due::NotYet);
    }

    #[test]
    fn renewing_keeps_what_we_do_not_know() {
        let old = login(&json!({
            "agent_identity": {"x": 1},
            "tokens": {"access_token": "a", "refresh_token": "r", "id_token": "i", "account_id": "acc", "new": true}
        }));
        let tokens = Tokens {
            access: String::from("a2"),
            identity: None,
            refresh: Some(String::from("r2")),
        };
        let new = old.renewed(tokens, Timestamp::UNIX_EPOCH);
        assert_eq!((new.access(), new.refresh()), (Some("a2"), Some("r2")));
        assert_eq!(new.token("id_token"), Some("i"));
        assert_eq!(new.document["agent_identity"], json!({"x": 1}));
        assert_eq!(new.document["tokens"]["new"], true);
        assert_eq!(new.document["last_refresh"], "1970-01-01T00:00:00Z");
        assert!(!format!("{new:?}").contains("a2"));
    }
}
