//! The text engine of `edit`: bytes in, bytes out, no files. It tries the exact
//! text first and then one tolerance after the other, and takes the first that
//! gives just as many matches as were asked for.

use super::applied;
use super::compose::{compose, exact};
use super::indent::Habits;
use super::lines::{Lines, Piece, pieces};
use super::locate::{Found, RUNGS, Repair, locate};
use super::sent::{Sent, variants};
use memchr::memmem;

/// How many places a call means to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Count {
    Exactly(usize),
    All,
}

impl Count {
    pub(super) fn fits(self, found: usize) -> bool {
        match self {
            Self::Exactly(wanted) => found == wanted,
            Self::All => found > 0,
        }
    }

    fn exceeded_by(self, found: usize) -> bool {
        matches!(self, Self::Exactly(wanted) if found > wanted)
    }
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Replaced {
    pub bytes: Vec<u8>,
    pub replacements: usize,
    /// Empty when the old text stood there byte for byte.
    pub repairs: Vec<Repair>,
}

#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Miss {
    EmptyOld,
    NoChange,
    NotFound,
    /// Found, but not as often as asked: how often, and the first lines (from 1).
    Mismatch {
        found: usize,
        lines: Vec<usize>,
    },
    /// The old text is gone and the new one stands in its place, at these lines.
    AlreadyApplied {
        lines: Vec<usize>,
    },
}

/// Places that an error lists.
pub(super) const LISTED: usize = 10;

/// Tolerant matching holds a key per line; larger files are matched exactly.
const TOLERANT_UP_TO: usize = 32 * 1024 * 1024;

pub(crate) fn replace(
    content: &[u8],
    old: &str,
    new: &str,
    count: Count,
) -> Result<Replaced, Miss> {
    if old.is_empty() {
        return Err(Miss::EmptyOld);
    }
    if old == new {
        return Err(Miss::NoChange);
    }
    let mut mismatch = None;
    for sent in variants(old, new) {
        match attempt(content, &sent, count) {
            Attempt::Replaced(replaced) if replaced.bytes == content => {
                return Err(Miss::AlreadyApplied { lines: Vec::new() });
            }
            Attempt::Replaced(mut replaced) => {
                replaced.repairs.extend(sent.repair);
                return Ok(replaced);
            }
            Attempt::Mismatch { found, lines } => {
                mismatch = Some(Miss::Mismatch { found, lines });
                break;
            }
            Attempt::Nothing => {}
        }
    }
    if let Some(miss) = mismatch {
        return Err(miss);
    }
    Err(match applied::by_surroundings(content, old, new, count) {
        Some(lines) => Miss::AlreadyApplied { lines },
        None => Miss::NotFound,
    })
}

enum Attempt {
    Replaced(Replaced),
    Mismatch { found: usize, lines: Vec<usize> },
    Nothing,
}

fn attempt(content: &[u8], sent: &Sent<'_>, count: Count) -> Attempt {
    let matcher = Exact::new(content, &sent.old);
    let found = matcher.offsets().count();
    if count.fits(found) {
        return Attempt::Replaced(matcher.splice(&sent.new, found));
    }
    let mut best = Attempt::Nothing;
    if found > 0 {
        best = Attempt::Mismatch {
            found,
            lines: matcher.lines(),
        };
    }
    if count.exceeded_by(found) || content.len() > TOLERANT_UP_TO {
        return best;
    }
    let lines = Lines::of(content);
    let old = pieces(&sent.old);
    let new = pieces(&sent.new);
    let habits = Habits::observe(&lines, old.iter().chain(&new).map(|piece| piece.text));
    for rung in RUNGS {
        let mut places = locate(&lines, &old, habits, rung);
        places.retain(|place| matcher.utf8 || matcher.is_boundary(place.start()));
        if count.fits(places.len()) {
            return Attempt::Replaced(splice(&lines, &places, &old, &new));
        }
        if !places.is_empty() && matches!(best, Attempt::Nothing) {
            best = Attempt::Mismatch {
                found: places.len(),
                lines: places.iter().take(LISTED).map(|p| p.first + 1).collect(),
            };
        }
        if count.exceeded_by(places.len()) {
            break;
        }
    }
    best
}

/// Byte-for-byte occurrences.
struct Exact<'a> {
    content: &'a [u8],
    old: &'a str,
    finder: memmem::Finder<'a>,
    utf8: bool,
}

impl<'a> Exact<'a> {
    fn new(content: &'a [u8], old: &'a str) -> Self {
        Self {
            content,
            old,
            finder: memmem::Finder::new(old.as_bytes()),
            utf8: std::str::from_utf8(content).is_ok(),
        }
    }

    fn offsets(&self) -> impl Iterator<Item = usize> {
        self.finder
            .find_iter(self.content)
            .filter(|at| self.utf8 || self.is_boundary(*at))
    }

