//! What a command line would reach of the project: which existing files it
//! deletes, moves, overwrites or changes in place. Looked at anew each time,
//! and bounded.

use super::glob;
use super::{count, size};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::path::Path;
use tenon_policy::{Access, Deed, PathFact, Script, Target};
use tenon_tools::Workspace;
use tenon_tools::workspace::{EntryKind, Ignored, WalkOptions, Walked};
use tokio_util::sync::CancellationToken;

/// Entries of folders that are looked at.
const ENTRIES: usize = 50_000;
/// Names that a line shows.
const NAMES: usize = 50;

/// A file with content that would be lost.
#[derive(Debug)]
pub(super) struct Reached {
    pub(super) path: String,
    pub(super) bytes: u64,
}

/// One thing that the line names.
#[derive(Debug)]
struct Named {
    deed: Deed,
    /// As it is shown.
    name: String,
    kind: Kind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    File {
        bytes: u64,
    },
    Folder {
        files: usize,
        bytes: u64,
        walked: Walked,
    },
    /// A link, a device, a pipe: nothing of it can be kept.
    Other,
    Outside,
    /// What it names is not known before it runs.
    Unknown,
}

#[derive(Debug, Default)]
pub(super) struct Reach {
    named: Vec<Named>,
    /// The regular files inside the root, each once.
    pub(super) files: Vec<Reached>,
    seen: BTreeSet<String>,
    entries: usize,
}

/// Looks at all that the line would change.
pub(super) fn look(
    workspace: &Workspace,
    script: &Script,
    folder: &str,
    token: &CancellationToken,
) -> Reach {
    let mut reach = Reach::default();
    for (target, fact) in script.observed() {
        if token.is_cancelled() {
            break;
        }
        // What is added to a file destroys nothing of it.
        if !matches!(target.deed, Deed::Read | Deed::Append) && !is_sweep(target) {
            reach.target(workspace, folder, target, fact, token);
        }
    }
    reach
}

/// Whether a word is a glob below the folder that it stands in, and nothing
/// else that the shell would turn into other words.
pub(crate) fn is_plain_glob(text: &str) -> bool {
    glob::has_magic(text)
        && !text.starts_with(['/', '~'])
        && !text.contains(['$', '`', '(', '{', '\n'])
        && !text.split('/').any(|part| part == "..")
}

/// Whether a target stands for whatever git finds changed below a folder.
pub(crate) fn is_sweep(target: &Target) -> bool {
    !target.certain
        && target.deed == Deed::Change
        && (target.path == "." || target.path.ends_with("/."))
}

impl Reach {
    fn target(
        &mut self,
        workspace: &Workspace,
        folder: &str,
        target: &Target,
        fact: Option<&PathFact>,
        token: &CancellationToken,
    ) {
        let deed = target.deed;
        if !target.certain {
            let Some(found) = expanded(workspace, folder, target, token) else {
                return self.name(deed, &target.path, Kind::Unknown);
            };
            for path in found {
                self.path(workspace, deed, &path, &path, token);
            }
            return;
        }
        match fact {
            None => self.name(deed, &target.path, Kind::Unknown),
            Some(fact) if !fact.exists => {}
            Some(fact) if !fact.inside => self.name(deed, &fact.path, Kind::Outside),
            // Whether the link goes or what it leads to is for the reader to see.
            Some(fact) if fact.symlink => {
                let name = format!("{} → {}", target.path, fact.path);
                self.path(workspace, deed, &fact.path, &name, token);
            }
            Some(fact) => self.path(workspace, deed, &fact.path, &fact.path, token),
        }
    }

    /// Something inside the root that is there.
    fn path(
        &mut self,
        workspace: &Workspace,
        deed: Deed,
        path: &str,
        name: &str,
        token: &CancellationToken,
    ) {
        if let Ok(file) = workspace.open_file(path) {
            let bytes = file.size;
            self.name(deed, name, Kind::File { bytes });
            return self.file(path, bytes);
        }
        let options = WalkOptions {
            depth: None,
            ignored: Ignored::Include,
            limit: ENTRIES.saturating_sub(self.entries),
        };
        let Ok(walk) = workspace.walk(path, &options) else {
            return self.name(deed, name, Kind::Other);
        };
        let (mut files, mut bytes) = (0, 0);
        let walked = walk.each(|entry| {
            self.entries += 1;
            if entry.kind() == EntryKind::File {
                let length = entry.metadata().map_or(0, |found| found.len());
                files += 1;
                bytes += length;
                self.file(&walk.shown(entry), length);
            }
            if token.is_cancelled() {
                ControlFlow::Break(())
            } else {
                ControlFlow::Continue(())
            }
        });
        let kind = Kind::Folder {
            files,
            bytes,
            walked,
        };
        self.name(deed, &format!("{}/", name.trim_end_matches('/')), kind);
    }

