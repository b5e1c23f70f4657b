//! The only way to a tool's `run`: facts are gathered now, the policy decides,
//! hooks may narrow, whoever is in front is asked where the decision is to ask,
//! and the explanation goes to the log with the call.

mod group;
mod hint;
mod question;
mod refuse;
mod rehearse;
mod respond;

pub(crate) use group::CallQueue;

use crate::hooks::{self, Before, Permission};
use crate::parts::Effects;
use crate::recover;
use crate::run::{End, Flow, Run};
use crate::schedule::{Leave, Planned, Ready};
use crate::todo;
use respond::{Responder, responder};
use serde_json::Value;
use std::sync::Arc;
use tenon_policy::{Facts, Scope, Subject, decide};
use tenon_tools::{Tool, Workspace};
use tenon_vocab::{
    Answer, AnsweredBy, CallId, CallStatus, Choice, Class, Effect, Explanation, ToolOutput,
};

pub(crate) enum Verdict {
    Run {
        tool: Arc<dyn Tool>,
        input: Value,
        explanation: Explanation,
        /// What was known of the call when it was admitted.
        facts: Box<Facts>,
        /// The view of the workspace that this call may use.
        workspace: Workspace,
        /// What the model is to read with the result: words of hooks, and where
        /// that is which the call destroys.
        notes: Vec<String>,
    },
    Refuse {
        output: Box<ToolOutput>,
        status: CallStatus,
        explanation: Option<Explanation>,
    },
    /// How it ended without a question, whatever an answer would have been.
    Settled {
        output: Box<ToolOutput>,
        case: Box<Case>,
    },
}

pub(crate) struct Admitted {
    pub(crate) call: CallId,
    pub(crate) name: String,
    /// The arguments as the model gave them.
    pub(crate) given: String,
    pub(crate) verdict: Verdict,
}

/// Decides each call of a batch, in order. A denied call does not stop its
/// siblings; only an interrupt does.
pub(crate) async fn admit(
    run: &mut Run,
    batch: Vec<Planned>,
    queue: &mut CallQueue,
) -> Flow<Vec<Admitted>> {
    let mut admitted = Vec::with_capacity(batch.len());
    for Planned {
        call,
        name,
        given,
        ready,
        leave,
    } in batch
    {
        if run.token.is_cancelled() {
            return Err(End::Interrupted);
        }
        let verdict = match ready {
            Err(output) => Verdict::Refuse {
                output,
                status: CallStatus::Completed,
                explanation: None,
            },
            Ok(ready) if !run.core.agent().sees(&ready.tool.spec().name) => {
                refuse::unseen(run, &ready.tool.spec().name)
            }
            Ok(ready) => match todo::hold(run, &ready)? {
                Some(output) => Verdict::Refuse {
                    output: Box::new(output),
                    status: CallStatus::NotStarted,
                    explanation: None,
                },
                None => judge(run, &call, ready, leave, queue).await?,
            },
        };
        admitted.push(Admitted {
            call,
            name,
            given,
            verdict,
        });
    }
    Ok(admitted)
}

/// A call that the policy leaves open: it may run, or be asked about.
pub(crate) struct Case {
    pub(crate) ready: Ready,
    pub(crate) facts: Facts,
    explanation: Explanation,
    pub(crate) notes: Vec<String>,
}

async fn judge(
    run: &Run,
    call: &CallId,
    ready: Ready,
    leave: Leave,
    queue: &mut CallQueue,
) -> Flow<Verdict> {
    let room = room_for(leave);
    let mut case = match open(run, ready, room) {
        Ok(case) => case,
        Err(refused) => return Ok(*refused),
    };
    if is_dry_run(run, &case.facts) {
        hooks::report_built_in(run, &case.explanation);
        return Ok(match rehearse::outcome(run, call, &case).await? {
            Some(output) => settled(output, case),
            None => refuse::dry_run(run, &case.ready, case.explanation),
        });
    }
    match hooks::before_call(run, call, &mut case.ready).await? {
        Before::Nothing => {}
        Before::Blocked {
            hook,
            origin,
            reason,
        } => return Ok(refuse::by_hook(case.explanation, &hook, origin, reason)),
        // Another input, or a world that a hook has changed: from the start (H2).
        Before::Asked(notes) => {
            case = match open(run, case.ready, room) {
                Ok(case) => Case { notes, ..case },
                Err(refused) => return Ok(*refused),
            };
        }
    }
    hooks::report_built_in(run, &case.explanation);
    if let Some(output) = rehearse::outcome(run, call, &case).await? {
        return Ok(settled(output, case));
    }
    if let Some(refused) = ask(run, call, &mut case, leave, queue).await? {
        return Ok(refused);
    }
    if leave == Leave::Typed {
        case.explanation.own_line = Some(run.core.own_line());
    }
    admitted(run, call, case).await
}

