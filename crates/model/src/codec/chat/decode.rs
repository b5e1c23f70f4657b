//! Reads the reply to a chat completion: a stream of events or one document,
//! whichever the server chose to send.

use super::fields;
use crate::calls::CallDelta;
use crate::codec::Decoder;
use crate::failure;
use crate::repair::JsonScan;
use crate::reply::{CallSource, Reply};
use crate::sse::{MAX_EVENT_BYTES, SseDecoder, SseEvent};
use crate::think::Channel;
use crate::{Delta, ModelError, ModelErrorKind};
use serde_json::Value;
use tenon_vocab::{Message, StopReason};

/// How the body is written, told by its first byte: what was asked for and what
/// the headers say is not reliable.
#[derive(Debug, Clone, Default)]
enum Framing {
    #[default]
    Unknown,
    Events(SseDecoder),
    Document {
        bytes: Vec<u8>,
        scan: JsonScan,
    },
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Progress {
    #[default]
    Reading,
    /// `[DONE]`, or the whole document.
    Done,
    /// `finish` was called, or an error was given.
    Over,
}

/// One reply being read. `Clone`, so that a test can go on from any byte twice.
#[derive(Debug, Clone, Default)]
pub struct ChatDecoder {
    framing: Framing,
    progress: Progress,
    reading: Reading,
    received: u64,
    /// The first bytes of the body that are not blank.
    opening: Vec<u8>,
}

impl ChatDecoder {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    fn take(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        let bytes = match self.framing {
            Framing::Unknown => {
                let Some(start) = bytes.iter().position(|&byte| !is_blank(byte)) else {
                    return Ok(());
                };
                self.framing = framing_of(bytes[start])?;
                &bytes[start..]
            }
            _ => bytes,
        };
        let missing = OPENING.saturating_sub(self.opening.len());
        self.opening.extend(bytes.iter().take(missing));
        match &mut self.framing {
            Framing::Unknown => Ok(()),
            Framing::Events(events) => {
                let (reading, progress) = (&mut self.reading, &mut self.progress);
                let mut outcome = Ok(());
                let pushed = events.push(bytes, &mut |event| {
                    if outcome.is_ok() && *progress == Progress::Reading {
                        outcome = reading.event(&event, progress, sink);
                    }
                });
                outcome?;
                pushed.map_err(|error| too_large(&error.to_string()))
            }
            Framing::Document { bytes: held, scan } => {
                if held.len() + bytes.len() > MAX_EVENT_BYTES {
                    return Err(too_large(&format!(
                        "the document is larger than {MAX_EVENT_BYTES} bytes"
                    )));
                }
                let Some(length) = scan.feed_until_closed(bytes) else {
                    held.extend_from_slice(bytes);
                    return Ok(());
                };
                // What follows the document is none of ours.
                held.extend_from_slice(&bytes[..length]);
                self.progress = Progress::Done;
                let document = std::mem::take(held);
                self.reading.document(&document, sink)
            }
        }
    }

    fn end(&mut self, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        if let Framing::Events(events) = &mut self.framing
            && self.progress == Progress::Reading
        {
            let (reading, progress) = (&mut self.reading, &mut self.progress);
            let mut outcome = Ok(());
            let _ =
                events.finish(&mut |event| outcome = reading.last_event(&event, progress, sink));
            outcome?;
        }
        if self.progress == Progress::Done || self.reading.reply.has_stop() {
            let finished = self.reading.reply.finish(sink);
            sink(Delta::Finished(finished));
            return Ok(());
        }
        Err(self.ended_early())
    }

    fn ended_early(&self) -> ModelError {
        let hint = "Look into the server's log: it ended the answer without saying why.";
        if self.received == 0 {
            return ModelError::new(
                ModelErrorKind::Broken,
                "The server answered with success and a body of 0 bytes.",
            )
            .with_hint(hint);
        }
        let not_an_answer = match self.framing {
            Framing::Unknown => true,
            Framing::Events(_) => self.reading.events == 0 && !opens_events(&self.opening),
            Framing::Document { .. } => false,
        };
        if not_an_answer {
            return ModelError::new(
                ModelErrorKind::Protocol,
                "The server's answer is neither a stream of events nor JSON.",
            )
            .with_hint(failure::BASE_URL_HINT);
        }
        ModelError::new(
            ModelErrorKind::Broken,
            format!(
                "The answer ended before its end, after {}.",
                self.reading.reply.progress()
            ),
        )
        .with_hint(hint)
    }
}

impl Decoder for ChatDecoder {
    fn push(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        if self.progress != Progress::Reading {
            return Ok(());
        }
        self.received = self.received.saturating_add(bytes.len() as u64);
        self.take(bytes, sink).map_err(|error| {
            self.progress = Progress::Over;
            error.with_partial(self.partial())
        })
    }

