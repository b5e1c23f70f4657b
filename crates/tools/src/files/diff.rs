//! What a change looks like: counted and shown as a unified diff, within
//! bounds of time and size.

use super::align::{align, lines};
use similar::{DiffOp, group_diff_ops};
use std::ops::Range;
use std::time::{Duration, Instant};
use tenon_vocab::DiffFile;

/// Lines around a change that did not change.
const CONTEXT: usize = 3;
/// After this a diff is allowed to be coarse, not to be late.
const PATIENCE: Duration = Duration::from_millis(300);
/// What a result shows of one file.
const RESULT_BYTES: usize = 64 * 1024;
/// What a question shows of one file: a person must see what they allow.
const QUESTION_BYTES: usize = 1024 * 1024;
/// And of all files of one question together.
const QUESTION_TOTAL: usize = 8 * QUESTION_BYTES;

/// For whose eyes diffs are made; says how long the next one may be.
#[derive(Debug)]
pub(crate) enum Audience {
    /// Somebody decides by it. Holds the bytes that are left.
    Question(usize),
    /// It has happened; a glimpse is enough.
    Result,
}

impl Audience {
    pub(crate) fn question() -> Self {
        Self::Question(QUESTION_TOTAL)
    }

    fn cap(&self) -> usize {
        match self {
            Self::Question(left) => (*left).min(QUESTION_BYTES),
            Self::Result => RESULT_BYTES,
        }
    }

    fn note(&mut self, shown: usize) {
        if let Self::Question(left) = self {
            *left = left.saturating_sub(shown);
        }
    }
}

/// The difference of two contents. Bytes that are not UTF-8 are shown as `�`;
/// this is for eyes, never for writing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Difference {
    pub additions: u64,
    pub deletions: u64,
    /// A unified diff without the lines that name the files.
    pub unified: String,
    /// Bytes of the whole diff that `unified` lacks.
    pub left_out_bytes: u64,
}

impl Difference {
    pub(crate) fn is_cut(&self) -> bool {
        self.left_out_bytes > 0
    }
}

/// Shows up to `cap` bytes, and counts all of it.
#[must_use]
pub fn difference(before: &[u8], after: &[u8], cap: usize) -> Difference {
    let before = String::from_utf8_lossy(before);
    let after = String::from_utf8_lossy(after);
    let (old, new) = (lines(&before), lines(&after));
    let deadline = Instant::now().checked_add(PATIENCE);
    let ops = align(&bytes(&old), &bytes(&new), deadline);
    let (mut additions, mut deletions) = (0, 0);
    for op in &ops {
        match op {
            DiffOp::Equal { .. } => {}
            DiffOp::Delete { old_len, .. } => deletions += *old_len as u64,
            DiffOp::Insert { new_len, .. } => additions += *new_len as u64,
            DiffOp::Replace {
                old_len, new_len, ..
            } => {
                deletions += *old_len as u64;
                additions += *new_len as u64;
            }
        }
    }
    let (unified, left_out_bytes) = unified(ops, &old, &new, cap);
    Difference {
        additions,
        deletions,
        unified,
        left_out_bytes,
    }
}

fn bytes<'a>(lines: &[&'a str]) -> Vec<&'a [u8]> {
    lines.iter().map(|line| line.as_bytes()).collect()
}

/// The diff as text, and how many of its bytes did not fit.
fn unified(ops: Vec<DiffOp>, old: &[&str], new: &[&str], cap: usize) -> (String, u64) {
    let mut text = Bounded::new(cap);
    for hunk in group_diff_ops(ops, CONTEXT) {
        let (Some(first), Some(last)) = (hunk.first(), hunk.last()) else {
            continue;
        };
        text.push(&format!(
            "@@ -{} +{} @@\n",
            place(first.old_range().start..last.old_range().end),
            place(first.new_range().start..last.new_range().end),
        ));
        for op in &hunk {
            if let DiffOp::Equal { .. } = op {
                text.marked(" ", &old[op.old_range()]);
            } else {
                text.marked("-", &old[op.old_range()]);
                text.marked("+", &new[op.new_range()]);
            }
        }
    }
    text.finish()
}

/// Where a hunk stands, as `diff -u` writes it: one line without its count, no
/// line as the one before the place.
fn place(lines: Range<usize>) -> String {
    match lines.len() {
        0 => format!("{},0", lines.start),
        1 => format!("{}", lines.start + 1),
        count => format!("{},{count}", lines.start + 1),
    }
}

/// Takes text up to a cap and counts the rest.
struct Bounded {
    text: String,
    cap: usize,
    bytes: u64,
    lines: u64,
}

impl Bounded {
    fn new(cap: usize) -> Self {
        Self {
            text: String::new(),
            cap,
            bytes: 0,
            lines: 0,
        }
    }

    fn push(&mut self, piece: &str) {
        // Nothing may follow a gap, or it would look like no gap.
        let room = match self.bytes {
            0 => self.cap.saturating_sub(self.text.len()),
            _ => 0,
        };
        let (fits, beyond) = piece.split_at(piece.floor_char_boundary(room));
        self.text.push_str(fits);
        self.bytes += beyond.len() as u64;
        self.lines += beyond.matches('\n').count() as u64;
    }

