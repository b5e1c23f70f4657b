//! The walls around commands on this machine: settings, home and project become
//! one policy (S4). It only decides what is asked for; the sandbox crate builds
//! it and says what really stands.

mod added;
mod doubts;
mod environment;
mod git;
mod home;
mod machine;
mod own;
mod secrets;
mod sockets;
mod stores;

pub use added::{Author, Folders};
pub use doubts::find as doubts;
pub use environment::{Environment, whole as whole_environment};

use crate::place::Place;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use tenon_config::{
    KeySource, Resolved, SandboxAdapter, SandboxLacking, SandboxMode, SandboxNetwork,
    SandboxSettings,
};
use tenon_sandbox::{
    Adapter, Lacking, Level, Limits, Mode, Network, Private, Probe, SandboxPolicy,
};
use tenon_tools::Jobs;
use tenon_tools::jobs::{Ended, RunSpec};
use tenon_vocab::profile::AgentProfile;
use tokio_util::sync::CancellationToken;

/// Folders that every program may fill.
const TEMPORARY: [&str; 3] = ["/tmp", "/var/tmp", "/dev/shm"];

/// What a session's commands run behind.
#[derive(Debug)]
pub struct Walls {
    /// `None`: no walls were asked for.
    pub policy: Option<SandboxPolicy>,
    /// Files of the project that commands see empty, relative to the root.
    pub hidden_in_project: Vec<String>,
    /// What the configuration opens, also where it does not exist yet.
    pub opened: Vec<PathBuf>,
    /// What it shows of what is hidden otherwise.
    pub shown: Vec<PathBuf>,
    /// Folders of Tenon that commands may write, because walls may be lacking.
    left_open: Vec<PathBuf>,
    /// What is writable for who may only read.
    while_reading: Vec<PathBuf>,
    /// Secret files of the project that are too many to hide.
    shown_secrets: usize,
}

impl Walls {
    /// Looks at the machine and the project, within bounds.
    pub fn find(place: &Place, settings: &SandboxSettings, session: Option<&Path>) -> Self {
        let mode = match settings.mode {
            SandboxMode::Off => {
                return Self {
                    policy: None,
                    hidden_in_project: Vec::new(),
                    opened: Vec::new(),
                    shown: Vec::new(),
                    left_open: Vec::new(),
                    while_reading: Vec::new(),
                    shown_secrets: 0,
                };
            }
            SandboxMode::ReadOnly => Mode::ReadOnly,
            SandboxMode::WorkspaceWrite => Mode::WorkspaceWrite,
        };
        let ground = Ground::of(place, settings);
        if session.is_some() {
            ground.make_stores();
        }
        let writable = ground.writable();
        let own = own::Own::of(place, session);
        if session.is_some() {
            own.make(|path| ground.is_open(&writable, path));
        }
        let secrets = secrets::find(&place.root);
        let mut hidden = ground.hidden(&writable, &secrets.paths);
        let mut read_only = ground.read_only();
        hidden.extend(existing(own.hidden()));
        hidden.retain(|path| !place.root.starts_with(path));
        read_only.extend(own.read_only());
        let mut left_open = Vec::new();
        if may_lack_walls() {
            let open = |path: &Path| ground.is_open(&writable, path);
            left_open = own.release(&mut read_only, &mut hidden, open);
        }
        ground.narrow(&writable, &mut read_only);
        let while_reading = ground.writable_while_reading();
        let hidden_in_project = hidden
            .iter()
            .filter_map(|path| path.strip_prefix(&place.root).ok())
            .map(|path| path.to_string_lossy().into_owned())
            .collect();
        let policy = SandboxPolicy {
            mode,
            network: match settings.network {
                SandboxNetwork::Inherit => Network::Inherit,
                SandboxNetwork::Deny => Network::Deny,
            },
            adapter: match settings.adapter {
                SandboxAdapter::Auto => Adapter::Auto,
                SandboxAdapter::Native => Adapter::Native,
                SandboxAdapter::Bubblewrap => Adapter::Bubblewrap,
            },
            root: place.root.clone(),
            read_only,
            guarded: Vec::new(),
            copies: Vec::new(),
            hidden,
            sockets: ground.sockets(),
            private: Private::default(),
            writable,
            limits: limits(settings),
            lacking: match settings.lacking {
                SandboxLacking::Partial => Lacking::RunPartial,
                SandboxLacking::Refuse => Lacking::Refuse,
            },
        };
        let policy = match mode {
            Mode::ReadOnly => reading(policy, &while_reading),
            Mode::WorkspaceWrite | Mode::Off => policy,
        };
        Self {
            policy: Some(policy),
            hidden_in_project,
            opened: ground.all_written(&settings.writable),
            shown: ground.all_written(&settings.show),
            left_open,
            while_reading,
            shown_secrets: secrets.more,
        }
    }

