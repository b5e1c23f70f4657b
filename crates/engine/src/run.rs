//! The loop. One prompt comes in; the model is asked, its calls pass the gate
//! and run, their results go back, until there is nothing left to do.

use crate::asking::{Author, Saying, say};
use crate::context::Context;
use crate::core::Core;
use crate::guard::RepeatGuard;
use crate::hooks::{self, Stopping};
use crate::inbox::Work;
use crate::parts::Approval;
use crate::{calls, checkpoint, compact, custom, gate, next, pages, schedule, shell, step, todo};
use std::fmt;
use std::sync::Arc;
use tenon_session::SessionError;
use tenon_vocab::{
    Cost, EventKind, Interrupted, NoticeLevel, Origin, Outcome, Part, RunFinished, RunId,
    RunOrigin, RunStarted, RunState, StateChanged, TodoItem, Usage,
};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// Characters of the prompt that a list shows.
const PROMPT_PREVIEW: usize = 200;

/// Why a run ended before its work was done.
#[derive(Debug)]
pub(crate) enum End {
    Interrupted,
    Failed(String),
    /// Failed, and a notice has already said why.
    Told(String),
    Limit(String),
    Loop(String),
    Filtered(String),
    /// A hook said no.
    Blocked(String),
    /// The log cannot be written: nothing more can be recorded.
    Log(SessionError),
}

impl fmt::Display for End {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Interrupted => f.write_str("interrupted"),
            Self::Failed(reason)
            | Self::Told(reason)
            | Self::Limit(reason)
            | Self::Loop(reason)
            | Self::Filtered(reason)
            | Self::Blocked(reason) => f.write_str(reason),
            Self::Log(error) => error.fmt(f),
        }
    }
}

impl End {
    fn outcome(&self) -> Outcome {
        match self {
            Self::Interrupted => Outcome::Interrupted,
            Self::Failed(_) | Self::Told(_) | Self::Log(_) => Outcome::Failed,
            Self::Limit(_) => Outcome::Limit,
            Self::Loop(_) => Outcome::Loop,
            Self::Filtered(_) => Outcome::Filtered,
            Self::Blocked(_) => Outcome::Denied,
        }
    }

    /// Whether the user has yet to be told why.
    fn is_news(&self) -> bool {
        matches!(
            self,
            Self::Failed(_) | Self::Limit(_) | Self::Loop(_) | Self::Blocked(_)
        )
    }
}

impl From<SessionError> for End {
    fn from(error: SessionError) -> Self {
        Self::Log(error)
    }
}

pub(crate) type Flow<T> = Result<T, End>;

/// What a run counts.
#[derive(Debug, Default)]
pub(crate) struct Tally {
    pub(crate) steps: u32,
    pub(crate) calls: u32,
    pub(crate) failed: u32,
    pub(crate) denied: u32,
    pub(crate) usage: Usage,
    /// `None` where no price is known.
    pub(crate) cost: Option<Cost>,
    /// Failures without a success in between (E6).
    pub(crate) failures_in_a_row: u32,
    /// Those of them that were replies in no known format.
    pub(crate) unreadable_in_a_row: u32,
    /// The last call of the run was denied: what the model then says is giving up.
    pub(crate) last_denied: Option<String>,
}

pub(crate) struct Run {
    pub(crate) core: Arc<Core>,
    pub(crate) id: RunId,
    pub(crate) token: CancellationToken,
    pub(crate) context: Context,
    pub(crate) tally: Tally,
    pub(crate) guard: RepeatGuard,
    pub(crate) batch: u32,
    /// How often a hook has kept this run going.
    pub(crate) continuations: u32,
    /// Whether this task must begin with a list.
    pub(crate) todo_first: todo::First,
    /// Who reads what the calls of this run give.
    pub(crate) reader: pages::Reader,
    /// Tokens of a message that is being put together.
    pub(crate) unsent: u64,
    /// The list that was begun for the model in this run.
    pub(crate) starter: Option<TodoItem>,
    started: Instant,
}

impl Run {
    pub(crate) fn new(core: Arc<Core>, token: CancellationToken, context: Context) -> Self {
        let guard = RepeatGuard::new(core.limits.repeat_warn, core.limits.repeat_stop);
        let id = core.ambient.run_id();
        Self {
            core,
            id,
            token,
            context,
            tally: Tally::default(),
            guard,
            batch: 0,
            continuations: 0,
            todo_first: todo::First::default(),
            reader: pages::Reader::default(),
            unsent: 0,
            starter: None,
            started: Instant::now(),
        }
    }

    pub(crate) fn emit(&self, kind: impl Into<EventKind>) -> Flow<u64> {
        Ok(self.core.emitter.emit(Some(self.id), kind)?)
    }

    /// Only for the eye; cannot fail.
    pub(crate) fn state(&self, state: RunState) {
        let _ = self
            .core
            .emitter
            .emit(Some(self.id), StateChanged::from(state));
    }

    /// Failures in a row that end the run (E6): fewer with a person in front,
    /// who can help.
    pub(crate) fn failure_limit(&self) -> (u32, &'static str) {
        let limits = &self.core.limits;
        match self.core.approval {
            Approval::Ask => (limits.max_retries, "limits.max_retries"),
            _ => (limits.max_retries_automated, "limits.max_retries_automated"),
        }
    }

    /// Counts a step against its limit (E14).
    pub(crate) fn begin_step(&mut self) -> Flow<()> {
        let limit = self
            .core
            .agent()
            .profile
            .max_steps
            .unwrap_or(u32::MAX)
            .min(self.core.limits.max_turns);
        if self.tally.steps >= limit {
            return Err(End::Limit(format!(
                "reached the limit of {limit} steps for one prompt; send another prompt to continue, or raise `limits.max_turns`"
            )));
        }
        self.tally.steps += 1;
        Ok(())
    }
}

