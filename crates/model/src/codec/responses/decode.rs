//! Reads the answer: what its events and its document say. What becomes of the
//! items in them is not decided here.

use super::content::{Answer, answer_text};
use super::fault;
use super::slots::{Kind, Names, Thoughts};
use crate::codec::body::{BodyDecoder, Flow, Format, not_an_answer, not_json, parse};
use crate::codec::chat::fields::usage;
use crate::failure;
use crate::reply::Reply;
use crate::{Delta, ModelError, ModelErrorKind};
use serde::Deserialize;
use serde_json::Value;
use std::borrow::Cow;
use std::sync::Arc;
use tenon_vocab::StopReason;

/// One reply being read.
pub type ResponsesDecoder = BodyDecoder<Reading>;

pub(super) fn reader(owner: &Arc<str>) -> ResponsesDecoder {
    BodyDecoder::with(Reading {
        answer: Answer::new(Arc::clone(owner)),
    })
}

/// What has been understood so far, apart from the bytes that wait.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    answer: Answer,
}

/// A delta without its copies: most events are one, so they must cost little.
#[derive(Deserialize)]
struct Light<'d> {
    #[serde(borrow, default, rename = "type")]
    kind: Cow<'d, str>,
    #[serde(borrow, default)]
    item_id: Cow<'d, str>,
    #[serde(default)]
    output_index: Option<u64>,
    #[serde(default)]
    content_index: Option<u64>,
    #[serde(default)]
    summary_index: Option<u64>,
    #[serde(borrow, default)]
    delta: Cow<'d, str>,
}

impl<'d> Light<'d> {
    /// For an event that is not written as it should be.
    fn of(value: &'d Value) -> Self {
        let text =
            |name: &str| Cow::Borrowed(value.get(name).and_then(Value::as_str).unwrap_or(""));
        let number = |name: &str| value.get(name).and_then(Value::as_u64);
        Self {
            kind: text("type"),
            item_id: text("item_id"),
            output_index: number("output_index"),
            content_index: number("content_index"),
            summary_index: number("summary_index"),
            delta: text("delta"),
        }
    }

    fn kind<'k>(&'k self, name: &'k str) -> &'k str {
        if self.kind.is_empty() {
            name
        } else {
            &self.kind
        }
    }

    fn names(&self) -> Names {
        Names::new(&self.item_id, self.output_index)
    }
}

impl Format for Reading {
    fn event(
        &mut self,
        name: &str,
        data: &[u8],
        sink: &mut dyn FnMut(Delta),
    ) -> Result<Flow, ModelError> {
        if let Ok(light) = serde_json::from_slice::<Light<'_>>(data)
            && light.kind(name).ends_with(".delta")
        {
            self.delta(light.kind(name), &light, sink)?;
            return Ok(Flow::More);
        }
        let value = parse(data).ok_or_else(not_json)?;
        self.full_event(name, &value, sink)
    }

    fn document(&mut self, whole: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        let response = whole
            .get("response")
            .filter(|inner| inner.is_object())
            .unwrap_or(whole);
        if response.get("output").is_some_and(Value::is_array) {
            return self.response(response, sink);
        }
        Err(match misdirected(whole) {
            Some(error) => error,
            None if failure::is_error(response) => fault::in_answer(response),
            None => not_an_answer(whole),
        })
    }

    fn fault(&self, said: &Value) -> ModelError {
        fault::in_answer(said)
    }

    fn reply(&self) -> &Reply {
        &self.answer.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.answer.reply
    }
}

impl Reading {
    fn full_event(
        &mut self,
        name: &str,
        value: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<Flow, ModelError> {
        let light = Light::of(value);
        let kind = light.kind(name);
        let response = value.get("response").unwrap_or(&Value::Null);
        match kind {
            "response.output_item.added" => self.item_added(value, sink)?,
            "response.output_item.done" => self.item_done(value, sink)?,
            "response.output_text.done" | "response.refusal.done" => {
                self.content_done(&light, value, sink)?;
            }
            "response.content_part.done" => {
                let part = value.get("part").unwrap_or(&Value::Null);
                self.content_done(&light, part, sink)?;
            }
            "response.function_call_arguments.done" => {
                let arguments = value.get("arguments").unwrap_or(&Value::Null);
                if let Some(slot) = self.answer.slots.going_on(Kind::Call, light.names()) {
                    self.answer.arguments_done(slot, arguments, sink)?;
                }
            }
            "response.completed" | "response.done" | "response.incomplete" => {
                self.response(response, sink)?;
                if kind == "response.incomplete" {
                    self.stop_early(response);
                }
                return Ok(Flow::Done);
            }
            "response.failed" | "response.cancelled" => {
                if let Some(usage) = response.get("usage").and_then(usage) {
                    self.answer.reply.set_usage(usage);
                }
                return Err(unanswered(response, value));
            }
            "error" => return Err(fault::in_answer(value)),
            kind if kind.ends_with(".delta") => self.delta(kind, &light, sink)?,
            _ if light.kind.is_empty() => {
                if failure::is_error(value) {
                    return Err(fault::in_answer(value));
                }
                if let Some(error) = misdirected(value) {
                    return Err(error);
                }
            }
            _ => {}
        }
        Ok(Flow::More)
    }

    fn delta(
        &mut self,
        kind: &str,
        light: &Light<'_>,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if light.delta.is_empty() {
            return Ok(());
        }
        match kind {
            "response.output_text.delta" | "response.refusal.delta" => {
                let slot = self.answer.slot(Kind::Message, light.names())?;
                self.answer
                    .text(slot, light.content_index, &light.delta, sink)
            }
            "response.reasoning_summary_text.delta" | "response.reasoning_summary.delta" => {
                let slot = self.answer.slot(Kind::Reasoning, light.names())?;
                self.answer.thought(
                    slot,
                    Thoughts::Summary,
                    light.summary_index,
                    &light.delta,
                    sink,
                )
            }
            "response.reasoning_text.delta" | "response.reasoning.delta" => {
                let slot = self.answer.slot(Kind::Reasoning, light.names())?;
                self.answer
                    .thought(slot, Thoughts::Raw, light.content_index, &light.delta, sink)
            }
            "response.function_call_arguments.delta" => {
                // Of a call that was never announced; it comes whole later.
                let Some(slot) = self.answer.slots.going_on(Kind::Call, light.names()) else {
                    return Ok(());
                };
                let arguments = Value::String(light.delta.clone().into_owned());
                self.answer.add_arguments(slot, &arguments, sink)
            }
            _ => Ok(()),
        }
    }

