//! Whether an edit whose old text is gone has been made before.
//!
//! That the new text stands somewhere in the file says nothing: a misspelt `old`
//! and a short `new` look just like it. Only two things show it: that this very
//! edit was made in this session, or that what `old` and `new` have in common, the
//! surroundings of the change, stands in the file only around the new text.

use super::lines::{Lines, Piece, pieces, trim_end};
use super::nearest::nearest;
use super::replace::{Count, LISTED};
use memchr::memmem;
use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Edits remembered; the oldest is forgotten first.
const EDITS: usize = 512;

/// Lines of the file times lines of the text: beyond this nothing is shown.
const BUDGET: usize = 50_000_000;

/// The edits that were made in this session.
#[derive(Debug, Default)]
pub(super) struct Made {
    edits: Mutex<VecDeque<(String, u64)>>,
}

impl Made {
    pub(super) fn note(&self, path: &str, old: &str, new: &str) {
        let entry = (path.to_owned(), digest(old, new));
        let mut edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        edits.retain(|known| *known != entry);
        edits.push_back(entry);
        if edits.len() > EDITS {
            edits.pop_front();
        }
    }

    /// The lines (from 1) at which the new text of an edit that was made still
    /// stands, as often as it was asked for.
    pub(super) fn still(
        &self,
        path: &str,
        content: &[u8],
        (old, new): (&str, &str),
        count: Count,
    ) -> Option<Vec<usize>> {
        let digest = digest(old, new);
        let edits = self.edits.lock().unwrap_or_else(PoisonError::into_inner);
        let known = edits.iter().any(|(p, d)| p == path && *d == digest);
        drop(edits);
        let at = known.then(|| standing(content, new))?;
        count.fits(at.len()).then(|| listed(at))
    }
}

fn digest(old: &str, new: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    (old, new).hash(&mut hasher);
    hasher.finish()
}

/// The lines (from 1) at which a text stands, other than as a part of a word.
pub(super) fn standing(content: &[u8], text: &str) -> Vec<usize> {
    if !is_telling(text.as_bytes()) {
        return Vec::new();
    }
    let lines = Lines::of(content);
    let mut at: Vec<usize> = memmem::find_iter(content, text.as_bytes())
        .filter(|at| stands_alone(content, *at, text.as_bytes()))
        .map(|at| lines.at(at) + 1)
        .collect();
    if at.is_empty() && text.contains('\n') {
        let keys = keys(&lines);
        let wanted: Vec<&[u8]> = pieces(text).iter().map(key).collect();
        at = windows(&keys, &wanted).map(|first| first + 1).collect();
    }
    at
}

/// The lines (from 1) at which the new text stands in the place of the old one,
/// where what they have in common leaves no other reading.
pub(super) fn by_surroundings(
    content: &[u8],
    old: &str,
    new: &str,
    count: Count,
) -> Option<Vec<usize>> {
    let lines = Lines::of(content);
    let (before, after) = (pieces(old), pieces(new));
    if lines.len().saturating_mul(after.len()) > BUDGET {
        return None;
    }
    let places = match (before.as_slice(), after.as_slice()) {
        ([_], [_]) => within_a_line(content, &lines, old, new),
        _ => across_lines(&lines, &before, &after),
    }?;
    let are_enough = count.fits(places.len());
    (are_enough && !stands_misspelt(&lines, &before, &places))
        .then(|| listed(places.iter().map(|place| place.start + 1).collect()))
}

fn listed(mut lines: Vec<usize>) -> Vec<usize> {
    lines.truncate(LISTED);
    lines
}

