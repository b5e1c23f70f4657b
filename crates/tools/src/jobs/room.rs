//! Where a command runs: behind the walls of its session, or in a room where
//! it can only read. There nothing of the user's can be written, no network and
//! no socket is there, temporary folders are empty and the command's own, the
//! secret files of the project are hidden at any depth, and of what people keep
//! outside of the project nothing is there (`sight`). So a mistake about
//! what a command does costs nothing, and nobody has to be asked. All of that
//! stands, or the command does not run.

use super::Jobs;
use super::running::lock;
use super::sight::{self, NAMING};
use super::spec::{Leftovers, NotStarted, Placement, RunSpec};
use super::warden::{Coverage, SecretFiles, Secrets};
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::path::PathBuf;
use std::sync::{Arc, Mutex};
use tenon_sandbox::{Lacking, Level, Mode, Network, Probe, SandboxPolicy, Supervisor, Support};
use tenon_vocab::profile::OnTimeout;

/// Where a command is run.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Room {
    /// Behind the walls of the session.
    #[default]
    Session,
    /// Where it can only read.
    Reading,
}

/// Variables for whom nobody is asked about: no lock is taken that could not be
/// written, nothing is fetched, no program is run that is not on the line.
const QUIET: [(&str, &str); 3] = [
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GIT_NO_LAZY_FETCH", "1"),
    ("MANPAGER", "cat"),
];
/// Settings of git that run a program of the repository, and a value that runs
/// none. Drivers of differences and filters have none: git calls an empty one
/// too. They run, if a line calls for them, behind the same walls.
const SETTINGS: [(&str, &str); 3] = [
    ("core.fsmonitor", "false"),
    ("core.hooksPath", "/dev/null"),
    ("log.showSignature", "false"),
];
/// Variables by which a program that reads runs another one.
const WITHHELD: [&str; 4] = [
    "GIT_EXTERNAL_DIFF",
    "LESSOPEN",
    "LESSCLOSE",
    "RIPGREP_CONFIG_PATH",
];
/// How many settings of git follow in the environment.
const COUNT: &str = "GIT_CONFIG_COUNT";

/// What a session knows of its room for readers.
#[derive(Debug, Default)]
pub(super) struct ReadingRoom {
    /// Of the project and of each added folder.
    secrets: Mutex<BTreeMap<PathBuf, SecretFiles>>,
    /// Unknown until somebody asks.
    stands: Mutex<Option<Standing>>,
    /// What the configuration shows to commands.
    shown: Mutex<Vec<PathBuf>>,
}

impl ReadingRoom {
    /// Knows the project before somebody waits for it.
    pub(super) fn look_ahead(&self, policy: &SandboxPolicy, added: &[PathBuf]) {
        self.look(policy, added);
    }

    fn look(&self, policy: &SandboxPolicy, added: &[PathBuf]) -> Secrets {
        let shown = lock(&self.shown).clone();
        let mut known = lock(&self.secrets);
        let mut found = Secrets {
            paths: Vec::new(),
            coverage: Coverage::All,
        };
        for root in std::iter::once(&policy.root).chain(added) {
            let of_root = known
                .entry(root.clone())
                .or_default()
                .look(root, &policy.hidden, &shown);
            found.paths.extend(of_root.paths);
            if of_root.coverage != Coverage::All {
                found.coverage = of_root.coverage;
            }
        }
        found
    }
}

/// Whether this machine holds all walls of the room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Standing {
    Holds,
    Fails,
}

impl Jobs {
    /// Secret files that the configuration shows to commands.
    #[must_use]
    pub fn with_shown(self, shown: Vec<PathBuf>) -> Self {
        *lock(&self.inner.reading.shown) = shown;
        self
    }

    /// Whether this machine holds the walls of [`Room::Reading`]. The first
    /// time a command that does nothing is run behind them: what a kernel
    /// offers, a container may forbid.
    #[must_use]
    pub fn holds_readers(&self) -> bool {
        let Some(policy) = self.sandbox() else {
            return false;
        };
        let mut stands = lock(&self.inner.reading.stands);
        let found = *stands.get_or_insert_with(|| {
            let policy = walls(&policy, &[], &self.inner.environment);
            tried(&self.inner.supervisor, &policy)
        });
        found == Standing::Holds
    }

