//! The format between `*** Begin Patch` and `*** End Patch`: files by name,
//! hunks by context and anchors, no line numbers needed.

use super::section::{Action, Existing, Hunk, Place, Section, Sign, Text, Unreadable};
use super::unified::{self, Header};

const BEGIN: &str = "*** Begin Patch";
const END: &str = "*** End Patch";
const END_OF_FILE: &str = "*** End of File";

/// Whether these rows are in this format. A blank before a mark is forgiven in
/// the first row only: in others it is the sign of a context line.
pub(super) fn is_marked(rows: &[Text<'_>]) -> bool {
    let is_header = |text: &str| text == BEGIN || file_header(text).is_some();
    let first = rows.first().map_or("", |row| row.text.trim());
    is_header(first) || rows.iter().any(|row| is_header(row.text.trim_end()))
}

enum FileHeader<'p> {
    Add(&'p str),
    Delete(&'p str),
    Update(&'p str),
}

fn file_header(text: &str) -> Option<FileHeader<'_>> {
    let rest = text.strip_prefix("*** ")?;
    let (word, path) = rest.split_once(':')?;
    let path = path.trim();
    match word.trim() {
        "Add File" | "Create File" => Some(FileHeader::Add(path)),
        "Delete File" | "Remove File" => Some(FileHeader::Delete(path)),
        "Update File" | "Modify File" => Some(FileHeader::Update(path)),
        _ => None,
    }
}

pub(super) fn sections<'p>(rows: &[Text<'p>]) -> Result<Vec<Section<'p>>, Unreadable> {
    let rows = inner(rows)?;
    let mut sections = Vec::new();
    let mut at = 0;
    while let Some(row) = rows.get(at) {
        let text = row.text.trim();
        let Some(header) = file_header(text) else {
            if text.is_empty() {
                at += 1;
                continue;
            }
            return Err(row.unreadable(format!(
                "found `{}` instead of `*** Add File: …`, `*** Update File: …` or `*** Delete \
                 File: …`",
                brief(text)
            )));
        };
        // In an update a blank before the mark would be the sign of a context line.
        let unpadded: fn(&str) -> &str = match header {
            FileHeader::Update(_) => str::trim_end,
            FileHeader::Add(_) | FileHeader::Delete(_) => str::trim,
        };
        let body_end = at
            + 1
            + rows[at + 1..]
                .iter()
                .take_while(|row| file_header(unpadded(row.text)).is_none())
                .count();
        let body = &rows[at + 1..body_end];
        sections.push(section(row, &header, body)?);
        at = body_end;
    }
    Ok(sections)
}

/// What stands between the marks. A patch without its end may have been cut
/// off on the way, so it is refused.
fn inner<'r, 'p>(rows: &'r [Text<'p>]) -> Result<&'r [Text<'p>], Unreadable> {
    let first = rows.first().is_some_and(|row| row.text.trim() == BEGIN);
    let begin = match first {
        true => Some(0),
        false => rows.iter().position(|row| row.text.trim_end() == BEGIN),
    };
    let Some(begin) = begin else {
        return Ok(match rows {
            [rest @ .., last] if last.text.trim() == END => rest,
            rows => rows,
        });
    };
    let rows = &rows[begin + 1..];
    match end(rows) {
        Some(end) => Ok(&rows[..end]),
        None => Err(Unreadable {
            line: rows.last().map_or(1, |row| row.number),
            reason: format!("`{END}` is missing: the patch may have been cut off"),
        }),
    }
}

