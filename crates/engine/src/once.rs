//! One call without a model: the same gate and the same code as in a session.

use crate::calls::{self, Done};
use crate::context::Context;
use crate::core::Core;
use crate::parts::Parts;
use crate::run::{End, Flow, Run, begin, finish};
use crate::schedule::Leave;
use std::sync::Arc;
use tenon_vocab::{CallId, RunOrigin};
use tokio_util::sync::CancellationToken;

/// Runs one tool. Cancelling the token interrupts it as a user would.
///
/// # Errors
/// A sentence, when it was interrupted or nothing could be recorded.
pub async fn call_once(
    mut parts: Parts,
    name: &str,
    arguments: &str,
    token: CancellationToken,
) -> Result<Done, String> {
    // Nobody reads the rules of a folder.
    parts.context.rule_source = None;
    let core = Arc::new(Core::new(parts));
    let mut run = Run::new(Arc::clone(&core), token, Context::default());
    let result = one(&mut run, name, arguments).await;
    let ended = match &result {
        Ok(_) => Ok(()),
        Err(End::Interrupted) => Err(End::Interrupted),
        Err(end) => Err(End::Told(end.to_string())),
    };
    finish(&mut run, ended);
    core.jobs.shutdown().await;
    core.emitter.close();
    result.map_err(|end| end.to_string())
}

async fn one(run: &mut Run, tool: &str, arguments: &str) -> Flow<Done> {
    begin(run, tool, RunOrigin::Shell)?;
    let id = CallId::new("call_1");
    let done = calls::by_user(run, id, tool, arguments.to_owned(), Leave::ToBeAsked).await?;
    run.tally.last_denied = done.denial();
    Ok(done)
}
