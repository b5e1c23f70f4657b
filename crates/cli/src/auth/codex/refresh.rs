//! Renewing the tokens of a login at OpenAI's token endpoint, and what its
//! refusals mean. What the endpoint says is never repeated: it may hold a token.

use crate::auth::is_safe;
use serde_json::{Value, json};
use tenon_config::{Proxy, ResolvedProvider};
use tenon_transport::{CredentialError, Endpoint, ProxyChoice, post_json};

const URL: &str = "https://auth.openai.com/oauth/token";
/// Codex' own variable for another one.
pub const URL_VARIABLE: &str = "CODEX_REFRESH_TOKEN_URL_OVERRIDE";
/// The public name of Codex' client: the tokens were given to it.
const CLIENT: &str = "app_EMoamEEZ73f0CkXaXp7hrann";

/// Real ones have two or three thousand characters.
const LONGEST: usize = 16 * 1024;

/// What came back.
#[derive(Clone, PartialEq, Eq)]
pub struct Tokens {
    pub access: String,
    pub identity: Option<String>,
    pub refresh: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reason {
    Expired,
    /// Another program has renewed the login with this same token.
    Reused,
    Revoked,
    Other,
}

/// Why a login was not renewed. None of it holds a token.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Refused {
    /// Only a new login helps.
    ForGood(Reason),
    /// It may work later.
    ForNow(String),
}

impl Refused {
    pub fn error(&self) -> CredentialError {
        let why = match self {
            Self::ForNow(why) => {
                return CredentialError::new(format!(
                    "the Codex login could not be renewed: {why}"
                ))
                .with_hint("Try again later; `codex login` makes a new one.");
            }
            Self::ForGood(Reason::Expired) => "the Codex login has expired",
            Self::ForGood(Reason::Reused) => {
                "the Codex login can't be renewed any more: another program has already renewed it"
            }
            Self::ForGood(Reason::Revoked) => "the Codex login was revoked",
            Self::ForGood(Reason::Other) => "OpenAI no longer accepts the Codex login",
        };
        CredentialError::new(why).with_hint("Run `codex login`, then try again.")
    }
}

/// Where tokens are renewed.
#[derive(Debug, Clone)]
pub struct Authority {
    endpoint: Endpoint,
    path: String,
}

impl Authority {
    /// # Errors
    /// When the variable names an address to which no token may travel.
    pub fn new(
        overridden: Option<&str>,
        provider: Option<&ResolvedProvider>,
    ) -> Result<Self, CredentialError> {
        let url = overridden.map_or(URL, str::trim);
        let split = url
            .split_once("://")
            .filter(|_| is_safe(url))
            .ok_or_else(|| {
                CredentialError::new(format!(
                    "{URL_VARIABLE} must be an https:// address, or on this machine"
                ))
                .with_hint(format!("Unset {URL_VARIABLE}: the login is sent there."))
            })?;
        let (scheme, rest) = split;
        let (authority, path) = rest.split_once('/').unwrap_or((rest, ""));
        let mut endpoint = Endpoint::new("codex login", format!("{scheme}://{authority}"));
        // The way out of this network is the same for both; a certificate that
        // is not checked, or our own, is for the provider's address alone.
        if let Some(provider) = provider {
            endpoint.ca_file.clone_from(&provider.ca_file);
            endpoint.proxy = match &provider.proxy {
                Proxy::Environment => ProxyChoice::FromEnvironment,
                Proxy::None => ProxyChoice::None,
                Proxy::Url(url) => ProxyChoice::Url(url.clone()),
            };
        }
        Ok(Self {
            endpoint,
            path: format!("/{path}"),
        })
    }

    /// # Errors
    /// When there are no new tokens.
    pub async fn refresh(&self, token: &str) -> Result<Tokens, Refused> {
        let body = json!({
            "client_id": CLIENT,
            "grant_type": "refresh_token",
            "refresh_token": token,
        });
        let answer = post_json(&self.endpoint, &self.path, body.to_string())
            .await
            .map_err(|error| Refused::ForNow(error.message))?;
        match answer.status {
            200..=299 => tokens(&answer.body).ok_or_else(|| {
                Refused::ForNow(String::from("the token endpoint's answer has no token"))
            }),
            status => Err(refused(status, &answer.body)),
        }
    }
}

