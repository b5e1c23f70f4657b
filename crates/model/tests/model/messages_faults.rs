//! Replies in the Messages format that no specification allows and servers send
//! all the same (P8 to P10).

use crate::messages_events::{
    blocks, decode, delta, events, input, kinds, message_delta, message_start, signature, start,
    stop, text, thinking, tool, whole,
};
use serde_json::{Value, json};
use tenon_model::ModelErrorKind;
use tenon_model::codec::{Decoder, MessagesDecoder};
use tenon_vocab::{Part, Role, Status, StopReason};

#[test]
fn what_is_thought_behind_a_signature_is_not_covered_by_it() {
    let run = blocks(
        &[
            start(0, json!({"type": "thinking"})),
            thinking(0, "a"),
            signature(0, "S1"),
            signature(0, "S2"),
            thinking(0, "b"),
            signature(0, "S3"),
            stop(0),
            // A block that ends nowhere still stands where it began.
            start(1, json!({"type": "redacted_thinking", "data": "D"})),
            start(2, json!({"type": "text", "text": "c"})),
        ],
        "end_turn",
    );
    let parts = &run.finished().message.parts;
    let thought = |text: &str, signature: Option<&str>| Part::Reasoning {
        text: text.into(),
        signature: signature.map(String::from),
        provider: signature.map(|_| String::new()),
    };
    assert_eq!(parts[0], thought("a", Some("S1S2")));
    assert_eq!(parts[1], thought("b", None));
    assert!(matches!(&parts[2], Part::Opaque { .. }));
    assert_eq!(parts[3], Part::text("c"));
}

#[test]
fn a_signature_of_thinking_that_was_torn_apart_is_left_out() {
    for torn in [
        vec![
            start(0, json!({"type": "thinking"})),
            thinking(0, "a"),
            start(1, json!({"type": "text"})),
            text(1, "x"),
            thinking(0, "b"),
            signature(0, "S"),
        ],
        vec![
            start(0, json!({"type": "thinking"})),
            thinking(0, "ab"),
            stop(0),
            signature(0, "S"),
        ],
        vec![
            start(0, json!({"type": "text", "text": "x"})),
            signature(0, "S"),
        ],
        vec![signature(0, "S")],
    ] {
        let run = blocks(&torn, "end_turn");
        for part in &run.finished().message.parts {
            if let Part::Reasoning { signature, .. } = part {
                assert_eq!(*signature, None, "{torn:?}");
            }
        }
    }
}

