//! What commands destroyed of what git ignores. Files and links beside watched
//! ones are kept like those, as far as there is room, and recorded when they were
//! changed or removed; what is new among them is left alone. Ignored folders can
//! be larger than all the rest: nobody looks into them around a command, and
//! nothing in them is kept. They are asked whether they are still there, and for
//! the names that they hold directly, so that a loss has a name and a size.

use super::base::Whose;
use super::keep::Budget;
use super::{Between, Desk, Found, RECORD};
use crate::core::Core;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::ops::ControlFlow;
use std::sync::PoisonError;
use std::time::SystemTime;
use tenon_tools::Workspace;
use tenon_tools::workspace::{EntryKind, Ignored, Scan, Scanned, Stamp, WalkOptions, Walked};
use tenon_vocab::figures;
use tenon_vocab::{Printable, Unkept};

/// Folders that are asked, those that lie highest.
const FOLDERS: usize = 200;
/// Of a folder with more names only is known whether it is there.
const NAMES: usize = 5_000;
/// Names that are known of all folders together.
const ALL_NAMES: usize = 20_000;
/// Files that are counted in one folder.
const FILES: usize = 200_000;
/// Names in one line for people.
const SHOWN: usize = 3;

/// The ignored folders, as they were before a command.
#[derive(Default)]
pub(super) struct Folders(HashMap<String, Folder>);

struct Folder {
    stamp: Stamp,
    /// It was changed so shortly before it was read that its time cannot vouch
    /// for the names.
    fresh: bool,
    names: Option<BTreeSet<String>>,
    /// How many files it held, when they were last counted.
    files: Option<Count>,
}

#[derive(Clone, Copy)]
struct Count {
    files: usize,
    walked: Walked,
}

/// What is gone of one folder.
struct Loss {
    path: String,
    what: String,
    is_whole: bool,
}

impl Desk {
    /// Asks the ignored folders of a scan what they hold: before a command.
    pub(super) fn ask_folders(&mut self, core: &Core, scan: &Scan) {
        let folders = &mut self.folders.0;
        let mut before = std::mem::take(folders);
        let ignored = scan.ignored().iter();
        let mut all: Vec<&Scanned> = ignored
            .filter(|entry| entry.kind == EntryKind::Folder)
            .collect();
        all.sort_by_key(|entry| entry.path.matches('/').count());
        let mut room = ALL_NAMES;
        for entry in all.into_iter().take(FOLDERS) {
            let Some(stamp) = core.workspace.folder_stamp(&entry.path) else {
                continue;
            };
            let known = before.remove(&entry.path);
            let known = known.filter(|known| known.stamp.identity() == stamp.identity());
            let folder = match known {
                Some(known) if !known.is_changed(&stamp) => known,
                known => Folder {
                    stamp,
                    fresh: stamp.is_fresh_at(SystemTime::now()),
                    names: names(&core.workspace, &entry.path, NAMES.min(room)),
                    files: known.and_then(|known| known.files),
                },
            };
            room = room.saturating_sub(folder.names.as_ref().map_or(0, BTreeSet::len));
            folders.insert(entry.path.clone(), folder);
        }
    }

    /// Counts what ignored folders hold, as far as there is time: when one is gone
    /// it is too late.
    pub(super) fn count_folders(&mut self, core: &Core, budget: &Budget<'_>) {
        for (path, folder) in &mut self.folders.0 {
            if budget.is_over() {
                return;
            }
            let is_counted = |count: Count| count.walked == Walked::Whole || count.files >= FILES;
            if !folder.files.is_some_and(is_counted) {
                folder.files = count(&core.workspace, path, budget).or(folder.files);
            }
        }
    }
}

impl Folder {
    fn is_changed(&self, now: &Stamp) -> bool {
        self.fresh || self.stamp.modified() != now.modified()
    }

    /// For people: how much was lost with it.
    fn size(&self) -> String {
        match self.files {
            None => String::from("a folder"),
            Some(Count {
                files: 1,
                walked: Walked::Whole,
            }) => String::from("1 file"),
            Some(Count { files, walked }) => {
                let least = match walked {
                    Walked::Whole => "about",
                    Walked::Part => "more than",
                };
                format!("{least} {files} files")
            }
        }
    }

    /// What is gone of it, if anything is.
    fn loss(&self, workspace: &Workspace, path: &str) -> Option<Loss> {
        let now = workspace.folder_stamp(path);
        let is_same = |now: &Stamp| now.identity() == self.stamp.identity();
        let Some(now) = now.filter(is_same) else {
            return Some(Loss {
                path: path.to_owned(),
                what: self.size(),
                is_whole: true,
            });
        };
        if !self.is_changed(&now) {
            return None;
        }
        let (before, now) = (self.names.as_ref()?, names(workspace, path, NAMES)?);
        let gone: Vec<&str> = before.difference(&now).map(String::as_str).collect();
        let first = gone.first()?;
        let more = match gone.len() {
            1 => Printable::line(first).to_string(),
            count => format!("{} and {} more", Printable::line(first), count - 1),
        };
        Some(Loss {
            path: path.to_owned(),
            what: format!("{more}, of {} in it", figures::count(before.len(), "entry")),
            is_whole: false,
        })
    }
}