/// The row that ends the patch. A blank before the mark is forgiven in the last
/// row only.
fn end(rows: &[Text<'_>]) -> Option<usize> {
    let last = rows.iter().rposition(|row| !row.text.trim().is_empty())?;
    if rows[last].text.trim() == END {
        return Some(last);
    }
    rows.iter().rposition(|row| row.text.trim_end() == END)
}

fn section<'p>(
    row: &Text<'p>,
    header: &FileHeader<'p>,
    body: &[Text<'p>],
) -> Result<Section<'p>, Unreadable> {
    let (path, action, hunks) = match header {
        FileHeader::Add(path) => {
            let action = Action::Create(Existing::Replace);
            (path, action, vec![added(body)?])
        }
        FileHeader::Delete(path) => {
            if let Some(extra) = body.iter().find(|row| !row.text.trim().is_empty()) {
                return Err(extra.unreadable("`*** Delete File:` takes no lines below it"));
            }
            (path, Action::Delete, Vec::new())
        }
        FileHeader::Update(path) => {
            let (to, body) = moved(body);
            let existing = Existing::Replace;
            let action = to.map_or(Action::Update, |to| Action::Rename { to, existing });
            (path, action, hunks(body)?)
        }
    };
    if path.is_empty() {
        return Err(row.unreadable("the path is missing"));
    }
    if action == Action::Update && hunks.is_empty() {
        return Err(row.unreadable(format!("there is no change for `{path}`")));
    }
    Ok(Section {
        paths: vec![(*path).to_owned()],
        action,
        hunks,
    })
}

fn moved<'r, 'p>(body: &'r [Text<'p>]) -> (Option<String>, &'r [Text<'p>]) {
    match body {
        [first, rest @ ..] => match first.text.trim_start().strip_prefix("*** Move to:") {
            Some(to) => (Some(to.trim().to_owned()), rest),
            None => (None, body),
        },
        [] => (None, body),
    }
}

/// The lines of a new file, each behind a `+`.
fn added<'p>(body: &[Text<'p>]) -> Result<Hunk<'p>, Unreadable> {
    let mut hunk = Hunk::default();
    let last = body.iter().rposition(|row| row.text.starts_with('+'));
    for (i, row) in body.iter().enumerate() {
        let beyond = last.is_none_or(|last| i > last);
        match row.text {
            "" if beyond => {}
            text if text.trim_end() == END_OF_FILE => {}
            "" => hunk.lines.push(super::section::Row {
                sign: super::section::Sign::Add,
                ..row.row()
            }),
            text if text.starts_with('+') => hunk.lines.push(row.row()),
            text => {
                return Err(row.unreadable(format!(
                    "each line of a new file must begin with `+`; this one is `{}`",
                    brief(text)
                )));
            }
        }
    }
    Ok(hunk)
}

fn hunks<'p>(body: &[Text<'p>]) -> Result<Vec<Hunk<'p>>, Unreadable> {
    let mut hunks: Vec<Hunk<'p>> = Vec::new();
    let mut current = Hunk::default();
    for (i, row) in body.iter().enumerate() {
        let text = row.text;
        if let Some(header) = unified::header(text) {
            if !current.lines.is_empty() {
                hunks.push(std::mem::take(&mut current));
            }
            current.header = text;
            match header {
                Header::Numbered { range, .. } => current.range = Some(range),
                Header::Anchor(anchor) => current.anchors.push(anchor),
                Header::Bare => {}
            }
        } else if text.trim_end() == END_OF_FILE {
            current.place = Place::EndOfFile;
        } else if text.starts_with("*** ") {
            return Err(row.unreadable(format!("unexpected `{}`", brief(text))));
        } else if text.is_empty() && body[i..].iter().all(|rest| rest.text.is_empty()) {
            break;
        } else {
            current.lines.push(row.row());
        }
    }
    if !current.lines.is_empty() {
        hunks.push(current);
    }
    // What only adds and names no place goes to the end.
    for hunk in &mut hunks {
        let only_adds = hunk.lines.iter().all(|row| row.sign == Sign::Add);
        if only_adds && hunk.anchors.is_empty() && hunk.range.is_none() {
            hunk.place = Place::EndOfFile;
        }
    }
    Ok(hunks)
}

fn brief(text: &str) -> String {
    let line: String = text.chars().take(60).collect();
    tenon_vocab::Printable::line(&line).into_string()
}
