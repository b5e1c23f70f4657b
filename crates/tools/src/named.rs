//! The files that the words of a command line name, as they stood before it ran. A
//! line that runs once more, with less around it, runs what is in them by then: a
//! first run can put something else there, and so can what it left running.

use std::collections::BTreeMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

/// Words that are looked at.
const WORDS: usize = 256;

/// When a file was changed, and which one it is.
type Stamp = (u64, u64, u64, i64, i64, i64, i64);

#[derive(Debug, PartialEq, Eq)]
pub(crate) struct NamedFiles(BTreeMap<PathBuf, Option<Stamp>>);

impl NamedFiles {
    /// Every word counts that could be one: what is no file does no harm.
    pub(crate) fn look(line: &str, folder: &Path) -> Self {
        let apart = |each: char| each.is_whitespace() || "'\"`;|&<>(){}=,$".contains(each);
        let quoted = line.split(['\'', '"']);
        let words = line.split(apart).chain(quoted);
        let words = words.filter(|word| !word.is_empty());
        let files = words.take(WORDS).map(|word| {
            let path: PathBuf = folder.join(word).components().collect();
            let stamp = stamp(&path);
            (path, stamp)
        });
        Self(files.collect())
    }

    /// Which of them are others by now, made or gone, below the project by their
    /// path in it.
    pub(crate) fn changed_since(&self, before: &Self, root: &Path) -> Vec<String> {
        let changed = self.0.iter().filter(|(path, stamp)| {
            let known = before.0.get(*path);
            known.is_some_and(|known| known != *stamp)
        });
        let shown = |path: &Path| {
            path.strip_prefix(root)
                .unwrap_or(path)
                .display()
                .to_string()
        };
        changed.map(|(path, _)| shown(path)).collect()
    }
}

fn stamp(path: &Path) -> Option<Stamp> {
    let facts = path.metadata().ok().filter(std::fs::Metadata::is_file)?;
    Some((
        facts.dev(),
        facts.ino(),
        facts.size(),
        facts.mtime(),
        facts.mtime_nsec(),
        facts.ctime(),
        facts.ctime_nsec(),
    ))
}
