//! `tenon doctor --network`: what is found out about a server by asking it.

use crate::codex_server::{Reply, Seen, WebServer};
use crate::model::Model;
use crate::program::{Program, Ran};
use serde_json::{Value, json};
use std::time::Duration;

const COUNT: &str = "Count from 1 to 10";
const ONE: &str = "for the city Paris now";
const TWO: &str = "twice in one answer";
const RED: &str = "Which colour";

fn weather(city: &str) -> Value {
    json!({"function": {"name": "get_weather", "arguments": {"city": city}}})
}

fn scenario(trigger: &str, response: &Value) -> Value {
    json!({"trigger": trigger, "steps": [{"response": response}]})
}

/// A model that does what it is asked.
fn able() -> Vec<Value> {
    vec![
        scenario(
            COUNT,
            &json!({"content": "1, 2, 3, 4, 5, 6, 7, 8, 9, 10", "reasoning": "Easy."}),
        ),
        scenario(ONE, &json!({"tool_calls": [weather("Paris")]})),
        scenario(
            TWO,
            &json!({"tool_calls": [weather("Paris"), weather("Oslo")]}),
        ),
        scenario(RED, &json!({"content": "Red."})),
    ]
}

fn doctor(program: &Program, model: &Model, args: &[&str]) -> Ran {
    let mut command = model.command(&program.home);
    command.args(["doctor", "--network"]).args(args);
    Ran::of(command.output().unwrap())
}

#[test]
fn each_ability_of_a_server_is_found_by_one_small_request() {
    let program = Program::new();
    let model = Model::scripted(json!({"scenarios": able()}), Duration::ZERO);
    let ran = doctor(&program, &model, &["--images", "--json"]);
    let network = &ran.json()["network"];
    assert_eq!(network["provider"], "env");
    assert_eq!(network["models"], 1);
    assert_eq!(network["streaming"], "streams");
    assert_eq!(network["usage"], true);
    assert_eq!(network["reasoning"], true);
    assert_eq!(network["tools"], "called");
    assert_eq!(network["parallel_calls"], "two");
    assert_eq!(network["images"], "seen");
    let completions = model
        .requests()
        .iter()
        .filter(|request| request.path.ends_with("/chat/completions"))
        .count();
    assert_eq!(network["tools_without_streaming"], "called");
    assert_eq!(completions, 5);
}

#[test]
fn what_will_be_asked_is_said_before_and_each_answer_as_it_comes() {
    let program = Program::new();
    let model = Model::scripted(json!({"scenarios": able()}), Duration::ZERO);
    let ran = doctor(&program, &model, &[]);
    let (before, after) = ran.err.split_once('\n').unwrap();
    assert!(before.contains("4 small completions"), "{before}");
    for question in [
        "models: ok",
        "streaming: ok",
        "tools: ok",
        "parallel calls: ok",
    ] {
        assert!(after.contains(question), "{after}");
    }
    ran.says("it accepts tools, and the model calls them")
        .says("it reports usage");
}

#[test]
fn a_model_that_ignores_tools_is_told_from_one_that_calls_them() {
    let program = Program::new();
    let model = Model::says("I would rather talk.");
    let ran = doctor(&program, &model, &["--json"]);
    let page = ran.json();
    assert_eq!(page["network"]["tools"], "ignored");
    assert_eq!(page["network"]["parallel_calls"], Value::Null);
    let findings = page["findings"].to_string();
    assert!(findings.contains("I would rather talk."), "{findings}");
    assert!(findings.contains("providers.env.dialect"), "{findings}");
}

#[test]
fn a_call_that_is_left_in_the_text_is_recognised() {
    let program = Program::new();
    let mut scenarios = able();
    scenarios[1] = scenario(
        ONE,
        &json!({"content": "<tool_call>\n{\"name\": \"get_weather\", \"arguments\": {\"city\": \"Paris\"}}\n</tool_call>"}),
    );
    let model = Model::scripted(json!({"scenarios": scenarios}), Duration::ZERO);
    let page = doctor(&program, &model, &["--json"]).json();
    assert_eq!(page["network"]["tools"], "written_as_text");
}

