//! The ways in which real servers bend the wire format, as switches.
//!
//! Each was seen in the wild; a client has to live with all of them.

use std::fmt;

use serde::Deserialize;
use serde::de::{self, SeqAccess, Visitor, value};

/// One way to misbehave.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Quirk {
    /// `arguments` is a JSON object instead of a string.
    ArgumentsObject,
    /// Tool calls carry no `id`.
    NoIds,
    /// Every tool call has index 0.
    SameIndex,
    /// Tool calls carry no `index`.
    NoIndex,
    /// The stream ends without `[DONE]`.
    NoDone,
    /// Lines end in CR LF.
    Crlf,
    /// `data:` without the space.
    NoSpace,
    /// No usage, even when it was asked for.
    UsageNone,
    /// Id and name come in every delta, beside the old `function_call`; no usage.
    LlamaCppPython,
    /// Messages without `input` and ping; Responses without indexes and
    /// numbers, with reasoning as text; a first chat delta without content.
    LlamaCpp,
    /// Responses without `event:` lines and numbers, `[DONE]` at the end;
    /// Messages whose counts come last.
    #[serde(rename = "litellm")]
    LiteLlm,
    /// Chat: chunks that say how much of the prompt is read, before all others.
    PromptProgress,
}

/// The quirks of one scenario: a single name or a list of names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Shape(Vec<Quirk>);

impl Shape {
    pub(crate) fn has(&self, quirk: Quirk) -> bool {
        self.0.contains(&quirk)
    }

    /// Whether the formats are written as their owners write them.
    pub(crate) fn is_plain(&self) -> bool {
        !self.has(Quirk::LlamaCpp) && !self.has(Quirk::LiteLlm)
    }

    /// The same and one more.
    pub(crate) fn with(mut self, quirk: Option<Quirk>) -> Self {
        self.0.extend(quirk);
        self
    }

    pub(crate) fn sends_usage(&self) -> bool {
        !self.has(Quirk::UsageNone) && !self.has(Quirk::LlamaCppPython)
    }
}

impl<'de> Deserialize<'de> for Shape {
    fn deserialize<D: de::Deserializer<'de>>(input: D) -> Result<Self, D::Error> {
        struct OneOrMany;
        impl<'de> Visitor<'de> for OneOrMany {
            type Value = Shape;

            fn expecting(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
                out.write_str("the name of a shape or a list of names")
            }

            fn visit_str<E: de::Error>(self, name: &str) -> Result<Shape, E> {
                Quirk::deserialize(value::StrDeserializer::new(name))
                    .map(|quirk| Shape(vec![quirk]))
            }

            fn visit_seq<A: SeqAccess<'de>>(self, mut names: A) -> Result<Shape, A::Error> {
                let mut quirks = Vec::new();
                while let Some(quirk) = names.next_element()? {
                    quirks.push(quirk);
                }
                Ok(Shape(quirks))
            }
        }
        input.deserialize_any(OneOrMany)
    }
}
