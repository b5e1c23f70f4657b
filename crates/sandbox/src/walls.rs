//! What a command may read, write and reach: the walls as they are asked for.
//! Plain data; how they are built is the supervisor's business, and what was
//! built is told by [`Confinement`](crate::Confinement).

use std::path::PathBuf;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// No walls at all.
    Off,
    /// Nothing is writable but the folders named in `writable`.
    ReadOnly,
    /// The root is writable too.
    WorkspaceWrite,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Network {
    /// As Tenon's own.
    Inherit,
    /// A loopback of its own and nothing else; no unix sockets.
    Deny,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Adapter {
    /// The best that this machine offers without any other program.
    Auto,
    /// Namespaces made by the supervisor itself, Landlock and seccomp.
    Native,
    /// The program `bwrap`, with Landlock and seccomp inside.
    Bubblewrap,
}

/// What to do where the full walls are not to be had.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Lacking {
    /// Run behind what stands, and say what does not.
    RunPartial,
    /// Do not run.
    Refuse,
}

/// Limits for each process of the command (`processes`: for the user). None
/// means as inherited. Core dumps are always off.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Limits {
    pub processes: Option<u64>,
    pub file_bytes: Option<u64>,
    pub open_files: Option<u64>,
    pub cpu_seconds: Option<u64>,
    pub memory_bytes: Option<u64>,
}

/// Folders that the command gets empty and as its own, whatever lies there for
/// others. It may write them; they are small, and gone with the command.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Private {
    pub folders: Vec<PathBuf>,
    /// Folders that it gets empty as well, and may not write.
    pub closed: Vec<PathBuf>,
    /// What lies in all those folders and is seen all the same, but not written:
    /// a project, a home, programs.
    pub seen: Vec<PathBuf>,
}

/// A copy that stands in a file's place for one command. What becomes of the
/// changes is the matter of who made the copy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwnCopy {
    /// Protected as well.
    pub file: PathBuf,
    /// In a folder that the command may write: programs put a new file in the
    /// place of the old one.
    pub copy: PathBuf,
}

/// The walls around one command. All paths are absolute.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SandboxPolicy {
    pub mode: Mode,
    pub network: Network,
    pub adapter: Adapter,
    pub root: PathBuf,
    /// Besides the root: temporary folders, caches.
    pub writable: Vec<PathBuf>,
    /// Protected: stay readable, are never writable, also when they do not
    /// exist yet.
    pub read_only: Vec<PathBuf>,
    /// Not held while the command runs, but put back when it has ended: what
    /// steers programs deep in the project, where a mount would keep folders
    /// around it from being moved.
    pub guarded: Vec<PathBuf>,
    /// Protected files of which the command has copies to write. Where the
    /// walls cannot show them in their place, the files are only protected.
    pub copies: Vec<OwnCopy>,
    /// Credentials: neither readable nor writable.
    pub hidden: Vec<PathBuf>,
    /// Unix sockets of other programs that the command may connect to, or
    /// folders of them. Those that it makes itself it always may.
    pub sockets: Vec<PathBuf>,
    /// Only the full walls can make them.
    pub private: Private,
    pub limits: Limits,
    pub lacking: Lacking,
}

impl SandboxPolicy {
    /// Whether commands have the network of the machine.
    #[must_use]
    pub fn reaches_network(&self) -> bool {
        self.network == Network::Inherit
    }

    /// The folders that a command may write below, the root first when it is
    /// one of them.
    pub fn writable_roots(&self) -> impl Iterator<Item = &PathBuf> {
        let root = match self.mode {
            Mode::WorkspaceWrite => Some(&self.root),
            Mode::Off | Mode::ReadOnly => None,
        };
        root.into_iter().chain(&self.writable)
    }
}
