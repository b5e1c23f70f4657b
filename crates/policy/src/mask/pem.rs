//! Private keys in PEM armour, of whatever kind: on lines of their own, with `\n`
//! inside a JSON string, with numbers before the lines as a tool shows them.
//!
//! Public keys and certificates stay. So does a header that no key follows, as in
//! a program that looks for one.

use super::body::is_tail;
use super::sight::{Ending, Sight, Verdict};
use std::ops::Range;

pub(super) const BEGIN: &str = "-----BEGIN";
pub(super) const END: &str = "-----END";
pub(super) const DASHES: &str = "-----";
const LABEL: usize = 64;
/// Where the first letters of a key must come.
const NEAR: usize = 512;
/// So much of a block is looked at as one; a longer one is masked line by line.
const MOST: usize = 16 * 1024;
/// A line of a longer block.
const LINE: usize = 1024;
/// The last two lines, and what may stand before them.
const LAST: usize = 200;
/// Letters of base64 in a row that only a key has here.
const RUN: usize = 32;

/// A verdict on a block, and whether its end is still to come.
pub(super) enum Block {
    Verdict(Verdict),
    /// Masked up to here, and the block goes on.
    Unfinished {
        from: usize,
        to: usize,
    },
}

pub(super) fn judge(sight: Sight<'_>) -> Block {
    let hold = Block::Verdict(Verdict::More { hold: sight.start });
    let no = Block::Verdict(Verdict::No);
    if sight.slice(sight.start, sight.end) != BEGIN {
        return no;
    }
    let label = sight.run(sight.end, LABEL, is_label);
    if sight.is_open_at(label + DASHES.len() - 1) {
        return hold;
    }
    let is_key = sight.slice(sight.end, label).contains("PRIVATE KEY");
    if !is_key || !sight.text[label..].starts_with(DASHES) {
        return no;
    }
    let body = label + DASHES.len();
    let limit = sight.text.floor_char_boundary(body + MOST);
    let window = sight.slice(body, limit);
    let near = &window[..window.floor_char_boundary(NEAR)];
    let (near, ended) = match near.find(END) {
        Some(end) => (&near[..end], true),
        None => (near, false),
    };
    if longest_run(near).0 < RUN {
        let decided = ended || window.len() >= NEAR || sight.ending == Ending::Closed;
        return if decided { no } else { hold };
    }
    match window.find(END) {
        Some(at) => match close(sight, body + at) {
            Some(to) if is_all_key(&window[..at]) => Block::Verdict(mask(sight.start, to)),
            Some(_) => match first_lines(&window[..at]) {
                0 => no,
                kept => Block::Verdict(mask(sight.start, body + kept)),
            },
            None => hold,
        },
        None if sight.is_open_at(body + MOST - 1) => hold,
        None => {
            let kept = cut_body(window);
            let is_full = sight.text.len() >= body + MOST;
            // The last line may be cut by the window alone.
            if is_full && !window[kept..].contains('\n') {
                return Block::Unfinished {
                    from: sight.start,
                    to: body + kept,
                };
            }
            Block::Verdict(mask(sight.start, body + kept))
        }
    }
}

fn mask(from: usize, to: usize) -> Verdict {
    Verdict::Mask {
        from,
        to,
        name: "private-key",
    }
}

fn is_label(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b' '
}

/// Where the line that ends a block is over; `None` when it may go on.
fn close(sight: Sight<'_>, at: usize) -> Option<usize> {
    let label = sight.run(at + END.len(), LABEL, is_label);
    if sight.is_open_at(label + DASHES.len() - 1) {
        return None;
    }
    let dashes = sight.run(label, DASHES.len(), |byte| byte == b'-');
    Some(dashes)
}

/// Whether nothing but a key stands between its first and its last line, as far
/// as it can be told: other text must not vanish with it.
fn is_all_key(body: &str) -> bool {
    body.split('\n')
        .flat_map(|line| line.split("\\n"))
        .all(is_key_line)
}

/// How much of a block that holds other text is the key before that text.
fn first_lines(body: &str) -> usize {
    let lines = body
        .split_inclusive('\n')
        .take_while(|line| is_key_line(line));
    let whole: usize = lines.map(str::len).sum();
    body[..whole].trim_end().len().max(cut_body(body))
}

/// A line of a key, a header, a note that something was left out; with what a
/// tool or a program text has around it.
fn is_key_line(line: &str) -> bool {
    let line = line.trim().trim_end_matches("\\r");
    let has_signs = line.contains([';', '&', '|', '$', '`', '<', '>', '"', '\'']);
    let is_note = line.starts_with(['[', '.', '\u{2026}']);
    if !has_signs && (is_note || is_header(line)) {
        return true;
    }
    let line = unnumbered(line);
    let line = line.trim_matches(|c: char| c.is_whitespace() || "\"'`,+-\\#*".contains(c));
    let is_base64 = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=');
    let mut words = line.split_whitespace().rev();
    // In one line with spaces, all words but the last are lines of the key.
    words.next().is_none_or(|last| last.bytes().all(is_base64))
        && words.all(|word| word.len() >= RUN && word.bytes().all(is_base64))
}

