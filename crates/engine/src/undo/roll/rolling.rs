//! The deeds of an undo, in their order: removes before it makes, inner before
//! outer. What stands in a place is kept before anything is done there, and it is
//! looked at once more in the moment in which it is done.

use super::super::chain::{Item, Was};
use super::differs;
use super::pairs::{Pair, pairs};
use std::collections::{BTreeMap, BTreeSet};
use tenon_session::{Blobs, SessionError};
use tenon_tools::Workspace;
use tenon_tools::workspace::{Standing, Wanted, WorkspaceError, sha256};
use tenon_vocab::{BlobRef, FileChange, Unkept};

/// One step for one path or two; some paths take two.
#[derive(Clone, Copy)]
pub(super) enum Step<'a> {
    /// Take away what stands there.
    Clear(&'a Item),
    /// Put there what shall be.
    Put(&'a Item),
    /// From one place to the other.
    Move(Pair<'a>),
}

impl<'a> Step<'a> {
    fn items(self) -> impl Iterator<Item = &'a Item> {
        let (first, second) = match self {
            Self::Clear(item) | Self::Put(item) => (item, None),
            Self::Move(pair) => (pair.from, Some(pair.to)),
        };
        std::iter::once(first).chain(second)
    }
}

/// All of them, in order.
pub(super) fn steps(items: &[Item]) -> Vec<Step<'_>> {
    let is_folder = |was: &Was| matches!(was, Was::Folder { .. });
    let is_content = |was: &Was| matches!(was, Was::File { .. } | Was::Link { .. });
    let moves = pairs(items);
    let above: BTreeSet<&str> = moves
        .iter()
        .flat_map(|pair| {
            let path = pair.to.path.as_str();
            path.match_indices('/').map(|(at, _)| &path[..at])
        })
        .collect();
    // Files and links that make place: for nothing, or for a folder.
    let files = items
        .iter()
        .filter(|item| is_content(&item.left) && !is_content(&item.to));
    // Folders, the inner ones first.
    let folders = items
        .iter()
        .rev()
        .filter(|item| is_folder(&item.left) && !is_folder(&item.to));
    // Those that something is moved to come first, and what is moved away leaves
    // its folder empty.
    let (first, made): (Vec<&Item>, Vec<&Item>) = items
        .iter()
        .filter(|item| is_folder(&item.to))
        .partition(|item| above.contains(item.path.as_str()));
    let given = items.iter().filter(|item| is_content(&item.to));
    files
        .map(Step::Clear)
        .chain(first.into_iter().map(Step::Put))
        .chain(moves.into_iter().map(Step::Move))
        .chain(folders.map(Step::Clear))
        .chain(made.into_iter().chain(given).map(Step::Put))
        .collect()
}

pub(super) struct Rolling<'a> {
    workspace: &'a Workspace,
    blobs: &'a Blobs,
    /// What stood there, with what shall: by path.
    kept: BTreeMap<String, FileChange>,
    /// Paths that are left, whatever is still to be done there.
    spared: BTreeSet<String>,
    /// What was truly done, by path.
    touched: BTreeMap<String, FileChange>,
    left: Vec<Unkept>,
    /// What is not kept.
    lost: BTreeMap<String, Unkept>,
}

