//! Where a hunk goes. Its old side must stand in the file; how tolerantly it is
//! compared, how far from its line number it is, and how much of its context
//! had to be left out is all reported. What stands in several places, or only
//! said "somewhere", is refused: a guess would be written.

use super::section::{Hunk, Place, Row, RowEnd, Sign};
use crate::files::edit::indent::Habits;
use crate::files::edit::lines::{Lines, Piece, trim};
use crate::files::edit::locate::{Extent, Found, RUNGS, Repair, Rung, Search};
use std::ops::Range;

/// Context lines that may be left out at either end.
const FUZZ: usize = 2;

/// Where one hunk goes.
#[derive(Debug)]
pub(super) enum Spot {
    Replace {
        found: Box<Found>,
        /// Rows of the hunk that the match covers.
        rows: Range<usize>,
        offset: isize,
        fuzz: usize,
    },
    /// New lines before this line of the file; nothing is compared.
    Insert {
        before: usize,
    },
    AlreadyThere,
}

/// Why it goes nowhere.
#[derive(Debug)]
pub(super) enum Nowhere {
    NotFound,
    Anchor(String),
    Ambiguous(Vec<usize>),
    Other(String),
}

/// What the hunks before this one have settled.
#[derive(Debug, Default)]
pub(super) struct Progress {
    /// Lines of the file that are taken.
    pub taken: Vec<Range<usize>>,
    /// How far the last numbered hunk was from its number.
    pub drift: isize,
    pub cursor: usize,
}

impl Progress {
    fn is_free(&self, lines: &Range<usize>) -> bool {
        self.taken
            .iter()
            .all(|taken| lines.end <= taken.start || taken.end <= lines.start)
    }
}

pub(super) fn place(
    lines: &Lines<'_>,
    hunk: &Hunk<'_>,
    progress: &Progress,
) -> Result<Spot, Nowhere> {
    let finder = Finder::new(lines, hunk, progress)?;
    if hunk.lines.iter().all(|row| row.sign == Sign::Add) {
        return finder.insertion();
    }
    for fuzz in 0..=FUZZ {
        if let Some(spot) = finder.with_fuzz(fuzz)? {
            return Ok(spot);
        }
        if fuzz == 0 && finder.is_already_there() {
            return Ok(Spot::AlreadyThere);
        }
    }
    Err(Nowhere::NotFound)
}

/// The old or the new side of rows, as lines to look for.
pub(super) fn side<'p>(rows: &[Row<'p>], other: Sign) -> Vec<Piece<'p>> {
    rows.iter()
        .filter(|row| row.sign != other)
        .map(|row| Piece {
            text: row.text.as_bytes(),
            // The mark of a missing newline is settled when lines are written.
            end: match row.end {
                RowEnd::CrLf => b"\r\n",
                RowEnd::Lf | RowEnd::Nothing => b"\n",
            },
        })
        .collect()
}

struct Finder<'f, 'a> {
    lines: &'f Lines<'a>,
    hunk: &'f Hunk<'f>,
    progress: &'f Progress,
    habits: Habits,
    /// The line of the innermost anchor.
    anchor: Option<usize>,
}

impl<'f, 'a> Finder<'f, 'a> {
    fn new(
        lines: &'f Lines<'a>,
        hunk: &'f Hunk<'f>,
        progress: &'f Progress,
    ) -> Result<Self, Nowhere> {
        let mut anchor = None;
        for text in &hunk.anchors {
            let from = anchor.map_or(progress.cursor, |line| line + 1);
            let line = anchor_line(lines, text, from)
                .ok_or_else(|| Nowhere::Anchor((*text).to_owned()))?;
            anchor = Some(line);
        }
        Ok(Self {
            lines,
            hunk,
            progress,
            habits: Habits::observe(lines, hunk.lines.iter().map(|row| row.text.as_bytes())),
            anchor,
        })
    }

    /// The line that the header names, as an index, moved by the last drift.
    fn expected(&self) -> Option<usize> {
        let range = self.hunk.range?;
        Some(
            range
                .start
                .saturating_sub(1)
                .saturating_add_signed(self.progress.drift),
        )
    }

    fn with_fuzz(&self, fuzz: usize) -> Result<Option<Spot>, Nowhere> {
        let Some(rows) = self.rows(fuzz) else {
            return Ok(None);
        };
        let front = rows.start;
        let old = side(&self.hunk.lines[rows.clone()], Sign::Add);
        for rung in RUNGS {
            let search = Search::new(self.lines, &old, self.habits, rung, Extent::Lines);
            let indices = self.indices(&search, old.len());
            let expected = self.expected().map(|line| line + front);
            let Some(index) = self.choose(&indices, expected, old.len(), doubt(fuzz, rung))? else {
                continue;
            };
            if fuzz > 0 && !self.removes_what_is_unique(rung) {
                return Ok(None);
            }
            if fuzz == 0 && self.would_repeat(index, rung) {
                return Ok(Some(Spot::AlreadyThere));
            }
            let Some(found) = search.window(index) else {
                continue;
            };
            return Ok(Some(Spot::Replace {
                found: Box::new(found),
                offset: self.offset(index, front),
                rows,
                fuzz,
            }));
        }
        Ok(None)
    }

