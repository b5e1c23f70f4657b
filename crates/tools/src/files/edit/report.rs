//! What a call is told: of a change, in one line unless something was repaired;
//! of a miss, enough to get it right next time, and more each time.

use super::Call;
use super::applied;
use super::lines::{Lines, pieces};
use super::misses::Escalation;
use super::nearest::{Near, differences, nearest, numbered};
use super::replace::{Count, Miss, Replaced};
use crate::files::diff;
use crate::workspace::{FileContent, changed_since};
use serde_json::json;
use std::fmt::Write as _;
use tenon_vocab::{DiffFile, ErrorCode, ToolOutput};

/// Bytes of a diff that go into a text for the model.
const DIFF_BYTES: usize = 4 * 1024;
/// Lines of a region on the first miss, and on later ones.
const REGION_LINES: usize = 12;
const FULL_REGION_LINES: usize = 120;
/// Lines around the region, once it is shown in full.
const AROUND: usize = 3;

pub(super) fn changed(file: &FileContent, replaced: &Replaced, shown: &DiffFile) -> String {
    let times = match replaced.replacements {
        1 => String::from("1 replacement"),
        many => format!("{many} replacements"),
    };
    let mut text = format!(
        "edited `{}`: {times}, +{} -{}",
        file.path, shown.additions, shown.deletions
    );
    if !replaced.repairs.is_empty() {
        let names: Vec<&str> = replaced.repairs.iter().map(|r| r.name()).collect();
        let _ = write!(
            text,
            "\n`old` was not in the file exactly as given; it matched after adjusting: {}. \
             Written:\n{}",
            names.join(", "),
            capped(&shown.unified, DIFF_BYTES)
        );
    }
    text
}

fn capped(text: &str, most: usize) -> String {
    if text.len() <= most {
        return text.to_owned();
    }
    let cut = text.floor_char_boundary(most);
    format!("{}\n[{} more bytes]", &text[..cut], text.len() - cut)
}

/// One line for a preview.
pub(super) fn brief(miss: &Miss) -> &'static str {
    match miss {
        Miss::EmptyOld => "`old` is empty",
        Miss::NoChange => "`old` and `new` are the same",
        Miss::NotFound => "`old` is not in the file",
        Miss::Mismatch { .. } => "`old` does not occur the expected number of times",
        Miss::AlreadyApplied { .. } => "it is already applied",
    }
}

pub(super) fn listed(lines: &[usize]) -> String {
    let shown: Vec<String> = lines.iter().map(ToString::to_string).collect();
    shown.join(", ")
}

pub(super) fn missing(path: &str, reason: &str) -> ToolOutput {
    ToolOutput::error(
        ErrorCode::PathError,
        format!("{reason} To create `{path}`, use `write`."),
    )
}

pub(super) fn stale(file: &FileContent, seen: Option<&[u8]>) -> ToolOutput {
    let since = match seen {
        Some(seen) => {
            let found = diff::difference(seen, &file.bytes, DIFF_BYTES);
            format!("This is what changed since:\n{}", found.unified)
        }
        None => String::from("`read` it again to see what changed."),
    };
    let mut output = ToolOutput::error(ErrorCode::Stale, changed_since(&file.path));
    // What to do next is for the model alone.
    let next = format!(" If the edit is still right, send it again. {since}");
    output.model_text.push_str(&next);
    output
}

pub(super) fn miss(
    file: &FileContent,
    call: &Call,
    miss: &Miss,
    escalation: Escalation,
) -> ToolOutput {
    if escalation == Escalation::Refused {
        return ToolOutput::error(
            ErrorCode::Repeated,
            format!(
                "refused: this same edit of `{}` has failed three times and the file has not \
                 changed. `read` the file and `write` it whole, or replace lines by number with \
                 `patch`.",
                file.path
            ),
        );
    }
    match miss {
        Miss::EmptyOld if file.bytes.is_empty() => ToolOutput::error(
            ErrorCode::InvalidInput,
            format!(
                "`{}` is empty and `old` is too: use `write` to fill it.",
                file.path
            ),
        ),
        Miss::EmptyOld => ToolOutput::error(
            ErrorCode::InvalidInput,
            format!(
                "`old` is empty: pass the text of `{}` to replace, or use `write` for the whole \
                 file. To insert, pass a line as `old` and the same line with the addition as \
                 `new`.",
                file.path
            ),
        ),
        Miss::NoChange => no_change(file, call),
        Miss::Mismatch { found, lines } => mismatch(file, call, *found, lines),
        Miss::NotFound | Miss::AlreadyApplied { .. } => not_found(file, call, escalation),
    }
}

