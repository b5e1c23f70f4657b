//! Looks after what steers programs in the project, around each command: files
//! that run code later, and git folders wherever they lie. Before a command it
//! says what the walls are to hold; after it, what is new is judged, and put
//! aside unless the command was confirmed for it.
//!
//! It takes nothing for granted between two commands: what appeared while none
//! ran is the user's own.

mod copies;
mod line;
mod parts;
mod pointing;
mod repository;
mod secrets;
mod settings;
mod tree;

pub(crate) use line::Line;
pub(super) use parts::Parts;
pub(super) use pointing::around;
pub(super) use secrets::{Coverage, SecretFiles, Secrets};

use copies::SettingsCopy;
use pointing::Named;
use repository::{Before, Ground, Judge, is_named};
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use tenon_sandbox::{Mode, Repair, SandboxPolicy, plain};
use tree::{Kind, Scope, Stamp, Tree};

/// Paths that are held by a mount; more are only put back.
const HELD: usize = 48;
/// Bytes of paths that are put back: a policy has to fit into a message.
const GUARDED: usize = 48 * 1024;
/// Things of one kind that are told one by one.
const TOLD: usize = 8;

/// What one command may do that others may not.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct Leave {
    /// What was confirmed, with all below it and around it.
    pub(crate) confirmed: Vec<PathBuf>,
    pub(crate) line: Line,
}

#[derive(Debug, Default)]
pub(super) struct Warden {
    state: Mutex<State>,
}

/// Whose settings of git hold besides those of the project.
#[derive(Debug, Clone, Default)]
pub(super) struct User {
    pub(super) home: Option<PathBuf>,
    pub(super) settings: Vec<PathBuf>,
    /// Protected paths that the configuration opens.
    pub(super) opened: Vec<PathBuf>,
}

#[derive(Debug, Default)]
struct State {
    tree: Option<Tree>,
    known: Known,
    /// Commands that run, by their tickets.
    running: BTreeMap<u64, Leave>,
    /// What they have of the settings of git.
    copies: BTreeMap<u64, Vec<SettingsCopy>>,
    /// What a file tool made, which was asked about on its own.
    accepted: BTreeSet<PathBuf>,
    /// Folders that commands made which still run, and those that are gone.
    made: BTreeSet<PathBuf>,
    gone: BTreeSet<PathBuf>,
    tickets: u64,
}

/// What there was when nothing ran, or what was judged since.
#[derive(Debug, Default)]
struct Known {
    marks: BTreeMap<PathBuf, Kind>,
    modules: BTreeMap<PathBuf, Stamp>,
    folders: Vec<PathBuf>,
    settings: Before,
}

/// A command that was let in.
#[derive(Debug)]
pub(super) struct Begun {
    pub(super) ticket: Option<u64>,
    pub(super) policy: SandboxPolicy,
    /// What other commands had left, a sentence each.
    pub(super) told: Vec<Repair>,
}

impl Warden {
    /// Looks before a command, and gives the walls that it needs.
    pub(super) fn begin(&self, policy: &SandboxPolicy, user: &User, leave: Leave) -> Begun {
        let mut policy = policy.clone();
        if policy.mode != Mode::WorkspaceWrite {
            return Begun {
                ticket: None,
                policy,
                told: Vec::new(),
            };
        }
        let mut state = self.lock();
        let told = state.look(&policy, user, Scope::Own);
        let around = pointing::named(&policy.root, user.home.as_deref(), &user.settings);
        state.wall(&mut policy, user, &leave, around);
        state.tickets += 1;
        let ticket = state.tickets;
        let copies = copies::make(&ground(&policy, Vec::new()), ticket);
        policy.copies = copies.iter().map(|own| own.paths.clone()).collect();
        state.copies.insert(ticket, copies);
        state.running.insert(ticket, leave);
        Begun {
            ticket: Some(ticket),
            policy,
            told,
        }
    }

