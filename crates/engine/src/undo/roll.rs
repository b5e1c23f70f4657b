//! Takes the changes of some records back, path by path. First it looks, then it
//! says what it would do, then it does it: removes before it makes, inner before
//! outer. Whatever is not as the session left it stays, and is named.

use super::chain::{Item, Was, chain};
use std::collections::{BTreeMap, BTreeSet};
use tenon_session::{Blobs, SessionError};
use tenon_tools::Workspace;
use tenon_tools::workspace::{Stand, Standing, Wanted, WorkspaceError};
use tenon_vocab::{Checkpoint, FileChange, Unkept};

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// It was made by the session.
    Removed,
    /// It was removed by the session.
    BroughtBack,
    Restored,
}

impl Deed {
    /// One word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::BroughtBack => "brought back",
            Self::Restored => "restored",
        }
    }
}

/// What would be done, and what would not.
#[derive(Debug, Default)]
pub struct Plan {
    items: Vec<Item>,
    /// Left as they are, and why.
    pub left: Vec<Unkept>,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Outcome {
    pub done: Vec<(String, Deed)>,
    pub left: Vec<Unkept>,
}

impl Item {
    fn deed(&self) -> Deed {
        match (&self.to, &self.left) {
            (Was::Absent, _) => Deed::Removed,
            (_, Was::Absent) => Deed::BroughtBack,
            _ => Deed::Restored,
        }
    }

    fn is_folder(&self) -> bool {
        matches!(
            (&self.left, &self.to),
            (Was::Folder { .. }, _) | (_, Was::Folder { .. })
        )
    }
}

impl Plan {
    /// Looks at each path; changes nothing. `records` are in the order of the log.
    #[must_use]
    pub fn make(workspace: &Workspace, records: &[Checkpoint]) -> Self {
        let chained = chain(records);
        let mut plan = Self {
            items: Vec::new(),
            left: chained.unkept,
        };
        let mut stays = Vec::new();
        for item in chained.items {
            match look(workspace, &item) {
                Look::AsLeft => {
                    if item.in_part {
                        plan.leave(&item.path, IN_PART);
                    }
                    plan.items.push(item);
                }
                Look::Already => {}
                Look::Differs(why) => {
                    plan.leave(&item.path, &why);
                    stays.push(item);
                }
            }
        }
        plan.spare_moved(stays);
        plan
    }

    /// What was moved is taken from its new place only when it comes back to its
    /// old one. `stays` are places that do not get back what they held.
    fn spare_moved(&mut self, mut stays: Vec<Item>) {
        while !stays.is_empty() {
            let given: BTreeSet<&str> = self
                .items
                .iter()
                .filter_map(|item| item.to.hash())
                .collect();
            let missed: BTreeMap<&str, &str> = stays
                .iter()
                .filter_map(|item| Some((item.to.hash()?, item.path.as_str())))
                .filter(|(hash, _)| !given.contains(hash))
                .collect();
            let holds = |item: &Item| item.left.hash().and_then(|hash| missed.get(hash)).copied();
            let spared: BTreeMap<String, String> = self
                .items
                .iter()
                .filter_map(|item| Some((item.path.clone(), holds(item)?.to_owned())))
                .collect();
            for (path, old) in &spared {
                self.leave(
                    path,
                    &format!("it holds what was in {old}, which is left too"),
                );
            }
            let items = std::mem::take(&mut self.items);
            (stays, self.items) = items
                .into_iter()
                .partition(|item| spared.contains_key(&item.path));
        }
    }

    fn leave(&mut self, path: &str, reason: &str) {
        self.left.push(Unkept {
            path: path.to_owned(),
            reason: reason.to_owned(),
        });
    }

    /// What would be done to each file, by path.
    pub fn deeds(&self) -> impl Iterator<Item = (&str, Deed)> {
        self.items
            .iter()
            .filter(|item| !item.is_folder())
            .map(|item| (item.path.as_str(), item.deed()))
    }

    /// Whether nothing was changed at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.items.is_empty() && self.left.is_empty()
    }

    /// Does it. `emit` records what was done, some files at a time, and is called
    /// at least once; `last` of it says that no more follow.
    ///
    /// # Errors
    /// When the log cannot be written. What was done before is in it.
    pub fn carry_out(
        self,
        workspace: &Workspace,
        blobs: &Blobs,
        mut emit: impl FnMut(Vec<FileChange>, Vec<Unkept>) -> Result<(), SessionError>,
    ) -> Result<Outcome, SessionError> {
        let mut rolling = Rolling {
            workspace,
            blobs,
            touched: BTreeMap::new(),
            left: self.left,
        };
        rolling.all(&self.items);
        let Rolling { touched, left, .. } = rolling;
        let deeds: BTreeMap<&str, (Deed, bool)> = self
            .items
            .iter()
            .map(|item| (item.path.as_str(), (item.deed(), item.is_folder())))
            .collect();
        let done = touched
            .keys()
            .filter_map(|path| Some((path.clone(), deeds.get(path.as_str())?)))
            .filter(|(_, (_, folder))| !folder)
            .map(|(path, (deed, _))| (path, *deed))
            .collect();
        let files: Vec<FileChange> = touched.into_values().collect();
        let mut chunks: Vec<Vec<FileChange>> = files
            .chunks(crate::checkpoint::RECORD)
            .map(<[_]>::to_vec)
            .collect();
        let last = chunks.pop().unwrap_or_default();
        for chunk in chunks {
            emit(chunk, Vec::new())?;
        }
        emit(last, left.clone())?;
        Ok(Outcome { done, left })
    }
}

