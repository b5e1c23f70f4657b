//! OpenAI's Responses (P4), which the Codex backend speaks as well, and some
//! local servers. Nothing is kept at the server: every request carries the
//! whole history, and the reasoning in its encrypted form.

mod answers;
mod content;
mod decode;
mod encode;
mod fault;
mod items;
mod names;
mod slots;

pub use decode::ResponsesDecoder;

use super::pieces::HeadCache;
use super::{Codec, Decoder};
use crate::quirks::Quirks;
use crate::{ModelEntry, ModelError, Request, listing};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// What a provider wants to know besides the request.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ResponsesOptions {
    /// Becomes `client_metadata`, in this order; nothing is sent when empty.
    pub metadata: Vec<(String, String)>,
    /// Whether the model may make several calls at once; not sent without it, nor
    /// without tools.
    pub parallel_tool_calls: Option<bool>,
    /// Whether the server keeps the answer. Nothing here builds on that it does.
    pub store: bool,
    /// What is to come along besides the encrypted reasoning.
    pub include: Vec<String>,
    /// How hard the model thinks where nobody said so.
    pub effort: Option<String>,
    /// Which summary of its thoughts is asked for; without it `auto`.
    pub summary: Option<String>,
}

#[derive(Debug)]
pub struct Responses {
    quirks: Quirks,
    /// Whose reasoning may go back: that of another provider is not ours to send.
    owner: Arc<str>,
    options: ResponsesOptions,
    /// The name under which a message keeps its fragment: all that changes how
    /// a message is written.
    key: Arc<str>,
    head: HeadCache,
}

impl Responses {
    #[must_use]
    pub fn new(quirks: Quirks, owner: impl Into<String>, options: ResponsesOptions) -> Self {
        let owner: String = owner.into();
        Self {
            key: Arc::from(format!("responses,{owner},{}", quirks.names().join(","))),
            owner: Arc::from(owner),
            quirks,
            options,
            head: HeadCache::default(),
        }
    }

    #[must_use]
    pub fn quirks(&self) -> &Quirks {
        &self.quirks
    }

    /// The same as [`Codec::decoder`], as its own type.
    #[must_use]
    pub fn reader(&self) -> ResponsesDecoder {
        decode::reader(&self.owner)
    }
}

impl Codec for Responses {
    fn key(&self) -> &'static str {
        "responses"
    }

    fn path(&self) -> &'static str {
        "/responses"
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn body(&self, model: &str, request: &Request) -> Vec<Bytes> {
        let prefix = &request.prefix;
        let head = self
            .head
            .get(model, prefix, || encode::head(model, prefix, &self.quirks));
        let mut pieces = vec![head];
        let writer = items::Writer::new(&self.quirks, &self.owner);
        let mut history = encode::history(request, &writer, &self.key);
        if let Some(first) = history.first_mut() {
            // Every item begins with a comma; the very first one must not.
            *first = first.slice(1..);
        }
        pieces.append(&mut history);
        pieces.push(encode::tail(request, &self.quirks, &self.options));
        pieces
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(self.reader())
    }

    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
        listing::parse_models(body)
    }

    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
        fault::of_status(status, retry_after, body)
    }
}
