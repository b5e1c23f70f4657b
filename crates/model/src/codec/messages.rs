//! Anthropic's Messages (P3), also as llama.cpp, LiteLLM and others speak it.

mod blocks;
mod decode;
mod fields;
mod head;
mod image;
mod names;
mod parameters;
mod results;
mod thinking;
mod weave;
mod wire;

pub use decode::MessagesDecoder;

use super::{Codec, Decoder};
use crate::quirks::{Quirks, ReturnReasoning};
use crate::{Delivery, ModelEntry, ModelError, Prefix, Request, failure, listing};
use blocks::{Thoughts, Writing};
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;
use thinking::Thinking;
use weave::{LastBlock, Turn, Woven};

/// The version of the API that this is written for.
const VERSION: &str = "2023-06-01";

/// Holds the prefix itself, not its address: an address may be used again.
#[derive(Debug)]
struct Head {
    prefix: Arc<Prefix>,
    model: String,
    bytes: Bytes,
}

#[derive(Debug)]
pub struct Messages {
    quirks: Quirks,
    owner: Arc<str>,
    /// How messages are written while the model may think, and while it may
    /// not: two keys, because fragments of the one must not meet the other.
    with_thoughts: Writing,
    without_thoughts: Writing,
    /// Tools and system prompt are encoded once for each prefix.
    head: Mutex<Option<Head>>,
}

impl Messages {
    /// `owner` marks what only this provider can read again: signed thinking
    /// goes back where it came from, and nowhere else.
    #[must_use]
    pub fn new(quirks: Quirks, owner: impl Into<String>) -> Self {
        let owner: Arc<str> = Arc::from(owner.into());
        let kept = match quirks.return_reasoning {
            ReturnReasoning::Never => Thoughts::Signed,
            ReturnReasoning::ReasoningContent => Thoughts::All,
        };
        let writing = |thoughts| Writing::new(&owner, thoughts, &quirks);
        Self {
            with_thoughts: writing(kept),
            without_thoughts: writing(Thoughts::None),
            quirks,
            owner,
            head: Mutex::new(None),
        }
    }

    #[must_use]
    pub fn quirks(&self) -> &Quirks {
        &self.quirks
    }

    fn head(&self, model: &str, prefix: &Arc<Prefix>) -> Bytes {
        let mut kept = self.head.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(head) = &*kept
            && Arc::ptr_eq(&head.prefix, prefix)
            && head.model == model
        {
            return head.bytes.clone();
        }
        let bytes = head::head(model, prefix, &self.quirks);
        *kept = Some(Head {
            prefix: Arc::clone(prefix),
            model: model.to_owned(),
            bytes: bytes.clone(),
        });
        bytes
    }

    fn weave(&self, model: &str, request: &Request, thinking: Thinking) -> Woven {
        let writing = if thinking::returns_thoughts(model, thinking) {
            &self.with_thoughts
        } else {
            &self.without_thoughts
        };
        let last = if self.quirks.omits("cache_control") && head::marks_blocks(&self.quirks) {
            LastBlock::Marked
        } else {
            LastBlock::Plain
        };
        let head = self.head(model, &request.prefix);
        weave::weave(head, &request.entries, writing, last)
    }
}

impl Codec for Messages {
    fn key(&self) -> &'static str {
        "messages"
    }

    fn path(&self) -> &'static str {
        "/messages"
    }

    fn headers(&self) -> Vec<(&'static str, String)> {
        vec![("anthropic-version", String::from(VERSION))]
    }

    fn models_path(&self) -> &'static str {
        "/models"
    }

    fn body(&self, model: &str, request: &Request) -> Vec<Bytes> {
        let mut thinking = thinking::choose(model, &request.parameters, &self.quirks);
        let mut woven = self.weave(model, request, thinking);
        // Who began to work without thinking may not be told to think in the
        // middle of it; a model that decides by itself may.
        if matches!(thinking, Thinking::Budget(_)) && woven.turn == Turn::WithoutThinking {
            thinking = Thinking::Default;
            woven = self.weave(model, request, thinking);
        }
        let tail = parameters::tail(model, request, &self.quirks, thinking);
        woven.pieces.push(tail);
        woven.pieces
    }

    fn decoder(&self, _delivery: Delivery) -> Box<dyn Decoder> {
        Box::new(decode::decoder(&self.owner))
    }

    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
        listing::parse_models(body)
    }

    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
        failure::classify(status, retry_after, body)
    }
}
