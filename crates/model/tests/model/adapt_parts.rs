//! Parts of the history that a server refuses: images, and reasoning that it
//! cannot open.

use crate::adapt_stage::*;
use bytes::Bytes;
use futures_util::{FutureExt as _, StreamExt as _};
use std::sync::Arc;
use tenon_model::{Delta, Dialect, Entry, Model, ModelErrorKind, Quirks, Remedy, Request};
use tenon_vocab::{BlobRef, ImageSource, Message, Origin, Part, Role};

fn image(name: &str) -> Part {
    Part::Image {
        source: ImageSource::Blob(blob(name)),
        media_type: String::from("image/png"),
    }
}

fn blob(name: &str) -> BlobRef {
    BlobRef {
        sha256: name.to_owned(),
        bytes: 3,
    }
}

fn with_images(role: Role, mut parts: Vec<Part>, names: &[&str]) -> Arc<Entry> {
    parts.extend(names.iter().map(|name| image(name)));
    let blobs = names
        .iter()
        .map(|name| (blob(name), Bytes::from_static(b"png")))
        .collect();
    let message = Message::new(role, Origin::User, parts);
    Arc::new(Entry::with_blobs(Arc::new(message), blobs))
}

fn images_of(request: &Request) -> usize {
    request
        .entries
        .iter()
        .flat_map(|entry| &entry.message.parts)
        .filter(|part| matches!(part, Part::Image { .. }))
        .count()
}

fn blind() -> Arc<Server> {
    Server::new(|_, request| match images_of(request) {
        0 => Reaction::Answers,
        _ => Reaction::Refuses(Remedy::NoImages),
    })
}

#[test]
fn refused_images_are_never_sent_again_and_the_model_is_told() {
    let server = blind();
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let result = Part::ToolResult {
        call: tenon_vocab::CallId::from("c1"),
        name: String::from("read"),
        text: String::from("a picture"),
        ok: true,
    };
    let mut entries = vec![
        with_images(Role::User, vec![Part::text("look")], &["a", "b"]),
        with_images(Role::Tool, vec![result], &["c", "d"]),
    ];
    let outcome = ask(&model, request_of(entries.clone()));
    assert_eq!((outcome.text.as_str(), outcome.told.len()), ("yes", 1));
    let sent = server.last();
    assert!(sent.entries.iter().all(|entry| entry.blobs.is_empty()));
    let user = sent.entries[0].message.text();
    assert!(user.contains("look") && user.contains("left out"), "{user}");
    let Part::ToolResult { text, .. } = &sent.entries[1].message.parts[0] else {
        panic!("the result is gone");
    };
    assert!(text.starts_with("a picture\n["), "{text}");
    assert_eq!(sent.entries[1].message.parts.len(), 1);

    // The same history again: no detour, and the very same pieces.
    entries.push(Arc::new(Entry::new(Arc::new(Message::user("and?")))));
    let outcome = ask(&model, request_of(entries.clone()));
    assert!(outcome.told.is_empty());
    assert_eq!(server.requests(), 3);
    let again = server.last();
    for at in 0..2 {
        assert!(Arc::ptr_eq(&again.entries[at], &sent.entries[at]), "{at}");
    }
    assert!(Arc::ptr_eq(&again.entries[2], &entries[2]));
    assert!(notes.learned().is_empty());
}

#[test]
fn a_new_image_is_tried_and_an_old_one_beside_it_stays_out() {
    let server = Server::new(|_, request| {
        let refused = request
            .entries
            .iter()
            .flat_map(|entry| &entry.message.parts)
            .any(|part| *part == image("bad") || *part == image("worse"));
        match refused {
            true => Reaction::Refuses(Remedy::NoImages),
            false => Reaction::Answers,
        }
    });
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    let first = with_images(Role::User, Vec::new(), &["bad"]);
    assert_eq!(ask(&model, request_of(vec![first.clone()])).text, "yes");

    // One that was refused, in another message, beside one that is fine.
    let second = with_images(Role::User, Vec::new(), &["bad", "good"]);
    let both = vec![first, second.clone()];
    assert!(ask(&model, request_of(both.clone())).told.is_empty());
    assert_eq!(images_of(&server.last()), 1);
    assert_eq!(server.last().entries[1].blobs.len(), 1);

    // That message later holds a second refused one: what was kept is made anew.
    let third = with_images(Role::User, Vec::new(), &["bad", "worse"]);
    let mut three = both;
    three.push(third);
    assert_eq!(ask(&model, request_of(three.clone())).told.len(), 1);
    assert_eq!(images_of(&server.last()), 0);
    assert!(ask(&model, request_of(three)).told.is_empty());
    assert_eq!(images_of(&server.last()), 0);
}

