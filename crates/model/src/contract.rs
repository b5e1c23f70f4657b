//! What the engine asks of a model, whatever speaks to it: a request made of
//! immutable pieces, and a stream of deltas that ends in exactly one
//! [`Delta::Finished`] or one error.

use crate::presets::Reach;
use crate::quirks::{ContentNull, MaxTokensField, ReturnReasoning};
use bytes::Bytes;
use futures_core::Stream;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use std::fmt;
use std::pin::Pin;
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::Duration;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{BlobRef, Cost, Message, StopReason, TodoItem, ToolSpec, Usage};

/// One message of the history. It is encoded once: the fragment that a codec
/// made of it is kept, so a step costs the new messages and not the history,
/// and what was sent before is sent again byte for byte.
pub struct Entry {
    pub message: Arc<Message>,
    /// The content of the blobs that the message points at.
    pub blobs: Vec<(BlobRef, Bytes)>,
    fragment: Slot,
    attachment: Slot,
    tokens: OnceLock<u64>,
}

/// What one codec made of a message; another codec's takes its place.
type Slot = Mutex<Option<(Arc<str>, Bytes)>>;

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
        Self::with_blobs(message, Vec::new())
    }

    #[must_use]
    pub fn with_blobs(message: Arc<Message>, blobs: Vec<(BlobRef, Bytes)>) -> Self {
        Self {
            message,
            blobs,
            fragment: Slot::default(),
            attachment: Slot::default(),
            tokens: OnceLock::new(),
        }
    }

    /// The fragment of the codec `key`, made at its first use. Only one codec's
    /// is kept: `key` names everything that changes how a message is written.
    pub fn fragment(&self, key: &Arc<str>, encode: impl Fn(&Self) -> Bytes) -> Bytes {
        self.kept(&self.fragment, key, encode)
    }

    /// What belongs to the message but must stand elsewhere: the images of a
    /// tool's result, where the format has no place for them in it.
    pub fn attachment(&self, key: &Arc<str>, encode: impl Fn(&Self) -> Bytes) -> Bytes {
        self.kept(&self.attachment, key, encode)
    }

    fn kept(&self, slot: &Slot, key: &Arc<str>, encode: impl Fn(&Self) -> Bytes) -> Bytes {
        let mut kept = slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &*kept {
            Some((known, bytes)) if known == key => bytes.clone(),
            _ => {
                let bytes = encode(self);
                *kept = Some((Arc::clone(key), bytes.clone()));
                bytes
            }
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
    /// The longest answer that the server allows, when it said so. Nobody's
    /// wish: how much a model thinks is not chosen by it.
    pub allowed: Option<u64>,
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
    /// The same for all requests of a session: providers that cache by a key
    /// find the prefix again by it.
    pub cache_key: Option<Arc<str>>,
    /// The tokens that are left beside what is sent, when the window is known.
    /// Apart from the parameters: it shrinks with every step, and nothing that
    /// must stay the same may be chosen by it.
    pub room: Option<u64>,
}

impl Request {
    /// The longest answer that the user wants, as far as there is room for it
    /// and the server allows it.
    #[must_use]
    pub fn max_tokens(&self) -> Option<u64> {
        let wanted = self.parameters.max_tokens.or(self.parameters.allowed);
        wanted.map(|most| self.fitting(most))
    }

    /// As much of this as there is room for and the server allows.
    pub(crate) fn fitting(&self, tokens: u64) -> u64 {
        let limits = [self.room, self.parameters.allowed];
        limits.into_iter().flatten().fold(tokens, u64::min)
    }
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
    /// The server reads the prompt and says how far it is. Comes before any
    /// content, from servers that were asked for it.
    Reading {
        percent: u8,
    },
    /// The server did not take the request as it was; another form of it is
    /// under way, and will be used from now on. Comes before any content.
    Adapted(Adapted),
    /// Something that people should know of the way to the server, such as a login
    /// that ends soon. What is sent stays as it is. Comes before any content.
    Warned(Warned),
    /// There is no connection to the server yet, though it should be there by
    /// now. It is still tried. Comes before any content.
    Unanswered(Warned),
    /// The last one, always.
    Finished(Finished),
}

/// What people should know, and what to do about it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Warned {
    pub message: String,
    pub hint: Option<String>,
}

/// What was learned of a server, for people.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Adapted {
    /// `The server takes no tools; they are described in the prompt instead.`
    pub message: String,
    /// What to set, so that it need not be learned again.
    pub hint: Option<String>,
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
    /// The task list that a reply of the markdown dialect carries.
    pub todo: Option<Vec<TodoItem>>,
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
    /// What could be sent differently so that the server takes it.
    pub remedy: Option<Box<Remedy>>,
    /// How long that holds, once it has helped.
    pub holds: Holds,
    /// Of [`ModelErrorKind::NotFound`]: what the server does not know.
    pub missing: Option<Missing>,
}

