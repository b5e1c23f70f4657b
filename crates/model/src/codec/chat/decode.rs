//! Reads the reply to a chat completion: what its events and its document say.

use super::{fields, light};
use crate::calls::CallDelta;
use crate::codec::body::{BodyDecoder, Flow, Format, not_an_answer, not_json, parse};
use crate::failure;
use crate::reply::{CallSource, Reply};
use crate::think::Channel;
use crate::{Delta, ModelError};
use serde_json::Value;
use tenon_vocab::StopReason;

/// Only one choice is asked for. Another one is somebody else's answer, and
/// must not be taken for this one, also when it comes first.
const ASKED: u64 = 0;

/// One reply being read.
pub type ChatDecoder = BodyDecoder<Reading>;

/// What has been understood so far, apart from the bytes that wait.
#[derive(Debug, Clone, Default)]
pub struct Reading {
    reply: Reply,
    calls: CallForm,
}

/// Servers that send both forms mean one call.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum CallForm {
    #[default]
    NotSeen,
    /// `tool_calls`
    Listed,
}

impl Format for Reading {
    fn event(
        &mut self,
        _name: &str,
        data: &[u8],
        sink: &mut dyn FnMut(Delta),
    ) -> Result<Flow, ModelError> {
        if let Some(said) = light::read(data) {
            if said.index == ASKED {
                self.reply.reasoning(&said.reasoning, sink)?;
                self.reply.text(&said.text, sink)?;
            }
            return Ok(Flow::More);
        }
        let value = parse(data).ok_or_else(not_json)?;
        self.chunk(&value, sink)?;
        Ok(Flow::More)
    }

    fn document(&mut self, whole: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        self.chunk(whole, sink)?;
        let first = whole.pointer("/choices/0").unwrap_or(&Value::Null);
        if first.get("message").is_some() || first.get("text").is_some() || self.reply.has_stop() {
            return Ok(());
        }
        Err(not_an_answer(whole))
    }

    fn reply(&self) -> &Reply {
        &self.reply
    }

    fn reply_mut(&mut self) -> &mut Reply {
        &mut self.reply
    }
}

impl Reading {
    fn chunk(&mut self, value: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        for path in ["/usage", "/x_groq/usage"] {
            if let Some(usage) = value.pointer(path).and_then(fields::usage) {
                self.reply.set_usage(usage);
            }
        }
        if let Some(percent) = value.get("prompt_progress").and_then(fields::percent) {
            sink(Delta::Reading { percent });
        }
        let choices = value.get("choices").and_then(Value::as_array);
        for choice in choices.into_iter().flatten() {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(ASKED);
            if index == ASKED {
                self.choice(choice, sink)?;
            }
        }
        if failure::is_error(value) {
            return Err(failure::in_reply(value));
        }
        Ok(())
    }

    fn choice(&mut self, choice: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        if let Some(usage) = choice.get("usage").and_then(fields::usage) {
            self.reply.set_usage(usage);
        }
        let field = |name: &str| choice.get(name).filter(|value| value.is_object());
        if let Some(delta) = field("delta") {
            self.delta(delta, CallSource::Stream, sink)?;
        } else if let Some(message) = field("message") {
            // After deltas it only repeats them.
            if self.reply.content_events() == 0 {
                self.delta(message, CallSource::WholeMessage, sink)?;
            }
        } else if let Some(text) = choice.get("text").and_then(Value::as_str) {
            self.reply.text(text, sink)?;
        }
        if let Some(reason) = choice.get("finish_reason").and_then(Value::as_str)
            && !reason.is_empty()
        {
            let stop = self.stop_reason(reason);
            self.reply.set_stop(stop);
        }
        Ok(())
    }

    fn stop_reason(&mut self, reason: &str) -> StopReason {
        fields::stop_reason(reason).unwrap_or_else(|| {
            let shown: String = reason.chars().take(40).collect();
            self.reply.note(&format!("unknown finish_reason `{shown}`"));
            StopReason::EndTurn
        })
    }

    fn delta(
        &mut self,
        delta: &Value,
        source: CallSource,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let mut outcome = Ok(());
        let reply = &mut self.reply;
        fields::reasoning(delta, &mut |text| {
            if outcome.is_ok() {
                outcome = reply.reasoning(text, sink);
            }
        });
        for key in ["content", "refusal"] {
            let Some(value) = delta.get(key) else {
                continue;
            };
            fields::content(value, &mut |channel, text| {
                if outcome.is_ok() {
                    outcome = match channel {
                        Channel::Answer => reply.text(text, sink),
                        Channel::Reasoning => reply.reasoning(text, sink),
                    };
                }
            });
        }
        outcome?;
        let listed = delta
            .get("tool_calls")
            .and_then(Value::as_array)
            .filter(|calls| !calls.is_empty());
        if let Some(calls) = listed {
            self.calls = CallForm::Listed;
            for call in calls {
                self.reply.call(&CallDelta::read(call), source, sink)?;
            }
        } else if self.calls == CallForm::NotSeen
            && let Some(call) = delta.get("function_call").filter(|call| call.is_object())
        {
            // The old form, from before there were lists.
            self.reply.call(&CallDelta::read(call), source, sink)?;
        }
        Ok(())
    }
}
