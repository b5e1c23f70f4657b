//! Reads one model stream to its end: deltas go out in small batches, already
//! on disk when they are shown, and what has arrived is never lost, whichever
//! way the stream ends. Text that may become a secret waits until it is known.

use crate::active::Current;
use crate::context::{self, Cause};
use crate::core::Core;
use futures_util::StreamExt;
use std::time::Duration;
use tenon_model::{Adapted, Delta, Finished, ModelError, ModelErrorKind, Request, Warned};
use tenon_policy::{Findings, MaskStream};
use tenon_session::SessionError;
use tenon_vocab::{
    Message, Notice, NoticeLevel, Origin, Part, Role, RunId, RunState, StateChanged, TextChannel,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Text waits at most this long, or until this many bytes, before it is written
/// and published; the first piece after a pause does not wait.
const BATCH_TIME: Duration = Duration::from_millis(25);
const BATCH_BYTES: usize = 4096;

/// How often a count of what is written goes out, and the calls that are counted apart.
const COUNT_TIME: Duration = Duration::from_millis(100);
const MOST_CALLS: usize = 64;

/// How a stream ended.
pub(crate) enum Collected {
    Finished(Box<Finished>),
    /// The user stopped it; the text so far.
    Interrupted(Partial),
    Failed(ModelError, Partial),
    /// The log cannot be written any more.
    Log(SessionError),
}

/// What had arrived when a stream ended early.
#[derive(Debug, Default, Clone)]
pub(crate) struct Partial {
    reasoning: String,
    text: String,
    /// What was masked in it on the way.
    pub(crate) found: Findings,
}

impl Partial {
    pub(crate) fn is_empty(&self) -> bool {
        self.reasoning.is_empty() && self.text.is_empty()
    }

    /// As a message: the text counts for the model only when there is some.
    pub(crate) fn into_message(self) -> Message {
        let mut parts = Vec::new();
        let in_context = !self.text.trim().is_empty();
        if !self.reasoning.is_empty() {
            parts.push(Part::Reasoning {
                text: self.reasoning,
                signature: None,
                provider: None,
            });
        }
        if !self.text.is_empty() {
            parts.push(Part::text(self.text));
        }
        Message {
            in_context,
            ..Message::new(Role::Assistant, Origin::Model, parts)
        }
    }
}

/// Text on its way out.
struct Batch<'a> {
    core: &'a Core,
    run: RunId,
    channel: TextChannel,
    mask: MaskStream,
    waiting: String,
    last: Option<Instant>,
    seen: Partial,
}

impl Batch<'_> {
    fn push(&mut self, channel: TextChannel, text: &str) -> Result<(), SessionError> {
        if channel != self.channel {
            self.end()?;
            self.channel = channel;
        }
        let masked = self.mask.push(text);
        self.take(&masked);
        let due = self.last.is_none_or(|last| last.elapsed() >= BATCH_TIME);
        if due || self.waiting.len() >= BATCH_BYTES {
            self.flush()
        } else {
            Ok(())
        }
    }

    fn take(&mut self, masked: &str) {
        match self.channel {
            TextChannel::Text => self.seen.text.push_str(masked),
            TextChannel::Reasoning => self.seen.reasoning.push_str(masked),
        }
        self.waiting.push_str(masked);
    }

    /// The channel, or the stream, is over: what was held goes out, too.
    fn end(&mut self) -> Result<(), SessionError> {
        let held = self.mask.finish();
        self.seen.found.add(&self.mask.take_found());
        self.take(&held);
        self.flush()
    }

    /// When what waits must go out.
    fn deadline(&self) -> Option<Instant> {
        let last = self.last?;
        (!self.waiting.is_empty()).then(|| last + BATCH_TIME)
    }

    fn flush(&mut self) -> Result<(), SessionError> {
        if self.waiting.is_empty() {
            return Ok(());
        }
        self.last = Some(Instant::now());
        self.core
            .emitter
            .text(self.run, self.channel, std::mem::take(&mut self.waiting))
    }
}

