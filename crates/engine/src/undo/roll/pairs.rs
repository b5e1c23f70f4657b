//! Files that can only be moved: which of them goes from where to where, and in
//! what order. Each must leave one place and come to another; what would not is
//! not moved at all. Pure.

use super::super::chain::{Item, Was};
use std::collections::{HashMap, HashSet};
use tenon_vocab::FileMark;

/// A file that goes from the place of one item to that of another.
#[derive(Clone, Copy)]
pub(super) struct Pair<'a> {
    pub(super) from: &'a Item,
    pub(super) to: &'a Item,
    pub(super) mark: &'a FileMark,
}

/// In an order in which each finds its new place free. Files that go round in a
/// circle are not among them.
pub(super) fn pairs(items: &[Item]) -> Vec<Pair<'_>> {
    let leaves = |item: &&Item| !matches!(item.to, Was::Folder { .. });
    let from: HashMap<&FileMark, &Item> = items
        .iter()
        .filter(leaves)
        .filter_map(|item| Some((item.left.mark()?, item)))
        .collect();
    let pair = |to| -> Option<Pair<'_>> {
        let item: &Item = to;
        let mark = item.to.mark()?;
        let from = from.get(mark)?;
        Some(Pair {
            from,
            to: item,
            mark,
        })
    };
    let mut into: HashMap<&str, Pair<'_>> = items
        .iter()
        .filter(|item| !matches!(item.left, Was::Folder { .. }))
        .filter_map(pair)
        .map(|pair| (pair.to.path.as_str(), pair))
        .collect();
    let mut ordered = Vec::new();
    for item in items.iter().filter(|item| item.left.mark().is_none()) {
        let mut free = item.path.as_str();
        while let Some(pair) = into.remove(free) {
            free = pair.from.path.as_str();
            ordered.push(pair);
        }
    }
    ordered
}

/// Items with a file that can only be moved, and that finds no pair.
pub(super) fn alone(items: &[Item]) -> Vec<&Item> {
    let pairs = pairs(items);
    let gives: HashSet<&str> = pairs.iter().map(|pair| pair.from.path.as_str()).collect();
    let takes: HashSet<&str> = pairs.iter().map(|pair| pair.to.path.as_str()).collect();
    let is_alone = |item: &&Item| {
        let path = item.path.as_str();
        (item.left.mark().is_some() && !gives.contains(path))
            || (item.to.mark().is_some() && !takes.contains(path))
    };
    items.iter().filter(is_alone).collect()
}

/// Where each such file stands and where it was, to say so.
#[derive(Debug, Default)]
pub(super) struct Places {
    stands: HashMap<FileMark, String>,
    was: HashMap<FileMark, String>,
}

impl Places {
    pub(super) fn of(items: &[Item]) -> Self {
        let mut places = Self::default();
        for item in items {
            if let Some(mark) = item.left.mark() {
                places.stands.insert(mark.clone(), item.path.clone());
            }
            if let Some(mark) = item.to.mark() {
                places.was.insert(mark.clone(), item.path.clone());
            }
        }
        places
    }

    /// Why an item without a pair is left.
    pub(super) fn why(&self, item: &Item) -> String {
        if let Some(old) = item.left.mark().and_then(|mark| self.was.get(mark)) {
            return format!("it was moved here from {old}, which is also left");
        }
        match item.to.mark().and_then(|mark| self.stands.get(mark)) {
            Some(new) => format!("it was moved to {new}, which does not go back"),
            None => String::from("it was moved, and is not where it was moved to"),
        }
    }
}
