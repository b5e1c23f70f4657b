//! Answers in the Responses format as servers really send them: with parts
//! that come three times, once, or only at the end.

use crate::support::{Run, resume};
use serde_json::{Value, json};
use tenon_model::codec::{Responses, ResponsesOptions};
use tenon_model::{Delta, Quirks};
use tenon_vocab::{Part, StopReason};

pub fn codec() -> Responses {
    Responses::new(Quirks::default(), "openai", ResponsesOptions::default())
}

pub fn decode(body: &str) -> Run {
    resume(codec().reader(), Vec::new(), [body.as_bytes()])
}

/// A stream with names of events, as OpenAI writes it.
pub fn stream(events: &[Value]) -> Run {
    decode(&written(events))
}

fn written(events: &[Value]) -> String {
    events
        .iter()
        .map(|event| {
            let name = event["type"].as_str().unwrap_or("message");
            format!("event: {name}\ndata: {event}\n\n")
        })
        .collect()
}

pub fn completed(output: Value) -> Value {
    json!({"type": "response.completed", "response": {"status": "completed", "output": output, "error": null,
        "usage": {"input_tokens": 100, "input_tokens_details": {"cached_tokens": 64}, "output_tokens": 30,
                  "output_tokens_details": {"reasoning_tokens": 20}, "total_tokens": 130}}})
}

pub fn added(index: u64, item: Value) -> Value {
    json!({"type": "response.output_item.added", "output_index": index, "item": item})
}

pub fn done(index: u64, item: Value) -> Value {
    json!({"type": "response.output_item.done", "output_index": index, "item": item})
}

pub fn text_delta(id: &str, index: u64, delta: &str) -> Value {
    json!({"type": "response.output_text.delta", "item_id": id, "output_index": index, "content_index": 0, "delta": delta})
}

pub fn message(id: &str, text: &str) -> Value {
    json!({"type": "message", "id": id, "role": "assistant", "status": "completed",
        "content": [{"type": "output_text", "text": text, "annotations": []}]})
}

pub fn call(id: &str, call_id: &str, arguments: &str) -> Value {
    json!({"type": "function_call", "id": id, "call_id": call_id, "name": "read", "arguments": arguments, "status": "completed"})
}

pub fn arguments_delta(id: &str, index: u64, delta: &str) -> Value {
    json!({"type": "response.function_call_arguments.delta", "item_id": id, "output_index": index, "delta": delta})
}

fn reasoning(id: &str, summary: &[&str], encrypted: &str) -> Value {
    let summary: Vec<Value> = summary
        .iter()
        .map(|text| json!({"type": "summary_text", "text": text}))
        .collect();
    json!({"type": "reasoning", "id": id, "summary": summary, "encrypted_content": encrypted, "status": null})
}

pub fn arguments(run: &Run) -> Vec<(String, String)> {
    run.calls()
        .iter()
        .map(|call| (call.id.as_str().to_owned(), call.arguments.clone()))
        .collect()
}

pub fn owned(pairs: &[(&str, &str)]) -> Vec<(String, String)> {
    pairs
        .iter()
        .map(|(id, text)| ((*id).to_owned(), (*text).to_owned()))
        .collect()
}

