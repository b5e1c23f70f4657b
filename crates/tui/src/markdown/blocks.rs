//! The blocks of a text, found line by line, and drawn as soon as they end.
//!
//! A block is decided by its own lines and by those before it, never by what
//! follows: so a piece that is drawn is settled, and a text that streams in looks
//! at its end as one that came whole. That is why links are not resolved across
//! blocks, and why spacing follows the blank lines that were written instead of
//! whether a list turned out to be loose.
//!
//! A line of a paragraph is drawn as soon as the next one is there and nothing
//! joins the two: an open mark, the head of a table. So little of a long
//! paragraph is ever open. So is each full row of a long line ([`super::rows`]).
//! The price is that only one row can be underlined to be a heading; a rule under
//! more is a rule.
//!
//! Bounds: what is too deep, too long or too much is cut by its own size alone,
//! at the same place however it arrives. A paragraph goes on behind the cut as
//! another; a table goes on under its repeated heading.

use super::close;
use super::code::Code;
use super::containers::{List, Stack};
use super::leaf::{self, Look};
use super::marks;
use crate::text::{Line, Role, Style};

/// Levels of quotes and lists; what lies deeper is text.
const DEEPEST: usize = 12;
/// Lines and bytes of a paragraph or a table that are kept open.
const MOST_LINES: usize = 200;
/// Lines that an open mark holds together: a mark that nobody closes is none.
const MOST_JOINED: usize = 12;
pub(super) const MOST_BYTES: usize = 8 * 1024;

#[derive(Debug, Clone, Default)]
pub(super) struct Blocks {
    stack: Stack,
    leaf: Leaf,
    /// What was drawn last, and inside of what.
    last: Option<(Look, Vec<u64>)>,
    /// A blank line was written since.
    blank: Blank,
    pub out: Vec<Line>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Blank {
    #[default]
    None,
    Seen,
}

#[derive(Debug, Clone, Default)]
enum Leaf {
    #[default]
    None,
    Text(Text),
    Fence(marks::Fence, Box<Code>),
    /// Code by its indent, and the blank lines that may belong to it.
    Indented(usize),
}

#[derive(Debug, Clone, Default)]
struct Text {
    text: String,
    lines: usize,
    reading: Reading,
    /// Bytes at the begin that repeat the heading of a table.
    repeated: usize,
    /// The part of a block that was cut for its length.
    part: Part,
}

impl Text {
    /// Whether the next line may change how the lines before it look.
    fn is_joined_by(&self, line: &str) -> bool {
        if self.reading == Reading::Verbatim {
            return false;
        }
        let last = self.text.lines().next_back().unwrap_or_default();
        let begins_table = last.contains('|') && marks::is_delimiter_row(line);
        // What stands in HTML is verbatim to its end.
        begins_table
            || leaf::is_table(&self.text)
            || self.text.trim_start().starts_with('<')
            || self.lines < MOST_JOINED && close::is_open(&self.text)
    }

