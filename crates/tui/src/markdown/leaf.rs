//! A paragraph, a heading or a table as lines: what stands inside a block. The
//! blocks themselves are found in [`super::blocks`], line by line, so that what
//! is settled never depends on what follows.
//!
//! Two decisions. A line break of the author stays one: models break lines on
//! purpose, and joining `Name: x` with `Age: y` loses more than it wins. And a
//! target is never hidden: what a link leads to stands behind its text.

use crate::shapes::grid::{self, Align, Grid};
use crate::text::{Line, Role, Ruled, Span, Style, wrap};
use pulldown_cmark::{Alignment, CowStr, Event, HeadingLevel, Options, Parser, Tag, TagEnd};
use std::borrow::Cow;

/// How something stands among its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Look {
    Text,
    Heading,
    /// Code, tables, rules: with room around.
    Set,
}

/// Text without any mark that means something.
pub(super) fn verbatim(text: &str, base: Style, columns: usize) -> Vec<Line> {
    text.lines()
        .flat_map(|line| wrap(&Line::new(base, line), columns, 0))
        .collect()
}

/// The blocks of one leaf; in all but rare cases it is one.
pub(super) fn draw(text: &str, base: Style, columns: usize) -> Vec<(Look, Vec<Line>)> {
    let text = &*with_room(text);
    let options =
        Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH | Options::ENABLE_TASKLISTS;
    let parser = Parser::new_ext(text, options);
    let mut drawing = Drawing::new(base, columns);
    drawing.targets(&parser, text);
    for event in parser {
        drawing.event(event);
    }
    drawing.end(Look::Text);
    drawing.blocks
}

/// The same of a text that goes on with a paragraph: what would begin a list
/// at another place is a line like any other there.
pub(super) fn draw_further(text: &str, base: Style, columns: usize) -> Vec<(Look, Vec<Line>)> {
    const BEFORE: &str = "x\n";
    let first = text.lines().next().unwrap_or_default();
    let may_begin_table = first.contains('|') && super::marks::item(first).is_none();
    if may_begin_table || super::marks::is_underline(first) {
        return draw(text, base, columns);
    }
    let mut blocks = draw(&format!("{BEFORE}{text}"), base, columns);
    let is_before = |lines: &[Line]| {
        let first = lines.first();
        first.is_some_and(|line| line.plain() == BEFORE.trim_end())
    };
    if let Some((_, lines)) = blocks.iter_mut().find(|(_, lines)| is_before(lines)) {
        lines.remove(0);
    }
    blocks.retain(|(_, lines)| !lines.is_empty());
    blocks
}

struct Drawing {
    base: Style,
    columns: usize,
    styles: Vec<Style>,
    /// The lines of the block that is being read, not yet wrapped.
    lines: Vec<Line>,
    links: Vec<Target>,
    table: Option<Reading>,
    blocks: Vec<(Look, Vec<Line>)>,
}

/// A link whose text is being read.
struct Target {
    url: String,
    shown: String,
}

#[derive(Default)]
struct Reading {
    grid: Grid,
    row: Vec<Vec<Line>>,
}

impl Drawing {
    fn new(base: Style, columns: usize) -> Self {
        Self {
            base,
            columns,
            styles: Vec::new(),
            lines: Vec::new(),
            links: Vec::new(),
            table: None,
            blocks: Vec::new(),
        }
    }

    /// Definitions of links say where something leads, so they are shown.
    fn targets(&mut self, parser: &Parser<'_>, text: &str) {
        let mut spans: Vec<_> = parser
            .reference_definitions()
            .iter()
            .map(|(_, definition)| definition.span.clone())
            .collect();
        spans.sort_by_key(|span| span.start);
        for span in spans {
            let source = text.get(span).unwrap_or_default();
            self.lines
                .extend(source.lines().map(|line| Line::new(Role::Dim, line.trim())));
        }
        self.end(Look::Text);
    }

    fn style(&self) -> Style {
        self.styles.last().copied().unwrap_or(self.base)
    }

