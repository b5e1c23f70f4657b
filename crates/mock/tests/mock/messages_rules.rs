//! What the validator of the Messages format accepts and rejects. Each case
//! breaks one rule of a request that is otherwise sound.

use serde_json::{Value, json};
use tenon_mock::wire::messages::{validate, validate_count, validate_prefix};

/// A red dot.
const PNG: &str = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg==";

fn sound() -> Value {
    json!({
        "model": "claude", "max_tokens": 4096, "stream": true,
        "system": [{"type": "text", "text": "Be kind.", "cache_control": {"type": "ephemeral"}}],
        "tools": [{
            "name": "read", "description": "Reads.",
            "input_schema": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        }],
        "messages": [
            {"role": "user", "content": [
                {"type": "text", "text": "look"},
                {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
            ]},
            {"role": "assistant", "content": [
                {"type": "thinking", "thinking": "hm", "signature": "EqQB"},
                {"type": "text", "text": "Reading."},
                {"type": "tool_use", "id": "toolu_1", "name": "read", "input": {"path": "a"}},
                {"type": "tool_use", "id": "toolu_2", "name": "read", "input": {"path": "b"}},
            ]},
            {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": "toolu_1", "content": "one"},
                {"type": "tool_result", "tool_use_id": "toolu_2", "is_error": true,
                    "content": [{"type": "text", "text": "two"}]},
                {"type": "text", "text": "go on"},
            ]},
            {"role": "assistant", "content": "Done."},
            {"role": "user", "content": "thanks"},
        ],
    })
}

/// The sound request with one place changed; `null` removes it.
fn with(pointer: &str, value: Value) -> Value {
    let mut request = sound();
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    match request.pointer_mut(parent).unwrap() {
        Value::Object(object) if value.is_null() => {
            object.shift_remove(name);
        }
        Value::Object(object) => {
            object.insert(name.to_owned(), value);
        }
        Value::Array(list) if value.is_null() => {
            list.remove(name.parse().unwrap());
        }
        Value::Array(list) => list[name.parse::<usize>().unwrap()] = value,
        _ => panic!("{pointer}"),
    }
    request
}

#[track_caller]
fn refused(request: &Value, word: &str) {
    let violations = validate(request.to_string().as_bytes());
    assert!(
        violations.iter().any(|sentence| sentence.contains(word)),
        "no `{word}` in {violations:?}"
    );
}

#[track_caller]
fn accepted(request: &Value) {
    assert_eq!(
        validate(request.to_string().as_bytes()),
        Vec::<String>::new()
    );
}

#[test]
fn a_sound_request_has_no_violation() {
    accepted(&sound());
}

#[test]
fn parameters_are_known_and_in_their_range() {
    for (place, value, word) in [
        ("/model", json!(""), "`model`"),
        ("/max_tokens", json!(null), "`max_tokens`"),
        ("/max_tokens", json!(0), "`max_tokens`"),
        ("/stream", json!("yes"), "`stream`"),
        ("/temperature", json!(1.5), "from 0 to 1"),
        ("/seed", json!(1), "`seed` does not belong"),
        (
            "/stream_options",
            json!({}),
            "`stream_options` does not belong",
        ),
        ("/system", json!(""), "`system`"),
        ("/system", json!([]), "`system`"),
        ("/system/0/text", json!("  "), "white space"),
        ("/messages", json!([]), "`messages` is empty"),
        ("/messages", json!("hi"), "`messages` must be an array"),
        (
            "/tool_choice",
            json!("auto"),
            "`tool_choice` must be an object",
        ),
        (
            "/tool_choice",
            json!({"type": "tool", "name": "x"}),
            "no tool \"x\"",
        ),
    ] {
        refused(&with(place, value), word);
    }
    accepted(&with("/cache_control", json!({"type": "ephemeral"})));
}

#[test]
fn thinking_has_a_budget_below_the_output() {
    let thinking = |budget: u64| json!({"type": "enabled", "budget_tokens": budget});
    accepted(&with("/thinking", thinking(2000)));
    accepted(&with("/thinking", json!({"type": "adaptive"})));
    refused(&with("/thinking", thinking(1000)), "at least 1024");
    refused(
        &with("/thinking", thinking(4096)),
        "above `thinking.budget_tokens`",
    );
    refused(&with("/thinking", json!({"type": "on"})), "`thinking.type`");
    let mut warm = with("/thinking", thinking(2000));
    warm["temperature"] = json!(0);
    refused(&warm, "`temperature` may only be 1");
    let mut forced = with("/thinking", thinking(2000));
    forced["tool_choice"] = json!({"type": "any"});
    refused(&forced, "cannot be forced");
}

#[test]
fn with_thinking_an_open_turn_begins_with_it() {
    let mut request = with(
        "/thinking",
        json!({"type": "enabled", "budget_tokens": 2000}),
    );
    let messages = request["messages"].as_array_mut().unwrap();
    messages.truncate(3);
    messages[2]["content"].as_array_mut().unwrap().pop();
    accepted(&request);
    request["messages"][1]["content"]
        .as_array_mut()
        .unwrap()
        .remove(0);
    refused(&request, "begins with it");
}

