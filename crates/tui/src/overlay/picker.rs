//! A list to pick from, narrowed by what is typed.

use super::field::{Edited, Field, labelled};
use super::needle::{Keep, Look, Needle, marked, shown_width};
use super::scroll::{Mark, Scroll, next, previous};
use crate::house::Row;
use crate::rule;
use crate::text::{Frame, Line, Role, Size, Span, Style, wrap};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::cmp::Reverse;

#[derive(Debug)]
pub struct Picker {
    pub title: String,
    listed: Listed,
    field: Field,
    /// Rows that fit what is typed, the best first.
    found: Vec<usize>,
    selected: usize,
    scroll: Scroll,
    /// What the rows in `found` were narrowed by.
    narrowed: String,
    /// What is to be known of the list.
    note: Option<String>,
}

/// A row at the edge of the list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Edge {
    Above,
    Below,
}

#[derive(Debug)]
enum Listed {
    Waiting,
    Rows(Vec<Item>),
}

/// A row, and all of it that is looked through.
#[derive(Debug)]
struct Item {
    row: Row,
    words: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Picked {
    Stay,
    /// The id of the row.
    Row(String),
    /// Moved over a row: for what can be shown at once, such as a theme.
    Over(String),
    Closed,
}

impl Picker {
    /// Without rows it says that it waits for them.
    #[must_use]
    pub fn new(title: &str, rows: Option<Vec<Row>>) -> Self {
        let mut picker = Self {
            title: title.to_owned(),
            listed: Listed::Waiting,
            field: Field::default(),
            found: Vec::new(),
            selected: 0,
            scroll: Scroll::default(),
            narrowed: String::new(),
            note: None,
        };
        if let Some(rows) = rows {
            picker.fill(rows);
        }
        picker
    }

    /// What was typed while it waited counts.
    pub fn fill(&mut self, rows: Vec<Row>) {
        self.found = (0..rows.len()).collect();
        self.listed = Listed::Rows(rows.into_iter().map(Item::new).collect());
        self.narrowed.clear();
        self.selected = 0;
        self.narrow();
    }

    /// Puts the mark on a row, such as what holds now.
    pub fn select(&mut self, id: &str) {
        let at = self
            .found
            .iter()
            .position(|row| self.item(*row).is_some_and(|item| item.row.id == id));
        self.selected = at.unwrap_or(self.selected);
    }

    /// Says something of the list, below it.
    pub fn remark(&mut self, note: Option<String>) {
        self.note = note;
    }

    /// What a row is called.
    #[must_use]
    pub fn label(&self, id: &str) -> Option<String> {
        let Listed::Rows(items) = &self.listed else {
            return None;
        };
        let item = items.iter().find(|item| item.row.id == id)?;
        Some(item.row.label.clone())
    }

    pub fn key(&mut self, key: KeyEvent) -> Picked {
        if key.kind == KeyEventKind::Release {
            return Picked::Stay;
        }
        let length = self.found.len();
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        let page = self.scroll.page();
        let last = length.saturating_sub(1);
        match key.code {
            KeyCode::Esc => Picked::Closed,
            KeyCode::Char('c') if control => Picked::Closed,
            KeyCode::Enter => match self.id() {
                Some(id) => Picked::Row(id),
                None => Picked::Stay,
            },
            KeyCode::Up => self.go(previous(self.selected, length)),
            KeyCode::Down => self.go(next(self.selected, length)),
            KeyCode::Char('p') if control => self.go(previous(self.selected, length)),
            KeyCode::Char('n') if control => self.go(next(self.selected, length)),
            KeyCode::PageUp => self.go(self.selected.saturating_sub(page)),
            KeyCode::PageDown => self.go((self.selected + page).min(last)),
            KeyCode::Home => self.go(0),
            KeyCode::End => self.go(last),
            _ => match self.field.key(key) {
                Edited::Changed => self.narrow(),
                Edited::Moved | Edited::Passed => Picked::Stay,
            },
        }
    }

    pub fn paste(&mut self, text: &str) {
        self.field.paste(text);
        self.narrow();
    }

    fn item(&self, row: usize) -> Option<&Item> {
        match &self.listed {
            Listed::Rows(items) => items.get(row),
            Listed::Waiting => None,
        }
    }

    fn id(&self) -> Option<String> {
        let row = self.found.get(self.selected)?;
        self.item(*row).map(|item| item.row.id.clone())
    }

    fn go(&mut self, to: usize) -> Picked {
        let before = self.selected;
        self.selected = to;
        match self.id() {
            Some(id) if to != before => Picked::Over(id),
            _ => Picked::Stay,
        }
    }

    /// Looks for what is typed now, among what fitted so far where it grew.
    fn narrow(&mut self) -> Picked {
        let Listed::Rows(items) = &self.listed else {
            return Picked::Stay;
        };
        let text = self.field.text();
        if text == self.narrowed {
            return Picked::Stay;
        }
        let before = self.id();
        let mut needle = Needle::words(text);
        let grew = text.starts_with(&self.narrowed);
        let mut pool = std::mem::take(&mut self.found);
        if !grew {
            pool = (0..items.len()).collect();
        }
        let mut hits: Vec<(u32, usize)> = pool
            .into_iter()
            .filter_map(|row| {
                let item = items.get(row)?;
                let score = needle.score(&item.words)?;
                // What is found in the label itself counts twice.
                let label = needle.score(&item.row.label).unwrap_or(0);
                Some((score + label, row))
            })
            .collect();
        hits.sort_unstable_by_key(|(score, row)| (Reverse(*score), *row));
        self.found = hits.into_iter().map(|(_, row)| row).collect();
        text.clone_into(&mut self.narrowed);
        self.selected = 0;
        match self.id() {
            Some(id) if Some(&id) != before.as_ref() => Picked::Over(id),
            _ => Picked::Stay,
        }
    }

