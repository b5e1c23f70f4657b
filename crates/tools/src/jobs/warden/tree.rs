//! Where in the project something steers programs (git folders, and files that
//! run code later), and where files are secret by their name. All folders are known with the time of their last change,
//! which no command can set, so a look costs a question to the kernel for each
//! folder, and only what has changed is listed again. Also what git ignores is
//! looked at: `.envrc` and `.husky/_` mostly are.

use rustix::fs::{AtFlags, FileType, Mode, OFlags, Stat};
use std::collections::{BTreeMap, VecDeque};
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

/// Folders that are looked at; those of foreign and generated files come last.
const MOST: usize = 4_000;
/// The kernel's clock goes in steps: a folder that was changed so recently may
/// be changed again within the same one.
const TICK: Duration = Duration::from_millis(50);

/// What was found at a path.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// A `.git` folder or file.
    Git,
    /// A folder that git takes for a repository by what is in it.
    Bare,
    Modules,
    /// What it is, in words.
    Later(&'static str),
}

/// What of the project is looked at.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    /// Without folders of foreign and generated files.
    Own,
    All,
}

/// By which a folder or file is known to be unchanged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    size: i64,
    changed: (i64, i64),
}

impl Stamp {
    fn of(facts: &Stat) -> Self {
        Self {
            device: facts.st_dev,
            inode: facts.st_ino,
            size: facts.st_size,
            changed: (
                facts.st_ctime,
                i64::try_from(facts.st_ctime_nsec).unwrap_or(0),
            ),
        }
    }

    /// Whether it is old enough to vouch for what it stands for. A time to come
    /// never is.
    fn is_settled(&self, now: Duration) -> bool {
        let (seconds, nanoseconds) = self.changed;
        let Ok(seconds) = u64::try_from(seconds) else {
            return false;
        };
        let changed = Duration::new(seconds, u32::try_from(nanoseconds).unwrap_or(0));
        changed + TICK < now
    }
}

#[derive(Debug)]
struct Folder {
    /// `None`: to be looked at again, whatever its time says.
    stamp: Option<Stamp>,
    is_bulk: bool,
    folders: Vec<OsString>,
    found: Vec<(PathBuf, Kind)>,
    secrets: Vec<OsString>,
}

/// Whether all folders of a project are known.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Extent {
    Whole,
    /// There are more than are looked at.
    Part,
}

/// The folders of a project, by their paths from its root.
#[derive(Debug)]
pub(super) struct Tree {
    root: PathBuf,
    /// What commands do not reach anyway.
    without: Vec<PathBuf>,
    folders: BTreeMap<PathBuf, Folder>,
    /// Folders that came with the last look, each without those in it.
    came: Vec<PathBuf>,
    /// Folders that went with it, likewise.
    went: Vec<PathBuf>,
    extent: Extent,
}

impl Tree {
    pub(super) fn new(root: PathBuf, without: Vec<PathBuf>) -> Self {
        Self {
            root,
            without,
            folders: BTreeMap::new(),
            came: Vec::new(),
            went: Vec::new(),
            extent: Extent::Whole,
        }
    }

    pub(super) fn extent(&self) -> Extent {
        self.extent
    }

    /// Files and links that are secret by their name, those of the project's own
    /// folders first.
    pub(super) fn secrets(&self) -> Vec<PathBuf> {
        let (bulk, own): (Vec<_>, Vec<_>) =
            (self.folders.iter()).partition(|(_, folder)| folder.is_bulk);
        let all = own.into_iter().chain(bulk);
        all.flat_map(|(path, folder)| folder.secrets.iter().map(|name| path.join(name)))
            .collect()
    }

    /// Whether it is the tree of this root, and passes over the same.
    pub(super) fn is_of(&self, root: &Path, without: &[PathBuf]) -> bool {
        self.root == root && self.without == without
    }

