//! No stored message makes a request in the Responses format that is refused.

use crate::responses_encode::{
    assistant, body, call, entry, items, named_call, reasoning_item, request, result, thought, tool,
};
use proptest::prelude::{Just, Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_model::{Entry, Quirks, ReturnReasoning, ToolImages};
use tenon_vocab::{ImageSource, Message, Origin, Part, Role, Status};

#[test]
fn a_call_without_a_result_is_answered_and_a_result_without_a_call_is_dropped() {
    let items = items(
        Quirks::default(),
        vec![
            tool(vec![result("never", "an orphan")]),
            assistant(vec![call("a", "{}"), call("b", "{}")]),
            tool(vec![result("b", "2"), result("x", "an orphan")]),
            tool(vec![result("b", "again")]),
            entry(Message::user("go on")),
            assistant(vec![call("c", "{}")]),
        ],
    );
    let outputs: Vec<(&str, &str)> = items
        .iter()
        .filter(|item| item["type"] == "function_call_output")
        .map(|item| {
            (
                item["call_id"].as_str().expect("an id"),
                item["output"].as_str().expect("text"),
            )
        })
        .collect();
    let none = "[no result was recorded]";
    assert_eq!(outputs, [("a", none), ("b", "2"), ("c", none)]);
}

#[test]
fn results_that_came_in_another_order_are_sent_in_that_of_the_calls() {
    let items = items(
        Quirks::default(),
        vec![
            assistant(vec![call("a", "{}"), call("b", "{}"), call("c", "{}")]),
            tool(vec![result("c", "3")]),
            tool(vec![result("a", "1")]),
            tool(vec![result("b", "2")]),
        ],
    );
    let outputs: Vec<&Value> = items[3..].iter().map(|item| &item["output"]).collect();
    assert_eq!(outputs, ["1", "2", "3"]);
}

#[test]
fn ids_and_names_of_other_providers_are_made_fit() {
    let long = "thought-signature".repeat(20);
    let items = items(
        Quirks::default(),
        vec![
            assistant(vec![
                named_call(&long, "functions.read:0", "{}"),
                named_call("", "", "{}"),
            ]),
            tool(vec![result(&long, "1"), result("", "2")]),
        ],
    );
    assert_eq!(items[0]["call_id"], items[2]["call_id"]);
    assert_eq!(items[1]["call_id"], items[3]["call_id"]);
    assert_ne!(items[0]["call_id"], items[1]["call_id"]);
}

fn any_part() -> impl Strategy<Value = Part> {
    let id = prop::sample::select(vec!["a", "b", "c", "", "x:y", "toolu_01"]);
    let owner = prop::sample::select(vec!["openai", "anthropic"]);
    prop_oneof![
        prop::sample::select(vec!["", "words", "\u{0}\u{1b}[2J", "é\n"]).prop_map(Part::text),
        (
            id.clone(),
            prop::sample::select(vec!["{}", "{\"a\":1}", "{\"cut", "", "[]", "null"])
        )
            .prop_map(|(id, arguments)| named_call(id, id, arguments)),
        id.prop_map(|id| result(id, "out")),
        owner
            .clone()
            .prop_map(|owner| thought("Hm.", Some(&reasoning_item()), owner)),
        owner.prop_map(|owner| thought("Hm.", Some(&json!("no item")), owner)),
        Just(thought("Hm.", None, "")),
        Just(Part::Opaque {
            provider: "anthropic".into(),
            raw: json!({"x": 1})
        }),
        Just(Part::Image {
            source: ImageSource::Url("https://example.org/a.png".into()),
            media_type: "image/png".into()
        }),
    ]
}

fn any_entry() -> impl Strategy<Value = Arc<Entry>> {
    let role = prop::sample::select(vec![Role::User, Role::Assistant, Role::Tool]);
    let status = prop::sample::select(vec![Status::Complete, Status::Broken, Status::Abandoned]);
    (
        role,
        status,
        any::<bool>(),
        prop::collection::vec(any_part(), 0..6),
    )
        .prop_map(|(role, status, in_context, parts)| {
            let mut message = Message::new(role, Origin::User, parts);
            message.status = status;
            message.in_context = in_context;
            if role == Role::Assistant {
                tenon_model::make_ids_unique(&mut message, &|_| false);
            }
            entry(message)
        })
}

proptest! {
    #[test]
    fn no_history_makes_a_request_that_is_refused(
        entries in prop::collection::vec(any_entry(), 0..12),
        returns in any::<bool>(),
        leaves_out in any::<bool>(),
    ) {
        let quirks = Quirks {
            return_reasoning: if returns { ReturnReasoning::ReasoningContent } else { ReturnReasoning::Never },
            tool_images: if leaves_out { ToolImages::LeaveOut } else { ToolImages::UserMessage },
            ..Quirks::default()
        };
        body(quirks, &request(entries));
    }
}
