//! What the model has seen of each file: the hash decides whether a write is
//! stale (content, never the clock), a copy of small files shows what changed.

use super::hash::sha256;
use std::collections::{HashMap, VecDeque};
use std::sync::{Mutex, PoisonError};

/// Copies larger than this are not kept; then a refusal has no diff.
const COPY_BYTES: usize = 64 * 1024;
const COPIES_BYTES: usize = 1024 * 1024;

/// Shared by all clones and views of a workspace.
#[derive(Debug, Default)]
pub struct Ledger {
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    hashes: HashMap<String, String>,
    copies: HashMap<String, Vec<u8>>,
    order: VecDeque<String>,
    held: usize,
}

/// How what the model knows of a file compares with what is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Knowledge {
    Current,
    /// It never read the file.
    None,
    /// The file was changed since.
    Changed,
}

/// Why a file that the model never read is not changed, and what to do.
#[must_use]
pub fn unread(path: &str) -> String {
    format!(
        "`{path}` exists and was not read in this session; nothing was changed. `read` it first."
    )
}

/// Why a file is not changed that has another content than the model knows.
#[must_use]
pub fn changed_since(path: &str) -> String {
    format!("`{path}` has changed on disk since it was read; nothing was changed.")
}

impl Ledger {
    /// What the model knows of a file with this content now.
    #[must_use]
    pub fn knowledge(&self, path: &str, sha256: &str) -> Knowledge {
        match self.lock().hashes.get(path) {
            None => Knowledge::None,
            Some(known) if known == sha256 => Knowledge::Current,
            Some(_) => Knowledge::Changed,
        }
    }

    /// Notes that the model knows this content, by the normalised path.
    pub fn note(&self, path: &str, sha256: &str) {
        let mut state = self.lock();
        if state.hashes.get(path).map(String::as_str) != Some(sha256) {
            state.drop_copy(path);
            state.hashes.insert(path.to_owned(), sha256.to_owned());
        }
    }

    /// Notes the content itself; returns its hash.
    pub fn note_content(&self, path: &str, bytes: &[u8]) -> String {
        let hash = sha256(bytes);
        self.note(path, &hash);
        let mut state = self.lock();
        if bytes.len() <= COPY_BYTES && !state.copies.contains_key(path) {
            state.held += bytes.len();
            state.copies.insert(path.to_owned(), bytes.to_vec());
            state.order.push_back(path.to_owned());
            while state.held > COPIES_BYTES {
                let Some(oldest) = state.order.front().cloned() else {
                    break;
                };
                state.drop_copy(&oldest);
            }
        }
        hash
    }

    /// The hash of what the model knows of this file.
    #[must_use]
    pub fn get(&self, path: &str) -> Option<String> {
        self.lock().hashes.get(path).cloned()
    }

    /// The content as the model knows it, where a copy was kept.
    #[must_use]
    pub fn copy(&self, path: &str) -> Option<Vec<u8>> {
        self.lock().copies.get(path).cloned()
    }

    pub fn forget(&self, path: &str) {
        let mut state = self.lock();
        state.drop_copy(path);
        state.hashes.remove(path);
    }

    /// Takes over what an earlier process of this session knew.
    pub fn seed<P, H>(&self, known: impl IntoIterator<Item = (P, H)>)
    where
        P: Into<String>,
        H: Into<String>,
    {
        let mut state = self.lock();
        for (path, hash) in known {
            state.hashes.insert(path.into(), hash.into());
        }
    }

    /// Everything known, by path.
    #[must_use]
    pub fn all(&self) -> Vec<(String, String)> {
        let mut all: Vec<(String, String)> = self
            .lock()
            .hashes
            .iter()
            .map(|(path, hash)| (path.clone(), hash.clone()))
            .collect();
        all.sort();
        all
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn drop_copy(&mut self, path: &str) {
        if let Some(copy) = self.copies.remove(path) {
            self.held -= copy.len();
            self.order.retain(|name| name != path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{COPIES_BYTES, COPY_BYTES, Ledger};

    #[test]
    fn copies_are_bounded_while_hashes_stay() {
        let ledger = Ledger::default();
        let files = 2 * COPIES_BYTES / COPY_BYTES;
        for n in 0..files {
            ledger.note_content(&n.to_string(), &vec![b'x'; COPY_BYTES]);
        }
        ledger.note_content("big", &vec![b'x'; COPY_BYTES + 1]);
        assert!(ledger.copy("0").is_none());
        assert!(ledger.copy("big").is_none());
        assert!(ledger.copy(&(files - 1).to_string()).is_some());
        assert!(ledger.get("0").is_some());
        let held: usize = (0..files)
            .filter_map(|n| ledger.copy(&n.to_string()))
            .map(|copy| copy.len())
            .sum();
        assert!(held <= COPIES_BYTES);
    }

    #[test]
    fn a_new_hash_drops_the_old_copy() {
        let ledger = Ledger::default();
        ledger.note_content("a", b"one");
        ledger.note("a", "other");
        assert!(ledger.copy("a").is_none());
        assert_eq!(ledger.get("a").as_deref(), Some("other"));
    }
}
