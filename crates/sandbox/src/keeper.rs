//! The supervisor process: starts one command, watches all that comes of it,
//! and ends all of it when asked or when Tenon is gone.
//!
//! It runs once for every command, so it does little: no runtime, no thread,
//! no output. Its standard input is the socket to Tenon, its standard output
//! and error are the command's and are let go as soon as the command has them.

use crate::message::{KILL, STDIN, Status, Survivors, TERMINATE};
use crate::{raw, tree};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendFlags, recv, recvmsg, send,
};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::ffi::OsString;
use std::io::{self, IoSliceMut};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::process::CommandExt;
use std::process::{Command, ExitCode, Stdio};
use std::time::{Duration, Instant};

/// Between asking a tree to end and killing it.
const GRACE: Duration = Duration::from_secs(2);
/// Between two rounds of killing; doubled up to the second.
const FIRST_PAUSE: Duration = Duration::from_millis(1);
const LONGEST_PAUSE: Duration = Duration::from_millis(100);
/// A process that cannot be killed (another user's, stuck in the kernel) must
/// not keep the supervisor of a Tenon that is gone for ever.
const GIVE_UP: Duration = Duration::from_secs(30);
/// What `supervise` ends with when it was not started by Tenon.
const MISUSED: u8 = 125;

/// The body of the hidden subcommand `__supervise`: `null` or `pipe`, then the
/// argv of the command. Call it first thing in `main`.
#[must_use]
pub fn supervise(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    raw::close_inherited();
    let control = rustix::stdio::stdin();
    if rustix::net::sockopt::socket_type(control).is_err() {
        return ExitCode::from(MISUSED);
    }
    match Keeper::start(control, arguments) {
        Ok(mut keeper) => {
            keeper.keep();
            ExitCode::SUCCESS
        }
        Err(error) => {
            tell(control, Status::failed(&error));
            ExitCode::from(MISUSED)
        }
    }
}

fn tell(control: BorrowedFd<'_>, status: Status) {
    // Tenon may be gone; then there is nobody to tell.
    let _ = send(control, status.line().as_bytes(), SendFlags::NOSIGNAL);
}

/// What the supervisor is about.
#[derive(Debug, Clone, Copy)]
enum Order {
    Watch,
    /// The tree was asked to end and has until then.
    Terminate(Instant),
    /// Kill, pause, look again.
    Kill(Duration),
}

/// Whether Tenon still holds its end of the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Lifeline {
    Held,
    Lost(Instant),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Children {
    Left,
    Gone,
}

struct Keeper {
    control: BorrowedFd<'static>,
    signals: OwnedFd,
    main: Pid,
    order: Order,
    lifeline: Lifeline,
}

impl Keeper {
    fn start(
        control: BorrowedFd<'static>,
        mut arguments: impl Iterator<Item = OsString>,
    ) -> io::Result<Self> {
        let signals = raw::hold_back_signals()?;
        let own = rustix::process::setsid()?;
        rustix::process::set_child_subreaper(Some(own))?;
        // So that `pkill tenon` ends Tenon and leaves this process to clean up.
        let _ = rustix::thread::set_name(c"job-keeper");

        let invalid = || io::Error::from(Errno::INVAL);
        let stdin = match arguments
            .next()
            .as_deref()
            .and_then(std::ffi::OsStr::to_str)
        {
            Some("null") => Stdio::null(),
            Some("pipe") => Stdio::from(receive_stdin(control)?),
            _ => return Err(invalid()),
        };
        let mut command = Command::new(arguments.next().ok_or_else(invalid)?);
        command.args(arguments).stdin(stdin).process_group(0);
        raw::tie_to_parent(&mut command, own);
        let child = command.spawn()?;
        drop(command);
        let main = Pid::from_child(&child);
        let null = std::fs::OpenOptions::new()
            .read(true)
            .write(true)
            .open("/dev/null")?;
        rustix::stdio::dup2_stdout(&null)?;
        rustix::stdio::dup2_stderr(&null)?;
        tell(control, Status::Started(child.id()));
        Ok(Self {
            control,
            signals,
            main,
            order: Order::Watch,
            lifeline: Lifeline::Held,
        })
    }

