//! What was masked: names and counts, never the text itself.

use std::collections::BTreeMap;
use std::fmt;

/// How many secrets of which kind were found.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Findings {
    counts: BTreeMap<String, usize>,
}

impl Findings {
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.counts.is_empty()
    }

    #[must_use]
    pub fn total(&self) -> usize {
        self.counts.values().sum()
    }

    /// The kinds, in the order of their names.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.counts.keys().map(String::as_str)
    }

    /// The kinds and how often each was found.
    #[must_use]
    pub fn counts(&self) -> Vec<(String, usize)> {
        let pairs = self.counts.iter();
        pairs.map(|(name, count)| (name.clone(), *count)).collect()
    }

    pub fn note_many(&mut self, counts: &[(String, usize)]) {
        for (name, count) in counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }

    pub fn note(&mut self, name: &str) {
        *self.counts.entry(name.to_owned()).or_default() += 1;
    }

    pub fn add(&mut self, other: &Self) {
        for (name, count) in &other.counts {
            *self.counts.entry(name.clone()).or_default() += count;
        }
    }
}

/// `2 secrets masked: github-token, jwt`
impl fmt::Display for Findings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = self.names().collect();
        let total = self.total();
        let noun = if total == 1 { "secret" } else { "secrets" };
        write!(f, "{total} {noun} masked: {}", names.join(", "))
    }
}
