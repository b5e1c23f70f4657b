//! Base URLs and hosts: what a user wrote becomes an address that requests are
//! made of, or an error that shows the right form. Nothing is guessed: a URL
//! without a scheme is not completed.

use reqwest::Url;
use tenon_model::{ModelError, ModelErrorKind, is_private};

/// What is quoted of a text that came from outside, at most.
const QUOTED_CHARS: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scheme {
    Http,
    Https,
}

/// A checked base URL.
#[derive(Debug, Clone)]
pub(crate) struct Target {
    url: Url,
    pub(crate) scheme: Scheme,
    /// Lower case; an IPv6 address stands in brackets.
    pub(crate) host: String,
    pub(crate) port: u16,
}

impl Target {
    /// Checks the base URL of the endpoint `name`, whose requests go to `path`.
    pub(crate) fn parse(name: &str, base_url: &str, path: &str) -> Result<Self, ModelError> {
        let written = base_url.trim();
        let shown = without_secrets(written);
        let wrong = |what: &str, hint: String| {
            ModelError::new(
                ModelErrorKind::Configuration,
                format!("The base_url `{shown}` of the provider `{name}` {what}"),
            )
            .with_hint(hint)
        };
        if written.is_empty() {
            let hint = String::from("Write it like http://localhost:8080/v1");
            return Err(wrong("is empty", hint));
        }
        let Some((scheme, rest)) = written.split_once("://") else {
            let host = written.split(['/', ':', '?']).next().unwrap_or_default();
            let scheme = if is_private(host) { "http" } else { "https" };
            return Err(wrong(
                "has no scheme",
                format!("Write {scheme}://{}", shown.trim_start_matches('/')),
            ));
        };
        let scheme = match scheme.to_ascii_lowercase().as_str() {
            "http" => Scheme::Http,
            "https" => Scheme::Https,
            _ => {
                let hint = String::from("It must begin with http:// or https://");
                return Err(wrong("has a scheme that Tenon can't use", hint));
            }
        };
        let url = match Url::parse(written) {
            Ok(url) if !rest.starts_with('/') => url,
            Ok(_) => return Err(wrong("has no host", form_hint())),
            Err(error) => return Err(wrong(&format!("isn't a valid URL: {error}"), form_hint())),
        };
        if !url.username().is_empty() || url.password().is_some() {
            let hint = "Take them out of the URL: set the key in the environment or with \
                 api_key_command, and other headers in `headers`.";
            return Err(wrong("contains a user name or password", hint.to_owned()));
        }
        if let Some(base) = url.path().trim_end_matches('/').strip_suffix(path) {
            let mut right = url.clone();
            right.set_path(base);
            let hint = format!("Write {}", shown_url(&right).trim_end_matches('/'));
            return Err(wrong(&format!("already ends in {path}"), hint));
        }
        Self::checked(url, scheme).ok_or_else(|| wrong("has no host", form_hint()))
    }

    fn checked(mut url: Url, scheme: Scheme) -> Option<Self> {
        url.set_fragment(None);
        let host = url.host_str()?.to_owned();
        let port = url.port_or_known_default()?;
        Some(Self {
            url,
            scheme,
            host,
            port,
        })
    }

    /// The URL of `path` below the base; a query of the base URL stays.
    pub(crate) fn at(&self, path: &str) -> Url {
        let mut url = self.url.clone();
        let base = self.url.path().trim_end_matches('/');
        url.set_path(&format!("{base}/{}", path.trim_start_matches('/')));
        url
    }

    /// The URL of `path` beside the base: below what stands before its version.
    /// The same server, because some say more there than below `/v1`.
    pub(crate) fn beside(&self, path: &str) -> Url {
        let base = self.url.path();
        let mut before = String::new();
        for segment in base.split('/').filter(|segment| !segment.is_empty()) {
            if is_version(segment) {
                break;
            }
            before.push('/');
            before.push_str(segment);
        }
        let mut url = self.url.clone();
        url.set_path(&format!("{before}/{}", path.trim_start_matches('/')));
        url
    }

    /// `host:port`, as errors name it.
    pub(crate) fn authority(&self) -> String {
        format!("{}:{}", self.host, self.port)
    }

    /// The base URL without its query.
    pub(crate) fn shown(&self) -> String {
        shown_url(&self.url).trim_end_matches('/').to_owned()
    }

    /// Whether the path names a version: `/v1`, `/v1beta/openai`.
    pub(crate) fn names_a_version(&self) -> bool {
        self.url.path().split('/').any(is_version)
    }
}

fn is_version(segment: &str) -> bool {
    let mut letters = segment.chars();
    letters.next() == Some('v') && letters.next().is_some_and(|c| c.is_ascii_digit())
}

fn form_hint() -> String {
    String::from("Write it like http://HOST:PORT/v1")
}

