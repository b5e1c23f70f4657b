//! Starts an admitted call on a task of its own, with what has to be looked at
//! around it.

use crate::checkpoint::{self, Losses};
use crate::gate::{Admitted, Verdict};
use crate::host::{CallHost, Watch};
use crate::run::{Flow, Run};
use crate::schedule::Ready;
use serde_json::Value;
use std::sync::Arc;
use tenon_policy::Facts;
use tenon_tools::{Tool, ToolLimits, Workspace};
use tenon_vocab::{CallId, Effect, Explanation, RunState, ToolOutput, ToolUse};
use tokio::task::JoinHandle;
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

/// A call that runs.
pub(super) struct Running {
    pub(super) handle: JoinHandle<ToolOutput>,
    /// Tells this call alone to stop.
    pub(super) token: CancellationToken,
    pub(super) effect: Effect,
    /// How much its result may be.
    pub(super) limits: ToolLimits,
    pub(super) started: Instant,
}

/// A call that may run, as it was admitted.
pub(super) struct Admission<'a> {
    pub(super) call: &'a CallId,
    pub(super) name: &'a str,
    pub(super) tool: &'a Arc<dyn Tool>,
    pub(super) input: &'a Value,
    pub(super) facts: &'a Facts,
    pub(super) explanation: &'a Explanation,
    pub(super) workspace: &'a Workspace,
    pub(super) limits: &'a ToolLimits,
}

/// Starts a call that was admitted; a refused one has nothing to start.
pub(super) fn start(run: &Run, admitted: &Admitted, limits: &ToolLimits) -> Flow<Option<Running>> {
    let Verdict::Run {
        tool,
        input,
        explanation,
        facts,
        workspace,
        ..
    } = &admitted.verdict
    else {
        return Ok(None);
    };
    run.state(RunState::ToolRunning);
    run.emit(ToolUse {
        call: admitted.call.clone(),
        name: admitted.name.clone(),
        input: input.clone(),
        explanation: explanation.clone(),
        batch: run.batch,
    })?;
    Ok(Some(launch(
        run,
        &Admission {
            call: &admitted.call,
            name: &admitted.name,
            tool,
            input,
            facts,
            explanation,
            workspace,
            limits,
        },
    )))
}

/// Runs what was admitted.
pub(super) fn launch(run: &Run, admission: &Admission<'_>) -> Running {
    let Admission {
        call: id,
        name,
        tool,
        input,
        facts,
        explanation,
        workspace,
        limits,
    } = *admission;
    let effect = tool.spec().effect;
    // A read dies with the run; a call with effects is told, not dropped.
    let token = run.token.child_token();
    let host = CallHost::new(
        run,
        id.clone(),
        name.to_owned(),
        token.clone(),
        workspace,
        limits.clone(),
    )
    .admitted_for(facts, explanation);
    let watch = match effect {
        _ if checkpoint::is_watched(&run.core, facts, explanation) => Watch::Commands,
        Effect::Read | Effect::Interact => Watch::Nothing,
        _ => Watch::Edits,
    };
    let losses = Losses::of(facts, explanation.class);
    let call = call(Arc::clone(tool), input.clone(), host, watch, losses);
    let handle = tokio::spawn(call);
    Running {
        handle,
        token,
        effect,
        limits: limits.clone(),
        started: Instant::now(),
    }
}

/// Tries a call in a view of the workspace that stops before the first change. It
/// can be dropped like a read: it changes nothing.
pub(super) fn rehearsing(run: &Run, call: &CallId, ready: &Ready, view: &Workspace) -> Running {
    let token = run.token.child_token();
    let limits = run.core.tool_limits.clone();
    let name = ready.tool.spec().name.clone();
    let host = CallHost::new(run, call.clone(), name, token.clone(), view, limits.clone());
    let (tool, input) = (Arc::clone(&ready.tool), ready.input.clone());
    Running {
        handle: tokio::spawn(async move { tool.run(input, &host).await }),
        token,
        effect: Effect::Read,
        limits,
        started: Instant::now(),
    }
}

async fn call(
    tool: Arc<dyn Tool>,
    input: Value,
    host: CallHost,
    watch: Watch,
    losses: Losses,
) -> ToolOutput {
    let before = host.look_before(watch).await;
    let output = tool.run(input, &host).await;
    host.look_after(before, losses).await;
    output
}