    fn item_added(&mut self, value: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        let Some((kind, names, item)) = announced(value) else {
            return Ok(());
        };
        let known = names != Names::default() && self.answer.slots.going_on(kind, names).is_some();
        if kind == Kind::Other || known {
            return Ok(());
        }
        let slot = self.answer.open(kind, names)?;
        if kind == Kind::Call {
            self.answer.open_call(slot, item, sink)?;
        }
        Ok(())
    }

    fn item_done(&mut self, value: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        let Some((kind, names, item)) = announced(value) else {
            return Ok(());
        };
        let slot = match self.answer.slots.whole(kind, names) {
            Some(slot) => slot,
            None => self.answer.open(kind, names)?,
        };
        self.answer.whole_item(slot, item, sink)
    }

    fn content_done(
        &mut self,
        light: &Light<'_>,
        part: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let Some(text) = answer_text(part) else {
            return Ok(());
        };
        let slot = self.answer.slot(Kind::Message, light.names())?;
        self.answer.part_done(slot, light.content_index, text, sink)
    }

    /// The response in full: at the end of a stream, or as the whole answer.
    fn response(
        &mut self,
        response: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if let Some(usage) = response.get("usage").and_then(usage) {
            self.answer.reply.set_usage(usage);
        }
        let status = response.get("status").and_then(Value::as_str).unwrap_or("");
        if matches!(status, "failed" | "cancelled") || failure::is_error(response) {
            return Err(unanswered(response, response));
        }
        let output = response.get("output").and_then(Value::as_array);
        let mut taken = vec![false; self.answer.slots.len()];
        for item in output.into_iter().flatten() {
            let Some(kind) = Kind::of(item) else { continue };
            // Not by its place: some servers number every item 0.
            let names = Names::of(item, None);
            let slot = match self.answer.slots.repeated(kind, names, &taken) {
                Some(slot) => slot,
                None => self.answer.open(kind, names)?,
            };
            taken.resize(self.answer.slots.len(), false);
            taken[slot] = true;
            self.answer.whole_item(slot, item, sink)?;
        }
        if status == "incomplete" {
            self.stop_early(response);
        } else {
            self.answer.reply.set_stop(StopReason::EndTurn);
        }
        Ok(())
    }

    fn stop_early(&mut self, response: &Value) {
        let reason = response
            .pointer("/incomplete_details/reason")
            .and_then(Value::as_str)
            .unwrap_or("");
        let stop = match reason {
            "content_filter" => StopReason::ContentFilter,
            "max_output_tokens" | "max_tokens" | "length" => StopReason::MaxTokens,
            other => {
                let shown: String = other.chars().take(40).collect();
                self.answer
                    .reply
                    .note(&format!("unknown reason for an early end `{shown}`"));
                // The answer is cut, whyever.
                StopReason::MaxTokens
            }
        };
        self.answer.reply.set_stop(stop);
    }
}

fn announced(value: &Value) -> Option<(Kind, Names, &Value)> {
    let item = value.get("item").filter(|item| item.is_object())?;
    let index = value.get("output_index").and_then(Value::as_u64);
    Some((Kind::of(item)?, Names::of(item, index), item))
}

/// Why there is no answer, from the response or from the event around it.
fn unanswered(response: &Value, event: &Value) -> ModelError {
    let told = [response, event]
        .into_iter()
        .find(|value| failure::is_error(value) || failure::says_something(value));
    match told {
        Some(said) => fault::in_answer(said),
        None => ModelError::new(
            ModelErrorKind::Unavailable,
            "The server ended the answer without saying why.",
        )
        .with_hint("Try again; if it happens again, check the server's log."),
    }
}

/// An answer in the other format of the same servers.
fn misdirected(value: &Value) -> Option<ModelError> {
    value.get("choices")?.as_array()?;
    Some(
        ModelError::new(
            ModelErrorKind::Protocol,
            "The server answered in the format of chat completions.",
        )
        .with_hint("Set `type` to `chat` for this provider."),
    )
}