/// As OpenAI sends an answer with reasoning, text and a call.
pub fn whole_answer() -> Vec<Value> {
    let thought = reasoning("rs_1", &["First.", "Second."], "gAAAA");
    vec![
        json!({"type": "response.created", "response": {"status": "in_progress", "output": []}}),
        json!({"type": "response.in_progress", "response": {"status": "in_progress", "output": []}}),
        added(
            0,
            json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "gAAA"}),
        ),
        json!({"type": "response.reasoning_summary_part.added", "item_id": "rs_1", "output_index": 0, "summary_index": 0, "part": {"type": "summary_text", "text": ""}}),
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0, "summary_index": 0, "delta": "First."}),
        json!({"type": "response.reasoning_summary_text.done", "item_id": "rs_1", "output_index": 0, "summary_index": 0, "text": "First."}),
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "output_index": 0, "summary_index": 1, "delta": "Second."}),
        done(0, thought.clone()),
        added(
            1,
            json!({"type": "message", "id": "msg_1", "role": "assistant", "content": []}),
        ),
        json!({"type": "response.content_part.added", "item_id": "msg_1", "output_index": 1, "content_index": 0, "part": {"type": "output_text", "text": ""}}),
        text_delta("msg_1", 1, "I "),
        text_delta("msg_1", 1, "look."),
        json!({"type": "response.output_text.done", "item_id": "msg_1", "output_index": 1, "content_index": 0, "text": "I look."}),
        json!({"type": "response.content_part.done", "item_id": "msg_1", "output_index": 1, "content_index": 0, "part": {"type": "output_text", "text": "I look."}}),
        done(1, message("msg_1", "I look.")),
        added(2, call("fc_1", "call_1", "")),
        arguments_delta("fc_1", 2, "{\"path\":"),
        arguments_delta("fc_1", 2, "\"a\"}"),
        json!({"type": "response.function_call_arguments.done", "item_id": "fc_1", "output_index": 2, "arguments": "{\"path\":\"a\"}"}),
        done(2, call("fc_1", "call_1", "{\"path\":\"a\"}")),
        completed(json!([
            thought,
            message("msg_1", "I look."),
            call("fc_1", "call_1", "{\"path\":\"a\"}")
        ])),
    ]
}

