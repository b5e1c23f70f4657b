//! Thinking in the Messages format: asked for, kept, and returned to whoever may
//! see it again.

use crate::messages_events::{blocks, input, signature, start, stop, text, thinking, tool};
use crate::messages_support::{
    OWNER, assert_strict, assistant, body, body_for, call, entry, messages, omitting, request,
    result, results, signed, user,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_model::codec::{Codec, Messages};
use tenon_model::{Entry, Parameters, Quirks, Request, ReturnReasoning};
use tenon_vocab::Part;

#[test]
fn thinking_goes_back_only_to_where_it_came_from() {
    let redacted = Part::Opaque {
        provider: OWNER.into(),
        raw: json!({"type": "redacted_thinking", "data": "D"}),
    };
    let foreign = Part::Opaque {
        provider: "openai/o9".into(),
        raw: json!({"type": "reasoning", "encrypted_content": "E"}),
    };
    let unsigned = Part::Reasoning {
        text: "unsigned".into(),
        signature: None,
        provider: None,
    };
    let history = || {
        vec![
            user("hi"),
            assistant(vec![
                unsigned.clone(),
                signed("mine", "S", OWNER),
                redacted.clone(),
                signed("theirs", "T", "openai/o9"),
                foreign.clone(),
                Part::text("answer"),
            ]),
            user("and"),
        ]
    };
    assert_eq!(
        messages(history())[1]["content"],
        json!([
            {"type": "thinking", "thinking": "mine", "signature": "S"},
            {"type": "redacted_thinking", "data": "D"},
            {"type": "text", "text": "answer"},
        ])
    );
    let mut off = request(history());
    off.parameters.reasoning_effort = Some("none".into());
    assert_eq!(
        body(&off)["messages"][1]["content"],
        json!([{"type": "text", "text": "answer"}])
    );
    // Switched in the middle of a session, on messages that were sent before.
    let codec = Messages::new(Quirks::default(), OWNER);
    let sent = |request: &Request| String::from_utf8(codec.body("m", request).concat());
    let without = sent(&off).expect("text");
    off.parameters.reasoning_effort = None;
    assert!(!without.contains("mine") && sent(&off).expect("text").contains("mine"));
    // A server that gives no signature and wants its thoughts back.
    let quirks = Quirks {
        return_reasoning: ReturnReasoning::ReasoningContent,
        ..Quirks::default()
    };
    let sent = body_for("m", quirks, &request(history()));
    assert_eq!(
        sent["messages"][1]["content"][0],
        json!({"type": "thinking", "thinking": "unsigned", "signature": ""})
    );
}

#[test]
fn a_session_may_visit_another_provider_and_nothing_is_lost_on_the_way_back() {
    let history = vec![
        user("hi"),
        assistant(vec![signed("mine", "S", OWNER), call("a", "{}")]),
        results(vec![result("a", "x")]),
        assistant(vec![Part::text("done")]),
        user("and"),
    ];
    let mine = Messages::new(Quirks::default(), OWNER);
    let other = Messages::new(Quirks::default(), "anthropic/haiku");
    let request = request(history);
    let before = mine.body("m", &request).concat();
    let visit = other.body("m", &request).concat();
    let value: Value = serde_json::from_slice(&visit).expect("JSON");
    assert_strict(&value);
    assert_eq!(
        value["messages"][1]["content"][0]["type"],
        json!("tool_use")
    );
    assert_eq!(mine.body("m", &request).concat(), before);
}

#[test]
fn a_reply_comes_back_as_the_blocks_it_came_in() {
    let run = blocks(
        &[
            start(
                0,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            thinking(0, "I should"),
            thinking(0, " read."),
            signature(0, "EqQB=="),
            stop(0),
            start(1, json!({"type": "redacted_thinking", "data": "EmwK"})),
            stop(1),
            start(
                2,
                json!({"type": "thinking", "thinking": "", "signature": ""}),
            ),
            signature(2, "hidden"),
            stop(2),
            start(3, json!({"type": "text", "text": ""})),
            text(3, "Reading."),
            stop(3),
            tool(4, "toolu_1"),
            input(4, "{\"path\": \"a\", \"deep\": {\"n\": [1, 2.5, null]}}"),
            stop(4),
        ],
        "tool_use",
    );
    let message = run.finished().message.clone();
    let codec = Messages::new(Quirks::default(), "");
    let request = request(vec![
        user("hi"),
        entry(message),
        results(vec![result("toolu_1", "x")]),
    ]);
    let sent: Value = serde_json::from_slice(&codec.body("m", &request).concat()).expect("JSON");
    assert_eq!(
        sent["messages"][1]["content"],
        json!([
            {"type": "thinking", "thinking": "I should read.", "signature": "EqQB=="},
            {"type": "redacted_thinking", "data": "EmwK"},
            {"type": "thinking", "thinking": "", "signature": "hidden"},
            {"type": "text", "text": "Reading."},
            {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a", "deep": {"n": [1, 2.5, null]}}},
        ])
    );
}

#[test]
fn parameters_are_those_that_are_taken_together() {
    let mut both = request(vec![user("hi")]);
    both.parameters = Parameters {
        temperature: Some(1.7),
        top_p: Some(0.5),
        max_tokens: Some(0),
        reasoning_effort: None,
        ..Parameters::default()
    };
    let sent = body(&both);
    assert_strict(&sent);
    assert_eq!(sent["temperature"], json!(1.0));
    assert_eq!((sent.get("top_p"), &sent["max_tokens"]), (None, &json!(1)));
    let sent = body_for("m", omitting(&["temperature"]), &both);
    assert_eq!(
        (sent.get("temperature"), &sent["top_p"]),
        (None, &json!(0.5))
    );
    // The format wants a limit, whatever was learned of another one.
    let sent = body_for("m", omitting(&["max_tokens"]), &both);
    assert_eq!(sent["max_tokens"], json!(1));
    both.parameters.temperature = Some(f64::NAN);
    assert_eq!(body(&both).get("temperature"), None);
}

#[test]
fn effort_becomes_a_budget_or_a_word_and_silences_sampling() {
    let mut asked = request(vec![user("hi")]);
    asked.parameters.reasoning_effort = Some("medium".into());
    asked.parameters.temperature = Some(0.2);
    let sent = body_for("claude-sonnet-4-5", Quirks::default(), &asked);
    assert_strict(&sent);
    assert_eq!(
        sent["thinking"],
        json!({"type": "enabled", "budget_tokens": 10_000})
    );
    assert_eq!(
        (sent.get("temperature"), &sent["max_tokens"]),
        (None, &json!(18_192))
    );
    let sent = body_for("claude-opus-4-7", Quirks::default(), &asked);
    assert_strict(&sent);
    assert_eq!(sent["thinking"]["type"], json!("adaptive"));
    assert_eq!(sent["output_config"], json!({"effort": "medium"}));
    assert_eq!(
        (sent.get("temperature"), &sent["max_tokens"]),
        (None, &json!(8192))
    );
    let sent = body_for("claude-sonnet-4-5", omitting(&["thinking"]), &asked);
    assert_eq!(
        (sent.get("thinking"), &sent["temperature"]),
        (None, &json!(0.2))
    );
    assert_eq!(sent["max_tokens"], json!(8192));
    asked.parameters.max_tokens = Some(4000);
    let sent = body_for("claude-sonnet-4-5", Quirks::default(), &asked);
    assert_eq!(sent["thinking"]["budget_tokens"], json!(2976));
    assert_eq!(sent["max_tokens"], json!(4000));
    asked.parameters.max_tokens = Some(30);
    let sent = body_for("claude-sonnet-4-5", Quirks::default(), &asked);
    assert_eq!(
        (sent.get("thinking"), &sent["max_tokens"]),
        (None, &json!(30))
    );
    for off in ["none", "off"] {
        asked.parameters.reasoning_effort = Some(off.into());
        let sent = body_for("claude-sonnet-4-5", Quirks::default(), &asked);
        assert_eq!(sent["thinking"], json!({"type": "disabled"}));
        let sent = body_for("claude-opus-4-7", Quirks::default(), &asked);
        assert_eq!(sent.get("thinking"), None);
    }
}

#[test]
fn a_turn_that_began_without_thinking_goes_on_without_a_budget() {
    let thinks = |first: Vec<Part>, more: Vec<Arc<Entry>>| {
        let mut history = vec![
            user("hi"),
            assistant(first),
            results(vec![result("a", "x")]),
        ];
        history.extend(more);
        let mut request = request(history);
        request.parameters.reasoning_effort = Some("low".into());
        let sent = body(&request);
        assert_strict(&sent);
        sent.get("thinking").is_some()
    };
    let mine = || signed("hm", "S", OWNER);
    assert!(thinks(vec![mine(), call("a", "{}")], vec![]));
    assert!(!thinks(vec![call("a", "{}")], vec![]));
    assert!(!thinks(
        vec![signed("hm", "S", "other"), call("a", "{}")],
        vec![]
    ));
    // The next words of the user begin a new turn, but not in the middle of one.
    assert!(!thinks(vec![call("a", "{}")], vec![user("and")]));
    let done = || vec![assistant(vec![Part::text("done")]), user("and")];
    assert!(thinks(vec![call("a", "{}")], done()));
    // Steps after the first one need not think.
    let step = || {
        vec![
            assistant(vec![call("b", "{}")]),
            results(vec![result("b", "x")]),
        ]
    };
    assert!(thinks(vec![mine(), call("a", "{}")], step()));
}

#[test]
fn a_model_that_takes_a_budget_does_not_see_thoughts_when_it_has_none() {
    let began = |first: Vec<Part>| {
        request(vec![
            user("hi"),
            assistant(first),
            results(vec![result("a", "x")]),
            assistant(vec![signed("later", "L", OWNER), call("b", "{}")]),
            results(vec![result("b", "y")]),
        ])
    };
    let shown = |model: &str, request: &Request| {
        let sent = body_for(model, Quirks::default(), request);
        assert_strict(&sent);
        sent["messages"].to_string().contains("thinking")
    };
    let thoughtful = began(vec![signed("hm", "S", OWNER), call("a", "{}")]);
    assert!(!shown("claude-sonnet-4-5", &thoughtful));
    assert!(shown("claude-opus-4-7", &thoughtful));
    assert!(shown("glm-5", &thoughtful));
    // Nor when it began without, and may not think in this turn.
    let mut thoughtless = began(vec![call("a", "{}")]);
    thoughtless.parameters.reasoning_effort = Some("low".into());
    assert!(!shown("claude-sonnet-4-5", &thoughtless));
    assert!(shown("claude-opus-4-7", &thoughtless));
}

/// What stands before the parameters, which may differ from step to step.
fn before_parameters(codec: &Messages, model: &str, request: &Request) -> Vec<u8> {
    let mut pieces = codec.body(model, request);
    pieces.pop().expect("parameters");
    pieces.concat()
}

#[test]
fn a_reply_without_thinking_leaves_what_was_sent_before_as_it_was() {
    let history = [
        user("hi"),
        assistant(vec![signed("one", "S1", OWNER), call("a", "{}")]),
        results(vec![result("a", "x")]),
        assistant(vec![signed("two", "S2", OWNER), Part::text("done")]),
        user("and"),
        // It did not think, and goes on working.
        assistant(vec![call("b", "{}")]),
        results(vec![result("b", "x")]),
        assistant(vec![signed("late", "S3", OWNER), call("c", "{}")]),
        results(vec![result("c", "x")]),
        assistant(vec![Part::text("done")]),
        user("more"),
    ];
    for model in ["claude-sonnet-4-5", "claude-opus-4-7", "glm-5"] {
        let codec = Messages::new(Quirks::default(), OWNER);
        let mut previous = Vec::new();
        for (length, thinks) in [
            (1, true),
            (3, true),
            (5, true),
            (7, false),
            (9, false),
            (11, true),
        ] {
            let mut request = request(history[..length].to_vec());
            request.parameters.reasoning_effort = Some("high".into());
            let sent: Value =
                serde_json::from_slice(&codec.body(model, &request).concat()).expect("JSON");
            assert_strict(&sent);
            let place = format!("{model}, {length} messages");
            if model != "claude-opus-4-7" {
                assert_eq!(sent.get("thinking").is_some(), thinks, "{place}");
            }
            let limit = match model {
                "claude-sonnet-4-5" => 32_192,
                "glm-5" => 32_000,
                _ => 8_192,
            };
            assert_eq!(sent["max_tokens"], json!(limit), "{place}");
            let now = before_parameters(&codec, model, &request);
            assert!(now.starts_with(&previous), "{place} rewrote the history");
            previous = now;
        }
    }
}

#[test]
fn the_room_that_is_left_limits_the_answer_and_changes_no_message() {
    let history = vec![
        user("hi"),
        assistant(vec![signed("hm", "S", OWNER), call("a", "{}")]),
        results(vec![result("a", "x")]),
    ];
    let codec = Messages::new(Quirks::default(), OWNER);
    let mut request = request(history);
    request.parameters.reasoning_effort = Some("high".into());
    request.parameters.max_tokens = Some(4096);
    let first = before_parameters(&codec, "claude-sonnet-4-5", &request);
    for (room, limit, budget) in [
        (None, 4096, 3072),
        (Some(100_000), 4096, 3072),
        (Some(3_788), 3_788, 1_536),
        (Some(3_756), 3_756, 1_536),
        (Some(2_100), 2_100, 1_024),
        (Some(1), 1_025, 1_024),
    ] {
        request.room = room;
        let sent = codec.body("claude-sonnet-4-5", &request).concat();
        let sent: Value = serde_json::from_slice(&sent).expect("JSON");
        assert_eq!(sent["max_tokens"], json!(limit), "{room:?}");
        assert_eq!(sent["thinking"]["budget_tokens"], json!(budget), "{room:?}");
        let now = before_parameters(&codec, "claude-sonnet-4-5", &request);
        assert_eq!(now, first, "{room:?}");
    }
    // The limit that the format wants is no exception, nor is the user's.
    request.parameters = Parameters::default();
    for (room, limit) in [(9_000, 8_192), (700, 700), (0, 1)] {
        request.room = Some(room);
        assert_eq!(body(&request)["max_tokens"], json!(limit));
    }
}