    fn keep(&mut self) {
        loop {
            if self.reap() == Children::Gone {
                tell(self.control, Status::Emptied);
                return;
            }
            if let Lifeline::Lost(when) = self.lifeline
                && when.elapsed() > GIVE_UP
            {
                return;
            }
            let patience = self.act();
            self.wait(patience);
        }
    }

    /// Takes every child that has ended: the command and what was orphaned.
    fn reap(&mut self) -> Children {
        let mut ended: Option<WaitStatus> = None;
        let children = loop {
            match rustix::process::wait(WaitOptions::NOHANG) {
                Ok(Some((pid, status))) if pid == self.main => ended = Some(status),
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => break Children::Left,
                Err(_) => break Children::Gone,
            }
        };
        if let Some(status) = ended {
            let survivors = match children {
                Children::Left => Survivors::Some,
                Children::Gone => Survivors::None,
            };
            tell(self.control, Status::exited(status, survivors));
        }
        children
    }

    /// Does what is ordered; says how long to wait for news at most.
    fn act(&mut self) -> Option<Duration> {
        match self.order {
            Order::Watch => None,
            Order::Terminate(deadline) => {
                let left = deadline.saturating_duration_since(Instant::now());
                if left.is_zero() {
                    self.order = Order::Kill(FIRST_PAUSE);
                    return self.act();
                }
                Some(left)
            }
            Order::Kill(pause) => {
                tree::signal_descendants(Signal::KILL);
                self.order = Order::Kill((pause * 2).min(LONGEST_PAUSE));
                Some(pause)
            }
        }
    }

    fn wait(&mut self, patience: Option<Duration>) {
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let mut watched = [
            PollFd::new(&self.signals, PollFlags::IN),
            PollFd::new(&self.control, PollFlags::IN),
        ];
        let watched = match self.lifeline {
            Lifeline::Held => &mut watched[..],
            Lifeline::Lost(_) => &mut watched[..1],
        };
        if poll(watched, timeout.as_ref()).is_err() {
            return;
        }
        let heard = watched.get(1).is_some_and(|fd| !fd.revents().is_empty());
        let mut scratch = [0_u8; 1024];
        while rustix::io::read(&self.signals, &mut scratch).is_ok_and(|count| count > 0) {}
        if heard {
            self.listen();
        }
    }

    fn listen(&mut self) {
        let mut bytes = [0_u8; 64];
        match recv(self.control, &mut bytes, RecvFlags::DONTWAIT) {
            Ok((0, _)) => {
                self.lifeline = Lifeline::Lost(Instant::now());
                self.order = Order::Kill(FIRST_PAUSE);
            }
            Ok((count, _)) => {
                for byte in bytes.iter().take(count) {
                    self.obey(*byte);
                }
            }
            Err(Errno::AGAIN | Errno::INTR) => {}
            Err(_) => {
                self.lifeline = Lifeline::Lost(Instant::now());
                self.order = Order::Kill(FIRST_PAUSE);
            }
        }
    }

    fn obey(&mut self, byte: u8) {
        match (byte, self.order) {
            (KILL, Order::Watch | Order::Terminate(_)) => self.order = Order::Kill(FIRST_PAUSE),
            (TERMINATE, Order::Watch) => {
                tree::signal_descendants(Signal::TERM);
                // A stopped process would sleep through it.
                tree::signal_descendants(Signal::CONT);
                self.order = Order::Terminate(Instant::now() + GRACE);
            }
            _ => {}
        }
    }
}

/// The read end of the command's standard input, sent over the socket.
fn receive_stdin(control: BorrowedFd<'_>) -> io::Result<OwnedFd> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut byte = [0_u8; 1];
    let received = recvmsg(
        control.as_fd(),
        &mut [IoSliceMut::new(&mut byte)],
        &mut ancillary,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    if received.bytes != 1 || byte[0] != STDIN {
        return Err(Errno::PROTO.into());
    }
    ancillary
        .drain()
        .find_map(|message| match message {
            RecvAncillaryMessage::ScmRights(mut descriptors) => descriptors.next(),
            _ => None,
        })
        .ok_or_else(|| Errno::PROTO.into())
}
