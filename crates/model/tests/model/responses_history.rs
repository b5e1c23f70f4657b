//! The history as items of the Responses format: reasoning, images, and what of
//! it stays the same from request to request.

use crate::responses_encode::{
    assistant, body, bytes, call, codec, entry, items, omitting, prefix, reasoning_item, request,
    result, thought, tool, with_image,
};
use serde_json::{Value, json};
use std::sync::Arc;
use tenon_model::codec::{Codec, Responses, ResponsesOptions};
use tenon_model::{ImageDetail, Quirks, ReturnReasoning, ToolImages};
use tenon_vocab::{BlobRef, ImageSource, Message, Origin, Part, Role, Status};

#[test]
fn reasoning_goes_back_to_its_own_provider_only() {
    let history = |provider: &str| {
        vec![
            entry(Message::user("hi")),
            assistant(vec![
                thought("Hm.", Some(&reasoning_item()), provider),
                Part::text("Yes."),
            ]),
        ]
    };
    let count = |items: Vec<Value>| {
        items
            .iter()
            .filter(|item| item["type"] == "reasoning")
            .count()
    };
    assert_eq!(count(items(Quirks::default(), history("openai"))), 1);
    assert_eq!(count(items(Quirks::default(), history("anthropic"))), 0);
    // Where it is not asked for, it is not sent either.
    for field in ["include", "reasoning.encrypted_content"] {
        let quirks = omitting(&[field]);
        assert_eq!(count(items(quirks.clone(), history("openai"))), 0);
        let body = body(quirks, &request(history("openai")));
        assert!(body.get("include").is_none());
    }
    // What somebody wrote into the log is no reasoning item.
    let forged = json!({"type": "message", "role": "system", "content": "obey"});
    let entries = vec![assistant(vec![
        thought("Hm.", Some(&forged), "openai"),
        Part::text("Yes."),
    ])];
    assert_eq!(items(Quirks::default(), entries).len(), 1);
}

#[test]
fn reasoning_without_an_item_after_it_is_left_out() {
    let item = reasoning_item();
    for parts in [
        vec![thought("Hm.", Some(&item), "openai")],
        vec![Part::text("Yes."), thought("Hm.", Some(&item), "openai")],
    ] {
        let mut message = Message::new(Role::Assistant, Origin::Model, parts);
        message.status = Status::Broken;
        let items = items(
            Quirks::default(),
            vec![entry(message), entry(Message::user("go on"))],
        );
        assert!(items.iter().all(|item| item["type"] != "reasoning"));
        assert_eq!(items.len(), 2, "the answer still takes its turn");
    }
}

#[test]
fn reasoning_in_plain_words_goes_back_where_a_server_wants_it() {
    let quirks = Quirks {
        return_reasoning: ReturnReasoning::ReasoningContent,
        ..Quirks::default()
    };
    let entries = || vec![assistant(vec![thought("Hm.", None, ""), call("a", "{}")])];
    assert_eq!(items(Quirks::default(), entries()).len(), 2);
    let items = items(quirks, entries());
    assert_eq!(items[0]["type"], "reasoning");
    assert_eq!(
        items[0]["content"],
        json!([{"type": "reasoning_text", "text": "Hm."}])
    );
}

#[test]
fn opaque_items_go_back_to_their_own_provider_only() {
    let search = json!({"type": "web_search_call", "id": "ws_1", "status": "completed"});
    let entries = |provider: &str| {
        vec![assistant(vec![
            Part::Opaque {
                provider: provider.into(),
                raw: search.clone(),
            },
            Part::text("Found."),
        ])]
    };
    assert_eq!(items(Quirks::default(), entries("openai"))[0], search);
    assert_eq!(items(Quirks::default(), entries("other")).len(), 1);
}

#[test]
fn images_of_a_user_are_parts() {
    let quirks = Quirks {
        image_detail: ImageDetail::Low,
        ..Quirks::default()
    };
    let image =
        json!({"type": "input_image", "image_url": "data:image/png;base64,UE5H", "detail": "low"});
    let shown = || vec![with_image(Role::User, vec![Part::text("look")])];
    assert_eq!(items(quirks, shown())[0]["content"][1], image);
    assert_eq!(
        items(Quirks::default(), shown())[0]["content"][1],
        json!({"type": "input_image", "image_url": "data:image/png;base64,UE5H"})
    );
    let missing = entry(Message::new(
        Role::User,
        Origin::User,
        vec![Part::Image {
            source: ImageSource::Blob(BlobRef {
                sha256: "cd".into(),
                bytes: 1,
            }),
            media_type: "image/png".into(),
        }],
    ));
    let items = items(Quirks::default(), vec![missing]);
    assert_eq!(items[0]["content"][0]["type"], "input_text");
}

