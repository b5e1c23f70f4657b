//! What comes in the middle of something and stands behind it: an answer that is
//! being written is not interrupted by what is said beside it, what is to be known
//! of a call comes before its result, and what a prompt mentions is read before the
//! prompt is there. Until then it stands in the live area.

use super::{Block, Flow, Running, Streamed};
use crate::text::{Line, Role, Span, wrap};
use std::time::Instant;
use tenon_vocab::{Event, EventKind, Role as Speaker, notice};

#[derive(Debug, Default)]
pub(super) struct Held {
    said: Vec<Said>,
    /// What belongs to a prompt that has not come yet.
    early: Vec<Event>,
    /// What is told now is of a call that goes on.
    pub(super) of_call: bool,
}

#[derive(Debug)]
struct Said {
    lines: Vec<Line>,
    room: Room,
}

/// How it stands among other remarks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Room {
    /// Close to them.
    Close,
    /// What follows is close to it, what came before is not.
    Before,
    Around,
}

impl Held {
    pub(super) fn note(&mut self, event: &Event, running: &[Running]) {
        let is_remark = matches!(event.kind, EventKind::Notice(_) | EventKind::Job(_));
        self.of_call = is_remark && event.parent.is_none() && !running.is_empty();
    }
}

impl Flow {
    /// Whether what was held back stands behind this.
    pub(super) fn is_waited_for(&self, event: &Event) -> bool {
        event.parent.is_none()
            && match &event.kind {
                EventKind::Message(message) => message.role != Speaker::Tool,
                EventKind::ToolResult(_) => self.running.is_empty(),
                EventKind::RunFinished(_) => true,
                _ => false,
            }
    }

    /// Lines of something that is no part of the conversation.
    pub fn say(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.put(lines.into_iter().collect(), Room::Close);
    }

    /// The same, apart from what stands before and after.
    pub fn show(&mut self, lines: impl IntoIterator<Item = Line>) {
        self.put(lines.into_iter().collect(), Room::Around);
    }

    /// A command that was typed: what follows answers it.
    pub fn echo(&mut self, text: &str, columns: usize) {
        let line = Line::of([Span::new(Role::Dim, "› "), Span::new(Role::User, text)]);
        self.put(wrap(&line, columns, 2), Room::Before);
    }

    fn put(&mut self, lines: Vec<Line>, room: Room) {
        let said = Said { lines, room };
        match self.streamed == Streamed::Nothing && !self.held.of_call {
            true => self.place(said),
            false => self.held.said.push(said),
        }
    }

    fn place(&mut self, said: Said) {
        if said.room != Room::Close && self.last != Block::Start {
            self.settle_looks();
            self.last = Block::ToolBody;
        }
        self.begin(Block::Remark);
        self.out.extend(said.lines);
        if said.room == Room::Around {
            self.last = Block::ToolBody;
        }
    }

    /// What is held back as long as the answer is written, for the live area.
    #[must_use]
    pub fn held(&self) -> Vec<Line> {
        let mut lines = Vec::new();
        let mut before = Room::Around;
        for said in &self.held.said {
            if before == Room::Around || said.room != Room::Close {
                lines.push(Line::empty());
            }
            lines.extend(said.lines.iter().cloned());
            before = said.room;
        }
        lines
    }

    /// Takes what belongs to a prompt that is not there yet.
    pub(super) fn comes_too_early(&mut self, event: &Event) -> bool {
        let is_of_prompt = event.parent.is_none()
            && match &event.kind {
                EventKind::ToolResult(result) => result.call.is_mention(),
                EventKind::Notice(notice) => notice.kind == notice::MENTION,
                _ => false,
            };
        if is_of_prompt {
            self.held.early.push(event.clone());
        }
        is_of_prompt
    }

    pub(super) fn release(&mut self, columns: usize, now: Instant) {
        for event in std::mem::take(&mut self.held.early) {
            self.tell(&event, columns, now);
        }
        self.place_said();
    }

    /// The session goes: what was said is there, what its next prompt had read is
    /// not told any more.
    pub(super) fn forget_held(&mut self) {
        self.held.early.clear();
        self.place_said();
    }

    fn place_said(&mut self) {
        for said in std::mem::take(&mut self.held.said) {
            self.place(said);
        }
    }
}
