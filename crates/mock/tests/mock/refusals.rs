//! Faults in every format, and refusals in the words of real servers.

use serde_json::{Value, json};
use tenon_mock::{Options, Running};

use crate::client::{
    End, ask, ask_messages, ask_responses, post, post_to, questions, start_json, streamed,
};

const SERVERS: [&str; 9] = [
    "openai",
    "anthropic",
    "vllm",
    "llamacpp",
    "ollama",
    "lmstudio",
    "litellm",
    "openrouter",
    "gemini",
];

async fn server(fault: Value) -> Running {
    let steps = json!([{"response": {"content": "one two three four"}, "fault": fault}]);
    start_json(&crate::client::script(steps), Options::default()).await
}

/// The text of an error, wherever the server puts it.
fn message(error: &Value) -> String {
    let error = error.get(0).unwrap_or(error);
    let place = [&error["error"]["message"], &error["error"]];
    place
        .iter()
        .find_map(|value| value.as_str())
        .unwrap_or_default()
        .to_owned()
}

#[tokio::test]
async fn every_old_fault_works_in_every_format() {
    for (path, question) in questions("go") {
        let refused = server(json!({"status": 429, "retry_after": 2})).await;
        let reply = post_to(&refused, path, &streamed(question.clone())).await;
        assert_eq!(
            (reply.status, reply.header("retry-after")),
            (429, Some("2")),
            "{path}"
        );
        assert_eq!(reply.json()["error"]["type"], "rate_limit_error", "{path}");

        let cut = server(json!({"cut_after_bytes": 200})).await;
        let reply = post_to(&cut, path, &streamed(question.clone())).await;
        assert_eq!((reply.end, reply.body.len()), (End::Cut, 200), "{path}");

        let broken = server(json!({"malformed_chunk": true})).await;
        let reply = post_to(&broken, path, &streamed(question.clone())).await;
        let events = reply.named();
        let (before, after) = events.split_at(2);
        assert!(before[0].1.is_object() && before[1].1.is_null(), "{path}");
        assert!(after.len() > 3, "{path}");
        let whole = post_to(&broken, path, &question).await;
        assert!(
            serde_json::from_slice::<Value>(&whole.body).is_err(),
            "{path}"
        );
    }
}

#[tokio::test]
async fn a_stalled_stream_of_messages_sends_pings() {
    use tokio::io::AsyncReadExt;
    let stalled = server(json!({"stall_after_bytes": 300})).await;
    let body = streamed(ask_messages("go")).to_string();
    let mut socket =
        crate::client::connect(stalled.address(), "POST", "/v1/messages", body.as_bytes()).await;
    let mut bytes = Vec::new();
    while String::from_utf8_lossy(&bytes)
        .matches("event: ping")
        .count()
        < 3
    {
        assert_ne!(socket.read_buf(&mut bytes).await.unwrap(), 0);
    }
    assert!(!String::from_utf8_lossy(&bytes).contains("message_stop"));
}

#[tokio::test]
async fn an_error_event_ends_a_stream_that_began_well() {
    let fault = json!({"error_event": {"after": 3, "message": "too busy"}});
    let server = server(fault).await;
    for (path, question) in questions("go") {
        let reply = post_to(&server, path, &streamed(question.clone())).await;
        assert_eq!((reply.status, reply.end), (200, End::Complete), "{path}");
        let events = reply.named();
        let error = &events[3];
        match path {
            "/v1/messages" => {
                assert_eq!((error.0.as_str(), events.len()), ("error", 4));
                assert_eq!(error.1["error"]["type"], "overloaded_error");
                assert_eq!(error.1["error"]["message"], "too busy");
            }
            "/v1/responses" => {
                assert_eq!((error.0.as_str(), events.len()), ("response.failed", 4));
                assert_eq!(error.1["response"]["error"]["message"], "too busy");
                assert_eq!(error.1["response"]["status"], "failed");
            }
            _ => {
                assert_eq!(error.1["error"]["message"], "too busy");
                assert!(reply.text().ends_with("data: [DONE]\n\n"));
            }
        }
        let whole = post_to(&server, path, &question).await;
        assert_eq!(whole.status, 200);
        assert_eq!(whole.json()["error"]["message"], "too busy", "{path}");
    }
}

