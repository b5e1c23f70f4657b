//! One server as the user configured it: where it is, what it wants, how
//! patient to be. Nothing here is checked; `HttpModel::new` does that.

use crate::ProxyChoice;
use std::fmt;
use std::path::PathBuf;
use std::time::Duration;
use tenon_model::{Auth, FirstToken, Timeouts, Verify, is_private};

/// How long a host that is not private may take to its first content, unless
/// the user says otherwise.
const ELSEWHERE: Duration = Duration::from_secs(300);

/// The limit for a first token from this host; `None` waits for ever.
pub(crate) fn first_token_limit(wanted: FirstToken, host: &str) -> Option<Duration> {
    match wanted {
        FirstToken::Auto if is_private(host) => None,
        FirstToken::Auto => Some(ELSEWHERE),
        FirstToken::Never => None,
        FirstToken::After(limit) => Some(limit),
    }
}

#[derive(Clone)]
pub struct Endpoint {
    /// The name of the profile in the configuration, for messages.
    pub name: String,
    pub base_url: String,
    /// The variable that gave `base_url`; `None` where the configuration did.
    pub base_url_variable: Option<String>,
    pub auth: Auth,
    pub headers: Vec<(String, String)>,
    /// PEM certificates to trust besides the system's.
    pub ca_file: Option<PathBuf>,
    /// PEM with a certificate chain and its private key.
    pub client_cert: Option<PathBuf>,
    pub verify: Verify,
    pub timeouts: Timeouts,
    pub proxy: ProxyChoice,
    /// The header, in small letters, that names the session of a request, where
    /// the server wants one. It goes before the same header of a credential.
    pub session_header: Option<&'static str>,
}

impl Endpoint {
    /// An endpoint with the defaults: a bearer key if there is one, full
    /// verification, proxies from the environment.
    #[must_use]
    pub fn new(name: impl Into<String>, base_url: impl Into<String>) -> Self {
        Self {
            name: name.into(),
            base_url: base_url.into(),
            base_url_variable: None,
            auth: Auth::Bearer,
            headers: Vec::new(),
            ca_file: None,
            client_cert: None,
            verify: Verify::Full,
            timeouts: Timeouts::default(),
            proxy: ProxyChoice::FromEnvironment,
            session_header: None,
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
    use super::{FirstToken, first_token_limit as limit};
    use std::time::Duration;

    #[test]
    fn waits_for_the_first_token_without_end_on_private_addresses_only() {
        assert_eq!(limit(FirstToken::Auto, "192.168.1.7"), None);
        let elsewhere = limit(FirstToken::Auto, "api.example.com");
        assert_eq!(elsewhere, Some(Duration::from_secs(300)));
        assert_eq!(limit(FirstToken::Never, "api.example.com"), None);
        let own = Duration::from_secs(5);
        assert_eq!(limit(FirstToken::After(own), "localhost"), Some(own));
    }
}
