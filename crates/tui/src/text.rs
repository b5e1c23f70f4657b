//! Lines of styled text: what everything that is shown is made of. Styles say
//! what a piece of text is, never which colour it has: that is the theme's.
//!
//! Whatever stands in a span is already fit for a terminal: foreign text passes
//! [`tenon_vocab::Printable`] on its way in, here and nowhere else.

use tenon_vocab::Printable;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

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
            ends: Break::Made,
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

/// Breaks a line at spaces so that each part fits; a word that is too long is
/// broken where it must. What follows the first part is indented.
#[must_use]
pub fn wrap(line: &Line, columns: usize, indent: usize) -> Vec<Line> {
    let columns = columns.max(1);
    if line.width() <= columns {
        return vec![line.clone()];
    }
    let indent = if indent * 2 < columns { indent } else { 0 };
    Wrapping::new(columns, indent).wrap(line)
}

struct Wrapping {
    columns: usize,
    indent: usize,
    done: Vec<Line>,
    current: Vec<Span>,
    used: usize,
}

impl Wrapping {
    fn new(columns: usize, indent: usize) -> Self {
        Self {
            columns,
            indent,
            done: Vec::new(),
            current: Vec::new(),
            used: 0,
        }
    }

    fn wrap(mut self, line: &Line) -> Vec<Line> {
        for word in words(line) {
            let wide: usize = word.iter().map(Span::width).sum();
            let blank = word
                .iter()
                .all(|span| span.text().chars().all(char::is_whitespace));
            if self.used + wide <= self.columns {
                self.add(word, wide);
            } else if blank {
                // Spaces at a break are the break.
                self.end();
            } else {
                if self.used > self.margin() {
                    self.trim();
                    self.end();
                }
                self.force(word);
            }
        }
        if self.used > self.margin() || self.done.is_empty() {
            self.trim();
            self.end();
        }
        self.done
    }

    fn margin(&self) -> usize {
        if self.done.is_empty() { 0 } else { self.indent }
    }

    fn add(&mut self, word: Vec<Span>, wide: usize) {
        self.used += wide;
        self.current.extend(word);
    }

    /// A word that fits no line by itself is broken inside.
    fn force(&mut self, word: Vec<Span>) {
        for span in word {
            let mut rest = span.text();
            while !rest.is_empty() {
                let room = self.columns.saturating_sub(self.used);
                let (mut head, mut tail) = split_at(rest, room);
                if head.is_empty() && self.used > self.margin() {
                    self.end();
                    continue;
                }
                if head.is_empty() {
                    // A character that is wider than the screen goes as it is.
                    let first = rest.graphemes(true).next().unwrap_or(rest);
                    (head, tail) = rest.split_at(first.len());
                }
                self.used += width(head);
                self.current.push(span.part(head));
                rest = tail;
            }
        }
    }

    fn trim(&mut self) {
        while let Some(last) = self.current.last_mut() {
            last.text.truncate(last.text.trim_end().len());
            if last.text.is_empty() && self.current.len() > 1 {
                self.current.pop();
            } else {
                break;
            }
        }
    }

    fn end(&mut self) {
        let spans = std::mem::take(&mut self.current);
        self.done.push(Line {
            spans,
            ends: Break::Made,
        });
        self.used = self.indent;
        if self.indent > 0 {
            self.current
                .push(Span::new(Style::default(), &" ".repeat(self.indent)));
        }
    }
}

/// Words and the spaces between them, each with the styles that it runs through.
/// Between two wide characters a line may be broken too.
fn words(line: &Line) -> Vec<Vec<Span>> {
    #[derive(PartialEq, Clone, Copy)]
    enum Kind {
        Space,
        Word,
        Wide,
    }
    let mut words: Vec<Vec<Span>> = Vec::new();
    let mut last = None;
    for span in &line.spans {
        let mut from = 0;
        let text = span.text();
        for (at, grapheme) in pieces(text) {
            let kind = if grapheme.chars().all(char::is_whitespace) {
                Kind::Space
            } else if grapheme.len() > 1 && grapheme_width(grapheme) == 2 {
                Kind::Wide
            } else {
                Kind::Word
            };
            let breaks = last.is_some_and(|last| last != kind || kind == Kind::Wide);
            if breaks || last.is_none() {
                if at > from
                    && let Some(word) = words.last_mut()
                {
                    word.push(span.part(&text[from..at]));
                }
                from = at;
                words.push(Vec::new());
            }
            last = Some(kind);
        }
        if from < text.len()
            && let Some(word) = words.last_mut()
        {
            word.push(span.part(&text[from..]));
        }
    }
    words
}

/// The graphemes with where they begin. Of plain ASCII each byte is one, which
/// need not be looked up.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let plain = text.is_ascii().then(|| {
        text.char_indices()
            .map(|(at, _)| (at, text.get(at..=at).unwrap_or_default()))
    });
    let others = (!text.is_ascii()).then(|| text.grapheme_indices(true));
    plain
        .into_iter()
        .flatten()
        .chain(others.into_iter().flatten())
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
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    pub columns: usize,
    pub rows: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plain(lines: &[Line]) -> Vec<String> {
        lines.iter().map(Line::plain).collect()
    }

    #[test]
    fn a_line_breaks_at_spaces_and_long_words_inside() {
        let line = Line::new(Role::Text, "one two three abcdefghijkl x");
        assert_eq!(
            plain(&wrap(&line, 8, 0)),
            ["one two", "three", "abcdefgh", "ijkl x"]
        );
        assert_eq!(
            plain(&wrap(&line, 8, 2)),
            ["one two", "  three", "  abcdef", "  ghijkl", "  x"]
        );
    }

    #[test]
    fn wide_characters_never_straddle_the_edge() {
        let line = Line::new(Role::Text, "漢字漢字 ok 漢");
        let parts = wrap(&line, 5, 0);
        assert!(parts.iter().all(|part| part.width() <= 5), "{parts:?}");
        assert_eq!(plain(&parts), ["漢字", "漢字", "ok 漢"]);
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
