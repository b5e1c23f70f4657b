//! The validator: parameters and tools. One test a rule, good and bad.

use serde_json::{Value, json};
use tenon_mock::wire::chat::validate;

fn request() -> Value {
    json!({"model": "m", "messages": [{"role": "user", "content": "x"}]})
}

fn with(name: &str, value: Value) -> Vec<String> {
    let mut request = request();
    request[name] = value;
    validate(request.to_string().as_bytes())
}

fn accepts(name: &str, value: Value) {
    assert_eq!(with(name, value), Vec::<String>::new());
}

fn rejects(name: &str, value: Value, words: &str) {
    let violations = with(name, value.clone());
    assert_eq!(violations.len(), 1, "{name} {value}: {violations:?}");
    assert!(
        violations[0].contains(words),
        "{name} {value}: {violations:?}"
    );
}

fn tool(name: &str, parameters: Value) -> Value {
    json!({"type": "function", "function": {"name": name, "description": "d", "parameters": parameters}})
}

fn schema() -> Value {
    json!({"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]})
}

#[test]
fn the_body_is_a_json_object() {
    assert_eq!(
        validate(request().to_string().as_bytes()),
        Vec::<String>::new()
    );
    assert!(validate(b"{")[0].contains("not JSON"));
    assert!(validate(b"[1]")[0].contains("object"));
    assert!(validate(b"")[0].contains("not JSON"));
    assert!(validate("[".repeat(100_000).as_bytes())[0].contains("not JSON"));
}

#[test]
fn model_is_a_name() {
    rejects("model", json!(""), "`model`");
    rejects("model", json!(7), "`model`");
}

#[test]
fn parameters_that_the_format_does_not_have_are_left_out() {
    for name in [
        "top_k",
        "min_p",
        "options",
        "functions",
        "function_call",
        "cache_prompt",
    ] {
        rejects(name, json!(1), name);
    }
    accepts("temperature", json!(0.2));
    accepts("reasoning_effort", json!("low"));
    accepts("max_completion_tokens", json!(100));
}

#[test]
fn stream_options_go_only_with_stream() {
    rejects(
        "stream_options",
        json!({"include_usage": true}),
        "`stream_options`",
    );
    let mut request = request();
    request["stream"] = json!(true);
    request["stream_options"] = json!({"include_usage": true});
    assert_eq!(
        validate(request.to_string().as_bytes()),
        Vec::<String>::new()
    );
    rejects("stream", json!("true"), "`stream`");
}

#[test]
fn numbers_are_in_their_range() {
    rejects("max_tokens", json!(0), "`max_tokens`");
    rejects("max_tokens", json!(-1), "`max_tokens`");
    rejects("max_tokens", json!(null), "`max_tokens`");
    rejects("temperature", json!(2.5), "`temperature`");
    rejects("temperature", json!("0"), "`temperature`");
    rejects("top_p", json!(1.5), "`top_p`");
}

#[test]
fn no_key_stands_twice_at_any_depth() {
    let twice = r#"{"model":"m","model":"m","messages":[{"role":"user","content":"x"}]}"#;
    assert_eq!(
        validate(twice.as_bytes()),
        ["The key `model` stands twice in the same object."]
    );
    let deep = r#"{"model":"m","messages":[{"role":"user","content":"x","content":"x"}]}"#;
    assert_eq!(
        validate(deep.as_bytes()),
        ["The key `content` stands twice in the same object."]
    );
}

#[test]
fn tools_are_a_list_that_is_not_empty() {
    accepts(
        "tools",
        json!([tool("read", schema()), tool("write", schema())]),
    );
    rejects("tools", json!([]), "empty");
    rejects("tools", json!({}), "array");
    rejects(
        "tools",
        json!([{"type": "function"}]),
        "tools[0]: `function`",
    );
}

#[test]
fn tool_choice_needs_tools() {
    rejects("tool_choice", json!("auto"), "`tool_choice`");
    rejects("parallel_tool_calls", json!(false), "`parallel_tool_calls`");
}

#[test]
fn tool_names_are_plain_and_unique() {
    accepts(
        "tools",
        json!([
            tool("mcp__server-1__do_it", schema()),
            tool(&"x".repeat(64), schema())
        ]),
    );
    for name in ["", "a b", "a.b", "é", &"x".repeat(65)] {
        rejects("tools", json!([tool(name, schema())]), "the name");
    }
    rejects(
        "tools",
        json!([tool("read", schema()), tool("read", schema())]),
        "another tool",
    );
}

#[test]
fn tools_are_functions_with_texts() {
    let mut odd = tool("read", schema());
    odd["type"] = json!("custom");
    rejects("tools", json!([odd]), "`type`");
    let mut odd = tool("read", schema());
    odd["function"]["description"] = json!(null);
    rejects("tools", json!([odd]), "`description`");
}

#[test]
fn parameters_are_the_schema_of_an_object() {
    accepts(
        "tools",
        json!([tool("now", json!({"type": "object", "properties": {}}))]),
    );
    rejects("tools", json!([tool("read", json!(null))]), "`parameters`");
    rejects(
        "tools",
        json!([tool("read", json!({"type": "object"}))]),
        "`properties`",
    );
    let untyped = json!({"properties": {}});
    rejects(
        "tools",
        json!([tool("read", untyped)]),
        "`type` must be \"object\"",
    );
}

#[test]
fn required_names_exist_in_properties_also_inside() {
    let missing = json!({"type": "object", "properties": {}, "required": ["path"]});
    rejects("tools", json!([tool("read", missing.clone())]), "\"path\"");
    let inside =
        json!({"type": "object", "properties": {"edits": {"type": "array", "items": missing}}});
    rejects(
        "tools",
        json!([tool("edit", inside)]),
        "properties.edits.items",
    );
    let odd = json!({"type": "object", "properties": {}, "required": true});
    rejects("tools", json!([tool("read", odd)]), "array of names");
    let odd = json!({"type": "object", "properties": {"a": "string"}});
    rejects("tools", json!([tool("read", odd)]), "properties.a");
}

#[test]
fn a_flood_of_violations_is_cut_and_counted() {
    let tools: Vec<Value> = (0..80).map(|_| json!(null)).collect();
    let mut request = request();
    request["tools"] = json!(tools);
    let violations = validate(request.to_string().as_bytes());
    assert_eq!(violations.len(), 51);
    assert!(violations[50].starts_with("And "), "{}", violations[50]);
}
