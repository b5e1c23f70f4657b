//! The body of a reply, whichever wire format it speaks: a stream of events or
//! one document, told by its first byte, because what was asked for and what
//! the headers say is not reliable. What an event means is the format's to read.

use crate::codec::Decoder;
use crate::failure;
use crate::repair::JsonScan;
use crate::reply::Reply;
use crate::sse::{MAX_EVENT_BYTES, SseDecoder, SseEvent};
use crate::{Delta, ModelError, ModelErrorKind};
use serde_json::Value;
use std::fmt;
use tenon_vocab::Message;

/// Whether more may come.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Flow {
    More,
    /// The format says that this was the last event.
    Done,
}

/// What one wire format makes of events and documents. `[DONE]`, empty events
/// and events named `error` never reach it.
pub(crate) trait Format: Clone + Default + fmt::Debug + Send + 'static {
    /// One event: its name, or `message`, and its data.
    fn event(
        &mut self,
        name: &str,
        data: &[u8],
        sink: &mut dyn FnMut(Delta),
    ) -> Result<Flow, ModelError>;

    /// The whole reply at once.
    fn document(&mut self, whole: &Value, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError>;

    /// What an error inside the answer means.
    fn fault(&self, said: &Value) -> ModelError {
        failure::in_reply(said)
    }

    fn reply(&self) -> &Reply;

    fn reply_mut(&mut self) -> &mut Reply;
}

/// How the body is written.
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
#[derive(Debug, Clone)]
pub struct BodyDecoder<F> {
    framing: Framing,
    progress: Progress,
    reading: Reading<F>,
    received: u64,
    /// The first bytes of the body that are not blank.
    opening: Vec<u8>,
}

impl<F: Format> Default for BodyDecoder<F> {
    fn default() -> Self {
        Self::with(F::default())
    }
}

#[expect(private_bounds, reason = "made by the codecs only")]
impl<F: Format> BodyDecoder<F> {
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// For a format that must know something before the first byte, as whose
    /// reasoning it reads.
    pub(crate) fn with(format: F) -> Self {
        Self {
            framing: Framing::default(),
            progress: Progress::default(),
            reading: Reading { format, events: 0 },
            received: 0,
            opening: Vec::new(),
        }
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
        if !self.never_began()
            && (self.progress == Progress::Done || self.reading.format.reply().has_stop())
        {
            let finished = self.reading.format.reply_mut().finish(sink);
            sink(Delta::Finished(finished));
            return Ok(());
        }
        Err(self.ended_early())
    }

    /// An end without a beginning: some servers drop an answer when another
    /// request arrives, and still say that it is done.
    fn never_began(&self) -> bool {
        let reply = self.reading.format.reply();
        matches!(self.framing, Framing::Events(_))
            && !reply.has_stop()
            && !reply.has_usage()
            && reply.content_events() == 0
    }

    fn ended_early(&self) -> ModelError {
        let hint = "The server ended the answer without saying why. Check its log.";
        if self.received == 0 {
            return ModelError::new(
                ModelErrorKind::Broken,
                "The server reported success but sent an empty answer.",
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
                "The answer broke off {}.",
                self.reading.format.reply().progress()
            ),
        )
        .with_hint(hint)
    }
}

impl<F: Format> Decoder for BodyDecoder<F> {
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
        self.reading.format.reply().content_events()
    }

    fn partial(&self) -> Message {
        self.reading.format.reply().partial()
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
            "The server answered with a web page.",
        )
        .with_hint(failure::BASE_URL_HINT)),
        _ => Ok(Framing::Events(SseDecoder::new())),
    }
}

fn too_large(what: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Protocol,
        format!("Can't read the server's answer: {what}."),
    )
}

/// What has been understood so far, apart from the bytes that wait.
#[derive(Debug, Clone)]
struct Reading<F> {
    format: F,
    events: u64,
}

impl<F: Format> Reading<F> {
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
        if event.name == "error" {
            let said = parse(data)
                .unwrap_or_else(|| Value::String(String::from_utf8_lossy(data).into_owned()));
            return Err(self.format.fault(&said));
        }
        if self.format.event(&event.name, data, sink)? == Flow::Done {
            *progress = Progress::Done;
        }
        Ok(())
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
                "The server's answer isn't valid JSON.",
            )
            .with_hint(failure::BASE_URL_HINT));
        };
        let whole = match &value {
            Value::Array(items) => items.first().unwrap_or(&Value::Null),
            other => other,
        };
        self.format.document(whole, sink)
    }
}

/// An event that must be JSON and is not.
pub(crate) fn not_json() -> ModelError {
    ModelError::new(
        ModelErrorKind::Protocol,
        "The server sent an event that isn't JSON.",
    )
    .with_hint("Try again; if it happens again, set `streaming` to false for this provider.")
}

/// JSON that is no answer in this format: whatever it says is why.
pub(crate) fn not_an_answer(whole: &Value) -> ModelError {
    if failure::says_something(whole) {
        return failure::in_reply(whole);
    }
    ModelError::new(
        ModelErrorKind::Protocol,
        "The server's answer is JSON, but not a model's answer.",
    )
    .with_hint(failure::BASE_URL_HINT)
}

/// JSON, with bytes that are no text replaced: one broken character must not
/// cost the answer.
pub(crate) fn parse(data: &[u8]) -> Option<Value> {
    serde_json::from_slice(data)
        .or_else(|_| serde_json::from_str(&String::from_utf8_lossy(data)))
        .ok()
}
