//! One reply of a model, put together from what arrives: the same for every
//! wire format. Keeps the order in which parts came, splits reasoning from
//! text, and settles stop reason and ids at the end. Knows no wire.

use crate::calls::{CallDelta, Calls};
use crate::repair::is_cut;
use crate::think::{Channel, Ending, ThinkSplitter, after_last_close, stray_close};
use crate::{Delta, Finished, ModelError, ModelErrorKind};
use serde_json::Value;
use tenon_vocab::{Message, Origin, Part, Role, Status, StopReason, ToolCallPart, Usage};

/// No honest answer is larger; a bigger one would only fill the memory.
pub(crate) const MAX_MESSAGE_BYTES: usize = 64 * 1024 * 1024;
/// What a part costs besides its text, so that many tiny parts count too.
const PART_COST: usize = 128;

#[derive(Debug, Clone)]
enum Piece {
    Text(String),
    Reasoning(Thought),
    Call(usize),
    /// Something that only its provider understands.
    Opaque {
        provider: String,
        raw: Value,
    },
}

/// One stretch of reasoning. With a signature it goes back to its provider as
/// it came, so nothing is added to it any more.
#[derive(Debug, Clone, Default)]
struct Thought {
    text: String,
    signature: Option<String>,
    provider: Option<String>,
    closed: bool,
}

impl Thought {
    fn new(text: &str) -> Self {
        Self {
            text: text.to_owned(),
            ..Self::default()
        }
    }
}

/// Whether an entry may go on with an earlier call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CallSource {
    Stream,
    WholeMessage,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Reply {
    pieces: Vec<Piece>,
    calls: Calls,
    think: ThinkSplitter,
    stop: Option<StopReason>,
    usage: Option<Usage>,
    events: u64,
    bytes: usize,
    repairs: Vec<String>,
}

impl Reply {
    pub(crate) fn content_events(&self) -> u64 {
        self.events
    }

    pub(crate) fn has_stop(&self) -> bool {
        self.stop.is_some()
    }

    pub(crate) fn has_usage(&self) -> bool {
        self.usage.is_some()
    }

    pub(crate) fn set_stop(&mut self, stop: StopReason) {
        self.stop = Some(stop);
    }

    /// Figures of zero do not replace better ones: some servers send both.
    pub(crate) fn set_usage(&mut self, usage: Usage) {
        if self.usage.is_none() || usage.total() > 0 {
            self.usage = Some(usage);
        }
    }

    pub(crate) fn note(&mut self, repair: &str) {
        if !self.repairs.iter().any(|known| known == repair) {
            self.repairs.push(repair.to_owned());
        }
    }

    /// Text of the answer, which may begin with reasoning in tags.
    pub(crate) fn text(
        &mut self,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        self.events += 1;
        self.charge(text.len())?;
        let mut think = std::mem::take(&mut self.think);
        think.push(text, &mut |channel, text| self.append(channel, text, sink));
        self.think = think;
        self.charge(0)
    }

    /// Reasoning that the server itself kept apart.
    pub(crate) fn reasoning(
        &mut self,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        self.events += 1;
        self.charge(text.len())?;
        self.append(Channel::Reasoning, text, sink);
        Ok(())
    }

    /// What comes next belongs to another stretch of reasoning.
    pub(crate) fn end_reasoning(&mut self) {
        if let Some(Piece::Reasoning(thought)) = self.pieces.last_mut() {
            thought.closed = true;
        }
    }

    /// Signs the reasoning that has just ended. There may be none to see: some
    /// providers give the signature only.
    pub(crate) fn sign(&mut self, signature: &str, provider: &str) -> Result<(), ModelError> {
        self.charge(signature.len() + PART_COST)?;
        if !matches!(self.pieces.last(), Some(Piece::Reasoning(thought)) if !thought.closed) {
            self.pieces.push(Piece::Reasoning(Thought::default()));
        }
        if let Some(Piece::Reasoning(thought)) = self.pieces.last_mut() {
            thought
                .signature
                .get_or_insert_default()
                .push_str(signature);
            thought.provider = Some(provider.to_owned());
        }
        Ok(())
    }

    /// Keeps a part that is returned to its provider as it is. `size` is that
    /// of its JSON.
    pub(crate) fn opaque(
        &mut self,
        provider: &str,
        raw: Value,
        size: usize,
    ) -> Result<(), ModelError> {
        self.events += 1;
        self.charge(size + PART_COST)?;
        self.pieces.push(Piece::Opaque {
            provider: provider.to_owned(),
            raw,
        });
        Ok(())
    }

