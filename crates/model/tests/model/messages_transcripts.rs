//! Real servers of the Messages format, byte for byte, however the network cuts
//! them, and what their errors mean.

use crate::replay;
use crate::support::{resume, transcript, wire_folder};
use tenon_model::codec::{Codec, Messages, MessagesDecoder};
use tenon_model::{ModelErrorKind, Quirks};

const REPLIES: &[&str] = &[
    "litellm_llama_messages_stream",
    "litellm_mock-text_messages",
    // Answered with a document although a stream was asked for.
    "litellm_mock-text_messages_stream",
    "litellm_scripted_call_messages",
    "litellm_scripted_call_messages_stream",
    "litellm_scripted_call_messages_tools_any_stream",
    "litellm_scripted_messages",
    "litellm_scripted_messages_stream",
    "litellm_scripted_twice_messages_stream",
    // Errors after HTTP 200.
    "litellm_scripted_fail401_messages_stream",
    "litellm_scripted_fail429_messages_stream",
    "litellm_scripted_fail500_messages_stream",
    "litellm_scripted_failCTX_messages_stream",
    "llama_messages",
    "llama_messages_stream",
    "llama_messages_tools_any_stream",
    "llamag_messages_tools_any_stream",
    "llamat_messages_tools_any_stream",
];

#[test]
fn each_messages_transcript_gives_what_stands_beside_it_however_it_is_cut() {
    replay::all(REPLIES, MessagesDecoder::new);
}

#[test]
fn no_messages_transcript_is_forgotten() {
    for entry in std::fs::read_dir(wire_folder()).expect("a folder") {
        let file = entry.expect("an entry").file_name();
        let file = file.to_string_lossy();
        let Some(name) = file.strip_suffix(".txt") else {
            continue;
        };
        if name.contains("_messages") && !name.contains("_err_no_messages") {
            let listed = REPLIES.contains(&name) || ERRORS.iter().any(|(error, _)| *error == name);
            assert!(listed, "{name} belongs to no test");
        }
    }
}

const ERRORS: &[(&str, ModelErrorKind)] = &[
    ("litellm_badkey_messages", ModelErrorKind::Auth),
    (
        "litellm_llama_messages_overflow",
        ModelErrorKind::ContextOverflow,
    ),
    ("litellm_scripted_fail401_messages", ModelErrorKind::Auth),
    (
        "litellm_scripted_fail429_messages",
        ModelErrorKind::RateLimited,
    ),
    (
        "litellm_scripted_fail500_messages",
        ModelErrorKind::Unavailable,
    ),
    (
        "litellm_scripted_failCTX_messages",
        ModelErrorKind::ContextOverflow,
    ),
    ("llama_messages_overflow", ModelErrorKind::ContextOverflow),
];

#[test]
fn each_refusal_is_understood_in_the_shape_of_either_api() {
    let codec = Messages::new(Quirks::default(), "test");
    for (name, kind) in ERRORS {
        let (status, body) = transcript(name);
        let error = codec.classify(status, None, &body);
        assert_eq!(error.kind, *kind, "{name}: {error}");
        assert!(
            !error.message.contains('{') || name.contains("llama"),
            "{name}: {error}"
        );
    }
}

#[test]
fn an_error_after_success_says_what_an_error_status_would() {
    for (name, kind) in [
        (
            "litellm_scripted_fail401_messages_stream",
            ModelErrorKind::Auth,
        ),
        (
            "litellm_scripted_fail429_messages_stream",
            ModelErrorKind::RateLimited,
        ),
        (
            "litellm_scripted_fail500_messages_stream",
            ModelErrorKind::Unavailable,
        ),
        (
            "litellm_scripted_failCTX_messages_stream",
            ModelErrorKind::ContextOverflow,
        ),
    ] {
        let (status, body) = transcript(name);
        assert_eq!(status, 200);
        let run = resume(MessagesDecoder::new(), Vec::new(), [body.as_slice()]);
        assert_eq!(run.error().kind, kind, "{name}");
    }
}

#[test]
fn the_list_of_models_is_read_with_the_window() {
    let codec = Messages::new(Quirks::default(), "test");
    let body = br#"{"data":[
        {"type":"model","id":"claude-opus-4-6","display_name":"Claude Opus 4.6","created_at":"2026-02-04T00:00:00Z","max_input_tokens":1000000,"max_tokens":128000},
        {"type":"model","id":"claude-haiku-4-5-20251001","display_name":"Claude Haiku 4.5","created_at":"2025-10-15T00:00:00Z"}
      ],"has_more":false,"first_id":"claude-opus-4-6","last_id":"claude-haiku-4-5-20251001"}"#;
    let models = codec.parse_models(body).expect("a list");
    let found: Vec<(&str, Option<u64>)> = models
        .iter()
        .map(|model| (model.id.as_str(), model.context_window))
        .collect();
    assert_eq!(
        found,
        [
            ("claude-opus-4-6", Some(1_000_000)),
            ("claude-haiku-4-5-20251001", None)
        ]
    );
}

#[test]
fn the_address_and_the_version_are_those_of_the_format() {
    let codec = Messages::new(Quirks::default(), "test");
    assert_eq!(
        (codec.key(), codec.path(), codec.models_path()),
        ("messages", "/messages", "/models")
    );
    assert_eq!(
        codec.headers(),
        [("anthropic-version", String::from("2023-06-01"))]
    );
}
