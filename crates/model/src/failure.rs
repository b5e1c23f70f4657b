//! What a server's error means, and how it is told to people. A body is never
//! shown raw: its sentence is taken out, cleaned and cut.

use crate::overflow;
use crate::remedy::{self, Refusal};
use crate::{Missing, ModelError, ModelErrorKind};
use serde_json::Value;
use std::time::Duration;

const MAX_SHOWN: usize = 500;
/// The telling words may stand behind what is shown.
const MAX_JUDGED: usize = 8_000;

pub(crate) const BASE_URL_HINT: &str = "Check base_url: for most servers it ends in `/v1`.";
const KEY_HINT: &str =
    "Check that the key is set in the right variable and belongs to this server.";
const OVERFLOW_HINT: &str =
    "Start a new session, read less at once, or serve the model with a larger context window.";
const QUOTA_HINT: &str = "Check the plan and balance of this account.";

pub(crate) fn classify(status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
    let value = document(body);
    let (sentence, codes) = match &value {
        Some(value) => (find_sentence(value), codes(value)),
        None => (sentence_of_text(body), String::new()),
    };
    let evidence = evidence(codes, sentence.as_deref());
    let refusal = Refusal {
        status,
        evidence: &evidence,
        body: value.as_ref(),
    };
    let verdict = judge(&refusal);
    let what = verdict.what;
    let message = match sentence.as_deref().and_then(clean) {
        Some(detail) => format!("{what} (HTTP {status}): {detail}"),
        None => format!("{what} (HTTP {status})."),
    };
    let mut error = ModelError::new(verdict.kind, message);
    error.hint = verdict.hint.map(str::to_owned);
    error.status = Some(status);
    error.retry_after = retry_after;
    error.missing = verdict.missing;
    with_remedy(error, &refusal)
}

fn with_remedy(mut error: ModelError, refusal: &Refusal<'_>) -> ModelError {
    if let Some(found) = remedy::find(refusal) {
        error.holds = remedy::holds(refusal, &found);
        error.remedy = Some(Box::new(found));
    }
    error
}

/// The body as JSON. LiteLLM writes an error as an event, whatever its status.
pub(crate) fn document(body: &[u8]) -> Option<Value> {
    let parsed = serde_json::from_slice(body).ok();
    parsed.or_else(|| {
        let text = std::str::from_utf8(body).ok()?;
        let data = text.lines().find_map(|line| line.strip_prefix("data:"))?;
        serde_json::from_str(data.trim()).ok()
    })
}

/// An error that stands where an answer should.
pub(crate) fn in_reply(value: &Value) -> ModelError {
    let sentence = find_sentence(value);
    let status = embedded_status(value);
    let evidence = evidence(codes(value), sentence.as_deref());
    let refusal = Refusal {
        status: status.unwrap_or(0),
        evidence: &evidence,
        body: Some(value),
    };
    let verdict = judge(&refusal);
    let message = match sentence.as_deref().and_then(clean) {
        Some(detail) => format!("The server reported an error: {detail}"),
        None => String::from("The server reported an error without details."),
    };
    let mut error = ModelError::new(verdict.kind, message);
    error.hint = verdict.hint.map(str::to_owned);
    error.status = status;
    error.missing = verdict.missing;
    with_remedy(error, &refusal)
}

/// Codes and types say what some sentences do not.
fn evidence(codes: String, sentence: Option<&str>) -> String {
    let words = sentence.unwrap_or_default().chars().take(MAX_JUDGED);
    codes
        .chars()
        .chain(words)
        .collect::<String>()
        .to_lowercase()
}

/// Where the sentence of an error may stand, the surest first.
const SENTENCES: &[&str] = &[
    "/error/message",
    "/error/detail",
    "/error/error",
    "/error",
    "/message",
    "/detail",
    "/detail/message",
    "/detail/error",
    "/detail/0/msg",
    // Mistral
    "/message/detail/0/msg",
    "/message/0/msg",
    "/errors/0/message",
    "/errors/0",
    "/error_description",
    "/msg",
    "/text",
];

/// Whether a value says anything that could be shown as an error.
pub(crate) fn says_something(value: &Value) -> bool {
    find_sentence(value).is_some()
}

/// Whether a JSON value is an error and not an answer.
pub(crate) fn is_error(value: &Value) -> bool {
    let named = match value.get("error") {
        None | Some(Value::Null | Value::Bool(false)) => false,
        Some(Value::String(text)) => !text.is_empty(),
        Some(Value::Object(fields)) => !fields.is_empty(),
        Some(_) => true,
    };
    named || value.get("object").and_then(Value::as_str) == Some("error")
}

