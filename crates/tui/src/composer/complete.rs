//! The word at the caret that a menu may complete, and putting a choice in its
//! place. Mentions are seen here exactly as they are read when they are sent.

use super::buffer::{Place, part, part_from};
use super::edit::Desk;
use super::undo::Group;
use super::{Aim, Token};
use std::ops::Range;

/// A mention is not longer than this; what lies further back is not looked at.
const LONGEST: usize = 4096;

pub(super) fn token(desk: &Desk) -> Option<Token> {
    find(desk).map(|(token, _)| token)
}

/// The token, and what a choice takes the place of.
fn find(desk: &Desk) -> Option<(Token, Range<Place>)> {
    if desk.aim == Aim::Shell {
        return None;
    }
    slash(desk)
        .or_else(|| mention(desk))
        .or_else(|| argument(desk))
}

fn slash(desk: &Desk) -> Option<(Token, Range<Place>)> {
    let caret = desk.caret;
    let line = desk.buffer.line(0);
    let typed = part(line, 0..caret.byte).strip_prefix('/')?;
    if caret.line != 0 || typed.contains(char::is_whitespace) {
        return None;
    }
    let rest = part_from(line, caret.byte);
    let end = rest.find(char::is_whitespace).unwrap_or(rest.len());
    let range = Place::default()..Place::new(0, caret.byte + end);
    Some((Token::Slash(typed.to_owned()), range))
}

/// The first word behind a command. Which commands take one is not known here.
fn argument(desk: &Desk) -> Option<(Token, Range<Place>)> {
    let caret = desk.caret;
    let line = desk.buffer.line(0);
    let head = part(line, 0..caret.byte);
    let (_, behind) = head.strip_prefix('/')?.split_once(char::is_whitespace)?;
    let word = behind.trim_start();
    let ends = |c: char| c.is_whitespace() || super::paste::is_mark(c);
    if caret.line != 0 || word.contains(ends) {
        return None;
    }
    let rest = part_from(line, caret.byte);
    let end = rest.find(ends).unwrap_or(rest.len());
    let range = Place::new(0, caret.byte - word.len())..Place::new(0, caret.byte + end);
    let token = Token::Argument {
        line: head.to_owned(),
        word: word.to_owned(),
    };
    Some((token, range))
}

fn mention(desk: &Desk) -> Option<(Token, Range<Place>)> {
    let caret = desk.caret;
    let line = desk.buffer.line(caret.line);
    let head = part(line, 0..caret.byte);
    let from = head.ceil_char_boundary(head.len().saturating_sub(LONGEST));
    let sign = from + opening(part_from(head, from))?;
    if is_code(desk, Place::new(caret.line, sign)) {
        return None;
    }
    let typed = part_from(head, sign + 1);
    let rest = part_from(line, caret.byte);
    let (typed, end) = match typed.strip_prefix('"') {
        Some(inner) => (inner, quoted_end(rest)),
        None => (typed, bare_end(rest)),
    };
    let range = Place::new(caret.line, sign)..Place::new(caret.line, caret.byte + end);
    Some((Token::Mention(typed.to_owned()), range))
}

/// Inside of a block of code or between backticks nothing is mentioned.
fn is_code(desk: &Desk, at: Place) -> bool {
    let is_fence = |line: &&String| line.trim_start().starts_with("```");
    let above = desk.buffer.lines().iter().take(at.line);
    let line = desk.buffer.line(at.line);
    line.trim_start().starts_with("```")
        || above.filter(is_fence).count() % 2 == 1
        || part(line, 0..at.byte).matches('`').count() % 2 == 1
}

/// The `@` whose word reaches to the end of the text.
fn opening(head: &str) -> Option<usize> {
    for (at, _) in head.rmatch_indices('@') {
        let before = part(head, 0..at).chars().next_back();
        let typed = part_from(head, at + 1);
        let reaches = match typed.strip_prefix('"') {
            Some(inner) => !inner.contains('"'),
            None => !typed.contains(ends_word),
        };
        if before.is_none_or(may_precede) && reaches {
            return Some(at);
        }
    }
    None
}

fn may_precede(c: char) -> bool {
    c.is_whitespace() || matches!(c, '(' | '[' | '"' | '\'' | '<' | ',' | ':')
}

fn ends_word(c: char) -> bool {
    c.is_whitespace() || super::paste::is_mark(c) || matches!(c, '"' | '`' | '<' | '>' | '|')
}

/// The rest of a word behind the caret; brackets and commas are not of it.
fn bare_end(rest: &str) -> usize {
    rest.find(|c: char| ends_word(c) || ",;)]}'".contains(c))
        .unwrap_or(rest.len())
}

/// With its closing quote, if it has one before the line ends.
fn quoted_end(rest: &str) -> usize {
    rest.find('"').map_or(0, |end| end + 1)
}

pub(super) fn complete(desk: &mut Desk, choice: &str) {
    let Some((token, range)) = find(desk) else {
        return;
    };
    let (mut text, goes_on) = match token {
        Token::Slash(_) => (format!("/{}", choice.trim_start_matches('/')), false),
        Token::Mention(_) => written(choice.trim_start_matches('@')),
        Token::Argument { .. } => (choice.to_owned(), false),
    };
    let behind = part_from(desk.buffer.line(range.end.line), range.end.byte);
    let spaced = behind.starts_with(char::is_whitespace);
    if !goes_on && !spaced {
        text.push(' ');
    }
    desk.change(range, &text, Group::Alone);
    if !goes_on
        && spaced
        && let Some(next) = desk.buffer.next(desk.caret)
    {
        desk.caret = next;
    }
}

/// A path as a mention, and whether more is to follow: a folder is not the end.
fn written(path: &str) -> (String, bool) {
    let folder = path.ends_with('/');
    let quotes = path.contains(ends_word) && !path.contains('"');
    let text = match (quotes, folder) {
        (false, _) => format!("@{path}"),
        (true, true) => format!("@\"{path}"),
        (true, false) => format!("@\"{path}\""),
    };
    (text, folder)
}
