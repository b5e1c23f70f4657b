//! What was sent before, and walking through it. What was being written, and
//! what was changed in an old text, is kept while one walks.

use super::Aim;
use std::collections::BTreeMap;

/// Texts that are kept; the oldest go first.
const KEPT: usize = 10_000;

#[derive(Debug, Default)]
pub(super) struct History {
    entries: Vec<String>,
    walk: Option<Walk>,
}

#[derive(Debug)]
struct Walk {
    /// Which entry is shown.
    at: usize,
    /// What was being written when the walk began.
    draft: Written,
    /// Entries that were changed on the way.
    changed: BTreeMap<usize, Written>,
}

/// A text, and whom it is for. Among the entries that is told by a `!`: only what
/// was run is kept with one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Written {
    pub(super) aim: Aim,
    pub(super) text: String,
}

impl Written {
    pub(super) fn of(entry: &str) -> Self {
        let (aim, text) = match entry.strip_prefix(Aim::SIGN) {
            Some(command) => (Aim::Shell, command),
            None => (Aim::Model, entry),
        };
        Self {
            aim,
            text: text.to_owned(),
        }
    }
}

impl History {
    pub(super) fn new(entries: Vec<String>) -> Self {
        let mut history = Self::default();
        for entry in entries {
            history.add(entry);
        }
        history
    }

    /// The same one twice in a row is kept once; the walk is over.
    pub(super) fn add(&mut self, text: String) {
        self.walk = None;
        if text.trim().is_empty() || self.entries.last() == Some(&text) {
            return;
        }
        if self.entries.len() >= KEPT {
            self.entries.remove(0);
        }
        self.entries.push(text);
    }

    pub(super) fn stop(&mut self) {
        self.walk = None;
    }

    pub(super) fn is_walking(&self) -> bool {
        self.walk.is_some()
    }

    /// The one before; `shown` is the text as it stands now.
    pub(super) fn older(&mut self, shown: Written) -> Option<Written> {
        let at = match &self.walk {
            None => self.entries.len(),
            Some(walk) => walk.at,
        };
        let at = at.checked_sub(1)?;
        match &mut self.walk {
            None => {
                self.walk = Some(Walk {
                    at,
                    draft: shown,
                    changed: BTreeMap::new(),
                });
            }
            Some(walk) => leave(walk, &self.entries, shown, at),
        }
        self.shown()
    }

    /// The one after, and at last the draft.
    pub(super) fn newer(&mut self, shown: Written) -> Option<Written> {
        let walk = self.walk.as_mut()?;
        let next = walk.at + 1;
        if next >= self.entries.len() {
            return self.walk.take().map(|walk| walk.draft);
        }
        leave(walk, &self.entries, shown, next);
        self.shown()
    }

    fn shown(&self) -> Option<Written> {
        let walk = self.walk.as_ref()?;
        let changed = walk.changed.get(&walk.at).cloned();
        changed.or_else(|| Some(Written::of(self.entries.get(walk.at)?)))
    }

    /// Whether a text was sent before and kept.
    pub(super) fn knows(&self, text: &str) -> bool {
        let text = text.trim();
        self.entries.iter().any(|entry| entry.trim() == text)
    }

    /// The newest entry older than `before` that holds a text, and where in it.
    /// Without capitals in the query, capitals do not matter.
    pub(super) fn find(&self, query: &str, before: usize) -> Option<Hit> {
        let sought = Sought::of(query);
        let older = self.entries.get(..before.min(self.entries.len()))?;
        older.iter().enumerate().rev().find_map(|(entry, text)| {
            let byte = sought.position(text)?;
            Some(Hit { entry, byte })
        })
    }

    /// The oldest entry newer than `after` that holds a text.
    pub(super) fn find_newer(&self, query: &str, after: usize) -> Option<Hit> {
        let sought = Sought::of(query);
        let newer = self.entries.get(after + 1..)?;
        newer.iter().enumerate().find_map(|(entry, text)| {
            let byte = sought.position(text)?;
            let entry = after + 1 + entry;
            Some(Hit { entry, byte })
        })
    }

