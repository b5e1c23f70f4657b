//! How often in a row an edit of a file has missed. Prompts do not stop a model
//! from guessing again and again; a tool that shows more each time, and then
//! refuses, does.

use std::collections::VecDeque;
use std::collections::hash_map::DefaultHasher;
use std::hash::{Hash, Hasher};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// Files remembered; the one that missed longest ago is forgotten first.
const FILES: usize = 64;

#[derive(Debug, Default)]
pub(super) struct Misses {
    files: Mutex<VecDeque<Entry>>,
}

#[derive(Debug)]
struct Entry {
    path: String,
    count: u32,
    last: u64,
}

/// How a miss counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Escalation {
    First,
    /// Show the closest region whole.
    Second,
    /// Offer another way.
    Third,
    /// The same call again after three misses.
    Refused,
}

impl Misses {
    pub(super) fn note(&self, path: &str, call: impl Hash) -> Escalation {
        let mut hasher = DefaultHasher::new();
        call.hash(&mut hasher);
        let call = hasher.finish();
        let mut files = self.lock();
        let known = files.iter().position(|entry| entry.path == path);
        let mut entry = known
            .and_then(|at| files.remove(at))
            .unwrap_or_else(|| Entry {
                path: path.to_owned(),
                count: 0,
                last: 0,
            });
        let again = entry.count >= 3 && entry.last == call;
        entry.count = entry.count.saturating_add(1);
        entry.last = call;
        let count = entry.count;
        files.push_back(entry);
        if files.len() > FILES {
            files.pop_front();
        }
        match count {
            _ if again => Escalation::Refused,
            1 => Escalation::First,
            2 => Escalation::Second,
            _ => Escalation::Third,
        }
    }

    pub(super) fn clear(&self, path: &str) {
        self.lock().retain(|entry| entry.path != path);
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<Entry>> {
        self.files.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::{Escalation, FILES, Misses};

    #[test]
    fn a_fourth_identical_call_is_refused_but_another_one_is_not() {
        let misses = Misses::default();
        let seen = ["a", "a", "a", "a", "b", "b"].map(|call| misses.note("f", call));
        assert_eq!(
            seen,
            [
                Escalation::First,
                Escalation::Second,
                Escalation::Third,
                Escalation::Refused,
                Escalation::Third,
                Escalation::Refused,
            ]
        );
    }

    #[test]
    fn only_so_many_files_are_remembered() {
        let misses = Misses::default();
        for i in 0..10 * FILES {
            misses.note(&format!("f{i}"), "call");
        }
        assert_eq!(misses.lock().len(), FILES);
    }
}
