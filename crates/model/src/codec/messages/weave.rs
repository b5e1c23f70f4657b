//! Makes the messages of a request from the history. The format has only two
//! sides that take turns, and every call is answered at the beginning of the
//! user's next message: so results, and what the user says after them, are
//! blocks of one message. What is missing is made up, what answers nothing is
//! left out: no history can make a request that is refused for ever.
//!
//! Blocks are only ever added behind those of the request before. Its last
//! message may grow by blocks when it got no answer; the provider's cache goes
//! by blocks, so nothing of it is lost.

use super::blocks::{self, Writing};
use super::names;
use super::results::{self, ToolResult};
use super::wire::filler;
use crate::Entry;
use bytes::Bytes;
use std::borrow::Cow;
use std::collections::HashSet;
use std::sync::Arc;
use tenon_vocab::{CallId, Message, Role};

const NO_PROMPT: &str = "(no prompt was recorded)";
const GO_ON: &str = "(go on)";
const CLOSE: &[u8] = b"]}";
/// In the place of the bracket that closes the last block.
const MARK: &[u8] = br#","cache_control":{"type":"ephemeral"}}"#;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Side {
    User,
    Assistant,
}

impl Side {
    fn first(self) -> &'static [u8] {
        match self {
            Self::User => br#"{"role":"user","content":["#,
            Self::Assistant => br#"{"role":"assistant","content":["#,
        }
    }

    fn next(self) -> &'static [u8] {
        match self {
            Self::User => br#"]},{"role":"user","content":["#,
            Self::Assistant => br#"]},{"role":"assistant","content":["#,
        }
    }
}

/// Whether the last block carries the moving mark of the cache.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LastBlock {
    Plain,
    Marked,
}

/// How messages are written.
#[derive(Debug, Clone, Copy)]
pub(super) struct Writings<'r> {
    pub(super) usual: &'r Writing,
    /// Those of a turn that began without thinking, for as long as they are
    /// sent: how a turn began never changes, and so neither do its messages.
    pub(super) halted: &'r Writing,
}

/// How the model's present turn began: from the user's last words on, over all
/// results in between.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    NotBegun,
    WithThinking,
    WithoutThinking,
}

pub(super) struct Woven {
    pub(super) pieces: Vec<Bytes>,
    pub(super) turn: Turn,
}

/// A call that waits for its result, the id that it was sent with, and a result
/// that came before that of an earlier call.
struct Waiting<'r> {
    call: &'r CallId,
    id: Cow<'r, str>,
    early: Option<Bytes>,
}

struct Weave<'r> {
    writings: Writings<'r>,
    pieces: Vec<Bytes>,
    open: Option<Side>,
    turn: Turn,
    waiting: Vec<Waiting<'r>>,
    /// Ids that were sent; each may be used once. Their hashes are enough: two
    /// ids that share one only lead to a number that was not needed.
    used: HashSet<u64>,
}

/// The pieces of a request from `head` to the end of its last message.
pub(super) fn weave<'r>(
    head: Bytes,
    entries: &'r [Arc<Entry>],
    writings: Writings<'r>,
    last: LastBlock,
) -> Woven {
    // Two for each message, and what stands around them all.
    let mut pieces = Vec::with_capacity(entries.len() * 2 + 8);
    pieces.push(head);
    let mut weave = Weave {
        writings,
        pieces,
        open: None,
        turn: Turn::NotBegun,
        waiting: Vec::new(),
        used: HashSet::new(),
    };
    for entry in entries {
        if !blocks::is_shown(&entry.message) {
            continue;
        }
        match entry.message.role {
            Role::User => weave.user(entry),
            Role::Assistant => weave.assistant(entry),
            Role::Tool => weave.tool(entry),
        }
    }
    weave.finish(last)
}

impl<'r> Weave<'r> {
    fn add(&mut self, side: Side, blocks: Bytes) {
        if blocks.is_empty() {
            return;
        }
        match self.open {
            Some(open) if open == side => self.pieces.push(blocks),
            Some(_) => self.begin(side.next(), side, &blocks),
            None if side == Side::Assistant => {
                self.add(Side::User, filler(NO_PROMPT));
                self.add(side, blocks);
            }
            None => self.begin(side.first(), side, &blocks),
        }
    }

    fn begin(&mut self, opening: &'static [u8], side: Side, blocks: &Bytes) {
        self.pieces.push(Bytes::from_static(opening));
        // Every block begins with a comma; the first one must not.
        self.pieces.push(blocks.slice(1..));
        self.open = Some(side);
    }

