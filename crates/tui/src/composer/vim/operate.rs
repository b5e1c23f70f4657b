//! What the commands of vim do to the text. Each is one step to undo.

use super::super::buffer::Place;
use super::super::edit::Desk;
use super::super::kill::{Run, Side};
use super::super::motion;
use super::super::undo::Group;
use super::last_letter;
use super::motion::{Target, right};
use std::ops::Range;
use unicode_segmentation::UnicodeSegmentation;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Operator {
    Delete,
    Change,
    Yank,
}

impl Operator {
    pub(super) fn of(c: char) -> Option<Self> {
        Some(match c {
            'd' => Self::Delete,
            'c' => Self::Change,
            'y' => Self::Yank,
            _ => return None,
        })
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Where {
    Before,
    After,
}

/// Not more text than this is put back by one command, whatever its count.
const LARGEST: usize = 1024 * 1024;

pub(super) fn stand_on_letter(desk: &mut Desk) {
    let last = last_letter(desk, desk.caret.line);
    desk.caret = desk.caret.min(last);
}

pub(super) fn apply(desk: &mut Desk, operator: Operator, target: Target) {
    let (from, to) = match target {
        Target::Range(from, to) => (from.min(to), from.max(to)),
        Target::Upon(from, to) => {
            let (from, to) = (from.min(to), from.max(to));
            (
                from,
                desk.buffer
                    .next(to)
                    .filter(|next| next.line == to.line)
                    .unwrap_or(to),
            )
        }
        Target::Lines(from, to) => return whole_lines(desk, operator, from.min(to), from.max(to)),
    };
    let text = desk.buffer.slice(from..to);
    desk.kills.add(&text, Side::After, Run::New);
    match operator {
        Operator::Yank => desk.caret = from,
        Operator::Delete | Operator::Change => desk.remove(from..to),
    }
}

fn whole_lines(desk: &mut Desk, operator: Operator, first: usize, last: usize) {
    let last = last.min(desk.buffer.count() - 1);
    let (from, to) = (Place::new(first, 0), desk.buffer.line_end(last));
    let mut text = desk.buffer.slice(from..to);
    text.push('\n');
    desk.kills.add(&text, Side::After, Run::New);
    match operator {
        Operator::Yank => {
            if first < desk.caret.line {
                desk.caret = motion::line_text(&desk.buffer, first);
            }
        }
        Operator::Change => desk.remove(from..to),
        Operator::Delete => {
            desk.remove(with_break(desk, from..to));
            let line = first.min(desk.buffer.count() - 1);
            desk.caret = motion::line_text(&desk.buffer, line);
        }
    }
}

/// The line feed goes with its line: the one behind it, or else the one before.
fn with_break(desk: &Desk, range: Range<Place>) -> Range<Place> {
    match desk.buffer.next(range.end) {
        Some(next) => range.start..next,
        None => desk.buffer.previous(range.start).unwrap_or(range.start)..range.end,
    }
}

/// Where the commands that begin insert mode put the caret.
pub(super) fn open(desk: &mut Desk, c: char) {
    let line = desk.caret.line;
    match c {
        'a' => {
            if let Target::Range(_, to) = right(desk, 1) {
                desk.caret = to;
            }
        }
        'I' => desk.caret = motion::line_text(&desk.buffer, line),
        'A' => desk.caret = desk.buffer.line_end(line),
        'o' => {
            let end = desk.buffer.line_end(line);
            desk.change(end..end, "\n", Group::Alone);
        }
        'O' => {
            let start = Place::new(line, 0);
            desk.change(start..start, "\n", Group::Alone);
            desk.caret = start;
        }
        _ => {}
    }
}

/// As many letters as counted, or nothing.
pub(super) fn replace(desk: &mut Desk, c: char, count: usize) {
    let from = desk.caret;
    let Target::Range(_, to) = right(desk, count) else {
        return;
    };
    let letters = desk.buffer.slice(from..to).graphemes(true).count();
    if letters == count && !c.is_control() && !super::super::paste::is_mark(c) {
        desk.change(from..to, &c.to_string().repeat(count), Group::Alone);
        desk.caret = desk.buffer.previous(desk.caret).unwrap_or(from);
    }
}

pub(super) fn toggle_case(desk: &mut Desk, count: usize) {
    let from = desk.caret;
    let Target::Range(_, to) = right(desk, count) else {
        return;
    };
    let text = desk.buffer.slice(from..to);
    let turned: String = text.chars().flat_map(other_case).collect();
    if turned == text {
        desk.caret = to;
    } else {
        desk.change(from..to, &turned, Group::Alone);
    }
}

fn other_case(c: char) -> Vec<char> {
    if c.is_lowercase() {
        c.to_uppercase().collect()
    } else {
        c.to_lowercase().collect()
    }
}

/// Lines become one, with one space where they met.
pub(super) fn join(desk: &mut Desk, count: usize) {
    let first = desk.caret.line;
    let last = (first + count.max(2) - 1).min(desk.buffer.count() - 1);
    if first == last {
        return;
    }
    let mut text = desk.buffer.line(first).to_owned();
    let mut met = text.len();
    for line in first + 1..=last {
        let next = desk.buffer.line(line).trim_start();
        met = text.len();
        if !next.is_empty() && !text.is_empty() && !text.ends_with(char::is_whitespace) {
            text.push(' ');
        }
        text.push_str(next);
    }
    let range = Place::new(first, 0)..desk.buffer.line_end(last);
    desk.change(range, &text, Group::Alone);
    desk.caret = desk.buffer.snap(Place::new(first, met));
}

/// What was deleted or yanked last, so many times.
pub(super) fn put_back(desk: &mut Desk, to: Where, count: usize) {
    let Some(text) = desk.kills.newest().map(str::to_owned) else {
        return;
    };
    let text = text.repeat(count.min(LARGEST / text.len().max(1)).max(1));
    match text.strip_suffix('\n') {
        Some(lines) if !lines.is_empty() => put_lines(desk, to, lines),
        _ => {
            let at = match (to, right(desk, 1)) {
                (Where::After, Target::Range(_, next)) => next,
                _ => desk.caret,
            };
            desk.change(at..at, &text, Group::Alone);
            let caret = desk.caret;
            desk.caret = desk.buffer.previous(caret).unwrap_or(caret);
        }
    }
}

fn put_lines(desk: &mut Desk, to: Where, lines: &str) {
    let line = desk.caret.line;
    let (at, text, shown) = match to {
        Where::After => (desk.buffer.line_end(line), format!("\n{lines}"), line + 1),
        Where::Before => (Place::new(line, 0), format!("{lines}\n"), line),
    };
    desk.change(at..at, &text, Group::Alone);
    desk.caret = motion::line_text(&desk.buffer, shown);
}