    fn marked(&mut self, mark: &str, lines: &[&str]) {
        for line in lines {
            self.push(mark);
            self.push(line);
            if !line.ends_with('\n') {
                self.push("\n\\ No newline at end of file\n");
            }
        }
    }

    fn finish(mut self) -> (String, u64) {
        if self.bytes > 0 {
            if !self.text.is_empty() && !self.text.ends_with('\n') {
                self.text.push('\n');
            }
            let mark = format!(
                "[… {} lines ({} bytes) of the diff left out]\n",
                self.lines, self.bytes
            );
            self.text.push_str(&mark);
        }
        (self.text, self.bytes)
    }
}

/// What happens to which file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Heading<'a> {
    pub(crate) path: &'a str,
    pub(crate) from: Option<&'a str>,
    pub(crate) operation: &'a str,
}

/// A diff as renderers draw it.
pub(crate) fn file(
    heading: Heading<'_>,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
    audience: &mut Audience,
) -> DiffFile {
    let found = difference(
        before.unwrap_or_default(),
        after.unwrap_or_default(),
        audience.cap(),
    );
    audience.note(found.unified.len());
    DiffFile {
        path: heading.path.to_owned(),
        from: heading.from.map(str::to_owned),
        operation: heading.operation.to_owned(),
        additions: found.additions,
        deletions: found.deletions,
        unified: found.unified,
        left_out_bytes: found.left_out_bytes,
    }
}

#[cfg(test)]
mod tests {
    use super::{Audience, Heading, QUESTION_BYTES, QUESTION_TOTAL, difference, file};
    use proptest::prelude::*;
    use similar::TextDiff;

    proptest! {
        #[test]
        fn a_diff_reads_as_the_library_writes_it(
            old in "([abcdef]\n|é\r\n|x){0,40}",
            new in "([abcdef]\n|é\r\n|x){0,40}",
        ) {
            let expected = TextDiff::from_lines(old.as_str(), new.as_str())
                .unified_diff()
                .to_string();
            let found = difference(old.as_bytes(), new.as_bytes(), usize::MAX);
            prop_assert_eq!(found.unified, expected);
        }
    }

    #[test]
    fn counts_and_shows_changed_lines() {
        let found = difference(b"a\nb\nc\n", b"a\nB\nc\nd", 1000);
        assert_eq!((found.additions, found.deletions), (2, 1));
        assert_eq!(
            found.unified,
            "@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n\\ No newline at end of file\n"
        );
    }

    #[test]
    fn a_carriage_return_parts_no_line_of_a_diff() {
        let found = difference(b"", b"#!/bin/sh\r hid\necho\r\n", 1000);
        assert_eq!((found.additions, found.deletions), (2, 0));
        assert_eq!(
            found.unified,
            "@@ -0,0 +1,2 @@\n+#!/bin/sh\r hid\n+echo\r\n"
        );
        let last = difference(b"a\rb", b"a\rc", 1000).unified;
        let none = "\\ No newline at end of file\n";
        assert_eq!(last, format!("@@ -1 +1 @@\n-a\rb\n{none}+a\rc\n{none}"));
    }

    #[test]
    fn a_long_diff_is_cut_with_a_mark_and_counted_in_full() {
        let after = "line\n".repeat(1000);
        let found = difference(b"", after.as_bytes(), 100);
        assert_eq!(found.additions, 1000);
        assert!(found.is_cut());
        assert!(found.unified.len() < 200);
        let whole = difference(b"", after.as_bytes(), usize::MAX);
        assert_eq!(whole.left_out_bytes, 0);
        let missing = whole.unified.len() as u64 - 100;
        assert_eq!(found.left_out_bytes, missing);
        let mark = format!("lines ({missing} bytes) of the diff left out]");
        assert!(found.unified.contains(&mark), "{}", found.unified);
    }

    #[test]
    fn of_one_endless_line_the_start_is_shown() {
        let after = "é".repeat(1000);
        let found = difference(b"", after.as_bytes(), 100);
        assert!(found.unified.contains("+ééé"), "{}", found.unified);
        assert!(found.left_out_bytes > 1900);
    }

    #[test]
    fn a_question_holds_a_mebibyte_of_each_file_and_all_files_share_a_bound() {
        let content = "0123456789abcde\n".repeat(2 * QUESTION_BYTES / 16);
        let heading = Heading {
            path: "a",
            from: None,
            operation: "created",
        };
        let mut audience = Audience::question();
        let made: Vec<_> = (0..10)
            .map(|_| file(heading, None, Some(content.as_bytes()), &mut audience))
            .collect();
        assert!(made[0].unified.len() >= QUESTION_BYTES);
        assert!(made.iter().all(|file| file.left_out_bytes > 0));
        let total: usize = made.iter().map(|file| file.unified.len()).sum();
        assert!(total < QUESTION_TOTAL + 10 * 200, "{total}");
    }
}
