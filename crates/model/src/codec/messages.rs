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

use super::pieces::HeadCache;
use super::{Codec, Decoder};
use crate::quirks::{Quirks, ReturnReasoning};
use crate::{ModelEntry, ModelError, Request, failure, listing};
use blocks::{Thoughts, Writing};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;
use thinking::Thinking;
use weave::{LastBlock, Turn, Woven, Writings};

/// The version of the API that this is written for.
const VERSION: &str = "2023-06-01";

#[derive(Debug)]
pub struct Messages {
    quirks: Quirks,
    owner: Arc<str>,
    /// How messages are written while the model may think, and while it may
    /// not: two keys, because fragments of the one must not meet the other.
    with_thoughts: Writing,
    without_thoughts: Writing,
    head: HeadCache,
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
            head: HeadCache::default(),
        }
    }

    #[must_use]
    pub fn quirks(&self) -> &Quirks {
        &self.quirks
    }

    /// How a history is written follows from the configuration alone, so that
    /// what was sent once is sent again (E9).
    fn weave(&self, model: &str, request: &Request, thinking: Thinking) -> Woven {
        let writing = |thinking| {
            if thinking::returns_thoughts(model, thinking) {
                &self.with_thoughts
            } else {
                &self.without_thoughts
            }
        };
        let usual = writing(thinking);
        // A turn that began without thinking gets no budget, and what a model
        // may be shown then is not what it may be shown with one.
        let halted = match thinking {
            Thinking::Budget(_) => writing(Thinking::Default),
            _ => usual,
        };
        let last = if self.quirks.omits("cache_control") && head::marks_blocks(&self.quirks) {
            LastBlock::Marked
        } else {
            LastBlock::Plain
        };
        let prefix = &request.prefix;
        let head = self
            .head
            .get(model, prefix, || head::head(model, prefix, &self.quirks));
        weave::weave(head, &request.entries, Writings { usual, halted }, last)
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
        let chosen = thinking::choose(model, &request.parameters, &self.quirks);
        let mut woven = self.weave(model, request, chosen);
        let wanted = thinking::longest_answer(model, &request.parameters, chosen);
        // Who began to work without thinking may not be told to think in the
        // middle of it; a model that decides by itself may. The messages are
        // the same either way.
        let now = match (chosen, woven.turn) {
            (Thinking::Budget(_), Turn::WithoutThinking) => Thinking::Default,
            _ => chosen,
        };
        let (thinking, limit) = thinking::fit(now, request.fitting(wanted));
        let tail = parameters::tail(request, &self.quirks, thinking, limit);
        woven.pieces.push(tail);
        woven.pieces
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(decode::decoder(&self.owner))
    }

    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
        listing::parse_models(body)
    }

    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
        failure::classify(status, retry_after, body)
    }
}
