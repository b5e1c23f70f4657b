//! What the validator of the Responses format accepts and rejects. Each case
//! breaks one rule of a request that is otherwise sound.

use serde_json::{Value, json};
use tenon_mock::wire::responses::{validate, validate_prefix};

fn sound() -> Value {
    let call = |id: &str| json!({"type": "function_call", "id": format!("fc_{id}"), "call_id": id, "name": "read", "arguments": "{\"path\":\"a\"}"});
    let output =
        |id: &str| json!({"type": "function_call_output", "call_id": id, "output": "text"});
    json!({
        "model": "gpt", "stream": true, "store": false,
        "include": ["reasoning.encrypted_content"],
        "instructions": "Be kind.", "prompt_cache_key": "session-1",
        "reasoning": {"effort": "low", "summary": "auto"},
        "parallel_tool_calls": true, "tool_choice": "auto", "max_output_tokens": 1000,
        "client_metadata": {"x": "y"},
        "tools": [{
            "type": "function", "name": "read", "description": "Reads.", "strict": false,
            "parameters": {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]},
        }],
        "input": [
            {"type": "message", "role": "user", "content": [
                {"type": "input_text", "text": "look"},
                {"type": "input_image", "image_url": "https://example.org/a.png", "detail": "auto"},
            ]},
            {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "hm"}], "encrypted_content": "gAAA"},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Reading."}]},
            call("call_1"), call("call_2"), output("call_1"), output("call_2"),
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "Done."}]},
            {"role": "user", "content": "thanks"},
        ],
    })
}

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
    accepted(&with("/input", json!("hello")));
}

#[test]
fn parameters_are_known_and_in_their_range() {
    for (place, value, word) in [
        ("/model", json!(""), "`model`"),
        ("/messages", json!([]), "`messages` does not belong"),
        (
            "/previous_response_id",
            json!("resp_1"),
            "`previous_response_id` does not belong",
        ),
        ("/max_tokens", json!(9), "`max_tokens` does not belong"),
        ("/max_output_tokens", json!(15), "16 at least"),
        ("/temperature", json!(3), "from 0 to 2"),
        ("/stream", json!(1), "`stream`"),
        ("/instructions", json!([]), "`instructions`"),
        (
            "/reasoning",
            json!({"budget": 1}),
            "`budget` does not belong",
        ),
        ("/reasoning", json!("low"), "`reasoning` must be an object"),
        ("/client_metadata", json!({"x": 1}), "object of texts"),
        ("/prompt_cache_key", json!("k".repeat(65)), "1 to 64"),
        ("/input", json!([]), "`input` is empty"),
        ("/input", json!(""), "`input` must be"),
        ("/tool_choice", json!("sometimes"), "auto, none or required"),
        (
            "/tool_choice",
            json!({"type": "function", "name": "x"}),
            "no function \"x\"",
        ),
    ] {
        refused(&with(place, value), word);
    }
    let mut quiet = with("/stream", Value::Null);
    quiet["stream_options"] = json!({});
    refused(&quiet, "`stream_options` goes only with");
}

#[test]
fn nothing_is_stored_and_so_everything_is_sent() {
    refused(&with("/store", json!(true)), "`store` must be false");
    refused(&with("/store", Value::Null), "`store` must be false");
    refused(&with("/include", Value::Null), "goes with `include");
    refused(&with("/include", json!(["everything"])), "which is nothing");
    refused(
        &with("/input/1/encrypted_content", Value::Null),
        "needs its `encrypted_content`",
    );
    refused(
        &with("/input/1/encrypted_content", json!("mock-signature-0")),
        "another format",
    );
    refused(
        &with("/input/1/summary", Value::Null),
        "`summary` must be a list",
    );
    refused(
        &with("/input/1/summary", json!([{"type": "text"}])),
        "summary_text only",
    );
}

#[test]
fn every_call_has_its_output_in_order() {
    refused(&with("/input/6", Value::Null), "have no output: call_2");
    refused(&with("/input/5/call_id", json!("call_2")), "earlier call");
    refused(
        &with("/input/6/call_id", json!("call_1")),
        "has its output already",
    );
    refused(
        &with("/input/6/call_id", json!("other")),
        "no call before it",
    );
    refused(&with("/input/4/call_id", json!("call_1")), "used before");
    refused(&with("/input/4", Value::Null), "no call before it");
    let mut open = sound();
    open["input"].as_array_mut().unwrap().truncate(5);
    refused(&open, "At the end, calls have no output: call_1, call_2");
}

#[test]
fn reasoning_is_followed_by_what_it_led_to() {
    let mut last = sound();
    let thought = last["input"][1].clone();
    last["input"].as_array_mut().unwrap().push(thought.clone());
    refused(&last, "followed by what it led to");
    let mut before_user = sound();
    before_user["input"]
        .as_array_mut()
        .unwrap()
        .insert(8, thought.clone());
    refused(&before_user, "input[8]: reasoning must be followed");
    let mut before_call = sound();
    before_call["input"]
        .as_array_mut()
        .unwrap()
        .insert(4, thought);
    accepted(&before_call);
}

