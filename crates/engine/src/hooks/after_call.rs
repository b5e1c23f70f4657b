//! After a call: what hooks say of its result goes to the model with it. What
//! was done is done; a block here is feedback.

use super::answer::Decision;
use super::fire::Scene;
use super::input::CallInput;
use crate::run::Run;
use serde_json::{Value, json};
use tenon_policy::Facts;
use tenon_vocab::profile::{HookEvent, HookSpec};
use tenon_vocab::{CallId, ToolOutput};

/// Asks the hooks about a result; gives notes for the model. An interrupt ends
/// the asking and nothing else: the result is recorded either way.
pub(crate) async fn after_call(
    run: &Run,
    call: &CallId,
    facts: &Facts,
    tool_input: &Value,
    output: &ToolOutput,
) -> Vec<String> {
    let event = match output.envelope.error() {
        None => HookEvent::PostToolUse,
        Some(_) => HookEvent::ToolError,
    };
    let mut notes = Vec::new();
    if run.core.hooks.of(event).is_empty() || run.token.is_cancelled() {
        return notes;
    }
    let scene = Scene::from(run);
    let mut fields = scene.input(
        event,
        Some(CallInput {
            id: &call.0,
            tool: &facts.tool,
            input: tool_input,
        }),
    );
    match output.envelope.error() {
        None => fields.insert("tool_output".into(), json!(output.model_text)),
        Some(error) => fields.insert(
            "error".into(),
            json!({"code": error.code, "message": error.message}),
        ),
    };
    let input = Value::Object(fields);
    for hook in run.core.hooks.about(event, facts) {
        let Ok(word) = scene.fire(hook, &input).await else {
            break;
        };
        notes.extend(note(hook, word.decision, word.message));
    }
    notes
}

fn note(hook: &HookSpec, decision: Decision, message: Option<String>) -> Option<String> {
    let name = &hook.name;
    match (decision, message) {
        (Decision::Block, Some(message)) => Some(format!("[hook {name} objects: {message}]")),
        (Decision::Block, None) => Some(format!("[hook {name} objects to this result]")),
        (_, message) => message.map(|message| format!("[hook {name}: {message}]")),
    }
}
