//! From two looks at the tree to what was changed between them: the times say
//! where to look, the content decides.

use super::Found;
use super::keep::{Shelf, reason};
use crate::core::Core;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_tools::workspace::{EntryKind, Scan, Scanned, Standing, Suspect};
use tenon_vocab::{BlobRef, FileChange, Unkept};

/// What is recorded of one command.
const FILES: usize = 20_000;
const TIME: Duration = Duration::from_secs(20);
/// How far the clock of a file system may lag.
const CLOCK: Duration = Duration::from_millis(10);

/// What stood there before, as far as it is known.
enum Was {
    Absent,
    Folder(u32),
    /// A file or a link.
    Content {
        bytes: Vec<u8>,
        mode: u32,
        stored: u64,
    },
    Unknown(String),
}

/// `edits` are changes that the file tools have recorded already.
pub(super) fn changes(
    core: &Arc<Core>,
    shelf: &mut Shelf,
    before: &Scan,
    after: &Scan,
    edits: &HashMap<String, Option<String>>,
) -> Found {
    let suspects = Scan::suspects(before, after);
    let hidden = suspects.iter().any(is_of_rules) || before.rules() != after.rules();
    let mut comparing = Comparing {
        core,
        shelf,
        edits,
        begun: before.begun(),
        hidden,
        found: Found::default(),
    };
    let until = Instant::now() + TIME;
    let count = suspects.len();
    for (index, suspect) in suspects.iter().enumerate() {
        if comparing.found.files.len() >= FILES || Instant::now() > until {
            comparing.found.unkept.push(Unkept {
                path: format!("{} more", count - index),
                reason: String::from("one command changed more than is recorded"),
            });
            break;
        }
        comparing.one(suspect);
    }
    comparing.found
}

/// A change of these makes files appear and vanish that nobody touched.
fn is_of_rules(suspect: &Suspect<'_>) -> bool {
    let name = suspect.path().rsplit('/').next();
    suspect.stamped && matches!(name, Some(".gitignore" | ".ignore"))
}

struct Comparing<'a> {
    core: &'a Arc<Core>,
    shelf: &'a mut Shelf,
    edits: &'a HashMap<String, Option<String>>,
    begun: std::time::SystemTime,
    /// Whether what is ignored may have changed.
    hidden: bool,
    found: Found,
}

impl Comparing<'_> {
    fn one(&mut self, suspect: &Suspect<'_>) {
        let path = suspect.path();
        let is_named = [suspect.before, suspect.after]
            .into_iter()
            .flatten()
            .all(|entry| entry.readable);
        if !is_named {
            return self.unkept(path, "its name is not UTF-8");
        }
        let was = self.was(suspect.before);
        if matches!(was, Was::Unknown(_)) && !suspect.stamped {
            return;
        }
        let now = match self.core.workspace.stand(path) {
            Ok(stand) => stand.standing,
            Err(error) => return self.unkept(path, &format!("it cannot be looked at: {error}")),
        };
        if self.edits.get(path).is_some_and(|after| is(&now, after)) || same(&was, &now) {
            return;
        }
        if suspect.before.is_none() && self.hidden && !self.is_new(path) {
            return;
        }
        self.changed(path, was, &now);
    }

    /// Where the rules of what is ignored changed, only a file that was born
    /// since is surely the command's.
    fn is_new(&mut self, path: &str) -> bool {
        let born = self.core.workspace.born(path);
        let is_new = born.is_some_and(|born| born >= self.begun);
        let is_old = born.is_some_and(|born| born + CLOCK < self.begun);
        if !is_new && !is_old {
            self.unkept(path, "it may have been there, ignored, before the command");
        }
        is_new
    }

    fn was(&self, before: Option<&Scanned>) -> Was {
        let Some(entry) = before else {
            return Was::Absent;
        };
        let mode = entry.stamp.mode & 0o7777;
        match entry.kind {
            EntryKind::Folder => Was::Folder(mode | FileChange::FOLDER),
            EntryKind::Other => Was::Unknown(reason(self.core, entry)),
            EntryKind::File | EntryKind::Link => match self.shelf.content(entry) {
                Some((place, bytes)) => Was::Content {
                    bytes,
                    mode: match entry.kind {
                        EntryKind::Link => FileChange::LINK,
                        _ => mode,
                    },
                    stored: place.stored(),
                },
                None => Was::Unknown(reason(self.core, entry)),
            },
        }
    }

    fn changed(&mut self, path: &str, was: Was, now: &Standing) {
        let (mode, before) = match was {
            Was::Absent => (None, None),
            Was::Folder(mode) => (Some(mode), None),
            Was::Unknown(reason) => return self.unkept(path, &reason),
            Was::Content {
                bytes,
                mode,
                stored,
            } => match self.store(&bytes, stored) {
                Ok(blob) => (Some(mode), Some(blob)),
                Err(why) => return self.unkept(path, &why),
            },
        };
        let (after, after_mode) = match now {
            Standing::Absent => (None, None),
            Standing::File { sha256, mode, .. } => (Some(sha256.clone()), Some(*mode)),
            Standing::Link { sha256, .. } => (Some(sha256.clone()), Some(FileChange::LINK)),
            Standing::Folder { mode } => (None, Some(mode | FileChange::FOLDER)),
            Standing::Large { size } => {
                return self.unkept(path, &format!("it has {size} bytes now, too many to watch"));
            }
            Standing::Other => {
                return self.unkept(path, "it is a pipe, a socket or a device now");
            }
        };
        self.found.files.push(FileChange {
            path: path.to_owned(),
            mode,
            before,
            after,
            after_mode,
        });
    }

    fn store(&mut self, bytes: &[u8], stored: u64) -> Result<BlobRef, String> {
        let blobs = self.core.emitter.blobs();
        let used = self
            .shelf
            .stored
            .get_or_insert_with(|| blobs.stored_bytes());
        let limit = self.core.given.checkpoints.total_bytes;
        if *used + stored > limit {
            return Err(format!(
                "this session keeps {limit} bytes already (`checkpoints.max_bytes`)"
            ));
        }
        *used += stored;
        blobs.put_file(bytes).map_err(|error| error.to_string())
    }

    fn unkept(&mut self, path: &str, reason: &str) {
        self.found.unkept.push(Unkept {
            path: path.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

fn is(now: &Standing, after: &Option<String>) -> bool {
    match (now, after) {
        (Standing::Absent, None) => true,
        (Standing::File { sha256, .. }, Some(after)) => sha256 == after,
        _ => false,
    }
}

fn same(was: &Was, now: &Standing) -> bool {
    match (was, now) {
        (Was::Absent, Standing::Absent) => true,
        (Was::Folder(was), Standing::Folder { mode }) => *was == mode | FileChange::FOLDER,
        (
            Was::Content { bytes, mode, .. },
            Standing::File {
                bytes: now,
                mode: to,
                ..
            },
        ) => bytes == now && mode == to,
        (Was::Content { bytes, mode, .. }, Standing::Link { target, .. }) => {
            bytes == target && *mode == FileChange::LINK
        }
        _ => false,
    }
}
