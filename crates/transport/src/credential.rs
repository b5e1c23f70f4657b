//! Where a key comes from, and a type that cannot be printed by accident. A
//! key that a command prints is found by the binary, which may start processes.

use std::fmt;
use tenon_vocab::port::BoxFuture;

/// A key. It has no `Display`, and its `Debug` shows nothing of it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    #[must_use]
    pub fn new(text: impl Into<String>) -> Self {
        Self(text.into())
    }

    /// The key itself: for a header, and for nothing that is shown or stored.
    #[must_use]
    pub fn expose(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("***")
    }
}

/// What a request proves itself with.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Credential {
    pub secret: Secret,
    /// Further headers that belong to it: the account of a login.
    pub headers: Vec<(String, String)>,
    /// What people should know of it, once: that it cannot be renewed any more.
    pub warning: Option<CredentialError>,
}

impl From<Secret> for Credential {
    fn from(secret: Secret) -> Self {
        Self {
            secret,
            headers: Vec::new(),
            warning: None,
        }
    }
}

/// Whether a refused credential was replaced.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Renewal {
    /// There is another one: the request is sent once more with it.
    Renewed,
    Unchanged,
}

/// Why there is no key although there should be one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub struct CredentialError {
    /// What happened; never holds a key, nor what a command gave as one.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
}

impl CredentialError {
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self {
            message: message.into(),
            hint: None,
        }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// Gives the key for one request. It is asked before every request, so a key
/// that was renewed outside is used at once; whoever is slow caches.
pub trait CredentialSource: Send + Sync {
    /// The key, or `None` when the server is to be asked without one.
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>>;

    /// The server refused this credential: one that was kept is asked for anew.
    /// Called at most once for a request.
    fn renew<'a>(
        &'a self,
        _refused: &'a Credential,
    ) -> BoxFuture<'a, Result<Renewal, CredentialError>> {
        Box::pin(std::future::ready(Ok(Renewal::Unchanged)))
    }

    /// Where the key comes from, to be named in an error: `$OPENAI_API_KEY`.
    fn describe(&self) -> String;
}

/// The first of these variables that is set and not empty.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FromEnvironment {
    pub vars: Vec<String>,
}

impl FromEnvironment {
    #[must_use]
    pub fn new(vars: impl IntoIterator<Item = impl Into<String>>) -> Self {
        Self {
            vars: vars.into_iter().map(Into::into).collect(),
        }
    }
}

impl CredentialSource for FromEnvironment {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        let found = self
            .vars
            .iter()
            .filter_map(|name| std::env::var(name).ok())
            .find(|value| !value.trim().is_empty())
            .map(|key| Secret::new(key).into());
        Box::pin(std::future::ready(Ok(found)))
    }

    fn describe(&self) -> String {
        let names: Vec<String> = self.vars.iter().map(|name| format!("${name}")).collect();
        names.join(" or ")
    }
}

/// A key that is already known.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fixed(pub Secret);

impl CredentialSource for Fixed {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(std::future::ready(Ok(Some(self.0.clone().into()))))
    }

    fn describe(&self) -> String {
        String::from("the configuration")
    }
}

/// For servers that want no key.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct NoCredential;

impl CredentialSource for NoCredential {
    fn credential(&self) -> BoxFuture<'_, Result<Option<Credential>, CredentialError>> {
        Box::pin(std::future::ready(Ok(None)))
    }

    fn describe(&self) -> String {
        String::from("api_key_env or api_key_command of the provider (neither is set)")
    }
}

#[cfg(test)]
mod tests {
    use super::{Fixed, FromEnvironment, Secret};

    #[test]
    fn a_secret_never_shows_in_debug_output() {
        let secret = Secret::new("sk-very-secret");
        assert_eq!(format!("{secret:?}"), "***");
        assert!(!format!("{:?}", Fixed(secret)).contains("sk-very"));
    }

    #[test]
    fn names_every_variable_it_would_look_at() {
        use super::CredentialSource as _;
        let source = FromEnvironment::new(["AGENT_API_KEY", "DASHSCOPE_API_KEY"]);
        assert_eq!(source.describe(), "$AGENT_API_KEY or $DASHSCOPE_API_KEY");
    }
}
