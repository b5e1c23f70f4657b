//! Asks one hook, turns a failure into what it means, and puts all of it on the
//! record.

use super::answer::{Answer, Decision};
use super::command::{self, Reply};
use super::input::{CallInput, Circumstances, input};
use crate::core::Core;
use crate::run::{End, Flow, Run};
use serde_json::{Map, Value};
use std::time::Duration;
use tenon_vocab::profile::{HookEvent, HookSpec};
use tenon_vocab::{HookFired, Notice, NoticeLevel, RunId};
use tokio_util::sync::CancellationToken;

/// For whom hooks are asked: a run, or the session as it ends.
#[derive(Clone, Copy)]
pub(super) struct Scene<'a> {
    pub core: &'a Core,
    pub run: Option<RunId>,
    pub token: &'a CancellationToken,
}

impl<'a> From<&'a Run> for Scene<'a> {
    fn from(run: &'a Run) -> Self {
        Self {
            core: &run.core,
            run: Some(run.id),
            token: &run.token,
        }
    }
}

/// What a hook had to say, once failures are turned into what they mean.
#[derive(Debug, Clone)]
pub(super) struct Word {
    pub decision: Decision,
    pub message: Option<String>,
    pub patch: Option<Map<String, Value>>,
}

impl Word {
    /// Why it blocks, for people and for the model.
    pub fn reason(&self, hook: &HookSpec) -> String {
        let name = &hook.name;
        match &self.message {
            Some(message) => format!("the hook `{name}` blocked it: {message}"),
            None => format!("the hook `{name}` blocked it and gave no reason"),
        }
    }
}

impl Scene<'_> {
    /// The input that all hooks of an event get.
    pub fn input(&self, event: HookEvent, call: Option<CallInput<'_>>) -> Map<String, Value> {
        let place = Circumstances {
            session: self.core.emitter.state(|state| state.meta().id.to_string()),
            run: self.run.map(|run| run.to_string()),
            agent: self.core.agent().name().to_owned(),
            root: self.core.workspace.root().to_string_lossy().into_owned(),
        };
        input(event, &place, call)
    }

    /// Asks one hook.
    ///
    /// # Errors
    /// Only when it was interrupted.
    pub async fn fire(&self, hook: &HookSpec, input: &Value) -> Flow<Word> {
        self.fire_checked(hook, input, |_| Ok(())).await
    }

    /// Asks one hook. An answer in which `check` finds something wrong is none,
    /// and goes on the record as a failure, with the reason.
    ///
    /// # Errors
    /// Only when it was interrupted.
    pub async fn fire_checked(
        &self,
        hook: &HookSpec,
        input: &Value,
        check: impl FnOnce(&Answer) -> Result<(), String>,
    ) -> Flow<Word> {
        let root = self.core.workspace.root();
        let mut asked = command::ask(&self.core.jobs, root, hook, input, self.token).await;
        if let Reply::Answer(answer) = &asked.reply
            && let Err(why) = check(answer)
        {
            asked.reply = Reply::Failed(why);
        }
        let (result, message) = match &asked.reply {
            Reply::Answer(answer) => (result(answer.decision), answer.message.clone()),
            Reply::Failed(why) => ("failed", Some(why.clone())),
            Reply::Interrupted => ("failed", Some(String::from("interrupted"))),
        };
        record(
            self.core,
            self.run,
            Fired {
                event: hook.event,
                hook: &hook.name,
                result,
                message,
                duration: asked.duration,
            },
        );
        match asked.reply {
            Reply::Interrupted => Err(End::Interrupted),
            Reply::Failed(why) => Ok(self.failed(hook, &why)),
            Reply::Answer(answer) => Ok(self.answered(hook, answer)),
        }
    }

    /// A hook that failed is passed over, and that is said; one that is required
    /// blocks (H1).
    fn failed(&self, hook: &HookSpec, why: &str) -> Word {
        let name = &hook.name;
        if hook.required {
            return Word {
                decision: Decision::Block,
                message: Some(format!("it failed ({why}) and is required")),
                patch: None,
            };
        }
        self.warn(
            format!(
                "The hook `{name}` ({}) failed and was skipped: {why}.",
                hook.event.name()
            ),
            Some("With `required` set, a hook that fails blocks instead."),
        );
        Word {
            decision: Decision::Pass,
            message: None,
            patch: None,
        }
    }

    fn answered(&self, hook: &HookSpec, answer: Answer) -> Word {
        if answer.decision == Decision::Warn
            && let Some(message) = &answer.message
        {
            self.warn(format!("{}: {message}", hook.name), None);
        }
        Word {
            decision: answer.decision,
            message: answer.message,
            patch: answer.patch,
        }
    }

    fn warn(&self, message: String, hint: Option<&str>) {
        let notice = Notice {
            level: NoticeLevel::Warning,
            kind: String::from("hook"),
            message,
            hint: hint.map(str::to_owned),
        };
        self.core.emit_or_end(self.run, notice);
    }
}

fn result(decision: Decision) -> &'static str {
    match decision {
        Decision::Pass | Decision::Allow => "pass",
        Decision::Warn => "warn",
        Decision::Block => "block",
    }
}

pub(super) struct Fired<'a> {
    pub event: HookEvent,
    pub hook: &'a str,
    pub result: &'static str,
    pub message: Option<String>,
    pub duration: Duration,
}

pub(super) fn record(core: &Core, run: Option<RunId>, fired: Fired<'_>) {
    let event = HookFired {
        event: fired.event.name().to_owned(),
        hook: fired.hook.to_owned(),
        result: fired.result.to_owned(),
        message: fired.message,
        duration_ms: u64::try_from(fired.duration.as_millis()).unwrap_or(u64::MAX),
    };
    core.emit_or_end(run, event);
}
