//! A long text on the terminal's other page: the transcript, a diff, help.
//!
//! A very long one is laid out piece by piece, so that keys are answered in
//! between: what is there can be read, and the rest follows.

mod find;

use super::field::{Edited, Field, labelled};
use super::fold::fold;
use super::needle::shown_width;
use crate::rule;
use crate::text::{Frame, Line, Role, Size, Span, Style};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use find::Findings;
use std::rc::Rc;

/// Makes the lines for a width: the pager asks again when that changes.
pub type Source = Box<dyn Fn(usize) -> Vec<Line>>;
/// The lines in pieces, each of which is made quickly.
pub type Pieces = Box<dyn Iterator<Item = Vec<Line>>>;
/// Makes pieces for a width.
pub type Maker = Box<dyn Fn(usize) -> Pieces>;

/// Rows that are made before the page is shown, and then at a time.
const FIRST: usize = 1_000;
const MORE: usize = 200;

pub struct Pager {
    title: String,
    maker: Maker,
    /// Made once for a width.
    rows: Vec<Row>,
    /// What is not made yet.
    coming: Option<Pieces>,
    size: Option<Size>,
    top: usize,
    /// The top and all rows at the width before: where to be when all are made.
    before: Option<(usize, usize)>,
    from: From,
    field: Option<Field>,
    findings: Findings,
    notice: Option<String>,
}

/// A row of the screen.
#[derive(Debug)]
struct Row {
    line: Line,
    of: Of,
}

/// What a row is of its line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Of {
    Start,
    /// It goes on with the line of the row above.
    Rest,
}

impl std::fmt::Debug for Pager {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pager")
            .field("title", &self.title)
            .field("rows", &self.rows.len())
            .field("top", &self.top)
            .finish_non_exhaustive()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Paged {
    Stay,
    Closed,
}

/// Where it begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum From {
    Start,
    End,
}

impl Pager {
    #[must_use]
    pub fn new(title: &str, source: Source, from: From) -> Self {
        let source = Rc::new(source);
        let maker = move |columns| {
            let source = Rc::clone(&source);
            Box::new(std::iter::once_with(move || source(columns))) as Pieces
        };
        Self::in_pieces(title, Box::new(maker), from)
    }

    /// Of a text that may be very long.
    #[must_use]
    pub fn in_pieces(title: &str, maker: Maker, from: From) -> Self {
        Self {
            title: title.to_owned(),
            maker,
            rows: Vec::new(),
            coming: None,
            size: None,
            top: 0,
            before: None,
            from,
            field: None,
            findings: Findings::default(),
            notice: None,
        }
    }

    /// Whether there are rows to be made; [`Pager::work`] makes some of them.
    #[must_use]
    pub fn has_work(&self) -> bool {
        self.coming.is_some()
    }

    pub fn work(&mut self) {
        self.lay(MORE);
    }

    pub fn key(&mut self, key: KeyEvent) -> Paged {
        if key.kind == KeyEventKind::Release {
            return Paged::Stay;
        }
        self.notice = None;
        if self.field.is_some() {
            self.typed(key);
            return Paged::Stay;
        }
        let page = self.height().saturating_sub(1).max(1);
        let half = (self.height() / 2).max(1);
        if key.modifiers.contains(KeyModifiers::CONTROL) {
            match key.code {
                KeyCode::Char('c' | 't') => return Paged::Closed,
                KeyCode::Char('d') => self.down(half),
                KeyCode::Char('u') => self.up(half),
                KeyCode::Char('f') => self.down(page),
                KeyCode::Char('b') => self.up(page),
                _ => {}
            }
            return Paged::Stay;
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Paged::Closed,
            KeyCode::Up | KeyCode::Char('k') => self.up(1),
            KeyCode::Down | KeyCode::Char('j') | KeyCode::Enter => self.down(1),
            KeyCode::PageUp | KeyCode::Char('b') => self.up(page),
            KeyCode::PageDown | KeyCode::Char(' ') => self.down(page),
            KeyCode::Home | KeyCode::Char('g') => self.up(usize::MAX),
            KeyCode::End | KeyCode::Char('G') => self.down(usize::MAX),
            KeyCode::Char('/') => self.field = Some(Field::default()),
            KeyCode::Char('n') => self.jump(Findings::next),
            KeyCode::Char('N') => self.jump(Findings::previous),
            _ => {}
        }
        Paged::Stay
    }

    /// Into the line that says what to search.
    pub fn paste(&mut self, text: &str) {
        if let Some(field) = &mut self.field {
            field.paste(text);
        }
    }

