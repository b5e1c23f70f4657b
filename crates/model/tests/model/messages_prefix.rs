//! The beginning of a request that does not change, and histories that nobody
//! would write.

use crate::messages_support::{
    OWNER, PNG, assert_strict, assistant, blob, body_for, call, link, messages, omitting, picture,
    prefix, request, result, results, signed, user, with_picture,
};
use bytes::Bytes;
use proptest::prelude::{Strategy, any, prop, prop_oneof, proptest};
use serde_json::json;
use std::sync::Arc;
use tenon_model::codec::{Codec, Messages};
use tenon_model::{Delivery, Entry, Parameters, Quirks, Remedy, Request};
use tenon_vocab::{Message, Origin, Part, Role, Status};

#[test]
fn the_marks_of_the_cache_follow_what_the_server_takes() {
    let marks = |quirks: Quirks| {
        let sent = body_for("m", quirks, &request(vec![user("hi"), user("you")]));
        assert_strict(&sent);
        let last = &sent["messages"][0]["content"][1];
        [&sent["tools"][1], &sent["system"][0], last, &sent]
            .map(|place| place.get("cache_control").is_some())
    };
    assert_eq!(marks(Quirks::default()), [true, true, false, true]);
    // Gateways that refuse the one of the whole request take those of blocks.
    assert_eq!(
        marks(omitting(&["cache_control"])),
        [true, true, true, false]
    );
    assert_eq!(
        marks(omitting(&["system.0.cache_control"])),
        [false, false, false, true]
    );
    assert_eq!(
        marks(omitting(&["cache_control", "system.cache_control"])),
        [false, false, false, false]
    );
}

#[test]
fn a_refused_mark_is_gone_from_the_next_request() {
    let refused = |message: &str, quirks: &mut Quirks| {
        let codec = Messages::new(quirks.clone(), OWNER);
        let body = json!({"type": "error", "error": {"type": "invalid_request_error", "message": message}});
        let error = codec.classify(400, None, body.to_string().as_bytes());
        match error.remedy.as_deref() {
            Some(Remedy::Omit { field }) => quirks.omit.insert(field.clone()),
            other => panic!("{message}: {other:?}"),
        }
    };
    let asked = request(vec![user("hi")]);
    for place in [
        "tools.1.custom.cache_control",
        "tools.1.cache_control",
        "system.0.cache_control",
        "messages.0.content.0.text.cache_control",
        "messages.0.content.0.cache_control",
    ] {
        let mut quirks = Quirks::default();
        assert!(refused(
            &format!("{place}: Extra inputs are not permitted"),
            &mut quirks
        ));
        let sent = body_for("m", quirks.clone(), &asked);
        assert!(sent.get("cache_control").is_some(), "{place}");
        assert_eq!(
            sent.to_string().matches("cache_control").count(),
            1,
            "{place}"
        );
        assert!(refused(
            "cache_control: Extra inputs are not permitted",
            &mut quirks
        ));
        let sent = body_for("m", quirks, &asked).to_string();
        assert!(!sent.contains("cache_control"), "{place}: {sent}");
    }
}

