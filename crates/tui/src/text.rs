//! Lines of styled text: what everything that is shown is made of. Styles say
//! what a piece of text is, never which colour it has: that is the theme's.
//!
//! Whatever stands in a span is already fit for a terminal: foreign text passes
//! [`tenon_vocab::Printable`] on its way in, here and nowhere else.

mod wrapping;

use tenon_vocab::Printable;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;
pub use wrapping::wrap;

/// What a piece of text is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Role {
    #[default]
    Text,
    /// Steps back: thoughts, hints, what is over.
    Dim,
    Heading,
    /// Code inside a sentence.
    Code,
    Link,
    Quote,
    /// What the user wrote.
    User,
    /// The name of a tool.
    Tool,
    Success,
    Error,
    Warning,
    /// What wants to be looked at: the mark of a list, a key.
    Accent,
    Added,
    Removed,
    /// The part of a changed line that differs.
    AddedWord,
    RemovedWord,
    Hunk,
    /// Rules and frames.
    Border,
    /// The chosen line of a list.
    Selected,
    /// The letters of a list's line that match what was typed.
    Match,
    /// The cell of a caret that we draw ourselves.
    Caret,
    Keyword,
    Literal,
    StringText,
    Comment,
    Function,
    TypeName,
    Punctuation,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct Style {
    pub role: Role,
    pub bold: Weight,
    pub italic: Slant,
    pub line: Ruled,
    pub band: Band,
}

/// What kind of line a piece stands in, where its colour is its own: code that is
/// a part of a change.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Band {
    #[default]
    None,
    Added,
    Removed,
    /// Around a change: it steps back.
    Around,
    /// The chosen row of a list.
    Chosen,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Weight {
    #[default]
    Plain,
    Bold,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Slant {
    #[default]
    Upright,
    Italic,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Ruled {
    #[default]
    No,
    Under,
    Through,
}

impl From<Role> for Style {
    fn from(role: Role) -> Self {
        Self {
            role,
            ..Self::default()
        }
    }
}

impl Style {
    #[must_use]
    pub fn bold(self) -> Self {
        Self {
            bold: Weight::Bold,
            ..self
        }
    }

    #[must_use]
    pub fn italic(self) -> Self {
        Self {
            italic: Slant::Italic,
            ..self
        }
    }

    #[must_use]
    pub fn ruled(self, line: Ruled) -> Self {
        Self { line, ..self }
    }

    #[must_use]
    pub fn within(self, band: Band) -> Self {
        Self { band, ..self }
    }
}

/// A piece of a line in one style. Holds no control character.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    text: String,
    pub style: Style,
}

impl Span {
    /// Any text: what a terminal would obey is made visible.
    #[must_use]
    pub fn new(style: impl Into<Style>, text: &str) -> Self {
        Self {
            text: Printable::line(text).into_string(),
            style: style.into(),
        }
    }

    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    #[must_use]
    pub fn width(&self) -> usize {
        width(&self.text)
    }

    /// A part of one: it was fit for a terminal and still is.
    fn part(&self, text: &str) -> Self {
        Self {
            text: text.to_owned(),
            style: self.style,
        }
    }
}

/// Who breaks a line that is longer than the screen is wide.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Break {
    /// It fits the width that it was made for.
    #[default]
    Made,
    /// The terminal: so that it is copied as one line. Only above the live area.
    ByTerminal,
}

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Line {
    pub spans: Vec<Span>,
    pub ends: Break,
    /// Whose background runs on behind the text, to the edge of the screen.
    pub band: Band,
}

impl Line {
    #[must_use]
    pub fn new(style: impl Into<Style>, text: &str) -> Self {
        Self::of([Span::new(style, text)])
    }

    #[must_use]
    pub fn of(spans: impl IntoIterator<Item = Span>) -> Self {
        Self {
            spans: spans.into_iter().collect(),
            ..Self::default()
        }
    }

    #[must_use]
    pub fn empty() -> Self {
        Self::default()
    }

    /// Broken by the terminal where it is too long.
    #[must_use]
    pub fn unbroken(mut self) -> Self {
        self.ends = Break::ByTerminal;
        self
    }

    /// With the background of a band to the edge.
    #[must_use]
    pub fn in_band(mut self, band: Band) -> Self {
        self.band = band;
        self
    }

    pub fn push(&mut self, style: impl Into<Style>, text: &str) {
        self.spans.push(Span::new(style, text));
    }

    #[must_use]
    pub fn width(&self) -> usize {
        self.spans.iter().map(Span::width).sum()
    }

    /// Its text without styles.
    #[must_use]
    pub fn plain(&self) -> String {
        self.spans.iter().map(Span::text).collect()
    }

    /// The line behind something, such as a mark or an indent.
    #[must_use]
    pub fn behind(mut self, first: Span) -> Self {
        self.spans.insert(0, first);
        self
    }

