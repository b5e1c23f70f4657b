//! Tool calls in deltas that no specification allows and servers send all the same.

use crate::support::{Run, call, chunk, decode_text, deltas};
use tenon_model::{Arguments, is_cut, parse_arguments};
use tenon_vocab::StopReason;

fn named_calls(run: &Run) -> Vec<(&str, &str, &str)> {
    run.calls()
        .iter()
        .map(|call| {
            (
                call.id.as_str(),
                call.name.as_str(),
                call.arguments.as_str(),
            )
        })
        .collect()
}

#[test]
fn a_new_id_at_a_used_index_is_a_new_call() {
    let run = deltas(
        &[
            &call(
                r#""index":0,"id":"call_a","function":{"name":"read","arguments":"{\"path\":\"a\"}"}"#,
            ),
            &call(
                r#""index":0,"id":"call_b","function":{"name":"read","arguments":"{\"path\":\"b\"}"}"#,
            ),
        ],
        "tool_calls",
    );
    assert_eq!(
        named_calls(&run),
        [
            ("call_a", "read", r#"{"path":"a"}"#),
            ("call_b", "read", r#"{"path":"b"}"#)
        ]
    );
}

#[test]
fn calls_interleaved_at_one_index_are_told_apart_by_their_ids() {
    let run = deltas(
        &[
            &call(r#""index":0,"id":"a","function":{"name":"read","arguments":"{\"pa"}"#),
            &call(r#""index":0,"id":"b","function":{"name":"list","arguments":""}"#),
            &call(r#""index":0,"id":"a","function":{"arguments":"th\":1}"}"#),
            &call(r#""index":0,"id":"b","function":{"arguments":"{}"}"#),
        ],
        "tool_calls",
    );
    assert_eq!(
        named_calls(&run),
        [("a", "read", r#"{"path":1}"#), ("b", "list", "{}")]
    );
}

#[test]
fn an_entry_without_an_id_goes_on_with_its_index() {
    let run = deltas(
        &[
            r#"{"tool_calls":[{"index":0,"id":"a","function":{"name":"read","arguments":"{\"pa"}},{"index":0,"function":{"arguments":"th\":1}"}}]}"#,
            r#"{"tool_calls":[{"index":1,"id":"b","function":{"name":"list","arguments":"{"}}]}"#,
            r#"{"tool_calls":[{"index":1,"function":{"arguments":"}"}}]}"#,
        ],
        "tool_calls",
    );
    assert_eq!(
        named_calls(&run),
        [("a", "read", r#"{"path":1}"#), ("b", "list", "{}")]
    );
}

#[test]
fn without_id_and_index_the_call_being_written_goes_on() {
    let run = deltas(
        &[
            &call(r#""function":{"name":"read","arguments":"{\"pa"}"#),
            &call(r#""function":{"arguments":"th\":"}"#),
            &call(r#""function":{"arguments":"1}"}"#),
        ],
        "tool_calls",
    );
    assert_eq!(named_calls(&run), [("call_1", "read", r#"{"path":1}"#)]);
    assert_eq!(run.finished().repairs, ["tool call without an id"]);
}

#[test]
fn a_second_object_is_a_second_call_whatever_the_index_says() {
    for fields in ["", r#""index":0,"#, r#""index":0,"id":"same","#] {
        let run = deltas(
            &[
                &call(&format!(
                    r#"{fields}"function":{{"name":"read","arguments":"{{\"path\":1}}"}}"#
                )),
                &call(&format!(
                    r#"{fields}"function":{{"name":"read","arguments":"{{\"path\":2}}"}}"#
                )),
            ],
            "tool_calls",
        );
        let arguments: Vec<&str> = run
            .calls()
            .iter()
            .map(|call| call.arguments.as_str())
            .collect();
        assert_eq!(arguments, [r#"{"path":1}"#, r#"{"path":2}"#], "{fields}");
        let ids: Vec<&str> = run.calls().iter().map(|call| call.id.as_str()).collect();
        assert_ne!(ids[0], ids[1], "{fields}");
    }
}

#[test]
fn a_repeated_name_is_one_name_and_pieces_of_a_name_are_joined() {
    let repeated =
        call(r#""index":0,"id":"a","function":{"name":"read_file","arguments":"{\"a\":"}"#);
    let again = call(r#""index":0,"id":"a","function":{"name":"read_file","arguments":"1}"}"#);
    let last = call(r#""index":0,"id":"a","function":{"name":"read_file","arguments":""}"#);
    let run = deltas(&[&repeated, &again, &last], "tool_calls");
    assert_eq!(named_calls(&run), [("a", "read_file", r#"{"a":1}"#)]);
    let run = deltas(
        &[
            &call(r#""index":0,"id":"a","function":{"name":"read"}"#),
            &call(r#""index":0,"function":{"name":"_file","arguments":""}"#),
            &call(r#""index":0,"function":{"arguments":"{}"}"#),
        ],
        "tool_calls",
    );
    assert_eq!(named_calls(&run), [("a", "read_file", "{}")]);
}

#[test]
fn an_id_that_comes_late_belongs_to_the_call() {
    let run = deltas(
        &[
            &call(r#""index":0,"function":{"name":"read","arguments":""}"#),
            &call(r#""index":0,"id":"late","function":{"arguments":"{}"}"#),
        ],
        "tool_calls",
    );
    assert_eq!(named_calls(&run), [("late", "read", "{}")]);
}

#[test]
fn arguments_come_as_an_object_as_nothing_or_not_at_all() {
    for (arguments, expected) in [
        (r#","arguments":{"path":"a"}"#, r#"{"path":"a"}"#),
        (r#","arguments":"""#, ""),
        (r#","arguments":null"#, ""),
        ("", ""),
    ] {
        let entry = format!(r#"{{"index":0,"id":"a","function":{{"name":"read"{arguments}}}}}"#);
        let streamed = deltas(&[&format!(r#"{{"tool_calls":[{entry}]}}"#)], "tool_calls");
        assert_eq!(named_calls(&streamed), [("a", "read", expected)]);
        let whole = decode_text(&format!(
            r#"{{"choices":[{{"message":{{"content":null,"tool_calls":[{entry}]}},"finish_reason":"tool_calls"}}]}}"#
        ));
        assert_eq!(named_calls(&whole), [("a", "read", expected)]);
    }
}

#[test]
fn an_empty_list_of_calls_is_a_plain_stop() {
    for list in ["[]", "null"] {
        let run = deltas(
            &[&format!(r#"{{"content":"Hi","tool_calls":{list}}}"#)],
            "tool_calls",
        );
        assert_eq!(run.finished().stop, StopReason::EndTurn);
        assert_eq!(run.text(), "Hi");
    }
}

#[test]
fn a_call_that_never_got_a_name_is_left_out() {
    let run = deltas(
        &[&call(r#""index":0,"id":"a","function":{"arguments":"{}"}"#)],
        "tool_calls",
    );
    assert!(run.calls().is_empty());
    assert_eq!(run.finished().stop, StopReason::EndTurn);
    assert_eq!(
        run.finished().repairs,
        ["a tool call without a name was left out"]
    );
}

#[test]
fn a_stop_together_with_calls_means_that_they_shall_run() {
    let run = deltas(
        &[&call(
            r#""index":0,"id":"a","function":{"name":"read","arguments":"{}"}"#,
        )],
        "stop",
    );
    assert_eq!(run.finished().stop, StopReason::ToolUse);
    assert_eq!(run.finished().message.stop, Some(StopReason::ToolUse));
}

#[test]
fn the_old_function_call_is_a_call() {
    let run = deltas(
        &[
            r#"{"function_call":{"name":"read","arguments":"{\"a\""}}"#,
            r#"{"function_call":{"arguments":":1}"}}"#,
        ],
        "function_call",
    );
    assert_eq!(named_calls(&run), [("call_1", "read", r#"{"a":1}"#)]);
    assert_eq!(run.finished().stop, StopReason::ToolUse);
}

#[test]
fn ids_are_unique_within_a_message() {
    let entry = |id: &str| format!(r#"{{{id}"function":{{"name":"read","arguments":"{{}}"}}}}"#);
    let body = format!(
        r#"{{"choices":[{{"message":{{"tool_calls":[{},{},{},{}]}},"finish_reason":"tool_calls"}}]}}"#,
        entry(r#""id":"call_2","#),
        entry(""),
        entry(r#""id":"call_2","#),
        entry(r#""id":"","#),
    );
    let run = decode_text(&body);
    let ids: Vec<&str> = run.calls().iter().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["call_2", "call_3", "call_4", "call_5"]);
}

#[test]
fn a_call_cut_by_the_token_limit_does_not_parse() {
    for arguments in [r#"{\"path\":\"no"#, ""] {
        let entry =
            format!(r#""index":0,"id":"a","function":{{"name":"read","arguments":"{arguments}"}}"#);
        let run = deltas(&[&call(&entry)], "length");
        assert_eq!(run.finished().stop, StopReason::MaxTokens);
        let calls = run.calls();
        assert!(is_cut(&calls[0].arguments), "{arguments}");
        assert!(matches!(
            parse_arguments(&calls[0].arguments),
            Arguments::Invalid { .. }
        ));
        assert_eq!(run.finished().repairs, ["the call to read was cut off"]);
    }
}

#[test]
fn a_cut_call_that_is_labelled_as_whole_is_still_told() {
    let run = deltas(
        &[&call(
            r#""index":0,"id":"a","function":{"name":"read","arguments":"{\"p"}"#,
        )],
        "tool_calls",
    );
    assert_eq!(run.finished().stop, StopReason::ToolUse);
    assert_eq!(run.finished().repairs, ["the call to read was cut off"]);
}

#[test]
fn a_broken_stream_keeps_whole_calls_and_drops_cut_ones() {
    let whole = chunk(&call(
        r#""index":0,"id":"a","function":{"name":"read","arguments":"{\"path\":1}"}"#,
    ));
    let cut = chunk(&call(
        r#""index":1,"id":"b","function":{"name":"read","arguments":"{\"pa"}"#,
    ));
    let run = decode_text(&format!("data: {whole}\n\ndata: {cut}\n\n"));
    let partial = run.error().partial.as_deref().expect("what had come");
    let ids: Vec<&str> = partial.tool_calls().map(|call| call.id.as_str()).collect();
    assert_eq!(ids, ["a"]);
}

#[test]
fn an_index_of_any_size_costs_nothing() {
    let entry = call(
        r#""index":18446744073709551615,"id":"a","function":{"name":"read","arguments":"{}"}"#,
    );
    assert_eq!(deltas(&[&entry], "tool_calls").calls().len(), 1);
}
