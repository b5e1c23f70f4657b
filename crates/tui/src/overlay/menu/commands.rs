//! Commands that fit what was typed after a `/`.

use crate::house::Entry;
use crate::overlay::needle::{Keep, Look, Needle, marked, shown_width};
use crate::overlay::scroll::Mark;
use crate::text::{Line, Role, Span};
use std::cmp::Reverse;
use std::ops::Range;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Offer {
    pub(super) command: usize,
    pub(super) fit: Fit,
    /// The other name by which it was found.
    alias: Option<usize>,
    letters: Vec<u32>,
}

/// How a command fits, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Fit {
    Whole,
    Start,
    /// Only its letters, in their order.
    Letters,
}

/// The best first; where they fit alike, in the order of the list.
pub(super) fn fitting(commands: &[Entry], word: &str) -> Vec<Offer> {
    let mut needle = Needle::path(word);
    let mut found: Vec<(Fit, Reverse<u32>, Offer)> = commands
        .iter()
        .enumerate()
        .filter_map(|(command, entry)| best(command, entry, word, &mut needle))
        .collect();
    found.sort_by_key(|(fit, score, _)| (*fit, *score));
    found.into_iter().map(|(.., offer)| offer).collect()
}

/// By its name, or by another name where that fits better.
fn best(
    command: usize,
    entry: &Entry,
    word: &str,
    needle: &mut Needle,
) -> Option<(Fit, Reverse<u32>, Offer)> {
    let names = std::iter::once((None, &entry.name)).chain(
        entry
            .aliases
            .iter()
            .enumerate()
            .map(|(at, name)| (Some(at), name)),
    );
    let mut best: Option<(Fit, Reverse<u32>, Offer)> = None;
    for (alias, name) in names {
        let Some((fit, score)) = fit(name, word, needle) else {
            continue;
        };
        if best.as_ref().is_some_and(|(former, ..)| *former <= fit) {
            continue;
        }
        let letters = needle.letters(name);
        let offer = Offer {
            command,
            fit,
            alias,
            letters,
        };
        best = Some((fit, Reverse(score), offer));
    }
    best
}

fn fit(name: &str, word: &str, needle: &mut Needle) -> Option<(Fit, u32)> {
    let starts = name
        .get(..word.len())
        .is_some_and(|start| start.eq_ignore_ascii_case(word));
    if starts {
        // Among those that begin alike the order of the list is the better one.
        let fit = if name.len() == word.len() {
            Fit::Whole
        } else {
            Fit::Start
        };
        return Some((fit, 0));
    }
    needle.score(name).map(|score| (Fit::Letters, score))
}

pub(super) fn lines(
    commands: &[Entry],
    offers: &[Offer],
    range: Range<usize>,
    selected: usize,
    columns: usize,
) -> Vec<Line> {
    let heads: Vec<(usize, &Offer, &Entry)> = range
        .filter_map(|at| {
            let offer = offers.get(at)?;
            Some((at, offer, commands.get(offer.command)?))
        })
        .collect();
    let wide = |entry: &Entry, offer: &Offer| {
        let alias = alias(entry, offer).map_or(0, |alias| shown_width(alias) + 3);
        let argument = match shown_width(&entry.argument) {
            0 => 0,
            wide => wide + 1,
        };
        1 + shown_width(&entry.name) + alias + argument
    };
    let widest = heads
        .iter()
        .map(|(_, offer, entry)| wide(entry, offer))
        .max()
        .unwrap_or(0)
        .min(columns / 2);
    heads
        .into_iter()
        .map(|(at, offer, entry)| line(entry, offer, Mark::of(at, selected), widest, columns))
        .collect()
}

fn alias<'a>(entry: &'a Entry, offer: &Offer) -> Option<&'a str> {
    entry.aliases.get(offer.alias?).map(String::as_str)
}

fn line(entry: &Entry, offer: &Offer, mark: Mark, widest: usize, columns: usize) -> Line {
    let role = mark.role();
    let look = Look {
        plain: role.into(),
        found: Role::Match.into(),
    };
    let mut line = Line::of([Span::new(role, mark.sign()), Span::new(role, "/")]);
    match alias(entry, offer) {
        None => line.spans.extend(marked(
            &entry.name,
            &offer.letters,
            look,
            Keep::Start,
            columns,
        )),
        Some(alias) => {
            line.push(role, &entry.name);
            line.push(Role::Dim, " (");
            line.spans
                .extend(marked(alias, &offer.letters, look, Keep::Start, columns));
            line.push(Role::Dim, ")");
        }
    }
    if !entry.argument.is_empty() {
        line.push(Role::Dim, &format!(" {}", entry.argument));
    }
    let gap = (widest + 2).saturating_sub(line.width()) + 2;
    line.push(Role::Dim, &" ".repeat(gap));
    line.push(Role::Dim, &entry.what);
    mark.row(line, columns)
}