    /// Without its context a hunk is held by what it removes alone: that must
    /// stand in the file once.
    fn removes_what_is_unique(&self, rung: Rung) -> bool {
        let rows = &self.hunk.lines;
        let removed = |row: &Row<'_>| row.sign == Sign::Remove;
        let (Some(first), Some(last)) = (
            rows.iter().position(removed),
            rows.iter().rposition(removed),
        ) else {
            return false;
        };
        let core = side(&rows[first..=last], Sign::Add);
        let search = Search::new(self.lines, &core, self.habits, rung, Extent::Lines);
        let places = (0..self.lines.len()).filter(|i| search.window(*i).is_some());
        rows.iter().any(|row| removed(row) && is_telling(row.text)) && places.take(2).count() == 1
    }

    /// Rows left when so many context lines are dropped at either end; `None`
    /// when that leaves nothing to hold on to, or nothing more was dropped.
    fn rows(&self, fuzz: usize) -> Option<Range<usize>> {
        let rows = &self.hunk.lines;
        let context = |row: &&Row<'_>| row.sign == Sign::Context;
        let leading = rows.iter().take_while(context).count();
        let trailing = rows.iter().rev().take_while(context).count();
        if fuzz > leading.max(trailing) {
            return None;
        }
        let front = fuzz.min(leading);
        let back = fuzz.min(trailing);
        if front + back >= rows.len() {
            return None;
        }
        let kept = front..rows.len() - back;
        let holds = rows[kept.clone()]
            .iter()
            .any(|row| row.sign != Sign::Add && !trim(row.text.as_bytes()).is_empty());
        (fuzz == 0 || holds).then_some(kept)
    }

    fn indices(&self, search: &Search<'_, '_>, count: usize) -> Vec<usize> {
        /// More places than this are as good as any number.
        const MOST: usize = 10_000;
        (0..self.lines.len())
            .filter(|i| self.progress.is_free(&(*i..*i + count)))
            .filter(|i| search.window(*i).is_some())
            .take(MOST)
            .collect()
    }

    /// The one place that is meant.
    fn choose(
        &self,
        indices: &[usize],
        expected: Option<usize>,
        count: usize,
        doubt: Doubt,
    ) -> Result<Option<usize>, Nowhere> {
        let ambiguous = |of: &[usize]| Nowhere::Ambiguous(of.iter().map(|i| i + 1).collect());
        if indices.len() <= 1 {
            let before_anchor = |i: &&usize| self.anchor.is_some_and(|anchor| **i < anchor);
            return Ok(indices.iter().find(|i| !before_anchor(i)).copied());
        }
        if self.hunk.place == Place::EndOfFile
            && let Some(last) = indices.iter().find(|i| **i + count == self.lines.len())
        {
            return Ok(Some(*last));
        }
        if let Some(expected) = expected {
            let nearest = indices.iter().min_by_key(|i| i.abs_diff(expected));
            let distance = nearest.map_or(0, |i| i.abs_diff(expected));
            let equally: Vec<usize> = indices
                .iter()
                .filter(|i| i.abs_diff(expected) == distance)
                .copied()
                .collect();
            return match (equally.as_slice(), doubt, distance) {
                ([one], Doubt::None, _) | ([one], Doubt::Some, 0) => Ok(Some(*one)),
                _ => Err(ambiguous(indices)),
            };
        }
        let from = self.anchor.unwrap_or(self.progress.cursor);
        let ahead: Vec<usize> = indices.iter().filter(|i| **i >= from).copied().collect();
        match ahead.as_slice() {
            [one] => Ok(Some(*one)),
            [first, ..] if self.anchor.is_some() && doubt == Doubt::None => Ok(Some(*first)),
            _ => Err(ambiguous(indices)),
        }
    }

    fn offset(&self, index: usize, front: usize) -> isize {
        let Some(range) = self.hunk.range else {
            return 0;
        };
        let named = range.start.saturating_sub(1) + front;
        isize::try_from(index).unwrap_or(0) - isize::try_from(named).unwrap_or(0)
    }

