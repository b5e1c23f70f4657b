//! What the kernel of this machine says it can do for a command. It only
//! looks; whether walls really stand is tried in `trial`.

use crate::confinement::Level;
use crate::{bubblewrap, landlocked, privileges};
use rustix::thread::CapabilitySet;
use std::path::{Path, PathBuf};

/// Whether the kernel offers something.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Support {
    Present,
    Absent,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Probe {
    /// Without it, a process that detaches itself twice leaves its tree.
    pub subreaper: Support,
    /// The walls that this kernel seems to offer: `native`, `landlock`, `none`.
    pub adapter: &'static str,
    /// How much of them would stand: `none`, `partial`, `full`.
    pub level: &'static str,
    /// The version of Landlock; `None` where there is none.
    pub landlock: Option<u32>,
    /// Whether an ordinary user may make namespaces, by the kernel's settings.
    pub user_namespaces: Support,
    pub seccomp: Support,
    /// The program for `sandbox.adapter: bubblewrap`, if it is installed.
    pub bubblewrap: Option<PathBuf>,
    /// As `uname -r`.
    pub kernel: String,
}

impl Probe {
    /// Cheap: reads what the kernel says of itself and starts nothing. A
    /// container may still forbid what its kernel offers; see [`Self::trial`].
    #[must_use]
    pub fn look() -> Self {
        let subreaper = support(rustix::process::child_subreaper().is_ok());
        let landlock = Some(landlocked::version()).filter(|version| *version > 0);
        let user_namespaces = support(user_namespaces_allowed());
        let namespaces =
            user_namespaces == Support::Present || privileges::has(CapabilitySet::SYS_ADMIN);
        let (adapter, level) = match (namespaces, landlock) {
            (true, _) => ("native", Level::Full),
            (false, Some(_)) => ("landlock", Level::Partial),
            (false, None) => ("none", Level::None),
        };
        Self {
            subreaper,
            adapter,
            level: level.name(),
            landlock,
            user_namespaces,
            seccomp: support(Path::new("/proc/sys/kernel/seccomp/actions_avail").exists()),
            bubblewrap: bubblewrap::find(),
            kernel: setting("kernel/osrelease").unwrap_or_default(),
        }
    }
}

fn support(present: bool) -> Support {
    if present {
        Support::Present
    } else {
        Support::Absent
    }
}

fn setting(name: &str) -> Option<String> {
    let text = std::fs::read_to_string(Path::new("/proc/sys").join(name)).ok()?;
    Some(text.trim_end().to_owned())
}

/// Each of these switches is missing on kernels that do not have it.
fn user_namespaces_allowed() -> bool {
    let is = |name: &str, value: &str| setting(name).is_some_and(|own| own == value);
    if !Path::new("/proc/self/ns/user").exists() || is("user/max_user_namespaces", "0") {
        return false;
    }
    rustix::process::geteuid().is_root()
        || !(is("kernel/unprivileged_userns_clone", "0")
            || is("kernel/apparmor_restrict_unprivileged_userns", "1"))
}
