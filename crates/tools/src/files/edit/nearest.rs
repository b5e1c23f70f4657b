//! The places of a file that come nearest to a text that is not in it, and the
//! characters in which they differ. Work is bounded by counts, never by a
//! clock, so the same miss gives the same answer.

use super::lines::{Lines, Piece, trim};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Lines of a file that are looked at.
const FILE_LINES: usize = 50_000;
/// Lines of the missed text that are compared.
const TEXT_LINES: usize = 80;
/// Bytes of a line that are compared.
const LINE_BYTES: usize = 160;
const CANDIDATES: usize = 24;
const RETURNED: usize = 3;
const LEAST: f64 = 0.45;

/// A region of the file, best first.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Near {
    /// Index of its first line.
    pub first: usize,
    pub count: usize,
    /// From 0 to 1.
    pub score: f64,
}

pub(crate) fn nearest(lines: &Lines<'_>, missed: &[Piece<'_>]) -> Vec<Near> {
    let wanted: Vec<&[u8]> = missed
        .iter()
        .take(TEXT_LINES)
        .map(|piece| cut(trim(piece.text)))
        .collect();
    if wanted.iter().all(|line| line.is_empty()) || lines.len() == 0 {
        return Vec::new();
    }
    let file: Vec<&[u8]> = (0..lines.len().min(FILE_LINES))
        .map(|i| cut(trim(lines.text(i))))
        .collect();
    let mut starts = by_equal_lines(&file, &wanted);
    if starts.is_empty() {
        starts = by_likeness(&file, &wanted);
    }
    let count = missed.len().min(lines.len());
    let mut found: Vec<Near> = starts
        .into_iter()
        .map(|start| Near {
            first: start.min(lines.len() - count),
            count,
            score: score(&file, &wanted, start),
        })
        .filter(|near| near.score >= LEAST)
        .collect();
    found.sort_by(|a, b| b.score.total_cmp(&a.score).then(a.first.cmp(&b.first)));
    let mut kept: Vec<Near> = Vec::new();
    for near in found {
        let apart = kept
            .iter()
            .all(|k| near.first.abs_diff(k.first) >= count.div_ceil(2).max(1));
        if apart && kept.len() < RETURNED {
            kept.push(near);
        }
    }
    kept
}

fn cut(text: &[u8]) -> &[u8] {
    &text[..text.len().min(LINE_BYTES)]
}

/// Starts for which most lines are equal but for white space.
fn by_equal_lines(file: &[&[u8]], wanted: &[&[u8]]) -> Vec<usize> {
    /// A line that stands everywhere says nothing about where we are.
    const COMMON: usize = 200;
    let mut where_is: HashMap<&[u8], Vec<usize>> = HashMap::new();
    for line in wanted.iter().filter(|line| line.len() > 2) {
        where_is.entry(line).or_default();
    }
    for (i, line) in file.iter().enumerate() {
        if let Some(places) = where_is.get_mut(line)
            && places.len() < COMMON
        {
            places.push(i);
        }
    }
    let mut votes: HashMap<usize, usize> = HashMap::new();
    for (j, line) in wanted.iter().enumerate() {
        for i in where_is.get(line).into_iter().flatten() {
            if let Some(start) = i.checked_sub(j) {
                *votes.entry(start).or_default() += 1;
            }
        }
    }
    let mut starts: Vec<(usize, usize)> = votes.into_iter().collect();
    starts.sort_unstable_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(&b.0)));
    starts
        .into_iter()
        .take(CANDIDATES)
        .map(|(start, _)| start)
        .collect()
}

/// Starts at which the longest line of the text has its likest counterparts.
fn by_likeness(file: &[&[u8]], wanted: &[&[u8]]) -> Vec<usize> {
    let Some((offset, line)) = wanted
        .iter()
        .enumerate()
        .max_by_key(|(j, line)| (line.len(), std::cmp::Reverse(*j)))
    else {
        return Vec::new();
    };
    let grams = Grams::of(line);
    let mut scored: Vec<(f64, usize)> = file
        .iter()
        .enumerate()
        .map(|(i, candidate)| (grams.likeness(candidate), i))
        .filter(|(likeness, _)| *likeness > 0.3)
        .collect();
    scored.sort_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    scored
        .into_iter()
        .take(CANDIDATES)
        .filter_map(|(_, i)| i.checked_sub(offset))
        .collect()
}

/// Pairs of neighbouring bytes: a cheap first sieve over many lines.
struct Grams {
    counts: HashMap<[u8; 2], usize>,
    total: usize,
}

impl Grams {
    fn of(line: &[u8]) -> Self {
        let mut counts = HashMap::new();
        for pair in line.windows(2) {
            *counts.entry([pair[0], pair[1]]).or_default() += 1;
        }
        Self {
            counts,
            total: line.len().saturating_sub(1),
        }
    }

