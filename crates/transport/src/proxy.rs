//! Which proxy a request goes through, if any. Decided once per endpoint from
//! its one host, so that errors can name the proxy and the variable it is from.
//! The HTTP library's own reading of the environment is switched off: it sends
//! `localhost` through a proxy.

use crate::address::{Scheme, Target, without_secrets};
use hyper_util::client::proxy::matcher::Matcher;
use reqwest::Url;
use std::fmt;
use tenon_model::{ModelError, ModelErrorKind, is_private};

#[derive(Clone, Default, PartialEq, Eq)]
pub enum ProxyChoice {
    /// `HTTP_PROXY`, `HTTPS_PROXY`, `ALL_PROXY`, `NO_PROXY` of this process, in
    /// both cases. Private addresses are reached directly.
    #[default]
    FromEnvironment,
    None,
    /// This one, for whatever address: who writes a proxy for one endpoint
    /// means it, also for a private one behind a tunnel.
    Url(String),
    /// As `FromEnvironment`, with these variables instead of the process's.
    Variables(Vec<(String, String)>),
}

/// The URLs are left out or stripped: a proxy URL often holds a password.
impl fmt::Debug for ProxyChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::FromEnvironment => f.write_str("FromEnvironment"),
            Self::None => f.write_str("None"),
            Self::Url(url) => f.debug_tuple("Url").field(&without_secrets(url)).finish(),
            Self::Variables(variables) => {
                let names: Vec<&str> = variables.iter().map(|(name, _)| name.as_str()).collect();
                f.debug_tuple("Variables").field(&names).finish()
            }
        }
    }
}

/// A proxy that is used.
#[derive(Clone)]
pub(crate) struct Proxy {
    /// Whole, with user and password.
    pub(crate) url: Url,
    /// `host:port`
    pub(crate) authority: String,
    /// Where it is written: `HTTPS_PROXY`, `the setting proxy`.
    pub(crate) origin: String,
}

impl Proxy {
    /// Whether speaking to the proxy itself takes TLS.
    pub(crate) fn scheme(&self) -> Scheme {
        if self.url.scheme() == "https" {
            Scheme::Https
        } else {
            Scheme::Http
        }
    }
}

/// The proxy for requests to `target`.
///
/// # Errors
/// When the one that would be used is no URL of a proxy.
pub(crate) fn choose(choice: &ProxyChoice, target: &Target) -> Result<Option<Proxy>, ModelError> {
    match choice {
        ProxyChoice::None => Ok(None),
        ProxyChoice::Url(url) => parse(url, "the setting `proxy`").map(Some),
        ProxyChoice::Variables(variables) => from_variables(target, |name| {
            let found = variables.iter().find(|(known, _)| known == name);
            found.map(|(_, value)| value.clone())
        }),
        ProxyChoice::FromEnvironment => from_variables(target, |name| std::env::var(name).ok()),
    }
}

fn from_variables(
    target: &Target,
    read: impl Fn(&str) -> Option<String>,
) -> Result<Option<Proxy>, ModelError> {
    if is_private(&target.host) {
        return Ok(None);
    }
    // The lower case first, as curl does.
    let first = |lower: &str, upper: &str| {
        [lower, upper].into_iter().find_map(|name| {
            let value = read(name)?.trim().to_owned();
            (!value.is_empty()).then(|| (name.to_owned(), value))
        })
    };
    let own = match target.scheme {
        Scheme::Http => first("http_proxy", "HTTP_PROXY"),
        Scheme::Https => first("https_proxy", "HTTPS_PROXY"),
    };
    let Some((name, value)) = own.or_else(|| first("all_proxy", "ALL_PROXY")) else {
        return Ok(None);
    };
    let exceptions = first("no_proxy", "NO_PROXY").map(|(_, value)| value);
    if exceptions.is_some_and(|list| is_excepted(target, &list)) {
        return Ok(None);
    }
    parse(&value, &name).map(Some)
}

/// Names, `.domains`, addresses and networks, separated by commas or spaces;
/// besides curl's forms also `*.domain` and `host:port`, which people write.
fn is_excepted(target: &Target, list: &str) -> bool {
    let mut entries = Vec::new();
    for entry in list.split([',', ' ']).map(str::trim) {
        if entry == "*" {
            return true;
        }
        let entry = entry.strip_prefix('*').unwrap_or(entry);
        match entry.rsplit_once(':') {
            Some((host, port)) if !host.contains(':') => {
                if port.parse() == Ok(target.port) {
                    entries.push(host);
                }
            }
            _ => entries.push(entry),
        }
    }
    let Ok(uri) = format!("http://{}/", target.host).parse::<http::Uri>() else {
        return false;
    };
    // A proxy that is never used: only the exceptions are asked about.
    let matcher = Matcher::builder()
        .all(String::from("http://proxy.invalid"))
        .no(entries.join(","))
        .build();
    matcher.intercept(&uri).is_none()
}