#[test]
fn the_last_word_is_the_users_or_a_tools() {
    refused(&with("/input/8", Value::Null), "The last item must be");
    let mut tools = sound();
    tools["input"].as_array_mut().unwrap().truncate(7);
    accepted(&tools);
}

#[test]
fn items_have_their_fields_and_no_others() {
    for (place, value, word) in [
        ("/input/0", json!("hi"), "must be an object"),
        (
            "/input/0/type",
            json!("item_reference"),
            "no item \"item_reference\"",
        ),
        ("/input/0/role", json!("tool"), "no role \"tool\""),
        ("/input/0/content", json!([]), "not empty"),
        (
            "/input/0/content/0/type",
            json!("text"),
            "\"text\" is no part",
        ),
        (
            "/input/0/content/0/type",
            json!("output_text"),
            "is no part",
        ),
        (
            "/input/0/content/0/text",
            Value::Null,
            "`text` must be a string",
        ),
        (
            "/input/0/content/1/image_url",
            json!("file:///etc/passwd"),
            "web address",
        ),
        (
            "/input/0/content/1/image_url",
            json!("data:image/png;base64,AAAA"),
            "are not image/png",
        ),
        ("/input/0/content/1/detail", json!("ultra"), "`detail`"),
        ("/input/0/id", json!("msg_1"), "`id` does not belong"),
        (
            "/input/2/content/0/type",
            json!("input_text"),
            "use output_text",
        ),
        ("/input/2/id", json!("rs_1"), "must begin with `msg`"),
        ("/input/3/id", json!("call_1"), "must begin with `fc`"),
        ("/input/3/call_id", json!(""), "`call_id`"),
        ("/input/3/call_id", json!("c".repeat(65)), "1 to 64"),
        ("/input/3/name", json!("a b"), "name of a tool"),
        (
            "/input/3/arguments",
            json!("{"),
            "does not hold a JSON object",
        ),
        (
            "/input/3/arguments",
            json!("[]"),
            "does not hold a JSON object",
        ),
        ("/input/3/arguments", json!({}), "must be a string"),
        ("/input/5/output", json!(null), "`output` must be"),
        (
            "/input/5/is_error",
            json!(true),
            "`is_error` does not belong",
        ),
        (
            "/input/7/role",
            json!("developer"),
            "only stand at the beginning",
        ),
    ] {
        refused(&with(place, value), word);
    }
}

#[test]
fn tools_are_flat_and_say_whether_they_are_strict() {
    refused(&with("/tools", json!([])), "`tools` is empty");
    refused(&with("/tools", Value::Null), "goes only with `tools`");
    refused(
        &with("/tools/0/function", json!({})),
        "`function` does not belong",
    );
    refused(&with("/tools/0/type", json!("custom")), "`type` must be");
    refused(&with("/tools/0/strict", Value::Null), "`strict` must be");
    refused(&with("/tools/0/name", json!("")), "the name");
    refused(&with("/tools/0/parameters", Value::Null), "`parameters`");
    refused(
        &with("/tools/0/strict", json!(true)),
        "`additionalProperties` is not false",
    );
    let mut strict = with("/tools/0/strict", json!(true));
    strict["tools"][0]["parameters"]["additionalProperties"] = json!(false);
    accepted(&strict);
    strict["tools"][0]["parameters"]["required"] = json!([]);
    refused(&strict, "`path` is not required");
}

#[test]
fn hostile_bodies_end_in_a_sentence() {
    for body in [
        "",
        "null",
        "[]",
        "{\"input\":[null,[],1]}",
        "{\"input\":{}}",
    ] {
        assert!(!validate(body.as_bytes()).is_empty(), "{body}");
    }
    assert!(!validate("[".repeat(100_000).as_bytes()).is_empty());
}

#[test]
fn a_request_begins_with_the_one_before_it() {
    let check = |previous: &Value, next: &Value| {
        validate_prefix(previous.to_string().as_bytes(), next.to_string().as_bytes())
    };
    let mut previous = sound();
    previous["input"].as_array_mut().unwrap().truncate(7);
    assert_eq!(check(&previous, &sound()), Ok(()));
    assert!(
        check(&sound(), &previous)
            .unwrap_err()
            .contains("input[7] is gone")
    );
    for (place, value, word) in [
        ("/tools/0/description", json!("Reads!"), "`tools` changed"),
        ("/instructions", json!("Be rude."), "`instructions` changed"),
        (
            "/prompt_cache_key",
            json!("other"),
            "`prompt_cache_key` changed",
        ),
        ("/input/3/arguments", json!("{}"), "input[3] changed"),
    ] {
        let error = check(&previous, &with(place, value)).unwrap_err();
        assert!(error.contains(word), "{error}");
    }
}
