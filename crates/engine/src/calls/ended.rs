//! From what a tool gave to what is recorded of it: one way for every call, also
//! for one that ended before anybody was asked about it.

use super::{Settled, status};
use crate::run::Run;
use crate::{hooks, mask, notes};
use serde_json::Value;
use std::sync::Arc;
use tenon_policy::Facts;
use tenon_tools::Tool;
use tenon_vocab::{CallId, Effect, Explanation, ToolOutput};
use tokio::time::Instant;

/// A call of which a tool has told how it ended.
pub(super) struct Ended {
    pub(super) call: CallId,
    pub(super) name: String,
    pub(super) tool: Arc<dyn Tool>,
    pub(super) input: Value,
    pub(super) facts: Box<Facts>,
    pub(super) explanation: Option<Explanation>,
    pub(super) notes: Vec<String>,
    pub(super) started: Instant,
}

impl Ended {
    /// Without secrets, and with what hooks and rules have to say of it.
    pub(super) async fn settled(self, run: &Run, output: ToolOutput) -> Settled {
        let Self {
            call,
            name,
            tool,
            input,
            facts,
            explanation,
            notes: mut told,
            started,
        } = self;
        let output = mask::output(&run.core, &name, output);
        let duration = started.elapsed();
        told.extend(hooks::after_call(run, &call, &facts, &input, &output).await);
        told.extend(notes::below(run, tool.file_use(), &facts, &output).await);
        let polls = tool.spec().effect == Effect::Execute && facts.effect == Effect::Read;
        Settled {
            call,
            name,
            repeatable: (!polls).then(|| input.to_string()),
            status: status(&output),
            output,
            explanation,
            duration,
            notes: told,
        }
    }
}