/// Asks once and reads until the end. Dropping the stream on the way out cancels
/// the request.
pub(crate) async fn collect(
    core: &Core,
    run: RunId,
    token: &CancellationToken,
    current: &Current,
    request: Request,
) -> Collected {
    let mut stream = current.model.stream(request);
    let mut unshown = Unshown::of(current);
    let mut batch = Batch {
        core,
        run,
        channel: TextChannel::Text,
        mask: core.masker.stream(),
        waiting: String::new(),
        last: None,
        seen: Partial::default(),
    };
    loop {
        let deadline = batch.deadline();
        let item = tokio::select! {
            biased;
            () = token.cancelled() => {
                let flushed = batch.end();
                return flushed.map_or_else(Collected::Log, |()| Collected::Interrupted(batch.seen));
            }
            item = stream.next() => item,
            () = until(deadline) => {
                match batch.flush() {
                    Ok(()) => continue,
                    Err(error) => return Collected::Log(error),
                }
            }
        };
        let pushed = match item {
            Some(Ok(Delta::Text(text))) => batch.push(TextChannel::Text, &text),
            Some(Ok(Delta::Reasoning(text))) => batch.push(TextChannel::Reasoning, &text),
            Some(Ok(Delta::ToolCall { index, bytes, .. })) => match unshown.grown(index, bytes) {
                Some(tokens) => writing(core, run, tokens),
                None => Ok(()),
            },
            Some(Ok(Delta::Reading { percent })) => reading(core, run, percent),
            Some(Ok(Delta::Adapted(adapted))) => adapt(core, run, adapted),
            Some(Ok(Delta::Warned(warned))) => warn(core, run, warned),
            Some(Ok(Delta::Unanswered(warned))) => unanswered(core, run, warned),
            Some(Ok(Delta::Finished(finished))) => {
                return batch
                    .end()
                    .map_or_else(Collected::Log, |()| Collected::Finished(Box::new(finished)));
            }
            Some(Err(error)) => {
                return batch
                    .end()
                    .map_or_else(Collected::Log, |()| Collected::Failed(error, batch.seen));
            }
            None => {
                let error =
                    ModelError::new(ModelErrorKind::Protocol, "the model's answer broke off");
                return Collected::Failed(error, batch.seen);
            }
        };
        if let Err(error) = pushed {
            return Collected::Log(error);
        }
    }
}

/// A sign of life while a long prompt is read.
fn reading(core: &Core, run: RunId, percent: u8) -> Result<(), SessionError> {
    let state = StateChanged {
        read_percent: Some(percent),
        ..StateChanged::from(RunState::ModelGenerating)
    };
    core.emitter.emit(Some(run), state).map(drop)
}

/// What is written and not shown: the count goes up, as often as text would come.
struct Unshown {
    /// When it was told last. A call of a tool is mostly short.
    told: Option<Instant>,
    /// Bytes of each call by its index.
    calls: Vec<usize>,
}

impl Unshown {
    fn of(current: &Current) -> Self {
        let whole = current.identity().dialect != "native";
        Self {
            told: (!whole).then(Instant::now),
            calls: Vec::new(),
        }
    }

    /// Tokens, when it is time to say them.
    fn grown(&mut self, index: usize, bytes: usize) -> Option<u64> {
        if self.calls.len() <= index {
            self.calls.resize(index.min(MOST_CALLS) + 1, 0);
        }
        if let Some(call) = self.calls.get_mut(index) {
            *call = bytes;
        }
        if self.told.is_some_and(|told| told.elapsed() < COUNT_TIME) {
            return None;
        }
        self.told = Some(Instant::now());
        let all: usize = self.calls.iter().sum();
        Some((all / 4) as u64)
    }
}

fn writing(core: &Core, run: RunId, tokens: u64) -> Result<(), SessionError> {
    let state = StateChanged {
        written_tokens: Some(tokens),
        ..StateChanged::from(RunState::ModelGenerating)
    };
    core.emitter.emit(Some(run), state).map(drop)
}

/// What people should know of the way to the server.
pub(crate) fn warn(core: &Core, run: RunId, warned: Warned) -> Result<(), SessionError> {
    let notice = Notice {
        level: NoticeLevel::Warning,
        kind: String::from("credential"),
        message: warned.message,
        hint: warned.hint,
    };
    core.emitter.emit(Some(run), notice).map(drop)
}

/// Nobody is there yet, and whoever waits should know.
fn unanswered(core: &Core, run: RunId, warned: Warned) -> Result<(), SessionError> {
    let notice = Notice {
        level: NoticeLevel::Warning,
        kind: String::from("no_answer"),
        message: format!("{}.", warned.message),
        hint: warned.hint,
    };
    core.emitter.emit(Some(run), notice).map(drop)
}

/// The server did not take the request as it was: people are told, and what is
/// sent from now on is on the record.
pub(crate) fn adapt(core: &Core, run: RunId, adapted: Adapted) -> Result<(), SessionError> {
    let notice = Notice {
        level: NoticeLevel::Warning,
        kind: String::from("adapted"),
        message: adapted.message,
        hint: adapted.hint,
    };
    core.emitter.emit(Some(run), notice)?;
    // What is sent from now on has another size.
    core.meter.forget();
    context::compile(core, Cause::Adapted)
}

async fn until(deadline: Option<Instant>) {
    match deadline {
        Some(deadline) => tokio::time::sleep_until(deadline).await,
        None => std::future::pending().await,
    }
}
