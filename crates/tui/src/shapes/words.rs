//! Which lines of a change belong together, and which of their words differ. A
//! line has a partner only where the two are much alike: marking all the words of
//! another line would say nothing.

use similar::DiffOp;
use similar::algorithms::{Capture, IdentifyDistinct, Replace, myers};
use std::ops::Range;
use std::time::{Duration, Instant};
use unicode_segmentation::UnicodeSegmentation;

/// Longer lines are not compared.
const LONGEST: usize = 600;
/// How much of two lines must be the same, by their letters and without blanks.
const ALIKE: f64 = 0.5;
const PATIENCE: Duration = Duration::from_millis(20);
/// Lines on each side of which every one is compared with every other. Of larger
/// blocks only those at the same place are.
const BLOCK: usize = 64;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Same,
    Differs,
}

/// The pieces of a line, one behind the other.
pub(super) type Pieces = Vec<(Word, Range<usize>)>;

/// For each line that was removed the one in its place, if there is one: in their
/// order, and so that those that belong together are as alike as can be.
pub(super) fn paired(old: &[&str], new: &[&str]) -> Vec<Option<usize>> {
    let before: Vec<Bag<'_>> = old.iter().map(|line| Bag::of(line)).collect();
    let after: Vec<Bag<'_>> = new.iter().map(|line| Bag::of(line)).collect();
    if before.len() > BLOCK || after.len() > BLOCK {
        let both = before.iter().zip(&after);
        let mut pairs: Vec<_> = both
            .enumerate()
            .map(|(at, (old, new))| (old.likeness(new) >= ALIKE).then_some(at))
            .collect();
        pairs.resize(before.len(), None);
        return pairs;
    }
    best(&before, &after)
}

/// The choice with the greatest sum of likeness: worked out from the end, then
/// walked from the begin.
fn best(before: &[Bag<'_>], after: &[Bag<'_>]) -> Vec<Option<usize>> {
    let wide = after.len() + 1;
    let mut sums = vec![0.0_f64; (before.len() + 1) * wide];
    let sum = |sums: &[f64], row: usize, column: usize| {
        sums.get(row * wide + column).copied().unwrap_or(0.0)
    };
    let mut alike = vec![0.0_f64; before.len() * wide];
    for (row, old) in before.iter().enumerate().rev() {
        for (column, new) in after.iter().enumerate().rev() {
            let likeness = old.likeness(new);
            let skipped = sum(&sums, row + 1, column).max(sum(&sums, row, column + 1));
            let together = match likeness >= ALIKE {
                true => likeness + sum(&sums, row + 1, column + 1),
                false => 0.0,
            };
            let at = row * wide + column;
            if let (Some(sum), Some(kept)) = (sums.get_mut(at), alike.get_mut(at)) {
                *sum = skipped.max(together);
                *kept = if together > skipped { likeness } else { 0.0 };
            }
        }
    }
    let mut pairs = vec![None; before.len()];
    let (mut row, mut column) = (0, 0);
    while row < before.len() && column < after.len() {
        let at = row * wide + column;
        if alike.get(at).is_some_and(|likeness| *likeness > 0.0) {
            if let Some(pair) = pairs.get_mut(row) {
                *pair = Some(column);
            }
            (row, column) = (row + 1, column + 1);
        } else if sum(&sums, row + 1, column) >= sum(&sums, row, column + 1) {
            row += 1;
        } else {
            column += 1;
        }
    }
    pairs
}

/// The words of a line, sorted, without blanks.
#[derive(Debug)]
struct Bag<'a> {
    words: Vec<&'a str>,
    letters: usize,
}

impl<'a> Bag<'a> {
    fn of(line: &'a str) -> Self {
        if line.len() > LONGEST {
            return Self {
                words: Vec::new(),
                letters: 0,
            };
        }
        let mut words: Vec<&str> = line
            .split_word_bounds()
            .filter(|word| !word.trim().is_empty())
            .collect();
        words.sort_unstable();
        let letters = words.iter().map(|word| word.len()).sum();
        Self { words, letters }
    }