    /// Everything that is there now; out of scope, what was there before.
    pub(super) fn look(&mut self, scope: Scope) -> BTreeMap<PathBuf, Kind> {
        let flags = OFlags::PATH | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let Ok(root) = rustix::fs::open(&self.root, flags, Mode::empty()) else {
            return BTreeMap::new();
        };
        let root = File::from(root);
        let now = SystemTime::now()
            .duration_since(SystemTime::UNIX_EPOCH)
            .unwrap_or_default();
        self.came.clear();
        self.went.clear();
        if self.folders.is_empty() {
            self.walk(&root, vec![PathBuf::new()], now);
        } else {
            let (gone, changed) = self.differences(&root, scope);
            for path in gone {
                self.forget(&path);
            }
            let mut new = Vec::new();
            for path in changed {
                new.extend(self.list_again(&root, &path, now));
            }
            self.came.clone_from(&new);
            self.walk(&root, new, now);
        }
        self.folders
            .values()
            .flat_map(|folder| folder.found.iter().cloned())
            .collect()
    }

    pub(super) fn came(&self) -> &[PathBuf] {
        &self.came
    }

    pub(super) fn went(&self) -> &[PathBuf] {
        &self.went
    }

    fn differences(&self, root: &File, scope: Scope) -> (Vec<PathBuf>, Vec<PathBuf>) {
        let (mut gone, mut changed) = (Vec::new(), Vec::new());
        let folders = self.folders.iter();
        for (path, folder) in folders.filter(|(_, it)| scope == Scope::All || !it.is_bulk) {
            match stat(root, path) {
                Some(facts) if is_folder(&facts) => {
                    if folder.stamp != Some(Stamp::of(&facts)) {
                        changed.push(path.clone());
                    }
                }
                _ => gone.push(path.clone()),
            }
        }
        (gone, changed)
    }

    /// With all that is below it.
    fn forget(&mut self, path: &Path) {
        let below: Vec<PathBuf> = self
            .folders
            .range(path.to_owned()..)
            .take_while(|(other, _)| other.starts_with(path))
            .map(|(other, _)| other.clone())
            .collect();
        for other in below {
            self.folders.remove(&other);
        }
        self.went.push(path.to_owned());
    }

    /// Gives the folders that are new in one.
    fn list_again(&mut self, root: &File, path: &Path, now: Duration) -> Vec<PathBuf> {
        // It may have gone with the one above it.
        let Some(old) = self.folders.remove(path) else {
            return Vec::new();
        };
        let Some(folder) = self.list(root, path, now) else {
            self.forget(path);
            return Vec::new();
        };
        let new = folder
            .folders
            .iter()
            .filter(|name| !old.folders.contains(name));
        let new = new.map(|name| path.join(name)).collect();
        let gone = old
            .folders
            .iter()
            .filter(|name| !folder.folders.contains(name));
        for name in gone {
            self.forget(&path.join(name));
        }
        self.folders.insert(path.to_owned(), folder);
        new
    }

    /// The project's own folders first, each level before the next.
    fn walk(&mut self, root: &File, from: Vec<PathBuf>, now: Duration) {
        let mut own = VecDeque::from(from);
        let mut bulk = VecDeque::new();
        while let Some(path) = own.pop_front().or_else(|| bulk.pop_front()) {
            if self.folders.len() >= MOST {
                // What is left out now is not looked for again.
                self.extent = Extent::Part;
                return;
            }
            let Some(folder) = self.list(root, &path, now) else {
                continue;
            };
            for name in &folder.folders {
                let path = path.join(name);
                if is_in_bulk(&path) {
                    bulk.push_back(path);
                } else {
                    own.push_back(path);
                }
            }
            self.folders.insert(path, folder);
        }
    }

    fn list(&self, root: &File, path: &Path, now: Duration) -> Option<Folder> {
        // Looked at before it is read: what comes meanwhile makes it differ.
        let facts = stat(root, path).filter(is_folder)?;
        let stamp = Stamp::of(&facts);
        let (mut folders, mut found, mut secrets) = (Vec::new(), Vec::new(), Vec::new());
        let Ok(entries) = std::fs::read_dir(self.root.join(path)) else {
            // Whoever opens it later changes nothing that its parent shows.
            return Some(Folder {
                stamp: None,
                is_bulk: is_in_bulk(path),
                folders,
                found,
                secrets,
            });
        };
        let mut marks = 0_u8;
        let is_bulk = is_in_bulk(path);
        for entry in entries.flatten() {
            let name = entry.file_name();
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            marks |= mark_of_a_repository(&name);
            if !is_folder && tenon_policy::is_secret(&path.join(&name).to_string_lossy()) {
                secrets.push(name.clone());
            }
            if let Some(kind) = kind(path, &name, is_bulk) {
                found.push((path.join(&name), kind));
            } else if is_folder && !self.is_without(&path.join(&name)) {
                folders.push(name);
            }
        }
        if marks == ALL_MARKS {
            // Its own parts, by the hundreds.
            folders.retain(|name| !is_part_of_a_repository(name));
            found.push((path.to_owned(), Kind::Bare));
        }
        Some(Folder {
            stamp: stamp.is_settled(now).then_some(stamp),
            is_bulk,
            folders,
            found,
            secrets,
        })
    }