    /// Whether a line of dashes below is a rule, though it could underline.
    fn is_ruled_by(&self, line: &str) -> bool {
        self.part == Part::Further && marks::is_rule(line)
    }
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Reading {
    #[default]
    Marks,
    /// Too deep to be looked into.
    Verbatim,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Part {
    #[default]
    First,
    Further,
}

/// Whether what is drawn may be broken by the terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Scrollback,
    /// Redrawn in place: each line must fit.
    Live,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Sheet {
    pub columns: usize,
    pub place: Place,
}

impl Blocks {
    /// A line without its line feed.
    pub fn line(&mut self, line: &str, sheet: Sheet) {
        let (matched, rest) = self.stack.matched(line);
        let whole = matched == self.stack.len();
        if whole && let Leaf::Fence(fence, _) = &self.leaf {
            if fence.is_closed_by(&rest) {
                self.close_leaf(sheet);
            } else {
                let indent = fence.indent;
                self.code(&marks::strip_at_most(&rest, indent), sheet);
            }
            return;
        }
        if marks::is_blank(&rest) {
            self.blank_line(matched, sheet);
            return;
        }
        self.written(matched, &rest, sheet);
    }

    /// The rest of a line that was cut for its length.
    pub fn more(&mut self, text: &str, sheet: Sheet) {
        match &mut self.leaf {
            Leaf::Fence(..) | Leaf::Indented(_) => self.code(text, sheet),
            Leaf::Text(open) => {
                open.text.push_str(text);
                self.bound(sheet);
            }
            Leaf::None => {
                self.leaf = Leaf::Text(Text {
                    part: Part::Further,
                    ..Text::default()
                });
                self.more(text, sheet);
            }
        }
    }

    /// Nothing follows.
    pub fn finish(&mut self, sheet: Sheet) {
        self.close_to(0, sheet);
    }

    /// The text of the paragraph that is open, to be changed before it is drawn.
    pub fn open_text(&mut self) -> Option<&mut String> {
        match &mut self.leaf {
            Leaf::Text(text) => Some(&mut text.text),
            _ => None,
        }
    }

    /// The same at this place, with nothing drawn yet.
    pub fn without_lines(&self) -> Self {
        Self {
            stack: self.stack.clone(),
            leaf: self.leaf.clone(),
            last: self.last.clone(),
            blank: self.blank,
            out: Vec::new(),
        }
    }

    /// The columns of a text at this place.
    pub fn room(&self, sheet: Sheet) -> usize {
        self.stack.inner(sheet.columns)
    }

    /// The text that is open, if it is one that can go on in another part.
    pub fn paragraph(&self) -> Option<&str> {
        let Leaf::Text(open) = &self.leaf else {
            return None;
        };
        let is_task = self.stack.has_undrawn_mark() && leaf::task(&open.text).is_some();
        let is_other = open.text.contains('|') || open.text.trim_start().starts_with('<');
        (open.reading == Reading::Marks && !is_task && !is_other).then_some(&open.text)
    }

    /// Draws the text that is open; it goes on in another part.
    pub fn part(&mut self, sheet: Sheet) {
        if let Leaf::Text(open) = &self.leaf {
            let next = Text {
                reading: open.reading,
                part: Part::Further,
                lines: 1,
                ..Text::default()
            };
            self.close_leaf(sheet);
            self.leaf = Leaf::Text(next);
        }
    }

    fn blank_line(&mut self, matched: usize, sheet: Sheet) {
        if let Leaf::Indented(blanks) = &mut self.leaf
            && matched == self.stack.len()
        {
            *blanks += 1;
            return;
        }
        self.close_to(matched, sheet);
        self.blank = Blank::Seen;
    }

    /// A line that is not blank: it goes on with what is open, or begins.
    fn written(&mut self, matched: usize, rest: &str, sheet: Sheet) {
        let mut depth = matched;
        let mut rest = rest.to_owned();
        loop {
            let going_on = depth == self.stack.len() && matches!(self.leaf, Leaf::Text(_));
            if marks::indent(&rest).0 >= 4 {
                break;
            }
            if going_on && self.is_underlined_by(&rest) {
                break;
            }
            if self.stack.len().min(depth) >= DEEPEST {
                break;
            }
            if let Some(inner) = marks::quoted(&rest) {
                self.close_to(depth, sheet);
                self.stack.push_quote();
                rest = inner.into_owned();
            } else if let Some(mark) = marks::item(&rest)
                && !marks::is_rule(&rest)
                && !(going_on && (mark.rest.is_empty() || mark.number > 1))
            {
                self.close_to(depth, sheet);
                rest = self.stack.push_item(&mark);
                if rest.is_empty() {
                    return;
                }
            } else {
                break;
            }
            depth = self.stack.len();
        }
        self.leaf_line(depth, &rest, sheet);
    }

    fn leaf_line(&mut self, depth: usize, rest: &str, sheet: Sheet) {
        let whole = depth == self.stack.len();
        let in_text = matches!(self.leaf, Leaf::Text(_));
        if marks::indent(rest).0 >= 4 && !in_text {
            if !(whole && matches!(self.leaf, Leaf::Indented(_))) {
                self.begin(depth, sheet);
                self.leaf = Leaf::Indented(0);
            }
            self.code(&marks::strip(rest, 4), sheet);
        } else if in_text && whole && self.is_underlined_by(rest) {
            self.add(rest);
            self.close_leaf(sheet);
        } else if let Some(fence) = marks::fence(rest) {
            self.begin(depth, sheet);
            let code = Code::new(fence.language());
            self.leaf = Leaf::Fence(fence, Box::new(code));
        } else if marks::indent(rest).0 < 4 && (marks::is_heading(rest) || marks::is_rule(rest)) {
            self.begin(depth, sheet);
            self.append(rest, sheet);
            self.close_leaf(sheet);
        } else {
            // A line that lacks the marks of its quote or list still goes on
            // with a paragraph.
            if !in_text {
                self.begin(depth, sheet);
            }
            self.append(rest, sheet);
        }
    }

    /// Whether a line makes a heading of the text that is open.
    fn is_underlined_by(&self, line: &str) -> bool {
        match &self.leaf {
            Leaf::Text(open) => marks::is_underline(line) && !open.is_ruled_by(line),
            _ => false,
        }
    }

    /// Something other than an item begins at this depth.
    fn begin(&mut self, depth: usize, sheet: Sheet) {
        self.close_to(depth, sheet);
        self.stack.fill(List::Over);
    }

    fn append(&mut self, line: &str, sheet: Sheet) {
        self.settle(line, sheet);
        self.add(line);
        self.bound(sheet);
    }

    /// Draws the lines before this one, if it cannot change them.
    fn settle(&mut self, line: &str, sheet: Sheet) {
        let Leaf::Text(open) = &mut self.leaf else {
            return;
        };
        if open.lines == 0 || open.is_joined_by(line) {
            return;
        }
        // A break that the end of a line asks for is made anyway.
        let slashes = open.text.len() - open.text.trim_end_matches('\\').len();
        if slashes % 2 == 1 && open.reading == Reading::Marks {
            open.text.pop();
        }
        let next = Text {
            reading: open.reading,
            part: Part::Further,
            ..Text::default()
        };
        self.close_leaf(sheet);
        self.leaf = Leaf::Text(next);
    }

    fn add(&mut self, line: &str) {
        if !matches!(self.leaf, Leaf::Text(_)) {
            let reading = match self.stack.len() {
                DEEPEST.. => Reading::Verbatim,
                _ => Reading::Marks,
            };
            self.leaf = Leaf::Text(Text {
                reading,
                ..Text::default()
            });
        }
        if let Leaf::Text(open) = &mut self.leaf {
            if !open.text.is_empty() && !open.text.ends_with('\n') {
                open.text.push('\n');
            }
            // An indent means nothing inside of a paragraph.
            let line = match open.part {
                Part::Further if open.text.is_empty() => line.trim_start_matches([' ', '\t']),
                _ => line,
            };
            open.text.push_str(line);
            open.lines += 1;
        }
    }

    /// Draws a paragraph that became too long, and goes on with another.
    fn bound(&mut self, sheet: Sheet) {
        let Leaf::Text(open) = &mut self.leaf else {
            return;
        };
        if open.lines < MOST_LINES && open.text.len() < MOST_BYTES {
            return;
        }
        // A heading that fills the bound by itself is not repeated.
        let head = leaf::table_head(&open.text)
            .filter(|head| head.len() < MOST_BYTES / 4)
            .unwrap_or_default()
            .to_owned();
        let next = Text {
            reading: open.reading,
            repeated: head.len(),
            part: Part::Further,
            text: head,
            lines: 0,
        };
        self.close_leaf(sheet);
        self.leaf = Leaf::Text(next);
    }

    fn close_to(&mut self, depth: usize, sheet: Sheet) {
        if depth < self.stack.len() || !matches!(self.leaf, Leaf::None) {
            self.close_leaf(sheet);
        }
        while self.stack.len() > depth {
            if self.stack.has_undrawn_mark() {
                self.put(Look::Text, vec![Line::empty()], Part::First, sheet);
            }
            self.stack.pop();
        }
    }

    fn close_leaf(&mut self, sheet: Sheet) {
        match std::mem::take(&mut self.leaf) {
            Leaf::Text(text) => self.text(&text, sheet),
            Leaf::Indented(1..) => self.blank = Blank::Seen,
            Leaf::None | Leaf::Fence(..) | Leaf::Indented(0) => {}
        }
    }

    fn text(&mut self, open: &Text, sheet: Sheet) {
        if open.text.len() <= open.repeated {
            return;
        }
        let base = match self.stack.is_in_quote() {
            true => Style::from(Role::Quote),
            false => Style::default(),
        };
        let columns = self.stack.inner(sheet.columns);
        let (mark, text) = match self
            .stack
            .has_undrawn_mark()
            .then(|| leaf::task(&open.text))
        {
            Some(Some((mark, rest))) => (Some(mark), rest),
            _ => (None, open.text.as_str()),
        };
        let room = columns.saturating_sub(mark.as_ref().map_or(0, |mark| mark.width()));
        let blocks = match open.reading {
            Reading::Verbatim => vec![(Look::Text, leaf::verbatim(text, base, room))],
            Reading::Marks if open.part == Part::Further && open.repeated == 0 => {
                leaf::draw_further(text, base, room)
            }
            Reading::Marks => leaf::draw(text, base, room),
        };
        let mut mark = mark;
        for (look, mut lines) in blocks {
            if let Some(mark) = mark.take() {
                lines = behind(lines, mark);
            }
            // A table that begins below other lines is no further part of them.
            let part = match look {
                Look::Text => open.part,
                _ if open.repeated > 0 => open.part,
                _ => Part::First,
            };
            self.put(look, lines, part, sheet);
        }
    }

    /// A line of code, drawn at once.
    fn code(&mut self, line: &str, sheet: Sheet) {
        let columns = self.stack.inner(sheet.columns);
        let mut lines = Vec::new();
        let part = match &mut self.leaf {
            Leaf::Fence(_, code) => {
                let part = if code.is_begun() {
                    Part::Further
                } else {
                    Part::First
                };
                lines.push(code.line(line));
                part
            }
            Leaf::Indented(blanks) => {
                let blanks = std::mem::take(blanks);
                let same = matches!(&self.last, Some((Look::Set, ids)) if *ids == self.stack.ids());
                lines.extend(std::iter::repeat_n(Line::empty(), blanks));
                lines.push(Code::new("").line(line));
                if same && self.blank == Blank::None {
                    Part::Further
                } else {
                    Part::First
                }
            }
            Leaf::None | Leaf::Text(_) => return,
        };
        if sheet.place == Place::Live {
            lines = lines
                .iter()
                .flat_map(|line| super::code::fitted(line, columns))
                .collect();
        }
        self.put(Look::Set, lines, part, sheet);
    }

    /// Lines with what surrounds them, set off from what stands above.
    fn put(&mut self, look: Look, lines: Vec<Line>, part: Part, sheet: Sheet) {
        let ids = self.stack.ids();
        if part == Part::First
            && let Some((last, inside)) = &self.last
            && (self.blank == Blank::Seen || *last == Look::Set || look != Look::Text)
        {
            let shared = ids.iter().zip(inside).take_while(|(a, b)| a == b).count();
            self.out.push(self.stack.gap(shared, sheet.columns));
        }
        self.blank = Blank::None;
        for line in lines {
            self.out.push(self.stack.prefixed(line, sheet.columns));
        }
        self.last = Some((look, ids));
    }
}

/// The first line behind a mark, the others under its text.
fn behind(lines: Vec<Line>, mark: crate::text::Span) -> Vec<Line> {
    let indent = " ".repeat(mark.width());
    let mut first = Some(mark);
    lines
        .into_iter()
        .map(|line| match first.take() {
            Some(mark) => line.behind(mark),
            None => line.behind(crate::text::Span::new(Role::Text, &indent)),
        })
        .collect()
}
