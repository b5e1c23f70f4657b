//! The text with its caret and all that changes it: every change goes through
//! [`Desk::change`], which remembers it for undo and tells the layout.

use super::Aim;
use super::buffer::{Buffer, Place};
use super::kill::{Kills, Run, Side};
use super::paste::{self, Pastes};
use super::undo::{Change, Group, Step, Undo};
use super::wrap::Layouts;
use std::cell::RefCell;
use std::ops::Range;

/// What the key before this one did, as far as the next must know.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) enum Deed {
    #[default]
    Other,
    Typed,
    Killed,
    /// Put back from the ring, from here to the caret.
    Yanked(Place),
    /// Moved over rows; the column that it aims at.
    Vertical(usize),
    /// Brought an old text back, whole and with the caret at its end.
    Recalled,
}

#[derive(Debug, Default)]
pub(super) struct Desk {
    pub(super) buffer: Buffer,
    pub(super) caret: Place,
    pub(super) aim: Aim,
    pub(super) pastes: Pastes,
    pub(super) kills: Kills,
    pub(super) undo: Undo,
    pub(super) layouts: RefCell<Layouts>,
    pub(super) last: Deed,
    pub(super) doing: Deed,
}

impl Desk {
    /// A new key: what the last one did is over, unless this one goes on with it.
    pub(super) fn begin(&mut self) {
        self.last = std::mem::take(&mut self.doing);
    }

    pub(super) fn change(&mut self, range: Range<Place>, text: &str, group: Group) {
        self.aimed(range, text, group, self.aim);
    }

    /// A change after which the text is for somebody else.
    fn aimed(&mut self, range: Range<Place>, text: &str, group: Group, aim: Aim) {
        let was = std::mem::replace(&mut self.aim, aim);
        if range.is_empty() && text.is_empty() {
            return;
        }
        let before = self.caret;
        let at = range.start;
        let removed = self.put(range, text);
        let change = Change {
            at,
            removed,
            inserted: text.to_owned(),
        };
        let step = Step {
            change,
            end: at.after(text),
            before,
            after: self.caret,
            was,
            is: aim,
        };
        self.undo.record(step, group);
    }

    /// A change that undo does not know: whoever calls it puts things right.
    pub(super) fn put(&mut self, range: Range<Place>, text: &str) -> String {
        let at = range.start;
        let whole_lines = range.start.line == range.end.line && !text.contains('\n');
        let removed = self.buffer.splice(range, text);
        if whole_lines {
            self.layouts.get_mut().edited(at);
        } else {
            self.layouts.get_mut().cut(at.line);
        }
        self.caret = self.buffer.snap(at.after(text));
        removed
    }

    pub(super) fn all(&self) -> Range<Place> {
        Place::default()..self.buffer.end()
    }

    pub(super) fn replace_all(&mut self, text: &str, aim: Aim) {
        if self.buffer.text() == text {
            self.caret = self.buffer.end();
            self.aim = aim;
        } else {
            self.aimed(self.all(), text, Group::Alone, aim);
        }
    }

    /// The same text for the model, with the sign of the shell as a part of it.
    pub(super) fn spell_sign(&mut self) {
        let caret = self.caret;
        let start = Place::default();
        self.aimed(start..start, "!", Group::Alone, Aim::Model);
        let moved = if caret.line == 0 { 1 } else { 0 };
        self.caret = Place::new(caret.line, caret.byte + moved);
    }

    /// Whether a `!` that is typed now is the sign of the shell.
    pub(super) fn takes_sign(&self) -> bool {
        let nothing = self.buffer.count() == 1 && self.buffer.line(0).bytes().all(|b| b == b' ');
        self.aim == Aim::Model && nothing
    }

    pub(super) fn insert(&mut self, text: &str, group: Group) {
        let group = match (group, self.last) {
            (Group::Typed, Deed::Typed) | (Group::Burst | Group::Alone, _) => group,
            (Group::Typed, _) => Group::Alone,
        };
        self.doing = Deed::Typed;
        self.change(self.caret..self.caret, text, group);
    }

    /// A paste, cleaned already: a large one becomes one mark.
    pub(super) fn paste(&mut self, text: String) {
        let here = self.caret..self.caret;
        if Pastes::is_large(&text) {
            self.fold(here, text);
        } else {
            self.change(here, &text, Group::Alone);
        }
    }

    /// A text in the place of a range, as one mark while there are marks left.
    pub(super) fn fold(&mut self, range: Range<Place>, text: String) {
        match self.pastes.fold(&text) {
            Some(mark) => self.change(range, mark.encode_utf8(&mut [0; 4]), Group::Alone),
            None => self.change(range, &text, Group::Alone),
        }
    }

    pub(super) fn remove(&mut self, range: Range<Place>) {
        self.change(range, "", Group::Alone);
    }

    /// From the caret to another place, into the ring.
    pub(super) fn kill(&mut self, to: Place) {
        let (range, side) = if to < self.caret {
            (to..self.caret, Side::Before)
        } else {
            (self.caret..to, Side::After)
        };
        let run = match self.last {
            Deed::Killed => Run::Continued,
            _ => Run::New,
        };
        self.doing = Deed::Killed;
        let text = self.buffer.slice(range.clone());
        self.kills.add(&text, side, run);
        self.remove(range);
    }

    pub(super) fn yank(&mut self) {
        let from = self.caret;
        if let Some(text) = self.kills.newest().map(str::to_owned) {
            self.change(from..from, &text, Group::Alone);
            self.doing = Deed::Yanked(from);
        }
    }

    /// Puts an older one in the place of what was just put back.
    pub(super) fn yank_older(&mut self) {
        let Deed::Yanked(from) = self.last else {
            return;
        };
        if let Some(text) = self.kills.turn().map(str::to_owned) {
            self.change(from..self.caret, &text, Group::Alone);
            self.doing = Deed::Yanked(from);
        }
    }

    pub(super) fn undo(&mut self) {
        let step = self.undo.back();
        if let Some(Step {
            change,
            end,
            before,
            was,
            ..
        }) = step
        {
            self.put(change.at..end, &change.removed);
            self.caret = self.buffer.snap(before);
            self.aim = was;
        }
    }

    pub(super) fn redo(&mut self) {
        let step = self.undo.again();
        if let Some(Step {
            change, after, is, ..
        }) = step
        {
            let end = change.at.after(&change.removed);
            self.put(change.at..end, &change.inserted);
            self.caret = self.buffer.snap(after);
            self.aim = is;
        }
    }

    /// The paste that stands beside the caret, unfolded in its place.
    pub(super) fn unfold(&mut self) -> Option<()> {
        let before = self
            .buffer
            .grapheme_before(self.caret)
            .and_then(paste::mark);
        let after = self.buffer.grapheme_after(self.caret).and_then(paste::mark);
        let (mark, range) = match (before, after) {
            (Some(mark), _) => (mark, self.buffer.previous(self.caret)?..self.caret),
            (_, Some(mark)) => (mark, self.caret..self.buffer.next(self.caret)?),
            _ => return None,
        };
        let text = self.pastes.text(mark)?;
        self.change(range, &text, Group::Alone);
        Some(())
    }

    /// All of it, pastes unfolded, without the sign of the shell.
    pub(super) fn whole(&self) -> String {
        self.pastes.unfold(&self.buffer.text())
    }
}