    fn file(&mut self, path: &str, bytes: u64) {
        if self.seen.insert(path.to_owned()) {
            self.files.push(Reached {
                path: path.to_owned(),
                bytes,
            });
        }
    }

    fn name(&mut self, deed: Deed, name: &str, kind: Kind) {
        self.named.push(Named {
            deed,
            name: name.to_owned(),
            kind,
        });
    }

    /// For whoever is to say yes, a line for each kind of deed.
    pub(super) fn lines(&self) -> Vec<String> {
        const DEEDS: [Deed; 4] = [Deed::Delete, Deed::Overwrite, Deed::Change, Deed::Move];
        let mut lines: Vec<String> = DEEDS.iter().filter_map(|deed| self.inside(*deed)).collect();
        for deed in DEEDS {
            lines.extend(self.line(
                deed,
                Kind::Outside,
                "outside the project, which is not kept",
            ));
            lines.extend(self.line(
                deed,
                Kind::Unknown,
                "which is known only when it runs, and is not kept",
            ));
        }
        lines
    }

    fn inside(&self, deed: Deed) -> Option<String> {
        let (mut names, mut total, mut bytes, mut is_whole) = (Vec::new(), 0, 0, true);
        for named in self.named.iter().filter(|named| named.deed == deed) {
            match named.kind {
                Kind::File { bytes: length } => {
                    total += 1;
                    bytes += length;
                }
                Kind::Folder {
                    files,
                    bytes: length,
                    walked,
                } => {
                    total += files;
                    bytes += length;
                    is_whole &= walked == Walked::Whole;
                }
                Kind::Other => {}
                Kind::Outside | Kind::Unknown => continue,
            }
            names.push(named.name.as_str());
        }
        if names.is_empty() {
            return None;
        }
        let least = if is_whole { "" } else { "at least " };
        Some(format!(
            "{} {} ({least}{}, {})",
            verb(deed),
            listed(&names),
            count(total, "file", "files"),
            size(bytes)
        ))
    }

    fn line(&self, deed: Deed, kind: Kind, where_: &str) -> Option<String> {
        let names = self.names(|named| named.deed == deed && named.kind == kind);
        (!names.is_empty()).then(|| format!("{} {}, {where_}", verb(deed), listed(&names)))
    }

    fn names(&self, wanted: impl Fn(&Named) -> bool) -> Vec<&str> {
        self.named
            .iter()
            .filter(|named| wanted(named))
            .map(|named| named.name.as_str())
            .collect()
    }

    /// What is named and cannot be kept, in words.
    pub(super) fn lost(&self) -> Vec<String> {
        let mut lost = Vec::new();
        let unknown = self.names(|named| named.kind == Kind::Unknown);
        if !unknown.is_empty() {
            lost.push(format!(
                "whatever {} names, which is known only when it runs",
                listed(&unknown)
            ));
        }
        let outside = self.names(|named| named.kind == Kind::Outside);
        if !outside.is_empty() {
            lost.push(format!("{}, outside the project", listed(&outside)));
        }
        let other = self.names(|named| named.kind == Kind::Other);
        if !other.is_empty() {
            lost.push(format!("{}, no regular file", listed(&other)));
        }
        if self.is_cut() {
            lost.push(format!("files beyond the first {ENTRIES} entries"));
        }
        lost
    }

    fn is_cut(&self) -> bool {
        self.named.iter().any(|named| {
            matches!(
                named.kind,
                Kind::Folder {
                    walked: Walked::Part,
                    ..
                }
            )
        })
    }
}

/// The paths that a plain glob names; `None` for all else that is uncertain.
fn expanded(
    workspace: &Workspace,
    folder: &str,
    target: &Target,
    token: &CancellationToken,
) -> Option<Vec<String>> {
    if !is_plain_glob(&target.path) {
        return None;
    }
    let joined = Path::new(folder).join(&target.path);
    let place = workspace.observe(&joined.to_string_lossy(), Access::Write);
    place
        .inside
        .then(|| glob::expand(workspace, &place.path, token))
        .flatten()
}

fn verb(deed: Deed) -> &'static str {
    match deed {
        Deed::Delete => "deletes",
        Deed::Overwrite => "overwrites",
        Deed::Move => "moves",
        Deed::Change => "changes",
        Deed::Append => "adds to",
        Deed::Read => "reads",
    }
}

/// The first names, and how many more there are.
fn listed(names: &[&str]) -> String {
    let shown: Vec<&str> = names.iter().take(NAMES).copied().collect();
    match names.len().saturating_sub(NAMES) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}