    /// The same for what an agent runs: one that may only read gets no network
    /// and writes nothing of the project (S5).
    pub fn of_agent(&self, agent: &AgentProfile) -> Option<SandboxPolicy> {
        let mut policy = self.policy.clone()?;
        if agent.read_only {
            policy = reading(policy, &self.while_reading);
            policy.network = Network::Deny;
        }
        Some(policy)
    }

    /// What to say of them at the start of a session.
    pub fn remarks(&self) -> Vec<String> {
        if self.policy.is_none() {
            return vec![String::from("sandbox: off (sandbox.mode)")];
        }
        let mut remarks = Vec::new();
        if !self.hidden_in_project.is_empty() {
            remarks.push(format!(
                "sandbox: hidden from commands: {} (to show {}: sandbox.show)",
                shortened(&self.hidden_in_project),
                if self.hidden_in_project.len() == 1 {
                    "it"
                } else {
                    "them"
                }
            ));
        }
        if self.shown_secrets > 0 {
            remarks.push(format!(
                "sandbox: {} more secret files of the project are too many to hide from commands; name their folder in sandbox.hidden",
                self.shown_secrets
            ));
        }
        if !self.left_open.is_empty() {
            let names: Vec<String> = (self.left_open.iter())
                .map(|path| path.display().to_string())
                .collect();
            remarks.push(format!(
                "sandbox: commands may be able to write Tenon's own {}: it is in a folder that they can write, and this system may not be able to protect it; work in another folder, or set TENON_HOME to one",
                shortened(&names)
            ));
        }
        remarks
    }
}

/// What a machine does not enforce of the walls.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shortfall {
    /// How far they stand, in a word or a few.
    pub level: String,
    pub said: String,
}

/// What this machine does not enforce of the walls, if anything (S3). Where the
/// kernel's word is not enough, a command that does nothing is run behind them:
/// a container may forbid what its kernel offers.
pub async fn shortfall(jobs: &Jobs, root: &Path) -> Option<Shortfall> {
    let policy = jobs.sandbox()?;
    if policy.adapter != Adapter::Bubblewrap && !may_lack_walls() {
        return None;
    }
    let spec = RunSpec::new(":", root);
    let outcome = jobs.run(spec, &CancellationToken::new(), &|_, _| {}).await;
    let stood = &outcome.sandbox;
    match &outcome.ended {
        Ended::NotStarted(reason) => Some(Shortfall {
            level: String::from("no command can run"),
            said: format!("sandbox: commands can't run: {reason}"),
        }),
        _ if stood.level == Level::Full.name() => None,
        _ => Some(Shortfall {
            level: stood.level.clone(),
            said: format!(
                "sandbox: {} ({}): not covered: {}",
                stood.level,
                stood.adapter,
                stood.not_covered.join("; ")
            ),
        }),
    }
}

/// Whether the full walls are in doubt. A container may forbid what its kernel
/// offers.
fn may_lack_walls() -> bool {
    Probe::look().level != Level::Full.name() || is_filtered()
}

/// Whether this process itself runs behind a filter of system calls, as in a
/// container.
fn is_filtered() -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    status
        .lines()
        .find_map(|line| line.strip_prefix("Seccomp:"))
        .is_some_and(|mode| mode.trim() != "0")
}

fn shortened(names: &[String]) -> String {
    const SHOWN: usize = 5;
    let shown = names.iter().take(SHOWN).cloned().collect::<Vec<_>>();
    match names.len().saturating_sub(SHOWN) {
        0 => shown.join(", "),
        more => format!("{} and {more} more", shown.join(", ")),
    }
}

fn limits(settings: &SandboxSettings) -> Limits {
    let wanted = settings.limits;
    Limits {
        processes: wanted.processes,
        file_bytes: wanted.file_bytes,
        open_files: wanted.open_files,
        cpu_seconds: wanted.cpu_seconds,
        memory_bytes: wanted.memory_bytes,
    }
}