    /// With what stands at a column drawn as a caret; a blank behind the end.
    fn with_caret(self, column: usize) -> Self {
        let mut spans = Vec::with_capacity(self.spans.len() + 2);
        let mut left = Some(column);
        for span in &self.spans {
            let Some(before) = left.filter(|left| *left < span.width()) else {
                left = left.map(|left| left - span.width());
                spans.push(span.clone());
                continue;
            };
            let (head, rest) = split_at(span.text(), before);
            let cell = rest.graphemes(true).next().unwrap_or_default();
            let caret = Span {
                text: cell.to_owned(),
                style: Role::Caret.into(),
            };
            let tail = rest.get(cell.len()..).unwrap_or_default();
            let parts = [span.part(head), caret, span.part(tail)];
            spans.extend(parts.into_iter().filter(|part| !part.text.is_empty()));
            left = None;
        }
        if let Some(gap) = left {
            let blank = |count, role: Role| Span::new(role, &" ".repeat(count));
            spans.extend((gap > 0).then(|| blank(gap, Role::Text)));
            spans.push(blank(1, Role::Caret));
        }
        Self { spans, ..self }
    }

    /// What fits into so many columns, with an ellipsis where it was cut.
    #[must_use]
    pub fn cut(self, columns: usize) -> Self {
        if self.width() <= columns {
            return self;
        }
        let mut left = columns.saturating_sub(1);
        let mut spans = Vec::new();
        let mut last = Style::default();
        for span in &self.spans {
            last = span.style;
            let (head, _) = split_at(span.text(), left);
            left -= width(head).min(left);
            if !head.is_empty() {
                spans.push(span.part(head));
            }
            if head.len() < span.text().len() {
                break;
            }
        }
        if columns > 0 {
            spans.push(Span::new(last, "…"));
        }
        Self {
            spans,
            ends: Break::Made,
            ..self
        }
    }
}

/// The columns that a text takes on the screen. Graphemes are measured whole, as
/// terminals that know them draw them.
#[must_use]
pub fn width(text: &str) -> usize {
    if text.is_ascii() {
        return text.len();
    }
    text.graphemes(true).map(grapheme_width).sum()
}

/// The columns of one grapheme: never more than two.
#[must_use]
pub fn grapheme_width(grapheme: &str) -> usize {
    UnicodeWidthStr::width(grapheme).min(2)
}

/// The longest beginning that fits, at a border between graphemes, and the rest.
#[must_use]
pub fn split_at(text: &str, columns: usize) -> (&str, &str) {
    let mut used = 0;
    for (at, grapheme) in text.grapheme_indices(true) {
        used += grapheme_width(grapheme);
        if used > columns {
            return text.split_at(at);
        }
    }
    (text, "")
}

/// What is drawn below the finished output: lines, and where the caret stands.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    pub lines: Vec<Line>,
    /// Row and column inside `lines`; without one the cursor is hidden.
    pub caret: Option<(usize, usize)>,
}

impl Frame {
    #[must_use]
    pub fn of(lines: Vec<Line>) -> Self {
        Self { lines, caret: None }
    }

    /// Another frame below this one; its caret counts.
    pub fn below(&mut self, other: Self) {
        if let Some((row, column)) = other.caret {
            self.caret = Some((self.lines.len() + row, column));
        }
        self.lines.extend(other.lines);
    }

    /// The caret as a cell of the text instead of the terminal's own cursor, which
    /// is then free to wait at the top.
    #[must_use]
    pub fn with_drawn_caret(mut self) -> Self {
        if let Some((row, column)) = self.caret.take()
            && let Some(line) = self.lines.get_mut(row)
        {
            *line = std::mem::take(line).with_caret(column);
        }
        self
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_caret_takes_a_whole_character_and_a_blank_behind_the_end() {
        let drawn = |text: &str, column| {
            let frame = Frame {
                lines: vec![Line::of([
                    Span::new(Role::User, "> "),
                    Span::new(Role::Text, text),
                ])],
                caret: Some((0, column)),
            };
            let frame = frame.with_drawn_caret();
            assert_eq!(frame.caret, None);
            let cells = frame.lines[0].spans.clone();
            let caret = cells.iter().find(|span| span.style.role == Role::Caret);
            (
                frame.lines[0].plain(),
                caret.map(|span| span.text().to_owned()),
            )
        };
        let at = |text: &str, cell: &str| (text.to_owned(), Some(cell.to_owned()));
        assert_eq!(drawn("", 2), at(">  ", " "));
        assert_eq!(drawn("ab", 3), at("> ab", "b"));
        assert_eq!(drawn("ab", 4), at("> ab ", " "));
        assert_eq!(drawn("漢字", 4), at("> 漢字", "字"));
        assert_eq!(drawn("e\u{301}x", 2), at("> e\u{301}x", "e\u{301}"));
    }

    #[test]
    fn a_grapheme_is_measured_and_cut_whole() {
        let family = "👨‍👩‍👧x";
        assert_eq!(width(family), 3);
        assert_eq!(split_at(family, 1).0, "");
        assert_eq!(split_at(family, 2).1, "x");
        assert_eq!(width("e\u{301}"), 1);
    }

    #[test]
    fn a_cut_line_says_so() {
        let line = Line::of([
            Span::new(Role::Tool, "read"),
            Span::new(Role::Text, " a/long/path"),
        ]);
        assert_eq!(line.clone().cut(8).plain(), "read a/…");
        assert_eq!(line.cut(80).plain(), "read a/long/path");
    }

    #[test]
    fn foreign_text_cannot_steer_the_terminal() {
        let line = Line::new(Role::Text, "a\x1b[2Jb\rc");
        assert_eq!(line.plain(), "a␛[2Jb␍c");
    }
}
