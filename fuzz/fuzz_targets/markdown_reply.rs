//! Any text as a reply of the markdown dialect: it never fails, names tools
//! that there are, or one other alone, which the engine then answers, and what
//! is kept of it reads as the same reply.
//! `cargo +nightly fuzz run markdown_reply`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::json;
use tenon_model::dialect::{Action, parse};
use tenon_vocab::{Effect, ToolSpec};

fn tools() -> Vec<ToolSpec> {
    let tool = |name: &str, parameters| ToolSpec {
        name: name.into(),
        description: String::from("Does it."),
        parameters,
        effect: Effect::Read,
        source: String::from("built-in"),
    };
    let object = |properties: serde_json::Value, required: &[&str]| json!({"type": "object", "properties": properties, "required": required});
    vec![
        tool(
            "read",
            object(
                json!({"path": {"type": "string"}, "limit": {"type": "integer"}}),
                &["path"],
            ),
        ),
        tool(
            "bash",
            object(json!({"command": {"type": "string"}}), &["command"]),
        ),
        tool(
            "write",
            object(
                json!({"path": {"type": "string"}, "content": {"type": "string"}}),
                &["path", "content"],
            ),
        ),
    ]
}

fuzz_target!(|text: &str| {
    let tools = tools();
    let Ok(parsed) = parse(text, &tools) else {
        return;
    };
    if let Action::Calls(calls) = &parsed.action {
        for call in calls {
            let known = tools.iter().any(|tool| tool.name == call.name);
            let alone = calls.len() == 1;
            assert!(known || alone, "a call of {} in {text:?}", call.name);
        }
    }
    let kept = parsed.to_markdown();
    let again = parse(&kept, &tools);
    let Ok(again) = again else {
        panic!("what is kept cannot be read: {kept:?} of {text:?}");
    };
    assert_eq!(again.action, parsed.action, "{kept:?} of {text:?}");
});