    fn typed(&mut self, key: KeyEvent) {
        let Some(field) = &mut self.field else {
            return;
        };
        let control = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Esc => self.field = None,
            KeyCode::Char('c') if control => self.field = None,
            KeyCode::Enter => {
                let text = field.text().to_owned();
                self.field = None;
                self.search(&text);
            }
            KeyCode::Backspace if field.is_empty() => self.field = None,
            _ => {
                let _: Edited = field.key(key);
            }
        }
    }

    /// From what is on the screen on; nothing typed takes the marks away.
    fn search(&mut self, text: &str) {
        let lines = logical(&self.rows);
        self.findings = Findings::of(text, lines);
        if text.is_empty() {
            return;
        }
        self.findings.start_at(self.top);
        match self.findings.current() {
            Some(row) => self.reveal(row),
            None => self.notice = Some(format!("`{text}` is not in it")),
        }
    }

    fn jump(&mut self, to: fn(&mut Findings)) {
        to(&mut self.findings);
        match self.findings.current() {
            Some(row) => self.reveal(row),
            None if self.findings.text().is_empty() => {
                self.notice = Some(String::from("/ searches"));
            }
            None => {
                let text = self.findings.text();
                self.notice = Some(format!("`{text}` is not in it"));
            }
        }
    }

    /// Brings a row on the screen, with some of what stands above it.
    fn reveal(&mut self, row: usize) {
        let height = self.height();
        if row < self.top || row >= self.top + height {
            self.top = row.saturating_sub(height / 3).min(self.last());
        }
    }

    fn height(&self) -> usize {
        self.size.map_or(0, |size| body(size.rows))
    }

    fn last(&self) -> usize {
        self.rows.len().saturating_sub(self.height())
    }

    fn up(&mut self, rows: usize) {
        self.top = self.top.saturating_sub(rows);
        self.from = From::Start;
        self.before = None;
    }

    fn down(&mut self, rows: usize) {
        self.top = self.top.saturating_add(rows).min(self.last());
        self.before = None;
        if self.top == self.last() {
            self.from = From::End;
        }
    }

    /// All rows of the screen.
    pub fn view(&mut self, size: Size) -> Frame {
        self.fit(size);
        if size.rows == 0 || size.columns == 0 {
            return Frame::default();
        }
        let height = body(size.rows);
        let mut lines = Vec::with_capacity(size.rows);
        if size.rows >= 3 {
            let title = Style::from(Role::Heading).bold();
            let title = Line::of([Span::new(title, &self.title)]);
            lines.push(rule::above(&title, Role::Border, size.columns));
        }
        let end = (self.top + height).min(self.rows.len());
        for at in self.top..end {
            if let Some(row) = self.rows.get(at) {
                lines.push(self.findings.marked(at, &row.line));
            }
        }
        let mut frame = Frame::of(lines);
        if size.rows >= 2 {
            frame.lines.resize(size.rows - 1, Line::empty());
            frame.below(self.status(size.columns, end));
        }
        frame
    }

    /// Makes the rows for a width, and stays where it was.
    fn fit(&mut self, size: Size) {
        let before = self.size.replace(size);
        if before.is_none_or(|before| before.columns != size.columns) {
            if self.coming.is_none() && before.is_some() {
                self.before = Some((self.top, self.rows.len().max(1)));
            }
            self.rows = Vec::new();
            self.findings = Findings::of(self.findings.text(), std::iter::empty());
            self.coming = Some((self.maker)(size.columns));
            self.lay(FIRST);
        }
        if self.from == From::End {
            self.top = self.last();
        }
        self.top = self.top.min(self.last());
    }

    /// Makes so many rows, or a few more.
    fn lay(&mut self, most: usize) {
        let columns = self.size.map_or(1, |size| size.columns);
        let until = self.rows.len() + most;
        while let Some(coming) = &mut self.coming
            && self.rows.len() < until
        {
            let lines = coming.next();
            let is_last = lines.is_none() || coming.size_hint().1 == Some(0);
            for line in lines.into_iter().flatten() {
                self.add(line, columns);
            }
            if is_last {
                self.made();
            }
        }
    }

    fn add(&mut self, line: Line, columns: usize) {
        let mut of = Of::Start;
        for line in fold(line, columns) {
            self.rows.push(Row { line, of });
            of = Of::Rest;
        }
    }

    /// All rows are there. Other ones than before: the same share of them lies
    /// above.
    fn made(&mut self) {
        self.coming = None;
        if let Some((top, all)) = self.before.take() {
            self.top = top.saturating_mul(self.rows.len()) / all;
        }
        let text = self.findings.text().to_owned();
        self.findings = Findings::of(&text, logical(&self.rows));
        self.findings.start_at(self.top);
    }

    fn status(&self, columns: usize, end: usize) -> Frame {
        if let Some(field) = &self.field {
            let (line, caret) = labelled("/", field, columns);
            return Frame {
                lines: vec![line.cut(columns)],
                caret: Some((0, caret)),
            };
        }
        if let Some(notice) = &self.notice {
            return Frame::of(vec![Line::new(Role::Warning, notice).cut(columns)]);
        }
        let all = self.rows.len();
        let first = (self.top + 1).min(end);
        let share = (end * 100).checked_div(all).unwrap_or(100);
        let found = match self.findings.place() {
            Some(place) => format!(" · match {place}, n next, N previous"),
            None => String::new(),
        };
        let (all, share) = match self.coming {
            None => (all.to_string(), format!(" · {share} %")),
            Some(_) => (format!("{all}+"), String::new()),
        };
        let long = format!(
            "{first}–{end} of {all}{share}{found} · space, b page · g, G ends · / search · q close"
        );
        let short = format!("{first}–{end}/{all}{found} · q close");
        let fits = |words: &str| shown_width(words) + rule::AROUND <= columns;
        let line = match fits(&long) {
            true => Line::new(Role::Dim, &long),
            false => Line::new(Role::Dim, &short),
        };
        // Where it is and how to leave is worth more than the rule.
        let line = match fits(&short) {
            true => rule::below(&line, Role::Border, columns),
            false => line.cut(columns),
        };
        Frame::of(vec![line])
    }
}

/// Rows between the title and the status line.
fn body(rows: usize) -> usize {
    match rows {
        0 => 0,
        1 => 1,
        2 => 1,
        more => more - 2,
    }
}

/// Lines as they were before they were folded: where each begins, and its rows.
fn logical(rows: &[Row]) -> impl Iterator<Item = (usize, Vec<&Line>)> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let start = at;
        let mut lines = vec![&rows.get(at)?.line];
        at += 1;
        while let Some(row) = rows.get(at).filter(|row| row.of == Of::Rest) {
            lines.push(&row.line);
            at += 1;
        }
        Some((start, lines))
    })
}
