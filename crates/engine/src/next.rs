//! After the calls of a step: go on, or finish.

use crate::run::{End, Flow, Run};
use crate::step::Reply;
use tenon_vocab::{Message, Origin, Part, Role, StopReason};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Next {
    Continue,
    Finish,
}

pub(crate) fn step(run: &mut Run, reply: &Reply) -> Flow<Next> {
    if run.token.is_cancelled() {
        return Err(End::Interrupted);
    }
    run.core.emitter.snapshot_if_due()?;
    if let Some(text) = run.core.inbox.take_steering() {
        run.emit(Message::new(
            Role::User,
            Origin::Steer,
            vec![Part::text(text)],
        ))?;
        return Ok(Next::Continue);
    }
    if !reply.calls.is_empty() {
        return Ok(Next::Continue);
    }
    if reply.stop == StopReason::ContentFilter {
        return Err(End::Filtered(String::from(
            "the provider's content filter stopped the answer",
        )));
    }
    Ok(Next::Finish)
}
