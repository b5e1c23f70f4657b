//! Finds the processes of a tree and signals them.
//!
//! It reads `/proc` and does not hold the tree still while it does, so one
//! look may miss a process that is being born: callers look again until
//! nothing is left. Signals go to whole process groups where they can, since
//! the kernel delivers those atomically with respect to fork: a storm inside
//! one group ends in one call.

use rustix::process::{Pid, Signal};
use std::collections::{BTreeSet, HashMap};
use std::fs;
use std::io::Read;

/// One process as its `stat` file showed it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Entry {
    pid: i32,
    parent: i32,
    session: i32,
    zombie: bool,
}

/// No machine has more processes; a list that goes on is not a tree.
const MAX_TREE: usize = 4 * 1024 * 1024;
/// An environment block is not read beyond this.
const MAX_ENVIRONMENT: u64 = 4 * 1024 * 1024;

/// Sends a signal to every descendant of this process, but not to itself, nor
/// to the one that is spared.
pub(crate) fn signal_descendants(signal: Signal, spared: Option<Pid>) {
    let root = number(rustix::process::getpid());
    let own_group = rustix::process::getpgrp();
    let found = listed(root).unwrap_or_else(|| descendants(&snapshot(), root));
    let mut groups = BTreeSet::new();
    for pid in found {
        if spared.is_some_and(|spared| number(spared) == pid) {
            continue;
        }
        let group = Pid::from_raw(pid).and_then(|pid| rustix::process::getpgid(Some(pid)).ok());
        match group {
            // Groups hold descendants only: the root leads a session of its
            // own, and a process can only join a group of its own session.
            Some(group) if group != own_group => {
                if groups.insert(number(group)) {
                    // It may have ended meanwhile, or belong to another user;
                    // the next look shows which.
                    let _ = rustix::process::kill_process_group(group, signal);
                }
            }
            _ => {
                send(pid, signal);
            }
        }
    }
}

fn number(pid: Pid) -> i32 {
    pid.as_raw_nonzero().get()
}

/// The descendants by the kernel's own lists of children; `None` where the
/// kernel was built without them. Much quicker than reading all of `/proc`,
/// which is what catches a process that keeps forking and exiting.
fn listed(root: i32) -> Option<Vec<i32>> {
    let mut found = children(root)?;
    let mut next = 0;
    while let Some(pid) = found.get(next).copied() {
        next += 1;
        let more = children(pid).unwrap_or_default();
        found.extend(more.into_iter().filter(|_| next < MAX_TREE));
    }
    Some(found)
}

/// The one child of a process, if it has just one.
pub(crate) fn only_child(parent: Pid) -> Option<Pid> {
    let parent = number(parent);
    let found = children(parent).unwrap_or_else(|| {
        snapshot()
            .into_iter()
            .filter(|entry| entry.parent == parent)
            .map(|entry| entry.pid)
            .collect()
    });
    match found.as_slice() {
        [child] => Pid::from_raw(*child),
        _ => None,
    }
}

fn children(pid: i32) -> Option<Vec<i32>> {
    let mut found = Vec::new();
    for task in fs::read_dir(format!("/proc/{pid}/task")).ok()?.flatten() {
        match fs::read_to_string(task.path().join("children")) {
            Ok(list) => found.extend(list.split_ascii_whitespace().flat_map(str::parse::<i32>)),
            Err(_) if fs::exists(task.path()).unwrap_or(false) => return None,
            // The thread has ended.
            Err(_) => {}
        }
    }
    Some(found)
}

/// Kills every process that carries the marker in its environment or belongs
/// to the session, and says how many took the signal. For the case that the
/// supervisor was killed: its tree has no root any more.
pub(crate) fn sweep(marker: &str, session: Option<u32>) -> usize {
    let session = session.and_then(|session| i32::try_from(session).ok());
    let own = number(rustix::process::getpid());
    let mut found = 0;
    for entry in snapshot() {
        if entry.zombie || entry.pid == own {
            continue;
        }
        if Some(entry.session) == session || carries(entry.pid, marker) {
            // What may not be killed would be found for ever.
            found += usize::from(send(entry.pid, Signal::KILL));
        }
    }
    found
}

fn send(pid: i32, signal: Signal) -> bool {
    Pid::from_raw(pid).is_some_and(|pid| rustix::process::kill_process(pid, signal).is_ok())
}

fn descendants(entries: &[Entry], root: i32) -> Vec<i32> {
    let mut children: HashMap<i32, Vec<&Entry>> = HashMap::new();
    for entry in entries {
        children.entry(entry.parent).or_default().push(entry);
    }
    let mut found = Vec::new();
    let mut open = vec![root];
    while let Some(parent) = open.pop() {
        // Removing guards against a loop that pids reused during the look
        // could draw.
        for entry in children.remove(&parent).unwrap_or_default() {
            found.push(entry.pid);
            open.push(entry.pid);
        }
    }
    found
}

fn snapshot() -> Vec<Entry> {
    let Ok(folder) = fs::read_dir("/proc") else {
        return Vec::new();
    };
    folder
        .flatten()
        .filter_map(|item| item.file_name().to_str()?.parse::<i32>().ok())
        .filter_map(|pid| parse(pid, &fs::read(format!("/proc/{pid}/stat")).ok()?))
        .collect()
}

/// `pid (name) state parent group session …`; the name may hold anything,
/// also `)` and spaces, so the fields start after the last parenthesis.
fn parse(pid: i32, stat: &[u8]) -> Option<Entry> {
    let name_end = stat.iter().rposition(|byte| *byte == b')')?;
    let mut fields = std::str::from_utf8(stat.get(name_end + 1..)?)
        .ok()?
        .split_ascii_whitespace();
    let zombie = matches!(fields.next()?, "Z" | "X");
    Some(Entry {
        pid,
        parent: fields.next()?.parse().ok()?,
        session: fields.nth(1)?.parse().ok()?,
        zombie,
    })
}

fn carries(pid: i32, marker: &str) -> bool {
    let Ok(file) = fs::File::open(format!("/proc/{pid}/environ")) else {
        return false;
    };
    let mut block = Vec::new();
    if file.take(MAX_ENVIRONMENT).read_to_end(&mut block).is_err() {
        return false;
    }
    block
        .split(|byte| *byte == 0)
        .any(|variable| variable == marker.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::{Entry, descendants, parse};

    #[test]
    fn a_name_with_parentheses_does_not_shift_the_fields() {
        assert_eq!(
            parse(7, b"7 (a) Z 1 (b) S 3 4 5 0 -1"),
            Some(Entry {
                pid: 7,
                parent: 3,
                session: 5,
                zombie: false
            })
        );
        assert_eq!(parse(7, b"7 (cut"), None);
        assert_eq!(parse(7, b"7 (cut) S"), None);
    }

    #[test]
    fn descendants_are_found_through_every_level_and_nothing_else() {
        let entry = |pid, parent| Entry {
            pid,
            parent,
            session: pid,
            zombie: false,
        };
        let entries = [
            entry(2, 1),
            entry(3, 2),
            entry(4, 3),
            entry(5, 1),
            entry(6, 5),
        ];
        let mut pids = descendants(&entries, 2);
        pids.sort_unstable();
        assert_eq!(pids, [3, 4]);
    }

    #[test]
    fn a_loop_of_parents_ends() {
        let entry = |pid, parent| Entry {
            pid,
            parent,
            session: pid,
            zombie: false,
        };
        assert_eq!(descendants(&[entry(2, 3), entry(3, 2)], 2).len(), 2);
    }
}
