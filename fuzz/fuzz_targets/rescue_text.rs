//! Any text as an answer in which calls may stand: only calls of tools that
//! there are come out, each with an object as arguments, and nothing is left to
//! rescue. `cargo +nightly fuzz run rescue_text`.

#![no_main]

use libfuzzer_sys::fuzz_target;
use serde_json::{Map, Value};
use tenon_model::rescue::rescue;
use tenon_vocab::{CallForm, Message};

fn is_tool(name: &str) -> bool {
    matches!(name, "read" | "bash" | "write")
}

fuzz_target!(|text: &str| {
    let Some(rescued) = rescue(&Message::assistant(text), &is_tool) else {
        return;
    };
    let calls: Vec<_> = rescued.message.tool_calls().collect();
    assert!(!calls.is_empty(), "nothing was rescued from {text:?}");
    for call in calls {
        assert!(is_tool(&call.name), "a call of {} from {text:?}", call.name);
        assert_eq!(call.form, CallForm::Text);
        let arguments = serde_json::from_str::<Map<String, Value>>(&call.arguments);
        assert!(arguments.is_ok(), "{} from {text:?}", call.arguments);
    }
    assert!(
        rescue(&rescued.message, &is_tool).is_none(),
        "twice from {text:?}"
    );
});
