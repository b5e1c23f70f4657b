//! Runs the blocking part of a tool beside the runtime, and tells it when to
//! stop: the call was interrupted, its future was dropped, or its time is up.

use super::failure::Failure;
use crate::contract::Host;
use crate::workspace::Workspace;
use std::time::{Duration, Instant};
use tenon_vocab::profile::ToolLimits;
use tenon_vocab::{ErrorCode, ToolOutput};
use tokio_util::sync::CancellationToken;

/// Asked often by whoever walks or searches; cheap.
#[derive(Debug, Clone)]
pub(crate) struct Stop {
    token: CancellationToken,
    deadline: Option<(Instant, Duration)>,
}

/// Why a search ended before its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stopped {
    Interrupted,
    TimedOut(Duration),
}

impl Stop {
    pub(crate) fn reason(&self) -> Option<Stopped> {
        if self.token.is_cancelled() {
            return Some(Stopped::Interrupted);
        }
        match self.deadline {
            Some((at, after)) if Instant::now() >= at => Some(Stopped::TimedOut(after)),
            _ => None,
        }
    }
}

impl Stopped {
    pub(crate) fn failure(self) -> Failure {
        match self {
            Self::Interrupted => Failure::new(ErrorCode::Interrupted, "interrupted"),
            Self::TimedOut(after) => Failure::new(
                ErrorCode::Timeout,
                format!(
                    "stopped after {} s; narrow it with `path` or `glob`",
                    after.as_secs()
                ),
            ),
        }
    }
}

/// All that the blocking part of a tool has.
pub(crate) struct Blocking {
    pub(crate) workspace: Workspace,
    pub(crate) limits: ToolLimits,
    pub(crate) stop: Stop,
}

/// What the blocking part of a tool may end with.
pub(crate) trait Outcome {
    fn output(self) -> ToolOutput;
}

impl Outcome for ToolOutput {
    fn output(self) -> ToolOutput {
        self
    }
}

impl Outcome for Result<ToolOutput, Failure> {
    fn output(self) -> ToolOutput {
        self.unwrap_or_else(Failure::output)
    }
}

/// Runs `work` on a thread for blocking work. Work that has begun is never
/// torn apart: when the future is dropped, it sees the stop and ends by itself.
pub(crate) async fn blocking<R: Outcome>(
    host: &dyn Host,
    work: impl FnOnce(&Blocking) -> R + Send + 'static,
) -> ToolOutput {
    beside(host, Box::new(move |given| work(given).output())).await
}

type Work = Box<dyn FnOnce(&Blocking) -> ToolOutput + Send>;

/// Without a type parameter: the machinery of a task exists once, not once for
/// each tool.
async fn beside(host: &dyn Host, work: Work) -> ToolOutput {
    let token = host.cancelled().child_token();
    let on_drop = token.clone().drop_guard();
    let limits = host.limits().clone();
    let given = Blocking {
        workspace: host.workspace().clone(),
        stop: Stop {
            token,
            deadline: limits.timeout.map(|after| (Instant::now() + after, after)),
        },
        limits,
    };
    let done = tokio::task::spawn_blocking(move || match given.stop.reason() {
        Some(stopped) => stopped.failure().output(),
        None => work(&given),
    })
    .await;
    drop(on_drop);
    match done {
        Ok(output) => output,
        Err(error) => match error.try_into_panic() {
            // The caller contains panics; it must see this one as its own.
            Ok(panic) => std::panic::resume_unwind(panic),
            Err(_) => ToolOutput::error(ErrorCode::Interrupted, "Tenon is shutting down"),
        },
    }
}
