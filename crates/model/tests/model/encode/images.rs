//! Images of users and of tools in a request.

use super::{
    assert_strict, assistant, blob, body, call, entry, messages, request, result, with_image,
};
use serde_json::json;
use tenon_model::{Quirks, ToolImages};
use tenon_vocab::{ImageSource, Message, Origin, Part, Role};

#[test]
fn images_of_a_user_are_parts_and_several_texts_stay_one_string() {
    let (_, missing) = blob();
    let url = Part::Image {
        source: ImageSource::Url("https://example.test/a.png".into()),
        media_type: "image/png".into(),
    };
    let request = request(vec![
        with_image(Role::User, vec![Part::text("what is this?")]),
        assistant(vec![Part::text("a dot")]),
        entry(Message::new(Role::User, Origin::User, vec![url, missing])),
        assistant(vec![Part::text("no")]),
        entry(Message::new(
            Role::User,
            Origin::User,
            vec![Part::text("a"), Part::text("b")],
        )),
    ]);
    let messages = messages(&request);
    assert_eq!(
        messages[1]["content"],
        json!([
            {"type": "text", "text": "what is this?"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,UE5H"}},
        ])
    );
    assert_eq!(
        messages[3]["content"][0]["image_url"]["url"],
        json!("https://example.test/a.png")
    );
    assert_eq!(messages[3]["content"][1]["type"], json!("text"));
    assert_eq!(messages[5]["content"], json!("a\nb"));
}

#[test]
fn images_of_tools_follow_the_last_result_in_one_user_message() {
    let history = || {
        vec![
            entry(Message::user("look")),
            assistant(vec![call("a", "{}"), call("b", "{}")]),
            with_image(Role::Tool, vec![result("a", "an image")]),
            with_image(Role::Tool, vec![result("b", "another")]),
        ]
    };
    let shown = messages(&request(history()));
    assert_eq!(shown.len(), 6);
    assert_eq!(shown[5]["role"], json!("user"));
    assert_eq!(shown[5]["content"].as_array().map(Vec::len), Some(3));
    let mut steered = history();
    steered.push(entry(Message::user("stop")));
    let steered = messages(&request(steered));
    assert_eq!(steered[..6], shown[..]);
    assert_eq!(
        (&steered[6]["role"], &steered[7]["content"]),
        (&json!("assistant"), &json!("stop"))
    );
    let quirks = Quirks {
        tool_images: ToolImages::LeaveOut,
        ..Quirks::default()
    };
    let left_out = body(quirks, &request(history()));
    assert_strict(&left_out);
    assert_eq!(left_out["messages"].as_array().map(Vec::len), Some(5));
    assert!(
        left_out["messages"][3]["content"]
            .as_str()
            .is_some_and(|text| text.contains("left out"))
    );
}
