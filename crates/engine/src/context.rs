//! What is sent: the prefix, fixed for the session, and the history as immutable
//! entries that are encoded once. A request begins with exactly what the one
//! before it sent, unless a compaction was announced (E9).

use crate::core::Core;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use tenon_model::{Delivery, Entry, Request, estimate_tokens};
use tenon_session::SessionError;
use tenon_vocab::{BlobRef, Compiled, ContextChange, ImageSource, Message, Part};

/// Tokens that an estimate may be wrong by.
const MARGIN: u64 = 64;

/// The entries of the history so far, kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Context {
    entries: Vec<Arc<Entry>>,
    generation: u64,
    /// Ids of all calls so far: a server that numbers its calls from 1 in every
    /// reply must not make two calls of a session look like one.
    calls: HashSet<String>,
}

impl Context {
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.calls.contains(id)
    }

    /// The request for the next step.
    pub(crate) fn request(&mut self, core: &Core, delivery: Delivery) -> Request {
        let (generation, total, new) = core.emitter.history(self.entries.len());
        let new = if generation == self.generation && self.entries.len() <= total {
            new
        } else {
            self.entries.clear();
            self.generation = generation;
            core.emitter.history(0).2
        };
        for message in &new {
            self.calls
                .extend(message.tool_calls().map(|call| call.id.0.clone()));
        }
        self.entries.extend(
            new.into_iter()
                .map(|message| Arc::new(entry(core, message))),
        );
        let mut request = Request {
            prefix: Arc::clone(&core.prefix),
            entries: self.entries.clone(),
            parameters: core.parameters.clone(),
            delivery,
        };
        clamp(&mut request, core.model.identity().context_window);
        request
    }
}

/// What is asked for must fit beside what is sent (P17). The parameters stand
/// after the messages in a request, so this leaves the prefix alone.
fn clamp(request: &mut Request, window: Option<u64>) {
    if let (Some(wanted), Some(window)) = (request.parameters.max_tokens, window) {
        let room = window
            .saturating_sub(estimate_tokens(request) + MARGIN)
            .max(1);
        request.parameters.max_tokens = Some(wanted.min(room));
    }
}

fn entry(core: &Core, message: Arc<Message>) -> Entry {
    let mut blobs: Vec<(BlobRef, Bytes)> = Vec::new();
    for part in &message.parts {
        if let Part::Image {
            source: ImageSource::Blob(blob),
            ..
        } = part
        {
            // An image that is gone is left out by the codec, with a note.
            if let Ok(content) = core.emitter.blobs().get(blob) {
                blobs.push((blob.clone(), Bytes::from(content)));
            }
        }
    }
    Entry::with_blobs(message, blobs)
}

/// Records the prefix when it is not the one of the last request: at the start
/// of a session, and on resume with what changed (N12).
pub(crate) fn compile(core: &Core) -> Result<(), SessionError> {
    let blobs = core.emitter.blobs();
    let identity = core.model.identity();
    let tools = serde_json::to_vec(&core.prefix.tools).unwrap_or_default();
    let mut compiled = Compiled {
        system: blobs.put(core.prefix.system.as_bytes())?,
        tools: blobs.put(&tools)?,
        model: identity.model.clone(),
        endpoint: identity.endpoint.clone(),
        dialect: identity.dialect.clone(),
        parameters: parameters(core),
        quirks: identity.quirks.clone(),
        reason: String::from("start"),
    };
    let before = core.emitter.state(|state| state.compiled().cloned());
    if let Some(before) = before {
        let changed = changes(&before, &compiled);
        if changed.is_empty() {
            return Ok(());
        }
        compiled.reason = format!("resume: changed {}", changed.join(", "));
    }
    core.emitter
        .emit(None, ContextChange::Compiled(compiled))
        .map(|_| ())
}

fn parameters(core: &Core) -> Value {
    let given = &core.parameters;
    json!({
        "temperature": given.temperature,
        "top_p": given.top_p,
        "max_tokens": given.max_tokens,
        "reasoning_effort": given.reasoning_effort,
        "endpoint": core.model.identity().parameters,
    })
}

fn changes(before: &Compiled, now: &Compiled) -> Vec<&'static str> {
    let mut changed = Vec::new();
    if before.system != now.system {
        changed.push("system prompt");
    }
    if before.tools != now.tools {
        changed.push("tools");
    }
    if before.model != now.model {
        changed.push("model");
    }
    if before.endpoint != now.endpoint {
        changed.push("endpoint");
    }
    if before.dialect != now.dialect {
        changed.push("dialect");
    }
    if before.parameters != now.parameters {
        changed.push("parameters");
    }
    if before.quirks != now.quirks {
        changed.push("quirks");
    }
    changed
}
