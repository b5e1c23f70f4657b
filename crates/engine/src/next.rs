//! After the calls of a step: go on, or finish.

use crate::asking::{Saying, say};
use crate::run::{End, Flow, Run};
use crate::step::Reply;
use crate::todo::{self, Waiting};
use tenon_vocab::{NoticeLevel, StopReason};

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
    // What was held back is not done by saying so.
    match todo::remind(run)? {
        Waiting::Reminded => Ok(Next::Continue),
        Waiting::Nothing => Ok(Next::Finish),
    }
}

/// A word in between. One that the model does not get to read is said to be so,
/// and the run goes on without it.
async fn steer(run: &mut Run, text: String) -> Flow<Steered> {
    match say(run, Saying::between(text)).await {
        Ok(()) => Ok(Steered::Heard),
        Err(End::Blocked(reason) | End::Failed(reason)) => {
            let notice = format!("Not sent: {reason}.");
            run.core
                .notice(Some(run.id), NoticeLevel::Warning, "hook", notice);
            Ok(Steered::Blocked)
        }
        Err(end) => Err(end),
    }
}
