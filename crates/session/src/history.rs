//! What the model sees of a session: messages in an order that every server
//! accepts, made from the log by fixed rules. Nothing here is sent or cut to
//! size; that is the engine's.
//!
//! The rules, which hold for any prefix of any log:
//! - It begins with a user message; user and assistant take turns, with
//!   results after the message that asked for them. Where the log does not give
//!   that, a filler stands in.
//! - Each call of an assistant message has exactly one result, in the order of
//!   the calls, before the next other message. A result that comes early waits
//!   for those before it; a call that never got one gets a filler as soon as
//!   another message follows. Only the last message may have open calls.
//! - Messages are only ever added at the end. A compaction alone changes what
//!   stands before, and raises [`History::generation`].
//! - A message that broke off keeps its text and loses its calls: nobody ran them.

use crate::calls::asks;
use std::sync::Arc;
use tenon_vocab::{CallId, Message, Origin, Part, Role, RunId, Status, ToolResult};

/// The run ended before the model answered.
const NO_REPLY: &str = "(no reply: interrupted)";
/// Two messages of the user's side came together; nothing was cut off.
const NOTED: &str = "(noted)";
const NO_PROMPT: &str = "(no prompt was recorded)";
const GO_ON: &str = "(go on)";
const NO_RESULT: &str = "no result was recorded";

#[derive(Debug, Clone, Default, PartialEq)]
pub struct History {
    messages: Vec<Arc<Message>>,
    generation: u64,
    /// The calls of the last assistant message that still wait for their place.
    slots: Vec<Slot>,
    /// The run of the last message, to tell an interrupted run from a steer.
    last_run: Option<RunId>,
}

#[derive(Debug, Clone, PartialEq)]
struct Slot {
    call: CallId,
    name: String,
    result: Option<Arc<Message>>,
}

impl History {
    #[must_use]
    pub fn messages(&self) -> &[Arc<Message>] {
        &self.messages
    }

    /// Grows by one whenever earlier messages changed: whoever cached their
    /// encoded form must drop it.
    #[must_use]
    pub fn generation(&self) -> u64 {
        self.generation
    }

    pub(crate) fn after_compaction(generation: u64, summary: &str) -> Self {
        let mut history = Self {
            generation,
            ..Self::default()
        };
        if !summary.is_empty() {
            let parts = vec![Part::text(summary)];
            let message = Message::new(Role::User, Origin::Compaction, parts);
            history.messages.push(Arc::new(message));
        }
        history
    }

    pub(crate) fn push(&mut self, run: Option<RunId>, message: &Arc<Message>) {
        match message.role {
            Role::Tool => self.place_result(message),
            Role::User => self.push_user(run, message),
            Role::Assistant => self.push_assistant(run, message),
        }
    }

    fn push_user(&mut self, run: Option<RunId>, message: &Arc<Message>) {
        if message.parts.is_empty() {
            return;
        }
        self.close_slots();
        if let Some(last) = self.messages.last()
            && last.role == Role::User
        {
            let together =
                last.origin == Origin::Compaction || (run.is_some() && run == self.last_run);
            let text = if together { NOTED } else { NO_REPLY };
            self.fill(Role::Assistant, text);
        }
        self.last_run = run;
        self.messages.push(Arc::clone(message));
    }

    fn push_assistant(&mut self, run: Option<RunId>, message: &Arc<Message>) {
        let Some(shown) = shown(message) else { return };
        self.close_slots();
        match self.messages.last().map(|last| last.role) {
            None => self.fill(Role::User, NO_PROMPT),
            Some(Role::Assistant) => self.fill(Role::User, GO_ON),
            Some(Role::User | Role::Tool) => {}
        }
        self.slots = shown
            .tool_calls()
            .map(|call| Slot {
                call: call.id.clone(),
                name: call.name.clone(),
                result: None,
            })
            .collect();
        self.last_run = run;
        self.messages.push(shown);
    }

    fn place_result(&mut self, message: &Arc<Message>) {
        let Some(Part::ToolResult { call, .. }) = message.parts.first() else {
            return;
        };
        let waiting = |slot: &&mut Slot| slot.call == *call && slot.result.is_none();
        if let Some(slot) = self.slots.iter_mut().find(waiting) {
            slot.result = Some(Arc::clone(message));
        }
        let ready = self
            .slots
            .iter()
            .take_while(|slot| slot.result.is_some())
            .count();
        let placed = self.slots.drain(..ready);
        self.messages.extend(placed.filter_map(|slot| slot.result));
    }

    fn close_slots(&mut self) {
        for slot in std::mem::take(&mut self.slots) {
            let result = slot.result.unwrap_or_else(|| {
                let part = Part::ToolResult {
                    call: slot.call,
                    name: slot.name,
                    text: NO_RESULT.to_owned(),
                    ok: false,
                };
                Arc::new(Message::new(Role::Tool, Origin::Filler, vec![part]))
            });
            self.messages.push(result);
        }
    }

    fn fill(&mut self, role: Role, text: &str) {
        let message = Message::new(role, Origin::Filler, vec![Part::text(text)]);
        self.messages.push(Arc::new(message));
    }
}

/// An assistant message as the model sees it again; `None` when there is
/// nothing to see.
fn shown(message: &Arc<Message>) -> Option<Arc<Message>> {
    if message.status == Status::Abandoned {
        return None;
    }
    let says = |part: &Part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::Reasoning {
            text, signature, ..
        } => !text.is_empty() || signature.is_some(),
        _ => false,
    };
    let has_calls = message.tool_calls().next().is_some();
    if asks(message) {
        return (has_calls || message.parts.iter().any(says)).then(|| Arc::clone(message));
    }
    if !message.parts.iter().any(says) {
        return None;
    }
    if !has_calls {
        return Some(Arc::clone(message));
    }
    let mut without_calls = Message::clone(message);
    without_calls
        .parts
        .retain(|part| !matches!(part, Part::ToolCall(_)));
    Some(Arc::new(without_calls))
}

/// A result as the message that the model reads.
pub(crate) fn result_message(result: &ToolResult) -> Message {
    let mut parts = vec![Part::ToolResult {
        call: result.call.clone(),
        name: result.name.clone(),
        text: result.model_text.clone(),
        ok: result.ok,
    }];
    for (blob, media_type) in &result.images {
        parts.push(Part::Image {
            source: tenon_vocab::ImageSource::Blob(blob.clone()),
            media_type: media_type.clone(),
        });
    }
    Message::new(Role::Tool, Origin::User, parts)
}