struct Verdict {
    kind: ModelErrorKind,
    what: &'static str,
    hint: Option<&'static str>,
    missing: Option<Missing>,
}

fn verdict(kind: ModelErrorKind, what: &'static str, hint: Option<&'static str>) -> Verdict {
    Verdict {
        kind,
        what,
        hint,
        missing: None,
    }
}

fn judge(refusal: &Refusal<'_>) -> Verdict {
    let Refusal {
        status, evidence, ..
    } = *refusal;
    let says = |signs: &[&str]| signs.iter().any(|sign| evidence.contains(sign));
    if let Some(reason) = remedy::reason(refusal) {
        return verdict(reason.kind, reason.what, Some(reason.hint));
    }
    if !matches!(status, 401 | 403 | 404) && overflow::told(evidence) {
        return verdict(
            ModelErrorKind::ContextOverflow,
            "The prompt doesn't fit into the model's window",
            Some(OVERFLOW_HINT),
        );
    }
    if says(&[
        "insufficient_quota",
        "exceeded your current quota",
        "insufficient balance",
    ]) {
        let what = "The account has no quota left";
        return verdict(ModelErrorKind::Rejected, what, Some(QUOTA_HINT));
    }
    match status {
        401 => verdict(
            ModelErrorKind::Auth,
            "The server refused the key",
            Some(KEY_HINT),
        ),
        403 => verdict(
            ModelErrorKind::Auth,
            "The server denied access",
            Some(KEY_HINT),
        ),
        404 => not_found(evidence),
        402 => verdict(
            ModelErrorKind::Rejected,
            "The server requires payment",
            Some(QUOTA_HINT),
        ),
        413 => verdict(
            ModelErrorKind::ContextOverflow,
            "The request is too large for the server",
            Some(OVERFLOW_HINT),
        ),
        429 => verdict(
            ModelErrorKind::RateLimited,
            "Too many requests for this server",
            None,
        ),
        408 => verdict(ModelErrorKind::Unavailable, "The server timed out", None),
        503 if says(&["loading model"]) => verdict(
            ModelErrorKind::Unavailable,
            "The server is still loading the model",
            Some("Wait until it is loaded."),
        ),
        500..=599 => verdict(
            ModelErrorKind::Unavailable,
            "The server failed",
            Some("Check the server's log."),
        ),
        0 => judge_unnumbered(&says),
        // LiteLLM without a database says this of every key but its own.
        _ if says(&["no_db_connection", "no connected db"]) => verdict(
            ModelErrorKind::Auth,
            "The server refused the key",
            Some(KEY_HINT),
        ),
        _ if says(&["invalid api key", "invalid_api_key", "api key not valid"]) => verdict(
            ModelErrorKind::Auth,
            "The server refused the key",
            Some(KEY_HINT),
        ),
        _ if says(&["model_not_found", "does not exist", "invalid model name"])
            && says(&["model"]) =>
        {
            not_found("model not found")
        }
        400..=499 => verdict(
            ModelErrorKind::Rejected,
            "The server rejected the request",
            None,
        ),
        _ => verdict(
            ModelErrorKind::Protocol,
            "The server answered with an unexpected status",
            Some(BASE_URL_HINT),
        ),
    }
}

fn judge_unnumbered(says: &dyn Fn(&[&str]) -> bool) -> Verdict {
    let what = "The server reported an error";
    if says(&[
        "rate_limit",
        "rate limit",
        "ratelimit",
        "throttl",
        "too many requests",
    ]) {
        verdict(ModelErrorKind::RateLimited, what, None)
    } else if says(&[
        "authentication",
        "permission_error",
        "unauthorized",
        "invalid_api_key",
        "invalid api key",
    ]) {
        verdict(ModelErrorKind::Auth, what, Some(KEY_HINT))
    } else if says(&["invalid_request", "badrequest", "bad_request", "validation"]) {
        verdict(ModelErrorKind::Rejected, what, None)
    } else {
        verdict(
            ModelErrorKind::Unavailable,
            what,
            Some("Check the server's log."),
        )
    }
}

fn not_found(evidence: &str) -> Verdict {
    let (missing, what, hint) = if names_model(evidence) && says_missing(evidence) {
        (
            Missing::Model,
            "The server doesn't have this model",
            "Choose one of those that `tenon models` lists (in a session: `/models`).",
        )
    } else {
        (
            Missing::Address,
            "The server has nothing at this address",
            BASE_URL_HINT,
        )
    };
    Verdict {
        missing: Some(missing),
        ..verdict(ModelErrorKind::NotFound, what, Some(hint))
    }
}