fn shown_url(url: &Url) -> String {
    let mut shown = url.clone();
    shown.set_query(None);
    shown.set_fragment(None);
    quoted(shown.as_str())
}

/// A URL as written, without what may be secret in it: user part and query.
pub(crate) fn without_secrets(written: &str) -> String {
    let end = written.find(['?', '#']).unwrap_or(written.len());
    let visible = &written[..end];
    let (scheme, rest) = match visible.split_once("://") {
        Some((scheme, rest)) => (format!("{scheme}://"), rest),
        None => (String::new(), visible),
    };
    // The user part ends at the last `@`; a password may hold a slash that
    // nobody escaped, so all before it goes.
    let rest = match rest.rsplit_once('@') {
        Some((_, rest)) => format!("***@{rest}"),
        None => rest.to_owned(),
    };
    quoted(&format!("{scheme}{rest}"))
}

/// A text from outside, safe to stand in a message: short, on one line.
pub(crate) fn quoted(text: &str) -> String {
    let mut quoted: String = text
        .chars()
        .take(QUOTED_CHARS)
        .map(|c| if c.is_control() { '\u{fffd}' } else { c })
        .collect();
    if text.chars().nth(QUOTED_CHARS).is_some() {
        quoted.push('…');
    }
    quoted
}

#[cfg(test)]
mod tests {
    use super::{Target, quoted, without_secrets};

    fn parse(base_url: &str) -> Result<Target, tenon_model::ModelError> {
        Target::parse("p", base_url, "/chat/completions")
    }

    fn at(base_url: &str) -> String {
        parse(base_url).unwrap().at("/chat/completions").to_string()
    }

    #[test]
    fn joins_with_and_without_a_trailing_slash() {
        let right = "http://localhost:8000/v1/chat/completions";
        assert_eq!(at("http://localhost:8000/v1"), right);
        assert_eq!(at("http://localhost:8000/v1/"), right);
        assert_eq!(at("  http://localhost:8000/v1// "), right);
        assert_eq!(
            at("HTTP://LOCALHOST:8000"),
            "http://localhost:8000/chat/completions"
        );
    }

    #[test]
    fn a_path_beside_the_base_is_on_the_same_server_without_the_version() {
        for (base, right) in [
            ("http://localhost:8080/v1", "http://localhost:8080/props"),
            ("http://localhost:8080", "http://localhost:8080/props"),
            ("http://h/gpu/v1/", "http://h/gpu/props"),
            ("http://h/gpu", "http://h/gpu/props"),
            ("http://h/v1beta/openai?key=1", "http://h/props?key=1"),
        ] {
            let url = parse(base).unwrap().beside("/props");
            assert_eq!(url.as_str(), right, "{base}");
        }
    }

    #[test]
    fn keeps_the_query_of_the_base_url() {
        assert_eq!(
            at("https://x.openai.azure.com/openai/v1?api-version=2024-10-21"),
            "https://x.openai.azure.com/openai/v1/chat/completions?api-version=2024-10-21"
        );
    }

    #[test]
    fn a_missing_scheme_is_an_error_that_shows_the_right_form() {
        for (written, right) in [
            ("localhost:8000/v1", "Write http://localhost:8000/v1"),
            ("192.168.1.4:8000/v1", "Write http://192.168.1.4:8000/v1"),
            ("api.example.com/v1", "Write https://api.example.com/v1"),
        ] {
            let error = parse(written).unwrap_err();
            assert_eq!(error.hint.as_deref(), Some(right));
            assert!(error.message.contains("no scheme"), "{}", error.message);
        }
    }

    #[test]
    fn a_full_request_path_is_an_error_that_shows_the_base() {
        let error = parse("http://h:1/v1/chat/completions/").unwrap_err();
        assert_eq!(error.hint.as_deref(), Some("Write http://h:1/v1"));
    }

    #[test]
    fn refuses_what_is_no_http_url() {
        for written in [
            "",
            "ftp://h/v1",
            "http://",
            "http:///v1",
            "http://a b/",
            "http://h:99999",
        ] {
            assert!(parse(written).is_err(), "{written}");
        }
    }

    #[test]
    fn a_password_in_the_url_is_refused_and_not_repeated() {
        let error = parse("https://me:hunter2@example.com/v1?key=hunter3").unwrap_err();
        let all = format!("{error:?}");
        assert!(!all.contains("hunter"), "{all}");
        assert_eq!(without_secrets("u:p/w@h/v1?x=1"), "***@h/v1");
    }

    #[test]
    fn quotes_are_short_and_on_one_line() {
        let text = quoted(&format!("a\n\u{1b}[31m{}", "x".repeat(500)));
        assert!(text.chars().count() <= 201 && !text.contains(['\n', '\u{1b}']));
    }

    #[test]
    fn knows_a_version_in_the_path() {
        assert!(parse("http://h/v1beta/openai").unwrap().names_a_version());
        assert!(!parse("http://h/vendor").unwrap().names_a_version());
    }
}
