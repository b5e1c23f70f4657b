//! Which lines of one text are which lines of another: the one door to the
//! diff library. Not how a difference is shown; that is `diff.rs`.
//!
//! The comfortable entries of the library choose the algorithm at run time and
//! compare any kind of text, so each of them brings every algorithm in several
//! forms: 0.7 MB of machine code for one that is used. Here lines become
//! numbers first, and one algorithm over numbers serves all callers
//! (docs/decisions/0025-size.md).

use similar::DiffOp;
use similar::algorithms::{Capture, Compact, IdentifyDistinct, Replace, myers};
use std::time::Instant;

/// How the lines of `old` become those of `new`. After the deadline the answer
/// may be coarse, never wrong.
pub(crate) fn align(old: &[&[u8]], new: &[&[u8]], deadline: Option<Instant>) -> Vec<DiffOp> {
    let numbers = IdentifyDistinct::<u32>::new(old, 0..old.len(), new, 0..new.len());
    let (from, to) = (numbers.old_lookup(), numbers.new_lookup());
    let mut ops = Compact::new(Replace::new(Capture::new()), from, to);
    let Ok(()) = myers::diff_deadline(
        &mut ops,
        from,
        numbers.old_range(),
        to,
        numbers.new_range(),
        deadline,
    );
    ops.into_inner().into_inner().into_ops()
}

/// The lines of a text with their ends. Only a line feed ends one: a carriage
/// return is a part of the line, or a change could be shown as lines that no
/// file has. The last one may lack its end.
pub(crate) fn lines(text: &str) -> Vec<&str> {
    text.split_inclusive('\n').collect()
}

#[cfg(test)]
mod tests {
    use super::{align, lines};
    use proptest::prelude::*;
    use similar::{Algorithm, DiffOp, TextDiff, capture_diff_slices};

    fn aligned(old: &str, new: &str) -> Vec<DiffOp> {
        let old: Vec<&[u8]> = lines(old).into_iter().map(str::as_bytes).collect();
        let new: Vec<&[u8]> = lines(new).into_iter().map(str::as_bytes).collect();
        align(&old, &new, None)
    }

    proptest! {
        #[test]
        fn numbers_align_as_the_texts_do(
            old in "([abc]|[ab]{2}|\r|\n|\r\n|é\n){0,60}",
            new in "([abc]|[ab]{2}|\r|\n|\r\n|é\n){0,60}",
        ) {
            let (from, to) = (lines(&old), lines(&new));
            let whole = TextDiff::from_slices(&from, &to);
            prop_assert_eq!(aligned(&old, &new), whole.ops());
        }

        #[test]
        fn long_texts_align_as_their_slices_do(
            old in prop::collection::vec(0..40_u8, 0..400),
            new in prop::collection::vec(0..40_u8, 0..400),
        ) {
            let old: Vec<[u8; 1]> = old.into_iter().map(|byte| [byte]).collect();
            let new: Vec<[u8; 1]> = new.into_iter().map(|byte| [byte]).collect();
            let old: Vec<&[u8]> = old.iter().map(|line| &line[..]).collect();
            let new: Vec<&[u8]> = new.iter().map(|line| &line[..]).collect();
            let expected = capture_diff_slices(Algorithm::Myers, &old, &new);
            prop_assert_eq!(align(&old, &new, None), expected);
        }
    }

    #[test]
    fn only_a_line_feed_ends_a_line() {
        assert_eq!(lines("a\nb\r\nc\rd\r"), ["a\n", "b\r\n", "c\rd\r"]);
        assert!(lines("").is_empty());
    }
}
