//! A call that no model made: a line of the user's own, a mention, a tool that is
//! tried by hand.

use super::{Done, settle_all, unless_interrupted};
use crate::guard::RepeatGuard;
use crate::run::{End, Flow, Run};
use crate::schedule::{Leave, Planned};
use crate::step::Ending;
use crate::{gate, schedule, todo};
use tenon_vocab::{CallForm, CallId, ToolCallPart};

/// It passes the same gate and is recorded like any other. But what became of it
/// is nothing that the model did: it moves none of the limits of the model's
/// calls, and none of them ends the run for it.
pub(crate) async fn by_user(
    run: &mut Run,
    id: CallId,
    tool: &str,
    input: String,
    leave: Leave,
) -> Flow<Done> {
    let done = to_its_end(run, id, tool, input, leave).await?;
    unless_interrupted(run)?;
    Ok(done)
}

/// The same for whoever wants what it gave also where the run was interrupted
/// during it.
pub(crate) async fn to_its_end(
    run: &mut Run,
    id: CallId,
    tool: &str,
    input: String,
    leave: Leave,
) -> Flow<Done> {
    let call = ToolCallPart {
        id,
        name: tool.to_owned(),
        arguments: input,
        form: CallForm::Native,
    };
    let models = Standing::take(run);
    let done = alone(run, &call, leave).await;
    models.put_back(run);
    done
}

async fn alone(run: &mut Run, call: &ToolCallPart, leave: Leave) -> Flow<Done> {
    let planned = Planned {
        leave,
        ..schedule::plan(&run.core, call, Ending::WHOLE)
    };
    let admitted = gate::admit(run, vec![planned], &mut gate::CallQueue::default()).await?;
    let (done, _) = settle_all(run, admitted).await?;
    let none = || End::Failed(String::from("the call gave no result"));
    done.into_iter().next().ok_or_else(none)
}

/// Where the model stands with its limits.
struct Standing {
    failures: u32,
    unreadable: u32,
    denied: Option<String>,
    guard: RepeatGuard,
    todo_first: todo::First,
}

impl Standing {
    fn take(run: &mut Run) -> Self {
        let limits = &run.core.limits;
        let fresh = RepeatGuard::new(limits.repeat_warn, limits.repeat_stop);
        Self {
            failures: run.tally.failures_in_a_row,
            unreadable: run.tally.unreadable_in_a_row,
            denied: run.tally.last_denied.take(),
            guard: std::mem::replace(&mut run.guard, fresh),
            todo_first: std::mem::take(&mut run.todo_first),
        }
    }

    fn put_back(self, run: &mut Run) {
        run.tally.failures_in_a_row = self.failures;
        run.tally.unreadable_in_a_row = self.unreadable;
        run.tally.last_denied = self.denied;
        run.guard = self.guard;
        run.todo_first = self.todo_first;
    }
}
