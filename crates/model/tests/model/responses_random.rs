//! Hostile bytes and mixed events in the Responses format: no panic, one end,
//! and neither the cuts of the network nor the order of items changes anything.

use crate::support::{Run, resume};
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};
use tenon_model::Quirks;
use tenon_model::codec::{Codec, Responses, ResponsesOptions};

fn codec() -> Responses {
    Responses::new(Quirks::default(), "openai", ResponsesOptions::default())
}

fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Run {
    resume(codec().reader(), Vec::new(), pieces)
}

/// Bytes that get past the first checks more often than noise does.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..8),
        prop::sample::select(vec![
            "data: ", "\n\n", "\r\n", "event: error\n", "event: response.output_text.delta\n", "[DONE]", "{", "}", "[", "]",
            "\"type\":\"response.output_item.done\",", "\"item\":{\"type\":\"message\",\"content\":", "\"delta\":",
            "\"item_id\":\"a\",", "\"output_index\":0,", "\"output_index\":-1,", "\"content_index\":99999999999,", "null", ",", "\"\"",
            "data: {\"type\":\"response.output_text.delta\",\"delta\":\"x\",\"content_index\":70}\n\n",
            "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"a\",\"delta\":\"<think>é\"}\n\n",
            "data: {\"type\":\"response.output_text.delta\",\"item_id\":\"a\",\"delta\":null}\n\n",
            "data: {\"type\":\"response.reasoning_text.delta\",\"item_id\":\"r\",\"delta\":\"h\"}\n\n",
            "data: {\"type\":\"response.reasoning_summary_text.delta\",\"summary_index\":3,\"delta\":\"s\"}\n\n",
            "data: {\"type\":\"response.function_call_arguments.delta\",\"item_id\":\"f\",\"delta\":\"{\"}\n\n",
            "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"function_call\",\"id\":\"f\",\"call_id\":\"c\",\"name\":\"n\"}}\n\n",
            "data: {\"type\":\"response.output_item.added\",\"item\":{\"type\":\"message\"}}\n\n",
            "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"function_call\",\"id\":\"f\",\"name\":\"n\",\"arguments\":{}}}\n\n",
            "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"reasoning\",\"encrypted_content\":\"e\"}}\n\n",
            "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":\"mcp_call\"}}\n\n",
            "data: {\"type\":\"response.output_item.done\",\"item\":{\"type\":7}}\n\n",
            "data: {\"type\":\"response.completed\",\"response\":{\"output\":[{\"type\":\"message\",\"content\":\"z\"},3,null]}}\n\n",
            "data: {\"type\":\"response.incomplete\"}\n\n",
            "data: {\"type\":\"response.failed\",\"response\":null}\n\n",
            "{\"output\":[{\"type\":\"message\",\"content\":[{\"type\":\"output_text\",\"text\":\"t\"}]}]}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

fn text_events(id: &str, index: u64, words: &[&str]) -> Vec<Value> {
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": index, "item": {"type": "message", "id": id}}),
    ];
    events.extend(words.iter().map(|word| {
        json!({"type": "response.output_text.delta", "item_id": id, "output_index": index, "content_index": 0, "delta": word})
    }));
    let content = json!([{"type": "output_text", "text": words.concat()}]);
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": {"type": "message", "id": id, "content": content}}));
    events
}

fn call_events(id: &str, index: u64, pieces: &[&str]) -> Vec<Value> {
    let item = |arguments: String| json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "read", "arguments": arguments});
    let mut events = vec![
        json!({"type": "response.output_item.added", "output_index": index, "item": item(String::new())}),
    ];
    events.extend(pieces.iter().map(|piece| {
        json!({"type": "response.function_call_arguments.delta", "item_id": format!("fc_{id}"), "output_index": index, "delta": piece})
    }));
    events.push(json!({"type": "response.output_item.done", "output_index": index, "item": item(pieces.concat())}));
    events
}

/// What an answer comes to, apart from the order of its parts.
fn sum(run: &Run) -> (String, Vec<(String, String)>) {
    let mut calls: Vec<(String, String)> = run
        .calls()
        .iter()
        .map(|call| (call.id.as_str().to_owned(), call.arguments.clone()))
        .collect();
    calls.sort();
    (run.text(), calls)
}

fn body(events: &[Value]) -> String {
    let mut body: String = events
        .iter()
        .map(|event| format!("data: {event}\n\n"))
        .collect();
    body.push_str("data: {\"type\":\"response.completed\",\"response\":{\"status\":\"completed\",\"output\":[]}}\n\n");
    body
}

proptest! {
    #[test]
    fn random_responses_never_panic_and_cuts_are_irrelevant(
        body in likely_bytes(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let whole = decode([body.as_slice()]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
        assert_eq!(decode(pieces).comparable(), whole.comparable());
    }

    #[test]
    fn items_that_mix_in_any_order_come_to_the_same_answer(
        order in prop::collection::vec(0_usize..4, 40),
        cut in any::<prop::sample::Index>(),
    ) {
        let lanes = [
            text_events("msg_1", 0, &["One ", "two ", "three."]),
            call_events("call_1", 1, &["{\"path\"", ":\"a\"", "}"]),
            call_events("call_2", 2, &["{\"path\":", "\"b\"}"]),
            call_events("call_3", 3, &["{}"]),
        ];
        let straight: Vec<Value> = lanes.iter().flatten().cloned().collect();
        let expected = sum(&decode([body(&straight).as_bytes()]));

        let mut waiting = lanes.map(|lane| lane.into_iter().collect::<std::collections::VecDeque<_>>());
        let mut mixed = Vec::new();
        for lane in order {
            mixed.extend(waiting[lane].pop_front());
        }
        mixed.extend(waiting.into_iter().flatten());
        let body = body(&mixed);
        let (first, second) = body.as_bytes().split_at(cut.index(body.len() + 1));
        assert_eq!(sum(&decode([first, second])), expected);
    }

    #[test]
    fn random_refusals_are_classified_without_panic(status in 0_u16..700, body in likely_bytes()) {
        let error = codec().classify(status, None, &body);
        assert!(error.message.chars().count() < 1_200);
        let _ = codec().parse_models(&body);
    }
}