    /// From 0 to 1; nothing is like a line without words.
    fn likeness(&self, other: &Self) -> f64 {
        if self.letters == 0 || other.letters == 0 {
            return 0.0;
        }
        let (mut left, mut right) = (self.words.iter().peekable(), other.words.iter().peekable());
        let mut same = 0;
        while let (Some(a), Some(b)) = (left.peek(), right.peek()) {
            match a.cmp(b) {
                std::cmp::Ordering::Equal => {
                    same += a.len();
                    left.next();
                    right.next();
                }
                std::cmp::Ordering::Less => _ = left.next(),
                std::cmp::Ordering::Greater => _ = right.next(),
            }
        }
        (2 * same) as f64 / (self.letters + other.letters) as f64
    }
}

/// The pieces of the line before and of the line after. None where so much differs
/// that the marks would say nothing.
pub(super) fn compared(old: &str, new: &str) -> Option<(Pieces, Pieces)> {
    if old.len() > LONGEST || new.len() > LONGEST {
        return None;
    }
    let (from, to): (Vec<&str>, Vec<&str>) = (
        old.split_word_bounds().collect(),
        new.split_word_bounds().collect(),
    );
    let ops = aligned(&from, &to);
    let letters = |words: &[&str]| -> usize {
        let words = words.iter().filter(|word| !word.trim().is_empty());
        words.map(|word| word.len()).sum()
    };
    let same: usize = ops
        .iter()
        .filter(|op| matches!(op, DiffOp::Equal { .. }))
        .map(|op| letters(from.get(op.old_range()).unwrap_or_default()))
        .sum();
    let all = letters(&from) + letters(&to);
    if ((2 * same) as f64) < ALIKE * all.max(1) as f64 {
        return None;
    }
    let (mut before, mut after) = (Pieces::new(), Pieces::new());
    for op in &ops {
        let word = match op {
            DiffOp::Equal { .. } => Word::Same,
            _ => Word::Differs,
        };
        let length = |words: Option<&[&str]>| -> usize {
            words.into_iter().flatten().map(|word| word.len()).sum()
        };
        add(&mut before, word, length(from.get(op.old_range())));
        add(&mut after, word, length(to.get(op.new_range())));
    }
    let (before, after) = (bridged(before, old), bridged(after, new));
    // Another depth of the lines is seen without a mark, unless it is all.
    let says = |pieces: &Pieces, line: &str| {
        let mut differing = pieces.iter().filter(|(word, _)| *word == Word::Differs);
        differing.any(|(_, range)| {
            !line
                .get(range.clone())
                .unwrap_or_default()
                .trim()
                .is_empty()
        })
    };
    Some(match says(&before, old) || says(&after, new) {
        true => (from_text_on(&before, old), from_text_on(&after, new)),
        false => (before, after),
    })
}

/// Without a mark on what the line is set in by.
fn from_text_on(pieces: &Pieces, line: &str) -> Pieces {
    let depth = line.len() - line.trim_start().len();
    let mut out = Pieces::new();
    for (word, range) in pieces {
        let blank = depth.clamp(range.start, range.end) - range.start;
        add(&mut out, Word::Same, blank);
        add(&mut out, *word, range.len() - blank);
    }
    out
}

/// Words become numbers first: the comfortable entries of the library bring
/// every algorithm in several forms (docs/decisions/0025-size.md).
fn aligned(old: &[&str], new: &[&str]) -> Vec<DiffOp> {
    let old: Vec<&[u8]> = old.iter().map(|word| word.as_bytes()).collect();
    let new: Vec<&[u8]> = new.iter().map(|word| word.as_bytes()).collect();
    let (old, new) = (old.as_slice(), new.as_slice());
    let numbers = IdentifyDistinct::<u32>::new(old, 0..old.len(), new, 0..new.len());
    let mut ops = Replace::new(Capture::new());
    let Ok(()) = myers::diff_deadline(
        &mut ops,
        numbers.old_lookup(),
        numbers.old_range(),
        numbers.new_lookup(),
        numbers.new_range(),
        Instant::now().checked_add(PATIENCE),
    );
    ops.into_inner().into_ops()
}

