//! Reads as much of a request as the script needs and finds the step that
//! answers it. Nothing is remembered: the conversation alone decides.

use std::borrow::Cow;

use serde::Deserialize;
use serde_json::value::RawValue;

use crate::fault::{Fault, FaultPlace};
use crate::scenarios::{Response, Scenarios, Scope};
use crate::shape::Shape;

/// A request, without what the script does not ask about. Contents stay raw,
/// so that a long history costs a scan and no copies.
#[derive(Debug, Deserialize)]
#[serde(expecting = "a request with `messages`")]
pub(crate) struct ChatRequest<'a> {
    #[serde(borrow)]
    messages: Vec<MessageView<'a>>,
    #[serde(default)]
    stream: Option<bool>,
    #[serde(default)]
    stream_options: Option<StreamOptions>,
}

#[derive(Debug, Default, Deserialize)]
#[serde(expecting = "stream options")]
struct StreamOptions {
    #[serde(default)]
    include_usage: Option<bool>,
}

#[derive(Debug, Deserialize)]
#[serde(expecting = "a message")]
struct MessageView<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow, default)]
    content: Option<&'a RawValue>,
}

/// The form in which the client wants its reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Delivery {
    Whole,
    Stream { usage: UsageChunk },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum UsageChunk {
    Asked,
    NotAsked,
}

impl ChatRequest<'_> {
    /// The error is a sentence for the client.
    pub(crate) fn parse(body: &[u8]) -> Result<ChatRequest<'_>, String> {
        // serde would take an array for the fields in their order.
        if body.trim_ascii_start().first() == Some(&b'[') {
            return Err("The body must be a JSON object with `messages`.".to_owned());
        }
        serde_json::from_slice(body)
            .map_err(|error| format!("The body is not a chat request: {error}."))
    }

    pub(crate) fn delivery(&self) -> Delivery {
        if self.stream != Some(true) {
            return Delivery::Whole;
        }
        let asked = self
            .stream_options
            .as_ref()
            .and_then(|options| options.include_usage);
        let usage = if asked == Some(true) {
            UsageChunk::Asked
        } else {
            UsageChunk::NotAsked
        };
        Delivery::Stream { usage }
    }

    /// The text of the last message of the user, "" without one.
    fn prompt(&self) -> String {
        self.last("user").map(MessageView::text).unwrap_or_default()
    }

    pub(crate) fn last_tool_result(&self) -> String {
        self.last("tool").map(MessageView::text).unwrap_or_default()
    }

    pub(crate) fn tool_results(&self, scope: Scope) -> u64 {
        let from = match scope {
            Scope::Conversation => 0,
            Scope::Turn => self
                .messages
                .iter()
                .rposition(|message| message.role == "user")
                .unwrap_or(0),
        };
        self.messages[from..]
            .iter()
            .filter(|message| message.role == "tool")
            .count() as u64
    }

    fn last(&self, role: &str) -> Option<&MessageView<'_>> {
        self.messages
            .iter()
            .rev()
            .find(|message| message.role == role)
    }
}

impl MessageView<'_> {
    /// A string, or the text parts of a list, one a line.
    fn text(&self) -> String {
        #[derive(Deserialize)]
        struct PartView {
            #[serde(default)]
            text: Option<String>,
        }
        let Some(raw) = self.content else {
            return String::new();
        };
        if let Ok(text) = serde_json::from_str::<String>(raw.get()) {
            return text;
        }
        let parts: Vec<PartView> = serde_json::from_str(raw.get()).unwrap_or_default();
        let texts: Vec<String> = parts.into_iter().filter_map(|part| part.text).collect();
        texts.join("\n")
    }
}

/// The step that answers a request.
#[derive(Debug)]
pub(crate) struct Chosen<'s> {
    pub(crate) response: &'s Response,
    pub(crate) shape: &'s Shape,
    pub(crate) fault: Option<(FaultPlace, &'s Fault)>,
    /// How many steps came before this one, in the scenario's scope.
    pub(crate) step: u64,
}

/// The first scenario whose trigger is in the prompt, at the step that the
/// tool results give; the default response past its end or without a match.
pub(crate) fn choose<'s>(
    scenarios: &'s Scenarios,
    plain: &'s Shape,
    request: &ChatRequest<'_>,
) -> Chosen<'s> {
    let prompt = request.prompt();
    let default = |step, shape| Chosen {
        response: &scenarios.default_response,
        shape,
        fault: None,
        step,
    };
    let found = scenarios
        .scenarios
        .iter()
        .enumerate()
        .find(|(_, scenario)| prompt.contains(&scenario.trigger));
    let Some((number, scenario)) = found else {
        return default(request.tool_results(scenarios.scope), plain);
    };
    let position = request.tool_results(scenario.scope.unwrap_or(scenarios.scope));
    let mut first = 0;
    for (index, step) in scenario.steps.iter().enumerate() {
        first += u64::from(step.repeat.get());
        if position < first {
            return Chosen {
                response: &step.response,
                shape: &scenario.shape,
                fault: step.fault.as_ref().map(|fault| ((number, index), fault)),
                step: position,
            };
        }
    }
    default(position, &scenario.shape)
}
