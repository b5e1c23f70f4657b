//! What a confined process gives up: capabilities, the gaining of new ones,
//! and resources beyond its limits.

use crate::raw;
use crate::walls::Limits;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use rustix::thread::{CapabilitySet, CapabilitySets};
use std::io;

/// What root keeps, so that it can work in a folder of another user, as it
/// does in many containers. They decide about files only, and which files can
/// be reached at all is the walls' business. Not FSETID: with it, a setuid
/// file that is written to stays one.
const ROOT_KEEPS: CapabilitySet = CapabilitySet::CHOWN
    .union(CapabilitySet::DAC_OVERRIDE)
    .union(CapabilitySet::FOWNER);

pub(crate) fn has(capability: CapabilitySet) -> bool {
    rustix::thread::capabilities(None).is_ok_and(|sets| sets.effective.contains(capability))
}

/// Gives up all capabilities but those, also for what is executed later.
pub(crate) fn drop_capabilities() -> io::Result<()> {
    let held = rustix::thread::capabilities(None)?;
    let keep = if rustix::process::geteuid().is_root() {
        held.permitted & ROOT_KEEPS
    } else {
        CapabilitySet::empty()
    };
    // Older kernels have none.
    let _ = rustix::thread::clear_ambient_capability_set();
    if held.effective.contains(CapabilitySet::SETPCAP) {
        raw::limit_bounding_set(keep.bits())?;
    }
    rustix::thread::set_capabilities(
        None,
        CapabilitySets {
            effective: keep,
            permitted: keep,
            inheritable: CapabilitySet::empty(),
        },
    )?;
    rustix::thread::set_no_new_privs(true)?;
    Ok(())
}

/// A limit never rises above what this process itself has.
pub(crate) fn limit(limits: &Limits) -> io::Result<()> {
    let wanted = [
        (Resource::Core, Some(0)),
        (Resource::Nproc, limits.processes),
        (Resource::Fsize, limits.file_bytes),
        (Resource::Nofile, limits.open_files),
        (Resource::Cpu, limits.cpu_seconds),
        (Resource::As, limits.memory_bytes),
    ];
    for (resource, most) in wanted {
        let Some(most) = most else { continue };
        let most = getrlimit(resource)
            .maximum
            .map_or(most, |own| own.min(most));
        setrlimit(
            resource,
            Rlimit {
                current: Some(most),
                maximum: Some(most),
            },
        )?;
    }
    Ok(())
}
