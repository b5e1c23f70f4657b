//! What a hook is told, as one JSON object on its standard input (H5).

use serde_json::{Map, Value, json};
use tenon_vocab::profile::HookEvent;

/// Where and for whom an event happens.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Circumstances {
    pub session: String,
    /// The run; absent before the first and after the last one.
    pub run: Option<String>,
    pub agent: String,
    /// The project's root, which is also the folder that a hook runs in.
    pub root: String,
}

/// The call that an event is about.
#[derive(Debug, Clone, Copy)]
pub struct CallInput<'a> {
    pub id: &'a str,
    pub tool: &'a str,
    pub input: &'a Value,
}

/// The fields that every event has, and those of its call.
#[must_use]
pub fn input(
    event: HookEvent,
    place: &Circumstances,
    call: Option<CallInput<'_>>,
) -> Map<String, Value> {
    let mut fields = Map::new();
    let mut put = |name: &str, value: Value| {
        fields.insert(name.to_owned(), value);
    };
    put("event", json!(event.name()));
    put("root_session_id", json!(place.session));
    put("session_id", json!(place.session));
    if let Some(run) = &place.run {
        put("invocation_id", json!(run));
    }
    put("agent_path", json!([place.agent]));
    if let Some(call) = call {
        put("call_id", json!(call.id));
    }
    put("agent", json!(place.agent));
    put("cwd", json!(place.root));
    if let Some(call) = call {
        put("tool_name", json!(call.tool));
        put("tool_input", call.input.clone());
    }
    fields
}

/// An input as it could come, to try a hook with.
#[must_use]
pub fn sample(event: HookEvent, place: &Circumstances, tool: &str, tool_input: &Value) -> Value {
    let call = event.is_about_a_call().then_some(CallInput {
        id: "call_1",
        tool,
        input: tool_input,
    });
    let mut fields = input(event, place, call);
    for (name, value) in own_fields(event) {
        fields.insert((*name).to_owned(), value);
    }
    Value::Object(fields)
}

/// What an event has besides, with values as they could come.
fn own_fields(event: HookEvent) -> Vec<(&'static str, Value)> {
    match event {
        HookEvent::SessionStart => vec![("source", json!("start"))],
        HookEvent::SessionEnd => vec![("outcome", json!("completed"))],
        HookEvent::UserPromptSubmit => vec![("prompt", json!("Fix the tests."))],
        HookEvent::BeforeModelRequest => vec![("step", json!(1))],
        HookEvent::AfterModelResponse => vec![("message", json!("Done."))],
        HookEvent::PreToolUse => Vec::new(),
        HookEvent::PostToolUse => vec![("tool_output", json!("ok"))],
        HookEvent::ToolError => vec![(
            "error",
            json!({"code": "read_error", "message": "it cannot be read"}),
        )],
        HookEvent::PermissionRequest => vec![(
            "question",
            json!({"class": "ask", "reason": "`bash` asks by default (`bash: ask`)"}),
        )],
        HookEvent::Stop => vec![
            ("outcome", json!("completed")),
            ("message", json!("Done.")),
            ("continuations", json!(0)),
        ],
    }
}