    /// The new side stands in the file and the old one does not. The added lines
    /// alone show nothing: context stands around them, or they are at the very
    /// line that the header names.
    fn is_already_there(&self) -> bool {
        let rows = &self.hunk.lines;
        let telling = |sign: Sign| {
            let text = |row: &&Row<'_>| row.sign == sign && is_telling(row.text);
            rows.iter().filter(text).count()
        };
        let adds = rows.iter().any(|row| row.sign == Sign::Add);
        if (adds && telling(Sign::Add) == 0) || (!adds && telling(Sign::Context) < 2) {
            return false;
        }
        let new = side(rows, Sign::Remove);
        RUNGS[..2].iter().any(|rung| {
            let search = Search::new(self.lines, &new, self.habits, *rung, Extent::Lines);
            let indices = self.indices(&search, new.len());
            let chosen = self.choose(&indices, self.expected(), new.len(), Doubt::Some);
            let is_shown = |at: usize| telling(Sign::Context) > 0 || self.expected() == Some(at);
            matches!(chosen, Ok(Some(at)) if is_shown(at))
        })
    }

    /// A hunk that ends in added lines fits again after it was applied, because
    /// no context comes after them.
    fn would_repeat(&self, index: usize, rung: Rung) -> bool {
        let rows = &self.hunk.lines;
        let ends_in_addition = rows.last().is_some_and(|row| row.sign == Sign::Add);
        let removes = rows.iter().any(|row| row.sign == Sign::Remove);
        let told = rows
            .iter()
            .any(|row| row.sign == Sign::Add && is_telling(row.text));
        if !ends_in_addition || removes || !told {
            return false;
        }
        let new = side(rows, Sign::Remove);
        Search::new(self.lines, &new, self.habits, rung, Extent::Lines)
            .window(index)
            .is_some()
    }

    /// A hunk of added lines only says where by its anchor, by a line number
    /// that counts no old lines, or by the end of the file.
    fn insertion(&self) -> Result<Spot, Nowhere> {
        let before = match (self.anchor, self.hunk.range) {
            (Some(anchor), _) => anchor + 1,
            _ if self.lines.len() == 0 => 0,
            _ if self.hunk.place == Place::EndOfFile => self.lines.len(),
            (None, Some(range)) if range.count == Some(0) && range.start > 0 => {
                if range.start > self.lines.len() {
                    return Err(Nowhere::Other(format!(
                        "it adds lines after line {}, but the file has {}",
                        range.start,
                        self.lines.len()
                    )));
                }
                range.start
            }
            (None, Some(range)) if range.start == 0 => {
                return Err(Nowhere::Other(String::from(
                    "it adds lines to an empty file, but the file is not empty",
                )));
            }
            _ => {
                return Err(Nowhere::Other(String::from(
                    "it only adds lines and doesn't say where; add context lines",
                )));
            }
        };
        let new = side(&self.hunk.lines, Sign::Remove);
        let told = self.hunk.lines.iter().any(|row| is_telling(row.text));
        let at = if before == self.lines.len() {
            before.saturating_sub(new.len())
        } else {
            before
        };
        let search = Search::new(self.lines, &new, self.habits, RUNGS[0], Extent::Lines);
        if told && search.window(at).is_some() {
            return Ok(Spot::AlreadyThere);
        }
        Ok(Spot::Insert { before })
    }
}

/// Whether a match could be an accident, so that it must be the only one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Doubt {
    None,
    Some,
}

fn doubt(fuzz: usize, rung: Rung) -> Doubt {
    match (fuzz, rung) {
        (0, Rung::LineEndings | Rung::TrailingWhitespace) => Doubt::None,
        _ => Doubt::Some,
    }
}

fn is_telling(text: &str) -> bool {
    text.chars().any(char::is_alphanumeric)
}

/// The line that an anchor names: equal but for blanks around it, else one that
/// begins so, else one that holds it; from the cursor on, else from the top.
fn anchor_line(lines: &Lines<'_>, anchor: &str, from: usize) -> Option<usize> {
    let wanted = anchor.trim().as_bytes();
    if wanted.is_empty() {
        return None;
    }
    let tests: [Test; 3] = [
        |line, wanted| line == wanted,
        |line, wanted| line.starts_with(wanted),
        |line, wanted| memchr::memmem::find(line, wanted).is_some(),
    ];
    let find =
        |mut range: Range<usize>, test: Test| range.find(|i| test(trim(lines.text(*i)), wanted));
    tests
        .iter()
        .find_map(|test| find(from..lines.len(), *test))
        .or_else(|| tests.iter().find_map(|test| find(0..lines.len(), *test)))
}

type Test = fn(&[u8], &[u8]) -> bool;

/// The repairs of a spot, for the report.
pub(super) fn repairs(spot: &Spot) -> &[Repair] {
    match spot {
        Spot::Replace { found, .. } => &found.repairs,
        Spot::Insert { .. } | Spot::AlreadyThere => &[],
    }
}