    pub(super) fn len(&self) -> usize {
        self.entries.len()
    }

    pub(super) fn entry(&self, at: usize) -> &str {
        self.entries.get(at).map_or("", String::as_str)
    }

    /// Texts that may hold marks of folded pastes.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        self.walk.iter().flat_map(|walk| {
            let changed = walk.changed.values();
            std::iter::once(&walk.draft)
                .chain(changed)
                .map(|written| written.text.as_str())
        })
    }
}

/// A found text: which entry, and where it begins there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Hit {
    pub(super) entry: usize,
    pub(super) byte: usize,
}

fn leave(walk: &mut Walk, entries: &[String], shown: Written, to: usize) {
    let entry = entries.get(walk.at).map(|entry| Written::of(entry));
    if entry.as_ref() == Some(&shown) {
        walk.changed.remove(&walk.at);
    } else {
        walk.changed.insert(walk.at, shown);
    }
    walk.at = to;
}

/// What is looked for.
enum Sought<'a> {
    /// With the capitals that were typed.
    Exact(&'a str),
    /// In small letters.
    Lowered(String),
}

impl<'a> Sought<'a> {
    fn of(query: &'a str) -> Self {
        if query.chars().any(char::is_uppercase) {
            Self::Exact(query)
        } else {
            Self::Lowered(query.to_lowercase())
        }
    }

    /// Where it begins in a text, in bytes of the text as it is written.
    fn position(&self, text: &str) -> Option<usize> {
        let query = match self {
            Self::Exact(query) => return text.find(query),
            Self::Lowered(query) => query,
        };
        let lower = text.to_lowercase();
        let found = lower.find(query)?;
        if text.is_ascii() {
            return Some(found);
        }
        // Lowering may change lengths: walk both to the same letter.
        let mut lowered = 0;
        for (byte, c) in text.char_indices() {
            if lowered >= found {
                return Some(byte);
            }
            lowered += c.to_lowercase().map(char::len_utf8).sum::<usize>();
        }
        Some(text.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(entries: &[&str]) -> History {
        History::new(entries.iter().map(|entry| (*entry).to_owned()).collect())
    }

    #[test]
    fn a_walk_gives_back_the_draft_and_what_was_changed() {
        let mut history = of(&["one", "two"]);
        let s = Written::of;
        assert_eq!(history.older(s("draft")), Some(s("two")));
        assert_eq!(history.older(s("two, changed")), Some(s("one")));
        assert_eq!(history.older(s("one")), None, "the oldest stays");
        assert_eq!(history.newer(s("one")), Some(s("two, changed")));
        assert_eq!(history.newer(s("two, changed")), Some(s("draft")));
        assert_eq!(history.newer(s("draft")), None);
        assert_eq!(history.entry(1), "two", "what was sent is never changed");
    }

    #[test]
    fn the_same_twice_in_a_row_is_kept_once() {
        let mut history = of(&["a", "a", "b", "a", "  ", "a"]);
        assert_eq!(history.entries, ["a", "b", "a"]);
        history.add(String::from("a"));
        assert_eq!(history.len(), 3);
    }

    #[test]
    fn capitals_matter_only_where_they_are_typed() {
        let history = of(&["Fix İt", "fix it"]);
        assert_eq!(history.find("fix", 2).map(|hit| hit.entry), Some(1));
        assert_eq!(history.find("fix", 1).map(|hit| hit.entry), Some(0));
        assert_eq!(history.find("Fix", 2).map(|hit| hit.entry), Some(0));
        let hit = history.find("t", 1).unwrap();
        assert!(history.entry(0).is_char_boundary(hit.byte));
        assert_eq!(history.find_newer("IT", 0), None);
        assert_eq!(history.find_newer("it", 0).map(|hit| hit.entry), Some(1));
    }
}
