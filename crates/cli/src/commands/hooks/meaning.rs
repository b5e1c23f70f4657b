//! What an answer would do at its event, in a sentence. Only words: the engine
//! acts, and `docs/hooks.md` says the same at length.

use tenon_engine::hooks::{Decision, Reply};
use tenon_vocab::profile::{HookEvent, HookSource, HookSpec};

pub fn of(hook: &HookSpec, reply: &Reply) -> &'static str {
    match reply {
        Reply::Interrupted => "nothing: it was interrupted",
        Reply::Failed(_) if hook.required => block(hook.event),
        Reply::Failed(_) => "it is skipped with a warning; with `required` it would block",
        Reply::Answer(answer) => match answer.decision {
            Decision::Block => block(hook.event),
            Decision::Allow => allow(hook),
            Decision::Pass | Decision::Warn if answer.patch.is_some() => patch(hook.event),
            Decision::Pass | Decision::Warn if answer.message.is_some() => message(hook.event),
            Decision::Pass | Decision::Warn => "nothing: everything continues as without it",
        },
    }
}

fn block(event: HookEvent) -> &'static str {
    match event {
        HookEvent::PreToolUse => "the call is refused, and the model reads why",
        HookEvent::PermissionRequest => "the answer is no, and the model reads why",
        HookEvent::PostToolUse | HookEvent::ToolError => {
            "the call was made; the model reads the objection with the result"
        }
        HookEvent::UserPromptSubmit => "the prompt is not sent and the run ends",
        HookEvent::SessionStart | HookEvent::BeforeModelRequest | HookEvent::AfterModelResponse => {
            "the run ends"
        }
        HookEvent::Stop => "the run continues with this message, at most three times",
        HookEvent::SessionEnd => "nothing: the session is over",
    }
}

fn allow(hook: &HookSpec) -> &'static str {
    match (hook.event, hook.source) {
        (HookEvent::PermissionRequest, HookSource::Project) => {
            "nothing: a project's hook can only say no"
        }
        (HookEvent::PermissionRequest, _) => {
            "the answer is yes, this once, unless only a person can give it"
        }
        _ => "nothing: a hook can't allow what the policy does not",
    }
}

fn patch(event: HookEvent) -> &'static str {
    match event {
        HookEvent::PreToolUse => {
            "the input is changed, then checked by the tool's schema and by the policy"
        }
        _ => "the patch is ignored: only PreToolUse has an input to change",
    }
}

fn message(event: HookEvent) -> &'static str {
    match event {
        HookEvent::SessionStart | HookEvent::UserPromptSubmit => {
            "the model reads the message with the prompt"
        }
        HookEvent::BeforeModelRequest => "the model reads the message, once",
        HookEvent::PreToolUse | HookEvent::PostToolUse | HookEvent::ToolError => {
            "the model reads the message with the result"
        }
        HookEvent::AfterModelResponse
        | HookEvent::PermissionRequest
        | HookEvent::Stop
        | HookEvent::SessionEnd => "the message is kept in the log; a warning is shown",
    }
}
