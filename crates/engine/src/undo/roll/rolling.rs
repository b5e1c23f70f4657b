//! The deeds of an undo, in their order: removes before it makes, inner before
//! outer. What stands in a place is kept before anything is done there, and it is
//! looked at once more in the moment in which it is done.

use super::super::chain::{Item, Was};
use super::differs;
use std::collections::{BTreeMap, BTreeSet};
use tenon_session::{Blobs, SessionError};
use tenon_tools::Workspace;
use tenon_tools::workspace::{Standing, Wanted, WorkspaceError, sha256};
use tenon_vocab::{BlobRef, FileChange, Unkept};

/// How often it is measured anew what is stored: contents are packed, so more
/// fits than their sizes say.
const MEASURES: u32 = 8;

/// One step for one path; some take two.
#[derive(Clone, Copy)]
pub(super) struct Step<'a> {
    item: &'a Item,
    what: What,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum What {
    /// Take away what stands there.
    Clear,
    /// Put there what shall be.
    Put,
}

/// All of them, in order.
pub(super) fn steps(items: &[Item]) -> Vec<Step<'_>> {
    let is_folder = |was: &Was| matches!(was, Was::Folder { .. });
    let is_content = |was: &Was| matches!(was, Was::File { .. } | Was::Link { .. });
    let step = |what: What| move |item| Step { item, what };
    // Files and links that make place: for nothing, or for a folder.
    let files = items
        .iter()
        .filter(|item| is_content(&item.left) && !is_content(&item.to));
    // Folders, the inner ones first.
    let folders = items
        .iter()
        .rev()
        .filter(|item| is_folder(&item.left) && !is_folder(&item.to));
    let made = items.iter().filter(|item| is_folder(&item.to));
    let given = items.iter().filter(|item| is_content(&item.to));
    files
        .chain(folders)
        .map(step(What::Clear))
        .chain(made.chain(given).map(step(What::Put)))
        .collect()
}

pub(super) struct Rolling<'a> {
    workspace: &'a Workspace,
    blobs: &'a Blobs,
    room: Room,
    /// What stood there, with what shall: by path.
    kept: BTreeMap<String, FileChange>,
    /// Paths that are left, whatever is still to be done there.
    spared: BTreeSet<String>,
    /// What was truly done, by path.
    touched: BTreeMap<String, FileChange>,
    left: Vec<Unkept>,
    lost: BTreeMap<String, Unkept>,
}