/// The variables that hold the keys of providers: Tenon's business alone.
pub fn key_variables(resolved: &Resolved) -> Vec<String> {
    resolved
        .providers
        .values()
        .chain(&resolved.provider)
        .filter_map(|provider| match &provider.key {
            KeySource::Env(names) => Some(names.clone()),
            _ => None,
        })
        .flatten()
        .collect()
}

/// The folders besides the project that every command may write, but for caches.
pub fn written_by_all(place: &Place, settings: &SandboxSettings) -> Vec<PathBuf> {
    Ground::of(place, settings).writable_while_reading()
}

/// Everything that the lists of paths are made from.
struct Ground<'a> {
    place: &'a Place,
    settings: &'a SandboxSettings,
    home: Option<PathBuf>,
    /// Besides that: the account's own where `HOME` says otherwise, and for
    /// root everybody's.
    homes: Vec<PathBuf>,
    repository: Option<git::Repository>,
}

impl<'a> Ground<'a> {
    fn of(place: &'a Place, settings: &'a SandboxSettings) -> Self {
        let home = place
            .env
            .get("HOME")
            .map(PathBuf::from)
            .filter(|home| home.is_absolute());
        let mut homes = tenon_sandbox::homes();
        homes.retain(|other| home.as_ref() != Some(other));
        Self {
            place,
            settings,
            home,
            homes,
            repository: git::around(&place.root),
        }
    }

    /// A path as the user wrote it: `~/` is the home, else relative to the root.
    fn written(&self, text: &str) -> PathBuf {
        match (text.strip_prefix('~'), &self.home) {
            (Some(""), Some(home)) => home.clone(),
            (Some(below), Some(home)) if below.starts_with('/') => {
                home.join(below.trim_start_matches('/'))
            }
            _ => tenon_sandbox::plain(&self.place.root.join(text)),
        }
    }

    fn all_written(&self, texts: &[String]) -> Vec<PathBuf> {
        texts.iter().map(|text| self.written(text)).collect()
    }

    /// Temporary folders and what the user opened: reading needs no caches and
    /// no commits.
    fn writable_while_reading(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = TEMPORARY.map(PathBuf::from).to_vec();
        paths.extend(self.variable("TMPDIR"));
        paths.extend(self.all_written(&self.settings.writable));
        existing(paths)
    }

    /// In a home of the one who runs this. In one that the project holds,
    /// programs make them themselves.
    fn make_stores(&self) {
        let Some(home) = self.home.as_deref().filter(|_| self.settings.caches) else {
            return;
        };
        let is_open = home.starts_with(&self.place.root);
        let owner = std::fs::metadata(home).map(|home| home.uid());
        let is_own = owner.is_ok_and(|owner| owner == rustix::process::geteuid().as_raw());
        if is_own && !is_open {
            let path = self.place.env.get("PATH");
            stores::make(home, path, |name| self.variable(name));
        }
    }

    /// Besides the root. Only what exists: of the rest, nothing is created for
    /// commands.
    fn writable(&self) -> Vec<PathBuf> {
        let mut paths: Vec<PathBuf> = TEMPORARY.map(PathBuf::from).to_vec();
        paths.extend(self.variable("TMPDIR"));
        paths.extend(self.repository.iter().flat_map(git::Repository::writable));
        if self.settings.caches {
            paths.extend(stores::find(self.home.as_deref(), |name| {
                self.variable(name)
            }));
        }
        paths.extend(self.all_written(&self.settings.writable));
        existing(paths)
    }

    fn read_only(&self) -> Vec<PathBuf> {
        let mut protected = vec![self.place.root.join(".tenon")];
        protected.extend(self.repository.iter().flat_map(git::Repository::protected));
        protected.extend(git::steered(&self.place.root));
        protected.extend(home::protected(self.home.as_deref(), |name| {
            self.variable(name)
        }));
        for home in &self.homes {
            protected.extend(home::protected(Some(home), |_| None));
        }
        // Whoever names such a path itself wants it open; a folder around it
        // is no such wish.
        let opened = self.all_written(&self.settings.writable);
        protected.retain(|path| !opened.contains(path));
        protected.extend(self.all_written(&self.settings.read_only));
        protected
    }

    /// Leaves only what would be writable otherwise: all else is not in any
    /// case. A root inside of a protected folder is what the user chose to
    /// work in.
    fn narrow(&self, writable: &[PathBuf], protected: &mut Vec<PathBuf>) {
        protected.retain(|path| self.is_open(writable, path) && !self.place.root.starts_with(path));
        *protected = unique(std::mem::take(protected));
    }