#[tokio::test]
async fn responses_have_a_second_form_of_error_and_it_may_come_first() {
    let fault =
        json!({"error_event": {"after": 0, "form": "error", "type": "rate_limit_exceeded"}});
    let server = server(fault).await;
    let reply = post_to(&server, "/v1/responses", &streamed(ask_responses("go"))).await;
    let events = reply.named();
    assert_eq!((events.len(), events[0].0.as_str()), (1, "error"));
    assert_eq!(events[0].1["code"], "rate_limit_exceeded");
}

#[tokio::test]
async fn a_parameter_is_refused_by_its_name_in_the_words_of_each_server() {
    for words in SERVERS {
        let fault = json!({"refuse_parameters": ["seed", "max_tokens"], "words": words});
        let server = server(fault).await;
        assert_eq!(post(&server, &ask("go")).await.status, 200, "{words}");
        let mut request = ask("go");
        request["seed"] = json!(1);
        let reply = post(&server, &request).await;
        assert_eq!(reply.status, 400, "{words}");
        let text = message(&reply.json());
        assert!(text.contains("seed"), "{words}: {text}");
    }
}

#[tokio::test]
async fn the_owner_names_the_parameter_and_its_successor() {
    let server = server(json!({"refuse_parameters": ["max_tokens"]})).await;
    let mut request = ask("go");
    request["max_tokens"] = json!(9);
    let error = post(&server, &request).await.json();
    assert_eq!(error["error"]["param"], "max_tokens");
    assert_eq!(error["error"]["code"], "unsupported_parameter");
    assert!(message(&error).contains("'max_completion_tokens'"));
    let messages = post_to(&server, "/v1/messages", &ask_messages("go"))
        .await
        .json();
    assert_eq!(
        message(&messages),
        "max_tokens: Extra inputs are not permitted"
    );
    assert_eq!(messages["type"], "error");
}

#[tokio::test]
async fn tools_are_refused_in_the_words_of_each_server() {
    for (words, status, part) in [
        ("ollama", 400, "mock-model does not support tools"),
        (
            "vllm",
            400,
            "--enable-auto-tool-choice and --tool-call-parser",
        ),
        ("llamacpp", 500, "tools param requires --jinja flag"),
        (
            "openrouter",
            404,
            "No endpoints found that support tool use",
        ),
        ("litellm", 400, "does not support parameters: ['tools']"),
        ("openai", 400, "'tools' is not supported with this model"),
    ] {
        let server = server(json!({"refuse_tools": true, "words": words})).await;
        assert_eq!(post(&server, &ask("go")).await.status, 200, "{words}");
        let mut request = ask("go");
        request["tools"] = json!([{"type": "function"}]);
        let reply = post(&server, &request).await;
        assert_eq!(reply.status, status, "{words}");
        let text = message(&reply.json());
        assert!(text.contains(part), "{words}: {text}");
    }
}

#[tokio::test]
async fn a_prompt_over_the_window_is_refused_in_the_words_of_each_server() {
    let long = "word ".repeat(2000);
    for (words, part) in [
        (
            "openai",
            "maximum context length is 1000 tokens. However, your messages resulted in",
        ),
        ("anthropic", "tokens > 1000 maximum"),
        (
            "vllm",
            "maximum context length is 1000 tokens. However, your request has",
        ),
        (
            "llamacpp",
            "exceeds the available context size (1000 tokens)",
        ),
        ("ollama", "exceeded max context length by"),
        ("lmstudio", "n_ctx: 1000"),
        ("litellm", "litellm.ContextWindowExceededError"),
        (
            "openrouter",
            "This endpoint's maximum context length is 1000 tokens",
        ),
        (
            "gemini",
            "exceeds the maximum number of tokens allowed (1000)",
        ),
    ] {
        let server = server(json!({"window": 1000, "words": words})).await;
        assert_eq!(post(&server, &ask("go")).await.status, 200, "{words}");
        let reply = post(&server, &ask(&format!("go {long}"))).await;
        assert_eq!(reply.status, 400, "{words}");
        let text = message(&reply.json());
        assert!(text.contains(part), "{words}: {text}");
    }
    let server = server(json!({"window": 1000})).await;
    for (path, question) in questions(&format!("go {long}")) {
        let reply = post_to(&server, path, &streamed(question)).await;
        assert_eq!(reply.status, 400, "{path}: an error is no stream");
    }
}

