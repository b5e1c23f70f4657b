//! Real servers, byte for byte, however the network cuts them: chat completions.

use crate::replay;
use crate::support::{transcript, wire_folder};
use tenon_model::codec::{Chat, ChatDecoder, Codec};
use tenon_model::{ModelErrorKind, Quirks};

const REPLIES: &[&str] = &[
    "gate_chat_stream",
    "gate_chat_tool_result_stream",
    "gate_chat_tools_auto",
    "gate_chat_tools_auto_stream",
    "litellm_llama_chat_stream_usage",
    "litellm_mock-text_chat",
    "litellm_mock-text_chat_stream",
    "litellm_mock-text_chat_stream_usage",
    "litellm_scripted_call_chat",
    "litellm_scripted_call_chat_stream_usage",
    "litellm_scripted_chat",
    "litellm_scripted_chat_stream",
    "litellm_scripted_chat_stream_usage",
    "litellm_scripted_chat_tool_result_stream",
    "litellm_scripted_twice_chat_stream",
    "llama_chat",
    "llama_chat_json_schema",
    "llama_chat_stream",
    "llama_chat_stream_length",
    "llama_chat_stream_usage",
    "llama_chat_tool_result_stream",
    "llama_chat_tools_auto",
    "llama_chat_tools_auto_stream",
    "llama_chat_tools_named",
    "llama_chat_tools_parallel_stream",
    "llama_chat_tools_required",
    "llama_chat_tools_required_stream",
    "llama_err_unknown_model",
    "llamag_chat_tool_result_stream",
    "llamag_chat_tools_auto",
    "llamag_chat_tools_auto_stream",
    "llamag_chat_tools_named",
    "llamag_chat_tools_parallel_stream",
    "llamag_chat_tools_required",
    "llamag_chat_tools_required_stream",
    "llamapy_chat_stream",
    "llamapy_chat_stream_usage",
    "llamapy_chat_tools_auto",
    "llamapy_chat_tools_auto_stream",
    "llamapy_chat_tools_named",
    "llamapy_chat_tools_required_stream",
    "llamapy_err_no_messages",
    "llamat_chat_tool_result_stream",
    "llamat_chat_tools_auto",
    "llamat_chat_tools_auto_stream",
    "llamat_chat_tools_named",
    "llamat_chat_tools_parallel_stream",
    "llamat_chat_tools_required",
    "llamat_chat_tools_required_stream",
];

#[test]
fn each_chat_transcript_gives_what_stands_beside_it_however_it_is_cut() {
    replay::all(REPLIES, ChatDecoder::new);
}

#[test]
fn no_chat_transcript_is_forgotten() {
    for entry in std::fs::read_dir(wire_folder()).expect("a folder") {
        let file = entry.expect("an entry").file_name();
        let name = file.to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".txt") else {
            continue;
        };
        if name.contains("_chat") && transcript(name).0 == 200 {
            assert!(REPLIES.contains(&name), "{name} belongs to no test");
        }
    }
}

/// Whatever the format and the server: a refusal is told in a sentence, and the
/// raw body is not.
#[test]
fn every_refusal_on_record_is_told_in_a_sentence() {
    let codec = Chat::new(Quirks::default());
    let mut seen = 0;
    for entry in std::fs::read_dir(wire_folder()).expect("a folder") {
        let file = entry.expect("an entry").file_name();
        let name = file.to_string_lossy().into_owned();
        let Some(name) = name.strip_suffix(".txt") else {
            continue;
        };
        let (status, body) = transcript(name);
        if status < 400 {
            continue;
        }
        seen += 1;
        let error = codec.classify(status, None, &body);
        assert!(error.message.len() > 10, "{name}: {error}");
        let sentence = error.message.split("): ").nth(1).unwrap_or_default();
        assert!(!sentence.starts_with(['{', '<']), "{name}: {error}");
        assert!(!error.message.contains("data:"), "{name}: {error}");
        assert_ne!(error.kind, ModelErrorKind::Protocol, "{name}");
        let overflow = name.contains("overflow") || name.contains("failCTX");
        let told = error.kind == ModelErrorKind::ContextOverflow;
        assert_eq!(told, overflow, "{name}: {error}");
    }
    assert!(seen > 30, "{seen}");
}
