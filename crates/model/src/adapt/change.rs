//! What a remedy changes, and how that is told to people.

use super::{Dialect, Variant};
use crate::quirks::{ContentNull, MaxTokensField, ReturnReasoning};
use crate::{Adapted, ModelError, Remedy, remedy};

/// The variant with the remedy applied; `None` when nothing would change, when
/// it is about one request only, or when the user decided otherwise.
pub(super) fn applied(remedy: &Remedy, variant: &Variant, configured: Dialect) -> Option<Variant> {
    let mut changed = variant.clone();
    match remedy {
        // The name may come from a file: only what may be left out is.
        Remedy::Omit { field } if remedy::may_be_left_out(field) => {
            changed.quirks.omit.insert(field.clone());
            // The same wish, as another format names it.
            if field == "thinking" {
                changed.quirks.omit.insert(String::from("reasoning_effort"));
            }
        }
        Remedy::MaxTokensField { field } => changed.quirks.max_tokens_field = *field,
        Remedy::ContentNull { content } => changed.quirks.content_null = *content,
        Remedy::ReturnReasoning { reasoning } => changed.quirks.return_reasoning = *reasoning,
        Remedy::Markdown if configured == Dialect::Auto => changed.dialect = Dialect::Markdown,
        Remedy::Omit { .. } | Remedy::Markdown | Remedy::MaxTokens { .. } | Remedy::NoImages => {}
    }
    (changed != *variant).then_some(changed)
}

/// Whether a remedy holds for later requests, too.
pub(super) fn lasts(remedy: &Remedy) -> bool {
    match remedy {
        Remedy::Omit { .. }
        | Remedy::MaxTokensField { .. }
        | Remedy::ContentNull { .. }
        | Remedy::ReturnReasoning { .. }
        | Remedy::Markdown => true,
        Remedy::MaxTokens { .. } | Remedy::NoImages => false,
    }
}

pub(super) fn told(remedy: &Remedy, error: &ModelError) -> Adapted {
    let set = |what: String| {
        Some(format!(
            "To have it so from the start, set {what} of the provider."
        ))
    };
    let (message, hint) = match remedy {
        Remedy::Omit { field } => (
            format!("The server does not take `{field}`; it is left out from now on."),
            set(format!("quirks.omit: [\"{field}\"]")),
        ),
        Remedy::MaxTokensField { field } => {
            let name = match field {
                MaxTokensField::MaxTokens => "max_tokens",
                MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
            };
            (
                format!("The server wants the limit of an answer as `{name}`."),
                set(format!("quirks.max_tokens_field: \"{name}\"")),
            )
        }
        Remedy::MaxTokens { most } => (
            format!(
                "The answer was asked to be longer than the server allows; at most {most} tokens now."
            ),
            Some(String::from(
                "Set a smaller max_tokens to avoid the detour.",
            )),
        ),
        Remedy::ContentNull { content } => {
            let (how, name) = match content {
                ContentNull::EmptyString => ("an empty text", "empty_string"),
                ContentNull::Null => ("null", "null"),
                ContentNull::Omit => ("no field at all", "omit"),
            };
            (
                format!("The server wants {how} as content of a message that only calls tools."),
                set(format!("quirks.content_null: \"{name}\"")),
            )
        }
        Remedy::ReturnReasoning { reasoning } => match reasoning {
            ReturnReasoning::ReasoningContent => (
                String::from(
                    "The server wants its earlier reasoning back; it is sent along from now on.",
                ),
                set(String::from(
                    "quirks.return_reasoning: \"reasoning_content\"",
                )),
            ),
            ReturnReasoning::Never => (
                String::from(
                    "The server does not take its earlier reasoning back; it is not sent any more.",
                ),
                set(String::from("quirks.return_reasoning: \"never\"")),
            ),
        },
        Remedy::Markdown => (
            String::from("The server takes no tools; they are described in the prompt instead."),
            error
                .hint
                .clone()
                .or_else(|| set(String::from("dialect: \"markdown\""))),
        ),
        Remedy::NoImages => (
            String::from("The server refused the images of this conversation; they are left out."),
            Some(String::from(
                "The model cannot see them: use one that takes images, or smaller ones.",
            )),
        ),
    };
    Adapted { message, hint }
}