/// Does one piece of work, from `run_started` to exactly one `run_finished`, and
/// gives the context back for the next run.
pub(crate) async fn execute(mut run: Run, work: Work) -> Context {
    let result = match work {
        Work::Prompt {
            text,
            attachments,
            origin,
            skill,
        } => drive(&mut run, text, attachments, origin, skill).await,
        Work::Custom {
            name,
            arguments,
            origin,
        } => command(&mut run, &name, &arguments, origin).await,
        Work::Shell { command } => shell::run(&mut run, command).await,
        Work::Compact { focus } => compact::by_hand(&mut run, focus).await,
        // Done without a run.
        Work::Switch(_) | Work::Mode(_) | Work::Undo | Work::Redo | Work::Revert { .. } => Ok(()),
    };
    checkpoint::run_over(&run.core, run.id).await;
    let result = match todo::take_back(&mut run) {
        Err(end) if result.is_ok() => Err(end),
        _ => result,
    };
    finish(&mut run, result);
    run.context
}

async fn drive(
    run: &mut Run,
    text: String,
    attachments: Vec<Part>,
    origin: RunOrigin,
    skill: Option<String>,
) -> Flow<()> {
    begin(run, &text, origin)?;
    hooks::session_started(run).await?;
    let (from, author) = match origin {
        RunOrigin::Job => (Origin::Rule, Author::Template),
        _ => (Origin::User, Author::User),
    };
    let saying = Saying {
        text,
        attachments,
        skill,
        origin: from,
        author,
    };
    say(run, saying).await?;
    converse(run).await
}

/// A command of the user's own: its template becomes the prompt.
async fn command(run: &mut Run, name: &str, arguments: &str, origin: RunOrigin) -> Flow<()> {
    begin(run, format!("/{name} {arguments}").trim_end(), origin)?;
    hooks::session_started(run).await?;
    let command = custom::find(&run.core, name)
        .cloned()
        .map_err(End::Failed)?;
    let text = custom::prompt(run, &command, arguments).await?;
    let saying = Saying {
        text,
        attachments: Vec::new(),
        skill: None,
        origin: Origin::User,
        author: Author::Template,
    };
    say(run, saying).await?;
    converse(run).await
}

async fn converse(run: &mut Run) -> Flow<()> {
    checkpoint::prepare(&run.core);
    run.core.jobs.look_ahead();
    loop {
        compact::if_due(run).await?;
        hooks::before_request(run).await?;
        let reply = step::ask(run).await?;
        hooks::after_response(run).await?;
        let mut queue = gate::CallQueue::of(schedule::batches(&run.core, &reply));
        while let Some(batch) = queue.next_batch() {
            let admitted = gate::admit(run, batch, &mut queue).await?;
            calls::execute(run, admitted).await?;
        }
        if next::step(run, &reply).await? == next::Next::Finish
            && hooks::stopping(run).await? == Stopping::Stop
        {
            return Ok(());
        }
    }
}

pub(crate) fn begin(run: &Run, prompt: &str, origin: RunOrigin) -> Flow<()> {
    run.emit(RunStarted {
        prompt: prompt.chars().take(PROMPT_PREVIEW).collect(),
        origin,
    })?;
    run.core.compaction.run_begins();
    run.state(RunState::Planning);
    Ok(())
}

/// Settles a run whatever way it ended: one result for each open call, then
/// `interrupted` where it was, then `run_finished`, once.
pub(crate) fn finish(run: &mut Run, result: Flow<()>) {
    let (outcome, reason) = match &result {
        Ok(()) => match run.tally.last_denied.take() {
            None => (Outcome::Completed, None),
            Some(reason) => (Outcome::Denied, Some(reason)),
        },
        Err(End::Interrupted) => (Outcome::Interrupted, None),
        Err(end) => (end.outcome(), Some(end.to_string())),
    };
    if let Err(end) = &result
        && end.is_news()
    {
        run.core
            .notice(Some(run.id), NoticeLevel::Error, "stopped", end.to_string());
    }
    run.core.hooks.run_ended(outcome);
    let settled = settle(run, outcome, reason.clone());
    if settled.is_err() {
        // The log is gone; the front ends must still learn that it is over.
        let finished = finished(run, Outcome::Failed, reason, None);
        run.core.emitter.publish_only(Some(run.id), finished.into());
        run.core.inbox.shutdown.cancel();
    }
    run.state(match outcome {
        Outcome::Failed => RunState::Error,
        _ => RunState::Done,
    });
}

fn settle(run: &Run, outcome: Outcome, reason: Option<String>) -> Flow<()> {
    calls::close_open(run, outcome)?;
    if outcome == Outcome::Interrupted {
        let by = if run.core.inbox.shutdown.is_cancelled() {
            Interrupted::SHUTDOWN
        } else {
            Interrupted::USER
        };
        run.emit(Interrupted { by: by.to_owned() })?;
    }
    let snapshot = run.core.emitter.snapshot_if_due()?;
    run.emit(finished(run, outcome, reason, snapshot))?;
    Ok(run.core.emitter.sync()?)
}

fn finished(
    run: &Run,
    outcome: Outcome,
    reason: Option<String>,
    snapshot: Option<u64>,
) -> RunFinished {
    RunFinished {
        outcome,
        reason,
        steps: run.tally.steps,
        calls: run.tally.calls,
        failed_calls: run.tally.failed,
        denied_calls: run.tally.denied,
        usage: run.tally.usage,
        cost: run.tally.cost,
        duration_ms: u64::try_from(run.started.elapsed().as_millis()).unwrap_or(u64::MAX),
        snapshot,
    }
}