#[test]
fn roles_alternate_and_the_user_begins_and_ends() {
    refused(&with("/messages/0", Value::Null), "must be the user's");
    refused(
        &with("/messages/4", Value::Null),
        "The last message must be the user's",
    );
    refused(&with("/messages/3/role", json!("user")), "in a row");
    refused(&with("/messages/3/role", json!("system")), "role `system`");
    refused(&with("/messages/3/role", json!("tool")), "no role \"tool\"");
    refused(
        &with("/messages/3/name", json!("x")),
        "`name` does not belong",
    );
}

#[test]
fn nothing_is_empty() {
    refused(&with("/messages/4/content", json!("")), "empty");
    refused(&with("/messages/4/content", json!(" \n")), "empty");
    refused(&with("/messages/4/content", json!([])), "no blocks");
    refused(
        &with("/messages/4/content", json!(null)),
        "`content` must be",
    );
    refused(
        &with("/messages/1/content/1/text", json!("")),
        "empty or white space",
    );
    refused(
        &with("/messages/2/content/1/content", json!([])),
        "must not be empty when",
    );
    refused(
        &with("/messages/2/content/1/content/0/text", json!("")),
        "empty or white space",
    );
}

#[test]
fn calls_are_answered_in_the_next_message_first_and_in_order() {
    refused(
        &with("/messages/2/content/1", Value::Null),
        "no result here: toolu_2",
    );
    refused(
        &with("/messages/2/content/0/tool_use_id", json!("other")),
        "is next",
    );
    refused(
        &with(
            "/messages/2/content/2",
            json!({"type": "tool_result", "tool_use_id": "x"}),
        ),
        "did not call",
    );
    let mut turned = sound();
    turned["messages"][2]["content"]
        .as_array_mut()
        .unwrap()
        .rotate_left(1);
    refused(&turned, "is next");
    let mut late = sound();
    late["messages"][2]["content"]
        .as_array_mut()
        .unwrap()
        .rotate_right(1);
    refused(&late, "results must come first");
    let mut open = sound();
    open["messages"].as_array_mut().unwrap().truncate(2);
    refused(&open, "At the end, calls have no result: toolu_1, toolu_2");
    refused(&with("/tools", Value::Null), "need `tools`");
}

#[test]
fn ids_names_and_inputs_are_well_formed() {
    refused(
        &with("/messages/1/content/2/id", json!("call:1")),
        "letters, digits",
    );
    refused(
        &with("/messages/1/content/2/id", json!("")),
        "letters, digits",
    );
    refused(
        &with("/messages/1/content/3/id", json!("toolu_1")),
        "used before",
    );
    refused(
        &with("/messages/1/content/2/name", json!("a b")),
        "name of a tool",
    );
    refused(
        &with("/messages/1/content/2/input", json!("{}")),
        "`input` must be an object",
    );
    refused(
        &with("/messages/1/content/2/index", json!(0)),
        "`index` does not belong",
    );
    refused(
        &with("/messages/2/content/0/is_error", json!("no")),
        "`is_error`",
    );
    refused(
        &with("/messages/1/content/1/type", json!("image")),
        "no block \"image\"",
    );
    refused(
        &with("/messages/4/content", json!([{"text": "x"}])),
        "must have a `type`",
    );
}

#[test]
fn thinking_is_signed_and_unchanged() {
    refused(
        &with("/messages/1/content/0/signature", json!("")),
        "signature is empty",
    );
    refused(
        &with("/messages/1/content/0/signature", Value::Null),
        "must be strings",
    );
    refused(
        &with(
            "/messages/1/content/0/signature",
            json!("mock-encrypted-00"),
        ),
        "another format",
    );
    refused(
        &with(
            "/messages/1/content/0/signature",
            json!("mock-signature-00"),
        ),
        "not what the signature was made for",
    );
    accepted(&with(
        "/messages/1/content/0",
        json!({"type": "redacted_thinking", "data": "x"}),
    ));
    refused(
        &with(
            "/messages/1/content/0",
            json!({"type": "redacted_thinking", "data": ""}),
        ),
        "`data`",
    );
}

#[test]
fn images_are_what_they_say() {
    let source = "/messages/0/content/1/source";
    refused(
        &with(&format!("{source}/media_type"), json!("image/bmp")),
        "no kind of image",
    );
    refused(
        &with(&format!("{source}/media_type"), json!("image/jpeg")),
        "are not image/jpeg",
    );
    refused(
        &with(&format!("{source}/data"), json!("%%%")),
        "not sound base64",
    );
    refused(
        &with(&format!("{source}/data"), json!("A".repeat(6 << 20))),
        "5 MB",
    );
    refused(
        &with(&format!("{source}/type"), json!("file")),
        "base64 or url",
    );
    accepted(&with(
        source,
        json!({"type": "url", "url": "https://example.org/a.png"}),
    ));
}

