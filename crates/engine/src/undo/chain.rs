//! From the records of changes to what taking them back means for each path:
//! what must stand there now, and what shall. Pure.

use std::collections::{BTreeMap, HashMap};
use tenon_tools::workspace::{Stamp, Standing};
use tenon_vocab::{BlobRef, Checkpoint, FileChange, FileMark, Unkept};

/// What a record says of a path, before a change or after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Was {
    Absent,
    /// Something that is not known any more: an undo took it away when there was
    /// no room to keep it.
    Lost,
    File {
        sha256: String,
        /// Unknown where a tool made the file, in older logs.
        mode: Option<u32>,
        /// Of what stood there before a change.
        blob: Option<BlobRef>,
    },
    Link {
        sha256: String,
        blob: Option<BlobRef>,
    },
    Folder {
        mode: u32,
    },
    /// A file of which only is known which one it is: it can be moved.
    Marked {
        mark: FileMark,
        mode: u32,
    },
}

impl Was {
    fn new(mode: Option<u32>, sha256: Option<&str>, blob: Option<&BlobRef>) -> Self {
        let kind = mode.map(|mode| mode & FileChange::KIND);
        match (kind, sha256) {
            (Some(FileChange::FOLDER), _) => Self::Folder {
                mode: mode.unwrap_or(0o755) & 0o7777,
            },
            (Some(_), None) => Self::Lost,
            (None, None) => Self::Absent,
            (Some(FileChange::LINK), Some(sha256)) => Self::Link {
                sha256: sha256.to_owned(),
                blob: blob.cloned(),
            },
            (_, Some(sha256)) => Self::File {
                sha256: sha256.to_owned(),
                mode: mode.map(|mode| mode & 0o7777),
                blob: blob.cloned(),
            },
        }
    }

    /// Of its content.
    pub(super) fn hash(&self) -> Option<&str> {
        match self {
            Self::File { sha256, .. } | Self::Link { sha256, .. } => Some(sha256),
            Self::Absent | Self::Lost | Self::Folder { .. } | Self::Marked { .. } => None,
        }
    }

    /// The same, of a file only.
    pub(super) fn file_hash(&self) -> Option<&str> {
        match self {
            Self::File { sha256, .. } => Some(sha256),
            _ => None,
        }
    }

    pub(super) fn mark(&self) -> Option<&FileMark> {
        match self {
            Self::Marked { mark, .. } => Some(mark),
            _ => None,
        }
    }

    fn marked(mark: &FileMark, mode: Option<u32>) -> Self {
        Self::Marked {
            mark: mark.clone(),
            mode: mode.unwrap_or(0) & 0o7777,
        }
    }

    pub(super) fn before(change: &FileChange) -> Self {
        if let Some(mark) = &change.before_mark {
            return Self::marked(mark, change.mode);
        }
        let blob = change.before.as_ref();
        Self::new(change.mode, blob.map(|blob| blob.sha256.as_str()), blob)
    }

    pub(super) fn after(change: &FileChange) -> Self {
        if let Some(mark) = &change.after_mark {
            return Self::marked(mark, change.after_mode);
        }
        Self::new(change.after_mode, change.after.as_deref(), None)
    }

    /// Whether both may be the same state; a mode that is not known fits all.
    fn agrees(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::File { sha256, mode, .. },
                Self::File {
                    sha256: other,
                    mode: to,
                    ..
                },
            ) => sha256 == other && (mode.is_none() || to.is_none() || mode == to),
            (Self::Link { sha256, .. }, Self::Link { sha256: other, .. }) => sha256 == other,
            (Self::Folder { .. }, Self::Folder { .. }) | (Self::Absent, Self::Absent) => true,
            (Self::Marked { .. }, Self::Marked { .. }) => self == other,
            (Self::Lost, other) | (other, Self::Lost) => *other != Self::Absent,
            _ => false,
        }
    }

    /// Whether this is the file that stands there; for all else [`Self::is`].
    pub(super) fn is_file(&self, stamp: &Stamp) -> bool {
        match self {
            Self::Marked { mark, mode } => {
                *mark == stamp.mark() && mode & 0o777 == stamp.mode & 0o777
            }
            _ => false,
        }
    }

    /// Whether this is what stands there.
    pub(super) fn is(&self, standing: &Standing) -> bool {
        match (self, standing) {
            (Self::Absent, Standing::Absent) => true,
            (
                Self::File { sha256, mode, .. },
                Standing::File {
                    sha256: there,
                    mode: now,
                    ..
                },
            ) => sha256 == there && mode.is_none_or(|mode| mode & 0o777 == now & 0o777),
            (Self::Link { sha256, .. }, Standing::Link { sha256: there, .. }) => sha256 == there,
            // No bits at all: nothing is known of them.
            (Self::Folder { mode }, Standing::Folder { mode: now }) => {
                *mode == 0 || mode & 0o777 == now & 0o777
            }
            _ => false,
        }
    }
}

