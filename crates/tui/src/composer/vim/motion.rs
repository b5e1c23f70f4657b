//! Where the motions of vim lead. They know what an operator takes: letters
//! between two places, or whole lines.

use super::super::buffer::{Buffer, Place, part, part_from};
use super::super::edit::Desk;
use super::super::motion::{self, Class, Words};

/// What a motion covers, for an operator; where it leads, for a caret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Target {
    /// From the one up to the other, without what stands there. The caret was at
    /// one of them.
    Range(Place, Place),
    /// With the letter that stands at the second.
    Upon(Place, Place),
    /// From the line of the caret to another.
    Lines(usize, usize),
}

impl Target {
    /// Where it leads.
    pub(super) fn place(self, desk: &Desk) -> Place {
        match self {
            Self::Range(_, to) | Self::Upon(_, to) => to,
            Self::Lines(_, line) => {
                let line = line.min(desk.buffer.count().saturating_sub(1));
                motion::line_text(&desk.buffer, line)
            }
        }
    }
}

pub(super) type Motion = fn(&Desk, Option<usize>) -> Option<Target>;

pub(super) fn of(c: char) -> Option<Motion> {
    Some(match c {
        'h' => |desk, count| Some(left(desk, count.unwrap_or(1))),
        'l' | ' ' => |desk, count| Some(right(desk, count.unwrap_or(1))),
        'j' => |desk, count| lines(desk, count.unwrap_or(1), usize::saturating_add),
        'k' => |desk, count| lines(desk, count.unwrap_or(1), usize::saturating_sub),
        'w' => |desk, count| {
            words(desk, count, |buffer, at| {
                next_word(buffer, Words::Letters, at)
            })
        },
        'W' => |desk, count| {
            words(desk, count, |buffer, at| {
                next_word(buffer, Words::Spaced, at)
            })
        },
        'b' => |desk, count| {
            words(desk, count, |buffer, at| {
                word_back(buffer, Words::Letters, at)
            })
        },
        'B' => |desk, count| {
            words(desk, count, |buffer, at| {
                word_back(buffer, Words::Spaced, at)
            })
        },
        'e' => |desk, count| word_last(desk, Words::Letters, count),
        'E' => |desk, count| word_last(desk, Words::Spaced, count),
        '0' => |desk, _| Some(Target::Range(desk.caret, Place::new(desk.caret.line, 0))),
        '^' => |desk, _| {
            let place = motion::line_text(&desk.buffer, desk.caret.line);
            Some(Target::Range(desk.caret, place))
        },
        '$' => |desk, count| {
            let line = desk.caret.line + count.unwrap_or(1) - 1;
            let line = line.min(desk.buffer.count() - 1);
            Some(Target::Range(desk.caret, desk.buffer.line_end(line)))
        },
        'G' => |desk, count| {
            let last = desk.buffer.count() - 1;
            let line = count.map_or(last, |count| count.saturating_sub(1).min(last));
            Some(Target::Lines(desk.caret.line, line))
        },
        _ => return None,
    })
}

pub(super) fn first_line(desk: &Desk, count: Option<usize>) -> Option<Target> {
    let line = count.unwrap_or(1).saturating_sub(1);
    let line = line.min(desk.buffer.count() - 1);
    Some(Target::Lines(desk.caret.line, line))
}

/// Not beyond the line.
pub(super) fn right(desk: &Desk, count: usize) -> Target {
    let mut at = desk.caret;
    for _ in 0..count {
        match desk.buffer.next(at).filter(|next| next.line == at.line) {
            Some(next) => at = next,
            None => break,
        }
    }
    Target::Range(desk.caret, at)
}

pub(super) fn left(desk: &Desk, count: usize) -> Target {
    let mut at = desk.caret;
    for _ in 0..count {
        match desk.buffer.previous(at).filter(|next| next.line == at.line) {
            Some(next) => at = next,
            None => break,
        }
    }
    Target::Range(desk.caret, at)
}

/// None where there is no such line: nothing is done then.
fn lines(desk: &Desk, count: usize, step: fn(usize, usize) -> usize) -> Option<Target> {
    let from = desk.caret.line;
    let to = step(from, count).min(desk.buffer.count() - 1);
    (to != from).then_some(Target::Lines(from, to))
}

fn class_at(buffer: &Buffer, words: Words, at: Place) -> Class {
    motion::after(buffer, words, at)
}

fn words(
    desk: &Desk,
    count: Option<usize>,
    step: impl Fn(&Buffer, Place) -> Place,
) -> Option<Target> {
    let mut at = desk.caret;
    for _ in 0..count.unwrap_or(1) {
        let next = step(&desk.buffer, at);
        if next == at {
            break;
        }
        at = next;
    }
    Some(Target::Range(desk.caret, at))
}

/// Behind the run of one class that begins here.
fn run_end(buffer: &Buffer, words: Words, at: Place) -> Place {
    let class = class_at(buffer, words, at);
    let mut at = at;
    while at.byte < buffer.line(at.line).len() && class_at(buffer, words, at) == class {
        match buffer.next(at) {
            Some(next) => at = next,
            None => break,
        }
        if class == Class::Paste {
            break;
        }
    }
    at
}

