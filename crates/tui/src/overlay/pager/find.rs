//! Where a text stands in the rows of the pager. A match may run over the edge
//! of the screen: it is one match, and is marked in all of its rows.

use crate::text::{Line, Role, Span, Style};
use unicode_segmentation::UnicodeSegmentation;

/// Whoever searches a letter in a long text does not count to the end.
const MOST: usize = 100_000;

#[derive(Debug, Default)]
pub(super) struct Findings {
    text: String,
    /// In the order of the rows.
    pieces: Vec<Piece>,
    /// How many matches there are, and which one is looked at.
    matches: usize,
    current: usize,
}

/// The part of a match that stands in one row, in bytes of its text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Piece {
    row: usize,
    from: usize,
    to: usize,
    of: usize,
}

impl Findings {
    /// All places of a text. Capitals count only where one is typed.
    pub(super) fn of<'a>(text: &str, lines: impl Iterator<Item = (usize, Vec<&'a Line>)>) -> Self {
        let mut findings = Self {
            text: text.to_owned(),
            ..Self::default()
        };
        if text.is_empty() {
            return findings;
        }
        let sought = Sought::new(text);
        for (row, rows) in lines {
            let texts: Vec<String> = rows.iter().map(|line| line.plain()).collect();
            match texts.as_slice() {
                [one] => findings.look(&sought, one, row, &[]),
                _ => {
                    let lengths: Vec<usize> = texts.iter().map(String::len).collect();
                    findings.look(&sought, &texts.concat(), row, &lengths);
                }
            }
        }
        findings
    }

    fn look(&mut self, sought: &Sought, text: &str, row: usize, lengths: &[usize]) {
        let mut at = 0;
        while self.matches < MOST
            && let Some((from, to)) = sought.after(text, at)
        {
            self.add(row, from, to, lengths);
            at = to.max(from + 1);
        }
    }

    /// A match in a line, as pieces of the rows that the line takes.
    fn add(&mut self, row: usize, from: usize, to: usize, lengths: &[usize]) {
        let of = self.matches;
        self.matches += 1;
        let mut start = 0;
        let whole = [to];
        let lengths = if lengths.is_empty() { &whole } else { lengths };
        for (more, length) in lengths.iter().enumerate() {
            let end = start + length;
            if from < end && to > start {
                self.pieces.push(Piece {
                    row: row + more,
                    from: from.max(start) - start,
                    to: to.min(end) - start,
                    of,
                });
            }
            start = end;
        }
    }

    pub(super) fn text(&self) -> &str {
        &self.text
    }

    /// The row of the match that is looked at.
    pub(super) fn current(&self) -> Option<usize> {
        let at = self.pieces.partition_point(|piece| piece.of < self.current);
        self.pieces.get(at).map(|piece| piece.row)
    }

    /// Which one of how many; `None` without a match.
    pub(super) fn place(&self) -> Option<String> {
        let more = if self.matches == MOST { "+" } else { "" };
        (self.matches > 0).then(|| format!("{}/{}{more}", self.current + 1, self.matches))
    }

    /// Looks at the first one that is not above this row; else at the first.
    pub(super) fn start_at(&mut self, row: usize) {
        let at = self.pieces.partition_point(|piece| piece.row < row);
        self.current = self.pieces.get(at).map_or(0, |piece| piece.of);
    }

    pub(super) fn next(&mut self) {
        self.current = super::super::scroll::next(self.current, self.matches);
    }

    pub(super) fn previous(&mut self) {
        self.current = super::super::scroll::previous(self.current, self.matches);
    }

    /// A row with its matches told apart.
    pub(super) fn marked(&self, row: usize, line: &Line) -> Line {
        let from = self.pieces.partition_point(|piece| piece.row < row);
        let to = self.pieces.partition_point(|piece| piece.row <= row);
        match self.pieces.get(from..to) {
            None | Some([]) => line.clone(),
            Some(pieces) => self.paint(line, pieces),
        }
    }

    fn paint(&self, line: &Line, pieces: &[Piece]) -> Line {
        let mut painted = Line::empty();
        let mut start = 0;
        for span in &line.spans {
            let text = span.text();
            let mut at = 0;
            for piece in pieces {
                let from = piece.from.saturating_sub(start).clamp(at, text.len());
                let to = piece.to.saturating_sub(start).clamp(at, text.len());
                if from >= to {
                    continue;
                }
                let (from, to) = whole(text, from, to);
                let from = from.max(at);
                push(&mut painted, span.style, text.get(at..from));
                let found = Style::from(Role::Match);
                let found = if piece.of == self.current {
                    found.bold()
                } else {
                    found
                };
                push(&mut painted, found, text.get(from..to));
                at = to;
            }
            push(&mut painted, span.style, text.get(at..));
            start += text.len();
        }
        painted
    }
}

/// A match of half a grapheme is marked whole: parts of one are wider than it.
fn whole(text: &str, from: usize, to: usize) -> (usize, usize) {
    if text.is_ascii() {
        return (from, to);
    }
    let borders = || text.grapheme_indices(true).map(|(at, _)| at);
    let start = borders().take_while(|at| *at <= from).last();
    let end = borders().find(|at| *at >= to);
    (start.unwrap_or(from), end.unwrap_or(text.len()))
}

fn push(line: &mut Line, style: Style, text: Option<&str>) {
    if let Some(text) = text.filter(|text| !text.is_empty()) {
        line.spans.push(Span::new(style, text));
    }
}

/// What is looked for.
struct Sought {
    text: String,
    case: Case,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Case {
    Counts,
    Ascii,
    /// Letters whose other case may take other bytes.
    Any,
}

impl Sought {
    fn new(text: &str) -> Self {
        let case = if text.chars().any(char::is_uppercase) {
            Case::Counts
        } else if text.is_ascii() {
            Case::Ascii
        } else {
            Case::Any
        };
        Self {
            text: text.to_owned(),
            case,
        }
    }

    /// The first place at or behind a byte: where it begins and ends.
    fn after(&self, text: &str, at: usize) -> Option<(usize, usize)> {
        let rest = text.get(at..)?;
        match self.case {
            Case::Counts => rest
                .find(&self.text)
                .map(|from| (at + from, at + from + self.text.len())),
            Case::Ascii => {
                let sought = self.text.as_bytes();
                rest.as_bytes()
                    .windows(sought.len())
                    .position(|window| window.eq_ignore_ascii_case(sought))
                    .map(|from| (at + from, at + from + sought.len()))
            }
            Case::Any => rest.char_indices().find_map(|(from, _)| {
                let length = same_start(rest.get(from..)?, &self.text)?;
                Some((at + from, at + from + length))
            }),
        }
    }
}

/// How many bytes of a text are the same letters as all of another one.
fn same_start(text: &str, sought: &str) -> Option<usize> {
    let mut letters = text.char_indices();
    let mut end = 0;
    for wanted in sought.chars() {
        let (at, letter) = letters.next()?;
        if letter != wanted && !letter.to_lowercase().eq(wanted.to_lowercase()) {
            return None;
        }
        end = at + letter.len_utf8();
    }
    Some(end)
}
