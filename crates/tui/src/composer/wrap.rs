//! Breaks a line of the text into rows of the screen. Rows are found one after
//! the other and only as far as somebody looks; what was found of long lines is
//! kept, so that a key costs a row and not a megabyte.
//!
//! A row has one column more than its room: the caret stands there behind a full
//! row, and one space may hang there, so that a word that fits is not torn off.

use super::buffer::{Place, graphemes};
use super::paste::Pastes;
use super::shown::shown;
use crate::text::grapheme_width;
use std::collections::BTreeMap;

/// Lines shorter than this are broken anew each time.
const LONG: usize = 200;
/// Long lines whose rows are kept.
const KEPT: usize = 64;

/// Where the row after the one that begins at `from` begins; none after the last.
pub(super) fn next_row(line: &str, from: usize, room: usize, pastes: &Pastes) -> Option<usize> {
    let room = room.max(1);
    let mut used = 0;
    // The last place where the row may be broken between words.
    let mut border = None;
    let mut before = Join::Start;
    for (at, grapheme) in graphemes(line, from) {
        let join = Join::of(grapheme);
        if at > from && breaks(before, join) {
            border = Some(at);
        }
        let width = shown(grapheme, used, room, pastes).width;
        if used + width > room {
            // A space hangs; what is wider than any row has one by itself.
            let stays = join == Join::Space || at == from;
            return Some(if stays {
                at + grapheme.len()
            } else {
                border.unwrap_or(at)
            });
        }
        used += width;
        before = join;
    }
    None
}

/// How a grapheme stands to its neighbours.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Join {
    Start,
    Space,
    Word,
    /// May stand alone at either side of a break.
    Wide,
    /// Wide, and never the first of a row.
    Closing,
    /// Wide, and never the last of a row.
    Opening,
}

impl Join {
    fn of(grapheme: &str) -> Self {
        let Some(first) = grapheme.chars().next() else {
            return Self::Word;
        };
        // With something behind it that is made visible, a space is none.
        if grapheme.chars().all(char::is_whitespace) {
            Self::Space
        } else if first.is_ascii() {
            Self::Word
        } else if super::paste::is_mark(first) {
            Self::Wide
        } else if "、。，．：；！？）」』】〉》〕］｝ー々ぁぃぅぇぉっゃゅょァィゥェォッャュョ"
            .contains(first)
        {
            Self::Closing
        } else if "（「『【〈《〔［｛".contains(first) {
            Self::Opening
        } else if grapheme_width(grapheme) == 2 {
            Self::Wide
        } else {
            Self::Word
        }
    }
}

fn breaks(before: Join, after: Join) -> bool {
    match (before, after) {
        (Join::Start, _) | (_, Join::Space | Join::Closing | Join::Start) => false,
        (Join::Space, _) => true,
        (Join::Opening, _) => false,
        (Join::Word, Join::Word) => false,
        _ => true,
    }
}

/// The rows of one line as far as they are known.
#[derive(Debug, Clone)]
struct Rows {
    starts: Vec<usize>,
    whole: bool,
}

/// The rows of lines that are long.
#[derive(Debug, Default)]
pub(super) struct Layouts {
    room: usize,
    rows: BTreeMap<usize, Rows>,
}

impl Layouts {
    /// What was found for another room is forgotten.
    pub(super) fn fit(&mut self, room: usize) {
        if self.room != room {
            self.rows.clear();
            self.room = room;
        }
    }

    /// Inside one line: rows well before the place stay.
    pub(super) fn edited(&mut self, at: Place) {
        if let Some(rows) = self.rows.get_mut(&at.line) {
            let row = rows.starts.partition_point(|start| *start <= at.byte);
            // A row depends on the word at its end, and that on what follows it.
            rows.starts.truncate(row.saturating_sub(3).max(1));
            rows.whole = false;
        }
    }

    /// From this line on nothing is where it was.
    pub(super) fn cut(&mut self, line: usize) {
        self.rows.split_off(&line);
    }

    /// Where rows of a line begin, at least until one satisfies `enough` or the
    /// line ends.
    fn rows(
        &mut self,
        line: usize,
        text: &str,
        pastes: &Pastes,
        enough: impl Fn(&[usize]) -> bool,
    ) -> Rows {
        let mut rows = self.rows.remove(&line).unwrap_or_else(|| Rows {
            starts: vec![0],
            whole: false,
        });
        while !rows.whole && !enough(&rows.starts) {
            let from = rows.starts.last().copied().unwrap_or(0);
            match next_row(text, from, self.room, pastes) {
                Some(next) => rows.starts.push(next),
                None => rows.whole = true,
            }
        }
        rows
    }

