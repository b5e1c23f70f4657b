//! The history for a model without tools: calls and results become text, what
//! belongs to the user's side is one message, so roles alternate whatever the
//! template of the model wants. Each message is made once and kept, so a step
//! costs the new messages, and the codec finds its fragments again.
//!
//! What was sent once is sent again as it was (E9). So results and what is said
//! before the next request share a message, but a prompt after results does
//! not: the run before may have sent the results alone. A filler stands
//! between them.
//!
//! Here all of the user's side is one role, so tags say what is whose: the words of
//! the user, what tools gave. Neither can close its own (C1).

use super::render;
use crate::Entry;
use bytes::Bytes;
use std::borrow::Cow;
use std::sync::{Arc, Mutex, PoisonError};
use tenon_vocab::marked::{self, enclosed};
use tenon_vocab::{BlobRef, Message, Origin, Part, Role, Status, ToolCallPart};

/// Stands before the user's own words where results are in the same message.
const USER_SAYS: &str = "The user says:\n";
/// Around the user's own words, and around what a tool gave.
const USER: &str = "user";
const RESULT: &str = "tool_result";
/// Between results that nobody answered and the next prompt.
const NO_REPLY: &str = "(no reply: interrupted)";

/// Messages that were made already, with what they were made of. The sources
/// are kept alive, so that an address means the same entry.
#[derive(Debug, Default)]
pub(super) struct History {
    made: Mutex<Vec<Made>>,
}

/// Whether it is said in tags who says what. A question on the side is one text
/// of our own.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tags {
    Named,
    None,
}

#[derive(Debug)]
struct Made {
    tags: Tags,
    sources: Vec<Arc<Entry>>,
    entries: Vec<Arc<Entry>>,
}

impl Made {
    fn is_of(&self, sources: &[Arc<Entry>], tags: Tags) -> bool {
        self.tags == tags
            && self.sources.len() == sources.len()
            && self
                .sources
                .iter()
                .zip(sources)
                .all(|(a, b)| Arc::ptr_eq(a, b))
    }
}

impl History {
    /// The entries for the inner model.
    pub(super) fn entries(&self, given: &[Arc<Entry>], tags: Tags) -> Vec<Arc<Entry>> {
        let mut made = self.made.lock().unwrap_or_else(PoisonError::into_inner);
        let mut known = 0;
        let mut before = Before::default();
        let mut rest = given;
        while let Some(size) = group(rest) {
            let (sources, after) = rest.split_at(size);
            if !made
                .get(known)
                .is_some_and(|made| made.is_of(sources, tags))
            {
                made.truncate(known);
                let entries = make(sources, &before, tags).into_iter().map(Arc::new);
                made.push(Made {
                    tags,
                    entries: entries.collect(),
                    sources: sources.to_vec(),
                });
            }
            if let Some(last) = made.get(known).and_then(|made| made.entries.last()) {
                before.role = Some(last.message.role);
            }
            if sources[0].message.role == Role::Assistant {
                before.asked = Some(Arc::clone(&sources[0]));
            }
            known += 1;
            rest = after;
        }
        made.truncate(known);
        let made = made.iter().flat_map(|made| made.entries.iter().cloned());
        made.collect()
    }
}

/// What the messages before say.
#[derive(Default)]
struct Before {
    /// The last message of the assistant: its calls are what results answer.
    asked: Option<Arc<Entry>>,
    /// Who spoke last.
    role: Option<Role>,
}

fn is_seen(message: &Message) -> bool {
    message.in_context && message.status != Status::Abandoned
}

/// How many entries become one message: all that follow each other on the
/// user's side, or one of the assistant.
fn group(entries: &[Arc<Entry>]) -> Option<usize> {
    let first = entries.first()?;
    if first.message.role == Role::Assistant {
        return Some(1);
    }
    let mut results = false;
    let more = entries.iter().take_while(|entry| {
        let message = &entry.message;
        let prompt =
            message.role == Role::User && matches!(message.origin, Origin::User | Origin::Shell);
        let together = !(results && prompt);
        results |= message.role == Role::Tool;
        together && (message.role != Role::Assistant || !says_something(message))
    });
    Some(more.count())
}

