//! The supervisor process: starts one command, watches all that comes of it,
//! and ends all of it when asked or when Tenon is gone.
//!
//! It runs once for every command, so it does little: no runtime, no thread,
//! no output. Its standard input is the socket to Tenon, its standard output
//! and error are the command's and are let go as soon as the command has them.

use crate::channel::{Channel, read_exactly};
use crate::doorman::{self, Doorman};
use crate::guard::{Guard, Which};
use crate::handover::{self, MAX_POLICY};
use crate::inside::{self, Builder};
use crate::launch::launch;
use crate::message::{KILL, OPEN, Status, Survivors, TERMINATE, WALLED};
use crate::places::Places;
use crate::start::{Job, NotStarted};
use crate::walls::SandboxPolicy;
use crate::{bubblewrap, descriptor, raw, tree};
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{RecvFlags, SendFlags, recv, send};
use rustix::process::{Pid, Signal, WaitOptions, WaitStatus};
use std::ffi::OsString;
use std::io;
use std::os::fd::{BorrowedFd, OwnedFd};
use std::process::ExitCode;
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

/// The body of the hidden subcommand `__supervise`: `null` or `pipe`, `open`
/// or `walled`, then the argv of the command. Call it first thing in `main`.
#[must_use]
pub fn supervise(arguments: impl Iterator<Item = OsString>) -> ExitCode {
    raw::close_inherited();
    let control = rustix::stdio::stdin();
    if rustix::net::sockopt::socket_type(control).is_err() {
        return ExitCode::from(MISUSED);
    }
    let mut arguments = arguments.peekable();
    if arguments
        .next_if(|word| word == bubblewrap::INNER)
        .is_some()
    {
        return second_stage(control, arguments);
    }
    match Keeper::start(control, arguments) {
        Ok(mut keeper) => {
            keeper.keep();
            ExitCode::SUCCESS
        }
        Err(NotStarted::Command(error)) => {
            tell(control, &Status::failed(&error));
            ExitCode::from(MISUSED)
        }
        Err(NotStarted::Walls(why)) => {
            tell(control, &Status::Refused(why));
            ExitCode::from(MISUSED)
        }
    }
}

/// What `bwrap` starts: the walls around files stand already.
fn second_stage(
    control: BorrowedFd<'static>,
    arguments: impl Iterator<Item = OsString>,
) -> ExitCode {
    let Ok(own) = rustix::io::fcntl_dupfd_cloexec(control, 3) else {
        return ExitCode::from(MISUSED);
    };
    let mut channel = Channel::new(own);
    let prepared = read_policy(control).and_then(|policy| {
        let places = Places::resolve(&policy).map_err(NotStarted::Walls)?;
        let job = read_job(control, arguments)?;
        let folder = std::env::current_dir().map_err(NotStarted::Command)?;
        Ok((policy, places, job, folder))
    });
    match prepared {
        Ok((policy, places, job, folder)) => {
            inside::live(channel, job, &folder, &policy, &places, Builder::Bubblewrap);
            ExitCode::SUCCESS
        }
        Err(NotStarted::Command(error)) => {
            channel.tell(&Status::failed(&error));
            ExitCode::from(MISUSED)
        }
        Err(NotStarted::Walls(why)) => {
            channel.tell(&Status::Refused(why));
            ExitCode::from(MISUSED)
        }
    }
}

fn tell(control: BorrowedFd<'_>, status: &Status) {
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
    /// To the first process of the sandbox, which knows how the command ended.
    inside: Option<Channel>,
    guard: Guard,
    /// Judges to what the command connects.
    doorman: Option<Doorman>,
    /// Something happened where the guard looks.
    alarm: Option<OwnedFd>,
    ending: Ending,
    order: Order,
    lifeline: Lifeline,
}

/// Whether Tenon knows that the command has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Untold,
    Told,
}

impl Keeper {
    fn start(
        control: BorrowedFd<'static>,
        arguments: impl Iterator<Item = OsString>,
    ) -> Result<Self, NotStarted> {
        let system = |error: Errno| NotStarted::Command(error.into());
        let signals = raw::hold_back_signals().map_err(NotStarted::Command)?;
        let own = rustix::process::setsid().map_err(system)?;
        rustix::process::set_child_subreaper(Some(own)).map_err(system)?;
        // So that `pkill tenon` ends Tenon and leaves this process to clean up.
        let _ = rustix::thread::set_name(c"job-keeper");

        let mut arguments = arguments.collect::<Vec<_>>();
        let policy = match walls_word(&mut arguments)? {
            Walls::None => None,
            Walls::Follow => Some(read_policy(control)?),
        };
        let job = read_job(control, arguments.into_iter())?;
        let folder = std::env::current_dir().map_err(NotStarted::Command)?;
        let begun = doorman::now();
        let launched = launch(job, &folder, policy.as_ref(), &mut |status| {
            tell(control, &status);
        })?;
        release_output().map_err(NotStarted::Command)?;
        tell(control, &Status::Started(launched.command));
        let allowed = policy.map_or_else(Vec::new, |policy| policy.sockets);
        let doorman = launched
            .listener
            .map(|listener| Doorman::new(listener, &allowed, begun));
        Ok(Self {
            control,
            signals,
            main: launched.main,
            inside: launched.inside,
            alarm: launched.guard.alarm(),
            guard: launched.guard,
            doorman,
            ending: Ending::Untold,
            order: Order::Watch,
            lifeline: Lifeline::Held,
        })
    }

