//! One message of the history as content blocks, each after a comma. Only what
//! every server of this format takes: no empty text, calls at the end, thinking
//! only with its signature and only back to where it came from.

use super::image::image;
use super::names;
use super::wire::{Block, append, filler, says_something, write};
use crate::Entry;
use crate::quirks::Quirks;
use crate::repair::{Arguments, parse_arguments};
use bytes::Bytes;
use serde_json::{Map, Value};
use std::borrow::Cow;
use std::sync::Arc;
use tenon_vocab::{Message, Part, Status, ToolCallPart};

/// The format refuses an empty text, and a message without any block.
const NO_TEXT: &str = "(no text)";

/// Which reasoning of earlier messages is returned.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Thoughts {
    /// The model does not think now, and may not see that it did.
    None,
    /// What the provider signed.
    Signed,
    /// Also what has no signature: some servers give none and want it back.
    All,
}

/// How messages are written, and the name under which their fragments are kept.
#[derive(Debug)]
pub(super) struct Writing {
    owner: Arc<str>,
    thoughts: Thoughts,
    pub(super) key: Arc<str>,
}

impl Writing {
    pub(super) fn new(owner: &Arc<str>, thoughts: Thoughts, quirks: &Quirks) -> Self {
        let quirks = quirks.names().join(",");
        Self {
            key: Arc::from(format!("messages,{owner},{thoughts:?},{quirks}")),
            owner: Arc::clone(owner),
            thoughts,
        }
    }

    fn owns(&self, provider: Option<&str>) -> bool {
        provider == Some(&*self.owner)
    }
}

/// Whether the model sees this message at all.
pub(super) fn is_shown(message: &Message) -> bool {
    message.in_context && message.status != Status::Abandoned
}

/// What the user said.
pub(super) fn user(entry: &Entry) -> Bytes {
    let mut out = Vec::new();
    for part in &entry.message.parts {
        match part {
            Part::Text { text } if says_something(text) => append(&mut out, &Block::Text { text }),
            Part::Image { source, .. } => append(&mut out, &image(entry, source)),
            _ => {}
        }
    }
    or_text(out)
}

fn or_text(out: Vec<u8>) -> Bytes {
    if out.is_empty() {
        return filler(NO_TEXT);
    }
    Bytes::from(out)
}

/// What the model said, with the id that each call is sent with. Text comes
/// before calls, whatever the order in which another format gave them; thinking
/// keeps its place, and must lead to something.
pub(super) fn assistant<'r>(
    message: &'r Message,
    writing: &Writing,
    id: &dyn Fn(usize, &'r ToolCallPart) -> Cow<'r, str>,
) -> Bytes {
    let (mut said, mut calls, mut thoughts) = (Vec::new(), Vec::new(), Vec::new());
    let mut count = 0;
    for part in &message.parts {
        match part {
            Part::Text { text } if says_something(text) => {
                if calls.is_empty() {
                    said.append(&mut thoughts);
                }
                append(&mut said, &Block::Text { text });
            }
            Part::ToolCall(call) => {
                if calls.is_empty() {
                    said.append(&mut thoughts);
                }
                calls.append(&mut thoughts);
                let id = id(count, call);
                count += 1;
                let block = Block::ToolUse {
                    id: &id,
                    name: names::tool(&call.name),
                    input: input(&call.arguments),
                };
                append(&mut calls, &block);
            }
            _ => thought(&mut thoughts, part, writing),
        }
    }
    if calls.is_empty() && !thoughts.is_empty() {
        said.append(&mut thoughts);
        append(&mut said, &Block::Text { text: NO_TEXT });
    }
    said.append(&mut calls);
    or_text(said)
}

/// One bad string in the history would fail every later request.
fn input(arguments: &str) -> Map<String, Value> {
    match parse_arguments(arguments) {
        Arguments::Object(object) => object,
        Arguments::Empty | Arguments::Invalid { .. } => Map::new(),
    }
}

/// Reasoning, and what only the provider understands.
fn thought(out: &mut Vec<u8>, part: &Part, writing: &Writing) {
    if !is_returned(part, writing) {
        return;
    }
    match part {
        Part::Reasoning {
            text, signature, ..
        } => append(
            out,
            &Block::Thinking {
                thinking: text,
                signature: signature.as_deref().unwrap_or_default(),
            },
        ),
        Part::Opaque { raw, .. } => {
            out.push(b',');
            write(out, raw);
        }
        _ => {}
    }
}

fn is_returned(part: &Part, writing: &Writing) -> bool {
    match part {
        Part::Reasoning {
            signature: Some(signature),
            provider,
            ..
        } => {
            writing.thoughts != Thoughts::None
                && !signature.is_empty()
                && writing.owns(provider.as_deref())
        }
        Part::Reasoning {
            text,
            signature: None,
            provider,
        } => {
            writing.thoughts == Thoughts::All
                && says_something(text)
                && (provider.is_none() || writing.owns(provider.as_deref()))
        }
        Part::Opaque { provider, raw } => {
            writing.owns(Some(provider))
                && raw.get("type").is_some_and(Value::is_string)
                && (writing.thoughts != Thoughts::None || !is_thought(part))
        }
        _ => false,
    }
}

fn is_thought(part: &Part) -> bool {
    match part {
        Part::Reasoning { .. } => true,
        Part::Opaque { raw, .. } => raw.get("type") == Some(&Value::from("redacted_thinking")),
        _ => false,
    }
}

/// Whether the first block of a message is thinking.
pub(super) fn opens_with_thought(message: &Message, writing: &Writing) -> bool {
    let is_block = |part: &&Part| match part {
        Part::Text { text } => says_something(text),
        Part::ToolCall(_) => true,
        part => is_returned(part, writing),
    };
    message.parts.iter().find(is_block).is_some_and(is_thought)
}
