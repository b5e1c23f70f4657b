//! The jobs of a session: processes that outlive the call that started them.
//! Each is kept by a task of its own; this is what the others see of it.

use super::running::{AfterInput, MAX_PENDING, Running, SharedOutput, Step, lock};
use super::spec::{JobInfo, JobOutput, JobState, shell_code};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tenon_vocab::{JobAction, JobId};
use tokio::sync::{mpsc, oneshot, watch};
use tokio::time::{Instant, timeout};

/// Between the end of a job's processes and giving up on its pipes.
const PIPES: Duration = Duration::from_millis(500);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct JobStatus {
    pub(super) state: JobState,
    pub(super) exit_code: Option<i32>,
}

/// What came of a wish to write.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Written {
    Queued,
    Closed,
    Full(usize),
}

/// How a job is ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Ending {
    /// Asked, and killed when it does not listen.
    Asked,
    Killed,
}

#[derive(Debug)]
pub(super) enum Order {
    End(Ending),
    Write {
        bytes: Vec<u8>,
        after: AfterInput,
        reply: oneshot::Sender<Written>,
    },
}

/// Whether there is a pipe to write to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum InputPipe {
    Present,
    Absent,
}

#[derive(Debug, Clone)]
pub(super) struct Job {
    pub(super) id: JobId,
    pub(super) command: String,
    pub(super) started: Instant,
    pub(super) output: SharedOutput,
    pub(super) input: InputPipe,
    pub(super) orders: mpsc::UnboundedSender<Order>,
    pub(super) status: watch::Receiver<JobStatus>,
    /// Set when it ends, so that its age stands still.
    pub(super) ended: watch::Receiver<Option<Duration>>,
    /// Whether the model knows how it ended.
    told: Arc<AtomicBool>,
}

impl Job {
    pub(super) fn info(&self) -> JobInfo {
        let status = *self.status.borrow();
        let ended = *self.ended.borrow();
        JobInfo {
            id: self.id.clone(),
            command: self.command.clone(),
            state: status.state,
            elapsed: ended.unwrap_or_else(|| self.started.elapsed()),
            exit_code: status.exit_code,
            unread_bytes: lock(&self.output).unread_bytes(),
        }
    }

    pub(super) fn is_running(&self) -> bool {
        self.status.borrow().state == JobState::Running
    }

    /// What it has printed since it was last read, for the model.
    pub(super) fn output(&self) -> JobOutput {
        let (text, whole, masked) = lock(&self.output).take_unread();
        let info = self.info();
        self.tell(&info);
        JobOutput {
            info,
            text,
            whole,
            masked,
        }
    }

    /// It has ended, and the model does not know.
    pub(super) fn is_untold(&self) -> bool {
        !self.is_running() && !self.told.load(Ordering::Relaxed)
    }

    /// The model is told of this; false when it knew of the end before.
    pub(super) fn tell(&self, info: &JobInfo) -> bool {
        info.state != JobState::Running && !self.told.swap(true, Ordering::Relaxed)
    }

    /// Waits until it no longer runs; false when that took too long.
    pub(super) async fn ended_within(&self, patience: Duration) -> bool {
        let mut status = self.status.clone();
        timeout(
            patience,
            status.wait_for(|status| status.state != JobState::Running),
        )
        .await
        .is_ok()
    }

    /// Waits until there is something unread, or it no longer runs, or the
    /// patience is over.
    pub(super) async fn news_within(&self, patience: Duration) {
        let news = async {
            while self.is_running() && lock(&self.output).unread_bytes() == 0 {
                tokio::time::sleep(Duration::from_millis(20)).await;
            }
        };
        let _ = timeout(patience, news).await;
    }
}

/// Who is told of a job's changes: the session, while it exists.
pub(super) trait Audience: Send + Sync {
    fn tell(&self, job: &JobInfo, action: JobAction);
}

