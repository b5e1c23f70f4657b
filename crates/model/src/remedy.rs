//! What could be sent differently, told from a refusal. A server's words decide
//! only among what is listed here: a name that it gives is looked up among the
//! fields that we send and that may be left out.

mod fields;
mod signs;

pub(crate) use fields::may_be_left_out;

use crate::overflow;
use crate::quirks::{ContentNull, MaxTokensField, ReturnReasoning};
use crate::{Holds, ModelErrorKind, Remedy};
use serde_json::Value;

/// A refusal, ready to be judged.
pub(crate) struct Refusal<'r> {
    /// 0: the error came inside an answer.
    pub(crate) status: u16,
    /// Codes and sentence, in lower case and cut.
    pub(crate) evidence: &'r str,
    pub(crate) body: Option<&'r Value>,
}

/// What kind of thing was refused, where that says more than the status.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reason {
    pub(crate) kind: ModelErrorKind,
    pub(crate) what: &'static str,
    pub(crate) hint: &'static str,
}

/// Tools or images were refused: a status of 404 or 500 would hide it.
pub(crate) fn reason(refusal: &Refusal<'_>) -> Option<Reason> {
    if !is_about_request(refusal.status) {
        return None;
    }
    if let Some(hint) = signs::tools_refused(refusal.evidence) {
        return Some(Reason {
            kind: ModelErrorKind::Rejected,
            what: "The server doesn't accept tools for this model",
            hint,
        });
    }
    if let Some(hint) = signs::images_refused(refusal.evidence) {
        return Some(Reason {
            kind: ModelErrorKind::Rejected,
            what: "The server doesn't accept the images in this conversation",
            hint,
        });
    }
    // Without it the server would keep what is sent: that is the user's to say.
    refuses_store(refusal).then_some(Reason {
        kind: ModelErrorKind::Rejected,
        what: "The server doesn't accept `store: false`, which asks it to keep nothing",
        hint: "Use another server; or, if this one may keep what you send, set quirks.omit: \
             [\"store\"] for the provider.",
    })
}

fn refuses_store(refusal: &Refusal<'_>) -> bool {
    let named = fields::named(refusal.evidence, refusal.body);
    (400..500).contains(&refusal.status) && named.iter().any(|name| fields::is_store(name))
}

/// How long a remedy holds. A server that failed may quote what it was sent, and
/// to be without tools for a month is too much for such words; two servers name
/// a flag that no prompt has to be believed for.
pub(crate) fn holds(refusal: &Refusal<'_>, remedy: &Remedy) -> Holds {
    let failed = !(400..500).contains(&refusal.status);
    match remedy {
        Remedy::Markdown if failed && !signs::names_flag(refusal.evidence) => Holds::Session,
        _ => Holds::Kept,
    }
}

/// The remedy for a refusal, if one is known.
pub(crate) fn find(refusal: &Refusal<'_>) -> Option<Remedy> {
    if !is_about_request(refusal.status) {
        return None;
    }
    let text = refusal.evidence;
    if signs::tools_refused(text).is_some() {
        return Some(Remedy::Markdown);
    }
    if signs::images_refused(text).is_some() {
        return Some(Remedy::NoImages);
    }
    if let Some(most) = overflow::longest_answer(text) {
        return Some(Remedy::MaxTokens { most });
    }
    if refusal.status == 413 {
        return Some(Remedy::NoImages);
    }
    // What does not fit is not made to fit by another form.
    if overflow::told(text) {
        return None;
    }
    if says(text, signs::SEALS) {
        return Some(Remedy::NoSealedReasoning);
    }
    reasoning(text)
        .or_else(|| parameter(refusal))
        .or_else(|| content(text))
}

/// Refusals of keys, of the rate, and of a server that is ill say nothing about
/// the form of a request, whatever words they use.
fn is_about_request(status: u16) -> bool {
    matches!(status, 0 | 400..=599) && !matches!(status, 401..=403 | 408 | 429 | 503 | 504 | 529)
}

fn says(text: &str, signs: &[&[&str]]) -> bool {
    signs
        .iter()
        .any(|signs| signs.iter().all(|sign| text.contains(sign)))
}

/// Earlier reasoning is wanted back, or not taken.
fn reasoning(text: &str) -> Option<Remedy> {
    if !text.contains("reasoning_content") && !text.contains("reasoning content") {
        return None;
    }
    let says = |signs: &[&str]| signs.iter().any(|sign| text.contains(sign));
    let reasoning = if says(signs::WANTED) {
        ReturnReasoning::ReasoningContent
    } else if says(signs::UNWANTED) {
        ReturnReasoning::Never
    } else {
        return None;
    };
    Some(Remedy::ReturnReasoning { reasoning })
}

/// A field of the request that the server names.
fn parameter(refusal: &Refusal<'_>) -> Option<Remedy> {
    if refusal
        .evidence
        .contains("encrypted content is not supported")
    {
        return Some(Remedy::Omit {
            field: String::from("include"),
        });
    }
    let soon = fields::named(signs::beginning(refusal.evidence), refusal.body);
    if soon.iter().any(|name| fields::is_tools(name)) {
        return Some(Remedy::Markdown);
    }
    let named = fields::named(refusal.evidence, refusal.body);
    let field = named.iter().find_map(|name| fields::known(name))?;
    Some(match field {
        "max_tokens" if refusal.evidence.contains("max_completion_tokens") => {
            Remedy::MaxTokensField {
                field: MaxTokensField::MaxCompletionTokens,
            }
        }
        "max_completion_tokens" => Remedy::MaxTokensField {
            field: MaxTokensField::MaxTokens,
        },
        field => Remedy::Omit {
            field: field.to_owned(),
        },
    })
}

/// The content of a message that only calls tools.
fn content(text: &str) -> Option<Remedy> {
    let content = if says(text, signs::CONTENT_NULL) {
        ContentNull::EmptyString
    } else if says(text, signs::CONTENT_EMPTY) {
        ContentNull::Null
    } else {
        return None;
    };
    Some(Remedy::ContentNull { content })
}