    /// Whether [`Room::Reading`] hides every secret file of the project: a
    /// program that reads all there is may be let loose on it. Otherwise the
    /// project has more folders or secrets than are looked at.
    #[must_use]
    pub fn secrets_hidden_whole(&self) -> bool {
        let Some(policy) = self.sandbox() else {
            return false;
        };
        let found = self.inner.reading.look(&policy, &self.added_folders());
        found.coverage == Coverage::All
    }

    /// The walls of one command that only reads.
    pub(super) async fn reading_walls(
        &self,
        environment: &[(OsString, OsString)],
    ) -> Result<Arc<SandboxPolicy>, NotStarted> {
        let policy = self.sandbox().ok_or(NotStarted::NoSandbox)?;
        let added = self.added_folders();
        let mut walls = walls(&policy, &added, environment);
        let reading = Arc::clone(&self.inner.reading);
        let looked = tokio::task::spawn_blocking(move || reading.look(&policy, &added));
        let secrets = looked.await.map_err(|_| NotStarted::NoSandbox)?;
        walls.hidden.extend(secrets.paths);
        Ok(Arc::new(walls))
    }

    /// The room was refused: from now on it is said not to be there.
    pub(super) fn room_failed(&self) {
        *lock(&self.inner.reading.stands) = Some(Standing::Fails);
    }
}

impl RunSpec {
    /// Nothing outlives its call in a room for readers.
    pub(super) fn settled(mut self) -> Self {
        if self.room == Room::Reading {
            self.placement = Placement::Foreground;
            self.on_timeout = OnTimeout::Kill;
            self.leftovers = Leftovers::Kill;
        }
        self
    }
}

/// The session's walls, narrowed to what a reader needs.
fn walls(
    session: &SandboxPolicy,
    added: &[PathBuf],
    environment: &[(OsString, OsString)],
) -> SandboxPolicy {
    SandboxPolicy {
        mode: Mode::ReadOnly,
        network: Network::Deny,
        writable: Vec::new(),
        read_only: Vec::new(),
        guarded: Vec::new(),
        sockets: Vec::new(),
        private: sight::of(&session.root, added, environment),
        lacking: Lacking::Refuse,
        ..session.clone()
    }
}

/// What commands get besides or instead of what others get.
pub(super) fn environment(
    mut base: Vec<(OsString, OsString)>,
    walls: &SandboxPolicy,
) -> Vec<(OsString, OsString)> {
    let withheld = |name: &OsStr| WITHHELD.iter().any(|held| name == *held);
    base.retain(|(name, _)| !withheld(name));
    let count = base.iter().rev().find(|(name, _)| name == COUNT);
    let count = count.and_then(|(_, value)| value.to_str()?.parse::<usize>().ok());
    let first = count.unwrap_or_default();
    if let Some(folder) = walls.private.folders.first() {
        base.extend(NAMING.map(|name| (name.into(), folder.into())));
    }
    let mut set = |name: &str, value: &str| base.push((name.into(), value.into()));
    for (name, value) in QUIET {
        set(name, value);
    }
    for (at, (key, value)) in SETTINGS.into_iter().enumerate() {
        set(&format!("GIT_CONFIG_KEY_{}", first + at), key);
        set(&format!("GIT_CONFIG_VALUE_{}", first + at), value);
    }
    set(COUNT, &(first + SETTINGS.len()).to_string());
    base
}

/// On a thread of its own: whoever asks waits, and may itself be a task of a
/// runtime.
fn tried(supervisor: &Supervisor, policy: &SandboxPolicy) -> Standing {
    let probe = Probe::look();
    if probe.seccomp == Support::Absent {
        return Standing::Fails;
    }
    let trial = || {
        let mut runtime = tokio::runtime::Builder::new_current_thread();
        let runtime = runtime.enable_all().build().ok()?;
        runtime.block_on(Probe::stand(supervisor, policy)).ok()
    };
    let stood = std::thread::scope(|scope| scope.spawn(trial).join());
    match stood {
        Ok(Some(stood)) if stood.level == Level::Full => Standing::Holds,
        _ => Standing::Fails,
    }
}