    fn keep(&mut self, line: usize, text: &str, rows: Rows) {
        if text.len() >= LONG {
            if self.rows.len() >= KEPT {
                self.rows.clear();
            }
            self.rows.insert(line, rows);
        }
    }

    /// How many rows a line takes.
    pub(super) fn count(&mut self, line: usize, text: &str, pastes: &Pastes) -> usize {
        let rows = self.rows(line, text, pastes, |_| false);
        let count = rows.starts.len();
        self.keep(line, text, rows);
        count
    }

    /// The row that a place stands in; at a border the later one.
    pub(super) fn row_of(&mut self, at: Place, text: &str, pastes: &Pastes) -> usize {
        let beyond = |starts: &[usize]| starts.last().is_some_and(|last| *last > at.byte);
        let rows = self.rows(at.line, text, pastes, beyond);
        let row = rows.starts.partition_point(|start| *start <= at.byte);
        self.keep(at.line, text, rows);
        row.saturating_sub(1)
    }

    /// Where a row begins, and where the one after it does, if there is one.
    pub(super) fn row(
        &mut self,
        line: usize,
        row: usize,
        text: &str,
        pastes: &Pastes,
    ) -> Option<(usize, Option<usize>)> {
        let rows = self.rows(line, text, pastes, |starts| starts.len() > row + 1);
        let found = rows
            .starts
            .get(row)
            .map(|start| (*start, rows.starts.get(row + 1).copied()));
        self.keep(line, text, rows);
        found
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(text: &str, room: usize) -> Vec<String> {
        let pastes = Pastes::default();
        let mut rows = Vec::new();
        let mut from = 0;
        while let Some(next) = next_row(text, from, room, &pastes) {
            rows.push(text[from..next].to_owned());
            from = next;
        }
        rows.push(text[from..].to_owned());
        rows
    }

    #[test]
    fn rows_end_between_words_and_long_words_are_torn() {
        assert_eq!(rows("one two three", 8), ["one two ", "three"]);
        assert_eq!(rows("abcdefghij kl", 4), ["abcd", "efgh", "ij ", "kl"]);
        assert_eq!(rows("abcd efgh", 4), ["abcd ", "efgh"], "one space hangs");
        assert_eq!(rows("abcd ", 4), ["abcd ", ""], "and the caret goes on");
        assert_eq!(rows("abcd", 4), ["abcd"]);
        assert_eq!(rows("", 4), [""]);
    }

    #[test]
    fn wide_characters_stand_whole_and_closing_marks_stay_with_them() {
        assert_eq!(rows("漢字漢字", 5), ["漢字", "漢字"]);
        assert_eq!(rows("漢字。漢", 4), ["漢", "字。", "漢"]);
        assert_eq!(rows("漢「字」", 4), ["漢", "「字", "」"]);
        assert_eq!(rows("漢", 1), ["漢", ""]);
    }

    #[test]
    fn rows_that_are_kept_equal_rows_made_anew() {
        let pastes = Pastes::default();
        let mut text = "some words 漢字 and more ".repeat(200);
        let mut layouts = Layouts::default();
        layouts.fit(20);
        let mut seed = 7_usize;
        for _ in 0..200 {
            seed = seed
                .wrapping_mul(6364136223846793005)
                .wrapping_add(1442695040888963407);
            let mut at = (seed >> 33) % text.len();
            while !text.is_char_boundary(at) {
                at -= 1;
            }
            text.insert_str(at, ["x", " ", "漢", "longword"][(seed >> 20) % 4]);
            layouts.edited(Place::new(0, at));
            let look = Place::new(0, (seed >> 13) % text.len());
            let mut fresh = Layouts::default();
            fresh.fit(20);
            assert_eq!(
                layouts.row_of(look, &text, &pastes),
                fresh.row_of(look, &text, &pastes)
            );
        }
        let mut fresh = Layouts::default();
        fresh.fit(20);
        assert_eq!(
            layouts.count(0, &text, &pastes),
            fresh.count(0, &text, &pastes)
        );
    }
}
