//! What is written at a place: lines that the edit leaves alone keep their raw
//! bytes, changed lines are written as they were sent, with the line ends and
//! the indentation that the file has there.

use super::lines::{Lines, Piece, pieces};
use super::locate::{Found, Repair};
use crate::files::align::align;
use similar::DiffOp;
use std::borrow::Cow;

/// One line to write. An empty end means that nothing follows.
struct Out<'a> {
    text: Cow<'a, [u8]>,
    end: End<'a>,
}

enum End<'a> {
    /// As it stands in the file.
    Raw(&'a [u8]),
    /// As it was sent; follows the file where the file differs.
    Sent(&'a [u8]),
    None,
}

/// The bytes that take the place of `found`.
pub(super) fn compose<'a>(
    lines: &Lines<'a>,
    found: &Found,
    old: &[Piece<'a>],
    new: &[Piece<'a>],
) -> Vec<u8> {
    let mut out = aligned(lines, found, old, new);
    if found.lacks_final_newline
        && let Some(last) = out.last_mut()
        && !matches!(last.end, End::None)
    {
        last.end = End::None;
    }
    let ends = if found.repairs.contains(&Repair::LineEndings) {
        Ends::AsInFile
    } else {
        Ends::AsSent
    };
    write(&out, lines.style(found.first), ends)
}

/// What an explicit CRLF of the new text becomes. A plain LF always follows
/// the file: that is what every model writes, whatever it has read.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Ends {
    AsSent,
    AsInFile,
}

fn aligned<'a>(
    lines: &Lines<'a>,
    found: &Found,
    old: &[Piece<'a>],
    new: &[Piece<'a>],
) -> Vec<Out<'a>> {
    let from: Vec<&[u8]> = old.iter().map(|piece| piece.text).collect();
    let to: Vec<&[u8]> = new.iter().map(|piece| piece.text).collect();
    let mut out = Vec::with_capacity(new.len());
    for op in align(&from, &to, None) {
        match op {
            DiffOp::Equal {
                old_index,
                new_index,
                len,
            } => {
                for i in 0..len {
                    out.push(kept(lines, found, old_index + i, &new[new_index + i]));
                }
            }
            DiffOp::Delete { .. } => {}
            DiffOp::Insert {
                new_index, new_len, ..
            } => {
                for (i, piece) in new[new_index..new_index + new_len].iter().enumerate() {
                    out.push(changed(lines, found, new_index + i, piece, b""));
                }
            }
            DiffOp::Replace {
                old_index,
                old_len,
                new_index,
                new_len,
            } => {
                for (i, piece) in new[new_index..new_index + new_len].iter().enumerate() {
                    let instead_of: &[u8] = if i < old_len {
                        lines.terminator(found.first + old_index + i)
                    } else {
                        b""
                    };
                    out.push(changed(lines, found, new_index + i, piece, instead_of));
                }
            }
        }
    }
    out
}

/// A line that stands in the old and in the new text.
fn kept<'a>(lines: &Lines<'a>, found: &Found, index: usize, sent: &Piece<'a>) -> Out<'a> {
    let segment = &found.segments[index];
    let line = lines.line(found.first + index);
    let cut = segment.end.min(line.end).max(segment.start);
    let raw_end = &lines.bytes()[cut..segment.end];
    Out {
        text: Cow::Borrowed(&lines.bytes()[segment.start..cut]),
        end: match (sent.end.is_empty(), raw_end.is_empty()) {
            (true, _) => End::None,
            (false, false) => End::Raw(raw_end),
            (false, true) => End::Sent(sent.end),
        },
    }
}

/// A line that is new, or stands instead of one with the given line end.
fn changed<'a>(
    lines: &Lines<'a>,
    found: &Found,
    index: usize,
    sent: &Piece<'a>,
    instead_of: &'a [u8],
) -> Out<'a> {
    let begins_inside = index == 0 && found.start() != lines.line(found.first).start;
    let text = match &found.reindent {
        Some(reindent) if !begins_inside => Cow::Owned(reindent.apply(sent.text)),
        _ => Cow::Borrowed(sent.text),
    };
    let end = match (sent.end, instead_of) {
        ([], _) => End::None,
        (b"\n", [_, ..]) => End::Raw(instead_of),
        (sent, _) => End::Sent(sent),
    };
    Out { text, end }
}

fn write(out: &[Out<'_>], style: &[u8], ends: Ends) -> Vec<u8> {
    let mut bytes = Vec::new();
    // The first raw line end ahead serves the lines before it.
    let mut style = out
        .iter()
        .find_map(|line| match line.end {
            End::Raw(raw) => Some(raw),
            _ => None,
        })
        .unwrap_or(style);
    for line in out {
        bytes.extend_from_slice(&line.text);
        match line.end {
            End::Raw(raw) => {
                bytes.extend_from_slice(raw);
                style = raw;
            }
            End::Sent(sent) if ends == Ends::AsInFile || sent == b"\n" => {
                bytes.extend_from_slice(style)
            }
            End::Sent(sent) => bytes.extend_from_slice(sent),
            End::None => {}
        }
    }
    bytes
}

/// The new text for a match that is exact: as sent, but that line feeds follow
/// a file with other line ends when the old text, being part of one line, says
/// nothing about them.
pub(super) fn exact<'n>(
    lines: Option<&Lines<'_>>,
    at: usize,
    old: &str,
    new: &'n str,
) -> Cow<'n, [u8]> {
    let Some(lines) = lines else {
        return Cow::Borrowed(new.as_bytes());
    };
    if old.contains(['\n', '\r']) || new.contains('\r') {
        return Cow::Borrowed(new.as_bytes());
    }
    let style = lines.style(lines.at(at));
    if style == b"\n" {
        return Cow::Borrowed(new.as_bytes());
    }
    let mut bytes = Vec::with_capacity(new.len() + 16);
    for piece in pieces(new) {
        bytes.extend_from_slice(piece.text);
        if !piece.end.is_empty() {
            bytes.extend_from_slice(style);
        }
    }
    Cow::Owned(bytes)
}
