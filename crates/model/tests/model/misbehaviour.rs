//! Replies that no specification allows and servers send all the same (P8 to P10).

use crate::support::{call, chunk, decode, decode_text, deltas, events, stream};
use tenon_model::codec::{ChatDecoder, Decoder};
use tenon_model::{Delta, ModelErrorKind};
use tenon_vocab::{Part, Status, StopReason, Usage};

#[test]
fn content_comes_in_every_shape() {
    for (content, text) in [
        (r#""plain""#, "plain"),
        (
            r#"[{"type":"text","text":"a"},{"type":"text","text":"b"}]"#,
            "ab",
        ),
        (r#"["a","b"]"#, "ab"),
        (r#"{"type":"text","text":"one"}"#, "one"),
        (r#"{"type":"text","text":{"value":"deep"}}"#, "deep"),
        (
            r#"[{"type":"image","data":"x"}]"#,
            r#"[{"type":"image","data":"x"}]"#,
        ),
        (r#"{"answer": 42}"#, r#"{"answer":42}"#),
        ("42", "42"),
        ("null", ""),
        ("[]", ""),
        ("{}", ""),
        (r#"[{"type":"text","text":""}]"#, ""),
    ] {
        let run = deltas(&[&format!(r#"{{"content":{content}}}"#)], "stop");
        assert_eq!(run.text(), text, "{content}");
    }
}

#[test]
fn reasoning_is_kept_apart_under_each_of_its_names_and_only_once() {
    for delta in [
        r#"{"reasoning_content":"why"}"#,
        r#"{"reasoning":"why"}"#,
        r#"{"reasoning_details":[{"type":"reasoning.text","text":"why"}]}"#,
        r#"{"reasoning_details":[{"type":"reasoning.summary","summary":"why"},{"type":"reasoning.encrypted","data":"x"}]}"#,
        r#"{"reasoning":"why","reasoning_content":"why","reasoning_details":[{"text":"why"}]}"#,
        r#"{"reasoning":"why","reasoning_content":null,"content":null}"#,
        r#"{"content":[{"type":"thinking","thinking":[{"type":"text","text":"why"}]}]}"#,
    ] {
        let run = deltas(&[delta, r#"{"content":"answer"}"#], "stop");
        assert_eq!(run.reasoning(), "why", "{delta}");
        assert_eq!(run.text(), "answer", "{delta}");
        assert!(
            run.deltas.contains(&Delta::Reasoning("why".into())),
            "{delta}"
        );
    }
}

#[test]
fn reasoning_in_tags_never_reaches_the_answer() {
    for (content, answer, reasoning) in [
        ("<think>why</think>\\n\\nanswer", "answer", "why"),
        ("reasoning...</think>answer", "answer", "reasoning..."),
        (
            "<think>a<think>b</think>c</think>d",
            "d",
            "a<think>b</think>c",
        ),
        (
            "the tag `</think>` ends it",
            "the tag `</think>` ends it",
            "",
        ),
        (
            "<think>use <think> here</think>answer",
            "answer",
            "use <think> here",
        ),
        ("<think>\\n\\n</think>\\n\\nanswer", "answer", ""),
        ("</think>answer", "answer", ""),
        ("<think>never closed", "", "never closed"),
        ("x < y and <think", "x < y and <think", ""),
    ] {
        let whole = deltas(&[&format!(r#"{{"content":"{content}"}}"#)], "stop");
        assert_eq!(whole.text(), answer, "{content}");
        assert_eq!(whole.reasoning(), reasoning, "{content}");
        let plain = content.replace("\\n", "\n");
        let letters: Vec<String> = plain
            .chars()
            .map(|letter| serde_json::json!({"content": letter.to_string()}).to_string())
            .collect();
        let letters: Vec<&str> = letters.iter().map(String::as_str).collect();
        let streamed = deltas(&letters, "stop");
        assert_eq!(streamed.finished(), whole.finished(), "{content}");
    }
}

#[test]
fn parts_keep_the_order_in_which_they_came() {
    let run = deltas(
        &[
            r#"{"reasoning_content":"r"}"#,
            r#"{"content":"a"}"#,
            &call(r#""index":0,"id":"x","function":{"name":"read","arguments":"{}"}"#),
            r#"{"content":"b"}"#,
        ],
        "tool_calls",
    );
    let kinds: Vec<&str> = run
        .finished()
        .message
        .parts
        .iter()
        .map(|part| match part {
            Part::Reasoning { .. } => "reasoning",
            Part::Text { text } => text,
            Part::ToolCall(_) => "call",
            _ => "other",
        })
        .collect();
    assert_eq!(kinds, ["reasoning", "a", "call", "b"]);
}

#[test]
fn usage_is_taken_from_any_chunk() {
    let usage = r#""usage":{"prompt_tokens":10,"completion_tokens":5,"prompt_tokens_details":{"cached_tokens":8},"completion_tokens_details":{"reasoning_tokens":2}}"#;
    let expected = Usage {
        input: 10,
        output: 5,
        cached: 8,
        cache_write: 0,
        reasoning: 2,
        estimated: false,
    };
    for chunks in [
        vec![format!(r#"{{"choices":[],{usage}}}"#)],
        vec![format!(r#"{{{usage}}}"#)],
        vec![format!(r#"{{"choices":[{{"delta":{{}},{usage}}}]}}"#)],
        vec![format!(r#"{{"x_groq":{{{usage}}},"choices":[]}}"#)],
        vec![
            format!(r#"{{"choices":[],{usage}}}"#),
            r#"{"usage":{"prompt_tokens":0,"completion_tokens":0}}"#.into(),
        ],
        vec![
            format!(r#"{{"choices":[],{usage}}}"#),
            r#"{"usage":null,"choices":[]}"#.into(),
        ],
    ] {
        let mut all = vec![chunk(r#"{"content":"x"}"#)];
        all.extend(chunks);
        let all: Vec<&str> = all.iter().map(String::as_str).collect();
        let run = stream(&all);
        assert_eq!(run.finished().usage, Some(expected), "{all:?}");
        assert_eq!(run.finished().message.usage, Some(expected));
    }
    assert_eq!(
        deltas(&[r#"{"content":"x"}"#], "stop").finished().usage,
        None
    );
    let absurd = stream(&[r#"{"usage":{"prompt_tokens":1e300,"completion_tokens":-5}}"#]);
    assert!(
        absurd
            .finished()
            .usage
            .is_some_and(|usage| usage.total() < u64::MAX)
    );
}

#[test]
fn finish_reasons_are_normalised() {
    for (reason, stop) in [
        ("stop", StopReason::EndTurn),
        ("length", StopReason::MaxTokens),
        ("content_filter", StopReason::ContentFilter),
        ("SAFETY", StopReason::ContentFilter),
        ("error", StopReason::Error),
        ("tool_calls", StopReason::EndTurn),
        ("whatever", StopReason::EndTurn),
    ] {
        assert_eq!(
            deltas(&[r#"{"content":"x"}"#], reason).finished().stop,
            stop,
            "{reason}"
        );
    }
    assert_eq!(
        deltas(&[r#"{"content":"x"}"#], "whatever")
            .finished()
            .repairs,
        ["unknown finish_reason `whatever`"]
    );
}

#[test]
fn an_end_is_a_finish_reason_or_done_and_nothing_else() {
    let text = chunk(r#"{"content":"so far"}"#);
    assert_eq!(stream(&[&text]).text(), "so far");
    let no_done = format!(
        "data: {text}\n\ndata: {{\"choices\":[{{\"delta\":{{}},\"finish_reason\":\"stop\"}}]}}"
    );
    assert_eq!(decode_text(&no_done).text(), "so far");
    let run = decode_text(&format!("data: {text}\n\n"));
    assert_eq!(run.error().kind, ModelErrorKind::Broken);
    let partial = run.error().partial.as_deref().expect("what had come");
    assert_eq!(
        (partial.text().as_str(), partial.status),
        ("so far", Status::Broken)
    );
}

#[test]
fn what_follows_done_is_ignored() {
    let body = events(&[&chunk(r#"{"content":"x"}"#)]);
    let run = decode_text(&format!("{body}data: {}\n\n", chunk(r#"{"content":"y"}"#)));
    assert_eq!(run.text(), "x");
}

#[test]
fn a_document_answers_a_streamed_request_and_events_a_whole_one() {
    let document = r#" {"choices":[{"message":{"role":"assistant","content":"Hi"},"finish_reason":"stop"}]} trailing"#;
    assert_eq!(decode_text(document).text(), "Hi");
    let crlf = "\u{feff}: ping\r\ndata:{\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\r\n\r\ndata:[DONE]\r\n\r\n";
    assert_eq!(decode_text(crlf).text(), "Hi");
    let message_in_event = r#"{"choices":[{"message":{"content":"Hi"},"finish_reason":"stop"}]}"#;
    assert_eq!(stream(&[message_in_event]).text(), "Hi");
}

#[test]
fn a_document_that_is_only_one_chunk_is_no_answer() {
    let run = decode_text(&format!(
        "{}\n{}\n",
        chunk(r#"{"content":"a"}"#),
        chunk(r#"{"content":"b"}"#)
    ));
    assert_eq!(run.error().kind, ModelErrorKind::Protocol);
}

#[test]
fn only_the_first_choice_counts() {
    let run = stream(&[
        r#"{"choices":[{"index":0,"delta":{"content":"a"}},{"index":1,"delta":{"content":"b"}}]}"#,
    ]);
    assert_eq!(run.text(), "a");
    // Also when another one comes first, alone, in the plain form of a chunk.
    let run = stream(&[
        r#"{"choices":[{"index":1,"delta":{"content":"b"}}]}"#,
        r#"{"choices":[{"index":1,"delta":{"content":"c"},"finish_reason":"stop"}]}"#,
        r#"{"choices":[{"index":0,"delta":{"content":"a"}}]}"#,
        r#"{"choices":[{"delta":{"content":"d"},"finish_reason":"stop"}]}"#,
    ]);
    assert_eq!(run.text(), "ad");
}

#[test]
fn a_chunk_that_is_no_json_is_an_error_with_what_had_come() {
    let run = decode_text(&format!(
        "data: {}\n\ndata: {{oops\n\n",
        chunk(r#"{"content":"a"}"#)
    ));
    assert_eq!(run.error().kind, ModelErrorKind::Protocol);
    assert_eq!(
        run.error()
            .partial
            .as_deref()
            .map(tenon_vocab::Message::text),
        Some("a".into())
    );
}

#[test]
fn bytes_that_are_no_text_cost_one_character_and_not_the_answer() {
    let body = [
        b"data: {\"choices\":[{\"delta\":{\"content\":\"a\xFFb\"}}]}\n\n".as_slice(),
        b"data: [DONE]\n\n",
    ]
    .concat();
    assert_eq!(decode([body.as_slice()]).text(), "a\u{fffd}b");
}

#[test]
fn only_content_counts_as_a_sign_of_life() {
    let mut decoder = ChatDecoder::new();
    let mut seen = Vec::new();
    let mut push = |text: &str, decoder: &mut ChatDecoder| {
        decoder
            .push(text.as_bytes(), &mut |delta| seen.push(delta))
            .expect("no error");
        decoder.content_events()
    };
    assert_eq!(push(": keep-alive\n\n", &mut decoder), 0);
    assert_eq!(
        push(
            &format!(
                "data: {}\n\n",
                chunk(r#"{"role":"assistant","content":""}"#)
            ),
            &mut decoder
        ),
        0
    );
    assert_eq!(push("data: {\"choices\":[]}\n\n", &mut decoder), 0);
    assert_eq!(
        push(
            &format!("data: {}\n\n", chunk(r#"{"content":"x"}"#)),
            &mut decoder
        ),
        1
    );
    assert_eq!(
        push(
            &format!("data: {}\n\n", chunk(r#"{"reasoning":"x"}"#)),
            &mut decoder
        ),
        2
    );
    let entry = chunk(&call(
        r#""index":0,"id":"a","function":{"name":"read","arguments":"{"}"#,
    ));
    assert_eq!(push(&format!("data: {entry}\n\n"), &mut decoder), 3);
    assert!(!decoder.is_done());
    push("data: [DONE]\n\n", &mut decoder);
    assert!(decoder.is_done());
    assert!(seen.contains(&Delta::ToolCall {
        index: 0,
        name: "read".into(),
        bytes: 1
    }));
}

#[test]
fn an_endless_answer_is_stopped() {
    let piece = format!(
        "data: {}\n\n",
        chunk(&format!(r#"{{"content":"{}"}}"#, "x".repeat(4 << 20)))
    );
    let mut decoder = ChatDecoder::new();
    let refused = (0..40).find_map(|_| decoder.push(piece.as_bytes(), &mut |_| {}).err());
    assert_eq!(refused.expect("a limit").kind, ModelErrorKind::Protocol);
    let calls: Vec<String> = (0..300)
        .map(|n| {
            format!(
                r#"{{"index":{n},"id":"c{n}","function":{{"name":"read","arguments":"{{}}"}}}}"#
            )
        })
        .collect();
    let run = deltas(
        &[&format!(r#"{{"tool_calls":[{}]}}"#, calls.join(","))],
        "tool_calls",
    );
    assert_eq!(run.error().kind, ModelErrorKind::Protocol);
    let document = format!("{{\"x\":\"{}", "x".repeat(17 << 20));
    assert_eq!(
        decode_text(&document).error().kind,
        ModelErrorKind::Protocol
    );
}

/// llama-cpp-python does this to an answer when another request arrives.
#[test]
fn an_answer_that_is_done_before_it_began_is_broken_and_not_empty() {
    let body = "data: {\"choices\":[{\"delta\":{\"role\":\"assistant\",\"content\":null}}]}\n\ndata: [DONE]\n\n";
    let mut decoder = ChatDecoder::new();
    let mut deltas = Vec::new();
    decoder
        .push(body.as_bytes(), &mut |delta| deltas.push(delta))
        .unwrap();
    let error = decoder.finish(&mut |delta| deltas.push(delta)).unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Broken);
    assert!(error.is_retryable());
    assert_eq!(deltas, []);
}

#[test]
fn a_call_in_an_answer_that_the_provider_stopped_is_left_out() {
    for reason in ["content_filter", "refusal", "error"] {
        let body = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"tool_calls\":[{{\"index\":0,\"id\":\"a\",\"function\":{{\"name\":\"write\",\"arguments\":\"{{}}\"}}}}]}},\"finish_reason\":\"{reason}\"}}]}}\n\ndata: [DONE]\n\n"
        );
        let mut decoder = ChatDecoder::new();
        let mut finished = None;
        let mut sink = |delta| {
            if let tenon_model::Delta::Finished(end) = delta {
                finished = Some(end);
            }
        };
        decoder.push(body.as_bytes(), &mut sink).unwrap();
        decoder.finish(&mut sink).unwrap();
        let finished = finished.unwrap();
        assert_eq!(finished.message.tool_calls().count(), 0, "{reason}");
        assert!(finished.repairs[0].contains("write"), "{reason}");
    }
}

#[test]
fn how_far_a_server_has_read_is_told_and_is_no_content() {
    let progress = |told: &str| {
        format!(
            r#"{{"choices":[{{"index":0,"delta":{{"role":"assistant","content":null}},"finish_reason":null}}],"prompt_progress":{told}}}"#
        )
    };
    let run = stream(&[
        &progress(r#"{"total":1000,"cache":100,"processed":430,"time_ms":5}"#),
        &progress(r#"{"total":0,"cache":0,"processed":0}"#),
        &progress(r#"{"total":5,"processed":99999}"#),
        &progress(r#""soon""#),
        r#"{"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}"#,
    ]);
    let read: Vec<u8> = run
        .deltas
        .iter()
        .filter_map(|delta| match delta {
            Delta::Reading { percent } => Some(*percent),
            _ => None,
        })
        .collect();
    assert_eq!(
        (read.as_slice(), run.text()),
        ([43, 100].as_slice(), String::from("a"))
    );
}
