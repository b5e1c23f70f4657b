//! Starts a command under a supervisor. Tenon's side; the other side is
//! `keeper`.

use crate::confinement::Confinement;
use crate::message::{OPEN, Status, WALLED};
use crate::supervised::{Supervised, Wire, wake};
use crate::walls::SandboxPolicy;
use crate::{descriptor, handover};
use std::ffi::OsString;
use std::hash::{BuildHasher, Hasher, RandomState};
use std::io;
use std::os::fd::{AsFd, OwnedFd};
use std::os::unix::net::UnixStream as Socket;
use std::path::PathBuf;
use std::process::Stdio;
use std::time::{Duration, SystemTime};
use tokio::net::unix::pipe;
use tokio::process::Child;

/// The variable by which a process of a command can be told from all others.
pub const MARKER: &str = "TENON_JOB";

/// A supervisor that says nothing for so many times so long is broken.
const PATIENCE: (u32, Duration) = (100, Duration::from_millis(100));

/// How to start the hidden subcommand: the program and what stands before the
/// command's own words.
#[derive(Debug, Clone)]
pub struct Supervisor {
    program: PathBuf,
    arguments: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StdinKind {
    /// `/dev/null`: whoever reads gets the end at once.
    Null,
    /// A pipe whose other end is [`Supervised::stdin`].
    Pipe,
}

#[derive(Debug, Clone)]
pub struct CommandSpec {
    /// Program and arguments; a bare name is looked up in the `PATH` of `env`.
    pub argv: Vec<OsString>,
    pub cwd: PathBuf,
    /// The whole environment; nothing is inherited. The marker is added.
    pub env: Vec<(OsString, OsString)>,
    pub stdin: StdinKind,
    /// The walls; `None` means none.
    pub confinement: Option<SandboxPolicy>,
}

#[derive(Debug, thiserror::Error)]
pub enum SpawnError {
    #[error("there is no command to start")]
    Empty,
    #[error("can't enter the folder {}: {source}", path.display())]
    Folder { path: PathBuf, source: io::Error },
    #[error(
        "the command and its environment are too long for the system; write the command to a \
         file and run that"
    )]
    TooLong,
    #[error("can't start {} to supervise commands: {source}", program.display())]
    Supervisor { program: PathBuf, source: io::Error },
    #[error("can't start `{program}`: {source}")]
    Command { program: String, source: io::Error },
    #[error("can't set up the sandbox, so the command was not run: {0}")]
    Confinement(String),
    #[error("the supervisor ended before it started the command; try again")]
    Lost,
    #[error("can't talk to the supervisor: {0}")]
    Channel(#[from] io::Error),
}

impl Supervisor {
    #[must_use]
    pub fn new(program: impl Into<PathBuf>, arguments: Vec<OsString>) -> Self {
        Self {
            program: program.into(),
            arguments,
        }
    }

    /// Starts a command. Dropping this future, or what it gives, ends the
    /// whole tree.
    ///
    /// # Errors
    /// When the supervisor or the command cannot be started.
    pub async fn spawn(&self, command: CommandSpec) -> Result<Supervised, SpawnError> {
        let program = command.argv.first().ok_or(SpawnError::Empty)?;
        let program = program.to_string_lossy().into_owned();
        let walls = command
            .confinement
            .as_ref()
            .map(|policy| handover::encode(policy).ok_or_else(too_many_paths))
            .transpose()?;
        let (ours, theirs) = Socket::pair()?;
        let marker = unique();
        let mut child = self.start(&command, &marker, theirs)?;
        if let Some(walls) = walls {
            // It fits into the socket's buffer, so this does not wait.
            io::Write::write_all(&mut &ours, &walls)?;
        }
        let stdin = match command.stdin {
            StdinKind::Null => None,
            StdinKind::Pipe => Some(hand_over_stdin(&ours)?),
        };
        ours.set_nonblocking(true)?;
        let control = tokio::net::UnixStream::from_std(ours)?;
        let mut wire = Wire::new(control);
        let (stdout, stderr) = (child.stdout.take(), child.stderr.take());
        match first_words(&mut wire, &mut child).await {
            Some(First::Started(pid, confinement)) => Ok(Supervised {
                pid,
                stdin,
                stdout,
                stderr,
                wire,
                keeper: child,
                marker: format!("{MARKER}={marker}"),
                exit: None,
                emptied: false,
                confinement,
                repairs: Vec::new(),
                listener: None,
            }),
            Some(First::Failed(number)) => {
                let _ = child.wait().await;
                Err(SpawnError::Command {
                    program,
                    source: io::Error::from_raw_os_error(number),
                })
            }
            Some(First::Refused(why)) => {
                let _ = child.wait().await;
                Err(SpawnError::Confinement(why))
            }
            None => {
                let _ = child.start_kill();
                let _ = child.wait().await;
                Err(SpawnError::Lost)
            }
        }
    }

