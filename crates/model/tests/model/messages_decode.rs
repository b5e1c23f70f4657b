//! Replies in the Messages format as they should be (P3).

use crate::messages_events::{
    blocks, decode, delta, events, input, kinds, signature, start, stop, text, thinking, tool,
    whole,
};
use serde_json::json;
use tenon_model::codec::{Codec, Messages};
use tenon_model::{Delta, Quirks};
use tenon_vocab::{Part, StopReason, Usage};

#[test]
fn a_whole_reply_keeps_its_parts_in_order_with_usage_and_signature() {
    let run = blocks(
        &[
            start(
                0,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            thinking(0, "I should "),
            thinking(0, "read."),
            signature(0, "EqQB"),
            stop(0),
            start(1, json!({"type": "redacted_thinking", "data": "EmwK"})),
            stop(1),
            start(2, json!({"type": "text", "text": ""})),
            text(2, "Reading"),
            text(2, " it."),
            stop(2),
            tool(3, "toolu_1"),
            input(3, ""),
            input(3, "{\"path\": \"a"),
            input(3, ".txt\"}"),
            stop(3),
            tool(4, "toolu_2"),
            stop(4),
        ],
        "tool_use",
    );
    let finished = run.finished();
    assert_eq!(
        kinds(&run),
        ["reasoning", "opaque", "Reading it.", "call", "call"]
    );
    assert_eq!(
        finished.message.parts[0],
        Part::Reasoning {
            text: "I should read.".into(),
            signature: Some("EqQB".into()),
            provider: Some(String::new()),
        }
    );
    assert_eq!(
        finished.message.parts[1],
        Part::Opaque {
            provider: String::new(),
            raw: json!({"type": "redacted_thinking", "data": "EmwK"}),
        }
    );
    let calls = run.calls();
    assert_eq!(calls[0].id.as_str(), "toolu_1");
    assert_eq!(calls[0].arguments, r#"{"path": "a.txt"}"#);
    assert_eq!(calls[1].arguments, "");
    assert_eq!(finished.stop, StopReason::ToolUse);
    assert_eq!(
        finished.usage,
        Some(Usage {
            input: 330,
            output: 42,
            cached: 300,
            cache_write: 20,
            reasoning: 0,
            estimated: false,
        })
    );
    assert!(finished.repairs.is_empty(), "{:?}", finished.repairs);
    assert!(run.deltas.contains(&Delta::Reasoning("I should ".into())));
    assert!(run.deltas.contains(&Delta::Text(" it.".into())));
}

#[test]
fn the_owner_is_the_one_the_codec_was_made_for() {
    let codec = Messages::new(Quirks::default(), "anthropic/opus");
    let mut decoder = codec.decoder();
    let body = whole(
        &[
            start(0, json!({"type": "thinking", "thinking": ""})),
            signature(0, "S"),
            stop(0),
        ],
        "end_turn",
    );
    let mut parts = Vec::new();
    let mut sink = |delta| {
        if let Delta::Finished(finished) = delta {
            parts = finished.message.parts;
        }
    };
    decoder.push(body.as_bytes(), &mut sink).expect("whole");
    assert!(decoder.is_done());
    decoder.finish(&mut sink).expect("whole");
    // Some models sign what they thought and do not show it.
    assert_eq!(
        parts,
        [Part::Reasoning {
            text: String::new(),
            signature: Some("S".into()),
            provider: Some("anthropic/opus".into()),
        }]
    );
}

#[test]
fn two_blocks_of_thinking_stay_two() {
    let run = blocks(
        &[
            start(
                0,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            thinking(0, "a"),
            signature(0, "A"),
            // Its end is missing.
            start(
                1,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            thinking(1, "b"),
            signature(1, "B"),
            stop(1),
            start(2, json!({"type": "text", "text": ""})),
            text(2, "c"),
        ],
        "end_turn",
    );
    let signed: Vec<(&str, Option<&str>)> = run
        .finished()
        .message
        .parts
        .iter()
        .filter_map(|part| match part {
            Part::Reasoning {
                text, signature, ..
            } => Some((text.as_str(), signature.as_deref())),
            _ => None,
        })
        .collect();
    assert_eq!(signed, [("a", Some("A")), ("b", Some("B"))]);
    assert_eq!(run.text(), "c");
}

#[test]
fn reasons_to_stop_are_normalised() {
    for (reason, expected) in [
        ("end_turn", StopReason::EndTurn),
        ("stop_sequence", StopReason::EndTurn),
        ("pause_turn", StopReason::EndTurn),
        ("max_tokens", StopReason::MaxTokens),
        ("model_context_window_exceeded", StopReason::MaxTokens),
        ("refusal", StopReason::ContentFilter),
        ("tool_use", StopReason::EndTurn),
    ] {
        let run = blocks(&[text(0, "hi")], reason);
        assert_eq!(run.finished().stop, expected, "{reason}");
        assert!(run.finished().repairs.is_empty(), "{reason}");
    }
    let run = blocks(&[tool(0, "a")], "end_turn");
    assert_eq!(run.finished().stop, StopReason::ToolUse);
    let run = blocks(&[text(0, "hi")], "bored");
    assert_eq!(run.finished().stop, StopReason::EndTurn);
    assert_eq!(run.finished().repairs, ["unknown stop_reason `bored`"]);
}

#[test]
fn a_call_that_was_cut_by_the_limit_does_not_look_whole() {
    let run = blocks(&[tool(0, "a")], "max_tokens");
    assert_eq!(run.calls()[0].arguments, "{");
    assert!(run.finished().repairs[0].contains("cut"));
}

#[test]
fn counts_may_come_late_and_a_nought_does_not_replace_them() {
    let late = events(&[
        json!({"type": "message_start", "message": {"usage": {"input_tokens": 0, "output_tokens": 0}}}),
        text(0, "hi"),
        json!({"type": "message_delta", "delta": {}, "usage": {"output_tokens": 3}}),
        text(0, "!"),
        json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
            "usage": {"input_tokens": 7, "cache_read_input_tokens": 5, "output_tokens": 4,
                      "output_tokens_details": {"thinking_tokens": 2}}}),
        json!({"type": "message_delta", "delta": {}, "usage": {"input_tokens": 0, "output_tokens": 0}}),
        json!({"type": "message_stop"}),
    ]);
    let run = decode(&late);
    assert_eq!(run.text(), "hi!");
    let usage = run.finished().usage.expect("usage");
    assert_eq!(
        (usage.input, usage.cached, usage.output, usage.reasoning),
        (12, 5, 4, 2)
    );
    let huge = json!({"input_tokens": 1e300, "cache_read_input_tokens": u64::MAX,
        "cache_creation_input_tokens": u64::MAX, "output_tokens": -5});
    let run = decode(&json!({"content": [], "stop_reason": "end_turn", "usage": huge}).to_string());
    assert!(run.finished().usage.is_some());
}

#[test]
fn a_document_is_read_where_a_stream_was_asked_for() {
    let run = decode(
        &json!({
            "id": "msg_1", "type": "message", "role": "assistant", "model": "m",
            "content": [
                {"type": "thinking", "thinking": "hm", "signature": "S"},
                {"type": "text", "text": "Reading."},
                {"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}},
                {"type": "tool_use", "id": "b", "name": "read", "input": {}},
            ],
            "stop_reason": "tool_use", "usage": {"input_tokens": 5, "output_tokens": 6},
        })
        .to_string(),
    );
    assert_eq!(kinds(&run), ["reasoning", "Reading.", "call", "call"]);
    assert_eq!(run.calls()[0].arguments, r#"{"path":"x"}"#);
    assert_eq!(run.reasoning(), "hm");
    assert_eq!(run.finished().usage.map(|usage| usage.total()), Some(11));
    assert!(run.finished().repairs.is_empty());
    assert_eq!(
        decode(r#"{"content":"plain","stop_reason":"end_turn"}"#).text(),
        "plain"
    );
}

#[test]
fn what_only_the_provider_understands_is_kept_whole() {
    let run = blocks(
        &[
            start(
                0,
                json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search", "input": {}}),
            ),
            input(0, "{\"query\":"),
            input(0, "\"tenons\"}"),
            stop(0),
            start(
                1,
                json!({"type": "web_search_tool_result", "tool_use_id": "srvtoolu_1", "content": []}),
            ),
            stop(1),
            start(2, json!({"type": "text", "text": ""})),
            delta(
                2,
                json!({"type": "citations_delta", "citation": {"cited_text": "x"}}),
            ),
            text(2, "Found."),
            stop(2),
        ],
        "end_turn",
    );
    assert_eq!(kinds(&run), ["opaque", "opaque", "Found."]);
    let Part::Opaque { raw, .. } = &run.finished().message.parts[0] else {
        panic!("opaque");
    };
    assert_eq!(
        *raw,
        json!({"type": "server_tool_use", "id": "srvtoolu_1", "name": "web_search",
            "input": {"query": "tenons"}})
    );
}

#[test]
fn reasoning_in_tags_never_reaches_the_answer() {
    let run = blocks(
        &[text(0, "<thi"), text(0, "nk>hm</think>\n\nhi")],
        "end_turn",
    );
    assert_eq!(
        (run.reasoning().as_str(), run.text().as_str()),
        ("hm", "hi")
    );
}
