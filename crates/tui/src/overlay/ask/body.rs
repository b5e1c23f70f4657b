//! What a question is about, made for a width once, and how far it was read.
//! Only drawing knows how much fits on the screen: so that is kept in cells. A row
//! was read when it has been on the screen, not when it was drawn into a frame.

use super::super::fold::fold_all;
use crate::shapes;
use crate::text::{Band, Line};
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;
use tenon_vocab::Question;

#[derive(Debug, Default)]
pub(super) struct Body {
    made: RefCell<Option<Made>>,
    top: Cell<usize>,
    /// Rows for it, as last drawn.
    height: Cell<usize>,
    /// Rows that are left of them when a word about a key stands below.
    noticed: Cell<usize>,
    length: Cell<usize>,
    /// The rows of the last frame, on their way to the screen.
    drawn: RefCell<Range<usize>>,
    /// Which rows have been on the screen.
    seen: RefCell<Vec<bool>>,
    jump: Cell<Jump>,
}

/// All of its rows, and what they were made for.
#[derive(Debug)]
struct Made {
    columns: usize,
    /// How many of them are the title.
    head: usize,
    lines: Rc<[Line]>,
}

/// Whether somebody went to its end by the key that says so, over what lies
/// between.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Jump {
    #[default]
    None,
    ToEnd,
}

/// Rows for it: as things are, and with a word about the last key below.
#[derive(Debug, Clone, Copy)]
pub(super) struct Heights {
    pub(super) now: usize,
    pub(super) noticed: usize,
}

/// The rows of it that are in a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) top: usize,
    pub(super) end: usize,
    pub(super) length: usize,
    pub(super) unseen: usize,
}

impl Body {
    pub(super) fn lines(&self, question: &Question, columns: usize, head: &[Line]) -> Rc<[Line]> {
        if let Some(made) = &*self.made.borrow()
            && (made.columns, made.head) == (columns, head.len())
        {
            return Rc::clone(&made.lines);
        }
        let mut all = head.to_vec();
        all.extend(fold_all(shapes::question(question, columns), columns));
        let lines: Rc<[Line]> = Rc::from(all);
        // Other rows at another width, and other numbers of theirs with the title
        // among them: what was read is not known any more.
        self.seen.borrow_mut().clear();
        self.jump.set(Jump::None);
        *self.made.borrow_mut() = Some(Made {
            columns,
            head: head.len(),
            lines: Rc::clone(&lines),
        });
        lines
    }

    /// Another frame is made, and nothing of it stands there yet.
    pub(super) fn begin(&self) {
        *self.drawn.borrow_mut() = 0..0;
    }

    /// What of it the frame has.
    pub(super) fn part(&self, length: usize, heights: Heights) -> Part {
        let height = heights.now;
        self.length.set(length);
        self.height.set(height);
        self.noticed.set(heights.noticed);
        let top = self.top.get().min(length.saturating_sub(height));
        self.top.set(top);
        let end = (top + height).min(length);
        *self.drawn.borrow_mut() = top..end;
        let is_new = |row: &usize| !(top..end).contains(row) && !self.has_seen(*row);
        Part {
            top,
            end,
            length,
            unseen: (0..length).filter(is_new).count(),
        }
    }

    /// What is decided on comes first in a low window: the lines around a change
    /// are above it. Only before anything was seen.
    pub(super) fn start_at_change(&self, height: usize) {
        let made = self.made.borrow();
        let Some(made) = made
            .as_ref()
            .filter(|_| !self.seen.borrow().contains(&true))
        else {
            return;
        };
        let is_changed = |line: &&Line| matches!(line.band, Band::Added | Band::Removed);
        let before = made
            .lines
            .iter()
            .take_while(|line| !is_changed(line))
            .count();
        let changed = made
            .lines
            .iter()
            .skip(before)
            .take_while(is_changed)
            .count();
        let hidden = before + changed > height && changed > 0;
        self.top
            .set(if hidden { before.saturating_sub(1) } else { 0 });
    }

    /// The last frame is on the screen, all of it.
    pub(super) fn reached(&self) {
        let mut seen = self.seen.borrow_mut();
        seen.resize(self.length.get(), false);
        if let Some(rows) = seen.get_mut(self.drawn.borrow().clone()) {
            rows.fill(true);
        }
    }

    pub(super) fn is_long(&self) -> bool {
        self.length.get() > self.height.get()
    }

    /// Whether each row of it has been on the screen; its end is enough for
    /// whoever went there by the key that says so.
    pub(super) fn is_read(&self) -> bool {
        let seen = self.seen.borrow();
        let is_known = self.made.borrow().is_some() && seen.len() == self.length.get();
        let at_end = self.jump.get() == Jump::ToEnd && seen.last() == Some(&true);
        is_known && (at_end || seen.iter().all(|row| *row))
    }

    /// Whether some of it has been on the screen, or there is nothing to see.
    pub(super) fn is_begun(&self) -> bool {
        self.is_read() || self.seen.borrow().contains(&true)
    }

    /// Whether it will have been read when it is drawn again.
    pub(super) fn will_be_read(&self) -> bool {
        let length = self.length.get();
        let next = self.top.get()..self.top.get() + self.height.get();
        let from = match self.jump.get() {
            Jump::ToEnd => length.saturating_sub(1),
            Jump::None => 0,
        };
        (from..length).all(|row| next.contains(&row) || self.has_seen(row))
    }

    fn has_seen(&self, row: usize) -> bool {
        self.seen.borrow().get(row) == Some(&true)
    }

    /// Whether there is no room for a single row of it.
    pub(super) fn is_hidden(&self) -> bool {
        self.height.get() == 0 && self.length.get() > 0
    }

    pub(super) fn up(&self, rows: usize) {
        self.top.set(self.top.get().saturating_sub(rows));
    }

    pub(super) fn down(&self, rows: usize) {
        let last = self.length.get().saturating_sub(self.height.get());
        self.top.set(self.top.get().saturating_add(rows).min(last));
    }

    /// By the key that says so.
    pub(super) fn end(&self) {
        self.down(usize::MAX);
        self.jump.set(Jump::ToEnd);
    }

    /// To what was not on the screen yet: on from here, or back to what was
    /// passed over. That is said below it.
    pub(super) fn read_on(&self) {
        let here = self.top.get() + self.height.get();
        self.height.set(self.noticed.get());
        let mut before = 0..here.min(self.length.get());
        match before.find(|row| !self.has_seen(*row)) {
            Some(row) if self.jump.get() == Jump::None => {
                self.up(usize::MAX);
                self.down(row);
            }
            _ => self.page_down(),
        }
    }

    fn page(&self) -> usize {
        self.height.get().saturating_sub(1).max(1)
    }

    pub(super) fn page_up(&self) {
        self.up(self.page());
    }

    pub(super) fn page_down(&self) {
        self.down(self.page());
    }
}
