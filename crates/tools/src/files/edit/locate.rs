//! Finds a text in a file when the bytes do not agree: the rungs of the ladder,
//! from the least to the most tolerant. Every rung compares whole lines under a
//! key; only the first and the last line may match in part.

use super::indent::{Habits, Reindent, relate};
use super::lines::{Lines, Piece, indent, trim, trim_end};
use super::lookalike::{fold, fold_with_map};
use memchr::memmem;
use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;

/// What had to be forgiven for a match, as the result names it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Repair {
    LineEndings,
    FinalNewline,
    TrailingWhitespace,
    Indentation,
    Lookalikes,
    LineNumbers,
    Escapes,
}

impl Repair {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::LineEndings => "line_endings",
            Self::FinalNewline => "final_newline",
            Self::TrailingWhitespace => "trailing_whitespace",
            Self::Indentation => "indentation",
            Self::Lookalikes => "unicode",
            Self::LineNumbers => "line_numbers",
            Self::Escapes => "escapes",
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Rung {
    LineEndings,
    TrailingWhitespace,
    Indentation,
    Lookalikes,
    IndentedLookalikes,
}

pub(crate) const RUNGS: [Rung; 5] = [
    Rung::LineEndings,
    Rung::TrailingWhitespace,
    Rung::Indentation,
    Rung::Lookalikes,
    Rung::IndentedLookalikes,
];

impl Rung {
    /// What is compared of a line.
    pub(crate) fn key(self, text: &[u8]) -> Cow<'_, [u8]> {
        match self {
            Self::LineEndings => Cow::Borrowed(text),
            Self::TrailingWhitespace => Cow::Borrowed(trim_end(text)),
            Self::Indentation => Cow::Borrowed(trim(text)),
            Self::Lookalikes => sliced(fold(text), trim_end),
            Self::IndentedLookalikes => sliced(fold(text), trim),
        }
    }

    /// Whether it forgives indentation, which only a whole line has.
    fn indents(self) -> bool {
        matches!(self, Self::Indentation | Self::IndentedLookalikes)
    }

    fn folds(self) -> bool {
        matches!(self, Self::Lookalikes | Self::IndentedLookalikes)
    }
}

fn sliced(text: Cow<'_, [u8]>, cut: fn(&[u8]) -> &[u8]) -> Cow<'_, [u8]> {
    match text {
        Cow::Borrowed(text) => Cow::Borrowed(cut(text)),
        Cow::Owned(text) => Cow::Owned(cut(&text).to_vec()),
    }
}

/// One place where the old text stands.
#[derive(Debug)]
pub(crate) struct Found {
    /// The raw bytes of each line of the old text, in order.
    pub segments: Vec<Range<usize>>,
    /// The line that it begins in.
    pub first: usize,
    pub reindent: Option<Reindent>,
    pub repairs: Vec<Repair>,
    /// The old text ends with a line end that the file does not have.
    pub lacks_final_newline: bool,
}

impl Found {
    pub(crate) fn start(&self) -> usize {
        self.segments.first().map_or(0, |segment| segment.start)
    }

    pub(crate) fn end(&self) -> usize {
        self.segments.last().map_or(0, |segment| segment.end)
    }
}

/// Every place, without overlaps, where `old` stands under this rung.
pub(crate) fn locate(
    lines: &Lines<'_>,
    old: &[Piece<'_>],
    habits: Habits,
    rung: Rung,
) -> Vec<Found> {
    let search = Search::new(lines, old, habits, rung, Extent::Parts);
    if search.wanted.iter().all(|key| key.is_empty()) {
        return Vec::new();
    }
    match old {
        [only] if only.end.is_empty() && !rung.indents() => search.within_lines(only),
        _ => search.across_lines(),
    }
}

/// Where the first line of the old text begins in the file's line.
#[derive(PartialEq, Eq)]
enum Begin {
    AtLineStart,
    /// After the indentation.
    Inside,
}

/// What a first and a last line may match.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Extent {
    /// A part of a line, up to its end or from its start on.
    Parts,
    Lines,
}

/// One text looked for under one rung.
pub(crate) struct Search<'s, 'a> {
    lines: &'s Lines<'a>,
    old: &'s [Piece<'s>],
    habits: Habits,
    rung: Rung,
    whole: bool,
    keys: Vec<Cow<'a, [u8]>>,
    wanted: Vec<Cow<'s, [u8]>>,
    /// Lines that may still be compared: a file of a million equal lines must
    /// end in a miss, not in a wait.
    budget: Cell<usize>,
}

const BUDGET: usize = 20_000_000;

