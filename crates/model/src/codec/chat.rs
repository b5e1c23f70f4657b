//! OpenAI's chat completions, which nearly every server speaks (P1).

mod decode;
mod encode;
pub(super) mod fields;
mod light;

pub use decode::ChatDecoder;

use super::pieces::HeadCache;
use super::{Codec, Decoder};
use crate::quirks::Quirks;
use crate::{ModelEntry, ModelError, Request, failure, listing};
use bytes::Bytes;
use std::sync::Arc;
use std::time::Duration;

/// Whether a server is asked how far it is with reading a prompt.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Progress {
    Asked,
    NotAsked,
}

#[derive(Debug)]
pub struct Chat {
    quirks: Quirks,
    progress: Progress,
    /// The name under which a message keeps its fragment. Quirks that change
    /// how a message is written are part of it, so that a quirk learned in the
    /// middle of a session does not meet fragments written without it.
    key: Arc<str>,
    head: HeadCache,
}

impl Chat {
    #[must_use]
    pub fn new(quirks: Quirks) -> Self {
        Self {
            key: Arc::from(format!("chat,{}", quirks.names().join(","))),
            quirks,
            progress: Progress::NotAsked,
            head: HeadCache::default(),
        }
    }

    /// The same, and the server is asked to say how far it is with the prompt.
    /// Only for one that is known to be llama.cpp: others refuse what they do
    /// not know.
    #[must_use]
    pub fn asking_for_progress(mut self) -> Self {
        self.progress = Progress::Asked;
        self
    }

    #[must_use]
    pub fn quirks(&self) -> &Quirks {
        &self.quirks
    }
}

impl Codec for Chat {
    fn key(&self) -> &'static str {
        "chat"
    }

    fn path(&self) -> &'static str {
        "/chat/completions"
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
        let mut history = encode::history(request, &self.quirks, &self.key);
        if prefix.system.is_empty()
            && let Some(first) = history.first_mut()
        {
            // Every message begins with a comma; the very first one must not.
            *first = first.slice(1..);
        }
        pieces.append(&mut history);
        pieces.push(encode::tail(request, &self.quirks, self.progress));
        pieces
    }

    fn decoder(&self) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new())
    }

    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
        listing::parse_models(body)
    }

    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
        failure::classify(status, retry_after, body)
    }
}