/// Cheap: it is asked of every message in every request.
fn says_something(message: &Message) -> bool {
    let says = |part: &Part| match part {
        Part::Text { text } => !text.trim().is_empty(),
        Part::ToolCall(_) => true,
        _ => false,
    };
    is_seen(message) && message.parts.iter().any(says)
}

fn make(sources: &[Arc<Entry>], before: &Before, tags: Tags) -> Vec<Entry> {
    let said = |role, text: String| {
        Entry::new(Arc::new(Message::new(
            role,
            Origin::Model,
            vec![Part::text(text)],
        )))
    };
    if sources[0].message.role == Role::Assistant {
        let message = &sources[0].message;
        let turns = if is_seen(message) {
            render::assistant(message)
        } else {
            Vec::new()
        };
        return turns
            .into_iter()
            .map(|(role, text)| said(role, text))
            .collect();
    }
    let asked = before.asked.as_ref();
    let calls: Vec<&ToolCallPart> = asked
        .map(|entry| entry.message.tool_calls().collect())
        .unwrap_or_default();
    let mut side = UserSide {
        tags,
        parts: Vec::new(),
        blobs: Vec::new(),
        results: 0,
    };
    for entry in sources.iter().filter(|entry| is_seen(&entry.message)) {
        side.add(entry, &calls);
    }
    let Some(entry) = side.finish() else {
        return Vec::new();
    };
    match before.role {
        Some(Role::User) => vec![said(Role::Assistant, NO_REPLY.to_owned()), entry],
        _ => vec![entry],
    }
}

/// What Tenon puts beside a prompt names itself.
fn is_by_user(message: &Message, text: &str) -> bool {
    message.role == Role::User
        && matches!(message.origin, Origin::User | Origin::Steer | Origin::Shell)
        && marked::of(text).is_none()
}

/// One message of the user's side on its way.
struct UserSide {
    tags: Tags,
    parts: Vec<Part>,
    blobs: Vec<(BlobRef, Bytes)>,
    results: usize,
}

impl UserSide {
    fn add(&mut self, entry: &Entry, calls: &[&ToolCallPart]) {
        if entry.message.role == Role::Assistant {
            return;
        }
        for part in &entry.message.parts {
            match part {
                Part::Text { text } if is_by_user(&entry.message, text) => {
                    let text = self.tagged(USER, text);
                    match self.results {
                        0 => self.text(&text),
                        _ => self.text(&format!("{USER_SAYS}{text}")),
                    }
                }
                Part::Text { text } => self.text(text),
                Part::ToolResult {
                    call,
                    name,
                    text,
                    ok,
                } => {
                    self.results += 1;
                    let answered = calls.iter().find(|made| made.id == *call).copied();
                    let text = self.tagged(RESULT, text);
                    self.text(&render::result(name, &text, *ok, answered));
                }
                Part::Image { .. } => self.parts.push(part.clone()),
                Part::Reasoning { .. } | Part::ToolCall(_) | Part::Opaque { .. } => {}
            }
        }
        self.blobs.extend(entry.blobs.iter().cloned());
    }

    fn tagged<'t>(&self, name: &str, text: &'t str) -> Cow<'t, str> {
        match self.tags {
            Tags::Named => Cow::Owned(enclosed(name, text)),
            Tags::None => Cow::Borrowed(text),
        }
    }

    fn text(&mut self, text: &str) {
        match self.parts.last_mut() {
            Some(Part::Text { text: last }) => {
                last.push_str("\n\n");
                last.push_str(text);
            }
            _ => self.parts.push(Part::text(text)),
        }
    }

    fn finish(self) -> Option<Entry> {
        if self.parts.is_empty() {
            return None;
        }
        let message = Message::new(Role::User, Origin::User, self.parts);
        Some(Entry::with_blobs(Arc::new(message), self.blobs))
    }
}
