//! Which step of which scenario answers a conversation.

use serde_json::{Value, json};
use tenon_mock::{Options, Running, Scenarios};

use crate::client::{ask, post, script, start, start_json};

async fn content(server: &Running, request: &Value) -> String {
    let reply = post(server, request).await;
    assert_eq!(reply.status, 200, "{}", reply.text());
    let message = reply.json()["choices"][0]["message"].clone();
    message["content"].as_str().unwrap_or_default().to_owned()
}

/// A conversation in which so many tools have answered since the prompt.
fn after(prompt: &str, results: usize) -> Value {
    let mut messages = vec![json!({"role": "user", "content": prompt})];
    for number in 0..results {
        messages
            .push(json!({"role": "tool", "tool_call_id": "c", "content": format!("r{number}")}));
    }
    json!({"model": "m", "messages": messages})
}

fn says(text: &str) -> Value {
    json!({"response": {"content": text}})
}

#[tokio::test]
async fn walks_through_the_common_scenario_file() {
    let scenarios = Scenarios::parse(include_str!("hello_world.json")).unwrap();
    let server = start(scenarios, Options::default()).await;
    let first = post(&server, &after("please write hello world", 0))
        .await
        .json();
    assert_eq!(first["object"], "chat.completion");
    assert_eq!(first["model"], "mock-model");
    assert_eq!(
        first["choices"][0],
        json!({
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "I'll create a hello world Python script for you.",
                "tool_calls": [{
                    "id": "call_001",
                    "type": "function",
                    "function": {
                        "name": "write_file",
                        "arguments": "{\"path\": \"hello.py\", \"content\": \"print('Hello, World!')\"}"
                    }
                }]
            },
            "finish_reason": "tool_calls"
        })
    );
    let second = content(&server, &after("hello world", 1)).await;
    assert_eq!(
        second,
        "I've created hello.py. Let me run it to verify it works."
    );
    let third = content(&server, &after("hello world", 2)).await;
    assert_eq!(
        third,
        "Done! The script works correctly and outputs 'Hello, World!'"
    );
    let default = "I'm a mock server. I only understand specific test scenarios.";
    assert_eq!(content(&server, &after("hello world", 3)).await, default);
    assert_eq!(content(&server, &after("something else", 0)).await, default);
    let chat = content(&server, &ask("so, how are you today?")).await;
    assert_eq!(chat, "I'm doing well, thank you for asking!");
}

#[tokio::test]
async fn the_last_user_message_decides_also_when_it_has_parts() {
    let server = start_json(&script(json!([says("yes")])), Options::default()).await;
    let parts = json!([
        {"type": "image_url", "image_url": {"url": "data:,"}},
        {"type": "text", "text": "now go"}
    ]);
    let request = json!({"messages": [
        {"role": "user", "content": "nothing"},
        {"role": "assistant", "content": "ok"},
        {"role": "user", "content": parts},
    ]});
    assert_eq!(content(&server, &request).await, "yes");
    let request = json!({"messages": [
        {"role": "user", "content": "go"},
        {"role": "user", "content": "stop"},
    ]});
    assert_ne!(content(&server, &request).await, "yes");
}

#[tokio::test]
async fn the_first_scenario_that_matches_wins() {
    let scenarios = json!({"scenarios": [
        {"trigger": "go", "steps": [says("first")]},
        {"trigger": "go on", "steps": [says("second")]},
    ]});
    let server = start_json(&scenarios, Options::default()).await;
    assert_eq!(content(&server, &ask("go on")).await, "first");
}

#[tokio::test]
async fn tool_messages_count_over_the_conversation_or_since_the_last_user_message() {
    let steps = json!([says("one"), says("two")]);
    let scenarios = json!({"scenarios": [
        {"trigger": "whole", "steps": steps},
        {"trigger": "turn", "scope": "turn", "steps": steps},
    ]});
    let server = start_json(&scenarios, Options::default()).await;
    let conversation = |prompt: &str| {
        json!({"messages": [
            {"role": "user", "content": "before"},
            {"role": "tool", "tool_call_id": "c", "content": ""},
            {"role": "user", "content": prompt},
        ]})
    };
    assert_eq!(content(&server, &conversation("whole")).await, "two");
    assert_eq!(content(&server, &conversation("turn")).await, "one");
    let scenarios = json!({"scope": "turn", "scenarios": [
        {"trigger": "inherits", "steps": steps},
        {"trigger": "differs", "scope": "conversation", "steps": steps},
    ]});
    let server = start_json(&scenarios, Options::default()).await;
    assert_eq!(content(&server, &conversation("inherits")).await, "one");
    assert_eq!(content(&server, &conversation("differs")).await, "two");
}