/// Keeps a running command as a job until all of it has ended. When nobody
/// can give orders any more, it is killed.
pub(super) fn keep<A: Audience + 'static>(
    running: Running,
    id: JobId,
    command: String,
    input: InputPipe,
    audience: Weak<A>,
) -> Job {
    let (orders, inbox) = mpsc::unbounded_channel();
    let (status_sender, status) = watch::channel(JobStatus {
        state: JobState::Running,
        exit_code: code(&running),
    });
    let (ended_sender, ended) = watch::channel(None);
    let job = Job {
        id,
        command,
        started: running.started,
        output: Arc::clone(&running.output),
        input,
        orders,
        status,
        ended,
        told: Arc::default(),
    };
    // Without the sender: the registry's copy alone keeps the job alive.
    let (closed, _) = mpsc::unbounded_channel();
    let told = Job {
        orders: closed,
        ..job.clone()
    };
    tokio::spawn(async move {
        let state = attend(running, inbox, &status_sender).await;
        ended_sender.send_replace(Some(told.started.elapsed()));
        // Told before anyone who waits for the end goes on: an event of this
        // job must not come after the end of the session.
        if let Some(audience) = audience.upgrade() {
            let action = match state {
                JobState::Killed => JobAction::Killed,
                JobState::Running | JobState::Exited => JobAction::Exited,
            };
            let info = JobInfo {
                state,
                ..told.info()
            };
            audience.tell(&info, action);
        }
        status_sender.send_modify(|status| status.state = state);
    });
    job
}

fn code(running: &Running) -> Option<i32> {
    running
        .exit
        .and_then(|exit| shell_code(exit.code, exit.signal))
}

async fn attend(
    mut running: Running,
    mut inbox: mpsc::UnboundedReceiver<Order>,
    status: &watch::Sender<JobStatus>,
) -> JobState {
    let mut state = JobState::Exited;
    let mut open = true;
    let mut pace = Pace::new();
    while !running.emptied {
        let rest = pace.rest();
        tokio::select! {
            biased;
            order = inbox.recv(), if open => match order {
                Some(Order::End(Ending::Asked)) => { state = JobState::Killed; running.terminate(); }
                Some(Order::End(Ending::Killed)) => { state = JobState::Killed; running.kill(); }
                Some(Order::Write { bytes, after, reply }) => {
                    let _ = reply.send(queue(&mut running, &bytes, after));
                }
                None => { open = false; state = JobState::Killed; running.kill(); }
            },
            () = tokio::time::sleep(rest), if !rest.is_zero() => pace = Pace::new(),
            step = running.next(), if rest.is_zero() => {
                if let Step::Printed(_, text) = step {
                    pace.taken += text.len();
                }
                let exit_code = code(&running);
                status.send_if_modified(|status| {
                    std::mem::replace(&mut status.exit_code, exit_code) != exit_code
                });
            }
        }
    }
    let _ = timeout(PIPES, running.settle(&mut |_| {})).await;
    running.close_round().await;
    state
}

/// A job that floods is read no faster than this: its pipe fills up and it
/// waits, instead of keeping a processor busy with what nobody reads.
struct Pace {
    since: Instant,
    taken: usize,
}

impl Pace {
    const WINDOW: Duration = Duration::from_millis(100);
    const BYTES: usize = 1024 * 1024;

    fn new() -> Self {
        Self {
            since: Instant::now(),
            taken: 0,
        }
    }

    /// How long to read nothing.
    fn rest(&mut self) -> Duration {
        let left = Self::WINDOW.saturating_sub(self.since.elapsed());
        if left.is_zero() {
            *self = Self::new();
        }
        if self.taken < Self::BYTES {
            Duration::ZERO
        } else {
            left
        }
    }
}

fn queue(running: &mut Running, bytes: &[u8], after: AfterInput) -> Written {
    if !running.accepts_input() {
        return Written::Closed;
    }
    if running.pending() + bytes.len() > MAX_PENDING {
        return Written::Full(running.pending());
    }
    running.give(bytes, after);
    Written::Queued
}