/// Whole lines that both texts begin or end with.
fn across_lines(
    lines: &Lines<'_>,
    old: &[Piece<'_>],
    new: &[Piece<'_>],
) -> Option<Vec<Range<usize>>> {
    let old: Vec<&[u8]> = old.iter().map(key).collect();
    let new: Vec<&[u8]> = new.iter().map(key).collect();
    let most = old.len().min(new.len());
    let pairs = old.iter().zip(&new);
    let head = pairs.take_while(|(a, b)| a == b).count();
    let pairs = old.iter().rev().zip(new.iter().rev());
    let tail = (pairs.take(most - head).take_while(|(a, b)| a == b)).count();
    let (head, rest) = new.split_at(head);
    let (middle, tail) = rest.split_at(rest.len() - tail);
    let says = |lines: &[&[u8]]| lines.iter().any(|line| is_telling(line));
    // Where lines only go, nothing of the new text is left but what was there.
    if middle.is_empty() && !(says(head) && says(tail)) {
        return None;
    }
    let keys = keys(lines);
    let places: Vec<_> = windows(&keys, &new)
        .map(|first| first..first + new.len())
        .collect();
    let only_here = |side: &[&[u8]]| says(side) && windows(&keys, side).count() == places.len();
    (only_here(head) || only_here(tail)).then_some(places)
}

/// Both texts are a part of one line: words before the change must be the same,
/// and something after it, or the line ends there.
fn within_a_line(
    content: &[u8],
    lines: &Lines<'_>,
    old: &str,
    new: &str,
) -> Option<Vec<Range<usize>>> {
    let (old, new) = (old.trim_end(), new.trim_end());
    let same = old.bytes().zip(new.bytes()).take_while(|(a, b)| a == b);
    let head = whole_words(new, new.floor_char_boundary(same.count()));
    let most = old.len().min(new.len()) - head;
    let same = old.bytes().rev().zip(new.bytes().rev()).take(most);
    let same = same.take_while(|(a, b)| a == b).count();
    let tail = words_from(new, new.ceil_char_boundary(new.len() - same));
    let (head, tail) = (&new.as_bytes()[..head], &new[tail..]);
    if !is_telling(head) {
        return None;
    }
    // Where nothing follows the change, the end of the line must.
    let ends = |at: &usize| {
        let line = lines.line(lines.at(*at));
        let rest = content.get(at + new.len()..line.end);
        !tail.trim().is_empty() || rest.is_some_and(|rest| trim_end(rest).is_empty())
    };
    let at = |text: &[u8]| -> Vec<usize> {
        memmem::find_iter(content, text)
            .filter(|at| stands_alone(content, *at, text))
            .collect()
    };
    let mut places = at(new.as_bytes());
    places.retain(ends);
    (at(head).len() == places.len()).then(|| {
        let lines = places.iter().map(|at| lines.at(*at));
        lines.map(|line| line..line + 1).collect()
    })
}

/// The largest cut up to `at` that does not divide a word.
fn whole_words(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match (at.checked_sub(1).map(|i| bytes[i]), bytes.get(at)) {
        (Some(last), Some(next)) if is_word(last) && is_word(*next) => {
            let word = bytes[..at].iter().rev().take_while(|b| is_word(**b));
            at - word.count()
        }
        _ => at,
    }
}

/// The smallest cut from `at` on that does not divide a word.
fn words_from(text: &str, at: usize) -> usize {
    let bytes = text.as_bytes();
    match (at.checked_sub(1).map(|i| bytes[i]), bytes.get(at)) {
        (Some(last), Some(next)) if is_word(last) && is_word(*next) => {
            at + bytes[at..].iter().take_while(|b| is_word(**b)).count()
        }
        _ => at,
    }
}

/// Something very like the old text stands elsewhere: then it was misspelt.
fn stands_misspelt(lines: &Lines<'_>, old: &[Piece<'_>], places: &[Range<usize>]) -> bool {
    const VERY_LIKE: f64 = 0.8;
    nearest(lines, old).first().is_some_and(|near| {
        let end = near.first + near.count;
        near.score >= VERY_LIKE
            && !places
                .iter()
                .any(|place| place.start < end && near.first < place.end)
    })
}

fn key<'a>(piece: &Piece<'a>) -> &'a [u8] {
    trim_end(piece.text)
}

fn keys<'a>(lines: &Lines<'a>) -> Vec<&'a [u8]> {
    (0..lines.len()).map(|i| trim_end(lines.text(i))).collect()
}

/// Where these whole lines stand, one after the other.
fn windows<'k>(keys: &'k [&[u8]], wanted: &'k [&[u8]]) -> impl Iterator<Item = usize> + 'k {
    let length = wanted.len().max(1);
    keys.windows(length)
        .enumerate()
        .filter(move |(_, window)| *window == wanted)
        .map(|(first, _)| first)
}

/// Whether a text has a letter or a digit: brackets stand everywhere.
fn is_telling(text: &[u8]) -> bool {
    text.iter().any(|b| b.is_ascii_alphanumeric() || *b >= 0x80)
}

fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || byte == b'_'
}

/// Whether a text is not merely a part of a longer word.
fn stands_alone(content: &[u8], at: usize, text: &[u8]) -> bool {
    let word = |byte: Option<&u8>| byte.is_some_and(|b| is_word(*b));
    let before = at.checked_sub(1).and_then(|i| content.get(i));
    let after = content.get(at + text.len());
    let joined_before = word(text.first()) && word(before);
    let joined_after = word(text.last()) && word(after);
    !joined_before && !joined_after
}
