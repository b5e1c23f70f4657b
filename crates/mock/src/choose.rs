//! Finds the step that answers a request. Nothing is remembered: the
//! conversation alone decides.

use crate::conversation::Conversation;
use crate::fault::{Fault, FaultPlace};
use crate::scenarios::{Response, Scenarios};
use crate::shape::Shape;

/// Where the fault of the whole file is counted.
const WHOLE_FILE: FaultPlace = (usize::MAX, 0);

/// The step that answers a request.
#[derive(Debug)]
pub(crate) struct Chosen<'s> {
    pub(crate) response: &'s Response,
    pub(crate) shape: &'s Shape,
    pub(crate) fault: Option<(FaultPlace, &'s Fault)>,
    /// How many steps came before this one, in the scenario's scope.
    pub(crate) step: u64,
}

/// The first scenario whose trigger is in the prompt, at the step that the
/// tool results give; the default response past its end or without a match.
pub(crate) fn choose<'s>(
    scenarios: &'s Scenarios,
    plain: &'s Shape,
    conversation: &Conversation<'_>,
) -> Chosen<'s> {
    let prompt = conversation.prompt();
    let everywhere = scenarios.fault.as_ref().map(|fault| (WHOLE_FILE, fault));
    let default = |step, shape| Chosen {
        response: &scenarios.default_response,
        shape,
        fault: everywhere,
        step,
    };
    let found = scenarios
        .scenarios
        .iter()
        .enumerate()
        .find(|(_, scenario)| prompt.contains(&scenario.trigger));
    let Some((number, scenario)) = found else {
        return default(conversation.tool_results(scenarios.scope), plain);
    };
    let position = conversation.tool_results(scenario.scope.unwrap_or(scenarios.scope));
    let mut first = 0;
    for (index, step) in scenario.steps.iter().enumerate() {
        first += u64::from(step.repeat.get());
        if position < first {
            let own = step.fault.as_ref().map(|fault| ((number, index), fault));
            return Chosen {
                response: &step.response,
                shape: &scenario.shape,
                fault: own.or(everywhere),
                step: position,
            };
        }
    }
    default(position, &scenario.shape)
}