fn settled(output: ToolOutput, case: Case) -> Verdict {
    Verdict::Settled {
        output: Box::new(output),
        case: Box::new(case),
    }
}

/// Whether a call may be run as one that only reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reading {
    Offered,
    /// It was tried, or whoever made the call wants it as it is.
    Excluded,
}

/// What the user typed runs as any other command, without a question.
fn room_for(leave: Leave) -> Reading {
    match leave {
        Leave::ToBeAsked => Reading::Offered,
        Leave::Typed => Reading::Excluded,
    }
}

/// A call that ran as one that only reads, and needed more: it is asked about as
/// any other command, and may then run as one. Hooks have seen it.
pub(crate) async fn once_more(
    run: &Run,
    call: &CallId,
    ready: Ready,
    needed: &str,
) -> Flow<Verdict> {
    let mut case = match open(run, ready, Reading::Excluded) {
        Ok(case) => case,
        Err(refused) => return Ok(*refused),
    };
    if case.explanation.class == Class::Ask {
        case.explanation.reason =
            format!("it ran as a command that only reads, and the sandbox stopped it: {needed}");
    }
    let mut alone = CallQueue::default();
    if let Some(refused) = ask(run, call, &mut case, Leave::ToBeAsked, &mut alone).await? {
        return Ok(refused);
    }
    admitted(run, call, case).await
}

/// Whether what a call would do is only shown.
fn is_dry_run(run: &Run, facts: &Facts) -> bool {
    run.core.effects == Effects::DryRun && matches!(facts.effect, Effect::Write | Effect::Execute)
}

/// Gathers facts and lets the policy decide; a deny ends it here.
fn open(run: &Run, ready: Ready, reading: Reading) -> Result<Case, Box<Verdict>> {
    let (facts, explanation) = decided(run, &ready, reading);
    if matches!(explanation.class, Class::HardDeny | Class::Deny) {
        return Err(Box::new(match hooks::report_built_in(run, &explanation) {
            Some(_) => refuse::by_built_in(explanation),
            None => refuse::denied(explanation, None),
        }));
    }
    Ok(Case {
        ready,
        facts,
        explanation,
        notes: Vec::new(),
    })
}

/// What a call would touch as things are now, and what the policy says of that.
fn decided(run: &Run, ready: &Ready, reading: Reading) -> (Facts, Explanation) {
    let core = &run.core;
    let facts = ready.tool.facts(&ready.input, &core.workspace);
    let agent = core.agent();
    let authority = match reading {
        Reading::Offered => core.authority_about(&agent.profile, &facts),
        Reading::Excluded => core.authority(&agent.profile),
    };
    let explanation = decide(
        &facts,
        &core.rules,
        &core.grants(),
        &authority,
        core.ambient.now(),
    );
    (facts, explanation)
}

