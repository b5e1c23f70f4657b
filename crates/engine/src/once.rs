//! One call without a model: the same gate and the same code as in a session.

use crate::calls::{self, Done};
use crate::context::Context;
use crate::core::Core;
use crate::engine;
use crate::pages::Reader;
use crate::parts::Parts;
use crate::run::{End, Flow, Run, begin, finish};
use crate::schedule::Leave;
use serde_json::Value;
use std::sync::{Arc, Mutex, PoisonError};
use tenon_tools::jobs::Repair;
use tenon_vocab::{CallId, Envelope, Notice, RunOrigin};
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
    let repaired = Arc::new(Mutex::new(Vec::new()));
    collect_repairs(&core, &repaired);
    let mut run = Run::new(Arc::clone(&core), token, Context::default());
    let result = one(&mut run, name, arguments).await;
    let ended = match &result {
        Ok(_) => Ok(()),
        Err(End::Interrupted) => Err(End::Interrupted),
        Err(end) => Err(End::Told(end.to_string())),
    };
    finish(&mut run, ended);
    let ended = core.jobs.shutdown().await;
    core.emitter.close();
    let mut done = result.map_err(|end| end.to_string())?;
    done.ended = ended.into_iter().map(|job| job.id).collect();
    say_that_it_ended(&mut done);
    done.repaired = std::mem::take(&mut *repaired.lock().unwrap_or_else(PoisonError::into_inner));
    Ok(done)
}

/// There is no front end that hears what is set aside: the result tells it.
fn collect_repairs(core: &Arc<Core>, repaired: &Arc<Mutex<Vec<Notice>>>) {
    let (weak, repaired) = (Arc::downgrade(core), Arc::clone(repaired));
    core.jobs.on_repair(Arc::new(move |repair: &Repair| {
        let notice = engine::repaired(repair);
        let mut told = repaired.lock().unwrap_or_else(PoisonError::into_inner);
        told.push(notice.clone());
        drop(told);
        if let Some(core) = weak.upgrade() {
            core.emit_or_end(None, notice);
        }
    }));
}

/// Nothing outlives a single call: what it gave as running is not any more.
fn say_that_it_ended(done: &mut Done) {
    let Envelope::Ok(Value::Object(data)) = &mut done.envelope else {
        return;
    };
    let named = data.get("process_id").and_then(Value::as_str);
    if named.is_some_and(|id| done.ended.iter().any(|ended| ended.as_str() == id)) {
        data.insert("process_ended".into(), true.into());
    }
}

async fn one(run: &mut Run, tool: &str, arguments: &str) -> Flow<Done> {
    begin(run, tool, RunOrigin::Shell)?;
    run.reader = Reader::Program;
    let id = CallId::new("call_1");
    let done = calls::by_user(run, id, tool, arguments.to_owned(), Leave::ToBeAsked).await?;
    run.tally.last_denied = done.denial();
    Ok(done)
}
