//! Runs admitted calls and records exactly one result for each, in the order of
//! the calls. Reads may be dropped by an interrupt; a call with effects never
//! is: it is told to stop and then waited for, so that its result says what
//! truly happened.

mod again;
mod by_user;
mod ended;
mod start;

use crate::gate::{Admitted, Case, Verdict};
use crate::guard;
use crate::images;
use crate::mask;
use crate::pages;
use crate::run::{End, Flow, Run};
use crate::schedule::Ready;
use again::Tried;
pub(crate) use by_user::{by_user, to_its_end};
use ended::Ended;
use start::{Running, rehearsing, start};
use std::sync::Arc;
use std::time::Duration;
use tenon_model::dialect::REPLY_FORMAT;
use tenon_session::FrameOf;
use tenon_tools::Workspace;
use tenon_vocab::{
    BlobRef, CallId, CallStatus, Display, Effect, Envelope, ErrorCode, Explanation, JobId, Notice,
    Outcome, ToolOutput, ToolResult,
};
use tokio::time::Instant;

/// How long a cancelled call with effects may take to say how it ended.
const SETTLE: Duration = Duration::from_secs(5);

/// A result on its way to the log.
struct Settled {
    call: CallId,
    name: String,
    /// The effective input as JSON, for the repeat guard; `None` for a call that
    /// only looks after a process: waiting is not going round in circles.
    repeatable: Option<String>,
    output: ToolOutput,
    status: CallStatus,
    explanation: Option<Explanation>,
    duration: Duration,
    /// What the model reads after the result.
    notes: Vec<String>,
}

/// What became of a call.
#[derive(Debug, Clone, PartialEq)]
pub struct Done {
    pub envelope: Envelope,
    pub status: CallStatus,
    /// What the model reads.
    pub text: String,
    pub display: Display,
    pub images: Vec<(BlobRef, String)>,
    /// Processes of the background that were ended with the call.
    pub ended: Vec<JobId>,
    /// What of its doings was set aside or put back, where no front end was told.
    pub repaired: Vec<Notice>,
}

impl Done {
    /// Why it was denied, if it was.
    pub(crate) fn denial(&self) -> Option<String> {
        let error = self.envelope.error();
        let denied = error.filter(|_| self.status == CallStatus::Denied);
        denied.map(|error| error.message.clone())
    }
}

/// Runs a batch of the model's calls; a limit of them may end the run.
pub(crate) async fn execute(run: &mut Run, batch: Vec<Admitted>) -> Flow<()> {
    let (_, end) = settle_all(run, batch).await?;
    unless_interrupted(run)?;
    end.map_or(Ok(()), Err)
}

/// Gives the results in the order of the calls, and what the limits say. Whether
/// the run was interrupted is for whoever has read the results.
async fn settle_all(run: &mut Run, batch: Vec<Admitted>) -> Flow<(Vec<Done>, Option<End>)> {
    run.batch += 1;
    // What the server says of its window decides how much of it is free.
    let current = run.core.active.get();
    current.window_settled(&run.token).await;
    let limits = pages::limits(run, batch.len());
    let mut waiting = Vec::with_capacity(batch.len());
    for admitted in batch {
        let started = start(run, &admitted, &limits)?;
        waiting.push((admitted, started));
    }
    // All of the batch is settled before a limit may end the run: a call that
    // has run must not be recorded as one whose outcome nobody knows.
    let mut results = Vec::new();
    let mut end = None;
    for (admitted, running) in waiting {
        let settled = settle(run, admitted, running).await;
        let (done, reason) = record(run, settled)?;
        results.push(done);
        end = end.or(reason);
    }
    Ok((results, end))
}

fn unless_interrupted(run: &Run) -> Flow<()> {
    match run.token.is_cancelled() {
        true => Err(End::Interrupted),
        false => Ok(()),
    }
}

async fn settle(run: &Run, admitted: Admitted, running: Option<Running>) -> Settled {
    let Admitted {
        call,
        name,
        given,
        verdict,
    } = admitted;
    match (verdict, running) {
        (
            Verdict::Refuse {
                output,
                status,
                explanation,
            },
            _,
        ) => Settled {
            call,
            name,
            repeatable: Some(given),
            output: *output,
            status,
            explanation,
            duration: Duration::ZERO,
            notes: Vec::new(),
        },
        (Verdict::Settled { output, case }, _) => {
            let Case {
                ready,
                facts,
                notes,
                ..
            } = *case;
            let ended = Ended {
                call,
                name,
                tool: ready.tool,
                input: ready.input,
                facts: Box::new(facts),
                explanation: None,
                notes,
                started: Instant::now(),
            };
            ended.settled(run, *output).await
        }
        (
            Verdict::Run {
                tool,
                input,
                explanation,
                facts,
                mut notes,
                ..
            },
            Some(mut running),
        ) => {
            let started = running.started;
            let mut output = wait(run, &name, &mut running).await;
            let mut decided = None;
            if explanation.reads_only {
                let tried = Tried {
                    call: &call,
                    name: &name,
                    tool: Arc::clone(&tool),
                    input: &input,
                };
                let retried = again::if_stopped(run, tried, output, &mut running).await;
                output = retried.output;
                decided = retried.explanation;
                notes.extend(retried.notes);
            }
            let ended = Ended {
                call,
                name,
                tool,
                input,
                facts,
                explanation: decided,
                notes,
                started,
            };
            ended.settled(run, output).await
        }
        // `start` gives a running call for every admitted one.
        (Verdict::Run { .. }, None) => Settled {
            call,
            output: ToolOutput::error(ErrorCode::NotStarted, format!("`{name}` was not started")),
            name,
            repeatable: None,
            status: CallStatus::NotStarted,
            explanation: None,
            duration: Duration::ZERO,
            notes: Vec::new(),
        },
    }
}