    fn is_without(&self, path: &Path) -> bool {
        let path = self.root.join(path);
        self.without.contains(&path)
    }
}

/// The stamp of a file, where it is old enough to be believed.
pub(super) fn settled(root: &Path, path: &Path) -> Option<Stamp> {
    let facts =
        rustix::fs::statat(rustix::fs::CWD, root.join(path), AtFlags::SYMLINK_NOFOLLOW).ok()?;
    let now = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .unwrap_or_default();
    let stamp = Stamp::of(&facts);
    stamp.is_settled(now).then_some(stamp)
}

fn stat(root: &File, path: &Path) -> Option<Stat> {
    let path = if path.as_os_str().is_empty() {
        Path::new(".")
    } else {
        path
    };
    rustix::fs::statat(root, path, AtFlags::SYMLINK_NOFOLLOW).ok()
}

fn is_folder(facts: &Stat) -> bool {
    FileType::from_raw_mode(facts.st_mode) == FileType::Directory
}

const ALL_MARKS: u8 = 0b111;

/// Git takes a folder with these three for a repository.
fn mark_of_a_repository(name: &OsStr) -> u8 {
    match name.as_encoded_bytes() {
        b"HEAD" => 0b001,
        b"objects" => 0b010,
        b"refs" => 0b100,
        _ => 0,
    }
}

fn is_part_of_a_repository(name: &OsStr) -> bool {
    const PARTS: [&str; 6] = ["objects", "refs", "hooks", "info", "logs", "branches"];
    PARTS.iter().any(|part| name == OsStr::new(part))
}

fn kind(folder: &Path, name: &OsStr, is_bulk: bool) -> Option<Kind> {
    let bytes = name.as_encoded_bytes();
    if bytes == b".git" {
        return Some(Kind::Git);
    }
    if bytes == b".gitmodules" {
        return Some(Kind::Modules);
    }
    // Packages bring such files along, and nobody opens them.
    if is_bulk || !may_run_later(bytes) {
        return None;
    }
    tenon_policy::runs_later(folder.join(name).to_str()?).map(Kind::Later)
}

/// Most names need no closer look: all that run code later begin with a dot,
/// or end in one of a few ways, or lie in a folder that does.
fn may_run_later(name: &[u8]) -> bool {
    let is_plain = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.');
    let ends: [&[u8]; 5] = [b"yml", b"yaml", b"toml", b"file", b"ps1"];
    let small = name.to_ascii_lowercase();
    !name.iter().all(is_plain)
        || name.starts_with(b".")
        || ends.iter().any(|end| small.ends_with(end))
        || small.ends_with(b"workspace")
        || small.ends_with(b"project")
        || FOLDERS.contains(&small.as_slice())
}

/// What runs code later in a folder whose own name says nothing.
const FOLDERS: [&[u8]; 8] = [
    b"workflows",
    b"actions",
    b"ci",
    b"fish",
    b"nvim",
    b"mise",
    b"config",
    b"jenkinsfile",
];

/// Whether a path lies in a folder of foreign or generated files.
fn is_in_bulk(path: &Path) -> bool {
    const BULK: [&str; 9] = [
        "node_modules",
        "bower_components",
        "target",
        "vendor",
        ".venv",
        "venv",
        "site-packages",
        "dist",
        ".tox",
    ];
    path.iter()
        .any(|part| BULK.iter().any(|name| part == OsStr::new(name)))
}
