//! The JSON Schemas of what a hook is told and of what it answers, for the
//! reference and for people who write hooks with tools that check.

use serde_json::{Value, json};
use tenon_vocab::profile::HookEvent;

const DRAFT: &str = "https://json-schema.org/draft/2020-12/schema";

/// What stands on a hook's standard input.
#[must_use]
pub fn input_schema() -> Value {
    let events: Vec<&str> = HookEvent::ALL.iter().map(|event| event.name()).collect();
    let text = |doc: &str| json!({"type": "string", "description": doc});
    json!({
        "$schema": DRAFT,
        "title": "Tenon hook input",
        "type": "object",
        "required": ["event", "root_session_id", "session_id", "agent_path", "agent", "cwd"],
        "properties": {
            "event": {"enum": events, "description": "What happens."},
            "root_session_id": text("The session that a person started."),
            "session_id": text("The session in which it happens; another one for a child agent."),
            "invocation_id": text("The run. Absent after the last run (SessionEnd)."),
            "agent_path": {
                "type": "array", "items": {"type": "string"},
                "description": "The agents from the first to the one that acts."
            },
            "call_id": text("The call (PreToolUse, PostToolUse, ToolError, PermissionRequest)."),
            "agent": text("The agent that acts."),
            "cwd": text("The project's root; the hook runs in it."),
            "tool_name": text("The canonical name of the tool (events about a call)."),
            "tool_input": {
                "type": "object",
                "description": "The input of the call, after repair and after earlier hooks."
            },
            "tool_output": text("What the model reads of the result (PostToolUse)."),
            "error": {
                "type": "object",
                "required": ["code", "message"],
                "properties": {"code": {"type": "string"}, "message": {"type": "string"}},
                "description": "How the call failed (ToolError)."
            },
            "question": {
                "type": "object",
                "required": ["class", "reason"],
                "properties": {
                    "class": {"enum": ["ask", "confirm"]},
                    "reason": text("Why it is asked."),
                    "only_a_person": {
                        "type": "boolean",
                        "description": "An allow of a hook does not count here; a block does."
                    },
                    "command": text("The whole command, for bash."),
                    "affects": {
                        "type": "array", "items": {"type": "string"},
                        "description": "The files that the call would touch, as far as they are known."
                    }
                },
                "description": "What would be asked (PermissionRequest)."
            },
            "prompt": text("The prompt (UserPromptSubmit)."),
            "message": text("The text of the model's reply (AfterModelResponse, Stop)."),
            "step": {
                "type": "integer", "minimum": 1,
                "description": "Which request of the run this will be (BeforeModelRequest)."
            },
            "source": {
                "enum": ["start", "resume"],
                "description": "Whether the session is new (SessionStart)."
            },
            "outcome": text("How the run ended or would end (Stop, SessionEnd)."),
            "continuations": {
                "type": "integer", "minimum": 0,
                "description": "How often hooks have kept this run going (Stop)."
            }
        }
    })
}

/// What a hook prints. Nothing at all means that it has nothing to say.
#[must_use]
pub fn output_schema() -> Value {
    json!({
        "$schema": DRAFT,
        "title": "Tenon hook output",
        "type": "object",
        "properties": {
            "decision": {
                "enum": ["allow", "warn", "block"],
                "description": "Without it the hook has no opinion. `allow` only counts for a PermissionRequest."
            },
            "message": {
                "type": "string",
                "description": "For the person and, where the event has a result or a prompt, for the model."
            },
            "patch": {
                "type": "object",
                "description": "At PreToolUse: fields to set in tool_input, null to take one out; or {\"tool_input\": {…}} to replace it. Checked by the schema of the tool and by the policy, from the start."
            },
            "metadata": {"description": "For your own use; Tenon doesn't read it."}
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::hooks::{Circumstances, sample};

    #[test]
    fn every_sample_has_only_fields_that_the_schema_names_and_all_that_it_requires() {
        let schema = input_schema();
        let place = Circumstances {
            session: "s".into(),
            run: Some("r".into()),
            agent: "build".into(),
            root: "/p".into(),
        };
        for event in HookEvent::ALL {
            let input = sample(event, &place, "bash", &json!({"command": "ls"}));
            let fields = input.as_object().unwrap();
            for name in fields.keys() {
                assert!(
                    schema["properties"].get(name).is_some(),
                    "{event:?}: {name}"
                );
            }
            for name in schema["required"].as_array().unwrap() {
                assert!(
                    fields.contains_key(name.as_str().unwrap()),
                    "{event:?}: {name}"
                );
            }
        }
    }
}