    fn start(
        &self,
        command: &CommandSpec,
        marker: &str,
        control: Socket,
    ) -> Result<Child, SpawnError> {
        let mut starter = tokio::process::Command::new(&self.program);
        starter
            .args(&self.arguments)
            .arg(match command.stdin {
                StdinKind::Null => "null",
                StdinKind::Pipe => "pipe",
            })
            .arg(match command.confinement {
                None => OPEN,
                Some(_) => WALLED,
            })
            .args(&command.argv)
            .env_clear()
            .envs(command.env.iter().map(|(name, value)| (name, value)))
            .env(MARKER, marker)
            .current_dir(&command.cwd)
            .stdin(Stdio::from(OwnedFd::from(control)))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
        starter.spawn().map_err(|source| {
            if source.raw_os_error() == Some(libc::E2BIG) {
                return SpawnError::TooLong;
            }
            match std::fs::read_dir(&command.cwd) {
                Err(source) => SpawnError::Folder {
                    path: command.cwd.clone(),
                    source,
                },
                Ok(_) => SpawnError::Supervisor {
                    program: self.program.clone(),
                    source,
                },
            }
        })
    }
}

fn too_many_paths() -> SpawnError {
    SpawnError::Confinement(String::from(
        "the sandbox policy names too many paths; name folders instead of the files in them",
    ))
}

/// What the supervisor says first.
enum First {
    Started(Option<u32>, Confinement),
    Failed(i32),
    Refused(String),
}

/// `None` when it ended before it could start anything.
async fn first_words(wire: &mut Wire, keeper: &mut Child) -> Option<First> {
    let mut confinement = Confinement::none();
    let mut may_run = false;
    loop {
        let Some(word) = first_word(wire, keeper).await else {
            // The command may have ended its supervisor: then it did run, and
            // what it left behind is looked for when it is waited for.
            let _ = keeper.start_kill();
            return may_run.then_some(First::Started(None, confinement));
        };
        match word {
            Status::Starting => may_run = true,
            Status::Note(text) | Status::Gap(text) => confinement.not_covered.push(text),
            Status::Confined { adapter, level } => {
                confinement.adapter = adapter;
                confinement.level = level;
            }
            Status::Started(pid) => return Some(First::Started(Some(pid), confinement)),
            Status::Failed(number) => return Some(First::Failed(number)),
            Status::Refused(why) => return Some(First::Refused(why)),
            _ => return None,
        }
    }
}

/// A command may stop its supervisor before that has said a word; it is then
/// woken.
async fn first_word(wire: &mut Wire, keeper: &Child) -> Option<Status> {
    for _ in 0..PATIENCE.0 {
        match tokio::time::timeout(PATIENCE.1, wire.next()).await {
            Ok(word) => return word,
            Err(_) => wake(keeper),
        }
    }
    None
}

/// Sends the read end of a new pipe to the supervisor.
fn hand_over_stdin(control: &Socket) -> io::Result<pipe::Sender> {
    let (read, write) = rustix::pipe::pipe_with(rustix::pipe::PipeFlags::CLOEXEC)?;
    descriptor::send(control, read.as_fd())?;
    rustix::io::ioctl_fionbio(&write, true)?;
    pipe::Sender::from_owned_fd(write)
}

/// A word that no other command of this machine carries.
fn unique() -> String {
    let since = SystemTime::now()
        .duration_since(SystemTime::UNIX_EPOCH)
        .map_or(0, |since| since.as_nanos());
    let mut hasher = RandomState::new().build_hasher();
    hasher.write_u128(since);
    format!("{}-{:016x}", std::process::id(), hasher.finish())
}