/// Gets the yes that a call needs; gives the refusal where there is none. Hooks
/// are asked first, also where a flag would answer: they may say no to it.
async fn ask(
    run: &Run,
    call: &CallId,
    case: &mut Case,
    leave: Leave,
    queue: &mut CallQueue,
) -> Flow<Option<Verdict>> {
    let Case {
        ready,
        facts,
        explanation,
        ..
    } = case;
    let responder = responder(run.core.approval, leave, explanation);
    if responder == Responder::NotNeeded {
        return Ok(None);
    }
    match hooks::permission(run, call, ready, facts, explanation).await? {
        Permission::Open => {}
        Permission::Allowed { hook } => {
            explanation.answered_by = Some(format!("hook:{hook}"));
            return Ok(None);
        }
        Permission::Denied { hook, message } => {
            explanation.answered_by = Some(format!("hook:{hook}"));
            return Ok(Some(refuse::denied(explanation.clone(), message)));
        }
    }
    match responder {
        Responder::NotNeeded => {}
        Responder::Typed => explanation.answered_by = Some(AnsweredBy::User.name().to_owned()),
        Responder::Flag(flag) => explanation.answered_by = Some(flag.to_owned()),
        Responder::Nobody => return Ok(Some(refuse::nobody(run, facts, explanation.clone()))),
        Responder::Person => {
            let about = (&*ready, &*facts, &*explanation);
            let (answer, consent) = answered(run, call, about, leave, queue).await?;
            if answer.by == AnsweredBy::Interrupt {
                return Err(End::Interrupted);
            }
            explanation.answered_by = Some(answer.by.name().to_owned());
            if consent == Consent::No {
                let refused = refuse::by_answer(explanation.clone(), answer.by, answer.text);
                return Ok(Some(refused));
            }
        }
    }
    Ok(None)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Consent {
    Yes,
    No,
}

/// What a person says to a call: with one before it, with those behind it, or by
/// itself.
async fn answered(
    run: &Run,
    call: &CallId,
    about: (&Ready, &Facts, &Explanation),
    leave: Leave,
    queue: &mut CallQueue,
) -> Flow<(Answer, Consent)> {
    let (_, facts, explanation) = about;
    let consent = |is_yes| if is_yes { Consent::Yes } else { Consent::No };
    if let Some(answer) = queue.take_early(run, call, about) {
        group::record(run, &answer)?;
        let is_yes = answer.choice == Choice::ALL;
        return Ok((answer, consent(is_yes)));
    }
    let together = queue.group(run, about, leave);
    if !together.is_empty() {
        let answer = question::ask_person(run, call, about, leave, &together).await?;
        let merged = group::merged(facts, &together);
        match answer.choice.as_str() {
            Choice::EACH => queue.one_by_one(),
            Choice::ALL => {
                queue.keep(together, &answer);
                return Ok((answer, Consent::Yes));
            }
            _ if accept(run, &merged, explanation, &answer) => {
                return Ok((answer, Consent::Yes));
            }
            _ => {
                queue.keep(together, &answer);
                return Ok((answer, Consent::No));
            }
        }
    }
    let answer = question::ask_person(run, call, about, leave, &[]).await?;
    let is_yes = accept(run, facts, explanation, &answer);
    Ok((answer, consent(is_yes)))
}

/// It may run. What it would destroy is kept first; when that fails, so does the
/// call. What is there is looked at anew: a question may stand for hours.
async fn admitted(run: &Run, call: &CallId, case: Case) -> Flow<Verdict> {
    let Case {
        ready,
        facts,
        explanation,
        mut notes,
    } = case;
    if matches!(explanation.class, Class::Ask | Class::Confirm) {
        let now = ready.tool.facts(&ready.input, &run.core.workspace);
        let kept = match explanation.class {
            Class::Confirm => recover::before(run, &now, call).await,
            _ => recover::files(run, &now, call).await,
        };
        match kept {
            Ok(kept) => notes.extend(kept),
            Err(reason) => return Ok(refuse::denied(explanation, Some(reason))),
        }
    }
    Ok(Verdict::Run {
        workspace: admit_paths(&run.core.workspace, &facts),
        tool: ready.tool,
        input: ready.input,
        explanation,
        facts: Box::new(facts),
        notes,
    })
}

/// Paths outside the root that were admitted are open to this call alone.
fn admit_paths(workspace: &Workspace, facts: &Facts) -> Workspace {
    let Subject::Paths(paths) = &facts.subject else {
        return workspace.clone();
    };
    let outside: Vec<String> = paths
        .iter()
        .filter(|fact| !fact.inside)
        .map(|fact| fact.path.clone())
        .collect();
    if outside.is_empty() {
        workspace.clone()
    } else {
        workspace.admit_external(&outside)
    }
}

/// Whether the answer allows the call; stores the grant that came with it.
fn accept(run: &Run, facts: &Facts, explanation: &Explanation, answer: &Answer) -> bool {
    let scope = match answer.choice.as_str() {
        Choice::ONCE => return true,
        Choice::SESSION => Scope::Session,
        Choice::ALWAYS => Scope::Project,
        _ => return false,
    };
    // A choice that was not offered grants nothing.
    let Some(offer) = question::offered(run, facts, explanation)
        .into_iter()
        .find(|offer| offer.scope == scope)
    else {
        return false;
    };
    let lasting = run.core.grants().duration();
    for grant in offer.lasting(run.core.ambient.now(), lasting) {
        if scope == Scope::Project
            && let Some(keep) = &run.core.on_grant
        {
            keep(&grant);
        }
        run.core.grants().add(grant);
    }
    true
}
