//! Real servers, byte for byte, however the network cuts them: chat completions.

use crate::replay;
use crate::support::wire_folder;
use tenon_model::codec::ChatDecoder;

const REPLIES: &[&str] = &[
    "gate_chat_tools_auto_stream",
    "litellm_mock-text_chat",
    "litellm_mock-text_chat_stream_usage",
    "litellm_scripted_call_chat",
    "litellm_scripted_call_chat_stream_usage",
    "litellm_scripted_twice_chat_stream",
    "llama_chat_stream_length",
    "llama_chat_stream_usage",
    "llama_chat_tools_auto",
    "llamag_chat_tool_result_stream",
    "llamag_chat_tools_parallel_stream",
    "llamag_chat_tools_required",
    "llamag_chat_tools_required_stream",
    "llamapy_chat_tools_named",
    "llamapy_chat_tools_required_stream",
];

#[test]
fn each_chat_transcript_gives_what_stands_beside_it_however_it_is_cut() {
    replay::all(REPLIES, ChatDecoder::new);
}

#[test]
fn no_chat_transcript_is_forgotten() {
    let listed: Vec<String> = REPLIES.iter().map(|name| format!("{name}.json")).collect();
    for entry in std::fs::read_dir(wire_folder()).expect("a folder") {
        let file = entry.expect("an entry").file_name();
        let name = file.to_string_lossy().into_owned();
        if name.ends_with(".json") && name.contains("_chat") {
            assert!(listed.contains(&name), "{name} belongs to no test");
        }
    }
}
