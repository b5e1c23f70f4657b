//! Real servers that speak Responses, byte for byte, however the network cuts
//! them, and what their errors mean.

use crate::replay;
use crate::support::{Run, resume, transcript, wire_folder};
use tenon_model::codec::{Codec, Responses, ResponsesOptions};
use tenon_model::{ModelErrorKind, Quirks};

const REPLIES: &[&str] = &[
    "litellm_llama_responses_stream",
    "litellm_mock-text_responses",
    "litellm_scripted_call_responses",
    "litellm_scripted_call_responses_stream",
    "litellm_scripted_call_responses_tools_required_stream",
    "litellm_scripted_responses",
    "litellm_scripted_responses_stream",
    "litellm_scripted_twice_responses_stream",
    "llama_responses",
    "llama_responses_stream",
    "llama_responses_tools_required_stream",
    "llamag_responses_tools_required_stream",
];

/// HTTP 200, and the error inside.
const FAILED: &[(&str, ModelErrorKind)] = &[
    (
        "litellm_scripted_fail401_responses_stream",
        ModelErrorKind::Auth,
    ),
    (
        "litellm_scripted_fail429_responses_stream",
        ModelErrorKind::RateLimited,
    ),
    (
        "litellm_scripted_fail500_responses_stream",
        ModelErrorKind::Unavailable,
    ),
    (
        "litellm_scripted_failCTX_responses_stream",
        ModelErrorKind::ContextOverflow,
    ),
];

/// An HTTP status that says so.
const REFUSED: &[(&str, ModelErrorKind)] = &[
    ("litellm_badkey_responses", ModelErrorKind::Auth),
    (
        "litellm_mock-text_responses_stream",
        ModelErrorKind::Unavailable,
    ),
    ("litellm_scripted_fail401_responses", ModelErrorKind::Auth),
    (
        "litellm_scripted_fail429_responses",
        ModelErrorKind::RateLimited,
    ),
    (
        "litellm_scripted_fail500_responses",
        ModelErrorKind::Unavailable,
    ),
    (
        "litellm_scripted_failCTX_responses",
        ModelErrorKind::ContextOverflow,
    ),
];

fn codec() -> Responses {
    Responses::new(Quirks::default(), "openai", ResponsesOptions::default())
}

fn decode<'b>(pieces: impl IntoIterator<Item = &'b [u8]>) -> Run {
    resume(codec().reader(), Vec::new(), pieces)
}

#[test]
fn each_responses_transcript_gives_what_stands_beside_it_however_it_is_cut() {
    replay::all(REPLIES, || codec().reader());
}

#[test]
fn no_responses_transcript_is_forgotten() {
    let listed: Vec<&str> = REPLIES
        .iter()
        .copied()
        .chain(FAILED.iter().map(|(name, _)| *name))
        .chain(REFUSED.iter().map(|(name, _)| *name))
        .collect();
    for entry in std::fs::read_dir(wire_folder()).expect("a folder") {
        let file = entry.expect("an entry").path();
        let name = file
            .file_stem()
            .expect("a name")
            .to_string_lossy()
            .into_owned();
        if name.contains("_responses") {
            assert!(listed.contains(&name.as_str()), "{name} belongs to no test");
        }
    }
}

#[test]
fn an_error_inside_a_successful_answer_is_told_by_its_code() {
    for (name, kind) in FAILED {
        let (status, body) = transcript(name);
        assert_eq!(status, 200, "{name}");
        let whole = decode([body.as_slice()]);
        assert_eq!(whole.error().kind, *kind, "{name}");
        assert!(whole.error().message.contains("it broke"), "{name}");
        let bytes = decode(body.chunks(1));
        assert_eq!(bytes.comparable(), whole.comparable(), "{name}");
    }
}

#[test]
fn a_refused_request_is_told_by_status_and_code() {
    for (name, kind) in REFUSED {
        let (status, body) = transcript(name);
        let error = codec().classify(status, None, &body);
        assert_eq!(error.kind, *kind, "{name}");
        assert!(!error.message.contains('{'), "{name}: {}", error.message);
    }
}
