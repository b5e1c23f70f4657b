//! What the engine asks of a model, whatever speaks to it: a request made of
//! immutable pieces, and a stream of deltas that ends in exactly one
//! [`Delta::Finished`] or one error.

use bytes::Bytes;
use futures_core::Stream;
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{BlobRef, Message, StopReason, ToolSpec, Usage};

/// One message of the history. It is encoded once: the fragment that a codec
/// made of it is kept, so a step costs the new messages and not the history,
/// and what was sent before is sent again byte for byte.
pub struct Entry {
    pub message: Arc<Message>,
    /// The content of the blobs that the message points at.
    pub blobs: Vec<(BlobRef, Bytes)>,
    fragment: OnceLock<(&'static str, Bytes)>,
    attachment: OnceLock<(&'static str, Bytes)>,
    tokens: OnceLock<u64>,
}

impl fmt::Debug for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Entry")
            .field("message", &self.message)
            .finish_non_exhaustive()
    }
}

impl Entry {
    #[must_use]
    pub fn new(message: Arc<Message>) -> Self {
        Self {
            message,
            blobs: Vec::new(),
            fragment: OnceLock::new(),
            attachment: OnceLock::new(),
            tokens: OnceLock::new(),
        }
    }

    #[must_use]
    pub fn with_blobs(message: Arc<Message>, blobs: Vec<(BlobRef, Bytes)>) -> Self {
        Self {
            message,
            blobs,
            fragment: OnceLock::new(),
            attachment: OnceLock::new(),
            tokens: OnceLock::new(),
        }
    }

    /// The fragment of the codec `key`, made at its first use. Only one codec's
    /// is kept: a change of codec makes new entries.
    pub fn fragment(&self, key: &'static str, encode: impl Fn(&Self) -> Bytes) -> Bytes {
        self.kept(&self.fragment, key, encode)
    }

    /// What belongs to the message but must stand elsewhere: the images of a
    /// tool's result, where the format has no place for them in it.
    pub fn attachment(&self, key: &'static str, encode: impl Fn(&Self) -> Bytes) -> Bytes {
        self.kept(&self.attachment, key, encode)
    }

    fn kept(
        &self,
        slot: &OnceLock<(&'static str, Bytes)>,
        key: &'static str,
        encode: impl Fn(&Self) -> Bytes,
    ) -> Bytes {
        let (kept, bytes) = slot.get_or_init(|| (key, encode(self)));
        if *kept == key {
            bytes.clone()
        } else {
            encode(self)
        }
    }

    /// The estimated tokens of the message, counted at the first use.
    pub fn tokens(&self) -> u64 {
        *self
            .tokens
            .get_or_init(|| crate::estimate::estimate_message(&self.message))
    }
}

/// What stands before the history: fixed for a session unless the user changes
/// agent, model or tools.
#[derive(Debug)]
pub struct Prefix {
    pub system: String,
    pub tools: Vec<ToolSpec>,
}

/// Sampling parameters; what is `None` is not sent.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Parameters {
    pub temperature: Option<f64>,
    pub top_p: Option<f64>,
    pub max_tokens: Option<u64>,
    pub reasoning_effort: Option<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Delivery {
    Streamed,
    Whole,
}

#[derive(Debug, Clone)]
pub struct Request {
    pub prefix: Arc<Prefix>,
    pub entries: Vec<Arc<Entry>>,
    pub parameters: Parameters,
    pub delivery: Delivery,
}

/// What arrives while a model answers.
#[derive(Debug, Clone, PartialEq)]
pub enum Delta {
    Text(String),
    Reasoning(String),
    /// A call is being written: for a sign of life, not to act upon.
    ToolCall {
        index: usize,
        name: String,
        bytes: usize,
    },
    /// The last one, always.
    Finished(Finished),
}

#[derive(Debug, Clone, PartialEq)]
pub struct Finished {
    /// Whole: parts in the order in which they came, status complete, stop and usage set.
    pub message: Message,
    pub stop: StopReason,
    /// As the server reported it; `None` when it did not.
    pub usage: Option<Usage>,
    /// What was put right on the way in, each in a sentence: `tool call without an id`.
    pub repairs: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ModelErrorKind {
    /// No connection, DNS, reset.
    Network,
    /// The server did not begin to answer in time.
    Timeout,
    /// A stream began and went silent.
    Stalled,
    /// A stream ended before its end.
    Broken,
    /// 401, 403
    Auth,
    /// 404: wrong path or wrong model.
    NotFound,
    /// 429
    RateLimited,
    /// 408 and 5xx
    Unavailable,
    /// The prompt does not fit into the window.
    ContextOverflow,
    /// Any other 4xx.
    Rejected,
    /// The reply is not what the format says.
    Protocol,
    /// A key, a certificate or a URL that cannot be used.
    Configuration,
}

/// Why a model did not finish. Carries what had arrived.
#[derive(Debug, Clone, thiserror::Error)]
#[error("{message}")]
pub struct ModelError {
    pub kind: ModelErrorKind,
    /// What happened, with host and port where it is about the network.
    pub message: String,
    /// What to do next.
    pub hint: Option<String>,
    pub status: Option<u16>,
    pub retry_after: Option<Duration>,
    /// The message so far; boxed because it is rarely there.
    pub partial: Option<Box<Message>>,
}

impl ModelError {
    #[must_use]
    pub fn new(kind: ModelErrorKind, message: impl Into<String>) -> Self {
        Self {
            kind,
            message: message.into(),
            hint: None,
            status: None,
            retry_after: None,
            partial: None,
        }
    }

    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }

    #[must_use]
    pub fn with_partial(mut self, partial: Message) -> Self {
        self.partial = Some(Box::new(partial));
        self
    }

    /// Whether the same request may succeed later (P7).
    #[must_use]
    pub fn is_retryable(&self) -> bool {
        matches!(
            self.kind,
            ModelErrorKind::Network
                | ModelErrorKind::Timeout
                | ModelErrorKind::Stalled
                | ModelErrorKind::Broken
                | ModelErrorKind::RateLimited
                | ModelErrorKind::Unavailable
        )
    }
}

/// Dropping it cancels the request.
pub type DeltaStream = Pin<Box<dyn Stream<Item = Result<Delta, ModelError>> + Send>>;

/// Who answers, as the log names it.
#[derive(Debug, Clone, PartialEq)]
pub struct Identity {
    /// The name of the profile in the configuration: `vllm`.
    pub endpoint: String,
    pub model: String,
    /// `native` or `markdown`
    pub dialect: String,
    /// What besides the prefix goes into every request.
    pub parameters: Value,
    pub quirks: Vec<String>,
    pub context_window: Option<u64>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEntry {
    pub id: String,
    pub context_window: Option<u64>,
}

pub trait Model: Send + Sync {
    fn identity(&self) -> &Identity;

    /// One attempt, never retried inside. The stream ends after its one
    /// `Finished` or its one error; it never yields anything after either.
    fn stream(&self, request: Request) -> DeltaStream;

    /// The models that the server offers.
    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>>;
}
