//! The blocks of a reply, which come one after the other. A server that mixes
//! them, numbers them wrongly or forgets to end them is understood as far as
//! its words go.

use super::Reading;
use crate::calls::CallDelta;
use crate::codec::messages::fields::Addition;
use crate::reply::CallSource;
use crate::{Delta, ModelError, ModelErrorKind};
use serde_json::Value;

/// No honest reply has more blocks: a call each, and some text between.
const MAX_BLOCKS: usize = 4096;
/// What may wait for the end of its block. What has been handed on is limited
/// by the size of a message.
const MAX_HELD: usize = crate::sse::MAX_EVENT_BYTES;

#[derive(Debug, Clone)]
pub(super) struct Block {
    /// As the server numbers it.
    index: Option<u64>,
    kind: Kind,
    state: State,
}

#[derive(Debug, Clone)]
enum Kind {
    Text,
    Thinking,
    Call(Input),
    /// Something that only the provider understands, and the JSON that is still
    /// being added to it.
    Other {
        raw: Value,
        json: String,
    },
}

/// Where the arguments of a call come from. Some servers give them whole at
/// the beginning, some in pieces, some both.
#[derive(Debug, Clone)]
enum Input {
    /// What the beginning held; it counts when nothing else comes.
    Given(Option<String>),
    Pieces,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum State {
    Fresh,
    Begun,
    /// Thinking that is whole.
    Signed,
    /// Another block spoke in between: what a signature covers is not whole.
    Mixed,
    Ended,
}

impl Reading {
    /// The block that an index means: the last one that has it.
    pub(super) fn find(&self, index: Option<u64>) -> Option<usize> {
        match index {
            Some(_) => self.blocks.iter().rposition(|block| block.index == index),
            None => self.blocks.len().checked_sub(1),
        }
    }

    pub(super) fn start(
        &mut self,
        index: Option<u64>,
        block: &Value,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let text = |name: &str| block.get(name).and_then(Value::as_str).unwrap_or_default();
        match text("type") {
            // One without a type has nothing to keep but its text.
            "text" | "" => {
                let position = self.open(index, Kind::Text)?;
                self.text(position, text("text"), sink)
            }
            "thinking" => {
                let position = self.open(index, Kind::Thinking)?;
                self.thinking(position, text("thinking"), sink)?;
                self.sign(position, text("signature"))
            }
            "tool_use" => {
                let given = input_text(block.get("input"));
                self.hold(given.as_ref().map_or(0, String::len))?;
                let position = self.open(index, Kind::Call(Input::Given(given)))?;
                self.speak(position);
                let call = CallDelta {
                    index: Some(position as u64),
                    id: Some(text("id")).filter(|id| !id.is_empty()),
                    name: Some(text("name")).filter(|name| !name.is_empty()),
                    arguments: None,
                };
                self.reply.call(&call, CallSource::WholeMessage, sink)
            }
            _ => {
                self.hold(block.to_string().len())?;
                let (raw, json) = (block.clone(), String::new());
                let position = self.open(index, Kind::Other { raw, json })?;
                match block.get("input") {
                    Some(_) => Ok(()),
                    // Nothing will be added to it; its place is here.
                    None => self.end(position, sink),
                }
            }
        }
    }

    fn open(&mut self, index: Option<u64>, kind: Kind) -> Result<usize, ModelError> {
        if self.blocks.len() >= MAX_BLOCKS {
            return Err(too_large(&format!("more than {MAX_BLOCKS} parts")));
        }
        self.blocks.push(Block {
            index,
            kind,
            state: State::Fresh,
        });
        Ok(self.blocks.len() - 1)
    }

    fn hold(&mut self, bytes: usize) -> Result<(), ModelError> {
        self.held = self.held.saturating_add(bytes);
        if self.held > MAX_HELD {
            return Err(too_large(&format!("parts of more than {MAX_HELD} bytes")));
        }
        Ok(())
    }

    pub(super) fn add(
        &mut self,
        index: Option<u64>,
        addition: Addition<'_>,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let named = self.find(index);
        match addition {
            Addition::Text(text) => {
                let position = self.place(named, Kind::Text)?;
                self.text(position, &text, sink)
            }
            Addition::Thinking(text) => {
                let position = self.place(named, Kind::Thinking)?;
                self.thinking(position, &text, sink)
            }
            Addition::Signature(signature) => match named {
                Some(position) => self.sign(position, &signature),
                None => Ok(()),
            },
            Addition::Json(json) => self.json(named, &json, sink),
        }
    }

    /// Where an addition of this kind goes. Servers number blocks wrongly, or
    /// do not announce them: what an addition is counts for more than its number.
    fn place(&mut self, named: Option<usize>, kind: Kind) -> Result<usize, ModelError> {
        let same = |at: &usize| {
            self.blocks.get(*at).is_some_and(|block| {
                std::mem::discriminant(&block.kind) == std::mem::discriminant(&kind)
            })
        };
        match named.filter(same).or(self.speaking.filter(same)) {
            Some(position) => Ok(position),
            None => self.open(None, kind),
        }
    }