fn add(pieces: &mut Pieces, word: Word, bytes: usize) {
    let from = pieces.last().map_or(0, |(_, range)| range.end);
    match pieces.last_mut() {
        _ if bytes == 0 => {}
        Some((last, range)) if *last == word => range.end += bytes,
        _ => pieces.push((word, from..from + bytes)),
    }
}

/// Blanks between two words that differ are a part of what differs.
fn bridged(pieces: Pieces, line: &str) -> Pieces {
    let blank = |range: &Range<usize>| {
        let text = line.get(range.clone()).unwrap_or_default();
        text.trim().is_empty()
    };
    let last = pieces.len().saturating_sub(1);
    let mut out = Pieces::new();
    for (at, (word, range)) in pieces.iter().enumerate() {
        let inside = at > 0 && at < last;
        let word = match word {
            Word::Same if inside && blank(range) => Word::Differs,
            word => *word,
        };
        add(&mut out, word, range.len());
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn differing<'a>(line: &'a str, pieces: &Pieces) -> Vec<&'a str> {
        let differs = pieces.iter().filter(|(word, _)| *word == Word::Differs);
        differs.map(|(_, range)| &line[range.clone()]).collect()
    }

    #[test]
    fn a_line_is_paired_with_the_one_that_is_most_like_it() {
        let old = ["    return a - b"];
        let new = ["    # sum of both", "    return a + b"];
        assert_eq!(paired(&old, &new), [Some(1)]);
        let old = ["let name = \"world\";", "let age = 3;", "go(name)"];
        let new = ["go(name, age)", "let age = 4;"];
        assert_eq!(paired(&old, &new), [None, Some(1), None]);
        assert_eq!(paired(&["a b c", "", "d"], &["", "x"]), [None; 3]);
        assert_eq!(paired(&[], &["x"]), []);
    }

    #[test]
    fn of_two_orders_the_one_that_is_more_alike_in_all_is_taken() {
        let old = ["fn one(a: u8) {", "fn two(a: u8) {"];
        let new = ["fn zero(a: u8) {", "fn one(a: u16) {", "fn two(a: u16) {"];
        assert_eq!(paired(&old, &new), [Some(1), Some(2)]);
    }

    #[test]
    fn the_depth_of_a_line_is_no_word_unless_nothing_else_differs() {
        let (old, new) = ("    say(name)", "        name => say(name),");
        let (before, after) = compared(old, new).unwrap();
        assert_eq!(differing(old, &before), Vec::<&str>::new());
        assert_eq!(differing(new, &after), ["name => ", ","]);
        let (old, new) = ("    say(name)", "        say(name)");
        let (before, after) = compared(old, new).unwrap();
        assert!(!differing(old, &before).is_empty() || !differing(new, &after).is_empty());
    }

    #[test]
    fn large_blocks_are_compared_place_by_place_and_soon() {
        let old: Vec<String> = (0..2_000).map(|n| format!("let line = {n};")).collect();
        let new: Vec<String> = (0..1_999).map(|n| format!("let line = {n}0;")).collect();
        let old: Vec<&str> = old.iter().map(String::as_str).collect();
        let new: Vec<&str> = new.iter().map(String::as_str).collect();
        let pairs = paired(&old, &new);
        assert_eq!(
            (pairs.len(), pairs[7], pairs[1_999]),
            (2_000, Some(7), None)
        );
    }

    #[test]
    fn words_that_differ_side_by_side_are_one_and_blanks_do_not_make_lines_alike() {
        let (old, new) = ("    return a - b  # now", "    return sum of both  # now");
        let (before, after) = compared(old, new).unwrap();
        assert_eq!(differing(old, &before), ["a - b"]);
        assert_eq!(differing(new, &after), ["sum of both"]);
        assert!(compared("    return a - b", "    # sum of both").is_none());
        assert!(compared(&"x".repeat(700), "x").is_none());
    }
}