fn parse(written: &str, origin: &str) -> Result<Proxy, ModelError> {
    let shown = without_secrets(written);
    let wrong = |what: &str| {
        ModelError::new(
            ModelErrorKind::Configuration,
            format!("The proxy `{shown}` ({origin}) {what}"),
        )
        .with_hint("Write it like http://HOST:PORT or socks5h://HOST:PORT, or unset it.")
    };
    let whole = if written.contains("://") {
        written.to_owned()
    } else {
        format!("http://{written}")
    };
    let mut url =
        Url::parse(&whole).map_err(|error| wrong(&format!("isn't a valid URL: {error}")))?;
    let default_port = match url.scheme() {
        "http" => 80,
        "https" => 443,
        "socks4" | "socks4a" | "socks5" | "socks5h" => 1080,
        _ => return Err(wrong("has a scheme that Tenon can't use")),
    };
    let Some(host) = url.host_str().filter(|host| !host.is_empty()) else {
        return Err(wrong("has no host"));
    };
    let authority = format!("{host}:{}", url.port().unwrap_or(default_port));
    if url.port_or_known_default().is_none() && url.set_port(Some(default_port)).is_err() {
        return Err(wrong("has no host"));
    }
    Ok(Proxy {
        url,
        authority,
        origin: origin.to_owned(),
    })
}

#[cfg(test)]
mod tests {
    use super::{ProxyChoice, choose};
    use crate::address::Target;

    fn chosen(base_url: &str, variables: &[(&str, &str)]) -> Option<String> {
        let target = Target::parse("p", base_url, "/chat/completions").unwrap();
        let variables = variables
            .iter()
            .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
            .collect();
        let proxy = choose(&ProxyChoice::Variables(variables), &target).unwrap()?;
        Some(format!("{} from {}", proxy.authority, proxy.origin))
    }

    const PUBLIC: &str = "https://api.example.com/v1";

    #[test]
    fn takes_the_variable_of_the_scheme_in_both_cases_and_then_all_proxy() {
        let https = |name| chosen(PUBLIC, &[(name, "http://p:1")]);
        assert_eq!(
            https("HTTPS_PROXY").as_deref(),
            Some("p:1 from HTTPS_PROXY")
        );
        assert_eq!(
            https("https_proxy").as_deref(),
            Some("p:1 from https_proxy")
        );
        assert_eq!(https("ALL_PROXY").as_deref(), Some("p:1 from ALL_PROXY"));
        assert_eq!(https("all_proxy").as_deref(), Some("p:1 from all_proxy"));
        assert_eq!(https("HTTP_PROXY"), None);
        let http = chosen("http://api.example.com", &[("HTTP_PROXY", "p:3128")]);
        assert_eq!(http.as_deref(), Some("p:3128 from HTTP_PROXY"));
        let own_first = chosen(
            PUBLIC,
            &[("ALL_PROXY", "http://a:1"), ("HTTPS_PROXY", "b:2")],
        );
        assert_eq!(own_first.as_deref(), Some("b:2 from HTTPS_PROXY"));
    }

    #[test]
    fn an_empty_variable_is_none() {
        assert_eq!(chosen(PUBLIC, &[("https_proxy", " ")]), None);
        let other_case = chosen(PUBLIC, &[("https_proxy", ""), ("HTTPS_PROXY", "p:1")]);
        assert_eq!(other_case.as_deref(), Some("p:1 from HTTPS_PROXY"));
    }

    #[test]
    fn loopback_and_private_addresses_are_reached_directly() {
        for url in [
            "http://localhost:8000/v1",
            "http://127.0.0.1:8000/v1",
            "http://[::1]:8000/v1",
            "http://192.168.1.9/v1",
            "https://gpu-box/v1",
            "https://gpu.local/v1",
        ] {
            let all = [("ALL_PROXY", "http://p:1"), ("HTTP_PROXY", "not a proxy")];
            assert_eq!(chosen(url, &all), None, "{url}");
        }
    }

    #[test]
    fn no_proxy_excepts_names_domains_networks_and_ports() {
        let with = |url, list| chosen(url, &[("ALL_PROXY", "http://p:1"), ("NO_PROXY", list)]);
        for (url, list) in [
            (PUBLIC, "api.example.com"),
            (PUBLIC, "other.org, example.com"),
            (PUBLIC, ".example.com"),
            (PUBLIC, "*.example.com"),
            (PUBLIC, "API.EXAMPLE.COM:443"),
            (PUBLIC, "*"),
            ("http://8.8.8.8/v1", "8.8.0.0/16"),
            ("http://8.8.8.8/v1", "*"),
            ("http://[2001:db8::1]/v1", "2001:db8::/32"),
        ] {
            assert_eq!(with(url, list), None, "{url} {list}");
        }
        for list in ["", "notexample.com", "ample.com", "api.example.com:8443"] {
            assert!(with(PUBLIC, list).is_some(), "{list}");
        }
    }

    #[test]
    fn an_unusable_proxy_is_an_error_without_its_password() {
        let target = Target::parse("p", PUBLIC, "/x").unwrap();
        for written in [
            "ftp://me:hunter2@p:1",
            "http://me:hunter2@",
            "http://me:hunter2@p:99999",
        ] {
            let choice = ProxyChoice::Url(written.to_owned());
            assert!(!format!("{choice:?}").contains("hunter2"));
            let error = choose(&choice, &target).map(|_| ()).unwrap_err();
            assert!(!format!("{error:?}").contains("hunter2"), "{error:?}");
        }
    }

    #[test]
    fn an_explicit_proxy_holds_for_private_addresses_too() {
        let target = Target::parse("p", "http://10.0.0.7:8000/v1", "/x").unwrap();
        let choice = ProxyChoice::Url(String::from("socks5h://jump"));
        let proxy = choose(&choice, &target).unwrap().unwrap();
        assert_eq!(proxy.authority, "jump:1080");
    }
}