#[test]
fn without_images_a_refusal_of_images_is_an_error() {
    let server = Server::new(|_, _| Reaction::Refuses(Remedy::NoImages));
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    assert!(ask(&model, request()).error.is_some());
    assert_eq!(server.requests(), 1);
}

#[test]
fn images_that_were_not_the_reason_are_sent_again() {
    let server = Server::new(|_, request| match request.entries.len() {
        1 => Reaction::Answers,
        _ => Reaction::RefusesAs(ModelErrorKind::ContextOverflow, Some(Remedy::NoImages)),
    });
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    let picture = with_images(Role::User, Vec::new(), &["a"]);
    let text = Arc::new(Entry::new(Arc::new(Message::user("much text"))));
    let outcome = ask(&model, request_of(vec![picture.clone(), text]));
    assert_eq!(
        outcome.error.expect("still too large").kind,
        ModelErrorKind::ContextOverflow
    );
    assert_eq!(server.requests(), 2);
    assert_eq!(ask(&model, request_of(vec![picture])).text, "yes");
    assert_eq!(images_of(&server.last()), 1);
}

fn sealed(signature: &str) -> Part {
    Part::Reasoning {
        text: String::from("hm"),
        signature: Some(signature.to_owned()),
        provider: Some(String::from("test/m")),
    }
}

fn thought(signature: &str) -> Arc<Entry> {
    let parts = vec![sealed(signature), Part::text("so")];
    let message = Message::new(Role::Assistant, Origin::Model, parts);
    Arc::new(Entry::new(Arc::new(message)))
}

fn seals_of(request: &Request) -> Vec<Part> {
    let parts = request
        .entries
        .iter()
        .flat_map(|entry| &entry.message.parts);
    parts
        .filter(|part| matches!(part, Part::Reasoning { .. }))
        .cloned()
        .collect()
}

#[test]
fn reasoning_that_the_server_cannot_open_is_left_out_and_nothing_is_learned_of_the_server() {
    let server = Server::new(
        |_, request| match seals_of(request).contains(&sealed("old")) {
            true => Reaction::Refuses(Remedy::NoSealedReasoning),
            false => Reaction::Answers,
        },
    );
    let notes = Arc::new(Notes::default());
    let model = adaptive(&server, Dialect::Auto, &notes);
    let mut entries = vec![thought("old")];
    let outcome = ask(&model, request_of(entries.clone()));
    assert_eq!((outcome.text.as_str(), outcome.told.len()), ("yes", 1));
    assert_eq!(server.last().entries[0].message.text(), "so");
    assert_eq!(model.variant().quirks, Quirks::default(), "still asked for");
    assert!(notes.learned().is_empty());
    assert_eq!(model.identity().quirks, ["sealed_reasoning_left_out"]);

    // What the server seals from now on goes back as ever.
    entries.push(thought("new"));
    assert!(ask(&model, request_of(entries)).told.is_empty());
    assert_eq!(seals_of(&server.last()), [sealed("new")]);
    assert_eq!(server.requests(), 3);
}

#[test]
fn a_history_without_images_says_so_in_the_identity_when_it_is_told() {
    let server = blind();
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    assert!(model.identity().quirks.is_empty());
    let mut stream = model.stream(request_of(vec![with_images(
        Role::User,
        Vec::new(),
        &["a"],
    )]));
    let told = stream.next().now_or_never().expect("ready");
    assert!(matches!(told, Some(Ok(Delta::Adapted(_)))), "{told:?}");
    assert_eq!(model.identity().quirks, ["images_left_out"]);
}

#[test]
fn the_notice_names_the_file_the_address_or_the_kind_of_a_refused_image() {
    let server = blind();
    let model = adaptive(&server, Dialect::Auto, &Arc::default());
    let call = Part::ToolCall(tenon_vocab::ToolCallPart {
        id: tenon_vocab::CallId::new("c1"),
        name: String::from("read"),
        arguments: String::from(r#"{"path": "img/shot.png"}"#),
        form: tenon_vocab::CallForm::Native,
    });
    let result = Part::ToolResult {
        call: tenon_vocab::CallId::new("c1"),
        name: String::from("read"),
        text: String::from("an image"),
        ok: true,
    };
    let address = Part::Image {
        source: ImageSource::Url(String::from("https://example.com/a.png")),
        media_type: String::from("image/png"),
    };
    let asked = with_images(Role::User, vec![Part::text("look"), address], &["own"]);
    let called = Message::new(Role::Assistant, Origin::Model, vec![call]);
    let outcome = ask(
        &model,
        request_of(vec![
            asked,
            Arc::new(Entry::new(Arc::new(called))),
            with_images(Role::Tool, vec![result], &["shot"]),
        ]),
    );
    assert_eq!(
        outcome.told[0].message,
        "The server refused images in this conversation; Tenon leaves them out: https://example.com/a.png, image/png of 3 bytes, img/shot.png."
    );
}
