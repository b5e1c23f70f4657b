//! Lines broken so that they fit: at spaces, and inside of a word where there is
//! no other way.

use super::{Line, Span, Style, grapheme_width, split_at, width};
use unicode_segmentation::UnicodeSegmentation;

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
            ..Line::default()
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::Role;

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
}
