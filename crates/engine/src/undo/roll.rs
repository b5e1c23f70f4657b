//! Takes the changes of some records back, path by path. First it looks, then it
//! says what it would do, then it does it, some files at a time. Whatever is not
//! as the session left it stays, and is named.

mod pairs;
mod rolling;
mod room;
mod ways;

use super::chain::{Item, Was, chain};
use pairs::Places;
use rolling::Rolling;
use std::collections::{BTreeMap, BTreeSet};
use tenon_session::{Blobs, SessionError};
use tenon_tools::Workspace;
use tenon_tools::workspace::Standing;
use tenon_vocab::{Checkpoint, FileChange, Unkept};
use ways::Ways;

/// What happens to a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Deed {
    /// It was made by the session.
    Removed,
    /// It was removed by the session.
    BroughtBack,
    /// It was moved by the session, and is the same file: nobody has read it.
    MovedBack,
    Restored,
}

impl Deed {
    /// One word for people.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Removed => "removed",
            Self::BroughtBack => "brought back",
            Self::MovedBack => "moved back",
            Self::Restored => "restored",
        }
    }
}

/// What would be done, and what would not.
#[derive(Debug)]
pub struct Plan {
    items: Vec<Item>,
    /// Left as they are, and why.
    pub left: Vec<Unkept>,
    places: Places,
    /// Whether some of them are left only because there is no room to keep them.
    is_tight: bool,
    /// Taken away without being kept, and why.
    lost: BTreeMap<String, Unkept>,
}

/// Which record of an undo it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    /// What is about to be done: it is written first, so that whoever is killed
    /// in the middle has lost nothing.
    Ahead,
    /// What was done.
    Done,
}

/// What was done.
#[derive(Debug, Default)]
pub struct Outcome {
    pub done: Vec<(String, Deed)>,
    pub left: Vec<Unkept>,
    /// Those of `done` that a redo cannot give again, and why.
    pub lost: Vec<Unkept>,
}

