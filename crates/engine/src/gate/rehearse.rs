//! What a call would end with whoever allowed it: a change that cannot be made,
//! or that is there already. The model is told at once, and nobody is asked
//! (G23). And what no call may tell: what is in a file whose reading is not
//! allowed. An edit of it that fails would say so, and one that moves it would
//! show it under a name that may be read.

use super::{Case, Verdict, admit_paths};
use crate::core::Core;
use crate::host::CallHost;
use crate::run::Run;
use crate::{hooks, mask};
use tenon_policy::{Access, Facts, PathFact, Subject, decide};
use tenon_tools::Tool;
use tenon_tools::workspace::sha256;
use tenon_vocab::names::tool;
use tenon_vocab::profile::StaleWrites;
use tenon_vocab::{CallId, CallStatus, Class, Effect, ErrorCode, ToolOutput};

/// The result of a call that needs no answer, because no answer would change it.
pub(super) async fn settled(run: &Run, call: &CallId, case: &Case) -> Option<Verdict> {
    let output = match case.explanation.class {
        Class::Ask | Class::Confirm => outcome(run, call, case).await?,
        Class::Allow => untold(&run.core, &case.facts)?,
        Class::Deny | Class::HardDeny => return None,
    };
    let mut output = mask::output(&run.core, &case.facts.tool, output);
    let input = &case.ready.input;
    for note in hooks::after_call(run, call, &case.facts, input, &output).await {
        output.model_text.push_str("\n\n");
        output.model_text.push_str(&note);
    }
    Some(Verdict::Refuse {
        output: Box::new(output),
        status: CallStatus::Completed,
        explanation: None,
    })
}

async fn outcome(run: &Run, call: &CallId, case: &Case) -> Option<ToolOutput> {
    let Case { ready, facts, .. } = case;
    let core = &run.core;
    let view = admit_paths(&core.workspace, facts);
    if !changes_files(facts) {
        return ready.tool.obstacle(&ready.input, &view, &core.jobs);
    }
    let Subject::Paths(paths) = &facts.subject else {
        return None;
    };
    if let Some(path) = paths.iter().find(|path| !may_be_told(core, path)) {
        return unread(core, &facts.tool, path);
    }
    let (view, rehearsal) = view.rehearsing();
    let limits = core.tool_limits.clone();
    let token = run.token.child_token();
    let name = facts.tool.clone();
    let host = CallHost::new(run, call.clone(), name, token, &view, limits);
    let output = ready.tool.run(ready.input.clone(), &host).await;
    (!rehearsal.would_change()).then_some(output)
}

fn changes_files(facts: &Facts) -> bool {
    matches!(facts.tool.as_str(), tool::WRITE | tool::EDIT | tool::PATCH)
}

/// The refusal of a change that a rule or a mode allows, of a file that the model
/// may not hear of.
fn untold(core: &Core, facts: &Facts) -> Option<ToolOutput> {
    let Subject::Paths(paths) = &facts.subject else {
        return None;
    };
    let mut paths = paths.iter().filter(|_| changes_files(facts));
    let path = paths.find(|path| !may_be_told(core, path))?;
    unread(core, &facts.tool, path)
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

/// A change of a file that the model has not read, and may not read unasked:
/// nothing of it is said. Only a file that is written whole needs not be read,
/// where the configuration says so.
fn unread(core: &Core, name: &str, path: &PathFact) -> Option<ToolOutput> {
    let is_free = name == tool::WRITE && core.tool_limits.stale_writes == StaleWrites::Permit;
    let refusal = || {
        let text = format!(
            "`{}` was not read in this session; nothing was changed. `read` it first.",
            path.path
        );
        ToolOutput::error(ErrorCode::Stale, text)
    };
    (!is_free).then(refusal)
}

/// Whether the model has not seen a file as it is now, so that its change is
/// refused when its turn comes.
pub(super) fn is_stale(core: &Core, tool_of: &dyn Tool, facts: &Facts) -> bool {
    let name = tool_of.spec().name.as_str();
    let Subject::Paths(paths) = &facts.subject else {
        return false;
    };
    if core.tool_limits.stale_writes == StaleWrites::Permit || name == tool::PATCH {
        return false;
    }
    paths.iter().filter(|path| path.exists).any(|path| {
        match core.workspace.ledger().get(&path.path) {
            None => name == tool::WRITE,
            Some(known) => {
                let now = core.workspace.read(&path.path);
                now.is_ok_and(|now| sha256(&now.bytes) != known)
            }
        }
    })
}
