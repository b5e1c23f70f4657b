//! The first process of a sandbox: builds the walls from inside, starts the
//! command behind them, and is the parent of all that is orphaned there. When
//! it ends, the kernel ends everything in the sandbox.
//!
//! The command can neither see nor signal the supervisor, only this process,
//! and the kernel gives the first process of a namespace no signal from within.

use crate::channel::Channel;
use crate::message::{GO, Status, Survivors};
use crate::mounts::{self, Trouble};
use crate::places::Places;
use crate::start::{Job, NotStarted, Second, Started, start};
use crate::walls::{Lacking, Network, SandboxPolicy};
use crate::{descriptor, raw};
use rustix::io::Errno;
use rustix::process::{DumpableBehavior, Pid, Signal, WaitOptions};
use std::os::fd::AsFd;
use std::path::Path;

/// Who has built the mounts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Builder {
    /// Nobody yet: this process does.
    Own,
    Bubblewrap,
}

/// Runs the sandbox to its end.
pub(crate) fn live(
    mut channel: Channel,
    job: Job,
    folder: &Path,
    policy: &SandboxPolicy,
    places: &Places,
    builder: Builder,
) {
    // The supervisor may have died before this held; then the wait ends.
    let _ = rustix::process::set_parent_process_death_signal(Some(Signal::KILL));
    if channel.byte() != Some(GO) {
        return;
    }
    match prepare(&mut channel, folder, policy, places, builder) {
        Ok(()) => {}
        Err(Trouble::Unavailable(why)) => return channel.tell(&Status::Unavailable(why)),
        Err(Trouble::Failed(why)) => return channel.tell(&Status::Refused(why)),
    }
    let second = match Second::behind_mounts(policy, places) {
        Ok(second) => second,
        Err(why) => return channel.tell(&Status::Refused(why)),
    };
    let gaps = second.gaps();
    if !gaps.is_empty() && policy.lacking == Lacking::Refuse {
        return channel.tell(&Status::Refused(gaps.join("; ")));
    }
    for gap in gaps {
        channel.tell(&Status::Gap(gap));
    }
    for note in second.notes() {
        channel.tell(&Status::Note(note));
    }
    let Started {
        main,
        listener,
        gap,
    } = match start(job, Some(second)) {
        Ok(started) => started,
        Err(NotStarted::Command(error)) => return channel.tell(&Status::failed(&error)),
        Err(NotStarted::Walls(why)) => return channel.tell(&Status::Refused(why)),
    };
    // The pipes are the command's own from now on.
    release_stdio();
    if let Some(gap) = gap {
        channel.tell(&Status::Gap(gap));
    }
    if let Some(listener) = listener {
        channel.tell(&Status::Handing);
        if channel.byte() != Some(GO) || descriptor::send(&channel, listener.as_fd()).is_err() {
            return;
        }
    }
    channel.tell(&Status::Started(
        main.as_raw_nonzero().get().cast_unsigned(),
    ));
    // The supervisor looks up the command's number in its own namespace, and
    // needs the command for it, if only as a zombie.
    if channel.byte() != Some(GO) {
        return;
    }
    reap(&mut channel, main);
}

fn prepare(
    channel: &mut Channel,
    folder: &Path,
    policy: &SandboxPolicy,
    places: &Places,
    builder: Builder,
) -> Result<(), Trouble> {
    if builder == Builder::Own {
        for note in mounts::build(places)? {
            channel.tell(&Status::Note(note));
        }
        if policy.network == Network::Deny {
            raw::raise_loopback()
                .map_err(|error| Trouble::Failed(format!("raising the loopback: {error}")))?;
        }
        // The old one is a place on the mounts from before.
        rustix::process::chdir(folder).map_err(|error| {
            Trouble::Failed(format!(
                "can't enter the folder `{}` inside the sandbox: {error}",
                folder.display()
            ))
        })?;
    }
    // So that nobody in here can look into this process.
    rustix::process::set_dumpable_behavior(DumpableBehavior::NotDumpable)
        .map_err(|error| Trouble::Failed(format!("closing the first process: {error}")))
}

/// Until no process is left in here.
fn reap(channel: &mut Channel, main: Pid) {
    loop {
        match rustix::process::wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid == main => {
                channel.tell(&Status::exited(status, survivors()));
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(_) => return,
        }
    }
}

fn survivors() -> Survivors {
    loop {
        match rustix::process::wait(WaitOptions::NOHANG) {
            Ok(Some(_)) | Err(Errno::INTR) => {}
            Ok(None) => return Survivors::Some,
            Err(_) => return Survivors::None,
        }
    }
}

/// The pipes must end with the command, and the socket to Tenon is the
/// supervisor's alone.
pub(crate) fn release_stdio() {
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null");
    if let Ok(null) = null {
        let _ = rustix::stdio::dup2_stdin(&null);
        let _ = rustix::stdio::dup2_stdout(&null);
        let _ = rustix::stdio::dup2_stderr(&null);
    }
}