fn growing() -> Vec<Arc<Entry>> {
    vec![
        with_picture(Role::User, vec![Part::text("hi"), picture("image/png")]),
        assistant(vec![
            signed("hm", "S", OWNER),
            Part::text("Looking."),
            call("a.1", r#"{"path":"x"}"#),
            call("b", "{}"),
        ]),
        with_picture(Role::Tool, vec![result("a.1", "x"), picture("image/png")]),
        results(vec![result("b", "y")]),
        assistant(vec![Part::text("Done.")]),
        user("more"),
        assistant(vec![call("b", "not json")]),
        results(vec![result("b", "z")]),
        assistant(vec![]),
        user("and more"),
    ]
}

#[test]
fn each_request_begins_with_the_one_before() {
    let codec = Messages::new(Quirks::default(), OWNER);
    let prefix = prefix();
    let history = growing();
    let mut previous: Option<Vec<u8>> = None;
    // The steps at which a request is really made: after a user, after all results.
    for (step, length) in [1, 4, 6, 8, 10].into_iter().enumerate() {
        let request = Request {
            prefix: prefix.clone(),
            entries: history[..length].to_vec(),
            parameters: Parameters {
                max_tokens: Some(1_000 - step as u64),
                ..Parameters::default()
            },
            delivery: Delivery::Streamed,
            cache_key: None,
            room: None,
        };
        let pieces = codec.body("m", &request);
        let tail = pieces.last().expect("a tail").len();
        let sent = pieces.concat();
        if let Some(previous) = &previous {
            assert!(
                sent.starts_with(previous),
                "step {step} rewrote what was sent"
            );
        }
        assert_strict(&serde_json::from_slice(&sent).expect("JSON"));
        previous = Some(sent[..sent.len() - tail].to_vec());
    }
}

#[test]
fn words_after_unanswered_results_are_added_as_blocks_and_change_no_other() {
    let mut history = growing();
    history.truncate(4);
    let before = messages(history.clone());
    history.push(user("go on"));
    let after = messages(history);
    assert_eq!(before.len(), after.len());
    assert_eq!(before[..2], after[..2]);
    let (before, after) = (&before[2]["content"], &after[2]["content"]);
    let count = before.as_array().expect("blocks").len();
    assert_eq!(
        before.as_array().map(Vec::as_slice),
        after.as_array().map(|blocks| &blocks[..count])
    );
}

#[test]
fn the_history_is_shared_and_not_encoded_again() {
    let codec = Messages::new(Quirks::default(), OWNER);
    let request = request(vec![user("hi"), assistant(vec![call("a", "{}")])]);
    let first = codec.body("m", &request);
    let second = codec.body("m", &request);
    for position in [0, 2, 4] {
        assert_eq!(first[position].as_ptr(), second[position].as_ptr());
    }
    assert_eq!(first.concat(), second.concat());
    assert!(
        codec
            .body("n", &request)
            .concat()
            .starts_with(br#"{"model":"n""#)
    );
}

fn random_part() -> impl Strategy<Value = Part> {
    let id = prop::sample::select(vec!["a", "b", "c.1", ""]);
    let word = prop::sample::select(vec!["", " ", "word", "\n\n", "é\u{0}"]);
    let arguments = prop::sample::select(vec![
        "{}",
        "",
        "null",
        "{\"a\":",
        "[]",
        "{\"a\":\"\n\"}",
        "{\"a\":1,\"a\":2}",
    ]);
    let owner = prop::sample::select(vec![OWNER, "other"]);
    prop_oneof![
        word.clone().prop_map(Part::text),
        (id.clone(), arguments).prop_map(|(id, arguments)| call(id, arguments)),
        (id, word.clone()).prop_map(|(id, text)| result(id, text)),
        (word.clone(), owner.clone()).prop_map(|(text, owner)| signed(text, "S", owner)),
        word.prop_map(|text| Part::Reasoning {
            text: text.into(),
            signature: None,
            provider: None
        }),
        owner.prop_map(|owner| Part::Opaque {
            provider: owner.into(),
            raw: json!({"type": "redacted_thinking", "data": "D"}),
        }),
        prop::sample::select(vec!["image/png", "image/tiff", ""]).prop_map(picture),
        prop::sample::select(vec!["https://a.test/b.png", "ftp://c", ""]).prop_map(link),
    ]
}

fn random_history() -> impl Strategy<Value = Vec<Arc<Entry>>> {
    let role = prop::sample::select(vec![Role::User, Role::Assistant, Role::Tool]);
    let status = prop::sample::select(vec![Status::Complete, Status::Broken, Status::Abandoned]);
    let parts = prop::collection::vec(random_part(), 0..4);
    let message = (role, status, parts, any::<bool>()).prop_map(|(role, status, parts, blobs)| {
        let mut message = Message::new(role, Origin::User, parts);
        message.status = status;
        let blobs = if blobs {
            vec![(blob(), Bytes::from_static(PNG))]
        } else {
            Vec::new()
        };
        Arc::new(Entry::with_blobs(Arc::new(message), blobs))
    });
    prop::collection::vec(message, 0..12)
}

proptest! {
    #[test]
    fn any_history_makes_a_request_that_is_taken(
        history in random_history(),
        effort in prop::sample::select(vec![None, Some("none"), Some("high")]),
    ) {
        let codec = Messages::new(Quirks::default(), OWNER);
        let mut request = request(history);
        request.parameters.reasoning_effort = effort.map(String::from);
        // Every beginning of it, with fragments kept from one to the next.
        let entries = std::mem::take(&mut request.entries);
        for length in 0..=entries.len() {
            request.entries = entries[..length].to_vec();
            let sent = codec.body("m", &request).concat();
            assert_strict(&serde_json::from_slice(&sent).expect("JSON"));
        }
    }
}
