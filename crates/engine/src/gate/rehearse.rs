//! What a call would end with whoever allowed it: a change that cannot be made,
//! or that is there already. The model is told at once, and nobody is asked
//! (G23). And what no call may tell: what is in a file whose reading is not
//! allowed. An edit of it that fails would say so, and one that moves it would
//! show it under a name that may be read.

use super::{Case, admit_paths};
use crate::calls;
use crate::core::Core;
use crate::run::{End, Flow, Run};
use tenon_policy::{Access, Facts, PathFact, Subject, decide};
use tenon_tools::FileUse;
use tenon_tools::workspace::unread;
use tenon_vocab::names::tool;
use tenon_vocab::profile::StaleWrites;
use tenon_vocab::{CallId, Class, Effect, ErrorCode, ToolOutput};

/// What a call ends with that needs no answer, because no answer would change it.
pub(super) async fn outcome(run: &Run, call: &CallId, case: &Case) -> Flow<Option<ToolOutput>> {
    let Case { ready, facts, .. } = case;
    let core = &run.core;
    let file_use = ready.tool.file_use();
    let is_asked = match case.explanation.class {
        Class::Ask | Class::Confirm => true,
        Class::Allow => false,
        Class::Deny | Class::HardDeny => return Ok(None),
    };
    let view = admit_paths(&core.workspace, facts);
    if !file_use.is_rehearsed() {
        let look = || {
            let (input, limits) = (&ready.input, &core.tool_limits);
            ready.tool.obstacle(input, &view, &core.jobs, limits)
        };
        return Ok(is_asked.then(look).flatten());
    }
    let Subject::Paths(paths) = &facts.subject else {
        return Ok(None);
    };
    if let Some(path) = paths.iter().find(|path| !may_be_told(core, path)) {
        return Ok(untold(core, file_use, path));
    }
    if !is_asked {
        return Ok(None);
    }
    let (view, rehearsal) = view.rehearsing();
    let output = calls::rehearse(run, call, ready, &view).await;
    if run.token.is_cancelled() {
        return Err(End::Interrupted);
    }
    Ok((!rehearsal.would_change()).then_some(output))
}

/// Whether the model may hear what is in a file: it has read it, or may read it
/// without a question. An error says what stands there.
fn may_be_told(core: &Core, path: &PathFact) -> bool {
    let is_known = core.workspace.ledger().get(&path.path).is_some();
    if !path.exists || is_known {
        return true;
    }
    let read = PathFact {
        access: Access::Read,
        ..path.clone()
    };
    let facts = Facts {
        tool: tool::READ.to_owned(),
        effect: Effect::Read,
        subject: Subject::Paths(vec![read]),
        input: String::new(),
    };
    let agent = core.agent();
    let authority = core.authority(&agent.profile);
    let now = core.ambient.now();
    decide(&facts, &core.rules, &core.grants(), &authority, now).class == Class::Allow
}

/// The refusal of a change of a file that the model has not read, and may not
/// read unasked: nothing of it is said. Only a file that is written whole needs
/// not be read, where the configuration says so.
fn untold(core: &Core, file_use: FileUse, path: &PathFact) -> Option<ToolOutput> {
    let is_free =
        file_use == FileUse::Overwrites && core.tool_limits.stale_writes == StaleWrites::Permit;
    (!is_free).then(|| ToolOutput::error(ErrorCode::Stale, unread(&path.path)))
}
