//! The outputs of calls: each call has one, in the order of the calls, and none
//! stands without its call. What is stored may be otherwise, and would then be
//! refused with every later request.

use super::items::Writer;
use crate::Entry;
use bytes::Bytes;
use std::sync::Arc;
use tenon_vocab::{CallId, Message, Part};

/// The calls of the last answer that wait for their output.
#[derive(Debug, Default)]
pub(super) struct Waiting<'e> {
    calls: Vec<&'e CallId>,
    /// Outputs that came before that of an earlier call.
    early: Vec<Option<Bytes>>,
    /// How many calls have their output written.
    written: usize,
}

impl<'e> Waiting<'e> {
    /// Calls that must be answered next.
    pub(super) fn ask(&mut self, message: &'e Message) {
        self.calls.extend(message.tool_calls().map(|call| &call.id));
        self.early.resize(self.calls.len(), None);
    }

    /// Takes a message of results. What answers in order, as all that this
    /// program stores does, is the kept fragment of the entry; anything else is
    /// taken apart, and what answers nothing is left out.
    pub(super) fn answer(
        &mut self,
        entry: &'e Arc<Entry>,
        writer: &Writer<'_>,
        key: &Arc<str>,
        pieces: &mut Vec<Bytes>,
    ) {
        let answered = || {
            entry.message.parts.iter().filter_map(|part| match part {
                Part::ToolResult { call, .. } => Some((call, part)),
                _ => None,
            })
        };
        let next = &self.calls[self.written..];
        let count = answered().count();
        let in_order = count <= next.len()
            && answered()
                .map(|(call, _)| call)
                .eq(next[..count].iter().copied());
        if in_order {
            push(pieces, entry.fragment(key, |entry| writer.message(entry)));
            self.written += count;
        } else {
            for (call, part) in answered() {
                let free = (self.written..self.calls.len())
                    .find(|&place| self.calls[place] == call && self.early[place].is_none());
                if let Some(place) = free {
                    self.early[place] = Some(writer.result(&entry.message, part));
                }
            }
        }
        while let Some(early) = self.early.get_mut(self.written).and_then(Option::take) {
            pieces.push(early);
            self.written += 1;
        }
    }

    /// No more outputs come: what has none gets one that says so.
    pub(super) fn close(&mut self, writer: &Writer<'_>, pieces: &mut Vec<Bytes>) {
        for place in self.written..self.calls.len() {
            let early = self.early.get_mut(place).and_then(Option::take);
            pieces.push(early.unwrap_or_else(|| writer.missing_result(self.calls[place])));
        }
        self.calls.clear();
        self.early.clear();
        self.written = 0;
    }
}

pub(super) fn push(pieces: &mut Vec<Bytes>, piece: Bytes) {
    if !piece.is_empty() {
        pieces.push(piece);
    }
}
