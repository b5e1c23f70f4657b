//! Hostile and mixed-up replies in the Messages format: no panic, one end, and
//! the cuts of the network change nothing.

use crate::messages_events::{
    blocks, decode, input, signature, start, stop, text, thinking, tool, whole,
};
use crate::support::{Run, resume};
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use serde_json::{Value, json};
use tenon_model::Quirks;
use tenon_model::codec::{Codec, Messages, MessagesDecoder};
use tenon_vocab::Part;

fn pieces(body: &[u8], cuts: &[prop::sample::Index]) -> Run {
    let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
    cuts.extend([0, body.len()]);
    cuts.sort_unstable();
    let pieces: Vec<&[u8]> = cuts
        .windows(2)
        .map(|pair| &body[pair[0]..pair[1]])
        .collect();
    resume(MessagesDecoder::new(), Vec::new(), pieces)
}

/// Bytes that get past the first checks more often than noise does.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..8),
        prop::sample::select(vec![
            "data: ", "\n\n", "\r\n", "event: content_block_delta\n", "event: error\n", "[DONE]", "{", "}", "[", "]",
            "\"type\":\"content_block_delta\",", "\"index\":0,", "\"index\":-1,", "\"index\":1e9,", "\"delta\":",
            "{\"type\":\"text_delta\",\"text\":\"a\"}", "{\"text\":null}", "\"content_block\":", "null", ",",
            "data: {\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"é\"}}\n\n",
            "data: {\"type\":\"content_block_start\",\"index\":1,\"content_block\":{\"type\":\"tool_use\",\"name\":\"r\"}}\n\n",
            "data: {\"type\":\"content_block_delta\",\"index\":1,\"delta\":{\"partial_json\":\"{}\"}}\n\n",
            "data: {\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"}}\n\n",
            "data: {\"type\":\"message_stop\"}\n\n",
            "{\"content\":[{\"type\":\"text\",\"text\":\"x\"}],\"stop_reason\":\"end_turn\"}",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

/// One block: what begins it, what it says, what ends it.
fn block(kind: u8, index: u64, words: &[String]) -> Vec<Value> {
    let mut events = Vec::new();
    match kind {
        0 => {
            events.push(start(index, json!({"type": "text", "text": ""})));
            events.extend(words.iter().map(|word| text(index, word)));
        }
        1 => {
            events.push(start(index, json!({"type": "thinking", "thinking": ""})));
            events.extend(words.iter().map(|word| thinking(index, word)));
            events.push(signature(index, &format!("S{index}")));
        }
        _ => {
            events.push(tool(index, &format!("toolu_{index}")));
            events.push(input(index, "{\"path\":\""));
            events.extend(words.iter().map(|word| input(index, word)));
            events.push(input(index, "\"}"));
        }
    }
    events.push(stop(index));
    events
}

fn random_blocks() -> impl Strategy<Value = Vec<Vec<Value>>> {
    let words = prop::collection::vec("[a-z ]{1,6}", 0..4);
    prop::collection::vec((0_u8..3, words), 1..6).prop_map(|blocks| {
        blocks
            .iter()
            .enumerate()
            .map(|(index, (kind, words))| block(*kind, index as u64, words))
            .collect()
    })
}

/// The calls, and all text and all reasoning, whatever part they stand in.
fn gist(run: &Run) -> (Vec<String>, Vec<char>, Vec<char>) {
    let sorted = |text: String| {
        let mut letters: Vec<char> = text.chars().filter(|letter| *letter != ' ').collect();
        letters.sort_unstable();
        letters
    };
    let calls = run.calls();
    let mut calls: Vec<String> = calls
        .iter()
        .map(|call| format!("{} {}", call.id, call.arguments))
        .collect();
    calls.sort();
    (calls, sorted(run.text()), sorted(run.reasoning()))
}

proptest! {
    #[test]
    fn random_bytes_never_panic_and_cuts_are_irrelevant(
        body in likely_bytes(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let whole = resume(MessagesDecoder::new(), Vec::new(), [body.as_slice()]);
        assert_eq!(pieces(&body, &cuts).comparable(), whole.comparable());
        let codec = Messages::new(Quirks::default(), "test");
        let _ = codec.parse_models(&body);
        let _ = codec.classify(400, None, &body);
    }

    #[test]
    fn any_cut_of_a_reply_gives_the_same_message(
        blocks in random_blocks(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let body = whole(&blocks.concat(), "end_turn");
        assert_eq!(pieces(body.as_bytes(), &cuts).comparable(), decode(&body).comparable());
    }

    #[test]
    fn any_interleaving_of_blocks_keeps_every_call_and_every_word(
        given in random_blocks(),
        order in prop::collection::vec(any::<prop::sample::Index>(), 64),
    ) {
        let straight = blocks(&given.concat(), "end_turn");
        let mut queues: Vec<std::collections::VecDeque<Value>> =
            given.into_iter().map(Into::into).collect();
        let mut mixed = Vec::new();
        let mut order = order.iter().cycle();
        while !queues.is_empty() {
            let at = order.next().map_or(0, |index| index.index(queues.len()));
            mixed.extend(queues[at].pop_front());
            queues.retain(|queue| !queue.is_empty());
        }
        let run = blocks(&mixed, "end_turn");
        assert_eq!(gist(&run), gist(&straight));
        // A signature stands only under thinking that is whole.
        let signed = |run: &Run| -> Vec<(String, String)> {
            run.finished().message.parts.iter().filter_map(|part| match part {
                Part::Reasoning { text, signature: Some(signature), .. } =>
                    Some((signature.clone(), text.clone())),
                _ => None,
            }).collect()
        };
        let whole = signed(&straight);
        for pair in signed(&run) {
            assert!(whole.contains(&pair), "{pair:?} is not among {whole:?}");
        }
    }
}