    fn likeness(&self, other: &[u8]) -> f64 {
        let size = self.total + other.len().saturating_sub(1);
        if size == 0 {
            return 0.0;
        }
        let mut left = self.counts.clone();
        let mut shared = 0_usize;
        for pair in other.windows(2) {
            if let Some(count) = left.get_mut(&[pair[0], pair[1]])
                && *count > 0
            {
                *count -= 1;
                shared += 1;
            }
        }
        ratio(2 * shared, size)
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "counts of bytes and lines are small"
)]
fn ratio(part: usize, whole: usize) -> f64 {
    part as f64 / whole.max(1) as f64
}

/// The mean likeness of the lines, weighted by their length.
fn score(file: &[&[u8]], wanted: &[&[u8]], start: usize) -> f64 {
    let mut sum = 0.0;
    let mut weight = 0.0;
    for (j, line) in wanted.iter().enumerate() {
        let importance = ratio(line.len().max(1), 1);
        weight += importance;
        let Some(candidate) = file.get(start + j) else {
            continue;
        };
        sum += importance * likeness(line, candidate);
    }
    if weight == 0.0 { 0.0 } else { sum / weight }
}

fn likeness(a: &[u8], b: &[u8]) -> f64 {
    if a == b {
        return 1.0;
    }
    strsim::normalized_levenshtein(&String::from_utf8_lossy(a), &String::from_utf8_lossy(b))
}

/// The lines of a region with their numbers, as `read` shows them.
pub(crate) fn numbered(lines: &Lines<'_>, first: usize, count: usize, most: usize) -> String {
    const SHOWN_BYTES: usize = 400;
    let mut out = String::new();
    let end = (first + count).min(lines.len());
    for i in (first..end).take(most) {
        let text = lines.text(i);
        let shown = &text[..text.len().min(SHOWN_BYTES)];
        let _ = write!(out, "{}\t{}", i + 1, String::from_utf8_lossy(shown));
        if shown.len() < text.len() {
            let _ = write!(out, " [{} more bytes]", text.len() - shown.len());
        }
        out.push('\n');
    }
    if end > first + most {
        let _ = writeln!(out, "[{} more lines]", end - first - most);
    }
    out
}

/// Line by line, the first characters in which the file and the text differ;
/// `sender` is what a report calls the text.
pub(crate) fn differences(
    lines: &Lines<'_>,
    near: Near,
    missed: &[Piece<'_>],
    sender: &str,
) -> Vec<String> {
    const MOST: usize = 4;
    let mut out = Vec::new();
    for (j, piece) in missed.iter().take(near.count).enumerate() {
        let text = lines.text(near.first + j);
        if text == piece.text {
            continue;
        }
        if out.len() == MOST {
            out.push(String::from("(more lines differ)"));
            break;
        }
        out.push(difference(near.first + j + 1, text, piece.text, sender));
    }
    out
}

fn difference(number: usize, file: &[u8], sent: &[u8], sender: &str) -> String {
    let file = String::from_utf8_lossy(file);
    let sent = String::from_utf8_lossy(sent);
    let column = file
        .chars()
        .zip(sent.chars())
        .take_while(|(a, b)| a == b)
        .count();
    let here = describe(file.chars().nth(column));
    let there = describe(sent.chars().nth(column));
    format!(
        "line {number}, column {}: the file has {here}, {sender} has {there}\n  file: {}\n  sent: {}",
        column + 1,
        visible(&file, column),
        visible(&sent, column),
    )
}

fn describe(c: Option<char>) -> String {
    match c {
        None => String::from("nothing (the line ends)"),
        Some('\t') => String::from("a tab"),
        Some(' ') => String::from("a space"),
        Some('\r') => String::from("a carriage return"),
        Some('\u{a0}') => String::from("a no-break space (U+00A0)"),
        Some(c @ ('\u{2018}' | '\u{2019}' | '\u{201c}' | '\u{201d}')) => {
            format!("a curly quote {c} (U+{:04X})", c as u32)
        }
        Some(c) if c.is_ascii_graphic() => format!("`{c}`"),
        Some(c) if c.is_control() || c.is_whitespace() => format!("U+{:04X}", c as u32),
        Some(c) => format!("`{c}` (U+{:04X})", c as u32),
    }
}

/// A line around a column, with white space and unusual characters made plain.
fn visible(text: &str, column: usize) -> String {
    const BEFORE: usize = 40;
    const AFTER: usize = 60;
    let skipped = column.saturating_sub(BEFORE);
    let mut out = String::new();
    if skipped > 0 {
        out.push('…');
    }
    let total = text.chars().count();
    let body = text.trim_end_matches([' ', '\t']).chars().count();
    for (i, c) in text.chars().enumerate().skip(skipped).take(BEFORE + AFTER) {
        match c {
            '\t' => out.push_str("\\t"),
            '\r' => out.push_str("\\r"),
            ' ' if i >= body || i == column => out.push('␠'),
            c if c == ' ' || c.is_ascii_graphic() || c.is_alphanumeric() => out.push(c),
            c => {
                let _ = write!(out, "\\u{{{:x}}}", c as u32);
            }
        }
    }
    if total > skipped + BEFORE + AFTER {
        out.push('…');
    }
    out
}
