//! What every start of a project would say again: which rules were read, which
//! skills there are, that it is trusted. It is said when it is new or different,
//! and kept in the log else: a note that is always there is never read.
//!
//! `told.json` in the state folder holds, by root, what was said the last time.
//! Nothing depends on it: what cannot be read or kept is said again.

use crate::place::Place;
use crate::plain_file;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};
use std::path::Path;

const FILE: &str = "told.json";
/// Roots that are remembered; the oldest go first.
const MOST: usize = 200;
/// Lines of one root.
const LINES: usize = 200;
/// A larger file is not ours.
const LARGEST: u64 = 4 * 1024 * 1024;

/// What is to be said of a start.
#[derive(Debug, Clone, Default)]
pub struct Remarks {
    /// What somebody should do something about: each time.
    pub act: Vec<String>,
    /// What was found, and how it stands: when it is news.
    pub found: Vec<String>,
}

impl Remarks {
    pub fn all(self) -> impl Iterator<Item = String> {
        self.act.into_iter().chain(self.found)
    }

    pub fn extend(&mut self, more: Self) {
        self.act.extend(more.act);
        self.found.extend(more.found);
    }
}

/// What a start says, and what it need not say.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Sorted {
    pub new: Vec<String>,
    pub known: Vec<String>,
}

/// Whether what is said now is remembered.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Remember {
    Yes,
    No,
}

#[derive(Debug, Default, Serialize, Deserialize)]
struct Page {
    /// The one that was told last is the last.
    roots: Vec<Root>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Root {
    root: String,
    lines: Vec<String>,
}

/// Sorts what is to be said of this place.
pub fn sort(place: &Place, lines: Vec<String>, remember: Remember) -> Sorted {
    let path = place.paths.state.join(FILE);
    sort_at(&path, &mark(&place.root_text()), lines, remember)
}

fn sort_at(path: &Path, root: &str, lines: Vec<String>, remember: Remember) -> Sorted {
    let mut page = read(path);
    let before = page
        .roots
        .iter()
        .find(|known| known.root == root)
        .map_or_else(Vec::new, |known| known.lines.clone());
    let marks: Vec<String> = lines.iter().take(LINES).map(|line| mark(line)).collect();
    let mut sorted = Sorted::default();
    for line in lines {
        if before.contains(&mark(&line)) {
            sorted.known.push(line);
        } else {
            sorted.new.push(line);
        }
    }
    if remember == Remember::Yes && before != marks {
        page.roots.retain(|known| known.root != root);
        page.roots.push(Root {
            root: root.to_owned(),
            lines: marks,
        });
        let surplus = page.roots.len().saturating_sub(MOST);
        page.roots.drain(..surplus);
        // What cannot be kept is said again.
        if let Ok(page) = serde_json::to_value(&page) {
            let _ = plain_file::replace(path, &page);
        }
    }
    sorted
}

fn read(path: &Path) -> Page {
    tenon_files::read(path, LARGEST)
        .ok()
        .and_then(|text| serde_json::from_slice(&text).ok())
        .unwrap_or_default()
}

/// No names of files or projects lie in one more place.
fn mark(text: &str) -> String {
    let hash = Sha256::digest(text.as_bytes());
    hash.iter()
        .take(8)
        .map(|byte| format!("{byte:02x}"))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(all: &[&str]) -> Vec<String> {
        all.iter().map(|&line| line.to_owned()).collect()
    }

    #[test]
    fn a_line_is_news_once_for_each_root_and_again_when_it_was_gone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        let sort = |root: &str, all: &[&str]| sort_at(&path, root, lines(all), Remember::Yes);
        assert_eq!(sort("p", &["a", "b"]).new, ["a", "b"]);
        let again = sort("p", &["a", "c"]);
        assert_eq!((again.new, again.known), (lines(&["c"]), lines(&["a"])));
        assert_eq!(sort("q", &["a"]).new, ["a"]);
        assert_eq!(sort("p", &["a", "b"]).new, ["b"]);
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(!text.contains("\"a\""), "{text}");
    }

    #[test]
    fn what_is_not_to_be_remembered_or_cannot_be_read_is_said_again() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        for _ in 0..2 {
            let sorted = sort_at(&path, "p", lines(&["a"]), Remember::No);
            assert_eq!(sorted.new, ["a"]);
        }
        assert!(!path.exists());
        for damaged in ["", "[]", "{\"roots\": 7}"] {
            std::fs::write(&path, damaged).unwrap();
            assert_eq!(sort_at(&path, "p", lines(&["a"]), Remember::Yes).new, ["a"]);
            assert!(
                sort_at(&path, "p", lines(&["a"]), Remember::Yes)
                    .new
                    .is_empty()
            );
        }
    }

    #[test]
    fn of_many_roots_the_oldest_is_forgotten() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join(FILE);
        for n in 0..=MOST {
            sort_at(&path, &n.to_string(), lines(&["a"]), Remember::Yes);
        }
        assert_eq!(read(&path).roots.len(), MOST);
        assert_eq!(sort_at(&path, "0", lines(&["a"]), Remember::No).new, ["a"]);
    }
}