#[test]
fn tools_have_names_and_schemas() {
    refused(&with("/tools", json!([])), "`tools` is empty");
    refused(&with("/tools/0/name", json!("a.b")), "the name \"a.b\"");
    refused(
        &with("/tools/0/input_schema", Value::Null),
        "`input_schema`",
    );
    refused(
        &with("/tools/0/input_schema/type", json!("string")),
        "must be \"object\"",
    );
    refused(
        &with("/tools/0/input_schema/required", json!(["none"])),
        "not in `properties`",
    );
    refused(
        &with("/tools/0/parameters", json!({})),
        "`parameters` does not belong",
    );
    let mut twice = sound();
    let tool = twice["tools"][0].clone();
    twice["tools"].as_array_mut().unwrap().push(tool);
    refused(&twice, "called `read` too");
}

#[test]
fn at_most_four_markers_ask_for_a_cache() {
    let marker = json!({"type": "ephemeral", "ttl": "1h"});
    let mut request = sound();
    request["tools"][0]["cache_control"] = marker.clone();
    request["messages"][0]["content"][0]["cache_control"] = marker.clone();
    request["messages"][2]["content"][2]["cache_control"] = marker.clone();
    accepted(&request);
    request["messages"][2]["content"][0]["cache_control"] = marker.clone();
    refused(&request, "5 markers");
    refused(
        &with("/tools/0/cache_control", json!({"type": "forever"})),
        "ephemeral",
    );
    refused(
        &with(
            "/tools/0/cache_control",
            json!({"type": "ephemeral", "ttl": "2h"}),
        ),
        "5m or 1h",
    );
    refused(
        &with("/messages/1/content/0/cache_control", marker),
        "thinking cannot be marked",
    );
}

#[test]
fn a_key_that_stands_twice_is_found() {
    let body =
        r#"{"model":"m","max_tokens":1,"max_tokens":2,"messages":[{"role":"user","content":"x"}]}"#;
    let violations = validate(body.as_bytes());
    assert!(
        violations[0].contains("`max_tokens` stands twice"),
        "{violations:?}"
    );
}

#[test]
fn hostile_bodies_end_in_a_sentence() {
    for body in [
        "",
        "null",
        "[]",
        "\"x\"",
        "{\"messages\":[null,[],1]}",
        "{\"messages\":[{\"role\":\"user\",\"content\":[null]}]}",
    ] {
        assert!(!validate(body.as_bytes()).is_empty(), "{body}");
    }
    assert!(!validate("[".repeat(100_000).as_bytes()).is_empty());
    let many = json!({"messages": vec![json!({}); 500]});
    assert_eq!(validate(many.to_string().as_bytes()).len(), 51);
}

#[test]
fn a_count_needs_no_limit_and_takes_no_stream() {
    let mut request = sound();
    let object = request.as_object_mut().unwrap();
    object.shift_remove("max_tokens");
    assert_eq!(
        validate_count(request.to_string().as_bytes()).len(),
        1,
        "`stream`"
    );
    request.as_object_mut().unwrap().shift_remove("stream");
    assert_eq!(
        validate_count(request.to_string().as_bytes()),
        Vec::<String>::new()
    );
}

#[track_caller]
fn prefix(previous: &Value, next: &Value) -> Result<(), String> {
    validate_prefix(previous.to_string().as_bytes(), next.to_string().as_bytes())
}

#[test]
fn a_request_begins_with_the_one_before_it() {
    let mut previous = sound();
    previous["messages"].as_array_mut().unwrap().truncate(3);
    assert_eq!(prefix(&previous, &sound()), Ok(()));
    assert!(
        prefix(&sound(), &previous)
            .unwrap_err()
            .contains("messages[3] is gone")
    );
    for (place, value, word) in [
        ("/tools/0/description", json!("Reads!"), "`tools` changed"),
        ("/system/0/text", json!("Be rude."), "`system` changed"),
        (
            "/messages/1/content/2/input/path",
            json!("c"),
            "messages[1] changed",
        ),
        (
            "/messages/0/content/0/text",
            json!("looks"),
            "messages[0] changed",
        ),
    ] {
        let error = prefix(&previous, &with(place, value)).unwrap_err();
        assert!(error.contains(word), "{error}");
    }
}

#[test]
fn markers_may_move_and_a_text_may_become_a_block() {
    let mut next = with(
        "/messages/4/content",
        json!([
            {"type": "text", "text": "thanks", "cache_control": {"type": "ephemeral"}}
        ]),
    );
    next["messages"][2]["content"][0]["content"] = json!([{"type": "text", "text": "one"}]);
    assert_eq!(prefix(&sound(), &next), Ok(()));
}

#[test]
fn only_the_last_message_may_grow() {
    let mut previous = sound();
    previous["messages"].as_array_mut().unwrap().truncate(3);
    previous["messages"][2]["content"]
        .as_array_mut()
        .unwrap()
        .pop();
    assert_eq!(prefix(&previous, &sound()), Ok(()));
    let mut shorter = sound();
    shorter["messages"][2]["content"]
        .as_array_mut()
        .unwrap()
        .pop();
    assert!(
        prefix(&shorter, &sound())
            .unwrap_err()
            .contains("messages[2] changed")
    );
}