    pub(crate) fn call(
        &mut self,
        delta: &CallDelta<'_>,
        source: CallSource,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let touched = match source {
            CallSource::Stream => self.calls.push(delta),
            CallSource::WholeMessage => self.calls.open(delta),
        };
        let Ok(touched) = touched else {
            return Err(ModelError::new(
                ModelErrorKind::Protocol,
                format!(
                    "The model asked for more than {} tools in one answer.",
                    crate::calls::MAX_CALLS
                ),
            )
            .with_hint("Ask for smaller steps, or use another model."));
        };
        if touched.opened {
            self.pieces.push(Piece::Call(touched.position));
            self.charge(PART_COST)?;
        }
        if touched.opened || touched.added > 0 {
            self.events += 1;
            sink(Delta::ToolCall {
                index: touched.position,
                name: self.calls.shown_name(touched.position),
                bytes: self.calls.bytes(touched.position),
            });
        }
        self.charge(touched.added)
    }

    /// The server says that this call is not all of it.
    pub(crate) fn cut_call(&mut self, index: u64) {
        self.calls.cut_at(index);
    }

    /// The arguments so far of the call that was opened at this index.
    pub(crate) fn arguments_at(&self, index: u64) -> &str {
        self.calls.arguments_at(index)
    }

    fn charge(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.bytes = self.bytes.saturating_add(bytes);
        if self.bytes <= MAX_MESSAGE_BYTES {
            return Ok(());
        }
        Err(ModelError::new(
            ModelErrorKind::Protocol,
            format!(
                "The answer is larger than {} MiB, so Tenon stopped reading.",
                MAX_MESSAGE_BYTES / 1024 / 1024
            ),
        )
        .with_hint("The model may be repeating itself: try again, or set max_tokens."))
    }

    fn append(&mut self, channel: Channel, text: &str, sink: &mut dyn FnMut(Delta)) {
        match (channel, self.pieces.last_mut()) {
            (Channel::Answer, Some(Piece::Text(last))) => last.push_str(text),
            (Channel::Reasoning, Some(Piece::Reasoning(last))) if !last.closed => {
                last.text.push_str(text);
            }
            (Channel::Answer, _) => {
                self.bytes = self.bytes.saturating_add(PART_COST);
                self.pieces.push(Piece::Text(text.to_owned()));
            }
            (Channel::Reasoning, _) => {
                self.bytes = self.bytes.saturating_add(PART_COST);
                self.pieces.push(Piece::Reasoning(Thought::new(text)));
            }
        }
        sink(match channel {
            Channel::Answer => Delta::Text(text.to_owned()),
            Channel::Reasoning => Delta::Reasoning(text.to_owned()),
        });
    }

    /// Ends the text: what the splitter held back is given out, and tags that
    /// did not match are put right. The message is the truth then, not the deltas.
    fn settle_text(&mut self, sink: &mut dyn FnMut(Delta)) {
        let mut think = std::mem::take(&mut self.think);
        let ending = think.finish(&mut |channel, text| self.append(channel, text, sink));
        match ending {
            Ending::Regular => {}
            Ending::Unbalanced => self.settle_unbalanced(sink),
            Ending::Plain => self.settle_stray_close(),
        }
    }

    fn settle_unbalanced(&mut self, sink: &mut dyn FnMut(Delta)) {
        for position in (0..self.pieces.len()).rev() {
            let Piece::Reasoning(reasoning) = &self.pieces[position] else {
                continue;
            };
            let Some((before, after)) = after_last_close(&reasoning.text) else {
                continue;
            };
            let (before, after) = (before.to_owned(), after.to_owned());
            self.pieces[position] = Piece::Reasoning(Thought::new(&before));
            if !after.is_empty() {
                sink(Delta::Text(after.clone()));
                self.pieces.insert(position + 1, Piece::Text(after));
            }
            self.note("think tags did not match");
            return;
        }
    }

    fn settle_stray_close(&mut self) {
        let reasoned = |piece: &Piece| matches!(piece, Piece::Reasoning(_));
        let Some(position) = self
            .pieces
            .iter()
            .position(|piece| matches!(piece, Piece::Text(_)))
        else {
            return;
        };
        let Some(Piece::Text(text)) = self.pieces.get(position) else {
            return;
        };
        if self.pieces.iter().any(reasoned) {
            return;
        }
        let Some((before, after)) = stray_close(text) else {
            return;
        };
        let (before, after) = (before.to_owned(), after.to_owned());
        self.pieces[position] = Piece::Reasoning(Thought::new(&before));
        self.pieces.insert(position + 1, Piece::Text(after));
        self.note("a closing think tag without an opening one");
    }