    fn add(&mut self, style: Style, text: &str) {
        for link in &mut self.links {
            link.shown.push_str(text);
        }
        for (n, part) in text.split('\n').enumerate() {
            if n > 0 || self.lines.is_empty() {
                self.lines.push(Line::empty());
            }
            if let Some(line) = self.lines.last_mut()
                && !part.is_empty()
            {
                line.push(style, part);
            }
        }
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.ended(tag),
            Event::Text(text) => self.add(self.style(), &text),
            Event::Code(text) => {
                let style = Style {
                    role: Role::Code,
                    ..self.style()
                };
                self.add(style, &text);
            }
            Event::InlineHtml(text) if is_break(&text) => self.lines.push(Line::empty()),
            Event::Html(text) | Event::InlineHtml(text) => self.add(self.style(), &text),
            Event::SoftBreak | Event::HardBreak => self.lines.push(Line::empty()),
            Event::Rule => {
                let line = Line::new(Role::Border, &"─".repeat(self.columns));
                self.blocks.push((Look::Set, vec![line]));
            }
            Event::TaskListMarker(done) => {
                self.add(Role::Accent.into(), if done { "[x] " } else { "[ ] " });
            }
            Event::FootnoteReference(text) | Event::InlineMath(text) | Event::DisplayMath(text) => {
                self.add(self.style(), &text);
            }
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        let style = self.style();
        match tag {
            Tag::Heading { level, .. } => {
                self.end(Look::Text);
                self.styles.push(heading(level));
            }
            Tag::Emphasis => self.styles.push(style.italic()),
            Tag::Strong => self.styles.push(style.bold()),
            Tag::Strikethrough => self.styles.push(style.ruled(Ruled::Through)),
            Tag::Link { dest_url, .. } => {
                self.styles.push(Style {
                    role: Role::Link,
                    ..style
                });
                self.link(&dest_url);
            }
            Tag::Image { dest_url, .. } => {
                self.add(Role::Dim.into(), "[image: ");
                self.styles.push(style);
                self.link(&dest_url);
            }
            Tag::Table(alignments) => {
                self.end(Look::Text);
                let aligned = alignments.iter().map(|alignment| match alignment {
                    Alignment::Right => Align::Right,
                    Alignment::Center => Align::Middle,
                    Alignment::Left | Alignment::None => Align::Left,
                });
                let grid = Grid::aligned(aligned.collect());
                self.table = Some(Reading {
                    grid,
                    ..Reading::default()
                });
            }
            Tag::TableHead => self.styles.push(style.bold()),
            Tag::TableCell | Tag::TableRow => {}
            Tag::Paragraph
            | Tag::BlockQuote(_)
            | Tag::CodeBlock(_)
            | Tag::HtmlBlock
            | Tag::List(_)
            | Tag::Item => self.end(Look::Text),
            _ => {}
        }
    }

    fn link(&mut self, url: &CowStr<'_>) {
        self.links.push(Target {
            url: url.to_string(),
            shown: String::new(),
        });
    }

    fn ended(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Heading(_) => {
                self.styles.pop();
                self.end(Look::Heading);
            }
            TagEnd::Emphasis | TagEnd::Strong | TagEnd::Strikethrough => {
                self.styles.pop();
            }
            TagEnd::Link => {
                self.styles.pop();
                self.target();
            }
            TagEnd::Image => {
                self.styles.pop();
                self.add(Role::Dim.into(), "]");
                self.target();
            }
            TagEnd::TableCell => {
                let cell = std::mem::take(&mut self.lines);
                if let Some(table) = &mut self.table {
                    table.row.push(cell);
                }
            }
            TagEnd::TableHead => {
                self.styles.pop();
                self.row(Grid::head);
            }
            TagEnd::TableRow => self.row(Grid::row),
            TagEnd::Table => {
                if let Some(table) = self.table.take() {
                    let lines = table.grid.lay(self.columns);
                    self.blocks.push((Look::Set, lines));
                }
            }
            _ => self.end(Look::Text),
        }
    }

    fn row(&mut self, keep: fn(&mut Grid, Vec<Vec<Line>>)) {
        if let Some(table) = &mut self.table {
            let row = std::mem::take(&mut table.row);
            keep(&mut table.grid, row);
        }
    }

    /// Where a link leads, if its text does not say so already.
    fn target(&mut self) {
        let Some(Target { url, shown }) = self.links.pop() else {
            return;
        };
        let said = url.strip_prefix("mailto:").unwrap_or(&url);
        if !url.is_empty() && shown != said && shown != url {
            self.add(Role::Dim.into(), &format!(" ({url})"));
        }
    }

    /// The block that was read is complete.
    fn end(&mut self, look: Look) {
        let lines = std::mem::take(&mut self.lines);
        let drawn: Vec<Line> = trimmed(lines)
            .iter()
            .flat_map(|line| wrap(line, self.columns, 0))
            .collect();
        if !drawn.is_empty() {
            self.blocks.push((look, drawn));
        }
    }
}