    fn finish(&mut self, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        if self.progress == Progress::Over {
            return Ok(());
        }
        let ended = self.end(sink);
        self.progress = Progress::Over;
        ended.map_err(|error| error.with_partial(self.partial()))
    }

    fn is_done(&self) -> bool {
        self.progress != Progress::Reading
    }

    fn content_events(&self) -> u64 {
        self.reading.reply.content_events()
    }

    fn partial(&self) -> Message {
        self.reading.reply.partial()
    }
}

/// How many bytes tell a stream of events from other text.
const OPENING: usize = 6;

/// Whether a body that ended before its first event was going to be events.
fn opens_events(opening: &[u8]) -> bool {
    [
        b"data:".as_slice(),
        b"event:",
        b":",
        b"id:",
        b"retry:",
        b"error:",
    ]
    .iter()
    .any(|field| opening.starts_with(field) || field.starts_with(opening))
}

fn is_blank(byte: u8) -> bool {
    // White space, and the bytes of a byte order mark.
    byte.is_ascii_whitespace() || matches!(byte, 0xEF | 0xBB | 0xBF)
}

fn framing_of(first: u8) -> Result<Framing, ModelError> {
    match first {
        b'{' | b'[' => Ok(Framing::Document {
            bytes: Vec::new(),
            scan: JsonScan::default(),
        }),
        b'<' => Err(ModelError::new(
            ModelErrorKind::Protocol,
            "The server answered with a web page instead of a model's answer.",
        )
        .with_hint(failure::BASE_URL_HINT)),
        _ => Ok(Framing::Events(SseDecoder::new())),
    }
}

fn too_large(what: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Protocol,
        format!("The server's answer cannot be read: {what}."),
    )
}

/// What has been understood so far, apart from the bytes that wait.
#[derive(Debug, Clone, Default)]
struct Reading {
    reply: Reply,
    /// Only one choice is asked for; the first one that comes is it.
    choice: Option<u64>,
    events: u64,
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

impl Reading {
    fn event(
        &mut self,
        event: &SseEvent,
        progress: &mut Progress,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        self.events += 1;
        let data = event.data.trim_ascii();
        if data.is_empty() {
            return Ok(());
        }
        if data.eq_ignore_ascii_case(b"[DONE]") {
            *progress = Progress::Done;
            return Ok(());
        }
        match (parse(data), event.name.as_str()) {
            (Some(value), "error") => Err(failure::in_reply(&value)),
            (None, "error") => Err(failure::in_reply(&Value::String(
                String::from_utf8_lossy(data).into_owned(),
            ))),
            (Some(value), _) => self.chunk(&value, sink),
            (None, _) => Err(ModelError::new(
                ModelErrorKind::Protocol,
                "The server sent an event that is not JSON.",
            )
            .with_hint("Try again; if it stays, set `streaming` to false for this provider.")),
        }
    }

    /// The event at the end of the body may be cut; then it counts for nothing.
    fn last_event(
        &mut self,
        event: &SseEvent,
        progress: &mut Progress,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let data = event.data.trim_ascii();
        if event.name != "error" && !data.eq_ignore_ascii_case(b"[DONE]") && parse(data).is_none() {
            self.events += 1;
            return Ok(());
        }
        self.event(event, progress, sink)
    }

    fn document(&mut self, bytes: &[u8], sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        let Some(value) = parse(bytes.trim_ascii()) else {
            return Err(ModelError::new(
                ModelErrorKind::Protocol,
                "The server's answer is not valid JSON.",
            )
            .with_hint(failure::BASE_URL_HINT));
        };
        let whole = match &value {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            other => other,
        };
        self.chunk(whole, sink)?;
        let first = whole.pointer("/choices/0").unwrap_or(&Value::Null);
        if first.get("message").is_some() || first.get("text").is_some() || self.reply.has_stop() {
            return Ok(());
        }
        // Nothing like an answer: whatever it says is why.
        if failure::says_something(whole) {
            return Err(failure::in_reply(whole));
        }
        Err(ModelError::new(
            ModelErrorKind::Protocol,
            "The server's answer is JSON, but not the answer of a model.",
        )
        .with_hint(failure::BASE_URL_HINT))
    }

    fn chunk(&mut self, value: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        for path in ["/usage", "/x_groq/usage"] {
            if let Some(usage) = value.pointer(path).and_then(fields::usage) {
                self.reply.set_usage(usage);
            }
        }
        let choices = value.get("choices").and_then(Value::as_array);
        for choice in choices.into_iter().flatten() {
            let index = choice.get("index").and_then(Value::as_u64).unwrap_or(0);
            if *self.choice.get_or_insert(index) == index {
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

/// JSON, with bytes that are no text replaced: one broken character must not
/// cost the answer.
fn parse(data: &[u8]) -> Option<Value> {
    serde_json::from_slice(data)
        .or_else(|_| serde_json::from_str(&String::from_utf8_lossy(data)))
        .ok()
}