    /// Notes that a block goes on. Reasoning of another one ends there.
    fn speak(&mut self, position: usize) {
        if self.speaking == Some(position) {
            return;
        }
        self.reply.end_reasoning();
        if let Some(earlier) = self.speaking.and_then(|at| self.blocks.get_mut(at))
            && matches!(earlier.state, State::Begun | State::Signed)
        {
            // Should it go on, it was interrupted.
            earlier.state = State::Mixed;
        }
        self.speaking = Some(position);
        if let Some(block) = self.blocks.get_mut(position)
            && block.state == State::Fresh
        {
            block.state = State::Begun;
        }
    }

    fn text(
        &mut self,
        position: usize,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        self.speak(position);
        self.reply.text(text, sink)
    }

    fn thinking(
        &mut self,
        position: usize,
        text: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if text.is_empty() {
            return Ok(());
        }
        self.speak(position);
        if let Some(block) = self.blocks.get_mut(position)
            && block.state == State::Signed
        {
            block.state = State::Mixed;
            self.reply.end_reasoning();
        }
        self.reply.reasoning(text, sink)
    }

    /// A signature of something that is not whole would be refused later.
    fn sign(&mut self, position: usize, signature: &str) -> Result<(), ModelError> {
        let Some(block) = self.blocks.get(position) else {
            return Ok(());
        };
        if signature.is_empty() {
            return Ok(());
        }
        let whole = matches!(block.state, State::Fresh | State::Begun | State::Signed);
        if !matches!(block.kind, Kind::Thinking) || !whole {
            self.reply
                .note("a signature without its thinking was left out");
            return Ok(());
        }
        self.speak(position);
        if let Some(block) = self.blocks.get_mut(position) {
            block.state = State::Signed;
        }
        let owner = self.owner.as_deref().unwrap_or_default();
        self.reply.sign(signature, owner)
    }

    fn json(
        &mut self,
        position: Option<usize>,
        json: &str,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        if json.is_empty() {
            return Ok(());
        }
        let takes = |block: &Block| matches!(block.kind, Kind::Call(_) | Kind::Other { .. });
        let named = position.filter(|&at| self.blocks.get(at).is_some_and(takes));
        let Some(position) = named.or_else(|| self.blocks.iter().rposition(takes)) else {
            self.reply.note("arguments without a call were left out");
            return Ok(());
        };
        match self.blocks.get_mut(position).map(|block| &mut block.kind) {
            Some(Kind::Call(input)) => {
                *input = Input::Pieces;
                self.arguments(position, json.to_owned(), sink)
            }
            Some(Kind::Other { json: held, .. }) => {
                held.push_str(json);
                self.hold(json.len())
            }
            _ => Ok(()),
        }
    }

    fn arguments(
        &mut self,
        position: usize,
        json: String,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        self.speak(position);
        let call = CallDelta {
            index: Some(position as u64),
            arguments: Some(&Value::String(json)),
            ..CallDelta::default()
        };
        self.reply.call(&call, CallSource::Stream, sink)
    }

    pub(super) fn end_all(&mut self, sink: &mut dyn FnMut(Delta)) -> Result<(), ModelError> {
        for position in 0..self.blocks.len() {
            self.end(position, sink)?;
        }
        Ok(())
    }

    pub(super) fn end(
        &mut self,
        position: usize,
        sink: &mut dyn FnMut(Delta),
    ) -> Result<(), ModelError> {
        let Some(block) = self.blocks.get_mut(position) else {
            return Ok(());
        };
        if block.state == State::Ended {
            return Ok(());
        }
        block.state = State::Ended;
        match &mut block.kind {
            Kind::Text => Ok(()),
            Kind::Thinking => {
                if self.speaking == Some(position) {
                    self.reply.end_reasoning();
                }
                Ok(())
            }
            Kind::Call(Input::Pieces) => Ok(()),
            Kind::Call(Input::Given(given)) => match given.take() {
                Some(given) => self.arguments(position, given, sink),
                None => Ok(()),
            },
            Kind::Other { raw, json } => {
                let mut raw = std::mem::take(raw);
                if let (Value::Object(fields), Ok(input)) =
                    (&mut raw, serde_json::from_str::<Value>(json))
                {
                    fields.insert(String::from("input"), input);
                }
                self.keep(position, raw)
            }
        }
    }

    fn keep(&mut self, position: usize, raw: Value) -> Result<(), ModelError> {
        self.speak(position);
        let size = raw.to_string().len();
        let owner = self.owner.as_deref().unwrap_or_default();
        self.reply.opaque(owner, raw, size)
    }
}

/// The arguments that the beginning of a call holds. An empty object stands
/// there when they are to come.
fn input_text(input: Option<&Value>) -> Option<String> {
    match input? {
        Value::Object(fields) if fields.is_empty() => None,
        Value::Null => None,
        Value::String(text) if text.is_empty() => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    }
}

fn too_large(why: &str) -> ModelError {
    ModelError::new(
        ModelErrorKind::Protocol,
        format!("The answer is too large ({why}), so Tenon stopped reading."),
    )
    .with_hint("The model may be repeating itself: try again, or set max_tokens.")
}
