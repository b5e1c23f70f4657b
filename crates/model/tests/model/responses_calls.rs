//! Calls in the Responses format: mixed, nameless, twice, or cut.

use crate::responses::{added, arguments, arguments_delta, call, completed, done, owned, stream};
use serde_json::{Value, json};
use tenon_vocab::StopReason;

#[test]
fn every_item_at_place_zero_keeps_calls_apart() {
    let run = stream(&[
        added(0, call("fc_1", "call_1", "")),
        arguments_delta("fc_1", 0, "{\"a\":1}"),
        added(0, call("fc_2", "call_2", "")),
        arguments_delta("fc_2", 0, "{\"b\":2}"),
        done(0, call("fc_1", "call_1", "{\"a\":1}")),
        done(0, call("fc_2", "call_2", "{\"b\":2}")),
        completed(json!([
            call("fc_1", "call_1", "{\"a\":1}"),
            call("fc_2", "call_2", "{\"b\":2}")
        ])),
    ]);
    assert_eq!(
        arguments(&run),
        owned(&[("call_1", "{\"a\":1}"), ("call_2", "{\"b\":2}")])
    );
}

#[test]
fn deltas_of_two_calls_that_mix_go_to_their_calls() {
    let run = stream(&[
        added(0, call("fc_1", "call_1", "")),
        added(1, call("fc_2", "call_2", "")),
        arguments_delta("fc_2", 1, "{\"b\""),
        arguments_delta("fc_1", 0, "{\"a\""),
        arguments_delta("fc_2", 1, ":2}"),
        arguments_delta("fc_1", 0, ":1}"),
        completed(json!([])),
    ]);
    assert_eq!(
        arguments(&run),
        owned(&[("call_1", "{\"a\":1}"), ("call_2", "{\"b\":2}")])
    );
}

#[test]
fn a_call_whose_name_comes_late_is_whole() {
    let run = stream(&[
        added(
            0,
            json!({"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "", "arguments": ""}),
        ),
        arguments_delta("fc_1", 0, "{\"path\":\"a\"}"),
        done(0, call("fc_1", "call_1", "{\"path\":\"a\"}")),
        completed(json!([call("fc_1", "call_1", "{\"path\":\"a\"}")])),
    ]);
    assert_eq!(arguments(&run), owned(&[("call_1", "{\"path\":\"a\"}")]));
    assert_eq!(run.calls()[0].name, "read");
}

#[test]
fn what_the_deltas_lack_is_taken_from_the_whole_item() {
    let run = stream(&[
        added(0, call("fc_1", "call_1", "")),
        arguments_delta("fc_1", 0, "{\"path\":"),
        done(0, call("fc_1", "call_1", "{\"path\":\"a\"}")),
        completed(json!([])),
    ]);
    assert_eq!(arguments(&run), owned(&[("call_1", "{\"path\":\"a\"}")]));
}

#[test]
fn arguments_that_differ_are_those_that_were_streamed_and_it_is_noted() {
    let run = stream(&[
        added(0, call("fc_1", "call_1", "")),
        arguments_delta("fc_1", 0, "{\"path\":\"a\"}"),
        done(0, call("fc_1", "call_1", "{\"path\":\"b\"}")),
        completed(json!([])),
    ]);
    assert_eq!(arguments(&run), owned(&[("call_1", "{\"path\":\"a\"}")]));
    assert_eq!(run.finished().repairs.len(), 1);
}

#[test]
fn arguments_as_an_object_are_understood() {
    let run = stream(&[
        done(
            0,
            json!({"type": "function_call", "call_id": "call_1", "name": "read", "arguments": {"path": "a"}}),
        ),
        completed(json!([])),
    ]);
    assert_eq!(arguments(&run), owned(&[("call_1", "{\"path\":\"a\"}")]));
}

#[test]
fn two_calls_with_the_same_id_are_two_calls() {
    let run = stream(&[
        done(0, call("fc_1", "call_0", "{\"a\":1}")),
        done(1, call("fc_2", "call_0", "{\"b\":2}")),
        completed(json!([
            call("fc_1", "call_0", "{\"a\":1}"),
            call("fc_2", "call_0", "{\"b\":2}")
        ])),
    ]);
    let ids: Vec<_> = arguments(&run);
    assert_eq!(ids.len(), 2);
    assert_ne!(ids[0].0, ids[1].0);
}

#[test]
fn an_id_that_is_used_again_for_another_call_or_place_is_another_item() {
    let by_call = |call_id: &str, arguments: &str| {
        let mut event = done(0, call("fc_0", call_id, arguments));
        event
            .as_object_mut()
            .expect("an object")
            .remove("output_index");
        event
    };
    let run = stream(&[
        by_call("call_1", "{\"a\":1}"),
        by_call("call_2", "{\"b\":2}"),
        completed(json!([])),
    ]);
    assert_eq!(
        arguments(&run),
        owned(&[("call_1", "{\"a\":1}"), ("call_2", "{\"b\":2}")])
    );
    let by_place = |place: u64, arguments: &str| {
        done(
            place,
            json!({"type": "function_call", "id": "fc_0", "name": "read", "arguments": arguments}),
        )
    };
    let run = stream(&[
        by_place(0, "{\"a\":1}"),
        by_place(1, "{\"b\":2}"),
        completed(json!([])),
    ]);
    let arguments: Vec<&str> = run
        .calls()
        .iter()
        .map(|call| call.arguments.as_str())
        .collect();
    assert_eq!(arguments, ["{\"a\":1}", "{\"b\":2}"]);
}

#[test]
fn a_call_that_was_cut_before_its_first_argument_does_not_run_with_none() {
    let run = stream(&[
        added(0, call("fc_1", "call_1", "")),
        json!({"type": "response.incomplete", "response": {"status": "incomplete",
            "incomplete_details": {"reason": "max_output_tokens"}, "output": [call("fc_1", "call_1", "")]}}),
    ]);
    assert_eq!(run.finished().stop, StopReason::MaxTokens);
    assert_eq!(run.calls()[0].arguments, "{");
}

#[test]
fn a_call_that_the_server_says_is_incomplete_does_not_run_however_closed_it_looks() {
    let cut = |arguments: &str| {
        let mut item = call("fc_1", "c1", arguments);
        item["status"] = json!("incomplete");
        item
    };
    let closed = "{\"path\": \"a\"}";
    let whole = call("fc_1", "c1", closed);
    let streamed = |last: Value, end: Value| {
        let mut opened = call("fc_1", "c1", "");
        opened["status"] = json!("in_progress");
        stream(&[
            added(0, opened),
            arguments_delta("fc_1", 0, closed),
            done(0, last),
            completed(end),
        ])
    };
    for run in [
        streamed(cut(closed), json!([])),
        streamed(cut(closed), json!([cut(closed)])),
        streamed(whole.clone(), json!([cut(closed)])),
        stream(&[completed(json!([cut(closed)]))]),
        stream(&[completed(json!([cut("")]))]),
    ] {
        let found = arguments(&run);
        assert_eq!(found.len(), 1, "the model is told: {found:?}");
        assert!(tenon_model::is_cut(&found[0].1), "{found:?}");
    }
    let fine = streamed(whole.clone(), json!([whole]));
    assert_eq!(arguments(&fine), owned(&[("c1", closed)]));
}
