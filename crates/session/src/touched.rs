//! Which files a session changed, from its checkpoints alone: how each stood
//! before the session, and how the session left it. Read line by line, so a log
//! of any size is not held. Looks at no file of the project.

use crate::lines::Lines;
use crate::record::decode;
use crate::{Blobs, SessionError, Store};
use std::collections::BTreeMap;
use tenon_vocab::{BlobRef, Checkpoint, CheckpointAction, Event, EventKind, FileChange, SessionId};

/// A file that the session changed.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Touched {
    /// Relative to the root of the session, with `/`.
    pub path: String,
    pub before: Before,
    pub after: After,
}

/// How a file stood before the session.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Before {
    Absent,
    Kept {
        content: BlobRef,
        /// Unix permission bits, and those of the type where it is no file.
        mode: Option<u32>,
    },
    /// Why it is not known.
    Unkept(String),
}

/// How the session left a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum After {
    Gone,
    /// The hash of its content.
    Content(String),
    Unknown,
}

impl Store {
    /// By path.
    ///
    /// # Errors
    /// When there is no such session or its file cannot be read.
    pub fn touched(&self, id: SessionId) -> Result<Vec<Touched>, SessionError> {
        let place = self.place(id)?;
        let say = |error| SessionError::io("read", &place.log, error);
        let file = tenon_files::open(&place.log).map_err(say)?;
        let blobs = Blobs::in_folder(place.blobs());
        let mut gathered = Gathered::default();
        let mut lines = Lines::new(&file, 0);
        while let Some(line) = lines.next_whole().map_err(say)? {
            let event = std::str::from_utf8(&line.bytes)
                .ok()
                .filter(|text| text.contains(r#""type":"checkpoint""#))
                .and_then(|text| decode(text, &blobs).ok());
            if let Some(event) = event {
                gathered.take(&event);
            }
        }
        Ok(gathered.finish())
    }

    /// The content beside the log of a session.
    ///
    /// # Errors
    /// When there is no such session.
    pub fn blobs(&self, id: SessionId) -> Result<Blobs, SessionError> {
        Ok(Blobs::in_folder(self.place(id)?.blobs()))
    }
}

/// The same from events.
pub fn touched<'a>(events: impl IntoIterator<Item = &'a Event>) -> Vec<Touched> {
    let mut gathered = Gathered::default();
    for event in events {
        gathered.take(event);
    }
    gathered.finish()
}

#[derive(Debug, Default)]
struct Gathered {
    files: BTreeMap<String, Touched>,
    /// Kept before a command that might have changed them: no change yet.
    ahead: BTreeMap<String, Before>,
}

impl Gathered {
    fn take(&mut self, event: &Event) {
        let EventKind::Checkpoint(checkpoint) = &event.kind else {
            return;
        };
        for file in checkpoint.files.iter() {
            // A folder has no content to compare.
            if file.is_of_folder() {
                continue;
            }
            if checkpoint.ahead {
                let first = before(file);
                self.ahead.entry(file.path.clone()).or_insert(first);
            } else {
                self.changed(file);
            }
        }
        self.unkept(checkpoint);
    }

    fn changed(&mut self, file: &FileChange) {
        let after = match &file.after {
            Some(hash) => After::Content(hash.clone()),
            None if file.after_mark.is_some() => After::Unknown,
            None => After::Gone,
        };
        match self.files.get_mut(&file.path) {
            Some(known) => known.after = after,
            None => {
                let first = self.ahead.get(&file.path).cloned();
                self.insert(&file.path, first.unwrap_or_else(|| before(file)), after);
            }
        }
    }

    /// Of an undo this names what was left as it is, which is no change.
    fn unkept(&mut self, checkpoint: &Checkpoint) {
        if checkpoint.action != CheckpointAction::Saved || checkpoint.ahead {
            return;
        }
        for file in &checkpoint.unkept {
            match self.files.get_mut(&file.path) {
                Some(known) => known.after = After::Unknown,
                None => {
                    let first = self.ahead.get(&file.path).cloned();
                    let first = first.unwrap_or_else(|| Before::Unkept(file.reason.clone()));
                    self.insert(&file.path, first, After::Unknown);
                }
            }
        }
    }

    fn insert(&mut self, path: &str, before: Before, after: After) {
        let touched = Touched {
            path: path.to_owned(),
            before,
            after,
        };
        self.files.insert(path.to_owned(), touched);
    }

    fn finish(self) -> Vec<Touched> {
        self.files.into_values().collect()
    }
}

fn before(file: &FileChange) -> Before {
    match &file.before {
        Some(content) => Before::Kept {
            content: content.clone(),
            mode: file.mode,
        },
        None if file.before_mark.is_some() => Before::Unkept(String::from("it was moved away")),
        // Not new, so it is not shown as a file that was made.
        None if file.after_mark.is_some() => Before::Unkept(String::from("it was moved here")),
        None => Before::Absent,
    }
}
