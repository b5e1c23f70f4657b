//! What can be made to go wrong at a step: slowness, refusals, broken streams.
//!
//! The plan only; `reply` carries it out on the bytes.

use std::collections::HashMap;
use std::num::NonZeroU32;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use hyper::header::HeaderValue;
use serde::Deserialize;
use serde::de::{self, Deserializer};
use serde_json::Value;

use crate::software::Software;

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an object with faults")]
pub(crate) struct Fault {
    /// Before the status line.
    #[serde(deserialize_with = "milliseconds")]
    pub(crate) delay_ms: Duration,
    /// After the headers, before the first event.
    #[serde(deserialize_with = "milliseconds")]
    pub(crate) first_token_ms: Duration,
    #[serde(deserialize_with = "status")]
    pub(crate) status: Option<u16>,
    #[serde(deserialize_with = "retry_after")]
    pub(crate) retry_after: Option<HeaderValue>,
    /// Instead of the reply: a string as it is, anything else as JSON.
    #[serde(deserialize_with = "present")]
    pub(crate) body: Option<Value>,
    /// The connection closes after exactly so many bytes of the body.
    pub(crate) cut_after_bytes: Option<u64>,
    /// After the event that reaches so many bytes, only comments come.
    pub(crate) stall_after_bytes: Option<u64>,
    /// One event that is not JSON, after the first.
    pub(crate) malformed_chunk: bool,
    /// The reply begins well and ends in an error event.
    pub(crate) error_event: Option<ErrorEvent>,
    /// A request with one of these parameters is refused by its name.
    pub(crate) refuse_parameters: Vec<String>,
    /// A request with tools is refused.
    pub(crate) refuse_tools: bool,
    /// A prompt that is estimated larger is refused.
    pub(crate) window: Option<u64>,
    /// The prompt is reported as this at most, however long it was.
    pub(crate) truncate_to: Option<u64>,
    /// Assistant messages with calls must carry `reasoning_content`.
    pub(crate) require_reasoning_content: bool,
    /// No message may carry `reasoning_content`.
    pub(crate) refuse_reasoning_content: bool,
    /// Whose words a refusal has; the server's own without it.
    pub(crate) words: Option<Software>,
    /// Only the first so many requests of this step meet the fault.
    pub(crate) times: Option<NonZeroU32>,
}

/// An error that comes when the stream has begun, under status 200.
#[derive(Debug, Clone, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "an error event")]
pub(crate) struct ErrorEvent {
    /// How many events come before it.
    pub(crate) after: u64,
    #[serde(rename = "type")]
    kind: Option<String>,
    message: String,
    pub(crate) form: ErrorForm,
}

/// The Responses format has two ways to say it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum ErrorForm {
    /// A `response.failed` event.
    #[default]
    Failed,
    /// An `error` event.
    Error,
}

impl Default for ErrorEvent {
    fn default() -> Self {
        Self {
            after: 1,
            kind: None,
            message: "Overloaded".to_owned(),
            form: ErrorForm::default(),
        }
    }
}

impl ErrorEvent {
    pub(crate) fn kind<'k>(&'k self, default: &'k str) -> &'k str {
        self.kind.as_deref().unwrap_or(default)
    }

    pub(crate) fn message(&self) -> &str {
        &self.message
    }
}

impl Fault {
    pub(crate) fn replaces_reply(&self) -> bool {
        self.status.is_some() || self.body.is_some()
    }
}

/// Where a fault stands: the scenario and its step.
pub(crate) type FaultPlace = (usize, usize);

/// How often each fault was met. The only thing that a server remembers
/// between two requests, because "the second attempt succeeds" cannot be read
/// from a conversation.
#[derive(Debug, Default)]
pub(crate) struct FaultCounts(Mutex<HashMap<FaultPlace, u32>>);

impl FaultCounts {
    /// Whether the fault still strikes; if so, it is counted.
    pub(crate) fn strikes(&self, place: FaultPlace, fault: &Fault) -> bool {
        let Some(times) = fault.times else {
            return true;
        };
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let met = counts.entry(place).or_default();
        if *met >= times.get() {
            return false;
        }
        *met += 1;
        true
    }
}

fn milliseconds<'de, D: Deserializer<'de>>(input: D) -> Result<Duration, D::Error> {
    u64::deserialize(input).map(Duration::from_millis)
}

fn status<'de, D: Deserializer<'de>>(input: D) -> Result<Option<u16>, D::Error> {
    let status = u16::deserialize(input)?;
    if (200..=599).contains(&status) {
        return Ok(Some(status));
    }
    Err(de::Error::custom(format!(
        "`status` is {status}, expected a number from 200 to 599"
    )))
}

fn retry_after<'de, D: Deserializer<'de>>(input: D) -> Result<Option<HeaderValue>, D::Error> {
    let text = match Value::deserialize(input)? {
        Value::String(text) => text,
        Value::Number(number) => number.to_string(),
        _ => return Err(de::Error::custom("`retry_after` must be seconds or a text")),
    };
    HeaderValue::from_str(&text)
        .map(Some)
        .map_err(|_| de::Error::custom("`retry_after` holds characters that no header can carry"))
}

/// `null` is a body too.
fn present<'de, D: Deserializer<'de>>(input: D) -> Result<Option<Value>, D::Error> {
    Value::deserialize(input).map(Some)
}