/// Whether a model is spoken of. Paths are not: many servers answer a wrong
/// address with the list of those that they have, and `/v1/models` is one.
fn names_model(evidence: &str) -> bool {
    let around = |c: char| !c.is_alphanumeric() && c != '/';
    evidence
        .split_whitespace()
        .map(|word| word.trim_start_matches(around))
        .filter(|word| !word.starts_with('/') && !word.contains("://"))
        .any(|word| {
            // Gemini names a model with `models/` before it.
            word.starts_with("models/")
                || word
                    .split(|c: char| !c.is_alphanumeric())
                    .any(|part| matches!(part, "model" | "modelid"))
        })
}

fn says_missing(evidence: &str) -> bool {
    [
        "not found",
        "not_found",
        "notfound",
        "not exist",
        "doesn't exist",
        "could not find",
        "not available",
        "not_available",
        "unable to access",
        "unknown model",
        "no such model",
        "invalid model",
        "unsupported model",
    ]
    .iter()
    .any(|sign| evidence.contains(sign))
}

/// A status inside the error: `{"error":{"code":429}}`, also as text.
fn embedded_status(value: &Value) -> Option<u16> {
    [
        "/error/code",
        "/error/status",
        "/code",
        "/status_code",
        "/error/status_code",
    ]
    .iter()
    .filter_map(|path| value.pointer(path))
    .find_map(|code| match code {
        Value::String(text) => text.parse::<u16>().ok(),
        other => other.as_u64().and_then(|code| u16::try_from(code).ok()),
    })
    .filter(|status| (400..600).contains(status))
}

fn codes(value: &Value) -> String {
    let mut all = String::new();
    for path in [
        "/error/code",
        "/error/type",
        "/code",
        "/type",
        "/error/status",
    ] {
        if let Some(text) = value.pointer(path).and_then(Value::as_str) {
            all.extend(text.chars().take(80));
            all.push(' ');
        }
    }
    all
}

/// The sentence of an error, wherever it stands. A text that holds JSON is
/// opened, once: a text inside a text inside a text is nobody's answer.
fn find_sentence(value: &Value) -> Option<String> {
    let sentence = written_sentence(value)?;
    if !sentence.starts_with(['{', '[']) {
        return Some(sentence);
    }
    let inner = serde_json::from_str::<Value>(&sentence).ok();
    let inner = inner.as_ref().and_then(written_sentence);
    Some(inner.unwrap_or(sentence))
}

fn written_sentence(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Array(items) => items.first().and_then(written_sentence),
        Value::Object(_) => {
            let own = SENTENCES
                .iter()
                .find_map(|path| value.pointer(path)?.as_str())?;
            Some(match upstream(value) {
                Some(upstream) => format!("{own}: {upstream}"),
                None => own.to_owned(),
            })
        }
        _ => None,
    }
}

/// OpenRouter puts what really happened into `metadata.raw`.
fn upstream(value: &Value) -> Option<String> {
    let raw = value.pointer("/error/metadata/raw")?.as_str()?;
    match serde_json::from_str::<Value>(raw) {
        Ok(inner) => ["/error/message", "/message"]
            .iter()
            .find_map(|path| inner.pointer(path)?.as_str())
            .map(str::to_owned),
        Err(_) => Some(raw.to_owned()),
    }
}

fn sentence_of_text(body: &[u8]) -> Option<String> {
    let text = String::from_utf8_lossy(&body[..body.len().min(MAX_JUDGED)]);
    let trimmed = text.trim_start();
    if trimmed.starts_with('<') {
        return page_title(trimmed)
            .map(|title| format!("a web page, “{title}”"))
            .or_else(|| Some(String::from("a web page")));
    }
    Some(trimmed.to_owned())
}

fn page_title(page: &str) -> Option<String> {
    let lower = page.to_ascii_lowercase();
    let start = lower.find("<title>")? + "<title>".len();
    let length = lower[start..].find("</title>")?;
    clean(&page[start..start + length])
}

/// One line without control characters, cut with a mark.
fn clean(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut length = 0;
    for word in text.split(|c: char| c.is_whitespace() || c.is_control()) {
        if word.is_empty() {
            continue;
        }
        if !out.is_empty() {
            out.push(' ');
            length += 1;
        }
        for character in word.chars() {
            if length >= MAX_SHOWN {
                out.push('…');
                return Some(out);
            }
            out.push(character);
            length += 1;
        }
    }
    (!out.is_empty()).then_some(out)
}