    fn is_open(&self, writable: &[PathBuf], path: &Path) -> bool {
        path.starts_with(&self.place.root) || writable.iter().any(|folder| path.starts_with(folder))
    }

    fn hidden(&self, writable: &[PathBuf], secrets: &[PathBuf]) -> Vec<PathBuf> {
        let home = self.home.as_deref();
        let mut hidden = sockets::find(home::gnupg(home, |name| self.variable(name)));
        hidden.extend(self.sockets_of_the_environment());
        hidden.extend(home::credentials(home, |name| self.variable(name)));
        for home in &self.homes {
            hidden.extend(home::credentials(Some(home), |_| None));
        }
        hidden.extend(machine::secrets());
        hidden.extend_from_slice(secrets);
        // A temporary folder or one that the user opened is not shut again;
        // what lies beside it stays shut.
        for folder in writable {
            hidden = hidden
                .into_iter()
                .flat_map(|path| {
                    if folder.starts_with(&path) {
                        without(path, folder)
                    } else {
                        vec![path]
                    }
                })
                .collect();
        }
        hidden.extend(self.all_written(&self.settings.hidden));
        hidden.retain(|path| !self.place.root.starts_with(path));
        // What may be connected to must be seen.
        let shown = self.all_written(&self.settings.show);
        for shown in shown
            .into_iter()
            .chain(self.all_written(&self.settings.sockets))
        {
            hidden = hidden
                .into_iter()
                .flat_map(|path| without(path, &shown))
                .collect();
        }
        existing(hidden)
    }

    /// What a command may connect to that it has not made itself.
    fn sockets(&self) -> Vec<PathBuf> {
        let mut allowed: Vec<PathBuf> = sockets::OF_LOOKUPS.map(PathBuf::from).to_vec();
        allowed.extend(self.all_written(&self.settings.sockets));
        allowed
    }

    fn sockets_of_the_environment(&self) -> Vec<PathBuf> {
        let plain = [
            "SSH_AUTH_SOCK",
            "XDG_RUNTIME_DIR",
            "XAUTHORITY",
            "VSCODE_IPC_HOOK_CLI",
        ]
        .into_iter()
        .filter_map(|name| self.variable(name));
        let addresses = ["DOCKER_HOST", "CONTAINER_HOST"]
            .into_iter()
            .filter_map(|name| self.place.env.get(name)?.strip_prefix("unix://"))
            .map(PathBuf::from);
        plain.chain(addresses).collect()
    }

    fn variable(&self, name: &str) -> Option<PathBuf> {
        let path = PathBuf::from(self.place.env.get(name)?);
        // `/` in such a variable is a slip, and would open or hide everything.
        (path.is_absolute() && path.parent().is_some()).then_some(path)
    }
}

/// The walls for who may only read. A project in a temporary folder would be
/// writable with it.
fn reading(mut policy: SandboxPolicy, writable: &[PathBuf]) -> SandboxPolicy {
    policy.mode = Mode::ReadOnly;
    policy.writable = writable.to_vec();
    let root = &policy.root;
    if writable.iter().any(|folder| root.starts_with(folder)) && !writable.contains(root) {
        policy.read_only.retain(|path| !path.starts_with(root));
        policy.read_only.push(root.clone());
    }
    policy
}

fn existing(mut paths: Vec<PathBuf>) -> Vec<PathBuf> {
    paths.retain(|path| path.symlink_metadata().is_ok());
    unique(paths)
}

fn unique(paths: Vec<PathBuf>) -> Vec<PathBuf> {
    let mut kept: Vec<PathBuf> = Vec::new();
    for path in paths {
        if !kept.contains(&path) {
            kept.push(path);
        }
    }
    kept
}

/// A hidden path as it is when one of its parts shall be seen: gone, or the
/// other parts of it.
fn without(hidden: PathBuf, shown: &Path) -> Vec<PathBuf> {
    const ENTRIES: usize = 512;
    if hidden.starts_with(shown) {
        return Vec::new();
    }
    if !shown.starts_with(&hidden) {
        return vec![hidden];
    }
    let Ok(entries) = std::fs::read_dir(&hidden) else {
        return vec![hidden];
    };
    let entries: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    if entries.len() > ENTRIES {
        return vec![hidden];
    }
    entries
        .into_iter()
        .flat_map(|entry| without(entry, shown))
        .collect()
}

#[cfg(test)]
mod tests;