    #[must_use]
    pub fn view(&self, size: Size) -> Frame {
        self.drawn_with(size, |line, _| line.cut(size.columns))
    }

    /// The same with rules around it, as the input has them.
    #[must_use]
    pub fn framed(&self, size: Size) -> Frame {
        self.drawn_with(size, |line, edge| match edge {
            Edge::Above => rule::above(&line, Role::Border, size.columns),
            Edge::Below => rule::below(&line, Role::Border, size.columns),
        })
    }

    fn drawn_with(&self, size: Size, edge: impl Fn(Line, Edge) -> Line) -> Frame {
        let Size { columns, rows } = size;
        if rows == 0 || columns == 0 {
            return Frame::default();
        }
        let mut lines = Vec::new();
        if rows >= 3 {
            lines.push(edge(self.heading(), Edge::Above));
        }
        let at = lines.len();
        let (line, caret) = labelled("> ", &self.field, columns);
        lines.push(line);
        let hint = usize::from(rows >= 8);
        let note = self.noted(columns, rows / 3);
        let room = (rows - lines.len() - hint).saturating_sub(note.len());
        lines.extend(self.list(columns, room));
        lines.extend(note);
        if hint > 0 {
            let keys = Line::new(Role::Dim, "↑↓ move · enter chooses · esc closes");
            lines.push(edge(keys, Edge::Below));
        }
        Frame {
            lines,
            caret: Some((at, caret)),
        }
    }

    fn noted(&self, columns: usize, most: usize) -> Vec<Line> {
        let Some(note) = &self.note else {
            return Vec::new();
        };
        let mut lines = wrap(&Line::new(Role::Dim, note), columns, 2);
        lines.truncate(most);
        lines
    }

    fn heading(&self) -> Line {
        let mut line = Line::of([Span::new(Style::from(Role::Heading).bold(), &self.title)]);
        if let Listed::Rows(items) = &self.listed {
            line.push(
                Role::Dim,
                &format!("  {}/{}", self.found.len(), items.len()),
            );
        }
        line
    }

    fn list(&self, columns: usize, room: usize) -> Vec<Line> {
        let said = |role: Role, text: &str| {
            let mut lines = vec![Line::new(role, text).cut(columns)];
            lines.truncate(room);
            lines
        };
        let items = match &self.listed {
            Listed::Waiting => return said(Role::Dim, "  reading the list …"),
            Listed::Rows(items) if items.is_empty() => {
                return said(Role::Dim, "  nothing to choose from");
            }
            Listed::Rows(items) => items,
        };
        // As high as the whole list: what stands around it does not move with
        // every letter.
        let height = items.len().min(room);
        let mut lines = if self.found.is_empty() {
            let text = format!("  nothing matches `{}`", self.field.text());
            said(Role::Dim, &text)
        } else {
            self.drawn(columns, height)
        };
        lines.resize(height.max(lines.len()), Line::empty());
        lines
    }

    fn drawn(&self, columns: usize, height: usize) -> Vec<Line> {
        let range = self.scroll.around(self.selected, self.found.len(), height);
        let rows: Vec<(usize, &Item)> = range
            .filter_map(|at| Some((at, self.item(*self.found.get(at)?)?)))
            .collect();
        let widest = rows
            .iter()
            .map(|(_, item)| shown_width(&item.row.label))
            .max()
            .unwrap_or(0);
        let label = widest.min(columns.saturating_sub(2));
        // The detail gets a third where the labels would leave it nothing.
        let label = if rows.iter().any(|(_, item)| !item.row.detail.is_empty()) {
            label.min(columns * 2 / 3)
        } else {
            label
        };
        let mut needle = Needle::words(self.field.text());
        rows.into_iter()
            .map(|(at, item)| item.line(Mark::of(at, self.selected), &mut needle, label, columns))
            .collect()
    }
}

impl Item {
    fn new(row: Row) -> Self {
        let mut words = row.label.clone();
        for more in [&row.detail, &row.id] {
            if *more != row.label && !more.is_empty() {
                words.push(' ');
                words.push_str(more);
            }
        }
        Self { row, words }
    }

    fn line(&self, mark: Mark, needle: &mut Needle, label: usize, columns: usize) -> Line {
        let role = mark.role();
        let look = Look {
            plain: role.into(),
            found: Role::Match.into(),
        };
        let mut line = Line::of([Span::new(role, mark.sign())]);
        let letters = needle.letters(&self.words);
        line.spans
            .extend(marked(&self.row.label, &letters, look, Keep::Start, label));
        if !self.row.detail.is_empty() {
            let gap = (label + 2).saturating_sub(line.width()) + 2;
            line.push(Role::Dim, &" ".repeat(gap));
            line.push(Role::Dim, &self.row.detail);
        }
        mark.row(line, columns)
    }
}