/// The beginning of the next word; an empty line is one.
fn next_word(buffer: &Buffer, words: Words, from: Place) -> Place {
    let mut at = from;
    if class_at(buffer, words, at) != Class::Space {
        at = run_end(buffer, words, at);
    }
    while class_at(buffer, words, at) == Class::Space {
        if at != from && buffer.line(at.line).is_empty() {
            return at;
        }
        match buffer.next(at) {
            Some(next) => at = next,
            None => return at,
        }
    }
    at
}

fn word_back(buffer: &Buffer, words: Words, from: Place) -> Place {
    let Some(mut at) = buffer.previous(from) else {
        return from;
    };
    while class_at(buffer, words, at) == Class::Space && !buffer.line(at.line).is_empty() {
        match buffer.previous(at) {
            Some(previous) => at = previous,
            None => return at,
        }
    }
    let class = class_at(buffer, words, at);
    if matches!(class, Class::Space | Class::Paste) {
        return at;
    }
    while let Some(previous) = buffer.previous(at) {
        if previous.line != at.line || class_at(buffer, words, previous) != class {
            break;
        }
        at = previous;
    }
    at
}

/// The last letter of a word.
fn word_last(desk: &Desk, words: Words, count: Option<usize>) -> Option<Target> {
    let buffer = &desk.buffer;
    let mut at = desk.caret;
    for _ in 0..count.unwrap_or(1) {
        let mut next = buffer.next(at)?;
        while class_at(buffer, words, next) == Class::Space {
            match buffer.next(next) {
                Some(further) => next = further,
                None => return Some(Target::Upon(desk.caret, next)),
            }
        }
        at = buffer.previous(run_end(buffer, words, next))?;
    }
    Some(Target::Upon(desk.caret, at))
}

fn words_of(c: char) -> Words {
    if c == 'W' {
        Words::Spaced
    } else {
        Words::Letters
    }
}

/// To the end of this word, or of the spaces here.
pub(super) fn rest_of_word(desk: &Desk, c: char, count: Option<usize>) -> Option<Target> {
    let words = words_of(c);
    let mut at = run_end(&desk.buffer, words, desk.caret);
    for _ in 1..count.unwrap_or(1) {
        let next = next_word(&desk.buffer, words, at);
        at = run_end(&desk.buffer, words, next);
    }
    Some(Target::Range(desk.caret, at))
}

/// To the next word, or to the end of the line before it.
pub(super) fn word_in_line(desk: &Desk, c: char, count: Option<usize>) -> Option<Target> {
    let motion = of(c)?;
    let Some(Target::Range(from, to)) = motion(desk, count) else {
        return None;
    };
    let to = match to.line > from.line {
        true => desk.buffer.line_end(to.line - 1).max(from),
        false => to,
    };
    Some(Target::Range(from, to))
}

/// Which of `f`, `F`, `t`, `T`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Side {
    Upon,
    UponBack,
    Before,
    BeforeBack,
}

impl Side {
    pub(super) fn of(c: char) -> Option<Self> {
        Some(match c {
            'f' => Self::Upon,
            'F' => Self::UponBack,
            't' => Self::Before,
            'T' => Self::BeforeBack,
            _ => return None,
        })
    }
}

/// A letter that is looked for in the line.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Find {
    pub(super) letter: char,
    pub(super) side: Side,
}

/// Repeated, `t` would find the letter that it stands before: it passes it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Turn {
    First,
    Again,
}

impl Find {
    pub(super) fn turned(self) -> Self {
        let side = match self.side {
            Side::Upon => Side::UponBack,
            Side::UponBack => Side::Upon,
            Side::Before => Side::BeforeBack,
            Side::BeforeBack => Side::Before,
        };
        Self { side, ..self }
    }
}

pub(super) fn find(desk: &Desk, find: Find, turn: Turn, count: Option<usize>) -> Option<Target> {
    let caret = desk.caret;
    let line = desk.buffer.line(caret.line);
    let nth = count.unwrap_or(1).saturating_sub(1);
    let place = |byte| Place::new(caret.line, byte);
    match find.side {
        Side::Upon | Side::Before => {
            let next = desk
                .buffer
                .next(caret)
                .filter(|next| next.line == caret.line)?;
            let from = match find.side {
                Side::Before
                    if turn == Turn::Again
                        && part_from(line, next.byte).starts_with(find.letter) =>
                {
                    next.byte + find.letter.len_utf8()
                }
                _ => next.byte,
            };
            let (at, _) = part_from(line, from).match_indices(find.letter).nth(nth)?;
            let at = desk.buffer.snap(place(from + at));
            let to = match find.side {
                Side::Before => desk.buffer.previous(at)?,
                _ => at,
            };
            Some(Target::Upon(caret, to))
        }
        Side::UponBack | Side::BeforeBack => {
            let mut head = part(line, 0..caret.byte);
            if find.side == Side::BeforeBack && turn == Turn::Again {
                head = head.strip_suffix(find.letter).unwrap_or(head);
            }
            let (at, _) = head.rmatch_indices(find.letter).nth(nth)?;
            let at = desk.buffer.snap(place(at));
            let to = match find.side {
                Side::BeforeBack => desk.buffer.next(at)?,
                _ => at,
            };
            Some(Target::Range(caret, to))
        }
    }
}
