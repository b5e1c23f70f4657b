//! Gathers what the threads of a search find. What is kept depends on the
//! paths alone, never on which thread was first: the first files by path.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LineKind {
    Match,
    Context,
}

#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) number: u64,
    pub(super) kind: LineKind,
    pub(super) text: String,
}

/// What one file gave.
#[derive(Debug, Clone, Default)]
pub(super) struct FileHits {
    pub(super) shown: String,
    pub(super) lines: Vec<Line>,
    pub(super) matches: u64,
}

/// What the whole search gave.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// By path.
    pub(super) files: Vec<FileHits>,
    pub(super) more: bool,
    /// Files that could not be searched, because of lines without end.
    pub(super) unsearchable: u64,
    /// Files that were passed by, because reading them needs a yes.
    pub(super) private: u64,
    /// Whether the tree was seen in part.
    pub(super) partial: bool,
}

pub(super) struct Collector {
    most: usize,
    state: Mutex<State>,
    full: AtomicBool,
    unsearchable: AtomicU64,
    private: AtomicU64,
}

#[derive(Default)]
struct State {
    files: BTreeMap<Vec<u8>, (usize, FileHits)>,
    weight: usize,
    dropped: bool,
}

impl Collector {
    pub(super) fn new(most: usize) -> Self {
        Self {
            most,
            state: Mutex::default(),
            full: AtomicBool::new(false),
            unsearchable: AtomicU64::new(0),
            private: AtomicU64::new(0),
        }
    }

    /// Whether a file with this path could still be among the first.
    pub(super) fn wants(&self, path: &[u8]) -> bool {
        if !self.full.load(Ordering::Relaxed) {
            return true;
        }
        let mut state = self.lock();
        let wanted = state
            .files
            .last_key_value()
            .is_none_or(|(last, _)| path < last.as_slice());
        // Not searched, so not known to match: the answer says there is more.
        state.dropped |= !wanted;
        wanted
    }

    pub(super) fn add(&self, path: &[u8], weight: usize, hits: FileHits) {
        let mut state = self.lock();
        state.weight += weight;
        state.files.insert(path.to_vec(), (weight, hits));
        while let Some(last) = state.files.last_entry() {
            let weight = last.get().0;
            if state.weight - weight < self.most {
                break;
            }
            state.files.pop_last();
            state.weight -= weight;
            state.dropped = true;
        }
        if state.weight >= self.most {
            self.full.store(true, Ordering::Relaxed);
        }
    }

    pub(super) fn count_unsearchable(&self) {
        self.unsearchable.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn count_private(&self) {
        self.private.fetch_add(1, Ordering::Relaxed);
    }

    pub(super) fn finish(self) -> Found {
        let state = self
            .state
            .into_inner()
            .unwrap_or_else(PoisonError::into_inner);
        Found {
            more: state.dropped || state.weight > self.most,
            files: state.files.into_values().map(|(_, hits)| hits).collect(),
            unsearchable: self.unsearchable.into_inner(),
            private: self.private.into_inner(),
            partial: false,
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Collector, FileHits};

    fn names(order: &[usize]) -> (Vec<String>, bool) {
        let collector = Collector::new(5);
        for n in order {
            let name = format!("{n:02}");
            if collector.wants(name.as_bytes()) {
                let hits = FileHits {
                    shown: name.clone(),
                    ..FileHits::default()
                };
                collector.add(name.as_bytes(), 2, hits);
            }
        }
        let found = collector.finish();
        let names = found.files.into_iter().map(|file| file.shown).collect();
        (names, found.more)
    }

    #[test]
    fn the_same_files_are_kept_whatever_the_order_of_finding() {
        let first = (vec!["00".into(), "01".into(), "02".into()], true);
        assert_eq!(names(&[0, 1, 2, 3, 4, 5]), first);
        assert_eq!(names(&[5, 4, 3, 2, 1, 0]), first);
        assert_eq!(names(&[3, 0, 5, 2, 4, 1]), first);
        assert_eq!(names(&[1, 0]), (vec!["00".into(), "01".into()], false));
    }
}
