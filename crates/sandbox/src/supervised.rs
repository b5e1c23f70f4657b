//! A command that runs under its supervisor, as Tenon holds it. Dropping it
//! closes the socket, and the supervisor then ends the whole tree.

use crate::confinement::{Confinement, Level};
use crate::message::{KILL, MAX_LINE, Status, Survivors, TERMINATE, take_line};
use crate::repair::Repair;
use crate::tree;
use rustix::process::{Pid, Signal};
use std::time::Duration;
use std::{fmt, io};
use tokio::net::UnixStream;
use tokio::net::unix::pipe;
use tokio::process::{Child, ChildStderr, ChildStdout};

/// Between two looks for what a killed supervisor left behind.
const SWEEP_PAUSE: Duration = Duration::from_millis(10);

/// Repairs that are remembered; a command that changes more has said enough.
const MAX_REPAIRS: usize = 100;

/// How the command itself ended. Neither code nor signal: not known, since
/// its supervisor was killed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Exit {
    pub code: Option<i32>,
    pub signal: Option<i32>,
    pub survivors: Survivors,
}

#[derive(Debug)]
pub struct Supervised {
    /// Of the command, not of its supervisor. Not known of a command that ended
    /// its supervisor at once.
    pub pid: Option<u32>,
    pub stdin: Option<pipe::Sender>,
    pub stdout: Option<ChildStdout>,
    pub stderr: Option<ChildStderr>,
    pub(crate) wire: Wire,
    pub(crate) keeper: Child,
    pub(crate) marker: String,
    pub(crate) exit: Option<Exit>,
    pub(crate) emptied: bool,
    pub(crate) confinement: Confinement,
    pub(crate) repairs: Vec<String>,
    pub(crate) listener: Option<RepairListener>,
}

/// Who is told of a repair when it happens.
pub(crate) struct RepairListener(Box<dyn Fn(&Repair) + Send + Sync>);

impl fmt::Debug for RepairListener {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("RepairListener")
    }
}

impl Supervised {
    /// What stands around the command.
    #[must_use]
    pub fn confinement(&self) -> &Confinement {
        &self.confinement
    }

    /// Protected paths that the command changed and that were put back, or
    /// could not be: a sentence each. Complete once [`Self::exited`] has
    /// returned, but for what survivors do.
    #[must_use]
    pub fn repairs(&self) -> &[String] {
        &self.repairs
    }

    /// Sets who is told of each repair at once: a command may run for hours,
    /// and whose file was set aside meanwhile misses it now. Told while
    /// [`Self::exited`] or [`Self::emptied`] is waited for.
    pub fn on_repair(&mut self, listener: impl Fn(&Repair) + Send + Sync + 'static) {
        self.listener = Some(RepairListener(Box::new(listener)));
    }

    /// Waits until the command has ended; what it started may live on.
    /// May be dropped and called again.
    pub async fn exited(&mut self) -> Exit {
        loop {
            if let Some(exit) = self.exit {
                return exit;
            }
            match self.wire.next().await {
                Some(Status::Exited {
                    code,
                    signal,
                    survivors,
                }) => {
                    self.exit = Some(Exit {
                        code,
                        signal,
                        survivors,
                    });
                }
                Some(Status::Emptied) => self.emptied = true,
                Some(Status::Repaired(what)) => self.note(what),
                Some(_) => {}
                None => self.lost().await,
            }
        }
    }

    fn note(&mut self, repair: Repair) {
        if self.repairs.len() < MAX_REPAIRS {
            if let Some(RepairListener(tell)) = &self.listener {
                tell(&repair);
            }
            self.repairs.push(repair.text);
        }
    }

    /// Waits until no descendant is left. May be dropped and called again.
    pub async fn emptied(&mut self) {
        self.exited().await;
        while !self.emptied {
            match self.wire.next().await {
                Some(Status::Emptied) => self.emptied = true,
                Some(Status::Repaired(what)) => self.note(what),
                Some(_) => {}
                None => self.lost().await,
            }
        }
        // Else the supervisor stays a zombie until Tenon ends. One that watched
        // folders is kept for a long while by the kernel: the runtime takes it
        // when it is gone.
        if self.confinement.level == Level::None {
            let _ = self.keeper.wait().await;
        }
    }

    /// Ends the whole tree at once.
    pub fn kill(&self) {
        self.order(KILL);
    }

    /// Asks the whole tree to end; what is left after two seconds is killed.
    pub fn terminate(&self) {
        self.order(TERMINATE);
    }

    fn order(&self, byte: u8) {
        self.wire.send(byte);
        wake(&self.keeper);
    }

    /// The supervisor was killed. What it kept is found by the marker and by
    /// its session, and killed until none is left. The supervisor is waited
    /// for last: until then nobody else can have its number.
    async fn lost(&mut self) {
        let _ = self.keeper.start_kill();
        while tree::sweep(&self.marker, self.keeper.id()) > 0 {
            tokio::time::sleep(SWEEP_PAUSE).await;
        }
        let _ = self.keeper.wait().await;
        self.exit.get_or_insert(Exit {
            code: None,
            signal: None,
            survivors: Survivors::None,
        });
        self.emptied = true;
    }
}

/// A command may have stopped its supervisor; then it would not hear.
pub(crate) fn wake(keeper: &Child) {
    // There is no number once it was waited for: it could be another's.
    let pid = keeper.id().and_then(|id| i32::try_from(id).ok());
    if let Some(pid) = pid.and_then(Pid::from_raw) {
        let _ = rustix::process::kill_process(pid, Signal::CONT);
    }
}

/// Tenon's end of the socket: statuses in, orders out.
#[derive(Debug)]
pub(crate) struct Wire {
    control: UnixStream,
    received: Vec<u8>,
}

impl Wire {
    pub(crate) fn new(control: UnixStream) -> Self {
        Self {
            control,
            received: Vec::new(),
        }
    }

    /// The next status, or `None` when the supervisor is gone. Nothing is lost
    /// when this is dropped: what was read is kept.
    pub(crate) async fn next(&mut self) -> Option<Status> {
        loop {
            if let Some(line) = take_line(&mut self.received) {
                return Status::parse(&line);
            }
            if self.received.len() > MAX_LINE {
                return None;
            }
            self.control.readable().await.ok()?;
            let mut bytes = [0_u8; 256];
            match self.control.try_read(&mut bytes) {
                Ok(0) => return None,
                Ok(count) => self.received.extend(bytes.iter().take(count)),
                Err(error) if error.kind() == io::ErrorKind::WouldBlock => {}
                Err(_) => return None,
            }
        }
    }

    /// Never blocks; to a supervisor that is gone there is nothing to say.
    fn send(&self, byte: u8) {
        let _ = self.control.try_write(&[byte]);
    }
}
