//! One command while it runs: everything that can happen to it, one step at a
//! time. It does not know why it runs or for how long.

use super::output::Output;
use super::round::Round;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tenon_sandbox::{Confinement, Exit, SandboxPolicy, Supervised, Survivors};
use tenon_vocab::ToolStream;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::unix::pipe;
use tokio::process::{ChildStderr, ChildStdout};
use tokio::time::{Instant, timeout};

const PIECE: usize = 64 * 1024;
/// A silence this long means that nothing more is on its way.
const QUIET: Duration = Duration::from_millis(75);
/// What a command left running may print without a pause; do not wait for it.
const SETTLE: Duration = Duration::from_millis(400);
/// Without survivors the pipes end at once, unless someone outside holds them.
const LAST_WORDS: Duration = Duration::from_secs(2);
/// Input that waits to be read; a program that does not read gets no more.
pub(super) const MAX_PENDING: usize = 1024 * 1024;

pub(super) type SharedOutput = Arc<Mutex<Output>>;

/// A panic elsewhere leaves the text as it was; it is still worth showing.
pub(super) fn lock<T>(shared: &Mutex<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What happened next.
#[derive(Debug)]
pub(super) enum Step {
    /// A screen may show this.
    Printed(ToolStream, String),
    /// The command itself ended, the tree emptied, a pipe ended, input was taken.
    Changed,
}

/// What becomes of the input pipe once the waiting bytes are written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AfterInput {
    Close,
    KeepOpen,
}

/// Whether anything of the command is still alive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Alive {
    Nothing,
    Something,
}

#[derive(Debug)]
pub(super) struct Running {
    supervised: Supervised,
    stdout: Option<ChildStdout>,
    stderr: Option<ChildStderr>,
    stdin: Option<pipe::Sender>,
    pending: Vec<u8>,
    after_input: AfterInput,
    buffers: (Box<[u8]>, Box<[u8]>),
    pub(super) output: SharedOutput,
    pub(super) exit: Option<Exit>,
    pub(super) emptied: bool,
    pub(super) started: Instant,
    /// The walls that were asked for.
    pub(super) policy: Option<Arc<SandboxPolicy>>,
    pub(super) round: Option<Round>,
}

impl Running {
    pub(super) fn new(
        mut supervised: Supervised,
        output: Output,
        input: Vec<u8>,
        after_input: AfterInput,
    ) -> Self {
        let piece = || vec![0_u8; PIECE].into_boxed_slice();
        let mut running = Self {
            stdout: supervised.stdout.take(),
            stderr: supervised.stderr.take(),
            stdin: supervised.stdin.take(),
            supervised,
            pending: input,
            after_input,
            buffers: (piece(), piece()),
            output: Arc::new(Mutex::new(output)),
            exit: None,
            emptied: false,
            started: Instant::now(),
            policy: None,
            round: None,
        };
        running.close_input_when_done();
        running
    }

    /// What stands around the command.
    pub(super) fn confinement(&self) -> &Confinement {
        self.supervised.confinement()
    }

    /// The same while it goes on.
    pub(super) async fn look_around(&mut self) {
        if let Some(round) = &self.round {
            round.look().await;
        }
    }

    /// Judges what the command left, when all of it has ended.
    pub(super) async fn close_round(&mut self) {
        if let Some(round) = self.round.take() {
            round.look().await;
        }
    }

    /// What was done about protected files that the command changed.
    pub(super) fn repairs(&self) -> &[String] {
        self.supervised.repairs()
    }

    pub(super) fn kill(&self) {
        self.supervised.kill();
    }

    pub(super) fn terminate(&self) {
        self.supervised.terminate();
    }

    /// Waits for the next thing to happen. Nothing is lost when it is dropped.
    pub(super) async fn next(&mut self) -> Step {
        let (out, err) = (&mut self.buffers.0, &mut self.buffers.1);
        let (exited, emptied) = (self.exit.is_some(), self.emptied);
        tokio::select! {
            read = read(&mut self.stdout, out), if self.stdout.is_some() => {
                self.took(ToolStream::Stdout, read)
            }
            read = read(&mut self.stderr, err), if self.stderr.is_some() => {
                self.took(ToolStream::Stderr, read)
            }
            written = write(&mut self.stdin, &self.pending), if !self.pending.is_empty() && self.stdin.is_some() => {
                match written {
                    Some(count) => { self.pending.drain(..count.min(self.pending.len())); }
                    None => { self.pending.clear(); self.stdin = None; }
                }
                self.close_input_when_done();
                Step::Changed
            }
            exit = fate(&mut self.supervised, self.exit), if !emptied => {
                self.emptied = exited;
                self.exit = exit.or(self.exit);
                Step::Changed
            }
            else => std::future::pending().await,
        }
    }

