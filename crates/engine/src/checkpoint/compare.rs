//! From two looks at the tree to what was changed between them: the times say
//! where to look, the content decides.

use super::base::{Parted, Whose};
use super::keep::{IGNORED_SHARE, Shelf, reason};
use super::moved::{self, Content, Moving, Origin, Origins};
use super::{Between, Edited, Found};
use crate::core::Core;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::{Duration, Instant};
use tenon_tools::workspace::{
    Age, EntryKind, Moment, Scan, Scanned, Standing, Suspect, WorkspaceError,
};
use tenon_vocab::{BlobRef, FileChange, FileMark, Unkept};

/// What is recorded of one command.
const FILES: usize = 20_000;
/// The end of a run waits for it.
const TIME: Duration = Duration::from_secs(5);

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
    /// A file that was not kept and now stands elsewhere as it was.
    Elsewhere {
        mark: FileMark,
        mode: u32,
    },
    Unknown(String),
}

impl Was {
    fn bytes(&self) -> Option<&[u8]> {
        match self {
            Self::Content { bytes, .. } => Some(bytes),
            _ => None,
        }
    }
}

/// What stands there now.
enum Now {
    Read(Standing),
    MovedHere { mark: FileMark, mode: u32 },
}

/// `edits` are changes that the file tools have recorded already.
pub(super) fn changes(
    core: &Arc<Core>,
    shelf: &mut Shelf,
    between: &Between<'_>,
    edits: &HashMap<String, Edited>,
) -> Found {
    let (before, after) = (between.before, between.after);
    let ignored = Scan::ignored_suspects(before, after);
    let mut suspects = Scan::suspects(before, after);
    let hidden = suspects.iter().any(is_of_rules) || before.rules() != after.rules();
    let paths: HashSet<&str> = ignored.iter().map(Suspect::path).collect();
    suspects.retain(|suspect| !paths.contains(suspect.path()));
    suspects.extend(ignored.iter().copied());
    let origins = Origins::new(between, &suspects, shelf);
    // What costs most comes last: the time may not be enough for all.
    suspects.sort_by_key(|suspect| suspect.after.map_or(0, to_read));
    let mut comparing = Comparing {
        core,
        shelf,
        edits,
        since: between.since,
        parted: between.parted,
        hidden,
        ignored: paths,
        origins,
        safe: HashSet::new(),
        moves: Vec::new(),
        found: Found {
            is_whole: true,
            ..Found::default()
        },
    };
    let until = Instant::now() + TIME;
    let count = suspects.len();
    for (index, suspect) in suspects.iter().enumerate() {
        let why = if comparing.found.files.len() + comparing.moves.len() >= FILES {
            format!("one command changed more than the {FILES} files that are recorded")
        } else if Instant::now() > until {
            format!(
                "checking what one command changed took longer than {} s",
                TIME.as_secs()
            )
        } else {
            comparing.one(suspect);
            continue;
        };
        let more = match count - index {
            1 => String::from("1 more file"),
            more => format!("{more} more files"),
        };
        comparing.unkept(&more, &why);
        comparing.found.is_whole = false;
        break;
    }
    comparing.finish()
}

fn to_read(entry: &Scanned) -> u64 {
    match entry.kind {
        EntryKind::File => entry.stamp.size,
        _ => 0,
    }
}

/// A change of these makes files appear and vanish that nobody touched.
fn is_of_rules(suspect: &Suspect<'_>) -> bool {
    let name = suspect.path().rsplit('/').next();
    suspect.stamped && matches!(name, Some(".gitignore" | ".ignore"))
}