#[tokio::test]
async fn a_repeated_step_stands_for_several() {
    let steps = json!([says("a"), {"response": {"content": "b{{step}}"}, "repeat": 3}, says("c")]);
    let server = start_json(&script(steps), Options::default()).await;
    let mut seen = Vec::new();
    for results in 0..5 {
        seen.push(content(&server, &after("go", results)).await);
    }
    assert_eq!(seen, ["a", "b1", "b2", "b3", "c"]);
}

#[tokio::test]
async fn blanks_are_filled_once_and_escaped_inside_arguments() {
    let steps = json!([says("never"), {"response": {
        "content": "{{step}}: {{last_tool_result}} {{other}} {{{step}}}",
        "tool_calls": [{"id": "id-{{step}}", "function": {
            "name": "write", "arguments": {"text": "{{last_tool_result}}"}
        }}]
    }}]);
    let server = start_json(&script(steps), Options::default()).await;
    let request = json!({"messages": [
        {"role": "user", "content": "go"},
        {"role": "tool", "tool_call_id": "c", "content": "say \"{{step}}\"\n"},
    ]});
    let message = post(&server, &request).await.json()["choices"][0]["message"].clone();
    assert_eq!(message["content"], "1: say \"{{step}}\"\n {{other}} {1}");
    let call = &message["tool_calls"][0];
    assert_eq!(call["id"], "id-1");
    let arguments: Value =
        serde_json::from_str(call["function"]["arguments"].as_str().unwrap()).unwrap();
    assert_eq!(arguments, json!({"text": "say \"{{step}}\"\n"}));
}

#[tokio::test]
async fn calls_without_an_id_get_one_that_no_later_turn_repeats() {
    let call = json!({"function": {"name": "list"}});
    let step = json!({"response": {"tool_calls": [call, call]}, "repeat": 9});
    let mut scenarios = script(json!([step]));
    scenarios["scope"] = json!("turn");
    let server = start_json(&scenarios, Options::default()).await;
    let mut ids = Vec::new();
    for request in [after("go", 0), after("go", 2)] {
        let reply = post(&server, &request).await.json();
        let message = &reply["choices"][0]["message"];
        assert_eq!(message["content"], Value::Null);
        for call in message["tool_calls"].as_array().unwrap() {
            assert_eq!(call["function"]["arguments"], "{}");
            ids.push(call["id"].as_str().unwrap().to_owned());
        }
    }
    assert_eq!(ids, ["call_0_0", "call_0_1", "call_2_0", "call_2_1"]);
}

#[tokio::test]
async fn usage_and_finish_reason_can_be_scripted() {
    let steps = json!([{"response": {
        "content": "x", "reasoning": "hm", "finish_reason": "length",
        "usage": {"prompt_tokens": 7, "odd": {"deep": 1}}
    }}]);
    let server = start_json(&script(steps), Options::default()).await;
    let reply = post(&server, &ask("go")).await.json();
    assert_eq!(
        reply["usage"],
        json!({"prompt_tokens": 7, "odd": {"deep": 1}})
    );
    assert_eq!(reply["choices"][0]["finish_reason"], "length");
    assert_eq!(reply["choices"][0]["message"]["reasoning_content"], "hm");
}

#[tokio::test]
async fn without_a_script_usage_is_estimated() {
    let server = start_json(&script(json!([says("12345678")])), Options::default()).await;
    let request = ask("go");
    let usage = post(&server, &request).await.json()["usage"].clone();
    let prompt = request.to_string().len().div_ceil(4);
    assert_eq!(
        usage,
        json!({"prompt_tokens": prompt, "completion_tokens": 2, "total_tokens": prompt + 2})
    );
}
