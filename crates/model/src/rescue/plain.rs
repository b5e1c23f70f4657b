//! Calls as JSON without any token: in code blocks, or bare. Only when they are
//! all that a message says, after a few words of introduction.

use super::Found;
use super::cursor::{Call, Cursor};
use super::place::introduces;
use super::shape::{Sign, calls};
use crate::dialect::Fence;

/// JSON is no sign by itself: a line may introduce it, not more.
const LEAD_LINES: usize = 1;

/// What a block of calls is called.
const INFO: &[&str] = &[
    "",
    "json",
    "tool_call",
    "tool_calls",
    "tool",
    "function_call",
];

pub(super) fn find(text: &str) -> Option<Found> {
    let (start, line) = after_lead(text)?;
    if !introduces(&text[..start], LEAD_LINES) {
        return None;
    }
    let (calls, form) = if Fence::of(line).is_some() {
        (fenced(&text[start..])?, "a block of JSON")
    } else {
        (bare(&text[start..])?, "bare JSON")
    };
    let calls: Vec<_> = calls.into_iter().map(|call| (call, form)).collect();
    (!calls.is_empty()).then_some(Found { calls, start })
}

/// Where the JSON begins, and the line there.
fn after_lead(text: &str) -> Option<(usize, &str)> {
    let mut at = 0;
    let mut said = 0;
    for line in text.split_inclusive('\n') {
        let plain = line.trim_end();
        let deepest = if said == 0 { 3 } else { 0 };
        let fence = Fence::of(plain).is_some_and(|fence| fence.indent <= deepest);
        if fence || plain.starts_with(['{', '[']) {
            return Some((at, plain));
        }
        said += usize::from(!plain.trim().is_empty());
        at += line.len();
        if said > LEAD_LINES {
            return None;
        }
    }
    None
}

/// Blocks and nothing else, to the end.
fn fenced(text: &str) -> Option<Vec<Call>> {
    let mut all = Vec::new();
    let mut lines = text.lines();
    while let Some(line) = lines.next() {
        if line.trim().is_empty() {
            continue;
        }
        let open = Fence::of(line).filter(|fence| INFO.contains(&fence.info))?;
        let mut body = String::new();
        // The last one may lack its end: JSON knows its own.
        for line in lines.by_ref() {
            if Fence::of(line).is_some_and(|fence| fence.closes(&open)) {
                break;
            }
            body.push_str(line);
            body.push('\n');
        }
        all.extend(bare(&body)?);
    }
    Some(all)
}

/// JSON values and nothing else, to the end.
fn bare(text: &str) -> Option<Vec<Call>> {
    let mut cursor = Cursor::new(text, 0);
    let mut all = Vec::new();
    loop {
        cursor.skip_space();
        if cursor.is_at_end() {
            return Some(all);
        }
        all.extend(calls(cursor.json()?, Sign::Json)?);
    }
}