struct Comparing<'a> {
    core: &'a Arc<Core>,
    shelf: &'a mut Shelf,
    edits: &'a HashMap<String, Edited>,
    since: Moment,
    parted: Option<&'a Parted>,
    /// Whether what is ignored may have changed.
    hidden: bool,
    /// Paths that were ignored before.
    ignored: HashSet<&'a str>,
    origins: Origins<'a>,
    /// Paths whose content of before is recorded, or still stands there.
    safe: HashSet<String>,
    /// What was moved, until it is known whether it can go back.
    moves: Vec<Moving>,
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
        let now = match self.now(suspect) {
            Ok(now) => now,
            Err(error) => return self.unkept(path, &format!("can't check it: {error}")),
        };
        let (now, mark) = match now {
            Now::Read(standing) => (standing, None),
            Now::MovedHere { mark, mode } => {
                let size = mark.bytes;
                (Standing::Large { size }, Some((mark, mode)))
            }
        };
        if same(&was, &now) {
            self.safe.insert(path.to_owned());
            return;
        }
        if self.edits.get(path).is_some_and(|left| is(&now, left)) {
            return;
        }
        match self.parted.map(|parted| parted.whose(path)) {
            None | Some(Whose::Command) => {}
            Some(Whose::Other) => return,
            // What the command made of it nobody has seen.
            Some(Whose::Both) => {
                return self.unkept(
                    path,
                    "it was changed again as soon as the command had ended",
                );
            }
        }
        let origin = match now {
            Standing::Absent | Standing::Folder { .. } => Origin::Made,
            _ => {
                let content = Content::new(&now, was.bytes());
                let workspace = &self.core.workspace;
                self.origins.of(workspace, self.shelf, suspect, &content)
            }
        };
        let is_found = !matches!(&origin, Origin::Moved(sources) if !sources.is_empty());
        if suspect.before.is_none() && self.hidden && is_found && !self.is_new(path) {
            return;
        }
        if let Origin::Twin(of) = &origin {
            return self.unkept(path, &format!("it may be all that is left of {of}"));
        }
        let moved_to = match now {
            Standing::Absent => suspect.before.and_then(|gone| self.origins.moved_to(gone)),
            _ => None,
        };
        if is_grown(&was, &now) {
            self.found.grown.insert(path.to_owned());
        }
        let takes = takes_away(suspect);
        let change = match mark {
            None => self.change(path, was, &now),
            Some((mark, mode)) => {
                // It took the place of what was there, which is gone.
                let change = self.change(path, was, &Standing::Absent);
                change.map(|change| FileChange {
                    after_mode: Some(mode),
                    after_mark: Some(mark),
                    ..change
                })
            }
        };
        match (change, origin) {
            (Ok(change), Origin::Moved(sources)) => self.moves.push(Moving { change, sources }),
            (Ok(change), _) => self.record(change),
            (Err(_), Origin::Moved(sources)) => {
                self.unkept(path, &moved_here(&sources));
                if !takes && sources.is_empty() {
                    self.found.harmless.insert(path.to_owned());
                }
            }
            (Err(why), _) => {
                if !takes && matches!(now, Standing::Other | Standing::Absent) {
                    self.found.harmless.insert(path.to_owned());
                }
                let why = moved_to.map_or(why, |to| format!("it was moved to {to}"));
                self.unkept(path, &why);
            }
        }
    }

    fn record(&mut self, change: FileChange) {
        if change.before.is_some() || change.before_mark.is_some() {
            self.safe.insert(change.path.clone());
        }
        self.found.files.push(change);
    }

    fn finish(mut self) -> Found {
        let (back, stay) = moved::part(std::mem::take(&mut self.moves), &self.safe);
        self.found.files.extend(back);
        for moving in stay {
            let path = &moving.change.path;
            self.unkept(path, &moved_here(&moving.sources));
            // Nothing stood there, and nobody misses what is here now.
            if moving.change.mode.is_none() && moving.sources.is_empty() {
                self.found.harmless.insert(path.clone());
            }
        }
        self.found.files.sort_by(|a, b| a.path.cmp(&b.path));
        self.found
    }

    /// Where the rules of what is ignored changed, only a file that was born
    /// since is surely the command's.
    fn is_new(&mut self, path: &str) -> bool {
        match moved::age(&self.core.workspace, path, self.since) {
            Age::New => true,
            Age::Old => false,
            Age::Unknown => {
                self.unkept(path, "it may have been there, ignored, before the command");
                false
            }
        }
    }

    /// What stands there. A file that was not kept and only moved is not read: it
    /// is known by which one it is.
    fn now(&self, suspect: &Suspect<'_>) -> Result<Now, WorkspaceError> {
        let path = suspect.path();
        let is_here = |after: &Scanned| {
            let before = suspect.before;
            before.is_some_and(|before| before.stamp.identity() == after.stamp.identity())
        };
        let moved = suspect
            .after
            .filter(|after| !is_here(after) && self.origins.is_moved_here(after, self.shelf))
            .map(|after| after.stamp);
        match moved {
            Some(stamp) if self.core.workspace.stamp(path) == Some(stamp) => Ok(Now::MovedHere {
                mark: stamp.mark(),
                mode: stamp.mode & 0o7777,
            }),
            _ => Ok(Now::Read(self.core.workspace.stand(path)?.standing)),
        }
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
                None if self.origins.stands_elsewhere(entry) => Was::Elsewhere {
                    mark: entry.stamp.mark(),
                    mode,
                },
                None => Was::Unknown(reason(self.core, entry)),
            },
        }
    }

    /// Or why it cannot be taken back.
    fn change(&mut self, path: &str, was: Was, now: &Standing) -> Result<FileChange, String> {
        let (mode, before, before_mark) = match was {
            Was::Absent => (None, None, None),
            Was::Folder(mode) => (Some(mode), None, None),
            Was::Unknown(reason) => return Err(reason),
            Was::Elsewhere { mark, mode } => (Some(mode), None, Some(mark)),
            Was::Content {
                bytes,
                mode,
                stored,
            } => (Some(mode), Some(self.store(path, &bytes, stored)?), None),
        };
        let (after, after_mode) = match now {
            Standing::Absent => (None, None),
            Standing::File { sha256, mode, .. } => (Some(sha256.clone()), Some(*mode)),
            Standing::Link { sha256, .. } => (Some(sha256.clone()), Some(FileChange::LINK)),
            Standing::Folder { mode } => (None, Some(mode | FileChange::FOLDER)),
            Standing::Large { size } => {
                return Err(format!("it now has {size} bytes, too many to watch"));
            }
            Standing::Other => {
                return Err(String::from("it is a pipe, a socket or a device now"));
            }
        };
        Ok(FileChange {
            path: path.to_owned(),
            mode,
            before,
            after,
            after_mode,
            before_mark,
            after_mark: None,
        })
    }

    /// What is ignored is often a product, and must not take all the room.
    fn store(&mut self, path: &str, bytes: &[u8], stored: u64) -> Result<BlobRef, String> {
        let blobs = self.core.emitter.blobs();
        let limit = self.core.given.checkpoints.total_bytes;
        let is_ignored = self.ignored.contains(path);
        let ignored = self.shelf.stored_ignored;
        if is_ignored && ignored + stored > limit / IGNORED_SHARE {
            return Err(format!(
                "it is ignored, and this session keeps {ignored} bytes of ignored files already (they get no more than a quarter of `checkpoints.max_bytes`)"
            ));
        }
        let used = self
            .shelf
            .stored
            .get_or_insert_with(|| blobs.stored_bytes());
        if *used + stored > limit {
            return Err(format!(
                "this session already keeps {limit} bytes (`checkpoints.max_bytes`)"
            ));
        }
        *used += stored;
        if is_ignored {
            self.shelf.stored_ignored += stored;
        }
        blobs.put_file(bytes).map_err(|error| error.to_string())
    }

    fn unkept(&mut self, path: &str, reason: &str) {
        self.found.unkept.push(Unkept {
            path: path.to_owned(),
            reason: reason.to_owned(),
        });
    }
}

fn moved_here(sources: &[String]) -> String {
    match sources.first() {
        Some(from) => format!("moved here from {from}, not made"),
        None => String::from("moved here, not made"),
    }
}

/// Whether all that was there is still the beginning of it.
fn is_grown(was: &Was, now: &Standing) -> bool {
    match (was, now) {
        (Was::Content { bytes, mode, .. }, Standing::File { bytes: now, .. }) => {
            *mode != FileChange::LINK && now.starts_with(bytes)
        }
        _ => false,
    }
}

/// Whether something is gone that somebody may miss: no pipe, socket or device.
fn takes_away(suspect: &Suspect<'_>) -> bool {
    (suspect.before).is_some_and(|before| before.kind != EntryKind::Other)
}

fn is(now: &Standing, left: &Edited) -> bool {
    match (now, left) {
        (Standing::Absent, Edited::Gone) | (Standing::Folder { .. }, Edited::Folder) => true,
        (Standing::File { sha256, .. }, Edited::File(left)) => sha256 == left,
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