#[test]
fn arguments_come_in_pieces_or_whole_and_count_once() {
    let given = json!({"type": "tool_use", "id": "a", "name": "read", "input": {"path": "x"}});
    let bare = json!({"type": "tool_use", "id": "a", "name": "read"});
    for (events, expected) in [
        (vec![start(0, given.clone()), stop(0)], r#"{"path":"x"}"#),
        (vec![start(0, given.clone())], r#"{"path":"x"}"#),
        (
            vec![start(0, given), input(0, r#"{"path": "y"}"#), stop(0)],
            r#"{"path": "y"}"#,
        ),
        (
            vec![start(0, bare.clone()), input(0, r#"{"path": "y"}"#)],
            r#"{"path": "y"}"#,
        ),
        (vec![start(0, bare.clone()), stop(0)], ""),
        // As an object in the place of text.
        (
            vec![
                start(0, bare),
                delta(
                    0,
                    json!({"type": "input_json_delta", "partial_json": {"path": "z"}}),
                ),
            ],
            r#"{"path":"z"}"#,
        ),
    ] {
        let run = blocks(&events, "tool_use");
        assert_eq!(run.calls().len(), 1, "{events:?}");
        assert_eq!(run.calls()[0].arguments, expected, "{events:?}");
        assert_eq!(run.finished().stop, StopReason::ToolUse);
    }
}

#[test]
fn calls_that_are_written_at_the_same_time_do_not_mix() {
    let run = blocks(
        &[
            tool(0, "a"),
            tool(1, "b"),
            input(0, "{\"path\":"),
            input(1, "{\"path\":"),
            input(0, "\"x\"}"),
            input(1, "\"y\"}"),
            stop(1),
            stop(0),
        ],
        "tool_use",
    );
    let found: Vec<(&str, &str)> = run
        .calls()
        .iter()
        .map(|call| (call.id.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(found, [("a", r#"{"path":"x"}"#), ("b", r#"{"path":"y"}"#)]);
}

#[test]
fn blocks_with_wrong_numbers_or_none_are_told_by_what_they_hold() {
    // Everything at 0, and deltas without a beginning.
    let run = blocks(
        &[
            text(0, "a"),
            tool(0, "x"),
            input(0, "{\"path\":\"x\"}"),
            stop(0),
            tool(0, "y"),
            input(0, "{\"path\":\"y\"}"),
            text(7, "b"),
        ],
        "tool_use",
    );
    assert_eq!(kinds(&run), ["a", "call", "call", "b"]);
    assert_eq!(run.calls()[1].arguments, r#"{"path":"y"}"#);
    let without = json!({"type": "content_block_delta", "delta": {"text": "c"}});
    let run = blocks(&[without.clone(), without], "end_turn");
    assert_eq!(run.text(), "cc");
}

#[test]
fn events_without_names_are_told_by_their_type_and_the_other_way_round() {
    let body = whole(&[text(0, "hi")], "end_turn");
    let nameless: String = body
        .lines()
        .filter(|line| !line.starts_with("event:"))
        .map(|line| format!("{line}\r\n"))
        .collect();
    assert_eq!(decode(&nameless).finished(), decode(&body).finished());
    let typeless = "event: content_block_delta\ndata: {\"index\":0,\"delta\":{\"text\":\"hi\"}}\n\n\
                    event: message_delta\ndata: {\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n";
    assert_eq!(decode(typeless).text(), "hi");
}

#[test]
fn an_end_that_was_announced_is_an_end_without_its_last_event() {
    let cut = events(&[message_start(), text(0, "hi"), message_delta("end_turn")]);
    let run = decode(&cut);
    assert_eq!(run.text(), "hi");
    let unannounced = events(&[message_start(), text(0, "hi"), stop(0)]);
    let run = decode(&unannounced);
    assert_eq!(run.error().kind, ModelErrorKind::Broken);
    let partial = run.error().partial.as_deref().expect("a partial message");
    assert_eq!(
        (partial.text().as_str(), partial.status),
        ("hi", Status::Broken)
    );
    assert_eq!(partial.usage.map(|usage| usage.input), Some(330));
}

#[test]
fn a_partial_message_has_whole_calls_only() {
    let cut = events(&[
        message_start(),
        tool(0, "a"),
        input(0, "{\"path\":\"x\"}"),
        stop(0),
        tool(1, "b"),
        input(1, "{\"path\":"),
    ]);
    let run = decode(&cut);
    let partial = run.error().partial.as_deref().expect("a partial message");
    let ids: Vec<&str> = partial.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a"]);
    assert_eq!(partial.role, Role::Assistant);
}

#[test]
fn an_error_in_the_stream_is_an_error_in_the_shape_of_either_api() {
    for (body, kind) in [
        (
            json!({"type": "error", "error": {"type": "overloaded_error", "message": "Overloaded"}}),
            ModelErrorKind::Unavailable,
        ),
        (
            json!({"type": "error", "error": {"type": "api_error", "message": "Internal server error"}}),
            ModelErrorKind::Unavailable,
        ),
        (
            json!({"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down"}}),
            ModelErrorKind::RateLimited,
        ),
        (
            json!({"type": "error", "error": {"type": "authentication_error", "message": "No"}}),
            ModelErrorKind::Auth,
        ),
        (
            json!({"type": "error", "error": {"type": "permission_error", "message": "No"}}),
            ModelErrorKind::Auth,
        ),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "prompt is too long: 210000 tokens > 200000 maximum"}}),
            ModelErrorKind::ContextOverflow,
        ),
        (
            json!({"type": "error", "error": {"type": "invalid_request_error", "message": "messages: bad"}}),
            ModelErrorKind::Rejected,
        ),
        (
            json!({"error": {"code": 500, "message": "boom", "type": "server_error"}}),
            ModelErrorKind::Unavailable,
        ),
    ] {
        for named in [
            format!("event: error\ndata: {body}\n\n"),
            format!("data: {body}\n\n"),
        ] {
            let run = decode(&(events(&[message_start(), text(0, "so far")]) + &named));
            let error = run.error();
            assert_eq!(error.kind, kind, "{named}");
            let partial = error.partial.as_deref().expect("a partial message");
            assert_eq!(partial.text(), "so far");
        }
        let whole = decode(&body.to_string());
        assert_eq!(whole.error().kind, kind, "{body}");
    }
}

#[test]
fn an_answer_in_another_format_is_named_as_such() {
    let chunk = r#"{"choices":[{"delta":{"content":"hi"}}]}"#;
    for body in [format!("data: {chunk}\n\n"), chunk.to_owned()] {
        let run = decode(&body);
        let error = run.error();
        assert_eq!(error.kind, ModelErrorKind::Protocol);
        assert!(
            error
                .hint
                .as_deref()
                .is_some_and(|hint| hint.contains("chat"))
        );
    }
    assert_eq!(decode(r#"{"a":1}"#).error().kind, ModelErrorKind::Protocol);
    assert_eq!(
        decode("data: not json\n\n").error().kind,
        ModelErrorKind::Protocol
    );
    assert_eq!(decode("<html>").error().kind, ModelErrorKind::Protocol);
    assert_eq!(decode("").error().kind, ModelErrorKind::Broken);
}

#[test]
fn silence_is_not_content() {
    let mut decoder = MessagesDecoder::new();
    let quiet = events(&[
        message_start(),
        json!({"type": "ping"}),
        message_delta("end_turn"),
    ]);
    decoder.push(quiet.as_bytes(), &mut |_| {}).expect("events");
    assert_eq!(decoder.content_events(), 0);
    decoder
        .push(events(&[text(0, "a")]).as_bytes(), &mut |_| {})
        .expect("events");
    assert_eq!(decoder.content_events(), 1);
}

#[test]
fn a_reply_without_end_is_stopped() {
    let endless = |event: &Value, times: usize| {
        let mut decoder = MessagesDecoder::new();
        let bytes = events(std::slice::from_ref(event));
        (0..times).find_map(|_| decoder.push(bytes.as_bytes(), &mut |_| {}).err())
    };
    let large = "x".repeat(1024 * 1024);
    for (event, times) in [
        (start(0, json!({"type": "text", "text": ""})), 5_000),
        (start(0, json!({"type": "new_thing", "data": large})), 20),
        (
            start(
                0,
                json!({"type": "tool_use", "id": "a", "name": "b", "input": {"c": large}}),
            ),
            20,
        ),
    ] {
        let error = endless(&event, times).expect("it must be stopped");
        assert_eq!(error.kind, ModelErrorKind::Protocol);
        assert!(error.hint.is_some());
    }
    // What belongs to nothing is not kept, so it may go on.
    assert!(endless(&input(0, &large), 20).is_none());
}