    fn keep(&mut self) {
        // What appeared before the alarm was set.
        if self.alarm.is_some() {
            self.mend(Which::Appearing);
        }
        loop {
            if self.reap() == Children::Gone {
                self.mend(Which::All);
                tell(self.control, &Status::Emptied);
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

    /// Takes every child that has ended: the command and what was orphaned,
    /// or the first process of the sandbox.
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
        self.hear_from_inside();
        if let Some(status) = ended {
            let survivors = match children {
                Children::Left => Survivors::Some,
                Children::Gone => Survivors::None,
            };
            // For a sandbox that was killed this is the command's end too.
            self.ended(&Status::exited(status, survivors));
        }
        children
    }

    fn hear_from_inside(&mut self) {
        while let Some(status) = self.inside.as_mut().and_then(Channel::heard) {
            if matches!(status, Status::Exited { .. }) {
                self.ended(&status);
            }
        }
    }

    fn ended(&mut self, status: &Status) {
        if self.ending == Ending::Told {
            return;
        }
        self.ending = Ending::Told;
        self.mend(Which::All);
        tell(self.control, status);
    }

    fn mend(&mut self, which: Which) {
        for repair in self.guard.mend(which) {
            tell(self.control, &Status::Repaired(repair));
        }
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
                tree::signal_descendants(Signal::KILL, None);
                self.order = Order::Kill((pause * 2).min(LONGEST_PAUSE));
                Some(pause)
            }
        }
    }

    fn wait(&mut self, patience: Option<Duration>) {
        let timeout = patience.and_then(|patience| Timespec::try_from(patience).ok());
        let mut watched = vec![PollFd::new(&self.signals, PollFlags::IN)];
        if self.lifeline == Lifeline::Held {
            watched.push(PollFd::new(&self.control, PollFlags::IN));
        }
        if self.ending == Ending::Untold {
            watched.extend(self.inside.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        }
        watched.extend(self.alarm.iter().map(|fd| PollFd::new(fd, PollFlags::IN)));
        let doors = self.doorman.as_ref().map(Doorman::listener);
        watched.extend(doors.map(|fd| PollFd::new(fd, PollFlags::IN)));
        if poll(&mut watched, timeout.as_ref()).is_err() {
            return;
        }
        let asked = match doors.and(watched.last()) {
            Some(doors) => doors.revents(),
            None => PollFlags::empty(),
        };
        if asked.contains(PollFlags::IN) {
            self.doorman.iter_mut().for_each(Doorman::serve);
        } else if !asked.is_empty() {
            // Nobody is left who could ask.
            self.doorman = None;
        }
        drain(&self.signals);
        if self.lifeline == Lifeline::Held {
            self.listen();
        }
        if let Some(alarm) = &self.alarm
            && drain(alarm)
        {
            self.guard.arm(alarm);
            self.mend(Which::Appearing);
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
                // With whoever keeps the sandbox, the command would go unasked.
                let spared = self.inside.as_ref().map(|_| self.main);
                tree::signal_descendants(Signal::TERM, spared);
                // A stopped process would sleep through it.
                tree::signal_descendants(Signal::CONT, spared);
                self.order = Order::Terminate(Instant::now() + GRACE);
            }
            _ => {}
        }
    }
}

/// Whether there was anything.
fn drain(source: &OwnedFd) -> bool {
    let mut scratch = [0_u8; 4096];
    let mut any = false;
    while rustix::io::read(source, &mut scratch).is_ok_and(|count| count > 0) {
        any = true;
    }
    any
}

/// Whether a policy follows over the socket.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Walls {
    None,
    Follow,
}

fn misused() -> NotStarted {
    NotStarted::Command(Errno::INVAL.into())
}

/// Takes the second word out.
fn walls_word(arguments: &mut Vec<OsString>) -> Result<Walls, NotStarted> {
    if arguments.len() < 3 {
        return Err(misused());
    }
    let word = arguments.remove(1);
    if word == OPEN {
        Ok(Walls::None)
    } else if word == WALLED {
        Ok(Walls::Follow)
    } else {
        Err(misused())
    }
}

fn read_policy(control: BorrowedFd<'_>) -> Result<SandboxPolicy, NotStarted> {
    let broken = || NotStarted::Walls(String::from("the sandbox policy did not arrive complete"));
    let length = read_exactly(control, 4).ok_or_else(broken)?;
    let length: [u8; 4] = length.try_into().map_err(|_| broken())?;
    let length = usize::try_from(u32::from_be_bytes(length))
        .ok()
        .filter(|length| *length <= MAX_POLICY)
        .ok_or_else(broken)?;
    let body = read_exactly(control, length).ok_or_else(broken)?;
    handover::decode(&body).ok_or_else(broken)
}

fn read_job(
    control: BorrowedFd<'_>,
    mut arguments: impl Iterator<Item = OsString>,
) -> Result<Job, NotStarted> {
    let kind = arguments.next().ok_or_else(misused)?;
    let stdin = if kind == "null" {
        None
    } else if kind == "pipe" {
        Some(descriptor::receive(control).map_err(NotStarted::Command)?)
    } else {
        return Err(misused());
    };
    Ok(Job {
        argv: arguments.collect(),
        stdin,
    })
}

/// The pipes are the command's own from now on: they must end with it.
fn release_output() -> io::Result<()> {
    let null = std::fs::OpenOptions::new()
        .read(true)
        .write(true)
        .open("/dev/null")?;
    rustix::stdio::dup2_stdout(&null)?;
    rustix::stdio::dup2_stderr(&null)?;
    Ok(())
}