/// A server whose words about itself are given, and which answers in chat.
fn server(tools: fn(&Seen) -> Reply, props: Option<Value>) -> WebServer {
    WebServer::new(move |seen| match seen.path.as_str() {
        "/v1/models" => Reply::json(200, &json!({"data": [{"id": "m"}]})),
        "/props" => match &props {
            Some(props) => Reply::json(200, props),
            None => Reply::refused(404, "not_found"),
        },
        "/v1/chat/completions" if seen.json().get("tools").is_some() => tools(seen),
        "/v1/chat/completions" => Reply::says(&seen.path, "1, 2, 3"),
        _ => Reply::refused(404, "not_found"),
    })
}

fn doctor_of(server: &WebServer, preset: &str) -> Value {
    let program = Program::new();
    program.configure(
        &json!({"default_provider": "mine", "providers": {"mine": {
            "preset": preset, "base_url": server.url("/v1"), "model": "m"}}})
        .to_string(),
    );
    let ran = program.run(&["doctor", "--network", "--json"]);
    ran.json()
}

fn advice(page: &Value, what: &str) -> String {
    let findings = page["findings"].as_array().unwrap();
    let found = findings
        .iter()
        .find(|finding| finding["what"].as_str().unwrap().contains(what));
    found.unwrap_or_else(|| panic!("no {what} in {findings:#?}"))["advice"]
        .as_str()
        .unwrap()
        .to_owned()
}

fn refuses(text: &str, status: u16) -> Reply {
    let error = json!({"message": text, "type": "BadRequestError", "code": status});
    Reply::json(status, &json!({"error": error}))
}

#[test]
fn a_server_that_refuses_tools_is_told_which_flag_it_lacks() {
    let vllm = server(
        |_| {
            refuses(
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
                400,
            )
        },
        None,
    );
    let page = doctor_of(&vllm, "vllm");
    assert_eq!(page["network"]["tools"], "refused");
    let said = advice(&page, "the server doesn't accept tools");
    assert!(
        said.contains("--enable-auto-tool-choice") && said.contains("--tool-call-parser"),
        "{said}"
    );
    assert!(said.contains("`providers.mine.dialect`"), "{said}");

    let llama = server(|_| refuses("tools param requires --jinja flag", 500), None);
    let page = doctor_of(&llama, "llamacpp");
    let said = advice(&page, "the server doesn't accept tools");
    assert!(said.contains("--jinja"), "{said}");
}

#[test]
fn a_parameter_that_is_refused_is_left_out_and_said_to_be() {
    let server = WebServer::new(|seen| match seen.path.as_str() {
        "/v1/models" => Reply::json(200, &json!({"data": [{"id": "m"}]})),
        "/v1/chat/completions" if seen.json().get("stream_options").is_some() => {
            refuses("Unsupported parameter: 'stream_options'", 400)
        }
        "/v1/chat/completions" => Reply::says(&seen.path, "1, 2, 3"),
        _ => Reply::refused(404, "not_found"),
    });
    let page = doctor_of(&server, "vllm");
    assert_eq!(page["network"]["streaming"], "whole");
    let said = advice(&page, "the server refuses a parameter");
    assert!(
        said.contains("`providers.mine.quirks.omit` to [\"stream_options\"]"),
        "{said}"
    );
}

#[test]
fn every_remedy_of_a_session_is_tried_here_and_only_what_may_go_is_left_out() {
    let server = WebServer::new(|seen| match seen.path.as_str() {
        "/v1/models" => Reply::json(200, &json!({"data": [{"id": "m"}]})),
        _ if seen.json().get("max_tokens").is_some() => refuses(
            "Unsupported parameter: 'max_tokens' is not supported. Use 'max_completion_tokens' instead.",
            400,
        ),
        _ if seen.json().get("stream_options").is_some() => {
            refuses("Unsupported parameter: 'stream_options'", 400)
        }
        _ => refuses("Unsupported parameter: 'messages'", 400),
    });
    let page = doctor_of(&server, "vllm");
    let said = page["findings"].to_string();
    assert!(
        said.contains("max_tokens_field` to \\\"max_completion_tokens"),
        "{said}"
    );
    assert!(
        said.contains("quirks.omit` to [\\\"stream_options\\\"]"),
        "{said}"
    );
    assert_eq!(page["network"]["streaming"], "failed");
    let asked = server.asked("/v1/chat/completions");
    assert_eq!(asked.len(), 3);
    assert!(asked.iter().all(|seen| seen.json()["messages"].is_array()));
}