impl Item {
    fn deed(&self) -> Deed {
        match (&self.to, &self.left) {
            (Was::Absent, _) => Deed::Removed,
            (Was::Marked { .. }, _) => Deed::MovedBack,
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
            places: Places::of(&chained.items),
            is_tight: false,
            lost: BTreeMap::new(),
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
        plan.spare_moved(workspace, stays);
        plan
    }

    /// With a limit for what the session keeps, in bytes. What an undo takes away
    /// counts: a file that cannot be kept is left, since it may be the only copy.
    #[must_use]
    pub fn within(mut self, workspace: &Workspace, blobs: &Blobs, limit: u64) -> Self {
        let lacking = room::lacking(workspace, blobs, &self.items, limit);
        self.is_tight = !lacking.is_empty();
        let reason = format!("there is no room to keep its content: {}", full(limit));
        for path in &lacking {
            self.leave(path, &reason);
        }
        let items = std::mem::take(&mut self.items);
        let (stays, rest) = items
            .into_iter()
            .partition(|item| lacking.contains(&item.path));
        self.items = rest;
        self.spare_moved(workspace, stays);
        self
    }

    /// With the same limit, for somebody who knows what it means: what cannot be
    /// kept is taken away for good, and named.
    #[must_use]
    pub fn for_good(mut self, workspace: &Workspace, blobs: &Blobs, limit: u64) -> Self {
        let lacking = room::lacking(workspace, blobs, &self.items, limit);
        let reason = full(limit);
        let lost = |path: String| {
            let reason = reason.clone();
            (path.clone(), Unkept { path, reason })
        };
        self.lost = lacking.into_iter().map(lost).collect();
        self
    }

    /// Whether something is left only because there is no room to keep it.
    #[must_use]
    pub fn is_tight(&self) -> bool {
        self.is_tight
    }

    /// Whether something would be taken away for good.
    #[must_use]
    pub fn loses(&self) -> bool {
        !self.lost.is_empty()
    }

    /// What was moved is taken from its new place only when it comes back to its
    /// old one. `stays` are places that do not get back what they held.
    fn spare_moved(&mut self, workspace: &Workspace, mut stays: Vec<Item>) {
        let mut ways = Ways::new(workspace);
        loop {
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
            let told = |old: &str| format!("it has the content of {old}, which is also left");
            let holding = self
                .items
                .iter()
                .filter_map(|item| Some((item.path.clone(), told(holds(item)?))));
            let alone = pairs::alone(&self.items)
                .into_iter()
                .map(|item| (item.path.clone(), self.places.why(item)));
            let shut = ways.shut(&self.items);
            let spared: BTreeMap<String, String> = holding.chain(alone).chain(shut).collect();
            if spared.is_empty() {
                return;
            }
            for (path, why) in &spared {
                self.leave(path, why);
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

    /// Does it. `emit` records what will be done, some files at a time and before
    /// it is done, and then what was done: that at least once.
    ///
    /// # Errors
    /// When the log cannot be written. What was done before is in it.
    pub fn carry_out(
        self,
        workspace: &Workspace,
        blobs: &Blobs,
        mut emit: impl FnMut(Stage, Vec<FileChange>, Vec<Unkept>) -> Result<(), SessionError>,
    ) -> Result<Outcome, SessionError> {
        let mut rolling = Rolling::new(workspace, blobs, self.lost, self.left);
        for steps in rolling::steps(&self.items).chunks(crate::checkpoint::RECORD) {
            let ahead = rolling.keep(steps);
            if !ahead.is_empty() {
                emit(Stage::Ahead, ahead, Vec::new())?;
            }
            rolling.take(steps);
        }
        let (touched, left, lost) = rolling.finish();
        let deeds: BTreeMap<&str, (Deed, bool)> = self
            .items
            .iter()
            .map(|item| (item.path.as_str(), (item.deed(), item.is_folder())))
            .collect();
        let done = touched
            .iter()
            .filter_map(|change| Some((change.path.clone(), deeds.get(change.path.as_str())?)))
            .filter(|(_, (_, folder))| !folder)
            .map(|(path, (deed, _))| (path, *deed))
            .collect();
        let mut chunks: Vec<Vec<FileChange>> = touched
            .chunks(crate::checkpoint::RECORD)
            .map(<[_]>::to_vec)
            .collect();
        let last = chunks.pop().unwrap_or_default();
        for chunk in chunks {
            emit(Stage::Done, chunk, Vec::new())?;
        }
        emit(Stage::Done, last, left.clone())?;
        Ok(Outcome { done, left, lost })
    }
}

const IN_PART: &str = "you changed it during the run: it goes back to your version, not further";

const LOST: &str = "its content was not kept when it was undone: the session has reached its limit (`checkpoints.max_bytes`)";

fn full(limit: u64) -> String {
    format!("this session already keeps {limit} bytes (`checkpoints.max_bytes`)")
}

enum Look {
    AsLeft,
    Already,
    Differs(String),
}

fn look(workspace: &Workspace, item: &Item) -> Look {
    if item.path.starts_with('/') && !workspace.is_in_added(&item.path) {
        return Look::Differs(String::from("it is outside the project"));
    }
    if item.to == Was::Lost {
        return Look::Differs(String::from(LOST));
    }
    let stamp = workspace.stamp(&item.path);
    let is_file = |was: &Was| stamp.is_some_and(|stamp| was.is_file(&stamp));
    if is_file(&item.left) {
        return Look::AsLeft;
    }
    if is_file(&item.to) {
        return Look::Already;
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
        (Was::Absent, _) => "it was created again since",
        (Was::File { sha256, .. }, Standing::File { sha256: now, .. }) if sha256 == now => {
            "its permissions were changed since"
        }
        (Was::Folder { .. }, Standing::Folder { .. }) => "its permissions were changed since",
        _ => "it was changed since",
    })
}