/// Without the number or the file name that a tool shows before a line.
fn unnumbered(line: &str) -> &str {
    let Some((before, rest)) = line.rsplit_once([':', '|', '\u{2192}']) else {
        return line;
    };
    let before = before.trim();
    let is_number = before.bytes().all(|byte| byte.is_ascii_digit());
    let is_name = !line.contains('|')
        && before
            .bytes()
            .all(|byte| byte.is_ascii_alphanumeric() || b"._-/:".contains(&byte));
    if is_number || is_name { rest } else { line }
}

/// `Proc-Type: 4,ENCRYPTED`, with a number before it or not.
fn is_header(line: &str) -> bool {
    let line = line.trim_start_matches(|c: char| c.is_ascii_digit() || c == '\u{2192}');
    line.split_once(": ").is_some_and(|(name, _)| {
        name.starts_with(|c: char| c.is_ascii_uppercase())
            && name.bytes().all(|b| b.is_ascii_alphanumeric() || b == b'-')
    })
}

/// How much of a block without an end is the key: the lines that hold letters of
/// it, up to the first that does not.
fn cut_body(window: &str) -> usize {
    let mut kept = 0;
    let mut at = 0;
    for (number, line) in window.split_inclusive('\n').enumerate() {
        let (run, end) = longest_run(line);
        if run >= RUN {
            let to_the_end = line[end..].trim().is_empty();
            kept = if to_the_end {
                at + line.len()
            } else {
                at + end
            };
            if !to_the_end && line.ends_with('\n') {
                return kept;
            }
        } else if kept > 0 && is_tail(line) {
            return at + line.trim_end().len();
        } else if number > 4 && !line.trim().is_empty() {
            return kept;
        }
        at += line.len();
    }
    kept
}

/// The longest run of base64, and where the last long one ends.
fn longest_run(text: &str) -> (usize, usize) {
    let (mut longest, mut run, mut last) = (0, 0, 0);
    for (at, byte) in text.bytes().enumerate() {
        if byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=') {
            run += 1;
            longest = longest.max(run);
            if run >= RUN {
                last = at + 1;
            }
        } else {
            run = 0;
        }
    }
    (longest, last)
}

/// What comes after the first part of a long block.
pub(super) enum Rest {
    /// Still of the key, up to here.
    Key(usize),
    /// The key ended here.
    Over(usize),
    More,
}

/// The next line of a block that has begun before.
pub(super) fn rest(text: &str, at: usize, ending: Ending) -> Rest {
    let sight = Sight {
        text,
        start: at,
        end: at,
        ending,
    };
    let line_end = sight.run(at, LINE, |byte| byte != b'\n');
    if sight.is_open_at(line_end) && line_end - at < LINE {
        return Rest::More;
    }
    let line = text.floor_char_boundary(line_end);
    if line <= at && sight.at(at) != Some(b'\n') {
        return Rest::Over(at);
    }
    let shown = sight.slice(at, line);
    if let Some(end) = shown.find(END) {
        return close(sight, at + end).map_or(Rest::More, Rest::Over);
    }
    if longest_run(shown).0 < RUN {
        return last_lines(sight, at);
    }
    match sight.at(line) {
        Some(b'\n') => Rest::Key(line + 1),
        _ => Rest::Key(line),
    }
}

/// The last line of a key may be short, and a checksum may follow it: they belong
/// to the key when its end comes at once.
fn last_lines(sight: Sight<'_>, at: usize) -> Rest {
    let limit = sight.text.floor_char_boundary(at + LAST);
    match sight.slice(at, limit).find(END) {
        Some(end) => close(sight, at + end).map_or(Rest::More, Rest::Over),
        None if sight.is_open_at(at + LAST - 1) => Rest::More,
        None => Rest::Over(at),
    }
}

/// Where whole blocks are, in a text that nothing follows.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let mut found = Vec::new();
    let mut at = 0;
    while let Some(next) = text.get(at..).and_then(|rest| rest.find(BEGIN)) {
        let start = at + next;
        let sight = Sight {
            text,
            start,
            end: start + BEGIN.len(),
            ending: Ending::Closed,
        };
        at = match judge(sight) {
            Block::Verdict(Verdict::Mask { from, to, .. }) => {
                found.push(from..to);
                to
            }
            Block::Unfinished { from, to } => {
                let to = end_of_rest(text, to);
                found.push(from..to);
                to
            }
            Block::Verdict(_) => start + BEGIN.len(),
        };
    }
    found
}

fn end_of_rest(text: &str, mut at: usize) -> usize {
    loop {
        match rest(text, at, Ending::Closed) {
            Rest::Key(to) if to > at => at = to,
            Rest::Key(to) | Rest::Over(to) => return to,
            Rest::More => return at,
        }
    }
}
