//! Which words of a changed line differ. Lines that have little in common are
//! simply another line: marking all of their words would say nothing.

use similar::DiffOp;
use similar::algorithms::{Capture, IdentifyDistinct, Replace, myers};
use std::ops::Range;
use std::time::{Duration, Instant};
use unicode_segmentation::UnicodeSegmentation;

/// Longer lines are not compared.
const LONGEST: usize = 600;
/// How much of two lines must be the same.
const ALIKE: f64 = 0.4;
const PATIENCE: Duration = Duration::from_millis(20);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Word {
    Same,
    Differs,
}

pub(super) type Pieces = Vec<(Word, String)>;

/// The pieces of the line before and of the line after.
pub(super) fn compared(old: &str, new: &str) -> Option<(Pieces, Pieces)> {
    if old.len() > LONGEST || new.len() > LONGEST {
        return None;
    }
    let (from, to) = (words(old), words(new));
    let ops = aligned(&from, &to);
    let same: usize = ops.iter().map(|op| equal(op).len()).sum();
    if (2 * same) as f64 / ((from.len() + to.len()).max(1) as f64) < ALIKE {
        return None;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for op in &ops {
        let word = match op {
            DiffOp::Equal { .. } => Word::Same,
            _ => Word::Differs,
        };
        for text in from.get(op.old_range()).unwrap_or_default() {
            add(&mut before, word, text);
        }
        for text in to.get(op.new_range()).unwrap_or_default() {
            add(&mut after, word, text);
        }
    }
    Some((before, after))
}

fn words(line: &str) -> Vec<&str> {
    line.split_word_bounds().collect()
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

fn equal(op: &DiffOp) -> Range<usize> {
    match op {
        DiffOp::Equal { .. } => op.old_range(),
        _ => 0..0,
    }
}

fn add(pieces: &mut Pieces, word: Word, text: &str) {
    match pieces.last_mut() {
        Some((last, before)) if *last == word => before.push_str(text),
        _ => pieces.push((word, text.to_owned())),
    }
}
