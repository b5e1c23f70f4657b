//! The words of [`Jobs`](super::Jobs): what to run, how it ended, what is known
//! of a process that goes on.

use super::capture::Excerpt;
use super::credentials::Missing;
use super::room::Room;
use super::walls::Walls;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tenon_policy::Findings;
use tenon_sandbox::{Denial, SpawnError};
use tenon_vocab::profile::{OnTimeout, ToolLimits};
use tenon_vocab::{JobAction, JobId, SandboxReport};

/// Whether the caller waits for the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Placement {
    Foreground,
    /// It becomes a job at once; the caller only waits a moment, to hear of a
    /// command that fails right away.
    Background,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Whoever reads gets the end at once.
    Nothing,
    /// These bytes, then the end.
    Bytes(Vec<u8>),
    /// A pipe that stays open for [`Jobs::write`](super::Jobs::write).
    Open,
}

/// What becomes of processes that a command leaves behind when it ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Leftovers {
    BecomeJob,
    Kill,
}

/// One command to run.
#[derive(Debug, Clone)]
pub struct RunSpec {
    /// A line for the shell.
    pub command: String,
    pub cwd: PathBuf,
    /// `None`: it may run for ever.
    pub timeout: Option<Duration>,
    pub on_timeout: OnTimeout,
    pub placement: Placement,
    pub input: Input,
    pub leftovers: Leftovers,
    /// Set on top of the base environment.
    pub environment: Vec<(OsString, OsString)>,
    /// Variables that commands do not get otherwise, and that this one gets where
    /// it runs outside of the walls.
    pub lent: Vec<String>,
    /// Bytes of each stream that the result keeps, from its start and its end.
    pub kept_bytes: usize,
    /// More than this goes to a file, too.
    pub output_bytes: usize,
    /// The name of that file, without its ending; made safe here.
    pub label: String,
    pub walls: Walls,
    pub room: Room,
    /// Protected paths that a person confirmed this command for.
    pub confirmed: Vec<PathBuf>,
    pub secrets: Secrets,
}

/// What becomes of secrets that a command prints.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Secrets {
    /// They are masked: a model or a log may see the output.
    Masked,
    /// They are what was asked for: a credential command.
    Exact,
}

impl RunSpec {
    /// A command in the foreground without input, with the default limits,
    /// that leaves nothing behind: right for a hook or a credential command.
    #[must_use]
    pub fn new(command: impl Into<String>, cwd: impl Into<PathBuf>) -> Self {
        let limits = ToolLimits::default();
        Self {
            command: command.into(),
            cwd: cwd.into(),
            timeout: limits.bash_timeout,
            on_timeout: OnTimeout::Kill,
            placement: Placement::Foreground,
            input: Input::Nothing,
            leftovers: Leftovers::Kill,
            environment: Vec::new(),
            lent: Vec::new(),
            kept_bytes: limits.output_bytes,
            output_bytes: limits.output_bytes,
            label: String::from("command"),
            walls: Walls::Inside,
            room: Room::Session,
            confirmed: Vec::new(),
            secrets: Secrets::Masked,
        }
    }
}

/// How a run ended for its caller.
#[derive(Debug)]
pub enum Ended {
    /// The command ended by itself. A job in the outcome means that it left
    /// processes behind.
    Exited {
        code: Option<i32>,
        signal: Option<i32>,
    },
    /// It goes on as the outcome's job: it was started in the background, or
    /// its time was up.
    Running(Detached),
    /// Its time was up and the tree was killed.
    TimedOut,
    /// The caller cancelled and the tree was killed.
    Interrupted,
    /// It was killed, but not everything was seen to end in time; the rest is
    /// the outcome's job.
    Unknown,
    NotStarted(NotStarted),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detached {
    Asked,
    TimedOut,
}

#[derive(Debug, thiserror::Error)]
pub enum NotStarted {
    #[error(transparent)]
    Spawn(#[from] SpawnError),
    #[error(
        "{0} background processes are already running; end one with `process` \
         {{\"action\":\"kill\",\"id\":\"proc_…\"}}"
    )]
    TooMany(usize),
    #[error("there is no read-only sandbox here")]
    NoSandbox,
    #[error("the session is shutting down")]
    Closing,
}