/// What stands directly in a folder, if that is not too much.
fn names(workspace: &Workspace, path: &str, limit: usize) -> Option<BTreeSet<String>> {
    let options = WalkOptions {
        depth: Some(1),
        ignored: Ignored::IncludeAll,
        limit,
    };
    let walk = workspace.walk(&format!("./{path}"), &options).ok()?;
    let mut names = BTreeSet::new();
    let walked = walk.each(|entry| {
        names.insert(entry.relative().to_string_lossy().into_owned());
        ControlFlow::Continue(())
    });
    (walked == Walked::Whole).then_some(names)
}

fn count(workspace: &Workspace, path: &str, budget: &Budget<'_>) -> Option<Count> {
    let options = WalkOptions {
        depth: None,
        ignored: Ignored::IncludeAll,
        limit: FILES,
    };
    let walk = workspace.walk(&format!("./{path}"), &options).ok()?;
    let (mut files, mut seen) = (0, 0_usize);
    let walked = walk.each(|entry| {
        seen += 1;
        files += usize::from(entry.kind() != EntryKind::Folder);
        if seen.is_multiple_of(256) && budget.is_over() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    });
    Some(Count { files, walked })
}

/// Adds to what was found what is gone of ignored folders, and says it when
/// nobody was asked about it. `kept` are paths of which a copy was made ahead.
pub(super) fn losses(
    core: &Core,
    folders: &Folders,
    between: &Between<'_>,
    kept: &HashSet<String>,
    found: &mut Found,
) -> Option<String> {
    let (after, parted) = (between.after, between.parted);
    let is_the_commands =
        |path: &str| parted.is_none_or(|parted| parted.whose(path) != Whose::Other);
    let mut lost: Vec<Loss> = Vec::new();
    for (path, folder) in &folders.0 {
        let loss = folder.loss(&core.workspace, path);
        lost.extend(loss.filter(|loss| {
            is_the_commands(path) && !(loss.is_whole && stands_elsewhere(after, &folder.stamp))
        }));
    }
    lost.sort_by(|a, b| a.path.cmp(&b.path));
    for loss in &lost {
        let kept = kept.iter().filter(|path| is_below(path, &loss.path));
        let but = match kept.count() {
            0 => String::from("no copy is kept"),
            1 => String::from("a copy is kept of 1 file only"),
            count => format!("copies are kept of {count} files only"),
        };
        let removed = if loss.is_whole {
            "removed by the command"
        } else {
            "the command removed from it"
        };
        found.unkept.push(Unkept {
            path: loss.path.clone(),
            reason: format!("{removed} ({}); it is ignored, and {but}", loss.what),
        });
        // It has a line of its own.
        found.harmless.insert(loss.path.clone());
    }
    told(core, &lost)
}

/// A folder that is gone is told of each time, and once in a session that one
/// has less in it: build folders lose files all the time.
fn told(core: &Core, lost: &[Loss]) -> Option<String> {
    let mut named = core
        .keeper
        .named
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let all: Vec<&Loss> = lost
        .iter()
        .filter(|loss| loss.is_whole || named.insert(loss.path.clone()))
        .collect();
    drop(named);
    let shown: Vec<String> = all
        .iter()
        .take(SHOWN)
        .map(|loss| {
            let of = if loss.is_whole { "" } else { "parts of " };
            format!("{of}{}/ ({})", Printable::line(&loss.path), loss.what)
        })
        .collect();
    let more = match all.len().checked_sub(shown.len())? {
        _ if shown.is_empty() => return None,
        0 => String::new(),
        1 => String::from(" and 1 more folder"),
        more => format!(" and {more} more folders"),
    };
    Some(format!(
        "The command removed {}{more}. No copy is kept of ignored folders, so /undo cannot take this back.",
        shown.join(", ")
    ))
}

/// Ignored files that were changed and are still there, and of which it was said
/// before in this session: programs write to the same ones again and again.
pub(super) fn said_before(core: &Core, before: &Scan, found: &Found) -> HashSet<String> {
    let mut named = core
        .keeper
        .named
        .lock()
        .unwrap_or_else(PoisonError::into_inner);
    let is_ignored = |path: &str| {
        let ignored = before.ignored();
        let at = ignored.binary_search_by(|entry| entry.path.as_str().cmp(path));
        at.is_ok()
    };
    let changed = found.files.iter().filter(|file| file.after.is_some());
    let mut said = HashSet::new();
    for file in changed.filter(|file| is_ignored(&file.path)) {
        if named.len() >= RECORD || !named.insert(file.path.clone()) {
            said.insert(file.path.clone());
        }
    }
    said
}

/// Whether a folder was only moved.
fn stands_elsewhere(after: &Scan, folder: &Stamp) -> bool {
    let mut all = after.entries().iter().chain(after.ignored());
    all.any(|entry| entry.stamp.identity() == folder.identity())
}

fn is_below(path: &str, folder: &str) -> bool {
    let rest = path.strip_prefix(folder);
    rest.is_some_and(|rest| rest.starts_with('/'))
}
