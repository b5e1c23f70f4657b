//! The partial level: no namespaces, so no mounts. Landlock and seccomp stand
//! alone, protected paths are put back afterwards, and what is not held is
//! named. Where Landlock is missing too, nothing holds files at all.

use crate::confinement::Level;
use crate::guard::{Care, Guard};
use crate::launch::{Launched, guarded_note, watched};
use crate::message::Status;
use crate::places::Places;
use crate::start::{Job, NotStarted, Second, start};
use crate::walls::{Lacking, Network, SandboxPolicy};
use std::path::Path;

/// Versions of Landlock that brought what is named by their absence.
const WITH_RENAMES: u32 = 2;
const WITH_TRUNCATE: u32 = 3;
const WITH_DEVICES: u32 = 5;
const WITH_SIGNALS: u32 = 6;

pub(crate) fn launch(
    job: Job,
    policy: &SandboxPolicy,
    places: &Places,
    why: &str,
    tell: &mut dyn FnMut(Status),
) -> Result<Launched, NotStarted> {
    if policy.lacking == Lacking::Refuse {
        return Err(NotStarted::Walls(format!(
            "the full sandbox is not available here ({why}), and sandbox.lacking is `refuse`"
        )));
    }
    let second = Second::alone(policy, places).map_err(NotStarted::Walls)?;
    let guard = remember(places);
    for gap in gaps(policy, places, &second, &guard, why) {
        tell(Status::Gap(gap));
    }
    let (adapter, level) = match second.landlock() {
        0 => ("none", Level::None),
        _ => ("landlock", Level::Partial),
    };
    // All that is known is said first: the command may end who says it.
    tell(Status::Confined { adapter, level });
    tell(Status::Starting);
    let started = start(job, Some(second))?;
    started
        .gap
        .map(Status::Gap)
        .into_iter()
        .for_each(&mut *tell);
    Ok(Launched {
        main: started.main,
        command: started.main.as_raw_nonzero().get().cast_unsigned(),
        inside: None,
        listener: started.listener,
        guard,
    })
}

fn within<'a>(places: &'a Places, path: &'a Path) -> Option<(&'a Path, &'a Path)> {
    let base = places.writable_around(path)?;
    Some((base.as_path(), path.strip_prefix(base).ok()?))
}

fn remember(places: &Places) -> Guard {
    let standing = places
        .protected()
        .chain(places.hidden())
        .filter_map(|path| within(places, path))
        .map(|(base, below)| (base, below, Care::Protected));
    Guard::remember(standing.chain(watched(places)))
}

fn gaps(
    policy: &SandboxPolicy,
    places: &Places,
    second: &Second,
    guard: &Guard,
    why: &str,
) -> Vec<String> {
    let version = second.landlock();
    let mut gaps = vec![format!(
        "there are no namespaces here ({why}), so the sandbox is only partial"
    )];
    if version == 0 {
        gaps.push(String::from(
            "files: a command can read and write whatever this user can (the kernel has no \
             Landlock)",
        ));
    } else {
        gaps.extend(file_gaps(places, version));
    }
    let protected: Vec<String> = places
        .protected()
        .map(|path| path.display().to_string())
        .chain(
            places
                .loose
                .iter()
                .map(|loose| loose.path().display().to_string()),
        )
        .collect();
    if !protected.is_empty() {
        gaps.push(format!(
            "protected paths in writable folders can change while a command runs; they are \
             restored afterwards: {}",
            protected.join(", ")
        ));
    }
    if !places.private.closed.is_empty() {
        gaps.push(String::from("what lies outside the project can be read"));
    }
    if !places.private.folders.is_empty() {
        gaps.push(String::from(
            "temporary folders are the machine's own: commands can read them but not write",
        ));
    }
    gaps.extend(guarded_note(places));
    let unkept: Vec<String> = guard
        .unkept()
        .iter()
        .map(|path| path.display().to_string())
        .collect();
    if !unkept.is_empty() {
        gaps.push(format!(
            "too large to be restored when they change: {}",
            unkept.join(", ")
        ));
    }
    if version < WITH_SIGNALS {
        gaps.push(String::from(
            "signals to other processes of this user and abstract unix sockets; a command that \
             kills Tenon's own processes also keeps protected paths from being restored",
        ));
    }
    gaps.push(String::from(
        "commands can see which processes run on this machine and use this user's shared memory",
    ));
    gaps.extend(second.unlimited());
    if !second.has_filters() {
        gaps.push(match policy.network {
            Network::Inherit => String::from("system calls are not filtered on this processor"),
            Network::Deny => String::from(
                "the network except TCP: system calls are not filtered on this processor",
            ),
        });
    }
    gaps
}

fn file_gaps(places: &Places, version: u32) -> Vec<String> {
    let mut gaps = vec![String::from(
        "commands can change permissions, owners, times and attributes of this user's files \
         outside the writable folders, but not their contents",
    )];
    let (exposed, closed): (Vec<_>, Vec<_>) = places
        .hidden()
        .partition(|path| places.writable_around(path).is_some());
    if !exposed.is_empty() {
        let exposed: Vec<String> = exposed
            .iter()
            .map(|path| path.display().to_string())
            .collect();
        gaps.push(format!(
            "commands can read hidden paths in writable folders: {}",
            exposed.join(", ")
        ));
    }
    if !closed.is_empty() {
        gaps.push(String::from(
            "commands can see the names, sizes and times of hidden files, but not their contents",
        ));
    }
    if version < WITH_RENAMES {
        gaps.push(String::from(
            "commands can't move files between folders at all (old Landlock)",
        ));
    }
    if version < WITH_TRUNCATE {
        gaps.push(String::from(
            "commands can empty files outside the writable folders (old Landlock)",
        ));
    }
    if version < WITH_DEVICES {
        gaps.push(String::from("requests to readable devices (old Landlock)"));
    }
    gaps
}
