//! The second wall: what Landlock lets a command read and write, wherever it
//! stands among the mounts. Behind namespaces it repeats what the mounts hold
//! and adds devices, signals and abstract sockets; without them it is the only
//! wall around files.

use crate::places::Places;
use crate::walls::{Network, SandboxPolicy};
use landlock::{
    ABI, Access, AccessFs, AccessNet, BitFlags, CompatLevel, Compatible, PathBeneath, Ruleset,
    RulesetAttr, RulesetCreated, RulesetCreatedAttr, RulesetError, RulesetStatus, Scope,
};
use rustix::fs::{FileType, Mode, OFlags};
use std::os::fd::OwnedFd;
use std::path::Path;

/// The newest rights that are asked for; older kernels give what they have.
/// Version 9 adds the connecting to unix sockets by path, which `network`
/// decides and seccomp holds.
const ASKED: ABI = ABI::V8;

/// Entries that are granted one by one around hidden paths; a folder with more
/// of them is left out, which hides too much and never too little.
const MAX_ENTRIES: usize = 20_000;

const DEVICE_FOLDER: &str = "/dev";

/// Devices that any program may read and write.
const DEVICES: [&str; 8] = [
    "/dev/null",
    "/dev/zero",
    "/dev/full",
    "/dev/random",
    "/dev/urandom",
    "/dev/tty",
    "/dev/ptmx",
    "/dev/pts/ptmx",
];

/// Whether mounts hide what is hidden, or this wall must.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reads {
    Everywhere,
    ByEntry,
}

/// The version of Landlock in this kernel; 0 where there is none.
pub(crate) fn version() -> u32 {
    crate::raw::landlock_version()
}

pub(crate) struct Rules {
    ruleset: Option<RulesetCreated>,
}

impl Rules {
    pub(crate) fn build(
        policy: &SandboxPolicy,
        places: &Places,
        reads: Reads,
    ) -> Result<Self, String> {
        create(policy, places, reads)
            .map(|ruleset| Self {
                ruleset: Some(ruleset),
            })
            .map_err(|error| format!("Landlock: {error}"))
    }

    /// Holds from here on, for this process and all it starts.
    pub(crate) fn hold(&mut self) -> Result<(), String> {
        let ruleset = self
            .ruleset
            .take()
            .ok_or_else(|| String::from("Landlock was set up twice"))?;
        let status = ruleset
            .restrict_self()
            .map_err(|error| format!("Landlock: {error}"))?;
        if status.ruleset == RulesetStatus::NotEnforced {
            return Err(String::from("Landlock is not enforced"));
        }
        Ok(())
    }
}

fn create(
    policy: &SandboxPolicy,
    places: &Places,
    reads: Reads,
) -> Result<RulesetCreated, RulesetError> {
    let all = AccessFs::from_all(ASKED);
    let mut asked = Ruleset::default()
        .set_compatibility(CompatLevel::BestEffort)
        .handle_access(all)?
        .scope(Scope::from_all(ASKED))?;
    if policy.network == Network::Deny && reads == Reads::ByEntry {
        asked = asked.handle_access(AccessNet::from_all(ASKED))?;
    }
    let mut granter = Granter {
        rules: asked.create()?,
        places,
        left: MAX_ENTRIES,
    };
    granter.grant_reading(reads)?;
    for folder in &places.writable {
        granter.grant(folder, all)?;
    }
    for device in DEVICES {
        granter.grant(Path::new(device), device_rights())?;
    }
    granter.grant(Path::new("/dev/shm"), all)?;
    if reads == Reads::Everywhere {
        for folder in &places.private.folders {
            granter.grant(folder, all)?;
        }
        // Behind namespaces they are the command's own; else they are the
        // terminals that the user sits at.
        granter.grant(Path::new("/dev/pts"), device_rights() | AccessFs::ReadDir)?;
    }
    Ok(granter.rules)
}

fn device_rights() -> BitFlags<AccessFs> {
    AccessFs::ReadFile | AccessFs::WriteFile | AccessFs::Truncate | AccessFs::IoctlDev
}

struct Granter<'a> {
    rules: RulesetCreated,
    places: &'a Places,
    left: usize,
}

impl Granter<'_> {
    /// What does not exist or cannot be reached needs no grant.
    fn grant(&mut self, path: &Path, rights: BitFlags<AccessFs>) -> Result<(), RulesetError> {
        let Some((handle, kind)) = open(path) else {
            return Ok(());
        };
        let rights = match kind {
            FileType::Directory => rights,
            // A link's target is granted where it is.
            FileType::Symlink => return Ok(()),
            _ => rights & AccessFs::from_file(ASKED),
        };
        (&mut self.rules).add_rule(PathBeneath::new(handle, rights))?;
        Ok(())
    }

    /// Reading everything but devices: root reads whole disks by them, with all
    /// that is hidden. Of those only the ones named here are granted.
    fn grant_reading(&mut self, reads: Reads) -> Result<(), RulesetError> {
        self.grant(Path::new("/"), AccessFs::ReadDir.into())?;
        let Ok(entries) = std::fs::read_dir("/") else {
            return Ok(());
        };
        for entry in entries.flatten() {
            let path = entry.path();
            match reads {
                _ if path == Path::new(DEVICE_FOLDER) => {}
                Reads::Everywhere => self.grant(&path, AccessFs::from_read(ASKED))?,
                Reads::ByEntry => self.grant_around(&path)?,
            }
        }
        Ok(())
    }

    /// Reading all below a folder but what is hidden. Landlock cannot take
    /// back what a folder was granted, so folders above a hidden path are
    /// granted entry by entry. Their names can be listed, and with them, alas,
    /// the names below.
    fn grant_around(&mut self, folder: &Path) -> Result<(), RulesetError> {
        if self.places.hidden().any(|path| path == folder) {
            return Ok(());
        }
        if !self.places.hidden().any(|path| path.starts_with(folder)) {
            return self.grant(folder, AccessFs::from_read(ASKED));
        }
        self.grant(folder, AccessFs::ReadDir.into())?;
        let Ok(entries) = std::fs::read_dir(folder) else {
            return Ok(());
        };
        for entry in entries.flatten() {
            if self.left == 0 {
                return Ok(());
            }
            self.left -= 1;
            self.grant_around(&entry.path())?;
        }
        Ok(())
    }
}

fn open(path: &Path) -> Option<(OwnedFd, FileType)> {
    let flags = OFlags::PATH | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let handle = rustix::fs::open(path, flags, Mode::empty()).ok()?;
    let facts = rustix::fs::fstat(&handle).ok()?;
    Some((handle, FileType::from_raw_mode(facts.st_mode)))
}
