//! The inside of a private key whose first line is out of sight: a window that
//! begins in the middle of one, the tail before its last line, single lines that
//! a search found. Whole blocks are taken out before (see `pem`).
//!
//! A line is one of a key by its shape: nothing but base64, as wide as the tools
//! write keys, and drawn by lot. What is inside of a certificate or a public key,
//! or too much for a key, stays.

use super::pem::{BEGIN, DASHES, END};
use super::random::is_random;
use super::{Findings, marker};
use std::borrow::Cow;
use std::ops::Range;

pub(super) const NAME: &str = "private-key";
/// As wide as OpenSSL, GnuPG and PuTTY write, and OpenSSH.
const WIDTHS: [usize; 2] = [64, 70];
/// No line of a key is longer.
const WIDEST: usize = 80;
/// What is shorter begins no key: most words are.
const LEAST: usize = 20;
/// What is shorter does not belong to a key without its end.
const PART: usize = 16;
/// A longer line holds more than a line of a key and the name of its file.
const LINE: usize = 512;
/// No key is longer: this is some other base64.
const MOST: usize = 16 * 1024;
/// How much of the first line may be a word, and go out at once.
const WORD: usize = 12;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum State {
    #[default]
    Text,
    /// Lines of base64 whose end is not yet in sight.
    Run,
    /// Behind the first line of a certificate or a public key.
    Public,
    /// More base64 than a key has.
    Blob,
}