    fn user(&mut self, entry: &Entry) {
        self.answer_waiting();
        // Words that follow results in the same message do not end the turn.
        if self.open == Some(Side::Assistant) {
            self.turn = Turn::NotBegun;
        }
        let blocks = entry.fragment(&self.writings.usual.key, blocks::user);
        self.add(Side::User, blocks);
    }

    fn assistant(&mut self, entry: &'r Entry) {
        self.answer_waiting();
        let message = &*entry.message;
        let mut renamed = false;
        for call in message.tool_calls() {
            let mut id = names::id(call.id.as_str());
            if !self.used.insert(names::hash(&id)) {
                renamed = true;
                id = self.numbered(&id);
            }
            self.waiting.push(Waiting {
                call: &call.id,
                id,
                early: None,
            });
        }
        let writing = self.writing(message);
        let blocks = if renamed {
            blocks::assistant(
                message,
                writing,
                &|position, call| match self.waiting.get(position) {
                    Some(waiting) => waiting.id.clone(),
                    None => names::id(call.id.as_str()),
                },
            )
        } else {
            entry.fragment(&writing.key, |entry| {
                blocks::assistant(&entry.message, writing, &|_, call| {
                    names::id(call.id.as_str())
                })
            })
        };
        self.add(Side::Assistant, blocks);
    }

    /// How the next message of the model is written; the first one decides for
    /// its turn.
    fn writing(&mut self, message: &Message) -> &'r Writing {
        if self.turn == Turn::NotBegun {
            self.turn = if blocks::opens_with_thought(message, self.writings.usual) {
                Turn::WithThinking
            } else {
                Turn::WithoutThinking
            };
        }
        match self.turn {
            Turn::WithoutThinking => self.writings.halted,
            Turn::NotBegun | Turn::WithThinking => self.writings.usual,
        }
    }

    /// An id that was not sent yet, told from the history alone.
    fn numbered(&mut self, id: &str) -> Cow<'r, str> {
        let mut number = 2_u64;
        loop {
            let candidate = format!("{id}_{number}");
            if self.used.insert(names::hash(&candidate)) {
                return Cow::Owned(candidate);
            }
            number += 1;
        }
    }

    /// Results of the calls that wait, in the order of the calls; any other
    /// answers nothing.
    fn tool(&mut self, entry: &'r Entry) {
        let results = results::read(&entry.message);
        if self.is_next(&results) {
            self.waiting.drain(..results.len());
            let blocks = entry.fragment(&self.writings.usual.key, |entry| {
                let mut out = Vec::new();
                for result in results::read(&entry.message) {
                    let id = names::id(result.call.as_str());
                    results::write(&mut out, entry, &result, &id);
                }
                Bytes::from(out)
            });
            self.add(Side::User, blocks);
            return;
        }
        for result in &results {
            let open =
                |waiting: &&mut Waiting<'_>| waiting.call == result.call && waiting.early.is_none();
            if let Some(waiting) = self.waiting.iter_mut().find(open) {
                let mut out = Vec::new();
                results::write(&mut out, entry, result, &waiting.id);
                waiting.early = Some(Bytes::from(out));
            }
        }
        while let Some(blocks) = self
            .waiting
            .first_mut()
            .and_then(|first| first.early.take())
        {
            self.waiting.remove(0);
            self.add(Side::User, blocks);
        }
    }

    /// Whether these are the results of the calls that are next, by the ids that
    /// they always have.
    fn is_next(&self, results: &[ToolResult<'_>]) -> bool {
        results.len() <= self.waiting.len()
            && results.iter().zip(&self.waiting).all(|(result, waiting)| {
                waiting.call == result.call && waiting.id == names::id(result.call.as_str())
            })
    }

    fn answer_waiting(&mut self) {
        for waiting in std::mem::take(&mut self.waiting) {
            let blocks = waiting
                .early
                .unwrap_or_else(|| results::missing(&waiting.id));
            self.add(Side::User, blocks);
        }
    }

    /// A request ends with the user, who is answered.
    fn finish(mut self, last: LastBlock) -> Woven {
        self.answer_waiting();
        if self.open != Some(Side::User) {
            self.add(Side::User, filler(GO_ON));
            self.turn = Turn::NotBegun;
        }
        if last == LastBlock::Marked
            && let Some(block) = self.pieces.last_mut()
        {
            *block = block.slice(..block.len() - 1);
            self.pieces.push(Bytes::from_static(MARK));
        }
        self.pieces.push(Bytes::from_static(CLOSE));
        Woven {
            pieces: self.pieces,
            turn: self.turn,
        }
    }
}
