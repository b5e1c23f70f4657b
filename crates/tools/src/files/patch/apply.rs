//! All hunks of one file on its content, in memory: bytes in, bytes out.
//! Lines that no hunk removes keep their raw bytes.

use super::place::{Nowhere, Progress, Spot, place, repairs, side};
use super::section::{Hunk, Row, RowEnd, Sign};
use crate::files::edit::indent::Reindent;
use crate::files::edit::lines::Lines;
use crate::files::edit::locate::Repair;
use crate::files::edit::nearest::{differences, nearest, numbered};
use std::borrow::Cow;
use std::collections::VecDeque;
use std::fmt::Write as _;
use std::ops::Range;

/// How one hunk went in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Applied {
    /// Lines between where it said and where it went.
    pub offset: isize,
    pub fuzz: usize,
    pub repairs: Vec<Repair>,
    pub already: bool,
}

/// A hunk that does not fit, told in full.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Rejected {
    /// From 1.
    pub hunk: usize,
    pub reason: String,
}

type Outcome = Result<(Vec<u8>, Vec<Applied>), Rejected>;

pub(super) fn apply(content: &[u8], hunks: &[Hunk<'_>]) -> Outcome {
    let plain = apply_to(&Lines::of(content), hunks);
    if plain.is_ok() {
        return plain;
    }
    // A carriage return alone is data to most tools, and a line end to some.
    match Lines::of_any_end(content) {
        Some(lines) => apply_to(&lines, hunks).or(plain),
        None => plain,
    }
}

fn apply_to(lines: &Lines<'_>, hunks: &[Hunk<'_>]) -> Outcome {
    let mut progress = Progress::default();
    let mut applied = Vec::with_capacity(hunks.len());
    let mut changes: Vec<(Range<usize>, Vec<u8>)> = Vec::new();
    for (i, hunk) in hunks.iter().enumerate() {
        let spot = place(lines, hunk, &progress).map_err(|nowhere| Rejected {
            hunk: i + 1,
            reason: explain(lines, hunk, i + 1, &nowhere),
        })?;
        let mut result = Applied {
            offset: 0,
            fuzz: 0,
            // Whether a file ends in a newline is told by the patch itself.
            repairs: repairs(&spot)
                .iter()
                .filter(|repair| **repair != Repair::FinalNewline)
                .copied()
                .collect(),
            already: false,
        };
        match &spot {
            Spot::AlreadyThere => result.already = true,
            Spot::Insert { before } => {
                changes.push(inserted(lines, *before, hunk));
                progress.taken.push(*before..*before);
                progress.cursor = progress.cursor.max(*before);
            }
            Spot::Replace {
                found,
                rows,
                offset,
                fuzz,
            } => {
                result.offset = *offset;
                result.fuzz = *fuzz;
                let taken = found.first..found.first + found.segments.len();
                let writer = Writer {
                    lines,
                    taken: taken.clone(),
                    reindent: found.reindent.as_ref(),
                    ends: Ends::of(lines, &taken, &found.repairs),
                };
                let bytes = writer.write(&hunk.lines[rows.clone()]);
                changes.push((found.start()..found.end(), bytes));
                if hunk.range.is_some() {
                    progress.drift = *offset;
                }
                progress.cursor = progress.cursor.max(taken.end);
                progress.taken.push(taken);
            }
        }
        applied.push(result);
    }
    Ok((spliced(lines.bytes(), changes), applied))
}

fn spliced(content: &[u8], mut changes: Vec<(Range<usize>, Vec<u8>)>) -> Vec<u8> {
    changes.sort_by_key(|(range, _)| (range.start, range.end));
    let mut bytes = Vec::with_capacity(content.len() + 1024);
    let mut done = 0;
    for (range, new) in &changes {
        bytes.extend_from_slice(&content[done..range.start]);
        bytes.extend_from_slice(new);
        done = range.end;
    }
    bytes.extend_from_slice(&content[done..]);
    bytes
}

struct Writer<'w, 'a> {
    lines: &'w Lines<'a>,
    taken: Range<usize>,
    reindent: Option<&'w Reindent>,
    ends: Ends,
}

/// How far the line ends of added lines are meant.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ends {
    /// The old lines have those of the file, so the new ones are right too.
    AsSent,
    /// Nothing to compare with: an explicit CRLF is meant, an LF follows the file.
    Unknown,
    /// The old lines have others than the file: all follow the file.
    AsInFile,
}

impl Ends {
    fn of(lines: &Lines<'_>, taken: &Range<usize>, repairs: &[Repair]) -> Self {
        if repairs.contains(&Repair::LineEndings) {
            Self::AsInFile
        } else if taken.clone().any(|i| !lines.terminator(i).is_empty()) {
            Self::AsSent
        } else {
            Self::Unknown
        }
    }

