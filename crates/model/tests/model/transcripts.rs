//! Real servers, byte for byte, however the network cuts them.
//!
//! What is expected of each transcript stands beside it as JSON. After a wanted
//! change, write them anew with `TENON_UPDATE_SNAPSHOTS=1` and read the diff.

use crate::support::{Run, decode, resume, transcript, wire_folder};
use serde_json::{Value, json};
use tenon_model::ModelErrorKind;
use tenon_model::codec::{ChatDecoder, Decoder};
use tenon_vocab::Status;

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

/// Every position is tried up to this size; above it event ends and a sample.
const SMALL: usize = 5_500;

fn snapshot(run: &Run) -> Value {
    match &run.result {
        Ok(finished) => json!({
            "stop": finished.stop,
            "usage": finished.usage,
            "repairs": finished.repairs,
            "parts": finished.message.parts,
        }),
        Err(error) => json!({
            "error": format!("{:?}", error.kind),
            "message": error.message,
        }),
    }
}

#[test]
fn each_transcript_gives_what_stands_beside_it() {
    for name in REPLIES {
        let (_, body) = transcript(name);
        let actual = snapshot(&decode([body.as_slice()]));
        let path = wire_folder().join(format!("{name}.json"));
        if std::env::var_os("TENON_UPDATE_SNAPSHOTS").is_some() {
            let text = serde_json::to_string_pretty(&actual).expect("JSON");
            std::fs::write(&path, text + "\n").expect("a writable folder");
        }
        let text = std::fs::read_to_string(&path).expect("an expectation beside the transcript");
        let expected: Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(actual, expected, "{name}");
    }
}

#[test]
fn no_transcript_is_forgotten() {
    let listed: Vec<String> = REPLIES.iter().map(|name| format!("{name}.json")).collect();
    for entry in std::fs::read_dir(wire_folder()).expect("a folder") {
        let file = entry.expect("an entry").file_name();
        let name = file.to_string_lossy().into_owned();
        if name.ends_with(".json") {
            assert!(listed.contains(&name), "{name} belongs to no test");
        }
    }
}

#[test]
fn a_body_byte_by_byte_is_the_same_as_a_whole_one() {
    for name in REPLIES {
        let (_, body) = transcript(name);
        let whole = decode([body.as_slice()]).comparable();
        let bytes = decode(body.chunks(1)).comparable();
        assert_eq!(bytes, whole, "{name}");
    }
}

#[test]
fn a_body_cut_in_two_anywhere_is_the_same_as_a_whole_one() {
    for name in REPLIES {
        let (_, body) = transcript(name);
        let whole = decode([body.as_slice()]).comparable();
        for_each_cut(&body, |cut, decoder, deltas| {
            let run = resume(decoder, deltas, [&body[cut..]]);
            assert_eq!(run.comparable(), whole, "{name} cut at {cut}");
        });
    }
}

#[test]
fn a_body_that_ends_anywhere_is_finished_or_broken() {
    for name in REPLIES {
        let (_, body) = transcript(name);
        for_each_cut(&body, |cut, decoder, deltas| {
            let partial = decoder.partial();
            let run = resume(decoder, deltas, []);
            if let Err(error) = &run.result {
                assert_eq!(error.kind, ModelErrorKind::Broken, "{name} cut at {cut}");
                let carried = error.partial.as_deref().expect("a partial message");
                // The last event may be whole though its empty line is missing.
                assert!(
                    carried.text().starts_with(&partial.text()),
                    "{name} cut at {cut}"
                );
                assert_eq!(carried.status, Status::Broken, "{name} cut at {cut}");
            }
        });
    }
}

/// Gives a decoder that has read the first `cut` bytes, for many cuts.
fn for_each_cut(body: &[u8], mut check: impl FnMut(usize, ChatDecoder, Vec<tenon_model::Delta>)) {
    let mut seed = 0x2545_F491_4F6C_DD1D_u64;
    let mut decoder = ChatDecoder::new();
    let mut deltas = Vec::new();
    for cut in 0..=body.len() {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let boundary = body[..cut].ends_with(b"\n") || cut == body.len();
        if body.len() <= SMALL || boundary || seed.is_multiple_of(40) {
            check(cut, decoder.clone(), deltas.clone());
        }
        if let Some(byte) = body.get(cut) {
            decoder
                .push(&[*byte], &mut |delta| deltas.push(delta))
                .expect("these transcripts hold no error");
        }
    }
}