/// What every form of that answer must come to.
fn assert_whole(run: &Run) {
    let finished = run.finished();
    assert_eq!(run.text(), "I look.");
    assert_eq!(run.reasoning(), "First.\n\nSecond.");
    assert_eq!(arguments(run), owned(&[("call_1", "{\"path\":\"a\"}")]));
    assert_eq!(finished.stop, StopReason::ToolUse);
    assert_eq!(finished.repairs, Vec::<String>::new());
    let kinds: Vec<&str> = finished
        .message
        .parts
        .iter()
        .map(|part| match part {
            Part::Reasoning { .. } => "reasoning",
            Part::Text { .. } => "text",
            Part::ToolCall(_) => "call",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["reasoning", "text", "call"]);
    let Some(Part::Reasoning {
        signature: Some(signature),
        provider,
        ..
    }) = finished.message.parts.first()
    else {
        panic!("the reasoning is signed");
    };
    assert_eq!(provider.as_deref(), Some("openai"));
    let item: Value = serde_json::from_str(signature).expect("the item");
    let mut expected = reasoning("rs_1", &["First.", "Second."], "gAAAA");
    expected
        .as_object_mut()
        .expect("an object")
        .remove("status");
    assert_eq!(
        item, expected,
        "without the fields that a request may not have"
    );
}

#[test]
fn what_comes_three_times_counts_once() {
    let run = stream(&whole_answer());
    assert_whole(&run);
    let usage = run.finished().usage.expect("usage");
    assert_eq!(
        (usage.input, usage.cached, usage.output, usage.reasoning),
        (100, 64, 30, 20)
    );
    let shown: String = run
        .deltas
        .iter()
        .filter_map(|delta| match delta {
            Delta::Text(text) => Some(text.as_str()),
            _ => None,
        })
        .collect();
    assert_eq!(shown, "I look.");
}

#[test]
fn each_of_the_three_forms_is_enough_alone() {
    let kind = |event: &Value| event["type"].as_str().unwrap_or("").to_owned();
    let without = |left_out: &dyn Fn(&str) -> bool| -> Vec<Value> {
        whole_answer()
            .into_iter()
            .filter(|event| !left_out(&kind(event)))
            .collect()
    };
    // Only items that are done, as some backends send them, with an empty list
    // at the end.
    let mut items = without(&|kind| kind != "response.output_item.done");
    items.push(completed(json!([])));
    assert_whole(&stream(&items));
    // Only the list at the end.
    assert_whole(&stream(&without(&|kind| kind != "response.completed")));
    // No item is ever done, and the list is empty; without the item there is
    // no encrypted reasoning either.
    let mut deltas = without(&|kind| kind.ends_with(".done") || kind == "response.completed");
    deltas.push(completed(json!([])));
    let run = stream(&deltas);
    assert_eq!(run.text(), "I look.");
    assert_eq!(run.reasoning(), "First.\n\nSecond.");
    assert_eq!(arguments(&run), owned(&[("call_1", "{\"path\":\"a\"}")]));
    // No deltas at all.
    assert_whole(&stream(&without(&|kind| kind.ends_with(".delta"))));
    // No announcements.
    assert_whole(&stream(&without(&|kind| kind.ends_with(".added"))));
}

#[test]
fn a_whole_document_is_the_same_answer() {
    let events = whole_answer();
    let response = &events.last().expect("the end")["response"];
    assert_whole(&decode(&response.to_string()));
    // Around it, the event that should have carried it.
    assert_whole(&decode(&events.last().expect("the end").to_string()));
}

#[test]
fn fields_that_servers_leave_out_are_not_missed() {
    for left_out in [
        vec!["output_index", "content_index", "summary_index"],
        vec!["item_id"],
        vec!["content_index"],
        vec!["type"],
    ] {
        let mut events = whole_answer();
        let mut body = String::new();
        for event in &mut events {
            let name = event["type"].as_str().expect("a type").to_owned();
            for field in &left_out {
                event.as_object_mut().expect("an object").remove(*field);
            }
            body.push_str(&format!("event: {name}\ndata: {event}\n\n"));
        }
        let run = decode(&body);
        assert_eq!(run.text(), "I look.", "without {left_out:?}");
        assert_eq!(
            arguments(&run),
            owned(&[("call_1", "{\"path\":\"a\"}")]),
            "without {left_out:?}"
        );
        assert!(
            run.reasoning().starts_with("First."),
            "without {left_out:?}"
        );
    }
}

#[test]
fn a_new_id_in_every_event_changes_nothing() {
    let mut events = whole_answer();
    for (number, event) in events.iter_mut().enumerate() {
        for path in ["/item_id", "/item/id"] {
            if let Some(id) = event.pointer_mut(path) {
                *id = json!(format!("{}-{number}", id.as_str().unwrap_or("")));
            }
        }
    }
    let run = stream(&events);
    assert_eq!(run.text(), "I look.");
    assert_eq!(run.reasoning(), "First.\n\nSecond.");
    assert_eq!(arguments(&run), owned(&[("call_1", "{\"path\":\"a\"}")]));
}

#[test]
fn two_messages_are_two_paragraphs() {
    let run = stream(&[
        text_delta("msg_1", 0, "One."),
        done(0, message("msg_1", "One.")),
        text_delta("msg_2", 1, "Two."),
        done(1, message("msg_2", "Two.")),
        completed(json!([message("msg_1", "One."), message("msg_2", "Two.")])),
    ]);
    assert_eq!(run.text(), "One.\n\nTwo.");
}

#[test]
fn the_list_at_the_end_may_use_other_ids() {
    let run = stream(&[
        added(
            0,
            json!({"type": "message", "id": "msg_stream", "content": []}),
        ),
        text_delta("msg_stream", 0, "Hello."),
        completed(json!([message("chatcmpl-1", "Hello.")])),
    ]);
    assert_eq!(run.text(), "Hello.");
}

#[test]
fn the_list_at_the_end_brings_what_was_never_streamed() {
    let run = stream(&[
        text_delta("msg_stream", 0, "One."),
        completed(json!([
            message("other_1", "One."),
            message("other_2", "Two."),
            call("fc_1", "call_1", "{}")
        ])),
    ]);
    assert_eq!(run.text(), "One.\n\nTwo.");
    assert_eq!(arguments(&run), owned(&[("call_1", "{}")]));
}

#[test]
fn a_refusal_is_shown_as_text() {
    let run = stream(&[
        json!({"type": "response.refusal.delta", "item_id": "m", "output_index": 0, "content_index": 0, "delta": "I will not."}),
        json!({"type": "response.refusal.done", "item_id": "m", "output_index": 0, "content_index": 0, "refusal": "I will not."}),
        completed(
            json!([{"type": "message", "id": "m", "content": [{"type": "refusal", "refusal": "I will not."}]}]),
        ),
    ]);
    assert_eq!(run.text(), "I will not.");
}

#[test]
fn reasoning_in_plain_words_is_shown_and_not_signed() {
    let item = json!({"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "",
        "content": [{"type": "reasoning_text", "text": "Hm."}]});
    let run = stream(&[
        json!({"type": "response.reasoning_text.delta", "item_id": "rs_1", "delta": "Hm."}),
        done(0, item.clone()),
        completed(json!([item, message("m", "Yes.")])),
    ]);
    assert_eq!(run.reasoning(), "Hm.");
    assert_eq!(run.text(), "Yes.");
    assert!(matches!(
        run.finished().message.parts[0],
        Part::Reasoning {
            signature: None,
            ..
        }
    ));
}

#[test]
fn both_forms_of_reasoning_are_shown_once() {
    let run = stream(&[
        json!({"type": "response.reasoning_text.delta", "item_id": "rs_1", "delta": "Hm."}),
        json!({"type": "response.reasoning_summary_text.delta", "item_id": "rs_1", "summary_index": 0, "delta": "Hm, in short."}),
        completed(json!([])),
    ]);
    assert_eq!(run.reasoning(), "Hm.");
}

#[test]
fn an_id_that_nobody_takes_back_is_not_kept() {
    for id in ["x".repeat(400), format!("rs_{}", "x".repeat(64))] {
        let run = stream(&[
            done(0, reasoning(&id, &[], "sealed")),
            done(1, message("m", "Done.")),
            completed(json!([])),
        ]);
        let Part::Reasoning { signature, .. } = &run.finished().message.parts[0] else {
            panic!("reasoning comes first");
        };
        let item: Value =
            serde_json::from_str(signature.as_deref().expect("signed")).expect("an item");
        assert_eq!(
            item,
            json!({"type": "reasoning", "summary": [], "encrypted_content": "sealed"})
        );
    }
}

#[test]
fn two_reasoning_items_are_two_parts_each_with_its_signature() {
    let run = stream(&[
        done(0, reasoning("rs_1", &[], "one")),
        done(1, reasoning("rs_2", &["Second"], "two")),
        done(2, message("m", "Done.")),
        completed(json!([])),
    ]);
    let signatures: Vec<&str> = run
        .finished()
        .message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Reasoning { signature, .. } => signature.as_deref(),
            _ => None,
        })
        .collect();
    assert_eq!(signatures.len(), 2);
    assert!(signatures[0].contains("\"one\"") && signatures[1].contains("\"two\""));
}

