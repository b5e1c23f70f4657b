//! What a change looks like: counted and shown as a unified diff, within
//! bounds of time and size.

use similar::{ChangeTag, DiffOp, TextDiff};
use std::time::Duration;
use tenon_vocab::DiffFile;

/// After this a diff is allowed to be coarse, not to be late.
const PATIENCE: Duration = Duration::from_millis(300);
pub(crate) const SHOWN_BYTES: usize = 64 * 1024;

/// The difference of two contents. Bytes that are not UTF-8 are shown as `�`;
/// this is for eyes, never for writing.
pub(crate) struct Difference {
    pub(crate) additions: u64,
    pub(crate) deletions: u64,
    pub(crate) unified: String,
    /// Whether `unified` was cut.
    pub(crate) cut: bool,
}

pub(crate) fn difference(before: &[u8], after: &[u8], cap: usize) -> Difference {
    let before = String::from_utf8_lossy(before);
    let after = String::from_utf8_lossy(after);
    let diff = TextDiff::configure()
        .timeout(PATIENCE)
        .diff_lines(before.as_ref(), after.as_ref());
    let (mut additions, mut deletions) = (0, 0);
    for op in diff.ops() {
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
    let (unified, cut) = unified(&diff, cap);
    Difference {
        additions,
        deletions,
        unified,
        cut,
    }
}

fn unified(diff: &TextDiff<'_, '_, str>, cap: usize) -> (String, bool) {
    let mut text = String::new();
    for hunk in diff.unified_diff().context_radius(3).iter_hunks() {
        text.push_str(&hunk.header().to_string());
        text.push('\n');
        for change in hunk.iter_changes() {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let line = change.value();
            if text.len() + line.len() > cap {
                text.push_str("[… the rest of the diff is left out]\n");
                return (text, true);
            }
            text.push(sign);
            text.push_str(line);
            if !line.ends_with('\n') {
                text.push_str("\n\\ No newline at end of file\n");
            }
        }
    }
    (text, false)
}

/// A diff as renderers draw it.
pub(crate) fn file(
    path: &str,
    operation: &str,
    before: Option<&[u8]>,
    after: Option<&[u8]>,
) -> DiffFile {
    let found = difference(
        before.unwrap_or_default(),
        after.unwrap_or_default(),
        SHOWN_BYTES,
    );
    DiffFile {
        path: path.to_owned(),
        operation: operation.to_owned(),
        additions: found.additions,
        deletions: found.deletions,
        unified: found.unified,
    }
}

#[cfg(test)]
mod tests {
    use super::difference;

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
    fn a_long_diff_is_cut_with_a_mark_and_counted_in_full() {
        let after = "line\n".repeat(1000);
        let found = difference(b"", after.as_bytes(), 100);
        assert_eq!(found.additions, 1000);
        assert!(found.cut);
        assert!(found.unified.len() < 200);
        assert!(found.unified.contains("left out"));
    }
}
