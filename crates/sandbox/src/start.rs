//! Starts the command itself, behind the walls that every process carries with
//! it: capabilities given up, limits, Landlock, seccomp. They are raised
//! between fork and exec; if one does not stand, there is no exec.

use crate::landlocked::{self, Reads, Rules};
use crate::places::Places;
use crate::syscalls::{Filters, Loopback};
use crate::walls::{Limits, Network, SandboxPolicy};
use crate::{privileges, raw};
use rustix::pipe::PipeFlags;
use rustix::process::Pid;
use std::ffi::OsString;
use std::io::{self, Read};
use std::os::fd::OwnedFd;
use std::os::unix::process::CommandExt;
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

/// The walls that a process carries with it.
pub(crate) struct Second {
    limits: Limits,
    rules: Option<Rules>,
    filters: Option<Filters>,
    network: Network,
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
        Ok(Self {
            limits: policy.limits,
            rules,
            filters: Filters::build(policy.network, loopback),
            network: policy.network,
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
                "root can read and write the devices of this machine, whole disks among them (the kernel has no Landlock)",
            ));
        }
        if self.filters.is_none() {
            gaps.push(match self.network {
                Network::Inherit => String::from("system calls are not filtered on this processor"),
                Network::Deny => String::from(
                    "unix sockets can be reached, since system calls are not filtered on this processor",
                ),
            });
        }
        gaps
    }

    pub(crate) fn notes(&self) -> Vec<String> {
        let mut notes = Vec::new();
        if self.rules.is_none() {
            notes.push(String::from(
                "the second wall around files is missing (the kernel has no Landlock); the mounts hold",
            ));
        }
        notes.extend(self.unlimited());
        notes
    }

    /// The limit that the kernel does not hold against root.
    pub(crate) fn unlimited(&self) -> Option<String> {
        (self.limits.processes.is_some() && rustix::process::geteuid().is_root()).then(|| {
            String::from(
                "limits.processes: the kernel does not count the processes of root; run Tenon as another user for it to hold",
            )
        })
    }

    fn raise(&mut self) -> Result<(), String> {
        privileges::limit(&self.limits).map_err(|error| format!("setting limits: {error}"))?;
        privileges::drop_capabilities()
            .map_err(|error| format!("giving up privileges: {error}"))?;
        if let Some(rules) = &mut self.rules {
            rules.hold()?;
        }
        if let Some(filters) = &self.filters {
            filters
                .load()
                .map_err(|error| format!("filtering system calls: {error}"))?;
        }
        Ok(())
    }
}

/// What the process between fork and exec says when all walls stand.
const STANDING: u8 = b'+';

/// Starts the command as a child of this process.
pub(crate) fn start(job: Job, walls: Option<Second>) -> Result<Pid, NotStarted> {
    let mut argv = job.argv.into_iter();
    let program = argv
        .next()
        .ok_or_else(|| NotStarted::Command(io::Error::from_raw_os_error(libc::EINVAL)))?;
    let mut command = Command::new(program);
    command
        .args(argv)
        .stdin(job.stdin.map_or_else(Stdio::null, Stdio::from))
        .process_group(0);
    let (witness, mut testimony) = witness(walls).map_err(NotStarted::Command)?;
    raw::before_exec(&mut command, rustix::process::getpid(), witness);
    let started = command.spawn();
    // With it goes this process's copy of the writing end.
    drop(command);
    let mut said = Vec::new();
    let _ = testimony.read_to_end(&mut said);
    let child = started.map_err(|error| match said.first() {
        None | Some(&STANDING) => NotStarted::Command(error),
        Some(_) => NotStarted::Walls(String::from_utf8_lossy(&said).into_owned()),
    })?;
    Ok(Pid::from_child(&child))
}

/// Raises the walls and says so, or says what failed.
fn witness(
    walls: Option<Second>,
) -> io::Result<(impl FnMut() -> io::Result<()> + Send + Sync, std::fs::File)> {
    let (read, write) = rustix::pipe::pipe_with(PipeFlags::CLOEXEC)?;
    let mut walls = walls;
    let raise = move || match walls.as_mut().map_or(Ok(()), Second::raise) {
        Ok(()) => {
            rustix::io::write(&write, &[STANDING])?;
            Ok(())
        }
        Err(why) => {
            rustix::io::write(&write, why.as_bytes())?;
            Err(io::Error::from_raw_os_error(libc::EPERM))
        }
    };
    Ok((raise, read.into()))
}
