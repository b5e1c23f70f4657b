//! The validator: roles, contents, calls and their answers. One test a rule.

use serde_json::{Value, json};
use tenon_mock::wire::chat::validate;

fn check(messages: Value) -> Vec<String> {
    validate(
        json!({"model": "m", "messages": messages})
            .to_string()
            .as_bytes(),
    )
}

fn accepts(messages: Value) {
    assert_eq!(check(messages), Vec::<String>::new());
}

fn rejects(messages: Value, words: &str) {
    let violations = check(messages.clone());
    assert_eq!(violations.len(), 1, "{messages}: {violations:?}");
    assert!(violations[0].contains(words), "{messages}: {violations:?}");
}

fn system() -> Value {
    json!({"role": "system", "content": "s"})
}

fn user() -> Value {
    json!({"role": "user", "content": "u"})
}

fn assistant() -> Value {
    json!({"role": "assistant", "content": "a"})
}

fn call(id: &str) -> Value {
    json!({"id": id, "type": "function", "function": {"name": "read", "arguments": "{}"}})
}

fn calling(ids: &[&str]) -> Value {
    let calls: Vec<Value> = ids.iter().map(|id| call(id)).collect();
    json!({"role": "assistant", "content": "", "tool_calls": calls})
}

fn result(id: &str) -> Value {
    json!({"role": "tool", "tool_call_id": id, "content": "r"})
}

/// A whole exchange around one odd call.
fn around(call: Value) -> Value {
    let answer = result(call["id"].as_str().unwrap_or("a"));
    json!([user(), {"role": "assistant", "content": "", "tool_calls": [call]}, answer])
}

#[test]
fn accepts_a_long_conversation_in_order() {
    accepts(json!([
        system(),
        user(),
        calling(&["a", "b"]),
        result("a"),
        result("b"),
        calling(&["c"]),
        result("c"),
        assistant(),
        user(),
    ]));
}

#[test]
fn accepts_a_user_message_after_tool_results() {
    accepts(json!([user(), calling(&["a"]), result("a"), user()]));
}

#[test]
fn there_is_a_message_and_it_is_an_object() {
    rejects(json!([]), "empty");
    rejects(json!({}), "array");
    rejects(json!(["x"]), "object");
}

#[test]
fn a_system_message_is_the_first_and_the_only_one() {
    accepts(json!([system(), user()]));
    accepts(json!([user()]));
    rejects(
        json!([system(), system(), user()]),
        "messages[1]: a system message",
    );
    rejects(
        json!([user(), assistant(), system(), user()]),
        "messages[2]: a system message",
    );
}

#[test]
fn the_user_speaks_first() {
    rejects(
        json!([system(), assistant(), user()]),
        "messages[1]: the first message",
    );
    rejects(
        json!([assistant(), user()]),
        "messages[0]: the first message",
    );
}

#[test]
fn roles_alternate() {
    rejects(json!([user(), user()]), "messages[1]: two user messages");
    rejects(
        json!([user(), assistant(), assistant(), user()]),
        "messages[2]: two assistant",
    );
}

#[test]
fn the_last_message_waits_for_an_answer() {
    rejects(json!([user(), assistant()]), "last message");
    rejects(json!([system()]), "last message");
}

#[test]
fn there_is_no_role_but_the_four() {
    rejects(
        json!([{"role": "developer", "content": "x"}, user()]),
        "use `system`",
    );
    rejects(
        json!([{"role": "function", "content": "x"}, user()]),
        "no role",
    );
    rejects(json!([{"content": "x"}, user()]), "`role`");
}

#[test]
fn content_is_never_null_and_never_missing() {
    rejects(json!([{"role": "user", "content": null}]), "null");
    rejects(json!([{"role": "user"}]), "missing");
    let mut silent = calling(&["a"]);
    silent["content"] = Value::Null;
    rejects(
        json!([user(), silent, result("a")]),
        "messages[1]: `content` is null",
    );
    silent.as_object_mut().unwrap().remove("content");
    rejects(
        json!([user(), silent, result("a")]),
        "messages[1]: `content` is missing",
    );
}