    fn took(&mut self, stream: ToolStream, count: usize) -> Step {
        let mut output = lock(&self.output);
        let buffer = match stream {
            ToolStream::Stderr => &self.buffers.1,
            ToolStream::Stdout | ToolStream::Status => &self.buffers.0,
        };
        match buffer.get(..count) {
            Some(bytes) if count > 0 => Step::Printed(stream, output.push(stream, bytes)),
            _ => {
                let held = output.finish(stream);
                match stream {
                    ToolStream::Stderr => self.stderr = None,
                    ToolStream::Stdout | ToolStream::Status => self.stdout = None,
                }
                if held.is_empty() {
                    Step::Changed
                } else {
                    Step::Printed(stream, held)
                }
            }
        }
    }

    fn close_input_when_done(&mut self) {
        if self.pending.is_empty() && self.after_input == AfterInput::Close {
            self.stdin = None;
        }
    }

    /// Queues input; an end-of-file closes the pipe after what waits.
    pub(super) fn give(&mut self, bytes: &[u8], after: AfterInput) {
        self.pending.extend_from_slice(bytes);
        self.after_input = after;
        self.close_input_when_done();
    }

    pub(super) fn pending(&self) -> usize {
        self.pending.len()
    }

    pub(super) fn accepts_input(&self) -> bool {
        self.stdin.is_some() && self.after_input == AfterInput::KeepOpen
    }

    fn silent(&self) -> bool {
        self.stdout.is_none() && self.stderr.is_none()
    }

    /// After the command's end: collects its last words, and finds out whether
    /// it left anything alive.
    pub(super) async fn settle(&mut self, seen: &mut (dyn FnMut(Step) + Send)) -> Alive {
        let begun = Instant::now();
        while !(self.emptied && self.silent()) {
            let survivors = self.exit.map_or(Survivors::Some, |exit| exit.survivors);
            let (pause, limit) = if self.emptied || survivors == Survivors::None {
                (LAST_WORDS, LAST_WORDS)
            } else {
                (QUIET, SETTLE)
            };
            // A timeout alone would not end this: it lets through what is
            // ready, and a flood is always ready.
            let left = limit.saturating_sub(begun.elapsed());
            if left.is_zero() {
                break;
            }
            match timeout(pause.min(left), self.next()).await {
                Ok(step) => seen(step),
                Err(_) => break,
            }
        }
        if self.emptied {
            Alive::Nothing
        } else {
            Alive::Something
        }
    }

    /// Kills the tree and waits for its end, so long and no longer.
    pub(super) async fn end(&mut self, patience: Duration) -> Alive {
        self.kill();
        let begun = Instant::now();
        while !self.emptied {
            let left = patience.saturating_sub(begun.elapsed());
            if left.is_zero() || timeout(left, self.next()).await.is_err() {
                return Alive::Something;
            }
        }
        self.settle(&mut |_| {}).await
    }
}

/// The exit of the command, or, once that is known, the end of its last process.
async fn fate(supervised: &mut Supervised, known: Option<Exit>) -> Option<Exit> {
    if known.is_none() {
        return Some(supervised.exited().await);
    }
    supervised.emptied().await;
    None
}

/// Bytes read; none when the stream has ended or broke.
async fn read<R: tokio::io::AsyncRead + Unpin>(from: &mut Option<R>, into: &mut [u8]) -> usize {
    match from {
        Some(stream) => stream.read(into).await.unwrap_or(0),
        None => std::future::pending().await,
    }
}

/// Bytes written; `None` when nobody reads any more.
async fn write(to: &mut Option<pipe::Sender>, bytes: &[u8]) -> Option<usize> {
    match to {
        Some(stream) => stream.write(bytes).await.ok().filter(|count| *count > 0),
        None => std::future::pending().await,
    }
}
