//! Starts the command itself, behind the walls that every process carries with
//! it: capabilities given up, limits, Landlock, seccomp. They are raised
//! between fork and exec; if one does not stand, there is no exec.

use crate::landlocked::{self, Reads, Rules};
use crate::places::Places;
use crate::syscalls::{self, Filters, Loopback, Visits};
use crate::walls::{Lacking, Limits, Network, SandboxPolicy};
use crate::{descriptor, privileges, raw};
use rustix::net::{AddressFamily, SendFlags, SocketFlags, SocketType, send, socketpair};
use rustix::process::{Pid, PidfdFlags, PidfdGetfdFlags};
use rustix::thread::CapabilitySet;
use std::ffi::OsString;
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{Command, Stdio};

/// What is to be started.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) argv: Vec<OsString>,
    /// `None`: nothing to read.
    pub(crate) stdin: Option<OwnedFd>,
}

#[derive(Debug)]
pub(crate) enum NotStarted {
    Command(io::Error),
    Walls(String),
}

/// A command that was started.
#[derive(Debug)]
pub(crate) struct Started {
    pub(crate) main: Pid,
    /// Where the kernel asks to what it may connect.
    pub(crate) listener: Option<OwnedFd>,
    /// What is not held although it was to be.
    pub(crate) gap: Option<String>,
}

/// Who judges to what unix sockets the command connects.
#[derive(Debug)]
enum Asking {
    /// Nobody has to: there are none, or all are allowed.
    Needless,
    Wanted,
    /// Nobody can, and why.
    Impossible(String),
}

/// What a command may write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Own {
    /// Nothing but folders that it gets for itself.
    Only,
    Others,
}

/// The walls that a process carries with it.
pub(crate) struct Second {
    limits: Limits,
    rules: Option<Rules>,
    filters: Option<Filters>,
    asking: Asking,
    lacking: Lacking,
    network: Network,
    own: Own,
    /// The version of Landlock.
    version: u32,
}

impl Second {
    /// Beside the mounts and the network of a sandbox.
    pub(crate) fn behind_mounts(policy: &SandboxPolicy, places: &Places) -> Result<Self, String> {
        Self::build(policy, places, Reads::Everywhere, Loopback::Own)
    }

    /// Alone.
    pub(crate) fn alone(policy: &SandboxPolicy, places: &Places) -> Result<Self, String> {
        Self::build(policy, places, Reads::ByEntry, Loopback::Shared)
    }

    fn build(
        policy: &SandboxPolicy,
        places: &Places,
        reads: Reads,
        loopback: Loopback,
    ) -> Result<Self, String> {
        let version = landlocked::version();
        let rules = match version {
            0 => None,
            _ => Some(Rules::build(policy, places, reads)?),
        };
        let all = policy.sockets.iter().any(|path| path == Path::new("/"));
        let asking = match policy.network {
            _ if all => Asking::Needless,
            Network::Deny => Asking::Needless,
            Network::Inherit => may_ask(loopback).map_or(Asking::Wanted, Asking::Impossible),
        };
        let visits = match asking {
            _ if all => Visits::Free,
            Asking::Wanted => Visits::Judged,
            Asking::Needless | Asking::Impossible(_) => Visits::Unjudged,
        };
        let filters = Filters::build(policy.network, loopback, visits);
        Ok(Self {
            limits: policy.limits,
            rules,
            filters,
            asking,
            lacking: policy.lacking,
            network: policy.network,
            own: match policy.writable_roots().next() {
                None => Own::Only,
                Some(_) => Own::Others,
            },
            version,
        })
    }

    pub(crate) fn landlock(&self) -> u32 {
        self.version
    }

    pub(crate) fn has_filters(&self) -> bool {
        self.filters.is_some()
    }

    /// What is missing behind mounts that hold.
    pub(crate) fn gaps(&self) -> Vec<String> {
        let mut gaps = Vec::new();
        if self.rules.is_none() && rustix::process::geteuid().is_root() {
            gaps.push(String::from(
                "root can read and write this machine's devices, including whole disks (the \
                 kernel has no Landlock)",
            ));
        }
        if self.rules.is_none() && self.own == Own::Only {
            gaps.push(String::from(
                "commands can write to other programs' pipes (the kernel has no Landlock)",
            ));
        }
        if self.filters.is_none() {
            gaps.push(match self.network {
                Network::Inherit => String::from("system calls are not filtered on this processor"),
                Network::Deny => String::from(
                    "commands can reach Unix sockets, because system calls are not filtered on \
                     this processor",
                ),
            });
        }
        gaps
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.rules.is_none() {
            notes.push(String::from(
                "the second layer of file protection is missing (the kernel has no Landlock); \
                 the mounts work",
            ));
        }
        notes.extend(self.unlimited());
        notes
    }