impl<'s, 'a> Search<'s, 'a> {
    pub(crate) fn new(
        lines: &'s Lines<'a>,
        old: &'s [Piece<'s>],
        habits: Habits,
        rung: Rung,
        extent: Extent,
    ) -> Self {
        Self {
            lines,
            old,
            habits,
            rung,
            whole: extent == Extent::Lines || rung.indents(),
            keys: (0..lines.len()).map(|i| rung.key(lines.text(i))).collect(),
            wanted: old.iter().map(|piece| rung.key(piece.text)).collect(),
            budget: Cell::new(BUDGET),
        }
    }

    /// The old text is a part of one line.
    fn within_lines(&self, only: &Piece<'_>) -> Vec<Found> {
        let wanted = &self.wanted[0];
        let to_the_end = self.drops_trailing(only);
        let finder = memmem::Finder::new(wanted.as_ref());
        let mut found = Vec::new();
        for (index, key) in self.keys.iter().enumerate() {
            for at in finder.find_iter(key) {
                let end = at + wanted.len();
                if to_the_end && end != key.len() {
                    continue;
                }
                let Some(range) = self.raw(index, at, end) else {
                    continue;
                };
                let line = self.lines.line(index);
                let range = if to_the_end {
                    range.start..line.end
                } else {
                    range
                };
                let mut repairs = Vec::new();
                if to_the_end {
                    repairs.push(Repair::TrailingWhitespace);
                }
                if self.rung.folds() {
                    repairs.push(Repair::Lookalikes);
                }
                found.push(Found {
                    segments: vec![range],
                    first: index,
                    reindent: None,
                    repairs,
                    lacks_final_newline: false,
                });
            }
        }
        found
    }

    fn across_lines(&self) -> Vec<Found> {
        let mut found: Vec<Found> = Vec::new();
        let mut index = 0;
        while index + self.old.len() <= self.lines.len() {
            let after = found.last().map_or(0, Found::end);
            match self.window(index) {
                Some(place) if place.start() >= after => {
                    let unfinished =
                        !self.whole && self.old.last().is_some_and(|p| p.end.is_empty());
                    index += (self.old.len() - usize::from(unfinished)).max(1);
                    found.push(place);
                }
                _ => index += 1,
            }
        }
        found
    }

    /// The old text with its first line in line `index`.
    pub(crate) fn window(&self, index: usize) -> Option<Found> {
        let last = self.old.len().checked_sub(1)?;
        if index + last >= self.lines.len() {
            return None;
        }
        for (j, piece) in self.old.iter().enumerate() {
            self.budget.set(self.budget.get().checked_sub(1)?);
            let key = self.keys[index + j].as_ref();
            let wanted = self.wanted[j].as_ref();
            let whole = self.whole || (j > 0 && (j < last || !piece.end.is_empty()));
            let fits = if whole {
                key == wanted
            } else if j == 0 {
                key.ends_with(wanted)
            } else if self.drops_trailing(piece) {
                key == wanted
            } else {
                key.starts_with(wanted)
            };
            if !fits {
                return None;
            }
        }
        self.place(index)
    }

    fn place(&self, index: usize) -> Option<Found> {
        let last = self.old.len() - 1;
        let mut lacks_final_newline = false;
        let mut repairs = Vec::new();
        for (j, piece) in self.old.iter().enumerate() {
            let end = self.lines.terminator(index + j);
            if !piece.end.is_empty() && end.is_empty() {
                // Only the very last line of a file has no line end.
                lacks_final_newline = true;
                repairs.push(Repair::FinalNewline);
            } else if !piece.end.is_empty() && piece.end != end {
                repairs.push(Repair::LineEndings);
            }
            let text = self.lines.text(index + j);
            if (j < last || !piece.end.is_empty())
                && text.len() - trim_end(text).len()
                    != piece.text.len() - trim_end(piece.text).len()
            {
                repairs.push(Repair::TrailingWhitespace);
            }
        }
        let mut segments = self.segments(index)?;
        let reindent = if self.rung.indents() {
            let (reindent, begin) = self.relation(index)?;
            if begin == Begin::Inside {
                segments[0].start += indent(self.lines.text(index)).len();
            }
            repairs.push(Repair::Indentation);
            Some(reindent)
        } else {
            None
        };
        if self.rung.folds() {
            repairs.push(Repair::Lookalikes);
        }
        repairs.sort_unstable();
        repairs.dedup();
        Some(Found {
            segments,
            first: index,
            reindent,
            repairs,
            lacks_final_newline,
        })
    }

    fn segments(&self, index: usize) -> Option<Vec<Range<usize>>> {
        let last = self.old.len() - 1;
        let mut segments = Vec::with_capacity(self.old.len());
        for (j, piece) in self.old.iter().enumerate() {
            let line = self.lines.line(index + j);
            let mut range = line.start..line.next;
            let key = self.keys[index + j].as_ref();
            let wanted = self.wanted[j].as_ref();
            if j == 0 && !self.whole {
                range.start = self.raw(index, key.len() - wanted.len(), key.len())?.start;
            }
            if j == last && piece.end.is_empty() {
                range.end = if self.whole || self.drops_trailing(piece) {
                    line.end
                } else {
                    self.raw(index + j, 0, wanted.len())?.end
                };
            }
            segments.push(range);
        }
        Some(segments)
    }

    /// How the sent indentation relates to the file's. A first line without any
    /// may have been copied from its first letter on: then it begins inside.
    fn relation(&self, index: usize) -> Option<(Reindent, Begin)> {
        let pairs: Vec<(&[u8], &[u8])> = self
            .old
            .iter()
            .enumerate()
            .filter(|(j, _)| !self.wanted[*j].is_empty())
            .map(|(j, piece)| (indent(piece.text), indent(self.lines.text(index + j))))
            .collect();
        if let Some(reindent) = relate(&pairs, self.habits) {
            return Some((reindent, Begin::AtLineStart));
        }
        let (first, rest) = pairs.split_first()?;
        if first.0.is_empty() && !self.wanted[0].is_empty() && !rest.is_empty() {
            return Some((relate(rest, self.habits)?, Begin::Inside));
        }
        None
    }

    /// Raw bytes behind a part of the key of a line.
    fn raw(&self, index: usize, start: usize, end: usize) -> Option<Range<usize>> {
        let line = self.lines.line(index);
        let text = self.lines.text(index);
        if !self.rung.folds() || text.is_ascii() {
            return Some(line.start + start..line.start + end);
        }
        let folded = fold_with_map(text);
        let from = folded.raw_start(start)?;
        let to = folded.raw_end(end)?;
        (from <= to).then_some(line.start + from..line.start + to)
    }

    /// Whether the key of this piece lost blanks at its end: then it must match
    /// up to the end of a line, or it would match more than was sent.
    fn drops_trailing(&self, piece: &Piece<'_>) -> bool {
        self.rung != Rung::LineEndings && trim_end(piece.text).len() < piece.text.len()
    }
}