/// How long it holds what a refusal taught.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Holds {
    /// It is remembered for this address and model.
    #[default]
    Kept,
    /// As long as the session: a server that failed may have repeated words of
    /// the prompt, and those decide nothing for a month.
    Session,
}

/// What a server does not know, as far as its words tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missing {
    Address,
    Model,
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
            remedy: None,
            holds: Holds::Kept,
            missing: None,
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
    /// What the user or the catalogue says; the server is asked when this is
    /// not the user's ([`Model::served_window`]).
    pub window: Option<Window>,
    pub vision: Vision,
    pub prices: Option<Prices>,
    /// Whether its server is this machine or stands in a private network.
    pub reach: Reach,
}

impl Identity {
    /// For a model of which nothing else is known.
    #[must_use]
    pub fn new(endpoint: impl Into<String>, model: impl Into<String>) -> Self {
        Self {
            endpoint: endpoint.into(),
            model: model.into(),
            dialect: String::from("native"),
            parameters: Value::Null,
            quirks: Vec::new(),
            window: None,
            vision: Vision::Unknown,
            prices: None,
            reach: Reach::Local,
        }
    }
}

/// How many tokens a model holds, and who says so. The user's word is never
/// exceeded; the server's comes before the catalogue's.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    pub tokens: u64,
    pub source: WindowSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum WindowSource {
    User,
    /// Where the server said it: `/props`, `/v1/models`.
    Server(String),
    Catalogue,
}

/// Whether a model can look at images.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Vision {
    /// Nobody said; they are sent, and a refusal is explained.
    #[default]
    Unknown,
    Yes,
    No,
}

/// Dollars for a million tokens.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Prices {
    pub input: f64,
    pub output: f64,
    /// Of input that came from the cache; without it, as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cached: Option<f64>,
    /// Of input that was written into the cache; without it, as `input`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_write: Option<f64>,
}

impl Prices {
    /// What this usage costs. Dollars a million tokens are millionths of a
    /// dollar a token.
    #[must_use]
    pub fn cost(&self, usage: &Usage) -> Cost {
        let cached = usage.cached.min(usage.input);
        let written = usage.cache_write.min(usage.input - cached);
        let plain = usage.input - cached - written;
        let sum = plain as f64 * self.input
            + cached as f64 * self.cached.unwrap_or(self.input)
            + written as f64 * self.cache_write.unwrap_or(self.input)
            + usage.output as f64 * self.output;
        Cost(sum.round().max(0.0) as u64)
    }
}

/// One way in which a request can be sent differently, told from a refusal.
/// Kept for each endpoint and model, so that it is learned once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "remedy", rename_all = "snake_case")]
pub enum Remedy {
    /// Leave this parameter out.
    Omit {
        field: String,
    },
    /// The other name of the field that limits the answer.
    MaxTokensField {
        field: MaxTokensField,
    },
    /// At most so many tokens for this one answer. Never kept.
    MaxTokens {
        most: u64,
    },
    ContentNull {
        content: ContentNull,
    },
    ReturnReasoning {
        reasoning: ReturnReasoning,
    },
    /// The server takes no tools: the markdown dialect.
    Markdown,
    /// Without the images of the history: too many, too large, or not taken.
    /// Never kept.
    NoImages,
    /// Without the sealed reasoning of the history, which the server does not
    /// open any more: another account, another key, a model that was replaced.
    /// Says nothing of what it takes from now on. Never kept.
    NoSealedReasoning,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ModelEntry {
    pub id: String,
    pub context_window: Option<u64>,
}

pub trait Model: Send + Sync {
    /// Who answers, as it is now: a server's refusal may change the dialect or
    /// a quirk.
    fn identity(&self) -> Arc<Identity>;

    /// Never waits and tries again: that is the engine's. What may be asked a
    /// second time inside is the same request in another form, or with a key
    /// that was renewed, before any content. The stream ends after its one
    /// `Finished` or its one error; it never yields anything after either.
    fn stream(&self, request: Request) -> DeltaStream;

    /// The models that the server offers.
    fn models(&self) -> BoxFuture<'_, Result<Vec<ModelEntry>, ModelError>>;

    /// The window that the server says it serves this model with; `None` when
    /// it does not say. Asks for metadata only, never for a completion.
    fn served_window(&self) -> BoxFuture<'_, Option<Window>> {
        Box::pin(std::future::ready(None))
    }
}