#[test]
fn a_model_that_does_not_answer_is_a_problem() {
    let server = WebServer::new(|seen| match seen.path.as_str() {
        "/v1/models" => Reply::json(200, &json!({"data": [{"id": "m"}]})),
        _ => refuses("CUDA out of memory", 500),
    });
    let page = doctor_of(&server, "vllm");
    assert_eq!(page["network"]["streaming"], "failed");
    assert_eq!(page["problems"], 1);
    advice(&page, "the model doesn't answer");
}

#[test]
fn a_server_that_takes_tools_only_without_streaming_is_told_apart() {
    let server = server(
        |seen| match seen.json()["stream"] == true {
            true => Reply::says(&seen.path, "Sunny."),
            false => Reply::json(
                200,
                &json!({"id": "c", "object": "chat.completion", "choices": [{"index": 0,
                    "finish_reason": "tool_calls", "message": {"role": "assistant", "content": null,
                    "tool_calls": [{"id": "t1", "type": "function", "function":
                        {"name": "get_weather", "arguments": "{\"city\": \"Paris\"}"}}]}}]}),
            ),
        },
        None,
    );
    let page = doctor_of(&server, "vllm");
    assert_eq!(page["network"]["tools"], "ignored");
    assert_eq!(page["network"]["tools_without_streaming"], "called");
    let said = advice(&page, "tools work only without streaming");
    assert!(said.contains("`streaming`"), "{said}");
}

#[test]
fn a_template_that_knows_no_tools_is_named_as_the_cause() {
    let props = json!({
        "default_generation_settings": {"n_ctx": 4096},
        "chat_template_caps": {"supports_tools": false, "supports_tool_calls": false}});
    let server = server(|seen| Reply::says(&seen.path, "Sunny."), Some(props));
    let page = doctor_of(&server, "llamacpp");
    assert_eq!(page["network"]["tools"], "ignored");
    assert_eq!(page["network"]["server"], "llama.cpp");
    let said = advice(&page, "the model called none");
    assert!(said.contains("--chat-template-file"), "{said}");
    let said = advice(&page, "4096 tokens");
    assert!(said.contains("-c"), "{said}");
}

#[test]
fn a_window_that_is_not_told_is_asked_of_the_user() {
    let server = server(|seen| Reply::says(&seen.path, "Sunny."), None);
    let page = doctor_of(&server, "ollama");
    assert_eq!(page["network"]["window"], Value::Null);
    let said = advice(&page, "doesn't report its window");
    assert!(said.contains("OLLAMA_CONTEXT_LENGTH"), "{said}");
    assert!(said.contains("`providers.mine.context_window`"), "{said}");
}

#[test]
fn a_provider_and_a_model_can_be_named() {
    let server = server(|seen| Reply::says(&seen.path, "x"), None);
    let program = Program::new();
    program.configure(
        &json!({"default_provider": "down", "providers": {
            "down": {"base_url": "http://127.0.0.1:1/v1", "model": "x"},
            "up": {"base_url": server.url("/v1")}}})
        .to_string(),
    );
    let args = [
        "doctor",
        "--network",
        "--json",
        "--provider",
        "up",
        "-m",
        "n",
    ];
    let page = program.run(&args).json();
    assert_eq!(page["network"]["provider"], "up");
    assert_eq!(page["network"]["model"], "n");
    advice(&page, "`n` is not among its 1 models");
}

#[test]
fn a_server_with_several_models_and_none_chosen_gets_no_completion() {
    let program = Program::new();
    let server = WebServer::new(|_| Reply::json(200, &json!({"data": [{"id": "a"}, {"id": "b"}]})));
    let mut command = program.command();
    command
        .env("TENON_BASE_URL", server.url("/v1"))
        .args(["doctor", "--network"]);
    Ran::of(command.output().unwrap())
        .ended(1)
        .says("none is chosen");
    assert!(server.asked("/v1/chat/completions").is_empty());
}
