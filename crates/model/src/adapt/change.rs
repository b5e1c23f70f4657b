//! What a remedy changes, and how that is told to people.

use super::{Dialect, Variant};
use crate::quirks::{ContentNull, MaxTokensField, ReturnReasoning};
use crate::{Adapted, ModelError, Parameters, Remedy, remedy};
use serde_json::{Value, json};
use std::collections::VecDeque;

impl Variant {
    /// This way of speaking with the remedy applied; `None` when nothing would
    /// change, when it is about one request only, or when the user decided
    /// otherwise about the dialect.
    #[must_use]
    pub fn adapted(&self, remedy: &Remedy, configured: Dialect) -> Option<Self> {
        let mut changed = self.clone();
        let quirks = &mut changed.quirks;
        match remedy {
            // The name may come from a file: only what may be left out is.
            Remedy::Omit { field } if remedy::may_be_left_out(field) => {
                quirks.omit.insert(field.clone());
                // The same wish, as another format names it.
                if field == "thinking" {
                    quirks.omit.insert(String::from("reasoning_effort"));
                }
            }
            Remedy::MaxTokensField { field } => quirks.max_tokens_field = *field,
            Remedy::ContentNull { content } => quirks.content_null = *content,
            Remedy::ReturnReasoning { reasoning } => quirks.return_reasoning = *reasoning,
            Remedy::Markdown if configured == Dialect::Auto => changed.dialect = Dialect::Markdown,
            Remedy::Omit { .. }
            | Remedy::Markdown
            | Remedy::MaxTokens { .. }
            | Remedy::NoImages
            | Remedy::NoSealedReasoning => {}
        }
        (changed != *self).then_some(changed)
    }

    /// The setting of a provider that says from the start what the remedy
    /// changed, with its value as it is here.
    #[must_use]
    pub fn setting(&self, remedy: &Remedy) -> Option<(String, Value)> {
        let quirks = &self.quirks;
        let value = match remedy {
            Remedy::Omit { .. } => json!(quirks.omit),
            Remedy::MaxTokensField { .. } => json!(quirks.max_tokens_field),
            Remedy::ContentNull { .. } => json!(quirks.content_null),
            Remedy::ReturnReasoning { .. } => json!(quirks.return_reasoning),
            Remedy::Markdown => return Some((String::from("dialect"), json!(self.dialect))),
            Remedy::MaxTokens { .. } | Remedy::NoImages | Remedy::NoSealedReasoning => return None,
        };
        Some((format!("quirks.{}", remedy.quirk()?), value))
    }
}

impl Remedy {
    /// The quirk that it sets.
    #[must_use]
    pub fn quirk(&self) -> Option<&'static str> {
        match self {
            Self::Omit { .. } => Some("omit"),
            Self::MaxTokensField { .. } => Some("max_tokens_field"),
            Self::ContentNull { .. } => Some("content_null"),
            Self::ReturnReasoning { .. } => Some("return_reasoning"),
            Self::Markdown | Self::MaxTokens { .. } | Self::NoImages | Self::NoSealedReasoning => {
                None
            }
        }
    }

    /// What is done since it was learned, in a few words.
    #[must_use]
    pub fn told(&self) -> String {
        match self {
            Self::Omit { field } => format!("`{field}` is left out"),
            Self::MaxTokensField { field } => {
                format!("the answer limit is sent as `{}`", limit_name(*field))
            }
            Self::ContentNull { content } => {
                format!(
                    "a message with only calls has {} as content",
                    empty(*content)
                )
            }
            Self::ReturnReasoning { reasoning } => match reasoning {
                ReturnReasoning::ReasoningContent => String::from("earlier reasoning is sent back"),
                ReturnReasoning::Never => String::from("earlier reasoning is not sent back"),
            },
            Self::Markdown => String::from("tools are described in the prompt"),
            Self::MaxTokens { most } => format!("answers have at most {most} tokens"),
            Self::NoImages => String::from("refused images are left out"),
            Self::NoSealedReasoning => String::from("refused reasoning is left out"),
        }
    }
}

fn limit_name(field: MaxTokensField) -> &'static str {
    match field {
        MaxTokensField::MaxTokens => "max_tokens",
        MaxTokensField::MaxCompletionTokens => "max_completion_tokens",
    }
}

fn empty(content: ContentNull) -> &'static str {
    match content {
        ContentNull::EmptyString => "an empty string",
        ContentNull::Null => "null",
        ContentNull::Omit => "no field at all",
    }
}

