//! After the calls of a step: go on, or finish.

use crate::hooks::{self, Submitted};
use crate::run::{End, Flow, Run};
use crate::step::Reply;
use tenon_vocab::{Message, NoticeLevel, Origin, Part, Role, StopReason};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Continue,
    Finish,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Steered {
    Heard,
    Blocked,
}

pub(crate) async fn step(run: &mut Run, reply: &Reply) -> Flow<Next> {
    if run.token.is_cancelled() {
        return Err(End::Interrupted);
    }
    run.core.emitter.snapshot_if_due()?;
    if let Some(text) = run.core.inbox.take_steering()
        && steer(run, text).await? == Steered::Heard
    {
        return Ok(Next::Continue);
    }
    if !reply.calls.is_empty() {
        return Ok(Next::Continue);
    }
    if reply.ending.stop == StopReason::ContentFilter {
        return Err(End::Filtered(String::from(
            "the provider's content filter stopped the answer",
        )));
    }
    Ok(Next::Finish)
}

/// A word in between passes the hooks of a prompt. One that is blocked is said
/// to be so, and the run goes on without it.
async fn steer(run: &Run, text: String) -> Flow<Steered> {
    let submitted = hooks::prompt_submitted(run, &text).await?;
    let mut message = Message::new(Role::User, Origin::Steer, vec![Part::text(text)]);
    match submitted {
        Submitted::With(context) => message.parts.extend(context),
        Submitted::Blocked(reason) => {
            message.in_context = false;
            let notice = format!("Not sent: {reason}.");
            run.core
                .notice(Some(run.id), NoticeLevel::Warning, "hook", notice);
        }
    }
    let heard = message.in_context;
    run.emit(message)?;
    Ok(if heard {
        Steered::Heard
    } else {
        Steered::Blocked
    })
}
