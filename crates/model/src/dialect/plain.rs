//! Plain text that was asked for, such as a summary or a title, and that came in the
//! form of a reply: what was said is taken out of the form, and a call stays a call,
//! so that nobody takes it for an answer.

use super::parse::{Action, Parsed, parse};
use super::{control, is_reply};
use crate::{Delta, DeltaStream, Finished, ModelError};
use futures_core::Stream;
use serde_json::Value;
use std::pin::Pin;
use std::task::{Context, Poll};
use tenon_vocab::{CallId, Message, Part, ToolCallPart};

pub(super) struct Plain(DeltaStream);

impl Plain {
    pub(super) fn new(inner: DeltaStream) -> Self {
        Self(inner)
    }
}

impl Stream for Plain {
    type Item = Result<Delta, ModelError>;

    fn poll_next(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        self.0.as_mut().poll_next(cx).map(|item| {
            item.map(|delta| match delta {
                Ok(Delta::Finished(finished)) => Ok(Delta::Finished(unwrapped(finished))),
                other => other,
            })
        })
    }
}

fn unwrapped(mut finished: Finished) -> Finished {
    let message = &finished.message;
    let text = message.text();
    if message.tool_calls().next().is_some() {
        return finished;
    }
    if is_reply(&text)
        && let Ok(parsed) = parse(&text, &[])
    {
        put(&mut finished.message, said(parsed));
    } else if control::has_token(&text) {
        let clean = control::without_tokens(&text).into_owned();
        put(&mut finished.message, vec![Part::text(clean)]);
    }
    finished
}

/// In the place of the text.
fn put(message: &mut Message, parts: Vec<Part>) {
    let is_text = |part: &Part| matches!(part, Part::Text { .. });
    message.parts.retain(|part| !is_text(part));
    message.parts.extend(parts);
}

fn said(parsed: Parsed) -> Vec<Part> {
    match parsed.action {
        Action::Answer(text) => vec![Part::text(text)],
        Action::Tasks => Vec::new(),
        Action::Calls(calls) => calls
            .into_iter()
            .enumerate()
            .map(|(index, call)| {
                let id = CallId::new(format!("md_plain_{index}"));
                let arguments = Value::Object(call.input).to_string();
                Part::ToolCall(ToolCallPart::new(id, call.name, arguments))
            })
            .collect(),
    }
}