/// All or nothing: what is written over a good login must be one, so a token
/// that no header could carry is none.
fn tokens(body: &[u8]) -> Option<Tokens> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let text = |name: &str| {
        let text = answer.get(name).and_then(Value::as_str).map(str::trim);
        match text.filter(|text| !text.is_empty()) {
            None => Some(None),
            Some(text) if is_token(text) => Some(Some(text.to_owned())),
            Some(_) => None,
        }
    };
    Some(Tokens {
        access: text("access_token")??,
        identity: text("id_token")?,
        refresh: text("refresh_token")?,
    })
}

fn is_token(text: &str) -> bool {
    text.len() <= LONGEST && text.bytes().all(|byte| byte.is_ascii_graphic())
}

fn refused(status: u16, body: &[u8]) -> Refused {
    let known = match code(body).as_deref() {
        Some("refresh_token_expired") => Some(Reason::Expired),
        Some("refresh_token_reused") => Some(Reason::Reused),
        Some("refresh_token_invalidated") => Some(Reason::Revoked),
        Some("invalid_grant") => Some(Reason::Other),
        _ => None,
    };
    match (status, known) {
        // A server in trouble may say anything.
        (500.., _) | (429, _) => Refused::ForNow(format!("HTTP {status}")),
        (_, Some(reason)) => Refused::ForGood(reason),
        (401, None) => Refused::ForGood(Reason::Other),
        (status, None) => Refused::ForNow(format!("HTTP {status}")),
    }
}

/// `{"error": {"code": …}}`, `{"error": …}` or `{"code": …}`
fn code(body: &[u8]) -> Option<String> {
    let answer: Value = serde_json::from_slice(body).ok()?;
    let error = &answer["error"];
    [&error["code"], error, &answer["code"]]
        .into_iter()
        .find_map(Value::as_str)
        .map(str::to_ascii_lowercase)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_are_for_good_only_where_a_new_login_is_the_only_way() {
        let for_good = |status, body: &str| refused(status, body.as_bytes());
        for (status, body, reason) in [
            (
                401,
                r#"{"error":{"code":"refresh_token_expired"}}"#,
                Reason::Expired,
            ),
            (401, r#"{"error":"refresh_token_reused"}"#, Reason::Reused),
            (
                401,
                r#"{"code":"REFRESH_TOKEN_INVALIDATED"}"#,
                Reason::Revoked,
            ),
            (400, r#"{"error":"invalid_grant"}"#, Reason::Other),
            (401, "<html>", Reason::Other),
        ] {
            assert_eq!(for_good(status, body), Refused::ForGood(reason), "{body}");
        }
        for (status, body) in [
            (500, r#"{"error":{"code":"refresh_token_expired"}}"#),
            (429, ""),
            (400, "{}"),
            (302, ""),
        ] {
            assert!(
                matches!(for_good(status, body), Refused::ForNow(_)),
                "{status}"
            );
        }
    }

    #[test]
    fn what_no_header_can_carry_is_no_token() {
        let answer = |access: &str, refresh: &str| {
            let body = json!({"access_token": access, "refresh_token": refresh, "id_token": null});
            tokens(body.to_string().as_bytes())
        };
        let fine = answer("a.b-c_d", "").unwrap();
        assert_eq!(fine.access, "a.b-c_d");
        assert_eq!((fine.refresh, fine.identity), (None, None));
        let long = "x".repeat(LONGEST + 1);
        for bad in ["a\r\nx-evil: 1", "a\u{1b}[2J", "a b", "ä", long.as_str()] {
            assert!(answer(bad, "r").is_none(), "{bad:?}");
            assert!(answer("a", bad).is_none(), "{bad:?}");
        }
        assert!(answer("", "r").is_none());
    }

    #[test]
    fn a_login_is_renewed_only_over_https_or_on_this_machine() {
        for bad in ["http://evil.example/token", "ftp://127.0.0.1/", "nonsense"] {
            let error = Authority::new(Some(bad), None).unwrap_err();
            assert!(error.message.contains(URL_VARIABLE), "{error}");
        }
        let own = Authority::new(Some("http://127.0.0.1:9/a/b"), None).unwrap();
        assert_eq!(own.endpoint.base_url, "http://127.0.0.1:9");
        assert_eq!(own.path, "/a/b");
        let theirs = Authority::new(None, None).unwrap();
        assert_eq!(theirs.endpoint.base_url, "https://auth.openai.com");
        assert_eq!(theirs.path, "/oauth/token");
    }
}