    fn keep(self, sent: RowEnd) -> bool {
        match self {
            Self::AsSent => sent != RowEnd::Nothing,
            Self::Unknown => sent == RowEnd::CrLf,
            Self::AsInFile => false,
        }
    }
}

impl Writer<'_, '_> {
    fn write(&self, rows: &[Row<'_>]) -> Vec<u8> {
        let mut out: Vec<(Cow<'_, [u8]>, &[u8])> = Vec::new();
        let mut at = self.taken.start;
        // Line ends of the lines that the next added ones stand instead of.
        let mut removed: VecDeque<&[u8]> = VecDeque::new();
        for row in rows {
            match row.sign {
                Sign::Context => {
                    removed.clear();
                    out.push((self.lines.text(at).into(), self.lines.terminator(at)));
                    at += 1;
                }
                Sign::Remove => {
                    removed.push_back(self.lines.terminator(at));
                    at += 1;
                }
                Sign::Add => {
                    let text = match self.reindent {
                        Some(reindent) => reindent.apply(row.text.as_bytes()).into(),
                        None => row.text.as_bytes().into(),
                    };
                    let instead_of = removed.pop_front().filter(|end| !end.is_empty());
                    let end = if let Some(preferred) = self.lines.preferred() {
                        preferred
                    } else if self.ends.keep(row.end) {
                        row.end.bytes()
                    } else {
                        let near = at.saturating_sub(1).max(self.taken.start);
                        instead_of.unwrap_or_else(|| self.lines.style(near))
                    };
                    out.push((text, end));
                }
            }
        }
        let ends_file = self.taken.end == self.lines.len();
        let style = self.lines.style(self.taken.start);
        let last = out.len().saturating_sub(1);
        let mut bytes = Vec::new();
        for (i, (text, end)) in out.iter().enumerate() {
            bytes.extend_from_slice(text);
            let end = if i == last && ends_file {
                if self.final_newline(rows) {
                    if end.is_empty() { style } else { *end }
                } else {
                    b""
                }
            } else if end.is_empty() {
                style
            } else {
                *end
            };
            bytes.extend_from_slice(end);
        }
        bytes
    }

    /// Whether the file shall end in a newline: as the marks say, else as now.
    fn final_newline(&self, rows: &[Row<'_>]) -> bool {
        let last = |other: Sign| rows.iter().rfind(|row| row.sign != other);
        let unmarked = |row: Option<&Row<'_>>| row.is_some_and(|row| row.end != RowEnd::Nothing);
        if last(Sign::Remove).is_some_and(|row| row.end == RowEnd::Nothing) {
            return false;
        }
        if last(Sign::Add).is_some_and(|row| row.end == RowEnd::Nothing)
            && unmarked(last(Sign::Remove))
        {
            return true;
        }
        !self.lines.terminator(self.lines.len() - 1).is_empty()
    }
}

/// Lines put in before a line, or after the last one.
fn inserted(lines: &Lines<'_>, before: usize, hunk: &Hunk<'_>) -> (Range<usize>, Vec<u8>) {
    let at = lines.line(before).start;
    let mut bytes = Vec::new();
    if lines.len() == 0 {
        for row in &hunk.lines {
            bytes.extend_from_slice(row.text.as_bytes());
            bytes.extend_from_slice(row.end.bytes());
        }
        return (at..at, bytes);
    }
    let near = before.min(lines.len() - 1);
    let style = lines.preferred().unwrap_or_else(|| lines.style(near));
    let bare = before == lines.len() && lines.terminator(lines.len() - 1).is_empty();
    if bare {
        bytes.extend_from_slice(style);
    }
    for (i, row) in hunk.lines.iter().enumerate() {
        bytes.extend_from_slice(row.text.as_bytes());
        let last = i + 1 == hunk.lines.len();
        let marked = row.end == RowEnd::Nothing && before == lines.len();
        if !(last && (bare || marked)) {
            bytes.extend_from_slice(if Ends::Unknown.keep(row.end) {
                row.end.bytes()
            } else {
                style
            });
        }
    }
    (at..at, bytes)
}

/// Why a hunk goes nowhere, with its context and what comes nearest.
fn explain(lines: &Lines<'_>, hunk: &Hunk<'_>, number: usize, nowhere: &Nowhere) -> String {
    let mut text = format!("hunk {number}");
    if !hunk.header.is_empty() {
        let _ = write!(
            text,
            " ({})",
            tenon_vocab::Printable::line(hunk.header.trim())
        );
    }
    match nowhere {
        Nowhere::Anchor(anchor) => {
            let _ = write!(text, ": its `@@` line `{anchor}` is not in the file");
        }
        Nowhere::Ambiguous(places) => {
            let shown: Vec<String> = places.iter().take(10).map(ToString::to_string).collect();
            let _ = write!(
                text,
                ": its lines occur in {} places (line {}); add context lines until they are unique",
                places.len(),
                shown.join(", ")
            );
        }
        Nowhere::Other(reason) => {
            let _ = write!(text, ": {reason}");
        }
        Nowhere::NotFound => {
            text.push_str(": its context is not in the file");
        }
    }
    let _ = write!(text, "\n{}", shown(hunk));
    if matches!(nowhere, Nowhere::NotFound) {
        let old = side(&hunk.lines, Sign::Add);
        if let Some(near) = nearest(lines, &old).first() {
            let region = numbered(lines, near.first, near.count, 20);
            let _ = write!(
                text,
                "\nThe closest match is at line {}:\n{}",
                near.first + 1,
                region.trim_end_matches('\n')
            );
            for difference in differences(lines, *near, &old, "the patch") {
                let _ = write!(text, "\n{difference}");
            }
        }
    }
    text
}

/// The hunk as it was sent, shortened with a count.
fn shown(hunk: &Hunk<'_>) -> String {
    const SHOWN: usize = 20;
    let mut rows: Vec<String> = hunk
        .lines
        .iter()
        .take(SHOWN)
        .map(|row| {
            let sign = match row.sign {
                Sign::Context => ' ',
                Sign::Remove => '-',
                Sign::Add => '+',
            };
            let text: String = row.text.chars().take(200).collect();
            format!("{sign}{text}")
        })
        .collect();
    if hunk.lines.len() > SHOWN {
        rows.push(format!("[{} more lines]", hunk.lines.len() - SHOWN));
    }
    rows.join("\n")
}

#[cfg(test)]
mod tests {
    use super::apply;
    use crate::files::diff::difference;
    use crate::files::patch::parse::parse;
    use proptest::prelude::*;

    /// Files in which every line may stand several times.
    fn content() -> impl Strategy<Value = String> {
        let line = prop_oneof!["[abc]", Just(String::new()), "  [ab]", "-- [ab]", "@@ [ab]"];
        let end = prop_oneof![3 => Just("\n"), 1 => Just("\r\n")];
        (prop::collection::vec((line, end), 0..25), any::<bool>()).prop_map(|(lines, newline)| {
            let mut text: String = lines.iter().flat_map(|(l, e)| [l.as_str(), e]).collect();
            if !newline && let Some(cut) = text.strip_suffix('\n') {
                let bare = cut.strip_suffix('\r').unwrap_or(cut);
                text.truncate(bare.len());
            }
            text
        })
    }

    proptest! {
        /// What our own diffs say, our own patches do.
        #[test]
        fn a_diff_of_two_files_turns_one_into_the_other(before in content(), after in content()) {
            prop_assume!(before != after);
            let found = difference(before.as_bytes(), after.as_bytes(), usize::MAX);
            let text = format!("--- a/f\n+++ b/f\n{}", found.unified);
            let sections = parse(&text).unwrap();
            let (result, hunks) = apply(before.as_bytes(), &sections[0].hunks).unwrap();
            prop_assert_eq!(String::from_utf8(result).unwrap(), after, "{}", text);
            prop_assert!(hunks.iter().all(|hunk| hunk.fuzz == 0 && hunk.offset == 0));
        }

        #[test]
        fn any_text_is_a_patch_or_a_reason(rows in prop::collection::vec(prop_oneof![
            Just("*** Begin Patch"), Just("*** End Patch"), Just("*** Update File: a"),
            Just("*** Add File: b"), Just("*** Delete File: c"), Just("*** Move to: d"),
            Just("*** End of File"), Just("--- a/a"), Just("+++ b/a"), Just("+++ /dev/null"),
            Just("@@ -1,2 +1,2 @@"), Just("@@ -0,0 +1 @@"), Just("@@"), Just("@@ é"), Just("@@é"),
            Just("diff --git a/a b/a"), Just("rename from a"), Just("rename to é"), Just("new file mode"),
            Just("+x"), Just("-x"), Just(" x"), Just("x"), Just(""), Just("\\ No newline"), Just("```"),
            Just("apply_patch <<'EOF'"), Just("EOF"), Just("--- \"a\\3"), Just("é"), Just("-- "),
            Just("@@ -99999999999999999999,1 +1 @@"), Just("@@ -18446744073709551615,1 +1 @@"),
        ], 0..12), file in content()) {
            if let Ok(sections) = parse(&rows.join("\n")) {
                for section in sections {
                    let _ = apply(file.as_bytes(), &section.hunks);
                }
            }
        }
    }
}
