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
    /// Only the first so many requests of this step meet the fault.
    pub(crate) times: Option<NonZeroU32>,
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