/// What a call ends with that may change nothing: nobody was asked about it yet.
pub(crate) async fn rehearse(
    run: &Run,
    call: &CallId,
    ready: &Ready,
    view: &Workspace,
) -> ToolOutput {
    let mut running = rehearsing(run, call, ready, view);
    wait(run, &ready.tool.spec().name, &mut running).await
}

fn status(output: &ToolOutput) -> CallStatus {
    match output.envelope.error().map(|error| error.code) {
        Some(ErrorCode::Interrupted) => CallStatus::Interrupted,
        Some(ErrorCode::UnknownOutcome) => CallStatus::UnknownOutcome,
        Some(ErrorCode::PermissionDenied) => CallStatus::Denied,
        _ => CallStatus::Completed,
    }
}

async fn wait(run: &Run, name: &str, running: &mut Running) -> ToolOutput {
    let limit = time_limit(run, running.effect);
    tokio::select! {
        biased;
        () = run.token.cancelled() => {}
        ended = &mut running.handle => return unwrap(name, ended),
        () = after(limit) => return timed_out(name, running, limit).await,
    }
    if running.effect == Effect::Read {
        running.handle.abort();
        return ToolOutput::error(
            ErrorCode::Interrupted,
            format!("`{name}` was interrupted; it changes nothing"),
        );
    }
    stop(name, running).await
}

/// Tells a call to stop and waits for its own account of what happened.
async fn stop(name: &str, running: &mut Running) -> ToolOutput {
    running.token.cancel();
    match tokio::time::timeout(SETTLE, &mut running.handle).await {
        Ok(ended) => unwrap(name, ended),
        Err(_) => ToolOutput::error(
            ErrorCode::UnknownOutcome,
            format!(
                "`{name}` did not stop when it was told to; check what it did before you continue"
            ),
        ),
    }
}

/// `bash` and `process` keep their own time, and people think as long as they like.
fn time_limit(run: &Run, effect: Effect) -> Option<Duration> {
    match effect {
        Effect::Execute | Effect::Interact => None,
        Effect::Read | Effect::Write => run.core.tool_limits.timeout,
    }
}

async fn after(limit: Option<Duration>) {
    match limit {
        Some(limit) => tokio::time::sleep(limit).await,
        None => std::future::pending().await,
    }
}

async fn timed_out(name: &str, running: &mut Running, limit: Option<Duration>) -> ToolOutput {
    let seconds = limit.unwrap_or_default().as_secs_f64();
    let message = format!(
        "`{name}` took longer than {seconds} s and was stopped; ask for less, or raise `tool_timeout_secs`"
    );
    if running.effect == Effect::Read {
        running.token.cancel();
        running.handle.abort();
        return ToolOutput::error(ErrorCode::Timeout, message);
    }
    // What a write did is known only from its own result.
    let output = stop(name, running).await;
    if output.envelope.is_ok() {
        output
    } else {
        ToolOutput::error(ErrorCode::Timeout, message)
    }
}

/// A tool that panics fails its call and nothing else.
fn unwrap(name: &str, ended: Result<ToolOutput, tokio::task::JoinError>) -> ToolOutput {
    ended.unwrap_or_else(|error| {
        ToolOutput::error(
            ErrorCode::Internal,
            format!("`{name}` crashed ({error}). This is a bug in the tool; try another way."),
        )
    })
}

/// Writes the one result of a call and counts it.
fn record(run: &mut Run, settled: Settled) -> Flow<(Done, Option<End>)> {
    let Settled {
        call,
        name,
        repeatable,
        mut output,
        status,
        explanation,
        duration,
        notes,
    } = settled;
    let verdict = judge(run, &name, repeatable.as_deref(), &mut output, status);
    if name != REPLY_FORMAT {
        run.core.compaction.called(&name, repeatable.as_deref());
    }
    append(&mut output.model_text, &notes);
    count(run, &name, &output, status);
    let done = Done {
        envelope: output.envelope.clone(),
        status,
        text: output.model_text.clone(),
        display: output.display.clone(),
        images: images::keep_all(&run.core, std::mem::take(&mut output.images))?,
        ended: Vec::new(),
        repaired: Vec::new(),
    };
    run.emit(ToolResult {
        ok: output.envelope.is_ok(),
        status,
        envelope: output.envelope,
        model_text: output.model_text,
        display: output.display,
        duration_ms: u64::try_from(duration.as_millis()).unwrap_or(u64::MAX),
        reads: output.reads,
        images: done.images.clone(),
        sandbox: output.sandbox,
        explanation,
        name: name.clone(),
        call: call.clone(),
    })?;
    run.core.emitter.superseded(&FrameOf::Tool(call))?;
    mask::told(run, "PostToolUse", &output.masked)?;
    let end = match verdict {
        guard::Verdict::Stop(times) => Some(End::Loop(format!(
            "the model made the same call to `{name}` {times} times in a row with the same result; the run was stopped"
        ))),
        _ => too_many_failures(run),
    };
    Ok((done, end))
}

