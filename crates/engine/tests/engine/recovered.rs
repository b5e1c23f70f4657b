//! Calls that a model wrote as text pass the normal gate, and are marked.

use crate::models::{Scripted, Turn};
use crate::support::{World, notices, outcome, results};
use tenon_vocab::{CallForm, EventKind, Outcome, SessionId, StopReason};

const CALL: &str = "<tool_call>\n{\"name\": \"look\", \"arguments\": {\"ms\": 1}}\n</tool_call>";

fn forms(events: &[std::sync::Arc<tenon_vocab::Event>]) -> Vec<CallForm> {
    let messages = events.iter().filter_map(|event| match &event.kind {
        EventKind::Message(message) => Some(message),
        _ => None,
    });
    messages
        .flat_map(|message| message.tool_calls().map(|call| call.form))
        .collect()
}

#[tokio::test(start_paused = true)]
async fn a_call_written_as_text_runs_and_is_said_to_be_recovered() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([Turn::text(CALL), Turn::text("done")]);
    let events = world.run(id, &model, "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert_eq!(results(&events).len(), 1);
    assert_eq!(results(&events)[0].1, r#"{"ms":1}"#);
    assert_eq!(forms(&events), [CallForm::Text]);
    assert_eq!(notices(&events, "recovered_call").len(), 1);
    assert_eq!(model.bodies().len(), 2, "the result went back");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn a_recovered_call_passes_the_gate_like_any_other() {
    let (world, id) = (World::new(), SessionId::generate());
    let text = CALL.replace("look", "danger");
    let model = Scripted::new([Turn::text(&text), Turn::text("done")]);
    let events = world.run(id, &model, "go").await;
    let text = &results(&events)[0].1;
    assert!(text.contains("permission_denied"), "{text}");
    world.verify(id);
}

#[tokio::test(start_paused = true)]
async fn the_name_of_no_tool_stays_text() {
    let (world, id) = (World::new(), SessionId::generate());
    let text = CALL.replace("look", "teleport");
    let model = Scripted::new([Turn::text(&text)]);
    let events = world.run(id, &model, "go").await;
    assert_eq!(outcome(&events), Outcome::Completed);
    assert!(results(&events).is_empty());
    assert_eq!(model.bodies().len(), 1);
}

#[tokio::test(start_paused = true)]
async fn text_beside_a_real_call_and_filtered_text_are_left_alone() {
    let (world, id) = (World::new(), SessionId::generate());
    let model = Scripted::new([
        Turn::text(CALL).and_call("a", "look", "{}"),
        Turn {
            stop: Some(StopReason::ContentFilter),
            ..Turn::text(CALL)
        },
    ]);
    let events = world.run(id, &model, "go").await;
    assert_eq!(results(&events).len(), 1);
    assert_eq!(outcome(&events), Outcome::Filtered);
    world.verify(id);
}
