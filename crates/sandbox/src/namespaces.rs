//! The supervisor's part of making namespaces: the fork into them, and the map
//! that keeps user and group as they are. What is done inside is in `mounts`.

use crate::privileges;
use crate::raw::{self, Forked};
use crate::walls::Network;
use rustix::process::Pid;
use rustix::thread::CapabilitySet;
use std::fs;
use std::io;

/// Forks; the child is the first process of namespaces of its own and must
/// wait until it is told to go on. An error means that this machine (or the
/// container that it is) has none to give.
pub(crate) fn fork(network: Network) -> io::Result<Forked> {
    let mut wanted = libc::CLONE_NEWNS | libc::CLONE_NEWPID | libc::CLONE_NEWIPC;
    if network == Network::Deny {
        wanted |= libc::CLONE_NEWNET;
    }
    match raw::fork_into(wanted | libc::CLONE_NEWUSER) {
        Ok(Forked::Child) => Ok(Forked::Child),
        Ok(Forked::Parent(child)) => {
            if let Err(error) = map_ids(child) {
                end(child);
                return Err(error);
            }
            Ok(Forked::Parent(child))
        }
        // Root needs no user namespace for the others.
        Err(_) if privileges::has(CapabilitySet::SYS_ADMIN) => raw::fork_into(wanted),
        Err(error) => Err(error),
    }
}

/// Kills the first process of namespaces, and all in them, and waits for it.
pub(crate) fn end(child: Pid) {
    let _ = rustix::process::kill_process(child, rustix::process::Signal::KILL);
    let _ = rustix::process::waitpid(Some(child), rustix::process::WaitOptions::empty());
}

fn map_ids(child: Pid) -> io::Result<()> {
    let child = child.as_raw_nonzero();
    let uid = rustix::process::geteuid();
    let gid = rustix::process::getegid();
    // Root keeps all ids: it works with files of other users.
    if uid.is_root() && privileges::has(CapabilitySet::SETUID | CapabilitySet::SETGID) {
        fs::write(
            format!("/proc/{child}/uid_map"),
            same_ids("/proc/self/uid_map")?,
        )?;
        return fs::write(
            format!("/proc/{child}/gid_map"),
            same_ids("/proc/self/gid_map")?,
        );
    }
    fs::write(format!("/proc/{child}/setgroups"), "deny")?;
    let (uid, gid) = (uid.as_raw(), gid.as_raw());
    fs::write(format!("/proc/{child}/uid_map"), format!("{uid} {uid} 1\n"))?;
    fs::write(format!("/proc/{child}/gid_map"), format!("{gid} {gid} 1\n"))
}

/// `inside outside count` of this namespace, as a map of each id to itself.
fn same_ids(map: &str) -> io::Result<String> {
    let own = fs::read_to_string(map)?;
    Ok(own
        .lines()
        .filter_map(|line| {
            let mut fields = line.split_ascii_whitespace();
            let (inside, count) = (fields.next()?, fields.nth(1)?);
            Some(format!("{inside} {inside} {count}\n"))
        })
        .collect())
}