    /// The whole message. To be called once, at the end.
    pub(crate) fn finish(&mut self, sink: &mut dyn FnMut(Delta)) -> Finished {
        self.settle_text(sink);
        let (mut calls, repairs) = self.calls.settle();
        for repair in repairs {
            self.note(&repair);
        }
        let reported = self.stop.unwrap_or(StopReason::EndTurn);
        if reported == StopReason::MaxTokens {
            self.mark_cut(&mut calls);
        }
        if matches!(reported, StopReason::ContentFilter | StopReason::Error) {
            self.leave_out(&mut calls);
        }
        let stop = match (reported, calls.iter().any(Option::is_some)) {
            (StopReason::EndTurn, true) => StopReason::ToolUse,
            (StopReason::ToolUse, false) => StopReason::EndTurn,
            (reported, _) => reported,
        };
        for call in calls.iter().flatten() {
            if is_cut(&call.arguments) {
                self.note(&format!("the call to {} was cut off", call.name));
            }
        }
        let mut message = Message::new(Role::Assistant, Origin::Model, self.parts(&calls));
        message.stop = Some(stop);
        message.usage = self.usage;
        Finished {
            message,
            stop,
            usage: self.usage,
            repairs: std::mem::take(&mut self.repairs),
            todo: None,
        }
    }

    /// The provider stopped this answer: nothing of it is to be done.
    fn leave_out(&mut self, calls: &mut [Option<ToolCallPart>]) {
        for call in calls.iter_mut().filter_map(Option::take) {
            self.note(&format!(
                "the call to {} was left out: the provider stopped the answer",
                call.name
            ));
        }
    }

    /// A call that was cut before its first argument must not look like one
    /// that needs none: it would run with nothing.
    fn mark_cut(&mut self, calls: &mut [Option<ToolCallPart>]) {
        let Some(Piece::Call(position)) = self.pieces.last() else {
            return;
        };
        if let Some(Some(call)) = calls.get_mut(*position)
            && call.arguments.trim().is_empty()
        {
            call.arguments.push('{');
        }
    }

    /// What there is, should no more come: calls only when they are whole.
    pub(crate) fn partial(&self) -> Message {
        let mut copy = self.clone();
        copy.settle_text(&mut |_| {});
        let (mut calls, _) = copy.calls.settle();
        for (position, call) in calls.iter_mut().enumerate() {
            if !copy.calls.is_whole(position) {
                *call = None;
            }
        }
        let mut message = Message::new(Role::Assistant, Origin::Model, copy.parts(&calls));
        message.status = Status::Broken;
        message.usage = copy.usage;
        message
    }

    fn parts(&self, calls: &[Option<ToolCallPart>]) -> Vec<Part> {
        let called = calls.iter().any(Option::is_some);
        self.pieces
            .iter()
            .filter_map(|piece| match piece {
                Piece::Text(text) if text.is_empty() => None,
                // Line breaks before a call are the template's, not the model's.
                Piece::Text(text) if called && text.trim().is_empty() => None,
                Piece::Text(text) => Some(Part::text(text.clone())),
                Piece::Reasoning(thought)
                    if thought.text.trim().is_empty() && thought.signature.is_none() =>
                {
                    None
                }
                Piece::Reasoning(thought) => Some(Part::Reasoning {
                    text: thought.text.clone(),
                    signature: thought.signature.clone(),
                    provider: thought.provider.clone(),
                }),
                Piece::Opaque { provider, raw } => Some(Part::Opaque {
                    provider: provider.clone(),
                    raw: raw.clone(),
                }),
                Piece::Call(position) => calls
                    .get(*position)
                    .and_then(Clone::clone)
                    .map(Part::ToolCall),
            })
            .collect()
    }

    /// How far it came, for an error: the end of a sentence.
    pub(crate) fn progress(&self) -> String {
        let (mut text, mut reasoning) = (0, 0);
        for piece in &self.pieces {
            match piece {
                Piece::Text(part) => text += part.chars().count(),
                Piece::Reasoning(part) => reasoning += part.text.chars().count(),
                Piece::Call(_) | Piece::Opaque { .. } => {}
            }
        }
        match (text, reasoning) {
            (0, 0) => String::from("before any text came"),
            (0, _) => String::from("while the model was thinking"),
            (1, _) => String::from("after 1 character"),
            (text, _) => format!("after {text} characters"),
        }
    }
}
