//! One session at work: takes what the inbox holds, one run after the other,
//! until it is shut down.

use crate::context::{self, Cause, Context};
use crate::core::Core;
use crate::hooks;
use crate::inbox::{self, Work};
use crate::parts::Parts;
use crate::queries::Queries;
use crate::run::{self, Run};
use crate::wake::Wake;
use crate::{mode, notes, small, switch, title, undo, wake};
use futures_util::FutureExt;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use tenon_session::SessionError;
use tenon_tools::jobs::{Repair, RepairEffect};
use tenon_vocab::notice;
use tenon_vocab::port::{BoxFuture, CommandSink, Handle};
use tenon_vocab::{
    Command, JobAction, JobEvent, Notice, NoticeLevel, Outcome, RunFinished, RunState, SessionId,
    StateChanged, Switch, Usage,
};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

/// The engine of one session.
#[derive(Debug)]
pub struct Engine;

struct Commands(mpsc::UnboundedSender<Command>);

impl CommandSink for Commands {
    fn send(&self, command: Command) {
        // After the engine has ended nobody receives, and nothing is lost by it.
        let _ = self.0.send(command);
    }
}

impl Engine {
    /// Makes a session's engine: the handle for a front end, and the future that
    /// does the work. It ends after `Shutdown`, or when the handle's commands
    /// are dropped.
    #[must_use]
    pub fn prepare(session: SessionId, mut parts: Parts) -> (Handle, BoxFuture<'static, ()>) {
        let said = |kind: &'static str| move |remark: String| (kind, remark);
        let known = std::mem::take(&mut parts.known).into_iter();
        let remarks = std::mem::take(&mut parts.remarks).into_iter();
        let remarks: Vec<_> = known
            .map(said(notice::KNOWN))
            .chain(remarks.map(said(notice::START)))
            .collect();
        let core = Arc::new(Core::new(parts));
        let (sender, receiver) = mpsc::unbounded_channel();
        let handle = Handle {
            session,
            events: Box::new(core.emitter.subscribe()),
            commands: Arc::new(Commands(sender)),
            queries: Arc::new(Queries(Arc::downgrade(&core))),
        };
        (handle, Box::pin(serve(core, receiver, remarks)))
    }

    /// Starts it on the current runtime. Must be called inside one.
    #[must_use]
    pub fn start(session: SessionId, parts: Parts) -> Handle {
        let (handle, work) = Self::prepare(session, parts);
        tokio::spawn(work);
        handle
    }
}

