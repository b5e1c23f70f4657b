//! Calls that a model wrote as text, because it or its server knew no better.
//! They become calls like any other: the gate, the record and the repeat guard
//! see no difference, and people are told. What is not surely a call stays text.

use crate::active::Current;
use crate::run::Run;
use tenon_model::{Finished, rescue};
use tenon_tools::input;
use tenon_vocab::StopReason;

/// The reply with the calls that were found in its text, and what to say of them.
pub(crate) fn calls(run: &Run, current: &Current, finished: Finished) -> (Finished, Vec<String>) {
    let has_calls = finished.message.tool_calls().next().is_some();
    let filtered = finished.stop == StopReason::ContentFilter;
    // In the markdown dialect text is the form of calls, and was read as such.
    if has_calls || filtered || current.identity().dialect != "native" {
        return (finished, Vec::new());
    }
    let layout = run.core.layout();
    let is_tool = |name: &str| {
        let canonical = input::canonical_name(name);
        layout.offers(name) || canonical.is_some_and(|name| layout.offers(name))
    };
    match rescue::rescue(&finished.message, &is_tool) {
        None => (finished, Vec::new()),
        Some(rescued) => (
            Finished {
                message: rescued.message,
                stop: StopReason::ToolUse,
                ..finished
            },
            rescued.notes,
        ),
    }
}
