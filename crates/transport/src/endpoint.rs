//! One server as the user configured it: where it is, what it wants, how
//! patient to be. Nothing here is checked; `HttpModel::new` does that.

use crate::ProxyChoice;
use crate::address::is_private;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

/// Where the credential goes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Auth {
    None,
    /// `Authorization: Bearer KEY`
    Bearer,
    /// The key as it is, in a header of this name: `api-key`.
    Header(String),
}

/// Whether the server's certificate is checked.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Verify {
    #[default]
    Full,
    Insecure,
}

/// How long a server may take before its first content arrives.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum FirstToken {
    /// No limit on private addresses, where a long prompt is read slowly and a
    /// request that is given up is begun again from nothing; 300 s elsewhere.
    #[default]
    Auto,
    Never,
    After(Duration),
}

impl FirstToken {
    const ELSEWHERE: Duration = Duration::from_secs(300);

    pub(crate) fn limit(self, host: &str) -> Option<Duration> {
        match self {
            Self::Auto if is_private(host) => None,
            Self::Auto => Some(Self::ELSEWHERE),
            Self::Never => None,
            Self::After(limit) => Some(limit),
        }
    }
}

/// The limits of P17. There is none on a whole request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Timeouts {
    pub connect: Duration,
    pub first_token: FirstToken,
    /// How long a stream that has begun may bring no content. Keep-alives are
    /// no content.
    pub silence: Option<Duration>,
}

impl Default for Timeouts {
    fn default() -> Self {
        Self {
            connect: Duration::from_secs(10),
            first_token: FirstToken::Auto,
            silence: Some(Duration::from_secs(120)),
        }
    }
}

#[derive(Clone)]
pub struct Endpoint {
    /// The name of the profile in the configuration, for messages.
    pub name: String,
    pub base_url: String,
    pub auth: Auth,
    pub headers: Vec<(String, String)>,
    /// PEM certificates to trust besides the system's.
    pub ca_file: Option<PathBuf>,
    /// PEM with a certificate chain and its private key.
    pub client_cert: Option<PathBuf>,
    pub verify: Verify,
    pub timeouts: Timeouts,
    pub proxy: ProxyChoice,
}

impl Endpoint {
    /// An endpoint with the defaults: a bearer key if there is one, full
    /// verification, proxies from the environment.
    #[must_use]
    pub fn new(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            base_url: base_url.into(),
            auth: Auth::Bearer,
            headers: Vec::new(),
            ca_file: None,
            client_cert: None,
            verify: Verify::Full,
            timeouts: Timeouts::default(),
            proxy: ProxyChoice::FromEnvironment,
        }
    }
}

/// Shows the names of the headers only: a value may be a key. The same holds
/// for the user part and the query of the URL.
impl fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let headers: Vec<&str> = self.headers.iter().map(|(name, _)| name.as_str()).collect();
        f.debug_struct("Endpoint")
            .field("name", &self.name)
            .field("base_url", &crate::address::without_secrets(&self.base_url))
            .field("auth", &self.auth)
            .field("headers", &headers)
            .field("ca_file", &self.ca_file)
            .field("client_cert", &self.client_cert)
            .field("verify", &self.verify)
            .field("timeouts", &self.timeouts)
            .field("proxy", &self.proxy)
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use super::FirstToken;
    use std::time::Duration;

    #[test]
    fn waits_for_the_first_token_without_end_on_private_addresses_only() {
        assert_eq!(FirstToken::Auto.limit("192.168.1.7"), None);
        let elsewhere = FirstToken::Auto.limit("api.example.com");
        assert_eq!(elsewhere, Some(Duration::from_secs(300)));
        assert_eq!(FirstToken::Never.limit("api.example.com"), None);
        let own = Duration::from_secs(5);
        assert_eq!(FirstToken::After(own).limit("localhost"), Some(own));
    }
}