/// Notes come after the guard has looked: they are not what the call gave.
fn append(text: &mut String, notes: &[String]) {
    for note in notes {
        text.push_str("\n\n");
        text.push_str(note);
    }
}

/// Lets the guard see the result; a warning travels inside it.
fn judge(
    run: &mut Run,
    name: &str,
    input: Option<&str>,
    output: &mut ToolOutput,
    status: CallStatus,
) -> guard::Verdict {
    let ended = matches!(status, CallStatus::Completed | CallStatus::Denied);
    // A reply that could not be read is no call: it has a limit of its own (E6).
    let Some(input) = input.filter(|_| ended && name != REPLY_FORMAT) else {
        return guard::Verdict::Fine;
    };
    let verdict = run.guard.note(name, input, &output.model_text);
    if let guard::Verdict::Warn(times) = verdict {
        output.model_text.push_str(&format!(
            "\n\n[note: this is the same call with the same result, {times} times in a row. Do something else, or say what blocks you.]"
        ));
    }
    verdict
}

fn count(run: &mut Run, name: &str, output: &ToolOutput, status: CallStatus) {
    run.tally.calls += 1;
    run.tally.last_denied = None;
    let code = output.envelope.error().map(|error| error.code);
    match (status, code) {
        (CallStatus::Denied, _) => {
            run.tally.denied += 1;
            run.tally.last_denied = output.envelope.error().map(|error| error.message.clone());
        }
        (_, None) => {
            run.tally.failures_in_a_row = 0;
            run.tally.unreadable_in_a_row = 0;
            let tool = run.core.cast.tools().get(name);
            if tool.is_some_and(|tool| tool.spec().effect == Effect::Write) {
                run.core.compaction.worked();
            }
        }
        // Nothing was tried, so nothing failed.
        (
            _,
            Some(
                ErrorCode::DryRun
                | ErrorCode::Interrupted
                | ErrorCode::BlockedByHook
                | ErrorCode::NotStarted,
            ),
        ) => {}
        (_, Some(_)) => {
            run.tally.failed += 1;
            run.tally.failures_in_a_row += 1;
            run.tally.unreadable_in_a_row += u32::from(name == REPLY_FORMAT);
        }
    }
}

/// The markdown dialect gives a reply that it cannot read as a failed call; for
/// people it is none.
fn unreadable(times: u32) -> String {
    format!(
        "the model broke the reply format {times} times in a row; the run was stopped. Use another model, or `--dialect native` if the model supports tool calls."
    )
}

fn too_many_failures(run: &Run) -> Option<End> {
    let (limit, key) = run.failure_limit();
    let failures = run.tally.failures_in_a_row;
    let formless = run.tally.unreadable_in_a_row;
    (failures > 0 && failures >= limit).then(|| {
        End::Failed(if formless == failures {
            unreadable(formless)
        } else {
            format!(
                "{failures} tool calls in a row failed; the run was stopped. Say how to continue, or raise `{key}`."
            )
        })
    })
}

/// Gives every call that has no result one, so that the history stays whole.
pub(crate) fn close_open(run: &Run, outcome: Outcome) -> Flow<()> {
    let open = run.core.emitter.state(|state| state.open_calls());
    for call in open {
        let (code, status, message) = if call.started {
            (
                ErrorCode::UnknownOutcome,
                CallStatus::UnknownOutcome,
                "Tenon doesn't know how this call ended; check its effects before you continue",
            )
        } else {
            (
                ErrorCode::NotStarted,
                CallStatus::NotStarted,
                not_started(run, outcome),
            )
        };
        let output = ToolOutput::error(code, message);
        run.emit(ToolResult {
            call: call.call,
            name: call.name,
            ok: false,
            status,
            envelope: output.envelope,
            model_text: output.model_text,
            display: output.display,
            duration_ms: 0,
            reads: Vec::new(),
            images: Vec::new(),
            sandbox: None,
            explanation: None,
        })?;
    }
    Ok(())
}

fn not_started(run: &Run, outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Interrupted if run.core.inbox.shutdown.is_cancelled() => {
            "the program ended before this call was started"
        }
        Outcome::Interrupted => "the user stopped the run before this call was started",
        _ => "the run ended before this call was started",
    }
}
