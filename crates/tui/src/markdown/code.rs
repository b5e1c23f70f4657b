//! A block of code: neither framed nor broken, so that what is copied is code.

use crate::highlight::{Highlighter, plain};
use crate::text::{Line, Role, Span, split_at};

/// In front of each line.
const MARGIN: &str = "  ";

#[derive(Debug, Clone)]
pub(super) struct Code {
    highlighter: Option<Highlighter>,
    lines: usize,
}

impl Code {
    pub fn new(language: &str) -> Self {
        Self {
            highlighter: Highlighter::for_language(language),
            lines: 0,
        }
    }

    pub fn is_begun(&self) -> bool {
        self.lines > 0
    }

    pub fn line(&mut self, text: &str) -> Line {
        self.lines += 1;
        let spans = match &mut self.highlighter {
            Some(highlighter) => highlighter.line(text),
            None => plain(text),
        };
        if spans.is_empty() {
            return Line::empty();
        }
        Line::of(spans)
            .behind(Span::new(Role::Text, MARGIN))
            .unbroken()
    }
}

/// A long line in parts that fit, broken where it must be and nowhere else.
pub(crate) fn fitted(line: &Line, columns: usize) -> Vec<Line> {
    let columns = columns.max(2);
    if line.width() <= columns {
        return vec![Line::of(line.spans.clone())];
    }
    let mut lines = Vec::new();
    let mut current = Line::empty();
    let mut used = 0;
    for span in &line.spans {
        let mut rest = span.text();
        while !rest.is_empty() {
            let (head, tail) = split_at(rest, columns - used);
            if head.is_empty() {
                lines.push(std::mem::take(&mut current));
                used = 0;
                continue;
            }
            current.push(span.style, head);
            used += crate::text::width(head);
            rest = tail;
        }
    }
    lines.push(current);
    lines
}
