//! Which words of a changed line differ. Lines that have little in common are
//! simply another line: marking all of their words would say nothing.

use similar::{ChangeTag, TextDiff};
use std::time::Duration;

/// Longer lines are not compared.
const LONGEST: usize = 600;
/// How much of two lines must be the same.
const ALIKE: f32 = 0.4;
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
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_unicode_words(old, new);
    if diff.ratio() < ALIKE {
        return None;
    }
    let (mut before, mut after) = (Vec::new(), Vec::new());
    for change in diff.iter_all_changes() {
        let text = change.value();
        match change.tag() {
            ChangeTag::Equal => {
                add(&mut before, Word::Same, text);
                add(&mut after, Word::Same, text);
            }
            ChangeTag::Delete => add(&mut before, Word::Differs, text),
            ChangeTag::Insert => add(&mut after, Word::Differs, text),
        }
    }
    Some((before, after))
}

fn add(pieces: &mut Pieces, word: Word, text: &str) {
    match pieces.last_mut() {
        Some((last, before)) if *last == word => before.push_str(text),
        _ => pieces.push((word, text.to_owned())),
    }
}
