//! One call without a model: the same gate and the same code as in a session.

use crate::calls::Done;
use crate::context::Context;
use crate::core::Core;
use crate::parts::Parts;
use crate::run::{End, Flow, Run, begin, finish};
use crate::step::Ending;
use crate::{calls, gate, schedule};
use std::sync::Arc;
use tenon_vocab::{CallId, RunOrigin, ToolCallPart};
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
    // The limits of a model's run are not those of one call.
    parts.limits.max_retries = u32::MAX;
    parts.limits.max_retries_automated = u32::MAX;
    // Nobody reads the rules of a folder.
    parts.context.rule_source = None;
    let core = Arc::new(Core::new(parts));
    let mut run = Run::new(Arc::clone(&core), token, Context::default());
    let call = ToolCallPart {
        id: CallId::new("call_1"),
        name: name.to_owned(),
        arguments: arguments.to_owned(),
        form: tenon_vocab::CallForm::Native,
    };
    let result = one(&mut run, &call).await;
    let ended = match &result {
        Ok(_) => Ok(()),
        Err(End::Interrupted) => Err(End::Interrupted),
        Err(end) => Err(End::Told(end.to_string())),
    };
    finish(&mut run, ended);
    core.jobs.shutdown().await;
    core.emitter.close();
    match result {
        Ok(Some(done)) => Ok(done),
        Ok(None) => Err(String::from("the call gave no result")),
        Err(end) => Err(end.to_string()),
    }
}

async fn one(run: &mut Run, call: &ToolCallPart) -> Flow<Option<Done>> {
    begin(run, &call.name, RunOrigin::Shell)?;
    let planned = schedule::plan(&run.core, call, Ending::WHOLE);
    let admitted = gate::admit(run, vec![planned]).await?;
    Ok(calls::execute(run, admitted).await?.into_iter().next())
}
