//! Hostile bytes: no panic, one end, and the cuts of the network change nothing.

use crate::support::decode;
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};

/// Bytes that get past the first checks more often than noise does.
fn likely_bytes() -> impl Strategy<Value = Vec<u8>> {
    let piece = prop_oneof![
        prop::collection::vec(any::<u8>(), 0..8),
        prop::sample::select(vec![
            "data: ", "data:", "\n\n", "\r\n", "\r", ": x", "event: error\n", "[DONE]", "{", "}", "[", "]",
            "\"choices\":[{\"delta\":", "\"content\":", "\"tool_calls\":[", "\"index\":0,", "\"id\":\"a\",",
            "\"function\":{\"name\":\"read\",\"arguments\":", "\"finish_reason\":\"stop\"", "\"usage\":",
            "null", "\"<think>\"", "\"</think>\"", ",", "\"\"", "1e400", "-1", "\u{feff}",
            "{\"choices\":[{\"delta\":{\"content\":\"<think>a\"}}]}",
            "data: {\"choices\":[{\"delta\":{\"content\":\"x</think>é\"}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"name\":\"r\",\"arguments\":\"{}\"}}]}}]}\n\n",
            "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"length\"}]}\n\n",
        ])
        .prop_map(|text| text.as_bytes().to_vec()),
    ];
    prop::collection::vec(piece, 0..24).prop_map(|pieces| pieces.concat())
}

proptest! {
    #[test]
    fn random_bytes_never_panic_and_cuts_are_irrelevant(
        body in likely_bytes(),
        cuts in prop::collection::vec(any::<prop::sample::Index>(), 0..6),
    ) {
        let whole = decode([body.as_slice()]);
        let mut cuts: Vec<usize> = cuts.iter().map(|cut| cut.index(body.len() + 1)).collect();
        cuts.extend([0, body.len()]);
        cuts.sort_unstable();
        let pieces: Vec<&[u8]> = cuts.windows(2).map(|pair| &body[pair[0]..pair[1]]).collect();
        let cut = decode(pieces);
        // An error ends the reading: how much had been given before it may differ
        // only in nothing.
        assert_eq!(cut.comparable(), whole.comparable());
    }

    #[test]
    fn random_errors_are_classified_without_panic(status in 0_u16..700, body in likely_bytes()) {
        use tenon_model::codec::{Chat, Codec};
        let codec = Chat::new(tenon_model::Quirks::default());
        let error = codec.classify(status, None, &body);
        assert!(error.message.chars().count() < 1_200);
        let _ = codec.parse_models(&body);
    }
}
