//! Where a long line of a paragraph is full to the end of a row: what stands
//! before is drawn for good while the line is still being written.
//!
//! Models write a paragraph as one line. Without this all of it would be open
//! until its end: more than a screen shows, and more than stays within reach
//! when the window gets smaller.
//!
//! A place is decided by what stands before it and by the word behind it, never
//! by what follows that: so a whole text is cut at the same places.

use super::blocks::{Blocks, Sheet};
use super::{Cut, close};

/// Rows that are looked through, by the letters of the text: an open mark may
/// hold so many together.
const FARTHEST: usize = 8;

/// Where the row behind the first full one begins. No mark is open there, and the
/// word there is one at any place: it has no letter that could be a mark.
pub(super) fn full(blocks: &Blocks, line: &str, cut: Cut, sheet: Sheet) -> Option<usize> {
    // Marks and what surrounds a text take room, too.
    if line.len() <= sheet.columns / 2 {
        return None;
    }
    let blank = blocks.without_lines();
    let drawn = |text: &str| {
        let mut blocks = blank.clone();
        give(&mut blocks, text.trim_end(), cut, sheet);
        blocks
    };
    let rows = |text: &str| {
        let mut blocks = drawn(text);
        blocks.finish(sheet);
        blocks.out.len()
    };
    let room = drawn(line.get(..line.find(' ')?)?).room(sheet);
    for (start, end) in words(line) {
        let (before, word, behind) = (line.get(..start)?, line.get(start..end)?, line.get(..end)?);
        if start > room * FARTHEST {
            return None;
        }
        if behind.len() <= room || !is_plain(word) {
            continue;
        }
        let open = drawn(before);
        match open.paragraph() {
            // A heading, code, a table: they are no paragraph at any place.
            None => return None,
            Some(text) if close::is_open(text) => {}
            Some(_) if rows(behind) > rows(before) => return Some(start),
            Some(_) => {}
        }
    }
    None
}

pub(super) fn give(blocks: &mut Blocks, line: &str, cut: Cut, sheet: Sheet) {
    match cut {
        Cut::No => blocks.line(line, sheet),
        Cut::Inside => blocks.more(line, sheet),
    }
}

/// The words that are whole: a space follows. Not the first one.
fn words(line: &str) -> impl Iterator<Item = (usize, usize)> {
    let mut at = 0;
    line.split_inclusive(' ').filter_map(move |word| {
        let start = at;
        at += word.len();
        let is_whole = word.len() > 1 && word.ends_with(' ');
        (start > 0 && is_whole).then(|| (start, at - 1))
    })
}

fn is_plain(word: &str) -> bool {
    word.starts_with(char::is_alphabetic) && !word.contains(|c: char| "*_`~[]<>\\&|!".contains(c))
}