const IN_PART: &str =
    "you changed it during the run: it goes back to what you made of it, not further";

enum Look {
    AsLeft,
    Already,
    Differs(String),
}

fn look(workspace: &Workspace, item: &Item) -> Look {
    if item.path.starts_with('/') {
        return Look::Differs(String::from("it is outside the project"));
    }
    match workspace.stand(&item.path) {
        Ok(stand) if item.left.is(&stand.standing) => Look::AsLeft,
        Ok(stand) if item.to.is(&stand.standing) => Look::Already,
        Ok(stand) => Look::Differs(differs(&item.left, &stand.standing)),
        Err(error) => Look::Differs(error.to_string()),
    }
}

fn differs(left: &Was, standing: &Standing) -> String {
    String::from(match (left, standing) {
        (_, Standing::Absent) => "it was removed since",
        (Was::Absent, _) => "it was made again since",
        (Was::File { sha256, .. }, Standing::File { sha256: now, .. }) if sha256 == now => {
            "its permissions were changed since"
        }
        _ => "it was changed since",
    })
}

struct Rolling<'a> {
    workspace: &'a Workspace,
    blobs: &'a Blobs,
    /// What was truly done, by path.
    touched: BTreeMap<String, FileChange>,
    left: Vec<Unkept>,
}

impl Rolling<'_> {
    fn all(&mut self, items: &[Item]) {
        // Files and links that make place: for nothing, or for a folder.
        for item in items {
            let makes_place = matches!(item.to, Was::Absent | Was::Folder { .. });
            if makes_place && !matches!(item.left, Was::Absent | Was::Folder { .. }) {
                self.put(item, &Wanted::Absent);
            }
        }
        // Folders, the inner ones first.
        for item in items.iter().rev() {
            let is_folder = matches!(item.left, Was::Folder { .. });
            if is_folder && !matches!(item.to, Was::Folder { .. }) {
                self.put(item, &Wanted::Absent);
            }
        }
        for item in items {
            if let Was::Folder { mode } = item.to {
                self.put(item, &Wanted::Folder { mode });
            }
        }
        for item in items {
            match &item.to {
                Was::File { blob, mode, .. } => self.give(item, blob.as_ref(), |bytes| {
                    Wanted::File { bytes, mode: *mode }
                }),
                Was::Link { blob, .. } => {
                    self.give(item, blob.as_ref(), |target| Wanted::Link { target });
                }
                _ => {}
            }
        }
    }

    fn give(
        &mut self,
        item: &Item,
        blob: Option<&tenon_vocab::BlobRef>,
        wanted: impl for<'b> Fn(&'b [u8]) -> Wanted<'b>,
    ) {
        let Some(blob) = blob else {
            return self.leave(item, "what it held is not known");
        };
        match self.blobs.get(blob) {
            Ok(content) => self.put(item, &wanted(&content)),
            Err(error) => self.leave(item, &error.to_string()),
        }
    }

    /// One step. What stands there is kept first: a redo needs it.
    fn put(&mut self, item: &Item, wanted: &Wanted<'_>) {
        let begun = self.touched.contains_key(&item.path);
        let stand = match self.workspace.stand(&item.path) {
            Ok(stand) => stand,
            Err(error) => return self.leave(item, &error.to_string()),
        };
        // The second step for a path finds what the first one left.
        if !begun && !item.left.is(&stand.standing) {
            return self.leave(item, &differs(&item.left, &stand.standing));
        }
        let before = match (begun, self.keep(item, &stand)) {
            (true, _) => None,
            (false, Ok(change)) => Some(change),
            (false, Err(error)) => return self.leave(item, &error.to_string()),
        };
        match self.workspace.put_back(&item.path, &stand, wanted) {
            Ok(()) => {
                let (after, after_mode) = told(wanted);
                let change = self
                    .touched
                    .entry(item.path.clone())
                    .or_insert_with(|| before.unwrap_or_else(|| nothing(&item.path)));
                change.after = after;
                change.after_mode = after_mode;
            }
            Err(error) => self.leave(item, &why(&error)),
        }
    }

    fn keep(&self, item: &Item, stand: &Stand) -> Result<FileChange, SessionError> {
        let mut change = nothing(&item.path);
        match &stand.standing {
            Standing::File { bytes, mode, .. } => {
                change.mode = Some(*mode);
                change.before = Some(self.blobs.put_file(bytes)?);
            }
            Standing::Link { target, .. } => {
                change.mode = Some(FileChange::LINK);
                change.before = Some(self.blobs.put_file(target)?);
            }
            Standing::Folder { mode } => change.mode = Some(mode | FileChange::FOLDER),
            Standing::Absent | Standing::Large { .. } | Standing::Other => {}
        }
        Ok(change)
    }

    fn leave(&mut self, item: &Item, reason: &str) {
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
    }
}

fn told(wanted: &Wanted<'_>) -> (Option<String>, Option<u32>) {
    let hash = tenon_tools::workspace::sha256;
    match wanted {
        Wanted::Absent => (None, None),
        Wanted::File { bytes, mode } => (Some(hash(bytes)), mode.map(|mode| mode & 0o777)),
        Wanted::Link { target } => (Some(hash(target)), Some(FileChange::LINK)),
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