fn no_change(file: &FileContent, call: &Call) -> ToolOutput {
    let lines = Lines::of(&file.bytes);
    let mut text = String::from("`old` and `new` are the same; nothing was changed.");
    match memchr::memmem::find(&file.bytes, call.old.as_bytes()) {
        Some(at) => {
            let shown = numbered(&lines, lines.at(at), pieces(&call.old).len(), REGION_LINES);
            let _ = write!(
                text,
                " The text is at line {}:\n{}",
                lines.at(at) + 1,
                shown.trim_end_matches('\n')
            );
        }
        None => text.push_str(" It is not in the file."),
    }
    ToolOutput::error(ErrorCode::NoChange, text)
}

fn mismatch(file: &FileContent, call: &Call, found: usize, at: &[usize]) -> ToolOutput {
    let wanted = match call.count {
        Count::Exactly(count) => count.to_string(),
        Count::All => String::from("some"),
    };
    let lines = Lines::of(&file.bytes);
    let mut text = format!(
        "`old` occurs {found} times in `{}`, expected {wanted}; nothing was changed. Add \
         surrounding lines until it is unique, or set `replace_all`, or set \
         `expected_replacements` to {found}. It occurs at:\n",
        file.path
    );
    for line in at {
        text.push_str(&numbered(&lines, line.saturating_sub(1), 1, 1));
    }
    if found > at.len() {
        let _ = writeln!(text, "[{} more places]", found - at.len());
    }
    ToolOutput::error(ErrorCode::ReplacementCountMismatch, text.trim_end())
        .with_details(json!({"found": found, "lines": at}))
}

fn not_found(file: &FileContent, call: &Call, escalation: Escalation) -> ToolOutput {
    let lines = Lines::of(&file.bytes);
    let missed = pieces(&call.old);
    let near = nearest(&lines, &missed);
    let mut text = format!("`old` is not in `{}`; nothing was changed.", file.path);
    if file.bytes.is_empty() {
        text.push_str(" The file is empty: use `write`.");
    } else if std::str::from_utf8(&file.bytes).is_err() {
        text.push_str(" The file is not UTF-8: choose an `old` of ASCII characters that begins at a line or after a space.");
    }
    match near.first() {
        None => text.push_str(
            " Nothing in the file is similar: `grep` for a word of it, or `read` the file again.",
        ),
        Some(best) => {
            region(&mut text, &lines, *best, escalation);
            for difference in differences(&lines, *best, &missed, "`old`") {
                let _ = write!(text, "\n{difference}");
            }
            if let [_, others @ ..] = near.as_slice()
                && !others.is_empty()
            {
                let at: Vec<usize> = others.iter().map(|n| n.first + 1).collect();
                let _ = write!(text, "\nAlso similar: line {}", listed(&at));
            }
        }
    }
    if let [line, ..] = applied::standing(&file.bytes, &call.new).as_slice() {
        let _ = write!(
            text,
            "\n`new` is already in the file, at line {line}: if it belongs there, there is \
             nothing left to do."
        );
    }
    if escalation == Escalation::Third {
        offer(&mut text, file, &lines, near.first());
    }
    let places: Vec<_> = near
        .iter()
        .map(|n| json!({"line": n.first + 1, "end_line": n.first + n.count}))
        .collect();
    ToolOutput::error(ErrorCode::OldNotFound, text).with_details(json!({"nearest": places}))
}

fn region(text: &mut String, lines: &Lines<'_>, near: Near, escalation: Escalation) {
    let shown = if escalation == Escalation::First {
        numbered(lines, near.first, near.count, REGION_LINES)
    } else {
        let first = near.first.saturating_sub(AROUND);
        let count = near.first + near.count + AROUND - first;
        numbered(lines, first, count, FULL_REGION_LINES)
    };
    let _ = write!(
        text,
        " The closest match is at line {}:\n{}",
        near.first + 1,
        shown.trim_end_matches('\n')
    );
}

/// The other ways to change the file, ready to be used.
fn offer(text: &mut String, file: &FileContent, lines: &Lines<'_>, near: Option<&Near>) {
    const HUNK_LINES: usize = 40;
    text.push_str(
        "\nThis is the third failed edit of this file, so do not guess again. Either \
         `read` it and `write` it whole",
    );
    let exact = near.filter(|near| {
        near.count <= HUNK_LINES
            && (near.first..near.first + near.count)
                .all(|i| lines.text(i).len() < 500 && std::str::from_utf8(lines.text(i)).is_ok())
    });
    let Some(near) = exact else {
        text.push_str(", or replace lines by number with `patch`.");
        return;
    };
    let _ = write!(
        text,
        ", or replace lines {} to {} with `patch` (keep the `-` lines as they are and put yours \
         after `+`):\n--- a/{path}\n+++ b/{path}\n@@ -{},{} @@\n",
        near.first + 1,
        near.first + near.count,
        near.first + 1,
        near.count,
        path = file.path,
    );
    for i in near.first..near.first + near.count {
        let _ = writeln!(text, "-{}", String::from_utf8_lossy(lines.text(i)));
    }
    text.push_str("+your lines");
}