#[test]
fn only_users_send_parts_and_each_is_well_formed() {
    let text = json!({"type": "text", "text": "x"});
    let image = json!({"type": "image_url", "image_url": {"url": "data:,"}});
    accepts(json!([{"role": "user", "content": [text, image]}]));
    rejects(json!([{"role": "user", "content": []}]), "no parts");
    rejects(
        json!([{"role": "user", "content": [{"type": "image_url"}]}]),
        "content[0]",
    );
    rejects(json!([{"role": "user", "content": ["x"]}]), "content[0]");
    rejects(json!([{"role": "user", "content": 7}]), "string or a list");
    let mut listed = result("a");
    listed["content"] = json!([text]);
    rejects(
        json!([user(), calling(&["a"]), listed]),
        "messages[2]: `content` must be a string",
    );
}

#[test]
fn messages_hold_only_what_belongs_to_them() {
    rejects(json!([{"role": "user", "content": "x", "id": 1}]), "`id`");
    rejects(
        json!([{"role": "user", "content": "x", "tool_calls": []}]),
        "`tool_calls`",
    );
    let mut thinking = assistant();
    thinking["reasoning_content"] = json!("hm");
    accepts(json!([user(), thinking, user()]));
}

#[test]
fn empty_tool_calls_are_left_out() {
    let mut empty = assistant();
    empty["tool_calls"] = json!([]);
    rejects(json!([user(), empty, user()]), "`tool_calls` is empty");
    empty["tool_calls"] = json!(null);
    rejects(json!([user(), empty, user()]), "must be an array");
}

#[test]
fn every_call_is_answered_before_anything_else() {
    rejects(json!([user(), calling(&["a"])]), "no answer: a");
    rejects(
        json!([user(), calling(&["a", "b"]), result("a")]),
        "no answer: b",
    );
    rejects(
        json!([user(), calling(&["a", "b"]), result("a"), user()]),
        "messages[3]: the calls",
    );
}

#[test]
fn answers_come_once_and_in_order() {
    rejects(
        json!([user(), calling(&["a"]), result("a"), result("a")]),
        "its answer already",
    );
    let swapped = json!([user(), calling(&["a", "b"]), result("b"), result("a")]);
    rejects(swapped, "messages[2]: the answer to \"b\"");
}

#[test]
fn tool_messages_stand_only_behind_calls() {
    rejects(json!([user(), result("x")]), "no call before it");
    rejects(
        json!([user(), assistant(), result("x")]),
        "no call before it",
    );
    let mut nameless = result("a");
    nameless.as_object_mut().unwrap().remove("tool_call_id");
    let violations = check(json!([user(), calling(&["a"]), nameless]));
    assert!(violations[0].contains("`tool_call_id`"), "{violations:?}");
}

#[test]
fn call_ids_are_there_and_never_used_again() {
    let violations = check(json!([user(), calling(&[""]), user()]));
    assert_eq!(
        violations,
        ["messages[1]: tool_calls[0]: `id` must be a non-empty string."]
    );
    let twice = json!([
        user(),
        calling(&["a"]),
        result("a"),
        calling(&["a"]),
        result("a")
    ]);
    rejects(twice, "messages[3]: tool_calls[0]: the id \"a\"");
    let pair = json!([user(), calling(&["a", "a"]), result("a"), result("a")]);
    rejects(pair, "tool_calls[1]: the id \"a\"");
}

#[test]
fn arguments_are_a_string_that_holds_an_object() {
    for (arguments, words) in [
        (json!({}), "must be a string"),
        (json!(null), "must be a string"),
        (json!(""), "JSON object"),
        (json!("{\"path\": \"a"), "JSON object"),
        (json!("[]"), "JSON object"),
        (json!("{} {}"), "JSON object"),
    ] {
        let mut odd = call("a");
        odd["function"]["arguments"] = arguments;
        rejects(around(odd), words);
    }
    let mut fine = call("a");
    fine["function"]["arguments"] = json!(" {\"path\": \"a\"} ");
    accepts(around(fine));
}

#[test]
fn calls_are_functions_with_a_name() {
    let mut odd = call("a");
    odd.as_object_mut().unwrap().remove("type");
    rejects(around(odd), "`type`");
    let mut odd = call("a");
    odd["function"]["name"] = json!("two words");
    rejects(around(odd), "name of a tool");
}