impl<'a> Rolling<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        blobs: &'a Blobs,
        room: u64,
        left: Vec<Unkept>,
    ) -> Self {
        Self {
            workspace,
            blobs,
            room: Room {
                limit: room,
                used: u64::MAX,
                measures: 0,
            },
            kept: BTreeMap::new(),
            spared: BTreeSet::new(),
            touched: BTreeMap::new(),
            left,
            lost: BTreeMap::new(),
        }
    }

    /// What was done, what was left, and what cannot be given again.
    pub(super) fn finish(self) -> (Vec<FileChange>, Vec<Unkept>, Vec<Unkept>) {
        let touched = self.touched;
        let lost = self
            .lost
            .into_iter()
            .filter(|(path, _)| touched.contains_key(path))
            .map(|(_, unkept)| unkept)
            .collect();
        (touched.into_values().collect(), self.left, lost)
    }

    /// Keeps what stands where these steps go, and says what they will do.
    pub(super) fn keep(&mut self, steps: &[Step<'_>]) -> Vec<FileChange> {
        let mut ahead = Vec::new();
        for Step { item, .. } in steps {
            if self.kept.contains_key(&item.path) || self.spared.contains(&item.path) {
                continue;
            }
            match self.keep_one(item) {
                Ok(mut change) => {
                    (change.after, change.after_mode) = shall(&item.to);
                    ahead.push(change.clone());
                    self.kept.insert(item.path.clone(), change);
                }
                Err(why) => self.leave(item, &why),
            }
        }
        ahead
    }

    fn keep_one(&mut self, item: &Item) -> Result<FileChange, String> {
        let stand = self
            .workspace
            .stand(&item.path)
            .map_err(|error| error.to_string())?;
        if !item.left.is(&stand.standing) {
            return Err(differs(&item.left, &stand.standing));
        }
        let mut change = nothing(&item.path);
        match &stand.standing {
            Standing::File { bytes, mode, .. } => {
                change.mode = Some(*mode);
                change.before = self.store(item, bytes)?;
            }
            Standing::Link { target, .. } => {
                change.mode = Some(FileChange::LINK);
                change.before = self.store(item, target)?;
            }
            Standing::Folder { mode } => change.mode = Some(mode | FileChange::FOLDER),
            Standing::Absent | Standing::Large { .. } | Standing::Other => {}
        }
        Ok(change)
    }

    /// `None` when there is no room for it.
    fn store(&mut self, item: &Item, content: &[u8]) -> Result<Option<BlobRef>, String> {
        let name = BlobRef {
            sha256: sha256(content),
            bytes: content.len() as u64,
        };
        if self.blobs.get(&name).is_ok() {
            return Ok(Some(name));
        }
        if !self.room.takes(self.blobs, name.bytes) {
            let reason = format!(
                "this session keeps {} bytes already (`checkpoints.max_bytes`)",
                self.room.limit
            );
            let path = item.path.clone();
            self.lost.insert(path.clone(), Unkept { path, reason });
            return Ok(None);
        }
        let stored = self.blobs.put_file(content);
        stored.map(Some).map_err(|error| error.to_string())
    }

    /// Does these steps.
    pub(super) fn take(&mut self, steps: &[Step<'_>]) {
        for Step { item, what } in steps {
            if self.spared.contains(&item.path) {
                continue;
            }
            let done = match (what, &item.to) {
                (What::Clear, _) | (_, Was::Absent | Was::Lost) => self.put(item, &Wanted::Absent),
                (_, Was::Folder { mode }) => self.put(item, &Wanted::Folder { mode: *mode }),
                (_, Was::File { blob, mode, .. }) => {
                    self.content(blob.as_ref()).and_then(|bytes| {
                        self.put(
                            item,
                            &Wanted::File {
                                bytes: &bytes,
                                mode: *mode,
                            },
                        )
                    })
                }
                (_, Was::Link { blob, .. }) => self
                    .content(blob.as_ref())
                    .and_then(|target| self.put(item, &Wanted::Link { target: &target })),
            };
            if let Err(why) = done {
                self.leave(item, &why);
            }
        }
    }

    fn content(&self, blob: Option<&BlobRef>) -> Result<Vec<u8>, String> {
        let blob = blob.ok_or("what it held is not known")?;
        let content = self.blobs.get(blob);
        content.map_err(|error: SessionError| error.to_string())
    }

    /// One step. It is done only to what was kept.
    fn put(&mut self, item: &Item, wanted: &Wanted<'_>) -> Result<(), String> {
        let stand = self
            .workspace
            .stand(&item.path)
            .map_err(|error| error.to_string())?;
        // The second step for a path finds what the first one left.
        let is_begun = self.touched.contains_key(&item.path);
        if !is_begun && !item.left.is(&stand.standing) {
            return Err(differs(&item.left, &stand.standing));
        }
        self.workspace
            .put_back(&item.path, &stand, wanted)
            .map_err(|error| why(&error))?;
        let kept = self.kept.get(&item.path).cloned();
        let change = self
            .touched
            .entry(item.path.clone())
            .or_insert_with(|| kept.unwrap_or_else(|| nothing(&item.path)));
        (change.after, change.after_mode) = told(wanted);
        Ok(())
    }

    fn leave(&mut self, item: &Item, reason: &str) {
        self.spared.insert(item.path.clone());
        self.left.push(Unkept {
            path: item.path.clone(),
            reason: reason.to_owned(),
        });
    }
}

/// What may still be kept.
struct Room {
    limit: u64,
    used: u64,
    measures: u32,
}

impl Room {
    fn takes(&mut self, blobs: &Blobs, bytes: u64) -> bool {
        let fits = |used: u64| used.saturating_add(bytes) <= self.limit;
        if !fits(self.used) && self.measures < MEASURES {
            self.measures += 1;
            self.used = blobs.stored_bytes();
        }
        let takes = self.used.saturating_add(bytes) <= self.limit;
        if takes {
            self.used += bytes;
        }
        takes
    }
}

fn nothing(path: &str) -> FileChange {
    FileChange {
        path: path.to_owned(),
        mode: None,
        before: None,
        after: None,
        after_mode: None,
    }
}

/// What a record says of a place in which this stands.
fn shall(to: &Was) -> (Option<String>, Option<u32>) {
    match to {
        Was::Absent | Was::Lost => (None, None),
        Was::File { sha256, mode, .. } => (Some(sha256.clone()), mode.map(|mode| mode & 0o777)),
        Was::Link { sha256, .. } => (Some(sha256.clone()), Some(FileChange::LINK)),
        Was::Folder { mode } => (None, Some(mode & 0o1777 | FileChange::FOLDER)),
    }
}

fn told(wanted: &Wanted<'_>) -> (Option<String>, Option<u32>) {
    match wanted {
        Wanted::Absent => (None, None),
        Wanted::File { bytes, mode } => (Some(sha256(bytes)), mode.map(|mode| mode & 0o777)),
        Wanted::Link { target } => (Some(sha256(target)), Some(FileChange::LINK)),
        Wanted::Folder { mode } => (None, Some(mode & 0o1777 | FileChange::FOLDER)),
    }
}

fn why(error: &WorkspaceError) -> String {
    let text = error.to_string();
    if text.contains("not empty") {
        return String::from("the folder holds other files");
    }
    text
}