    /// The limit that the kernel does not hold against root.
    pub(crate) fn unlimited(&self) -> Option<String> {
        (self.limits.processes.is_some() && rustix::process::geteuid().is_root()).then(|| {
            String::from(
                "limits.processes: the kernel doesn't count root's processes; run Tenon as \
                 another user to enforce it",
            )
        })
    }

    /// Gives where the kernel asks, or why it does not.
    fn raise(&mut self) -> Result<Option<Result<OwnedFd, String>>, String> {
        privileges::limit(&self.limits).map_err(|error| format!("setting limits: {error}"))?;
        privileges::drop_capabilities().map_err(|error| format!("dropping privileges: {error}"))?;
        if let Some(rules) = &mut self.rules {
            rules.hold()?;
        }
        if let Some(filters) = &self.filters {
            filters
                .load()
                .map_err(|error| format!("filtering system calls: {error}"))?;
        }
        let asked = match &self.asking {
            _ if self.filters.is_none() => None,
            Asking::Needless => None,
            Asking::Impossible(why) => Some(Err(why.clone())),
            Asking::Wanted => Some(
                raw::load_asking(&mut syscalls::asking())
                    .map_err(|error| format!("the kernel can't ask about them: {error}")),
            ),
        };
        if let Some(Err(why)) = &asked
            && self.lacking == Lacking::Refuse
        {
            return Err(unjudged(why));
        }
        Ok(asked)
    }
}

fn unjudged(why: &str) -> String {
    format!("commands can connect to other programs' Unix sockets, except hidden ones ({why})")
}

/// Why the supervisor could not judge, if it could not: containers refuse the
/// copying of descriptors, and some systems the looking into processes.
fn may_ask(loopback: Loopback) -> Option<String> {
    let own = rustix::process::getpid();
    let copied = rustix::process::pidfd_open(own, PidfdFlags::empty())
        .and_then(|own| rustix::process::pidfd_getfd(own, 0, PidfdGetfdFlags::empty()));
    if let Err(error) = copied {
        return Some(format!("can't copy descriptors: {error}"));
    }
    let scope = std::fs::read_to_string("/proc/sys/kernel/yama/ptrace_scope").unwrap_or_default();
    let closed = match scope.trim() {
        "" | "0" | "1" => false,
        // Whoever makes the namespace of a process may look into it.
        "2" => loopback == Loopback::Shared && !privileges::has(CapabilitySet::SYS_PTRACE),
        _ => true,
    };
    closed.then(|| String::from("kernel.yama.ptrace_scope forbids looking into processes"))
}

/// What the process between fork and exec says when all walls stand.
const STANDING: u8 = b'+';

/// Starts the command as a child of this process.
pub(crate) fn start(job: Job, walls: Option<Second>) -> Result<Started, NotStarted> {
    let mut argv = job.argv.into_iter();
    let program = argv
        .next()
        .ok_or_else(|| NotStarted::Command(io::Error::from_raw_os_error(libc::EINVAL)))?;
    let mut command = Command::new(program);
    command
        .args(argv)
        .stdin(job.stdin.map_or_else(Stdio::null, Stdio::from))
        .process_group(0);
    let (witness, testimony) = witness(walls).map_err(NotStarted::Command)?;
    raw::before_exec(&mut command, rustix::process::getpid(), witness);
    let started = command.spawn();
    // With it goes this process's copy of the writing end.
    drop(command);
    let (said, listener) = descriptor::receive_all(testimony.as_fd());
    let child = started.map_err(|error| match said.first() {
        None | Some(&STANDING) => NotStarted::Command(error),
        Some(_) => NotStarted::Walls(String::from_utf8_lossy(&said).into_owned()),
    })?;
    let why = said
        .get(1..)
        .filter(|why| !why.is_empty() && listener.is_none());
    Ok(Started {
        main: Pid::from_child(&child),
        listener,
        gap: why.map(|why| unjudged(&String::from_utf8_lossy(why))),
    })
}

/// Raises the walls and says so, with where the kernel asks, or says what
/// failed.
fn witness(
    walls: Option<Second>,
) -> io::Result<(impl FnMut() -> io::Result<()> + Send + Sync, OwnedFd)> {
    let kind = (
        AddressFamily::UNIX,
        SocketType::STREAM,
        SocketFlags::CLOEXEC,
    );
    let (read, write) = socketpair(kind.0, kind.1, kind.2, None)?;
    let mut walls = walls;
    let raise = move || {
        let say = |bytes: &[u8]| send(&write, bytes, SendFlags::NOSIGNAL);
        match walls.as_mut().map_or(Ok(None), Second::raise) {
            Ok(asked) => {
                say(&[STANDING])?;
                match asked {
                    None => {}
                    Some(Ok(listener)) => descriptor::send(&write, listener.as_fd())?,
                    Some(Err(why)) => {
                        say(why.as_bytes())?;
                    }
                }
                Ok(())
            }
            Err(why) => {
                say(why.as_bytes())?;
                Err(io::Error::from_raw_os_error(libc::EPERM))
            }
        }
    };
    Ok((raise, read))
}
