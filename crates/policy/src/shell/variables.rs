//! Variables that the line itself sets, once, plainly, before they are used. Any
//! doubt (set twice, set under a condition, named anywhere else) leaves the
//! variable unknown: a wrong value would hide a command.

use std::collections::HashMap;

/// More are not followed: their values stay unknown.
const MAX_VARIABLES: usize = 64;

/// And not more values of one.
const MAX_VALUES: usize = 4;

/// Whether an assignment certainly takes place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Happens {
    Surely,
    Perhaps,
}

#[derive(Debug, Default, Clone)]
pub(super) struct Variables {
    /// Name to value and the place where the assignment ends.
    known: HashMap<String, (String, usize)>,
    /// What a variable was set to, as it stands in the line, for those whose
    /// value is not certain.
    sources: HashMap<String, String>,
    /// All that a variable may have been set to, where that is written out.
    possible: HashMap<String, Vec<String>>,
    /// Which of the possible values to take for the truth, if any.
    guess: Option<usize>,
}

impl Variables {
    /// The value at a place in the line.
    pub(super) fn value(&self, name: &str, at: usize) -> Option<&str> {
        if let Some((value, end)) = self.known.get(name)
            && *end <= at
        {
            return Some(value);
        }
        let possible = self.possible.get(name)?;
        possible
            .get(self.guess?)
            .or(possible.last())
            .map(String::as_str)
    }

    /// How many values a variable may have, at most.
    pub(super) fn guesses(&self) -> usize {
        self.possible.values().map(Vec::len).max().unwrap_or(0)
    }

    /// From now on takes what may be for what is; `None` ends it. To find more
    /// dangers only.
    pub(super) fn guess(&mut self, which: Option<usize>) {
        self.guess = which;
    }

    /// What the variable was set to, however it came to be set.
    pub(super) fn source(&self, name: &str) -> Option<&str> {
        self.sources.get(name).map(String::as_str)
    }

    /// All values that stand in the line.
    pub(super) fn held(&self) -> Vec<String> {
        self.possible.values().flatten().cloned().collect()
    }

    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.sources.keys().map(String::as_str)
    }

    /// Notes an assignment. `value` is known where it stands in the line.
    pub(super) fn note(
        &mut self,
        line: &str,
        name: &str,
        raw: &str,
        value: Option<String>,
        end: usize,
        happens: Happens,
    ) {
        if self.sources.len() >= MAX_VARIABLES && !self.sources.contains_key(name) {
            return;
        }
        let source = self.sources.entry(name.to_owned()).or_default();
        let again = !source.is_empty();
        source.push_str(raw);
        source.push(' ');
        let Some(value) = value else {
            return;
        };
        let possible = self.possible.entry(name.to_owned()).or_default();
        if possible.len() < MAX_VALUES && !possible.contains(&value) {
            possible.push(value.clone());
        }
        if again {
            self.known.remove(name);
        } else if happens == Happens::Surely && is_named_once(line, name) {
            self.known.insert(name.to_owned(), (value, end));
        }
    }

    /// Notes what `$1`, `$2` and `$@` may be, to guess by.
    pub(super) fn note_arguments<'t>(&mut self, words: impl Iterator<Item = &'t str>) {
        const MOST: usize = 9;
        for (at, word) in words.take(MOST).enumerate() {
            for name in [(at + 1).to_string(), "@".to_owned(), "*".to_owned()] {
                let value = Some(word.to_owned());
                self.note("", &name, word, value, 0, Happens::Perhaps);
            }
        }
    }

    /// The same for a text inside of this one: what is known stays known there.
    pub(super) fn inside(&self) -> Self {
        let known = self
            .known
            .iter()
            .map(|(name, (value, _))| (name.clone(), (value.clone(), 0)))
            .collect();
        Self {
            known,
            ..self.clone()
        }
    }
}

/// Whether the name stands in the line once, beside its uses as `$NAME`.
fn is_named_once(line: &str, name: &str) -> bool {
    let word = |c: char| c.is_ascii_alphanumeric() || c == '_';
    let mut count = 0;
    for (at, _) in line.match_indices(name) {
        let before = line[..at].chars().next_back();
        let after = line[at + name.len()..].chars().next();
        if before.is_some_and(word) || after.is_some_and(word) {
            continue;
        }
        let plain_use = before == Some('$')
            || (before == Some('{') && line[..at].ends_with("${") && after == Some('}'));
        if !plain_use {
            count += 1;
        }
    }
    count == 1
}
