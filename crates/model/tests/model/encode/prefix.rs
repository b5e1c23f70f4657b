//! What was sent is sent again as it was.

use super::{
    assert_strict, assistant, call, entry, messages, prefix, request, result, tool, with_image,
};
use tenon_model::codec::{Chat, Codec};
use tenon_model::{Delivery, Parameters, Quirks, Request};
use tenon_vocab::{Message, Part, Role, Status};

#[test]
fn what_is_out_of_context_or_abandoned_is_never_sent() {
    let mut gone = Message::assistant("gone");
    gone.in_context = false;
    let mut abandoned = Message::assistant("abandoned");
    abandoned.status = Status::Abandoned;
    let sent = messages(&request(vec![
        entry(Message::user("hi")),
        entry(gone),
        entry(abandoned),
    ]));
    assert_eq!(sent.len(), 2);
}

#[test]
fn each_request_begins_with_the_one_before() {
    let codec = Chat::new(Quirks::default());
    let history = [
        with_image(Role::User, vec![Part::text("hi")]),
        assistant(vec![
            Part::text("Looking."),
            call("a", r#"{"path":"x"}"#),
            call("b", "{}"),
        ]),
        with_image(Role::Tool, vec![result("a", "x")]),
        tool(vec![result("b", "y")]),
        assistant(vec![Part::text("Done.")]),
        entry(Message::user("more")),
        assistant(vec![call("c", "not json")]),
        tool(vec![result("c", "z")]),
    ];
    let prefix = prefix();
    let mut previous: Option<Vec<u8>> = None;
    // The steps at which a request is really made: after a user, after all results.
    for (step, length) in [1, 4, 6, 8].into_iter().enumerate() {
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
fn the_history_is_shared_and_not_encoded_again() {
    let codec = Chat::new(Quirks::default());
    let request = request(vec![
        entry(Message::user("hi")),
        assistant(vec![Part::text("yes")]),
    ]);
    let first = codec.body("m", &request);
    let second = codec.body("m", &request);
    let heads_and_messages = first.len() - 1;
    for (one, other) in first.iter().zip(&second).take(heads_and_messages) {
        assert_eq!(one.as_ptr(), other.as_ptr());
    }
    assert_eq!(first.concat(), second.concat());
    let other_model = codec.body("n", &request).concat();
    assert!(other_model.starts_with(br#"{"model":"n""#));
}
