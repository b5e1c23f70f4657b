//! Answers in the Responses format that are none: what each error means, and
//! that it keeps what had arrived.

use crate::responses::{codec, decode, stream, text_delta, whole_answer};
use crate::support::Run;
use serde_json::{Value, json};
use std::time::Duration;
use tenon_model::ModelErrorKind;
use tenon_model::codec::Codec;

fn failed(error: Value) -> Run {
    stream(&[
        text_delta("m", 0, "Half"),
        json!({"type": "response.failed", "response": {"status": "failed", "output": [], "error": error}}),
    ])
}

#[test]
fn the_code_of_a_failure_decides_what_it_is() {
    use ModelErrorKind::{Auth, ContextOverflow, RateLimited, Rejected, Unavailable};
    for (code, kind) in [
        ("rate_limit_exceeded", RateLimited),
        ("server_is_overloaded", Unavailable),
        ("slow_down", Unavailable),
        ("server_error", Unavailable),
        ("context_length_exceeded", ContextOverflow),
        ("insufficient_quota", Rejected),
        ("invalid_prompt", Rejected),
        ("usage_not_included", Rejected),
        ("usage_limit_reached", Rejected),
        ("invalid_api_key", Auth),
    ] {
        let run = failed(json!({"code": code, "message": "It broke."}));
        assert_eq!(run.error().kind, kind, "{code}");
        assert!(run.error().message.contains("It broke."));
        let partial = run.error().partial.as_ref().expect("what had arrived");
        assert_eq!(partial.text(), "Half");
        // The same as an event of its own, with and without a name.
        let event = json!({"type": "error", "code": code, "message": "It broke.", "param": null});
        assert_eq!(
            stream(std::slice::from_ref(&event)).error().kind,
            kind,
            "{code}"
        );
        let unnamed = decode(&format!("data: {event}\n\n"));
        assert_eq!(unnamed.error().kind, kind, "{code}");
        let nested = json!({"error": {"code": code, "message": "It broke."}});
        let bare = decode(&format!("data: {nested}\n\n"));
        assert_eq!(bare.error().kind, kind, "{code}");
    }
}

#[test]
fn a_rate_limit_inside_an_answer_tells_the_pause() {
    let run = failed(json!({"code": "rate_limit_exceeded",
        "message": "Rate limit reached for gpt-5 on tokens per min (TPM): Limit 30000. Please try again in 11.054s."}));
    assert_eq!(run.error().retry_after, Some(Duration::from_millis(11_054)));
}

#[test]
fn a_plan_that_does_not_include_the_use_is_explained() {
    let run = failed(json!({"code": "usage_not_included", "message": "No."}));
    assert!(
        run.error()
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("plan"))
    );
    let body = br#"{"error":{"type":"usage_limit_reached","message":"The usage limit has been reached","plan_type":"plus","resets_in_seconds":12000}}"#;
    let error = codec().classify(429, None, body);
    assert_eq!(
        error.kind,
        ModelErrorKind::Rejected,
        "trying again at once is of no use"
    );
    assert!(
        error
            .hint
            .as_deref()
            .is_some_and(|hint| hint.contains("3 h 20 min"))
    );
}

#[test]
fn a_failure_without_a_word_is_still_an_error() {
    let run = stream(&[json!({"type": "response.failed"})]);
    assert_eq!(run.error().kind, ModelErrorKind::Unavailable);
    let cancelled = decode(r#"{"status":"cancelled","output":[]}"#);
    assert_eq!(cancelled.error().kind, ModelErrorKind::Unavailable);
}

#[test]
fn an_answer_in_the_format_of_chat_completions_says_what_to_set() {
    for body in [
        "data: {\"choices\":[{\"delta\":{\"content\":\"Hi\"}}]}\n\n",
        "{\"choices\":[{\"message\":{\"content\":\"Hi\"}}]}",
    ] {
        let run = decode(body);
        assert_eq!(run.error().kind, ModelErrorKind::Protocol);
        assert!(
            run.error()
                .hint
                .as_deref()
                .is_some_and(|hint| hint.contains("chat"))
        );
    }
}

#[test]
fn an_answer_without_its_end_is_broken_and_keeps_what_came() {
    let mut events = whole_answer();
    events.pop();
    let run = stream(&events);
    assert_eq!(run.error().kind, ModelErrorKind::Broken);
    let partial = run.error().partial.as_ref().expect("a partial message");
    assert_eq!(partial.text(), "I look.");
    assert_eq!(partial.tool_calls().count(), 1, "the call was whole");
}

#[test]
fn too_many_items_end_the_reading() {
    let body: String = (0..2_000)
        .map(|number| {
            let event = text_delta(&format!("m{number}"), number, "x");
            format!("data: {event}\n\n")
        })
        .collect();
    assert_eq!(decode(&body).error().kind, ModelErrorKind::Protocol);
}