/// What a line is.
enum Line {
    Piece(Range<usize>),
    Begin(Whose),
    End(Whose),
    Other,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Whose {
    Private,
    Public,
}

/// Text on its way, line by line. Held is what may be of a key, from where it can
/// be one.
#[derive(Debug, Default)]
pub(super) struct Body {
    /// From the first line that is not decided.
    buffer: String,
    /// So much of it is out.
    out: usize,
    /// Where the line begins that is not over.
    line: usize,
    /// From here on its end is looked for.
    seen: usize,
    /// Whether the beginning of that line is gone: it is too long.
    is_long: bool,
    state: State,
    pieces: Vec<Range<usize>>,
}

/// The whole text; the text itself when there is nothing of a key.
pub(super) fn mask<'a>(text: &'a str, found: &mut Findings) -> Cow<'a, str> {
    let ranges = ranges(text);
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = String::with_capacity(text.len());
    let mut at = 0;
    for range in ranges {
        out.push_str(&text[at..range.start]);
        out.push_str(&marker(NAME));
        found.note(NAME);
        at = range.end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

/// Where parts of a key are.
pub(super) fn ranges(text: &str) -> Vec<Range<usize>> {
    let (mut state, mut pieces, mut found) = (State::Text, Vec::new(), Vec::new());
    let mut from = 0;
    while let Some((end, next)) = line_end(text, from) {
        state = step(state, text, from..end, &mut pieces, &mut found);
        from = next;
    }
    state = step(state, text, from..text.len(), &mut pieces, &mut found);
    if state == State::Run {
        found.extend(without_end(text, &pieces));
    }
    found
}

/// Where a line ends and where the next one begins. A text in quotes writes `\n`.
fn line_end(text: &str, from: usize) -> Option<(usize, usize)> {
    let bytes = text.as_bytes();
    let mut at = from;
    loop {
        at += bytes
            .get(at..)?
            .iter()
            .position(|byte| matches!(byte, b'\n' | b'\\'))?;
        match (bytes[at], bytes.get(at + 1)) {
            (b'\n', _) => return Some((at, at + 1)),
            (_, Some(b'n')) => return Some((at, at + 2)),
            _ => at += 1,
        }
    }
}

/// Takes the next line. Whatever was in question before and is decided by it goes
/// to `found`, where it is of a key.
fn step(
    state: State,
    text: &str,
    line: Range<usize>,
    pieces: &mut Vec<Range<usize>>,
    found: &mut Vec<Range<usize>>,
) -> State {
    let read = read(state, text, line.clone());
    if state == State::Run {
        if let Line::Piece(piece) = read {
            let begun = pieces.first().map_or(piece.start, |first| first.start);
            let is_blob = piece.end - begun > MOST;
            pieces.push(piece);
            return if is_blob { State::Blob } else { State::Run };
        }
        match read {
            Line::End(Whose::Private) => found.extend(behind_word(text, pieces, 0, pieces.len())),
            Line::End(Whose::Public) => {}
            _ => found.extend(without_end(text, pieces)),
        }
    }
    match (state, read) {
        (State::Public, Line::Piece(_)) => State::Public,
        (State::Public, Line::Other) if is_beside(&text[line]) => State::Public,
        (State::Blob, Line::Piece(_)) => State::Blob,
        (_, Line::Begin(Whose::Public)) => State::Public,
        (_, Line::Piece(piece)) if piece.len() >= LEAST && is_mixed(&text[piece.clone()]) => {
            pieces.clear();
            pieces.push(piece);
            State::Run
        }
        _ => State::Text,
    }
}

/// A blank line or a header, as they stand before the letters.
fn is_beside(line: &str) -> bool {
    line.trim().is_empty() || line.contains(": ")
}

/// These pieces, without the word that is out before the first.
fn behind_word(
    text: &str,
    pieces: &[Range<usize>],
    from: usize,
    to: usize,
) -> Option<Range<usize>> {
    let part = pieces.get(from..to)?;
    let (first, last) = (part.first()?, part.last()?);
    let word = match from {
        0 => word_before(&text[first.clone()]),
        _ => 0,
    };
    Some(first.start + word..last.end)
}

/// The part of a run that is of a key by its shape, and what hangs on it.
fn without_end(text: &str, pieces: &[Range<usize>]) -> Option<Range<usize>> {
    let letters = |piece: &Range<usize>| text.get(piece.clone()).unwrap_or_default();
    let is_full = |piece: &Range<usize>| {
        // In a diff a `+` stands before it, which is a letter of base64, too.
        let all = letters(piece);
        let mut ways = [Some(all), all.strip_prefix('+')].into_iter().flatten();
        ways.any(|way| WIDTHS.contains(&way.len())) && is_mixed(all) && is_random(all)
    };
    let hangs = |piece: &Range<usize>| piece.len() >= PART && is_mixed(letters(piece));
    let first = pieces.iter().position(is_full)?;
    let last = pieces.iter().rposition(is_full)?;
    let before = pieces[..first].last().is_some_and(hangs);
    let after = pieces.get(last + 1).is_some_and(hangs);
    behind_word(
        text,
        pieces,
        first - usize::from(before),
        last + 1 + usize::from(after),
    )
}

/// Whether a line that is too short for a line of a key may be its last.
pub(super) fn is_tail(line: &str) -> bool {
    let letters = line.trim();
    (PART..=WIDEST).contains(&letters.len())
        && letters.bytes().all(is_base64)
        && is_mixed(letters)
        && letters.bytes().any(|byte| byte.is_ascii_digit())
}

fn is_mixed(letters: &str) -> bool {
    letters.bytes().any(|byte| byte.is_ascii_uppercase())
        && letters.bytes().any(|byte| byte.is_ascii_lowercase())
}

/// How much of a piece may be a word of prose or of code.
fn word_before(letters: &str) -> usize {
    let bytes = letters.as_bytes();
    let run = |from: usize, of: fn(&u8) -> bool| {
        let rest = bytes.get(from..).unwrap_or_default();
        from + rest.iter().take_while(|byte| of(byte)).count()
    };
    let capitals = run(0, u8::is_ascii_uppercase);
    let word = match capitals {
        0 | 1 => run(capitals, u8::is_ascii_lowercase),
        many => many,
    };
    word.min(WORD)
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// The letters of base64 before a place, at most so many.
fn content(text: &str, end: usize, most: usize) -> Range<usize> {
    let bytes = text.as_bytes().get(..end).unwrap_or_default();
    let letters = bytes.iter().rev().take(most);
    end - letters.take_while(|byte| is_base64(**byte)).count()..end
}

fn read(state: State, text: &str, line: Range<usize>) -> Line {
    if line.len() > LINE {
        return Line::Other;
    }
    // Most lines of most outputs. What begins a run is no shorter.
    if state == State::Text && line.len() < LEAST {
        return Line::Other;
    }
    let whole = &text[line.clone()];
    if let Some(piece) = piece(text, line) {
        return Line::Piece(piece);
    }
    let label = |sign: &str| {
        let (_, rest) = whole.split_once(sign)?;
        let (label, _) = rest.split_once(DASHES)?;
        Some(if label.contains("PRIVATE KEY") {
            Whose::Private
        } else {
            Whose::Public
        })
    };
    if !whole.contains(DASHES) {
        return Line::Other;
    }
    label(END)
        .map(Line::End)
        .or_else(|| label(BEGIN).map(Line::Begin))
        .unwrap_or(Line::Other)
}

/// The letters of a line that holds nothing else, but for what a tool or a
/// program has around it.
fn piece(text: &str, line: Range<usize>) -> Option<Range<usize>> {
    let end = line.start + text[line.clone()].trim_end_matches(is_around).len();
    let piece = content(text, end, WIDEST + 1);
    let start = piece.start.max(line.start);
    let fits = (1..=WIDEST).contains(&(end - start));
    (fits && is_label(&text[line.start..start])).then_some(start..end)
}

fn is_around(c: char) -> bool {
    c.is_ascii_whitespace() || matches!(c, '"' | '\'' | '`' | ',' | '\\')
}

/// Whether nothing but a number, the name of a file or a sign stands there.
fn is_label(before: &str) -> bool {
    let label = before.trim_end_matches(is_around);
    let name = label.trim_start();
    let Some(last) = name.chars().next_back() else {
        return true;
    };
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    let is_name = |text: &str| !text.contains(|c: char| c.is_whitespace() || "\"'{}()".contains(c));
    match last {
        '+' | '>' | '#' | '*' => name.len() == 1,
        // `key.pem-12-`, as a search writes it beside a line that it found.
        '-' => {
            let rest = name.trim_end_matches('-');
            rest.is_empty() || is_number(rest.rsplit(['-', ':']).next().unwrap_or_default())
        }
        ':' if label.len() == before.len() => is_name(name),
        ':' | '|' | '\u{2192}' => is_number(name.trim_end_matches(last).trim()),
        _ => label.len() < before.len() && is_number(name),
    }
}

impl Body {
    pub(super) fn held(&self) -> usize {
        self.buffer.len() - self.out
    }

    pub(super) fn push(&mut self, text: &str, found: &mut Findings) -> String {
        self.buffer.push_str(text);
        let mut out = String::new();
        while let Some((end, next)) = line_end(&self.buffer, self.seen) {
            self.take_line(end, next, &mut out, found);
        }
        // A `\` at the end may begin the end of the line.
        let open = usize::from(self.buffer.ends_with('\\'));
        self.seen = (self.buffer.len() - open).max(self.line);
        let end = self.seen;
        if end - self.line > LINE {
            self.take_line(end, end, &mut out, found);
            self.is_long = true;
        }
        let ready = self.ready();
        self.emit(ready, &[], &mut out, found);
        self.let_go();
        out
    }

    pub(super) fn finish(&mut self, found: &mut Findings) -> String {
        let mut out = String::new();
        let end = self.buffer.len();
        self.take_line(end, end, &mut out, found);
        if self.state == State::Run {
            let masked = without_end(&self.buffer, &self.pieces);
            self.emit(self.buffer.len(), masked.as_slice(), &mut out, found);
        }
        *self = Self::default();
        out
    }

    /// The line up to `end` is over; the next one begins at `next`.
    fn take_line(&mut self, end: usize, next: usize, out: &mut String, found: &mut Findings) {
        let line = self.line..end;
        let mut masked = Vec::new();
        if !self.is_long {
            self.state = step(
                self.state,
                &self.buffer,
                line,
                &mut self.pieces,
                &mut masked,
            );
        }
        self.is_long = false;
        (self.line, self.seen) = (next, next);
        if self.state != State::Run {
            self.emit(next, &masked, out, found);
        }
    }

    /// Lets go of the lines that are decided. Once for all of a text: line by line
    /// it would move the rest of it as often as it has lines.
    fn let_go(&mut self) {
        if self.state != State::Run {
            let (gone, open) = (self.line, self.buffer.len() - self.line);
            self.buffer.drain(..gone);
            self.out = self.out.saturating_sub(gone).min(open);
            self.seen = self.seen.saturating_sub(gone);
            self.line = 0;
        }
    }

    /// Up to where nothing can be of a key.
    fn ready(&self) -> usize {
        match self.state {
            State::Run => self.out,
            State::Public | State::Blob => self.buffer.len(),
            State::Text if self.is_long => self.buffer.len(),
            State::Text => {
                let rest = self.line..self.buffer.len();
                match piece(&self.buffer, rest.clone()) {
                    Some(piece) if piece.end == rest.end || piece.len() >= LEAST => {
                        piece.start + word_before(&self.buffer[piece])
                    }
                    _ => rest.end,
                }
            }
        }
    }

    fn emit(&mut self, to: usize, masked: &[Range<usize>], out: &mut String, found: &mut Findings) {
        for range in masked {
            out.push_str(self.buffer.get(self.out..range.start).unwrap_or_default());
            out.push_str(&marker(NAME));
            found.note(NAME);
            self.out = range.end;
        }
        out.push_str(self.buffer.get(self.out..to).unwrap_or_default());
        self.out = self.out.max(to);
    }
}
