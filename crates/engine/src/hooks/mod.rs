//! Commands of the user, of an administrator or of a trusted project that are
//! asked at fixed moments of a session (H1). A hook may narrow a decision,
//! never widen it; only a question may be answered with a yes, by a hook of the
//! user, as the user would.
//!
//! One file for each moment; `fire` asks one hook and puts it on the record.

mod after_call;
mod answer;
mod before_call;
mod built_in;
mod command;
mod conversation;
mod fire;
mod input;
mod permission;
mod schema;
mod select;

pub use answer::{Answer, Decision, understand};
pub use built_in::{BUILT_IN, BuiltInHook, behind};
pub use command::{Asked, Reply, ask};
pub use input::{CallInput, Circumstances, input, sample};
pub use schema::{input_schema, output_schema};
pub use select::speaks_of;

pub(crate) use after_call::after_call;
pub(crate) use before_call::{Before, before_call};
pub(crate) use built_in::report as report_built_in;
pub(crate) use conversation::{
    Stopping, Submitted, after_response, before_request, prompt_submitted, session_ended,
    session_started, stopping,
};
pub(crate) use permission::{Permission, permission};

use std::collections::HashSet;
use std::sync::{Mutex, MutexGuard, PoisonError};
use tenon_policy::Facts;
use tenon_vocab::Outcome;
use tenon_vocab::profile::{HookEvent, HookSpec};

/// The hooks of a session, and what must be remembered between two of them.
#[derive(Debug, Default)]
pub(crate) struct Hooks {
    /// In the order in which they run.
    specs: Vec<HookSpec>,
    memory: Mutex<Memory>,
}

#[derive(Debug, Default)]
struct Memory {
    started: bool,
    /// What the hooks of the start said, until the first prompt takes it along.
    context: Vec<String>,
    /// What was said before a request, so that it is said once.
    said: HashSet<(String, String)>,
    last_outcome: Option<Outcome>,
}

impl Hooks {
    pub(crate) fn new(mut specs: Vec<HookSpec>) -> Self {
        // Stable: within a file the order is the writer's.
        specs.sort_by_key(|hook| hook.source);
        Self {
            specs,
            memory: Mutex::default(),
        }
    }

    fn of(&self, event: HookEvent) -> Vec<&HookSpec> {
        select::hooks_of(&self.specs, event, None)
    }

    fn about(&self, event: HookEvent, facts: &Facts) -> Vec<&HookSpec> {
        select::hooks_of(&self.specs, event, Some(facts))
    }

    pub(crate) fn run_ended(&self, outcome: Outcome) {
        self.memory().last_outcome = Some(outcome);
    }

    fn memory(&self) -> MutexGuard<'_, Memory> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
