//! OpenAI's chat completions, which nearly every server speaks (P1).

mod decode;
mod encode;
pub(super) mod fields;
mod light;

pub use decode::ChatDecoder;

use super::{Codec, Decoder};
use crate::quirks::Quirks;
use crate::{Delivery, ModelEntry, ModelError, Prefix, Request, failure, listing};
use bytes::Bytes;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

/// Holds the prefix itself, not its address: an address may be used again.
#[derive(Debug)]
struct Head {
    prefix: Arc<Prefix>,
    model: String,
    bytes: Bytes,
}

#[derive(Debug)]
pub struct Chat {
    quirks: Quirks,
    /// The name under which a message keeps its fragment. Quirks that change
    /// how a message is written are part of it, so that a quirk learned in the
    /// middle of a session does not meet fragments written without it.
    key: Arc<str>,
    /// Tools are encoded once for each prefix.
    head: Mutex<Option<Head>>,
}

impl Chat {
    #[must_use]
    pub fn new(quirks: Quirks) -> Self {
        Self {
            key: Arc::from(format!("chat,{}", quirks.names().join(","))),
            quirks,
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
        let bytes = encode::head(model, prefix, &self.quirks);
        *kept = Some(Head {
            prefix: Arc::clone(prefix),
            model: model.to_owned(),
            bytes: bytes.clone(),
        });
        bytes
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
        let mut pieces = vec![self.head(model, &request.prefix)];
        let mut history = encode::history(request, &self.quirks, &self.key);
        if request.prefix.system.is_empty()
            && let Some(first) = history.first_mut()
        {
            // Every message begins with a comma; the very first one must not.
            *first = first.slice(1..);
        }
        pieces.append(&mut history);
        pieces.push(encode::tail(request, &self.quirks));
        pieces
    }

    fn decoder(&self, _delivery: Delivery) -> Box<dyn Decoder> {
        Box::new(ChatDecoder::new())
    }

    fn parse_models(&self, body: &[u8]) -> Result<Vec<ModelEntry>, ModelError> {
        listing::parse_models(body)
    }

    fn classify(&self, status: u16, retry_after: Option<Duration>, body: &[u8]) -> ModelError {
        failure::classify(status, retry_after, body)
    }
}