impl<'a> Rolling<'a> {
    pub(super) fn new(
        workspace: &'a Workspace,
        blobs: &'a Blobs,
        lost: BTreeMap<String, Unkept>,
        left: Vec<Unkept>,
    ) -> Self {
        Self {
            workspace,
            blobs,
            kept: BTreeMap::new(),
            spared: BTreeSet::new(),
            touched: BTreeMap::new(),
            left,
            lost,
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
        for item in steps.iter().flat_map(|step| step.items()) {
            if self.kept.contains_key(&item.path) || self.spared.contains(&item.path) {
                continue;
            }
            match self.keep_one(item) {
                Ok(mut change) => {
                    shall(&mut change, &item.to);
                    ahead.push(change.clone());
                    self.kept.insert(item.path.clone(), change);
                }
                Err(why) => self.leave(item, &why),
            }
        }
        ahead
    }

    fn keep_one(&self, item: &Item) -> Result<FileChange, String> {
        if let Was::Marked { mark, mode } = &item.left {
            let stamp = self.workspace.stamp(&item.path);
            if !stamp.is_some_and(|stamp| item.left.is_file(&stamp)) {
                return Err(String::from("it was changed since"));
            }
            return Ok(FileChange {
                mode: Some(*mode),
                before_mark: Some(mark.clone()),
                ..nothing(&item.path)
            });
        }
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

    /// `None` when it goes for good.
    fn store(&self, item: &Item, content: &[u8]) -> Result<Option<BlobRef>, String> {
        if self.lost.contains_key(&item.path) {
            return Ok(None);
        }
        let stored = self.blobs.put_file(content);
        stored.map(Some).map_err(|error| error.to_string())
    }

    /// Does these steps.
    pub(super) fn take(&mut self, steps: &[Step<'_>]) {
        for step in steps {
            let is_spared = |item: &&Item| self.spared.contains(&item.path);
            if let Some(spared) = step.items().find(is_spared) {
                let why = format!("{} is left", spared.path);
                step.items().for_each(|item| self.leave(item, &why));
                continue;
            }
            let done = match step {
                Step::Clear(item) => self.put(item, &Wanted::Absent),
                Step::Put(item) => self.give(item),
                Step::Move(pair) => self.bring(pair),
            };
            if let Err(why) = done {
                step.items().for_each(|item| self.leave(item, &why));
            }
        }
    }

    fn give(&mut self, item: &Item) -> Result<(), String> {
        match &item.to {
            Was::Absent | Was::Lost | Was::Marked { .. } => self.put(item, &Wanted::Absent),
            Was::Folder { mode } => self.put(item, &Wanted::Folder { mode: *mode }),
            Was::File { blob, mode, .. } => {
                let bytes = self.content(blob.as_ref())?;
                self.put(
                    item,
                    &Wanted::File {
                        bytes: &bytes,
                        mode: *mode,
                    },
                )
            }
            Was::Link { blob, .. } => {
                let target = self.content(blob.as_ref())?;
                self.put(item, &Wanted::Link { target: &target })
            }
        }
    }

    /// Moves a file. The workspace looks whether it is still that one.
    fn bring(&mut self, pair: &Pair<'_>) -> Result<(), String> {
        let Pair { from, to, mark } = pair;
        self.workspace
            .move_back(&from.path, mark, &to.path)
            .map_err(|error| why(&error))?;
        set_after(self.touch(from), None, None);
        let change = self.touch(to);
        shall(change, &to.to);
        Ok(())
    }

    /// What is recorded of a path that something was done to.
    fn touch(&mut self, item: &Item) -> &mut FileChange {
        let kept = self.kept.get(&item.path).cloned();
        self.touched
            .entry(item.path.clone())
            .or_insert_with(|| kept.unwrap_or_else(|| nothing(&item.path)))
    }

    fn content(&self, blob: Option<&BlobRef>) -> Result<Vec<u8>, String> {
        let blob = blob.ok_or("its content is unknown")?;
        let content = self.blobs.get(blob);
        content.map_err(|error: SessionError| error.to_string())
    }

    /// One step. It is done only to what was kept.
    fn put(&mut self, item: &Item, wanted: &Wanted<'_>) -> Result<(), String> {
        let stand = self
            .workspace
            .stand(&item.path)
            .map_err(|error| error.to_string())?;
        // The second step for a path finds what the first one left: nothing.
        let left = match self.touched.contains_key(&item.path) {
            true => &Was::Absent,
            false => &item.left,
        };
        if !left.is(&stand.standing) {
            return Err(differs(left, &stand.standing));
        }
        self.workspace
            .put_back(&item.path, &stand, wanted)
            .map_err(|error| why(&error))?;
        let (after, mode) = told(wanted);
        set_after(self.touch(item), after, mode);
        Ok(())
    }

    fn leave(&mut self, item: &Item, reason: &str) {
        if !self.spared.insert(item.path.clone()) {
            return;
        }
        self.left.push(Unkept {
            path: item.path.clone(),
            reason: reason.to_owned(),
        });
    }
}

fn nothing(path: &str) -> FileChange {
    FileChange {
        path: path.to_owned(),
        mode: None,
        before: None,
        after: None,
        after_mode: None,
        ..FileChange::default()
    }
}

fn set_after(change: &mut FileChange, after: Option<String>, mode: Option<u32>) {
    (change.after, change.after_mode) = (after, mode);
    change.after_mark = None;
}

/// Says in a record that this stands there.
fn shall(change: &mut FileChange, to: &Was) {
    let (after, mode) = match to {
        Was::Absent | Was::Lost => (None, None),
        Was::File { sha256, mode, .. } => (Some(sha256.clone()), mode.map(|mode| mode & 0o777)),
        Was::Link { sha256, .. } => (Some(sha256.clone()), Some(FileChange::LINK)),
        Was::Folder { mode } => (None, Some(mode & 0o1777 | FileChange::FOLDER)),
        Was::Marked { mode, .. } => (None, Some(*mode)),
    };
    set_after(change, after, mode);
    change.after_mark = to.mark().cloned();
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