/// One path to take back.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    pub(super) path: String,
    /// What the session left there.
    pub(super) left: Was,
    /// What shall stand there.
    pub(super) to: Was,
    /// It was changed by others between two changes of the session: what they
    /// made of it is where it goes back to.
    pub(super) in_part: bool,
}

/// What a list of records comes to.
#[derive(Debug, Default)]
pub(super) struct Chained {
    pub(super) items: Vec<Item>,
    /// Changes that were never kept.
    pub(super) unkept: Vec<Unkept>,
}

/// One change, as `left` and `to` of what it takes to undo it.
struct Step {
    before: Was,
    after: Was,
}

/// Records in the order of the log.
pub(super) fn chain(records: &[Checkpoint]) -> Chained {
    let mut steps: BTreeMap<&str, Vec<Step>> = BTreeMap::new();
    let mut unkept: BTreeMap<&str, &Unkept> = BTreeMap::new();
    let told = Told::new(records);
    for (index, record) in records.iter().enumerate() {
        for file in &record.files {
            if record.ahead && told.better_later(index, file) {
                continue;
            }
            steps.entry(&file.path).or_default().push(Step {
                before: Was::before(file),
                after: Was::after(file),
            });
        }
        // Of a record that takes back, these are files that it left alone.
        if record.action == tenon_vocab::CheckpointAction::Saved {
            for one in &record.unkept {
                unkept.entry(&one.path).or_insert(one);
            }
        }
    }
    Chained {
        items: steps
            .into_iter()
            .filter_map(|(path, steps)| item(path, &steps))
            .collect(),
        unkept: unkept.into_values().cloned().collect(),
    }
}

/// Where each path is named.
struct Told<'a> {
    records: &'a [Checkpoint],
    places: HashMap<&'a str, Vec<(usize, &'a FileChange)>>,
    /// Which record says that a call left a path alone.
    untouched: HashMap<&'a str, Vec<usize>>,
}

impl<'a> Told<'a> {
    fn new(records: &'a [Checkpoint]) -> Self {
        let mut places: HashMap<&str, Vec<(usize, &FileChange)>> = HashMap::new();
        let mut untouched: HashMap<&str, Vec<usize>> = HashMap::new();
        for (index, record) in records.iter().enumerate() {
            for file in &record.files {
                places.entry(&file.path).or_default().push((index, file));
            }
            for path in &record.untouched {
                untouched.entry(path.as_str()).or_default().push(index);
            }
        }
        Self {
            records,
            places,
            untouched,
        }
    }

    /// What was kept ahead counts only where nothing is known of what the command
    /// did: the look after it may name the path, or it is said to be untouched.
    /// And when the next change finds the file as it was kept, the command had
    /// not touched it.
    fn better_later(&self, index: usize, file: &FileChange) -> bool {
        let call = &self.records[index].call;
        let untouched = self.untouched.get(file.path.as_str()).into_iter().flatten();
        if untouched
            .filter(|at| **at > index)
            .any(|at| self.records[*at].call == *call)
        {
            return true;
        }
        let places = self.places.get(file.path.as_str()).into_iter().flatten();
        places.filter(|(at, _)| *at > index).any(|(at, later)| {
            let record = &self.records[*at];
            let is_look = !record.ahead && record.call == *call;
            is_look || Was::before(later).agrees(&Was::before(file))
        })
    }
}

fn item(path: &str, steps: &[Step]) -> Option<Item> {
    let last = steps.last()?;
    let mut first = steps.len() - 1;
    while first > 0 && steps[first].before.agrees(&steps[first - 1].after) {
        first -= 1;
    }
    let to = &steps[first].before;
    if exactly(to, &last.after) {
        return None;
    }
    Some(Item {
        path: path.to_owned(),
        left: last.after.clone(),
        to: to.clone(),
        in_part: first > 0,
    })
}

/// The same for certain: then there is nothing to take back.
fn exactly(to: &Was, left: &Was) -> bool {
    match (to, left) {
        (Was::File { mode, .. }, Was::File { mode: now, .. })
            if mode.is_some() && now.is_some() =>
        {
            to.agrees(left)
        }
        (Was::File { sha256, .. }, Was::File { sha256: now, .. }) => sha256 == now,
        (Was::Folder { mode }, Was::Folder { mode: now }) => mode == now,
        (Was::Lost, _) | (_, Was::Lost) => false,
        _ => to.agrees(left),
    }
}
