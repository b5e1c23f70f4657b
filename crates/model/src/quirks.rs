//! How one server departs from the format it claims to speak, as data. A quirk
//! changes what is sent; what is received is always read tolerantly.

use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// The name of the field that limits the answer.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum MaxTokensField {
    #[default]
    MaxTokens,
    MaxCompletionTokens,
}

/// What stands as `content` of an assistant message that only calls tools.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ContentNull {
    /// Some chat templates fail on null, none on an empty string.
    #[default]
    EmptyString,
    Null,
    Omit,
}

/// Whether the reasoning of earlier messages goes back to the server.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReturnReasoning {
    #[default]
    Never,
    /// As `reasoning_content` of every assistant message.
    ReasoningContent,
}

/// What becomes of images in the result of a tool: the format has no place for them.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ToolImages {
    /// A user message after the results shows them.
    #[default]
    UserMessage,
    /// The result says that there was an image.
    LeaveOut,
}

/// How closely a provider is to look at images (P20).
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ImageDetail {
    /// The provider decides; nothing is sent.
    #[default]
    Auto,
    Low,
    High,
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Quirks {
    /// Fields of the request that are never sent: `temperature`,
    /// `stream_options`, `tool_choice`, …
    #[serde(skip_serializing_if = "BTreeSet::is_empty")]
    pub omit: BTreeSet<String>,
    pub max_tokens_field: MaxTokensField,
    pub content_null: ContentNull,
    pub return_reasoning: ReturnReasoning,
    pub tool_images: ToolImages,
    pub image_detail: ImageDetail,
}

impl Quirks {
    #[must_use]
    pub fn omits(&self, field: &str) -> bool {
        self.omit.contains(field)
    }

    /// What differs from the default, each in a word, for the log.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = self
            .omit
            .iter()
            .map(|field| format!("omit:{field}"))
            .collect();
        if self.max_tokens_field == MaxTokensField::MaxCompletionTokens {
            names.push(String::from("max_completion_tokens"));
        }
        match self.content_null {
            ContentNull::EmptyString => {}
            ContentNull::Null => names.push(String::from("content:null")),
            ContentNull::Omit => names.push(String::from("content:omit")),
        }
        if self.return_reasoning == ReturnReasoning::ReasoningContent {
            names.push(String::from("return_reasoning"));
        }
        if self.tool_images == ToolImages::LeaveOut {
            names.push(String::from("tool_images:leave_out"));
        }
        match self.image_detail {
            ImageDetail::Auto => {}
            ImageDetail::Low => names.push(String::from("image_detail:low")),
            ImageDetail::High => names.push(String::from("image_detail:high")),
        }
        names
    }
}
