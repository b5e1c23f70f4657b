//! What an answer that is no success means: redirects, proxies, wrong paths,
//! keys that were refused. What the body says is the codec's to read.

use crate::address::{Target, quoted};
use crate::failure::{self, Route};
use crate::{Credential, CredentialSource};
use reqwest::header::{CONTENT_TYPE, HeaderMap, LOCATION, RETRY_AFTER};
use reqwest::{Response, StatusCode};
use std::time::{Duration, SystemTime};
use tenon_model::codec::Codec;
use tenon_model::{Missing, ModelError, ModelErrorKind};

/// What is read of an error's body, at most.
const BODY_BYTES: usize = 64 * 1024;
/// How long the body of an error may take.
const BODY_TIME: Duration = Duration::from_secs(10);

/// Texts that must not show up in an error, whoever wrote it: servers repeat
/// the key that they refuse.
#[derive(Clone, Default)]
pub(crate) struct Secrets(Vec<String>);

impl Secrets {
    /// Shorter ones are words, and their removal would hide nothing.
    const SHORTEST: usize = 6;

    pub(crate) fn add(&mut self, text: &str) {
        let text = text.trim();
        if text.len() >= Self::SHORTEST {
            self.0.push(text.to_owned());
        }
    }

    pub(crate) fn scrub(&self, mut error: ModelError) -> ModelError {
        for secret in &self.0 {
            without(secret, &mut error.message);
            if let Some(hint) = &mut error.hint {
                without(secret, hint);
            }
        }
        error
    }
}

/// Takes a secret out of a text, and the beginning of it where the text was cut
/// within it: long texts are, and end in `…` there.
fn without(secret: &str, text: &mut String) {
    const CUT: char = '…';
    if text.contains(secret) {
        *text = text.replace(secret, "***");
    }
    if !text.contains(CUT) {
        return;
    }
    let pieces: Vec<&str> = text.split(CUT).collect();
    let last = pieces.len() - 1;
    let scrubbed: Vec<String> = pieces
        .iter()
        .enumerate()
        .map(|(n, piece)| match beginning_at_end(secret, piece) {
            Some(length) if n < last => format!("{}***", &piece[..piece.len() - length]),
            _ => (*piece).to_owned(),
        })
        .collect();
    *text = scrubbed.join(&CUT.to_string());
}

/// How much of a secret a text ends in, when that is enough to tell.
fn beginning_at_end(secret: &str, text: &str) -> Option<usize> {
    let ends = secret.char_indices().map(|(at, _)| at).rev();
    ends.take_while(|length| *length >= Secrets::SHORTEST)
        .find(|length| text.ends_with(&secret[..*length]))
}

/// Whom a refused request went to, and with what.
pub(crate) struct Asked<'a> {
    pub(crate) target: &'a Target,
    pub(crate) route: &'a Route,
    pub(crate) codec: &'a dyn Codec,
    pub(crate) credentials: &'a dyn CredentialSource,
    pub(crate) credential: Option<&'a Credential>,
    /// The silence that the endpoint allows, which also bounds an error's body.
    pub(crate) silence: Option<Duration>,
}

/// Lets a success pass and makes an error of everything else.
pub(crate) async fn check(response: Response, asked: &Asked<'_>) -> Result<Response, ModelError> {
    let status = response.status();
    if status.is_success() {
        return match is_web_page(response.headers()) {
            true => Err(web_page(asked)),
            false => Ok(response),
        };
    }
    if status.is_redirection() {
        return Err(redirected(&response, asked));
    }
    if status == StatusCode::PROXY_AUTHENTICATION_REQUIRED {
        return Err(failure::proxy_wants_password(asked.route));
    }
    let retry_after = retry_after(response.headers(), SystemTime::now());
    let for_list = response.url().path().ends_with(asked.codec.models_path());
    let time = asked.silence.unwrap_or(BODY_TIME).min(BODY_TIME);
    let body = read_capped(response, BODY_BYTES, time).await;
    let mut error = asked.codec.classify(status.as_u16(), retry_after, &body);
    error.status = Some(status.as_u16());
    error.retry_after = error.retry_after.or(retry_after);
    if for_list && error.missing == Some(Missing::Model) {
        error = not_listed(error, asked);
    }
    Err(with_advice(error, asked))
}

/// Who asks for the list names no model: whatever the server's words, it is the
/// list that is missing.
fn not_listed(error: ModelError, asked: &Asked<'_>) -> ModelError {
    let status = error.status.unwrap_or_default();
    ModelError {
        message: format!(
            "{} doesn't list its models (HTTP {status})",
            asked.route.authority
        ),
        hint: Some(String::from(
            "Name the model with --model or in the configuration.",
        )),
        missing: Some(Missing::Address),
        ..error
    }
}

/// What is known here is more than the codec's general advice.
fn with_advice(mut error: ModelError, asked: &Asked<'_>) -> ModelError {
    let advice = match error.kind {
        ModelErrorKind::Auth => Some(match asked.credential {
            None => format!(
                "No key was sent. Tenon takes it from {}.",
                asked.credentials.describe()
            ),
            Some(_) => format!(
                "The key came from {}. Check that it is correct and may use this model.",
                asked.credentials.describe()
            ),
        }),
        // A model that is not found is no matter of the address.
        ModelErrorKind::NotFound
            if error.missing != Some(Missing::Model) && !asked.target.names_a_version() =>
        {
            Some(format!(
                "The base_url {base} has no /v1; most servers want {base}/v1",
                base = asked.target.shown()
            ))
        }
        _ => None,
    };
    if let Some(advice) = advice {
        error.hint = Some(advice);
    }
    error
}

