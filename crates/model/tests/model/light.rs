//! The quick reading of common events and the full reading of all must agree:
//! whatever a server puts into an event, both come to the same message.
//!
//! A field that stands twice is refused by the quick reading, and counts as its
//! last by the full one: so one event can be given to either.

use crate::support::{decode_text, resume};
use proptest::prelude::{Strategy, prop, proptest};
use tenon_model::Quirks;
use tenon_model::codec::{Responses, ResponsesOptions};

fn text() -> impl Strategy<Value = &'static str> {
    prop::sample::select(vec![
        r#""word ""#,
        r#""<think>""#,
        r#""</think>""#,
        r#""a\nb""#,
        r#""\u00e9\ud83e\udd80""#,
        r#""""#,
        "null",
        "7",
        r#"[{"type":"text","text":"part"}]"#,
    ])
}

/// A few of these fields, in this order: with many, hardly an event would be
/// one that is read quickly.
fn some(fields: &'static [&'static str]) -> impl Strategy<Value = Vec<&'static str>> {
    prop::sample::subsequence(fields, 0..=2)
}

fn chat_chunk() -> impl Strategy<Value = String> {
    let around = some(&[
        r#""object":"chat.completion.chunk""#,
        r#""object":"error""#,
        r#""usage":null"#,
        r#""usage":{"prompt_tokens":3,"completion_tokens":4}"#,
        r#""x_groq":{"usage":{"prompt_tokens":5}}"#,
        r#""error":null"#,
        r#""error":{"message":"it broke"}"#,
        r#""created":1"#,
    ]);
    let beside = some(&[
        r#""index":0"#,
        r#""index":1"#,
        r#""finish_reason":null"#,
        r#""finish_reason":"stop""#,
        r#""finish_reason":"""#,
        r#""finish_reason":"length""#,
        r#""logprobs":null"#,
        r#""message":{"content":"whole"}"#,
    ]);
    let inside = some(&[
        r#""role":"assistant""#,
        r#""reasoning":null"#,
        r#""reasoning":"r""#,
        r#""refusal":"no""#,
        r#""tool_calls":null"#,
        r#""tool_calls":[]"#,
        r#""tool_calls":[{"index":0,"id":"c","function":{"name":"n","arguments":"{}"}}]"#,
    ]);
    (around, beside, inside, text(), text()).prop_map(
        |(around, beside, inside, content, reasoning)| {
            let mut delta = vec![
                format!(r#""content":{content}"#),
                format!(r#""reasoning_content":{reasoning}"#),
            ];
            delta.extend(inside.into_iter().map(str::to_owned));
            let mut choice = vec![format!(r#""delta":{{{}}}"#, delta.join(","))];
            choice.extend(beside.into_iter().map(str::to_owned));
            let mut chunk = vec![format!(r#""choices":[{{{}}}]"#, choice.join(","))];
            chunk.extend(around.into_iter().map(str::to_owned));
            chunk.join(",")
        },
    )
}

fn responses_event() -> impl Strategy<Value = String> {
    let kind = prop::sample::select(vec![
        "response.output_text.delta",
        "response.refusal.delta",
        "response.reasoning_text.delta",
        "response.reasoning_summary_text.delta",
        "response.function_call_arguments.delta",
        "response.audio.delta",
    ]);
    let names = some(&[
        r#""item_id":"a""#,
        r#""item_id":null"#,
        r#""output_index":0"#,
        r#""output_index":null"#,
        r#""content_index":1"#,
        r#""summary_index":2"#,
        r#""logprobs":[]"#,
    ]);
    (kind, names, text()).prop_map(|(kind, names, delta)| {
        let mut event = vec![format!(r#""type":"{kind}""#), format!(r#""delta":{delta}"#)];
        event.extend(names.into_iter().map(str::to_owned));
        event.join(",")
    })
}

fn events(first: &str, bodies: &[String], end: &str) -> String {
    let mut all: String = bodies
        .iter()
        .map(|body| format!("data: {{{first}{body}}}\n\n"))
        .collect();
    all.push_str(end);
    all
}

proptest! {
    #[test]
    fn both_readings_of_chat_agree(chunks in prop::collection::vec(chat_chunk(), 1..6)) {
        let quick = decode_text(&events("", &chunks, "data: [DONE]\n\n"));
        let full = decode_text(&events("\"choices\":0,", &chunks, "data: [DONE]\n\n"));
        assert_eq!(quick.comparable(), full.comparable());
    }

    #[test]
    fn both_readings_of_responses_agree(deltas in prop::collection::vec(responses_event(), 1..6)) {
        let decode = |body: String| {
            let codec = Responses::new(Quirks::default(), "openai", ResponsesOptions::default());
            resume(codec.reader(), Vec::new(), [body.as_bytes()])
        };
        let call = "data: {\"type\":\"response.output_item.added\",\"output_index\":0,\"item\":{\"type\":\"function_call\",\"id\":\"a\",\"call_id\":\"c\",\"name\":\"n\"}}\n\n";
        let end = "data: [DONE]\n\n";
        let quick = decode(format!("{call}{}", events("", &deltas, end)));
        let full = decode(format!("{call}{}", events("\"type\":\"x\",", &deltas, end)));
        assert_eq!(quick.comparable(), full.comparable());
    }
}
