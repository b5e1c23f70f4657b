//! A call that ran as one that only reads, and that the sandbox stopped: it is
//! asked about as any other command and runs once more, or the model is told why
//! not. Never does it simply run with more than it was admitted for.

use super::start::{Admission, Running, launch};
use super::wait;
use crate::gate::{self, Verdict};
use crate::run::Run;
use crate::schedule::Ready;
use serde_json::Value;
use std::sync::Arc;
use tenon_tools::{READING_STOPPED, Tool};
use tenon_vocab::{CallId, Envelope, ErrorCode, Explanation, ToolOutput};

/// What a call that only reads gave, and what came of it.
pub(super) struct Retried {
    pub(super) output: ToolOutput,
    /// What decided about the second run, where there was one.
    pub(super) explanation: Option<Explanation>,
    pub(super) notes: Vec<String>,
}

/// What runs of a call.
pub(super) struct Tried<'a> {
    pub(super) call: &'a CallId,
    pub(super) name: &'a str,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) input: &'a Value,
}

/// What the sandbox of a reader stopped, if it did.
fn stopped(output: &ToolOutput) -> Option<String> {
    match &output.envelope {
        Envelope::Ok(data) => Some(data.get(READING_STOPPED)?.as_str()?.to_owned()),
        Envelope::Err(error) if error.code == ErrorCode::Internal => Some(error.message.clone()),
        Envelope::Err(_) => None,
    }
}

/// The same call as an ordinary command, where the first run was stopped and
/// somebody allows the second. Takes the place of the one that ran.
pub(super) async fn if_stopped(
    run: &Run,
    tried: Tried<'_>,
    first: ToolOutput,
    running: &mut Running,
) -> Retried {
    let stands = |output, notes| Retried {
        output,
        explanation: None,
        notes,
    };
    let Some(needed) = stopped(&first).filter(|_| !run.token.is_cancelled()) else {
        return stands(first, Vec::new());
    };
    let ready = Ready {
        tool: Arc::clone(&tried.tool),
        input: tried.input.clone(),
    };
    match gate::once_more(run, tried.call, ready, &needed).await {
        Ok(Verdict::Run {
            tool,
            input,
            explanation,
            facts,
            workspace,
            mut notes,
        }) => {
            let limits = running.limits.clone();
            let admission = Admission {
                call: tried.call,
                name: tried.name,
                tool: &tool,
                input: &input,
                facts: &facts,
                explanation: &explanation,
                workspace: &workspace,
                limits: &limits,
            };
            *running = launch(run, &admission);
            notes.insert(
                0,
                format!(
                    "[It ran twice: first where it could only read, which the sandbox stopped ({needed}), then as any other command.]"
                ),
            );
            Retried {
                output: wait(run, tried.name, running).await,
                explanation: Some(explanation),
                notes,
            }
        }
        Ok(Verdict::Refuse { output, .. } | Verdict::Settled { output, .. }) => {
            let why = output
                .envelope
                .error()
                .map(|error| error.message.clone())
                .unwrap_or_default();
            let note = format!(
                "[It ran where it could only read, without a network, and the sandbox stopped it: {needed}. It did not run as any other command: {why}]"
            );
            stands(first, vec![note])
        }
        // Interrupted: what the first run gave is what there is.
        Err(_) => stands(first, Vec::new()),
    }
}