#[test]
fn the_items_of_the_providers_own_tools_are_kept_and_unknown_ones_noted() {
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "q"}});
    let run = stream(&[
        added(0, search.clone()),
        done(0, search.clone()),
        done(
            1,
            json!({"type": "custom_tool_call", "id": "x", "call_id": "c", "name": "n", "input": "i"}),
        ),
        done(2, message("m", "Found.")),
        completed(json!([search.clone(), message("m", "Found.")])),
    ]);
    assert_eq!(
        run.finished().message.parts[0],
        Part::Opaque {
            provider: "openai".into(),
            raw: search
        }
    );
    assert_eq!(run.text(), "Found.");
    assert_eq!(run.finished().repairs.len(), 1);
    assert!(run.finished().repairs[0].contains("custom_tool_call"));
}

#[test]
fn an_early_end_says_why() {
    for (reason, stop) in [
        ("max_output_tokens", StopReason::MaxTokens),
        ("content_filter", StopReason::ContentFilter),
        ("something_new", StopReason::MaxTokens),
    ] {
        let response = json!({"status": "incomplete", "incomplete_details": {"reason": reason},
            "output": [message("m", "Half")]});
        let event = json!({"type": "response.incomplete", "response": response});
        for run in [stream(&[event]), decode(&response.to_string())] {
            assert_eq!(run.finished().stop, stop, "{reason}");
            assert_eq!(run.text(), "Half");
        }
    }
}