fn is_web_page(headers: &HeaderMap) -> bool {
    headers
        .get(CONTENT_TYPE)
        .and_then(|value| value.to_str().ok())
        .is_some_and(|value| value.trim().to_ascii_lowercase().starts_with("text/html"))
}

fn web_page(asked: &Asked<'_>) -> ModelError {
    let hint = if asked.target.names_a_version() {
        String::from("There may be a login page or a proxy in front of the server.")
    } else {
        format!("Most servers want {}/v1 as base_url.", asked.target.shown())
    };
    ModelError::new(
        ModelErrorKind::Configuration,
        format!("{} answered with a web page", asked.route.authority),
    )
    .with_hint(hint)
}

fn redirected(response: &Response, asked: &Asked<'_>) -> ModelError {
    let location = response
        .headers()
        .get(LOCATION)
        .map(|value| quoted(&String::from_utf8_lossy(value.as_bytes())));
    let whereto = location.as_deref().unwrap_or("nowhere");
    let mut error = ModelError::new(
        ModelErrorKind::Configuration,
        format!(
            "{} redirects to {whereto} (HTTP {})",
            asked.route.authority,
            response.status().as_u16()
        ),
    )
    .with_hint(format!(
        "Tenon doesn't follow redirects, because the key would go along. If that address is \
         correct, write it into {}.",
        asked.route.written()
    ));
    error.status = Some(response.status().as_u16());
    error
}

/// The beginning of a body: as much as came, up to a size and a time. What is
/// missing is no error here, because the status already is one.
async fn read_capped(mut response: Response, bytes: usize, time: Duration) -> Vec<u8> {
    let mut body = Vec::new();
    let reading = async {
        while let Ok(Some(chunk)) = response.chunk().await {
            let room = bytes - body.len();
            body.extend_from_slice(&chunk[..chunk.len().min(room)]);
            if body.len() == bytes {
                break;
            }
        }
    };
    // When the time is up, what had come is what there is.
    let _elapsed = tokio::time::timeout(time, reading).await;
    body
}

/// `Retry-After` in seconds or as a date, and the `retry-after-ms` of some servers.
fn retry_after(headers: &HeaderMap, now: SystemTime) -> Option<Duration> {
    let text = |name: &str| headers.get(name)?.to_str().ok().map(str::trim);
    if let Some(millis) = text("retry-after-ms").and_then(|text| text.parse().ok()) {
        return Some(Duration::from_millis(millis));
    }
    let value = text(RETRY_AFTER.as_str())?;
    if let Ok(seconds) = value.parse::<f64>() {
        return Duration::try_from_secs_f64(seconds).ok();
    }
    let at = jiff::fmt::rfc2822::parse(value).ok()?.timestamp();
    let at = SystemTime::from(at);
    Some(at.duration_since(now).unwrap_or(Duration::ZERO))
}

#[cfg(test)]
mod tests {
    use super::{Secrets, retry_after};
    use reqwest::header::{HeaderMap, HeaderValue};
    use std::time::{Duration, SystemTime};
    use tenon_model::{ModelError, ModelErrorKind};

    fn after(name: &'static str, value: &'static str) -> Option<Duration> {
        let mut headers = HeaderMap::new();
        headers.insert(name, HeaderValue::from_static(value));
        // Sun, 06 Nov 1994 08:49:37 GMT
        let now = SystemTime::UNIX_EPOCH + Duration::from_secs(784_111_777);
        retry_after(&headers, now)
    }

    #[test]
    fn reads_seconds_dates_and_milliseconds() {
        assert_eq!(after("retry-after", "7"), Some(Duration::from_secs(7)));
        assert_eq!(
            after("retry-after", "1.5"),
            Some(Duration::from_millis(1500))
        );
        assert_eq!(
            after("retry-after-ms", "250"),
            Some(Duration::from_millis(250))
        );
        let date = after("retry-after", "Sun, 06 Nov 1994 08:50:07 GMT");
        assert_eq!(date, Some(Duration::from_secs(30)));
        let past = after("retry-after", "Sun, 06 Nov 1994 08:00:00 GMT");
        assert_eq!(past, Some(Duration::ZERO));
    }

    #[test]
    fn nonsense_is_no_time_to_wait() {
        for value in ["", "soon", "-3", "NaN", "inf", "1e300", "Sun, 99 Foo 1994"] {
            assert_eq!(after("retry-after", value), None, "{value}");
        }
    }

    #[test]
    fn a_secret_is_taken_out_of_message_and_hint() {
        let mut secrets = Secrets::default();
        secrets.add(" sk-12345678\n");
        secrets.add("v1");
        let error = ModelError::new(ModelErrorKind::Auth, "bad key sk-12345678 for v1")
            .with_hint("check sk-12345678");
        let error = secrets.scrub(error);
        assert_eq!(error.message, "bad key *** for v1");
        assert_eq!(error.hint.as_deref(), Some("check ***"));
    }

    #[test]
    fn a_secret_that_a_cut_goes_through_is_taken_out_as_well() {
        let mut secrets = Secrets::default();
        secrets.add("sk-12345678");
        for (text, scrubbed) in [
            ("key sk-1234567… (HTTP 400)", "key ***… (HTTP 400)"),
            ("key sk-123…", "key ***…"),
            ("key sk-12…", "key sk-12…"),
            ("a… sk-1234567", "a… sk-1234567"),
        ] {
            let error = secrets.scrub(ModelError::new(ModelErrorKind::Auth, text));
            assert_eq!(error.message, scrubbed);
        }
    }
}
