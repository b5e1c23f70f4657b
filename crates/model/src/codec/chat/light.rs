//! The chunk that nearly every event is: some text, and nothing else that
//! counts. Read without copies, because it comes once for each token. Whatever
//! is not exactly that is left to the full reading; both must agree.

use serde::Deserialize;
use serde::de::IgnoredAny;
use std::borrow::Cow;

#[derive(Deserialize)]
struct Light<'d> {
    #[serde(borrow)]
    choices: [Choice<'d>; 1],
    #[serde(borrow, default)]
    object: Cow<'d, str>,
    usage: Option<IgnoredAny>,
    x_groq: Option<IgnoredAny>,
    error: Option<IgnoredAny>,
    prompt_progress: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Choice<'d> {
    #[serde(default)]
    index: u64,
    #[serde(borrow)]
    delta: Delta<'d>,
    finish_reason: Option<IgnoredAny>,
    usage: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Delta<'d> {
    #[serde(borrow)]
    content: Option<Text<'d>>,
    #[serde(borrow)]
    reasoning_content: Option<Text<'d>>,
    reasoning: Option<IgnoredAny>,
    reasoning_details: Option<IgnoredAny>,
    refusal: Option<IgnoredAny>,
    tool_calls: Option<IgnoredAny>,
    function_call: Option<IgnoredAny>,
}

#[derive(Deserialize)]
struct Text<'d>(#[serde(borrow)] Cow<'d, str>);

/// What such a chunk says.
pub(super) struct Said<'d> {
    pub(super) index: u64,
    pub(super) reasoning: Cow<'d, str>,
    pub(super) text: Cow<'d, str>,
}

/// `None` when the chunk says anything else.
pub(super) fn read(data: &[u8]) -> Option<Said<'_>> {
    let chunk: Light<'_> = serde_json::from_slice(data).ok()?;
    let [choice] = chunk.choices;
    let delta = choice.delta;
    let more = [
        chunk.usage,
        chunk.x_groq,
        chunk.error,
        chunk.prompt_progress,
        choice.finish_reason,
        choice.usage,
        delta.reasoning,
        delta.reasoning_details,
        delta.refusal,
        delta.tool_calls,
        delta.function_call,
    ];
    if chunk.object == "error" || more.iter().any(Option::is_some) {
        return None;
    }
    Some(Said {
        index: choice.index,
        reasoning: delta
            .reasoning_content
            .map(|text| text.0)
            .unwrap_or_default(),
        text: delta.content.map(|text| text.0).unwrap_or_default(),
    })
}
