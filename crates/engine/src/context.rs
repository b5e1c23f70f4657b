//! What is sent: the prefix, made once (`layout`), and the history as immutable
//! entries that are encoded once. A request begins with exactly what the one
//! before it sent, unless a compaction was announced (E9).

use crate::active::Current;
use crate::budget::{self, LimitSource};
use crate::core::Core;
use crate::images::{self, Sight};
use crate::layout::Layout;
use crate::prompt;
use bytes::Bytes;
use serde_json::{Value, json};
use std::collections::HashSet;
use std::sync::Arc;
use tenon_model::{Delivery, Entry, Parameters, Request, estimate_tokens};
use tenon_session::SessionError;
use tenon_vocab::{BlobRef, Compiled, ContextChange, ImageSource, Message, Part};

/// Tokens that an estimate may be wrong by.
const MARGIN: u64 = 64;
/// A shorter answer is none. Where not even this has room, that is said or the
/// request is not sent; see `overflow`.
const LEAST_ANSWER: u64 = 256;

/// The entries of the history so far, kept between steps.
#[derive(Debug, Default)]
pub(crate) struct Context {
    entries: Vec<Arc<Entry>>,
    generation: u64,
    /// Ids of all calls so far: a server that numbers its calls from 1 in every
    /// reply must not make two calls of a session look like one.
    calls: HashSet<String>,
    /// For whom the entries were made.
    sight: Sight,
}

impl Context {
    pub(crate) fn knows_call(&self, id: &str) -> bool {
        self.calls.contains(id)
    }

    /// The request for the next step.
    pub(crate) fn request(
        &mut self,
        core: &Core,
        current: &Current,
        delivery: Delivery,
    ) -> Request {
        let sight = Sight::of(current);
        if sight != self.sight {
            self.entries.clear();
            self.sight = sight;
        }
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
                .map(|message| Arc::new(entry(core, message, sight))),
        );
        let mut request = Request {
            prefix: Arc::clone(&core.layout().prefix),
            entries: self.entries.clone(),
            parameters: asked(core, current),
            delivery,
            cache_key: Some(Arc::clone(&core.cache_key)),
            room: None,
        };
        request.room = budget::limit(core, current)
            .filter(|limit| limit.source != LimitSource::Assumed)
            .map(|limit| room(&request, limit.tokens));
        request
    }
}

/// What is asked of the model: the agent's temperature before the model's.
fn asked(core: &Core, current: &Current) -> Parameters {
    let own = core.agent().profile.temperature;
    Parameters {
        temperature: own.or(current.parameters.temperature),
        ..current.parameters.clone()
    }
}

/// What is asked for must fit beside what is sent (P17): the codec clamps the
/// limit that it writes, be it the user's or the format's own. The parameters
/// stay as configured. A limit chosen by the length of the history would reach
/// the budget for thinking, and with it which thoughts are returned: the prefix.
fn room(request: &Request, window: u64) -> u64 {
    window
        .saturating_sub(estimate_tokens(request) + MARGIN)
        .max(LEAST_ANSWER)
}

fn entry(core: &Core, message: Arc<Message>, sight: Sight) -> Entry {
    if sight == Sight::Blind {
        return Entry::new(images::described(message));
    }
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
    let message = images::named(message, &blobs);
    Entry::with_blobs(message, blobs)
}

/// Why the prefix may be another one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cause {
    /// The session was started or resumed.
    Opened,
    /// The user chose another model.
    Model,
    Effort,
    /// Another agent works.
    Agent,
    /// The server did not take what was sent.
    Adapted,
}

/// Records the prefix when it is not the one of the last request, with what
/// changed it (N12).
pub(crate) fn compile(core: &Core, cause: Cause) -> Result<(), SessionError> {
    let current = core.active.get();
    let identity = current.identity();
    let layout = core.layout();
    let PrefixBlobs {
        system,
        fragments,
        tools,
    } = prefix_blobs(core, &layout)?;
    let mut compiled = Compiled {
        system,
        fragments: Some(fragments),
        tools,
        agent_name: Some(layout.agent.clone()),
        model: identity.model.clone(),
        endpoint: identity.endpoint.clone(),
        dialect: identity.dialect.clone(),
        parameters: parameters(core, &current),
        quirks: identity.quirks.clone(),
        tier: Some(layout.tier.tier),
        reason: String::from("start"),
    };
    let before = core.emitter.state(|state| state.compiled().cloned());
    if let Some(before) = before {
        let changed = changes(&before, &compiled);
        if changed.is_empty() {
            return Ok(());
        }
        let changed = changed.join(", ");
        compiled.reason = match cause {
            Cause::Opened => format!("resume: changed {changed}"),
            Cause::Model => String::from("model"),
            Cause::Effort => String::from("effort"),
            Cause::Agent => format!("agent: changed {changed}"),
            Cause::Adapted => format!("adapted: changed {changed}"),
        };
    }
    core.emitter
        .emit(None, ContextChange::Compiled(compiled))
        .map(|_| ())
}

/// Where the prefix is kept.
#[derive(Debug, Clone)]
pub(crate) struct PrefixBlobs {
    system: BlobRef,
    fragments: BlobRef,
    tools: BlobRef,
}

/// A layout is kept once.
fn prefix_blobs(core: &Core, layout: &Layout) -> Result<PrefixBlobs, SessionError> {
    if let Some(kept) = layout.blobs.get() {
        return Ok(kept.clone());
    }
    let blobs = core.emitter.blobs();
    let tools = serde_json::to_vec(&layout.prefix.tools).unwrap_or_default();
    let kept = PrefixBlobs {
        system: blobs.put(layout.prefix.system.as_bytes())?,
        fragments: prompt::stored(&blobs, &layout.fragments)?,
        tools: blobs.put(&tools)?,
    };
    Ok(layout.blobs.get_or_init(|| kept).clone())
}

fn parameters(core: &Core, current: &Current) -> Value {
    let given = asked(core, current);
    json!({
        "temperature": given.temperature,
        "top_p": given.top_p,
        "max_tokens": given.max_tokens,
        "reasoning_effort": given.reasoning_effort,
        "endpoint": current.identity().parameters,
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
    // Older logs do not say whose it is.
    if before.agent_name.is_some() && before.agent_name != now.agent_name {
        changed.push("agent");
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
