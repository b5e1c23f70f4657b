//! What a question is about, made for a width once, and how far it was read.
//! Only drawing knows how much fits on the screen: so that is kept in cells.

use super::super::fold::fold_all;
use crate::shapes;
use crate::text::Line;
use std::cell::{Cell, RefCell};
use std::rc::Rc;
use tenon_vocab::Question;

#[derive(Debug, Default)]
pub(super) struct Body {
    made: RefCell<Option<(usize, Rc<[Line]>)>>,
    top: Cell<usize>,
    /// Rows for it, as last drawn.
    height: Cell<usize>,
    length: Cell<usize>,
    /// Which rows have been on the screen.
    seen: RefCell<Vec<bool>>,
}

/// The rows of it that are on the screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Part {
    pub(super) top: usize,
    pub(super) end: usize,
    pub(super) length: usize,
    pub(super) unseen: usize,
}

impl Body {
    pub(super) fn lines(&self, question: &Question, columns: usize, head: &[Line]) -> Rc<[Line]> {
        if let Some((width, lines)) = &*self.made.borrow()
            && *width == columns
        {
            return Rc::clone(lines);
        }
        let mut all = head.to_vec();
        all.extend(fold_all(shapes::question(question, columns), columns));
        let lines: Rc<[Line]> = Rc::from(all);
        // Other rows at another width: what was read is not known any more.
        if self.made.borrow().is_some() {
            self.seen.borrow_mut().clear();
        }
        *self.made.borrow_mut() = Some((columns, Rc::clone(&lines)));
        lines
    }

    /// What of it stands on the screen now.
    pub(super) fn part(&self, length: usize, height: usize) -> Part {
        self.length.set(length);
        self.height.set(height);
        let top = self.top.get().min(length.saturating_sub(height));
        self.top.set(top);
        let end = (top + height).min(length);
        let mut seen = self.seen.borrow_mut();
        seen.resize(length, false);
        if let Some(rows) = seen.get_mut(top..end) {
            rows.fill(true);
        }
        Part {
            top,
            end,
            length,
            unseen: seen.iter().filter(|row| !**row).count(),
        }
    }

    pub(super) fn is_long(&self) -> bool {
        self.length.get() > self.height.get()
    }

    /// Whether its end has been on the screen. One comes there row by row, page
    /// by page, or by the key that says so.
    pub(super) fn is_read(&self) -> bool {
        let seen = self.seen.borrow();
        self.length.get() == 0 || seen.last() == Some(&true)
    }

    /// Whether its end will be there when it is drawn again.
    pub(super) fn is_at_end(&self) -> bool {
        self.top.get() + self.height.get() >= self.length.get()
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