/// Where the whole output is.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub enum Whole {
    /// In the excerpts: nothing was left out.
    #[default]
    Here,
    /// Both streams in the order of their arrival, as clean text.
    File(PathBuf),
    /// The same, up to a cap.
    FileCut(PathBuf, Cut),
    /// The file could not be written; why.
    Lost(String),
}

impl Whole {
    /// The file, where there is one.
    #[must_use]
    pub fn path(&self) -> Option<&Path> {
        match self {
            Self::File(path) | Self::FileCut(path, _) => Some(path),
            Self::Here | Self::Lost(_) => None,
        }
    }
}

/// Why a file holds only the start of an output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Cut {
    /// It has reached the size that one file may have.
    File,
    /// The files of the session together have; it holds so many bytes.
    Session(u64),
}

/// What a command printed, as clean UTF-8 text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Collected {
    pub stdout: Excerpt,
    pub stderr: Excerpt,
    pub whole: Whole,
    /// The secrets that were masked in it.
    pub masked: Findings,
}

#[derive(Debug)]
pub struct RunOutcome {
    pub ended: Ended,
    pub output: Collected,
    pub duration: Duration,
    /// The job that goes on, if one does.
    pub job: Option<JobId>,
    /// What really stood around the command.
    pub sandbox: SandboxReport,
    /// Set when the walls made it fail.
    pub denial: Option<Denial>,
    /// Set when it failed for a credential that the walls hide.
    pub missing: Option<Missing>,
    /// Protected files that it changed where nothing could hold it back, and
    /// what became of that: a sentence each.
    pub repairs: Vec<String>,
}

impl RunOutcome {
    /// The exit code as a shell would give it: 128 and the signal's number
    /// where a signal ended it. `None` when it did not end by itself.
    #[must_use]
    pub fn exit_code(&self) -> Option<i32> {
        match self.ended {
            Ended::Exited { code, signal } => shell_code(code, signal),
            _ => None,
        }
    }
}

pub(super) fn shell_code(code: Option<i32>, signal: Option<i32>) -> Option<i32> {
    code.or_else(|| signal.map(|signal| 128 + signal))
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JobState {
    /// Some process of it is alive.
    Running,
    Exited,
    Killed,
}

impl JobState {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Running => "running",
            Self::Exited => "exited",
            Self::Killed => "killed",
        }
    }
}

/// A job as it is now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobInfo {
    pub id: JobId,
    pub command: String,
    pub state: JobState,
    /// Since the command was started.
    pub elapsed: Duration,
    /// Of the command itself, which may have ended while others live on.
    pub exit_code: Option<i32>,
    /// Printed since the last read.
    pub unread_bytes: u64,
}

/// What is new from a job.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct JobOutput {
    pub info: JobInfo,
    /// Both streams in the order of their arrival.
    pub text: Excerpt,
    pub whole: Whole,
    /// The secrets that were masked in it.
    pub masked: Findings,
}

/// Something happened to a job, for the log and the screen.
pub type JobEvent = tenon_vocab::JobEvent;

pub(super) fn event(info: &JobInfo, action: JobAction) -> JobEvent {
    JobEvent {
        id: info.id.clone(),
        action,
        command: info.command.clone(),
        exit_code: info.exit_code,
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum JobError {
    #[error("there is no job `{id}`; {}", known_sentence(.known))]
    Unknown { id: JobId, known: Vec<JobId> },
    #[error("{id} has already ended{}", code_phrase(*.exit_code))]
    Ended { id: JobId, exit_code: Option<i32> },
    #[error(
        "{0} has no standard input because it was started in the foreground; start it again with \
         background true to write to it"
    )]
    NoInput(JobId),
    #[error("the standard input of {0} is closed")]
    InputClosed(JobId),
    #[error(
        "{0} does not read its input; {1} bytes are already waiting. Read its output, then try \
         again"
    )]
    InputFull(JobId, usize),
    #[error(
        "{0} was killed, but some of its processes are still running; check again with `process` \
         list"
    )]
    StillAlive(JobId),
}

fn known_sentence(known: &[JobId]) -> String {
    if known.is_empty() {
        return String::from("no background process was started");
    }
    let names: Vec<&str> = known.iter().map(JobId::as_str).collect();
    format!("the jobs are: {}", names.join(", "))
}

fn code_phrase(code: Option<i32>) -> String {
    code.map_or_else(String::new, |code| format!(" with exit code {code}"))
}