async fn serve(
    core: Arc<Core>,
    commands: mpsc::UnboundedReceiver<Command>,
    remarks: Vec<(&'static str, String)>,
) {
    watch_jobs(&core);
    let inbox = tokio::spawn(inbox::receive(Arc::clone(&core), commands));
    if let Err(error) = open(&core) {
        // Without its prefix in the log nothing of a run could be kept whole.
        refuse(&core, &error);
    }
    notes::look_ahead(&core);
    for (kind, remark) in remarks {
        if core.inbox.shutdown.is_cancelled() {
            break;
        }
        core.notice(None, NoticeLevel::Info, kind, remark);
    }
    for said in &core.masked_rules {
        core.notice(None, NoticeLevel::Warning, "rules", said.clone());
    }
    small::tell(&core, None);
    let mut context = Context::default();
    while let Some((work, token)) = core.inbox.next().await {
        let is_prompt = matches!(work, Work::Prompt { .. });
        context = one(&core, work, token, context).await;
        if is_prompt {
            title::begin(&core);
        }
        core.inbox.run_over();
        idle(&core);
        small::tell_when_known(&core);
        wake::if_due(&core);
    }
    inbox.abort();
    core.keeper.end().await;
    hooks::session_ended(&core).await;
    let ended = core.jobs.shutdown().await;
    if !ended.is_empty() && !core.emitter.is_broken() {
        let names: Vec<String> = ended
            .iter()
            .map(|job| format!("{} ({})", job.id, job.command))
            .collect();
        core.notice(
            None,
            NoticeLevel::Info,
            "jobs_ended",
            format!(
                "Background processes ended with the session: {}.",
                names.join(", ")
            ),
        );
    }
    core.emitter.close();
}

/// The session cannot be written from its first word on: says so, tells every
/// front end that nothing will run, and ends.
fn refuse(core: &Core, error: &SessionError) {
    let notice = Notice {
        level: NoticeLevel::Error,
        kind: String::from("log"),
        message: error.to_string(),
        hint: None,
    };
    core.emitter.publish_only(None, notice.into());
    let finished = RunFinished {
        outcome: Outcome::Failed,
        reason: Some(error.to_string()),
        steps: 0,
        calls: 0,
        failed_calls: 0,
        denied_calls: 0,
        usage: Usage::default(),
        cost: None,
        duration_ms: 0,
        snapshot: None,
    };
    core.emitter.publish_only(None, finished.into());
    core.inbox.shutdown.cancel();
}

/// Records the settings and the prefix, where they are not those of the log.
fn open(core: &Core) -> Result<(), SessionError> {
    let known = core.emitter.state(|state| state.settings().cloned());
    let mut settings = core.settings.clone();
    settings.permission_mode = settings.permission_mode.with_agent(&settings.agent_name);
    if let Some(known) = &known {
        settings.title = settings.title.or_else(|| known.title.clone());
        settings.pinned |= known.pinned;
    }
    if known.as_ref() != Some(&settings) {
        core.emitter.emit(None, settings)?;
    }
    context::compile(core, Cause::Opened)
}

/// One run; a panic in it is contained and still leaves a whole log.
async fn one(core: &Arc<Core>, work: Work, token: CancellationToken, context: Context) -> Context {
    let work = match work {
        Work::Switch(wanted) => {
            change(core, wanted, &token).await;
            return context;
        }
        Work::Mode(wanted) => {
            mode::enter(core, wanted, &token).await;
            return context;
        }
        Work::Undo => {
            undo::undo(core).await;
            return context;
        }
        Work::Redo => {
            undo::redo(core).await;
            return context;
        }
        Work::Revert { message } => {
            undo::revert(core, message).await;
            return context;
        }
        other => other,
    };
    let run = Run::new(Arc::clone(core), token.clone(), context);
    let id = run.id;
    match AssertUnwindSafe(run::execute(run, work))
        .catch_unwind()
        .await
    {
        Ok(context) => context,
        Err(_) => {
            let mut broken = Run::new(Arc::clone(core), token, Context::default());
            broken.id = id;
            let reason =
                String::from("the engine crashed; this is a bug, and the session can be resumed");
            core.notice(Some(id), NoticeLevel::Error, "internal", reason.clone());
            run::finish(&mut broken, Err(run::End::Told(reason)));
            broken.context
        }
    }
}

/// Another model. What makes it is not ours, so a panic in it is contained, too.
async fn change(core: &Arc<Core>, wanted: Switch, token: &CancellationToken) {
    let changed = AssertUnwindSafe(switch::apply(core, wanted, token))
        .catch_unwind()
        .await;
    if changed.is_err() {
        let reason = "Changing the model crashed. This is a bug; the old model stays.";
        core.notice(None, NoticeLevel::Error, notice::NOT_SWITCHED, reason);
    }
}

fn idle(core: &Core) {
    let _ = core.emitter.emit(None, StateChanged::from(RunState::Idle));
}

fn watch_jobs(core: &Arc<Core>) {
    let weak = Arc::downgrade(core);
    core.jobs.on_change(Arc::new(move |event: JobEvent| {
        if let Some(core) = weak.upgrade() {
            let has_ended = event.action == JobAction::Exited;
            core.emit_or_end(None, event);
            if has_ended {
                wake_soon(core);
            }
        }
    }));
    let weak = Arc::downgrade(core);
    core.jobs.on_repair(Arc::new(move |repair: &Repair| {
        if let Some(core) = weak.upgrade() {
            core.emit_or_end(None, repaired(repair));
        }
    }));
}

/// When its end is known to all: the listener is told of it before that.
fn wake_soon(core: Arc<Core>) {
    if core.given.wake == Wake::Never {
        return;
    }
    tokio::spawn(async move {
        core.jobs.settled().await;
        wake::if_due(&core);
    });
}

/// The result tells the model. A person must know too: what was set aside may
/// be a file of theirs, which seems to vanish.
pub(crate) fn repaired(repair: &Repair) -> Notice {
    Notice {
        level: NoticeLevel::Warning,
        kind: String::from("protected"),
        message: repair.text.clone(),
        // What stayed needs no way back.
        hint: (repair.effect == RepairEffect::Undone).then(|| String::from(
            "While a command runs, files that tell Tenon, git or a shell what to run must not change. If you made this change, make it again (or rename the file back) when the command has ended.",
        )),
    }
}