/// What the user set and a remembered lesson leaves out, which is said once:
/// what is said is taken from `unsaid`.
pub(super) fn unsent(unsaid: &mut Vec<String>, parameters: &Parameters) -> VecDeque<Adapted> {
    let mut said = VecDeque::new();
    let mut names: Vec<&str> = Vec::new();
    unsaid.retain(|field| {
        let Some(name) = parameter_of(field, parameters) else {
            return true;
        };
        if !names.contains(&name) {
            names.push(name);
            said.push_back(Adapted {
                message: format!(
                    "Your setting `{name}` is not sent: the server refused `{field}` in an \
                     earlier session."
                ),
                hint: Some(String::from(
                    "To try it again, run `tenon models --forget`. To decide it yourself, set \
                     `quirks.omit` for the provider (an empty list sends everything).",
                )),
            });
        }
        false
    });
    said
}

/// The parameter that a field carries, when the user set it.
fn parameter_of(field: &str, parameters: &Parameters) -> Option<&'static str> {
    let (name, set) = match field {
        "temperature" => ("temperature", parameters.temperature.is_some()),
        "top_p" => ("top_p", parameters.top_p.is_some()),
        "max_tokens" | "max_completion_tokens" | "max_output_tokens" => {
            ("max_tokens", parameters.max_tokens.is_some())
        }
        "reasoning_effort" | "reasoning" | "reasoning.effort" | "thinking" | "output_config" => {
            ("reasoning_effort", parameters.reasoning_effort.is_some())
        }
        _ => return None,
    };
    set.then_some(name)
}

/// The first few, and how many more there are.
fn listed(images: &[String]) -> String {
    const SHOWN: usize = 4;
    let first = images[..images.len().min(SHOWN)].join(", ");
    match images.len().saturating_sub(SHOWN) {
        0 => first,
        more => format!("{first} and {more} more"),
    }
}

/// Whether a remedy holds for later requests, too.
pub(super) fn lasts(remedy: &Remedy) -> bool {
    match remedy {
        Remedy::Omit { .. }
        | Remedy::MaxTokensField { .. }
        | Remedy::ContentNull { .. }
        | Remedy::ReturnReasoning { .. }
        | Remedy::Markdown => true,
        Remedy::MaxTokens { .. } | Remedy::NoImages | Remedy::NoSealedReasoning => false,
    }
}

/// `variant` is the one with the remedy applied; `images` are those that it
/// leaves out.
pub(super) fn told(
    remedy: &Remedy,
    variant: &Variant,
    error: &ModelError,
    images: &[String],
) -> Adapted {
    let set = variant.setting(remedy).map(|(key, value)| {
        format!("To avoid the failed request, set {key}: {value} for the provider.")
    });
    let (message, hint) = match remedy {
        Remedy::Omit { field } => (
            format!("The server doesn't accept `{field}`; Tenon leaves it out from now on."),
            set,
        ),
        Remedy::MaxTokensField { field } => {
            let name = limit_name(*field);
            (
                format!("The server expects the answer limit as `{name}`."),
                set,
            )
        }
        Remedy::MaxTokens { most } => (
            format!(
                "The server doesn't allow answers that long; Tenon now asks for at most {most} \
                 tokens."
            ),
            Some(String::from(
                "To avoid the failed request, set a smaller max_tokens.",
            )),
        ),
        Remedy::ContentNull { content } => {
            let how = empty(*content);
            (
                format!(
                    "The server expects {how} as the content of a message that only calls \
                     tools."
                ),
                set,
            )
        }
        Remedy::ReturnReasoning { reasoning } => {
            let message = match reasoning {
                ReturnReasoning::ReasoningContent => {
                    "The server expects earlier reasoning back; Tenon sends it along from now on."
                }
                ReturnReasoning::Never => {
                    "The server doesn't accept earlier reasoning; Tenon no longer sends it."
                }
            };
            (message.to_owned(), set)
        }
        Remedy::Markdown => (
            String::from(
                "The server doesn't accept tools; Tenon describes them in the prompt \
                 instead.",
            ),
            error.hint.clone().or(set),
        ),
        Remedy::NoImages => (
            format!(
                "The server refused images in this conversation; Tenon leaves them out: {}.",
                listed(images)
            ),
            Some(String::from(
                "The model can't see them. Use a model that accepts images, or smaller images.",
            )),
        ),
        Remedy::NoSealedReasoning => (
            String::from(
                "The server can no longer read the reasoning of earlier replies; Tenon leaves it \
                 out of this conversation.",
            ),
            Some(String::from(
                "The model continues without it; new reasoning is sent back as before.",
            )),
        ),
    };
    Adapted { message, hint }
}