    /// Judges what a command has left, a sentence for each thing. `policy` is
    /// the one that the command had.
    pub(super) fn look_after(
        &self,
        ticket: u64,
        policy: &SandboxPolicy,
        user: &User,
    ) -> Vec<Repair> {
        if policy.mode != Mode::WorkspaceWrite {
            return Vec::new();
        }
        let mut state = self.lock();
        let ground = ground(policy, Vec::new());
        let own = state.copies.get_mut(&ticket).into_iter().flatten();
        let mut told: Vec<Repair> = own.flat_map(|own| own.take_over(&ground)).collect();
        told.extend(state.look(policy, user, Scope::All));
        told
    }

    /// The first look, which takes longer than all that follow, while nobody
    /// waits for it.
    pub(super) fn look_ahead(&self, policy: &SandboxPolicy, user: &User) {
        let mut state = self.lock();
        if policy.mode == Mode::WorkspaceWrite && state.tree.is_none() {
            state.look(policy, user, Scope::All);
        }
    }

    /// A file tool is about to write this.
    pub(super) fn accept(&self, path: PathBuf) {
        let mut state = self.lock();
        // While nothing runs, what appears is nobody's but the user's.
        if !state.running.is_empty() {
            state.accepted.insert(path);
        }
    }

    /// All of a command has ended.
    pub(super) fn end(&self, ticket: u64) {
        let mut state = self.lock();
        state.running.remove(&ticket);
        for own in state.copies.remove(&ticket).into_iter().flatten() {
            own.remove();
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn look(&mut self, policy: &SandboxPolicy, user: &User, scope: Scope) -> Vec<Repair> {
        let root = &policy.root;
        let without: Vec<PathBuf> = policy
            .hidden
            .iter()
            .filter(|path| path.starts_with(root))
            .cloned()
            .collect();
        if !(self.tree.as_ref()).is_some_and(|tree| tree.is_of(root, &without)) {
            self.tree = Some(Tree::new(root.clone(), without));
            self.known = Known::default();
            // Nothing is known of it, so nothing of it can be judged.
            let marks = self.marks(scope);
            self.remember(policy, user, marks);
            return Vec::new();
        }
        let mut marks = self.marks(scope);
        let told = if self.running.is_empty() {
            self.accepted.clear();
            self.made.clear();
            self.gone.clear();
            Vec::new()
        } else {
            self.follow();
            self.judge(policy, user, &mut marks)
        };
        self.remember(policy, user, marks);
        told
    }

    fn marks(&mut self, scope: Scope) -> BTreeMap<PathBuf, Kind> {
        let tree = self.tree.as_mut();
        tree.map(|tree| tree.look(scope)).unwrap_or_default()
    }

    /// Which folders are new since a command runs. One that was there before is
    /// not, however often it goes and comes.
    fn follow(&mut self) {
        let Some(tree) = &self.tree else {
            return;
        };
        for path in tree.went() {
            if !is_below(path, &self.made) {
                self.gone.insert(path.clone());
            }
        }
        for path in tree.came() {
            let was_there = |gone: &PathBuf| path.starts_with(gone) || gone.starts_with(path);
            if !self.gone.iter().any(was_there) {
                self.made.insert(path.clone());
            }
        }
    }

    /// Takes out of `marks` what was set aside.
    fn judge(
        &mut self,
        policy: &SandboxPolicy,
        user: &User,
        marks: &mut BTreeMap<PathBuf, Kind>,
    ) -> Vec<Repair> {
        let root = &policy.root;
        let ground = ground(policy, self.open(user));
        let mut judge = Judge {
            ground: &ground,
            before: &self.known.settings,
            known: &self.known.folders,
            told: Vec::new(),
        };
        let (mut came, mut inside) = (Vec::new(), Vec::new());
        let new: Vec<(PathBuf, Kind)> = marks
            .iter()
            .filter(|(path, _)| !self.known.marks.contains_key(*path))
            .map(|(path, kind)| (path.clone(), *kind))
            .collect();
        for (path, kind) in new {
            let whole = root.join(&path);
            let leaves = self.running.values();
            let is_accepted = |path: &PathBuf| path.starts_with(&whole);
            let may = self.accepted.iter().any(is_accepted)
                || leaves
                    .clone()
                    .any(|leave| is_confirmed(&leave.confirmed, &whole))
                || is_opened(user, root, &whole);
            match kind {
                Kind::Git | Kind::Bare => judge.entry(&whole),
                Kind::Later(_) if may => {}
                Kind::Later(what) if leaves.clone().any(|leave| leave.line == Line::Git) => {
                    came.push(format!("`{}` is {what}", whole.display()));
                }
                Kind::Later(what) if is_in_new_project(&path, &self.made) => {
                    inside.push(format!("`{}` is {what}", whole.display()));
                }
                Kind::Later(what) => {
                    judge.set_aside(&whole, what);
                    marks.remove(&path);
                }
                Kind::Modules => {}
            }
        }
        judge.settings_again();
        for (path, _) in marks.iter().filter(|(_, kind)| **kind == Kind::Modules) {
            let known = self.known.modules.get(path);
            if known.is_none() || tree::settled(root, path).as_ref() != known {
                judge.modules(&root.join(path));
            }
        }
        let mut told = judge.told;
        if !came.is_empty() {
            told.push(told_of("git fetched files that run code later", &came));
        }
        if !inside.is_empty() {
            let what = "a new folder contains files that run code later";
            told.push(told_of(what, &inside));
        }
        told
    }

    /// What the configuration opens, and what was confirmed.
    fn open(&self, user: &User) -> Vec<PathBuf> {
        let leaves = self.running.values();
        let confirmed = leaves.flat_map(|leave| &leave.confirmed);
        confirmed.chain(&user.opened).cloned().collect()
    }

    fn remember(&mut self, policy: &SandboxPolicy, user: &User, marks: BTreeMap<PathBuf, Kind>) {
        let root = &policy.root;
        let ground = ground(policy, self.open(user));
        let mut folders: Vec<PathBuf> = marks
            .iter()
            .filter(|(_, kind)| matches!(kind, Kind::Git | Kind::Bare))
            .flat_map(|(path, _)| ground.folders(&plain(&root.join(path))))
            .collect();
        let around = pointing::around(root).map(|around| around.folders);
        folders.extend(around.into_iter().flatten());
        folders.sort();
        folders.dedup();
        self.known = Known {
            modules: marks
                .iter()
                .filter(|(_, kind)| **kind == Kind::Modules)
                .filter_map(|(path, _)| Some((path.clone(), tree::settled(root, path)?)))
                .collect(),
            settings: ground.settings(&folders),
            folders,
            marks,
        };
    }

    /// Adds to the walls what is known to need them.
    fn wall(&self, policy: &mut SandboxPolicy, user: &User, leave: &Leave, named: Named) {
        let root = policy.root.clone();
        let mut held = Vec::new();
        let mut guarded = named.programs;
        if leave.line != Line::Git {
            let later = self.known.marks.iter();
            let later = later.filter(|(_, kind)| matches!(kind, Kind::Later(_)));
            for (path, _) in later {
                let whole = root.join(path);
                if leave.line == Line::Plain && is_near(path) {
                    held.push(whole);
                } else {
                    guarded.push(whole);
                }
            }
        }
        for path in named.steering {
            if path.symlink_metadata().is_ok() {
                held.push(path);
            } else {
                guarded.push(path);
            }
        }
        let may =
            |path: &Path| is_confirmed(&leave.confirmed, path) || is_opened(user, &root, path);
        let mut beside = Vec::new();
        let mut leave_out = |paths: &mut Vec<PathBuf>| {
            paths.retain(|path| {
                let may = may(path);
                if may {
                    let asked = leave.confirmed.iter().chain(&user.opened);
                    beside.extend(others(path, asked));
                }
                !may
            });
        };
        leave_out(&mut held);
        leave_out(&mut guarded);
        guarded.extend(beside);
        held.sort();
        held.dedup();
        guarded.extend(held.split_off(held.len().min(HELD)));
        for folder in &self.known.folders {
            let is_tree = folder
                .parent()
                .is_some_and(|above| above.ends_with("worktrees"));
            let first = if is_tree { "gitdir" } else { "hooks" };
            guarded.extend([first, "commondir"].map(|name| folder.join(name)));
        }
        let pointers = self.known.marks.iter();
        let pointers = pointers.filter(|(_, kind)| **kind == Kind::Git);
        guarded.extend(
            pointers
                .map(|(path, _)| root.join(path))
                .filter(|path| !path.is_dir()),
        );
        let stands = |path: &PathBuf| policy.read_only.iter().any(|held| path.starts_with(held));
        held.retain(|path| !stands(path));
        let asked: Vec<PathBuf> = leave
            .confirmed
            .iter()
            .chain(&user.opened)
            .cloned()
            .collect();
        guarded.retain(|path| !stands(path) && !held.contains(path) && !is_named(&asked, path));
        guarded.sort();
        guarded.dedup();
        let mut bytes = 0;
        guarded.retain(|path| {
            bytes += path.as_os_str().len() + 4;
            bytes <= GUARDED
        });
        policy.read_only.extend(held);
        policy.guarded.extend(guarded);
    }
}

fn ground(policy: &SandboxPolicy, open: Vec<PathBuf>) -> Ground<'_> {
    Ground {
        root: &policy.root,
        writable: policy.writable_roots().map(PathBuf::as_path).collect(),
        read_only: &policy.read_only,
        open,
    }
}

/// Whether a mount can hold it without keeping ordinary folders of the project
/// from being moved.
fn is_near(path: &Path) -> bool {
    let above = path.parent().into_iter().flat_map(Path::iter);
    above
        .into_iter()
        .all(|part| part.as_encoded_bytes().starts_with(b"."))
}

/// Whether a person said yes to a command that names this, something in it, or
/// a folder around it.
fn is_confirmed(confirmed: &[PathBuf], path: &Path) -> bool {
    confirmed
        .iter()
        .any(|asked| path.starts_with(asked) || asked.starts_with(path))
}

/// Whether the configuration opens it. A folder around it is no such wish.
fn is_opened(user: &User, root: &Path, path: &Path) -> bool {
    let steers = |asked: &Path| {
        let below = asked.strip_prefix(root).ok();
        below
            .and_then(Path::to_str)
            .is_some_and(|below| tenon_policy::runs_later(below).is_some())
    };
    user.opened.iter().any(|asked| {
        asked == path || asked.starts_with(path) || (path.starts_with(asked) && steers(asked))
    })
}

/// What lies in a protected folder beside that of its entries which is open.
fn others<'a>(folder: &Path, asked: impl Iterator<Item = &'a PathBuf>) -> Vec<PathBuf> {
    let asked: Vec<&PathBuf> = asked.collect();
    if asked.iter().any(|asked| folder.starts_with(asked)) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(folder) else {
        return Vec::new();
    };
    entries
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| !asked.iter().any(|asked| asked.starts_with(path)))
        .collect()
}

fn is_below(path: &Path, folders: &BTreeSet<PathBuf>) -> bool {
    folders.iter().any(|folder| path.starts_with(folder))
}

/// Whether it lies in a plain folder that a command has made: a project of its
/// own, which nobody has opened yet.
fn is_in_new_project(path: &Path, made: &BTreeSet<PathBuf>) -> bool {
    made.iter().any(|folder| {
        let is_plain = |part: &std::ffi::OsStr| !part.as_encoded_bytes().starts_with(b".");
        // It runs code for what it is there, not for where the folder lies.
        let runs_there = |below: &Path| below.to_str().and_then(tenon_policy::runs_later).is_some();
        folder.iter().all(is_plain) && path.strip_prefix(folder).is_ok_and(runs_there)
    })
}

/// What a person asked for stays, and is told.
fn told_of(what: &str, files: &[String]) -> Repair {
    let shown: Vec<&str> = files.iter().take(TOLD).map(String::as_str).collect();
    let more = match files.len().saturating_sub(TOLD) {
        0 => String::new(),
        more => format!(", and {more} more"),
    };
    Repair::left(format!(
        "{what}; look at them before they do: {}{more}",
        shown.join(", ")
    ))
}