/// Without empty lines at its ends.
fn trimmed(mut lines: Vec<Line>) -> Vec<Line> {
    let is_empty = |line: &Line| line.spans.iter().all(|span| span.text().is_empty());
    while lines.last().is_some_and(is_empty) {
        lines.pop();
    }
    let first = lines.iter().take_while(|line| is_empty(line)).count();
    lines.split_off(first)
}

fn is_break(html: &str) -> bool {
    matches!(html, "<br>" | "<br/>" | "<br />")
}

/// Levels that differ at a glance: ruled and coloured, coloured, bold, slanted.
fn heading(level: HeadingLevel) -> Style {
    let style = |role| Style::from(role).bold();
    match level {
        HeadingLevel::H1 => style(Role::Heading).ruled(Ruled::Under),
        HeadingLevel::H2 => style(Role::Heading),
        HeadingLevel::H3 => style(Role::Text),
        _ => style(Role::Text).italic(),
    }
}

/// The mark of a task, taken off the text of its item.
pub(super) fn task(text: &str) -> Option<(Span, &str)> {
    let (mark, rest) = text.split_at_checked(4)?;
    match mark {
        "[ ] " => Some((Span::new(Role::Accent, mark), rest)),
        "[x] " | "[X] " => Some((Span::new(Role::Success, "[x] "), rest)),
        _ => None,
    }
}

pub(super) fn is_table(text: &str) -> bool {
    let mut lines = text.lines();
    lines.next().is_some_and(|line| line.contains('|'))
        && lines.next().is_some_and(super::marks::is_delimiter_row)
}

/// A table whose heading has a cell for each cell of its rows: the parser drops
/// what has no heading.
fn with_room(text: &str) -> Cow<'_, str> {
    let Some(head) = table_head(text) else {
        return Cow::Borrowed(text);
    };
    let cells = |line: &str| {
        let line = line.replace("\\|", "");
        let line = line.trim();
        let line = line.strip_prefix('|').unwrap_or(line);
        line.strip_suffix('|').unwrap_or(line).matches('|').count() + 1
    };
    let rows = text.get(head.len()..).unwrap_or_default();
    let most = rows.lines().map(cells).max().unwrap_or_default();
    let lacking = most.saturating_sub(head.lines().map(cells).min().unwrap_or_default());
    if lacking == 0 {
        return Cow::Borrowed(text);
    }
    let mut whole: String = head
        .lines()
        .zip([" |", "-|"])
        .map(|(line, cell)| {
            let line = line.trim_end();
            let bar = if line.ends_with('|') { "" } else { "|" };
            format!("{line}{bar}{}\n", cell.repeat(lacking))
        })
        .collect();
    whole.push_str(rows);
    Cow::Owned(whole)
}

/// Whether the text begins with a table, and the two lines that make it one.
pub(super) fn table_head(text: &str) -> Option<&str> {
    let first = text.find('\n')? + 1;
    let second = first + text.get(first..)?.find('\n')? + 1;
    let is_table = text.get(..first)?.contains('|')
        && super::marks::is_delimiter_row(text.get(first..second)?.trim_end());
    is_table.then(|| text.get(..second)).flatten()
}

/// The narrowest that a text is drawn.
pub(super) const NARROWEST: usize = grid::NARROWEST;