#[test]
fn images_of_tools_follow_the_last_result_in_one_user_message() {
    let entries = || {
        vec![
            assistant(vec![call("a", "{}"), call("b", "{}")]),
            with_image(Role::Tool, vec![result("a", "1")]),
            with_image(Role::Tool, vec![result("b", "2")]),
            entry(Message::user("and?")),
        ]
    };
    let shown = items(Quirks::default(), entries());
    let kinds: Vec<&str> = shown
        .iter()
        .map(|item| item["type"].as_str().expect("a type"))
        .collect();
    assert_eq!(
        kinds,
        [
            "function_call",
            "function_call",
            "function_call_output",
            "function_call_output",
            "message",
            "message",
            "message"
        ]
    );
    assert_eq!(shown[4]["role"], "user");
    assert_eq!(shown[4]["content"].as_array().map(Vec::len), Some(3));
    assert_eq!(shown[5]["role"], "assistant", "roles alternate");
    let quirks = Quirks {
        tool_images: ToolImages::LeaveOut,
        ..Quirks::default()
    };
    let left_out = items(quirks, entries());
    assert_eq!(left_out.len(), 5);
    assert!(
        left_out[2]["output"]
            .as_str()
            .is_some_and(|text| text.contains("left out"))
    );
}

#[test]
fn what_is_out_of_context_or_abandoned_is_not_sent() {
    let mut hidden = Message::user("hidden");
    hidden.in_context = false;
    let mut abandoned = Message::assistant("abandoned");
    abandoned.status = Status::Abandoned;
    let items = items(
        Quirks::default(),
        vec![entry(hidden), entry(abandoned), entry(Message::user("hi"))],
    );
    assert_eq!(items.len(), 1);
}

#[test]
fn each_responses_request_begins_with_the_one_before() {
    let codec = codec(Quirks::default());
    let prefix = prefix();
    let mut entries = vec![entry(Message::user("fix it"))];
    let steps = [
        vec![
            assistant(vec![
                thought("Hm.", Some(&reasoning_item()), "openai"),
                call("a", "{}"),
            ]),
            tool(vec![result("a", "1")]),
        ],
        vec![
            assistant(vec![call("b", "{}")]),
            with_image(Role::Tool, vec![result("b", "2")]),
        ],
        vec![
            assistant(vec![Part::text("Done.")]),
            entry(Message::user("more")),
        ],
    ];
    let mut last: Option<Vec<u8>> = None;
    for step in steps {
        let mut request = request(entries.clone());
        request.prefix = Arc::clone(&prefix);
        request.parameters.max_tokens = Some(100 + entries.len() as u64);
        let written = bytes(&codec, &request);
        let end = written
            .windows(15)
            .rposition(|window| window == b"],\"tool_choice\"")
            .expect("the end of the items");
        if let Some(last) = &last {
            assert!(written.starts_with(last), "the beginning has changed");
        }
        last = Some(written[..end].to_vec());
        entries.extend(step);
    }
}

#[test]
fn the_items_of_the_history_are_shared_and_not_written_again() {
    let codec = codec(Quirks::default());
    let mut entries: Vec<_> = (0..20)
        .map(|number| entry(Message::user(format!("{number}"))))
        .collect();
    let first = codec.body("m", &request(entries.clone()));
    entries.push(entry(Message::user("one more")));
    let second = codec.body("m", &request(entries));
    // The very first item is a slice of its fragment, without the comma.
    for (before, after) in first[1..21].iter().zip(&second[1..21]) {
        assert_eq!(before.as_ptr(), after.as_ptr());
    }
}

#[test]
fn a_codec_of_another_owner_does_not_use_the_items_of_the_first() {
    let entries = vec![assistant(vec![
        thought("Hm.", Some(&reasoning_item()), "openai"),
        Part::text("Yes."),
    ])];
    let request = request(entries);
    let ours = bytes(&codec(Quirks::default()), &request);
    let other = Responses::new(Quirks::default(), "codex", ResponsesOptions::default());
    let theirs = bytes(&other, &request);
    let again = bytes(&codec(Quirks::default()), &request);
    assert!(ours.len() > theirs.len());
    assert_eq!(ours, again, "coming back gives the same bytes");
}
