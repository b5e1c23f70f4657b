//! From the text of a patch to its sections: takes off what models wrap around
//! a patch, and tells the two formats apart.

use super::marked;
use super::section::{RowEnd, Section, Text, Unreadable};
use super::unified;

/// Reads a patch in either format.
pub(super) fn parse(patch: &str) -> Result<Vec<Section<'_>>, Unreadable> {
    let rows = rows(patch);
    let rows = dedented(unwrapped(&rows));
    let rows = rows.as_slice();
    let sections = if marked::is_marked(rows) {
        marked::sections(rows)?
    } else {
        unified::sections(rows)?
    };
    if sections.is_empty() {
        return Err(Unreadable {
            line: 1,
            reason: String::from(
                "it names no file. Send a unified diff (`--- a/file`, `+++ b/file`, `@@ -1,3 \
                 +1,3 @@`) or `*** Begin Patch` … `*** End Patch`",
            ),
        });
    }
    Ok(sections)
}

/// The lines of the patch. When every line ends in CRLF, the carriage returns
/// came with the transport and say nothing about the files.
fn rows(patch: &str) -> Vec<Text<'_>> {
    let lines: Vec<&str> = patch.lines_with_ends().collect();
    let carried = lines.iter().all(|line| line.ends_with("\r\n")) || lines.len() < 2;
    lines
        .iter()
        .enumerate()
        .map(|(i, line)| {
            let bare = line.strip_suffix('\n').unwrap_or(line);
            let (text, end) = match bare.strip_suffix('\r') {
                Some(text) if carried => (text, RowEnd::Lf),
                Some(text) => (text, RowEnd::CrLf),
                None => (bare, RowEnd::Lf),
            };
            Text {
                number: i + 1,
                text,
                end,
            }
        })
        .collect()
}

trait LinesWithEnds {
    fn lines_with_ends(&self) -> impl Iterator<Item = &str>;
}

impl LinesWithEnds for str {
    fn lines_with_ends(&self) -> impl Iterator<Item = &str> {
        self.split_inclusive('\n')
    }
}

/// Without blank lines around, a Markdown fence, a here-document. A fence may
/// stand around a here-document, so it is looked for twice.
fn unwrapped<'r, 'p>(rows: &'r [Text<'p>]) -> &'r [Text<'p>] {
    let mut rows = trimmed(rows);
    for _ in 0..2 {
        rows = trimmed(without_heredoc(without_fence(rows)));
    }
    rows
}

/// Without the blanks that stand before every line, as in a quoted block. A row
/// of a diff alone never tells: its blank is a sign.
fn dedented<'p>(rows: &[Text<'p>]) -> Vec<Text<'p>> {
    let first = rows.first().map_or("", |row| row.text);
    let indent = &first[..first.len() - first.trim_start().len()];
    let filled = |row: &&Text<'_>| !row.text.trim().is_empty();
    let all = rows
        .iter()
        .filter(filled)
        .all(|row| row.text.starts_with(indent));
    let without = |row: &Text<'p>| Text {
        text: row.text.strip_prefix(indent).unwrap_or(""),
        ..*row
    };
    match all {
        true if !indent.is_empty() => rows.iter().map(without).collect(),
        _ => rows.to_vec(),
    }
}

fn trimmed<'r, 'p>(mut rows: &'r [Text<'p>]) -> &'r [Text<'p>] {
    while let [first, rest @ ..] = rows
        && first.text.trim().is_empty()
    {
        rows = rest;
    }
    // A blank line at the end may be context; only what is wholly empty goes.
    while let [rest @ .., last] = rows
        && last.text.is_empty()
    {
        rows = rest;
    }
    rows
}

fn without_fence<'r, 'p>(rows: &'r [Text<'p>]) -> &'r [Text<'p>] {
    let [first, rest @ ..] = rows else {
        return rows;
    };
    let fence = first.text.trim_start();
    if !(fence.starts_with("```") || fence.starts_with("~~~")) {
        return rows;
    }
    let mark = &fence[..3];
    match rest.iter().rposition(|row| {
        let text = row.text.trim();
        text.starts_with(mark) && text.chars().all(|c| mark.starts_with(c))
    }) {
        Some(end) => &rest[..end],
        None => rest,
    }
}

/// `apply_patch <<'EOF'` … `EOF`, also behind `cat`.
fn without_heredoc<'r, 'p>(rows: &'r [Text<'p>]) -> &'r [Text<'p>] {
    let [first, rest @ ..] = rows else {
        return rows;
    };
    let Some((before, after)) = first.text.split_once("<<") else {
        return rows;
    };
    if before.starts_with(['+', '-', ' ', '@', '*']) {
        return rows;
    }
    let word: String = after
        .trim_start_matches(['-', ' '])
        .trim_start_matches(['\'', '"'])
        .chars()
        .take_while(|c| c.is_ascii_alphanumeric() || *c == '_')
        .collect();
    match rest.iter().rposition(|row| row.text.trim() == word) {
        Some(end) if !word.is_empty() => &rest[..end],
        _ => rest,
    }
}