#[tokio::test]
async fn some_servers_count_what_may_be_said_too() {
    let mut request = ask("go");
    request["max_tokens"] = json!(5000);
    for (words, part) in [
        (
            "vllm",
            "'max_tokens' or 'max_completion_tokens' is too large: 5000",
        ),
        ("openrouter", "5000 in the output"),
        ("anthropic", "+ 5000 > 1000"),
    ] {
        let server = server(json!({"window": 1000, "words": words})).await;
        let reply = post(&server, &request).await;
        let text = message(&reply.json());
        assert!(
            reply.status == 400 && text.contains(part),
            "{words}: {text}"
        );
    }
    let llama = server(json!({"window": 1000, "words": "llamacpp"})).await;
    assert_eq!(post(&llama, &request).await.status, 200);
}

#[tokio::test]
async fn a_silent_truncation_reports_less_than_was_sent() {
    let server = server(json!({"truncate_to": 50})).await;
    let long = format!("go {}", "word ".repeat(2000));
    let [chat, messages, responses] = questions(&long);
    let reply = post_to(&server, chat.0, &chat.1).await.json();
    assert_eq!(reply["usage"]["prompt_tokens"], 50);
    let said = reply["usage"]["completion_tokens"].as_u64().unwrap();
    assert_eq!(reply["usage"]["total_tokens"], 50 + said);
    let reply = post_to(&server, messages.0, &messages.1).await.json();
    assert_eq!(reply["usage"]["input_tokens"], 50);
    let reply = post_to(&server, responses.0, &responses.1).await.json();
    assert_eq!(reply["usage"]["input_tokens"], 50);
}

#[tokio::test]
async fn reasoning_can_be_demanded_or_refused() {
    let call =
        json!({"id": "c", "type": "function", "function": {"name": "read", "arguments": "{}"}});
    let conversation = |reasoning: Option<&str>| {
        let mut said = json!({"role": "assistant", "content": "", "tool_calls": [call]});
        if let Some(reasoning) = reasoning {
            said["reasoning_content"] = json!(reasoning);
        }
        let mut request = ask("go");
        let messages = request["messages"].as_array_mut().unwrap();
        messages.push(said);
        messages.push(json!({"role": "tool", "tool_call_id": "c", "content": "x"}));
        request
    };
    let fault = |name: &str| json!({"scenarios": [], "fault": {name: true}});
    let wants = start_json(&fault("require_reasoning_content"), Options::default()).await;
    assert_eq!(post(&wants, &conversation(Some("hm"))).await.status, 200);
    let reply = post(&wants, &conversation(None)).await;
    let text = message(&reply.json());
    assert!(
        reply.status == 400
            && text.contains("Missing `reasoning_content`")
            && text.contains("index 1")
    );
    let refuses = start_json(&fault("refuse_reasoning_content"), Options::default()).await;
    assert_eq!(post(&refuses, &conversation(None)).await.status, 200);
    let reply = post(&refuses, &conversation(Some("hm"))).await;
    let text = message(&reply.json());
    assert!(reply.status == 400 && text.contains("'reasoning_content' is unsupported"));
}

#[tokio::test]
async fn a_fault_of_the_file_meets_every_request_but_those_with_their_own() {
    let scenarios = json!({
        "fault": {"status": 503},
        "scenarios": [{"trigger": "own", "steps": [{"response": {"content": "x"}, "fault": {"status": 418}}]}],
    });
    let server = start_json(&scenarios, Options::default()).await;
    assert_eq!(post(&server, &ask("own")).await.status, 418);
    assert_eq!(post(&server, &ask("else")).await.status, 503);
}