    /// In GBK, Big5 and Shift-JIS the second byte of a character may be an ASCII
    /// letter: a match there would cut the character in half.
    fn is_boundary(&self, at: usize) -> bool {
        let after_high = at > 0 && self.content[at - 1] >= 0x81;
        !(after_high && self.content.get(at).is_some_and(|byte| *byte >= 0x40))
    }

    fn lines(&self) -> Vec<usize> {
        let lines = Lines::of(self.content);
        self.offsets()
            .take(LISTED)
            .map(|at| lines.at(at) + 1)
            .collect()
    }

    fn splice(&self, new: &str, replacements: usize) -> Replaced {
        let foreign_ends = new.contains('\n') && memchr::memchr(b'\r', self.content).is_some();
        let lines = foreign_ends.then(|| Lines::of(self.content));
        let mut bytes = Vec::with_capacity(self.content.len() + new.len());
        let mut done = 0;
        for at in self.offsets() {
            bytes.extend_from_slice(&self.content[done..at]);
            bytes.extend_from_slice(&exact(lines.as_ref(), at, self.old, new));
            done = at + self.old.len();
        }
        bytes.extend_from_slice(&self.content[done..]);
        Replaced {
            bytes,
            replacements,
            repairs: Vec::new(),
        }
    }
}

fn splice<'a>(
    lines: &Lines<'a>,
    places: &[Found],
    old: &[Piece<'a>],
    new: &[Piece<'a>],
) -> Replaced {
    let content = lines.bytes();
    let mut bytes = Vec::with_capacity(content.len() + 256);
    let mut repairs = Vec::new();
    let mut done = 0;
    for place in places {
        bytes.extend_from_slice(&content[done..place.start()]);
        bytes.extend_from_slice(&compose(lines, place, old, new));
        done = place.end();
        repairs.extend_from_slice(&place.repairs);
    }
    bytes.extend_from_slice(&content[done..]);
    repairs.sort_unstable();
    repairs.dedup();
    Replaced {
        bytes,
        replacements: places.len(),
        repairs,
    }
}

#[cfg(test)]
mod tests {
    use super::{Count, Miss, replace};
    use proptest::prelude::*;

    /// A line as it stands in the file: depth, blanks at its end, line end.
    type Shape = (usize, usize, bool);

    fn raw(index: usize, (depth, blanks, crlf): Shape, text: Option<&str>) -> String {
        let end = if crlf { "\r\n" } else { "\n" };
        let tabs = "\t".repeat(depth);
        match text {
            Some(text) => format!("{tabs}{text}{end}"),
            None => format!("{tabs}k{index}{}{end}", " ".repeat(blanks)),
        }
    }

    fn sent(index: usize, (depth, _, _): Shape, text: Option<&str>) -> String {
        let spaces = "    ".repeat(depth);
        match text {
            Some(text) => format!("{spaces}{text}\n"),
            None => format!("{spaces}k{index}\n"),
        }
    }

    proptest! {
        /// Tabs read as spaces, mixed line ends, blanks at line ends: only the
        /// line that differs between `old` and `new` changes, by no other byte.
        #[test]
        fn only_the_changed_line_changes(
            shapes in prop::collection::vec((0..4_usize, 0..3_usize, any::<bool>()), 3..12),
            at in any::<prop::sample::Index>(),
            mark in any::<bool>(),
        ) {
            let changed = at.index(shapes.len());
            let mark = if mark { "\u{feff}" } else { "" };
            let join = |f: fn(usize, Shape, Option<&str>) -> String, text: Option<&str>| -> String {
                shapes.iter().enumerate()
                    .map(|(i, shape)| f(i, *shape, text.filter(|_| i == changed)))
                    .collect()
            };
            let before = format!("{mark}{}", join(raw, None));
            let after = format!("{mark}{}", join(raw, Some("changed")));
            let old = join(sent, None);
            let new = join(sent, Some("changed"));
            let replaced = replace(before.as_bytes(), &old, &new, Count::Exactly(1)).unwrap();
            prop_assert_eq!(String::from_utf8(replaced.bytes).unwrap(), after);
        }

        #[test]
        fn any_bytes_and_any_texts_give_an_answer(
            content in prop::collection::vec(prop_oneof![
                any::<u8>(), Just(b'\n'), Just(b'\r'), Just(b' '), Just(b'\t'), Just(b'a'),
            ], 0..60),
            old in "[a\\n\\r\\t \u{e9}\u{a0}0-9\\\\]{0,12}",
            new in "[a\\n\\r\\t \u{e9}]{0,8}",
            all in any::<bool>(),
        ) {
            let count = if all { Count::All } else { Count::Exactly(1) };
            match replace(&content, &old, &new, count) {
                Ok(replaced) => prop_assert!(replaced.replacements > 0),
                Err(Miss::EmptyOld) => prop_assert!(old.is_empty()),
                Err(_) => {}
            }
        }
    }
}
