//! What a server's refusal means, in its own words and in ours.

use crate::support::{decode_text, stream, transcript};
use std::time::Duration;
use tenon_model::codec::{Chat, Codec};
use tenon_model::{Missing, ModelError, ModelErrorKind, Quirks};

fn classify(status: u16, body: &str) -> ModelError {
    Chat::new(Quirks::default()).classify(status, None, body.as_bytes())
}

fn classify_transcript(name: &str) -> ModelError {
    let (status, body) = transcript(name);
    Chat::new(Quirks::default()).classify(status, None, &body)
}

#[test]
fn real_refusals_are_told_apart() {
    for (name, kind) in [
        ("llama_err_overflow", ModelErrorKind::ContextOverflow),
        ("llamapy_err_overflow", ModelErrorKind::ContextOverflow),
        (
            "litellm_llama_err_overflow",
            ModelErrorKind::ContextOverflow,
        ),
        (
            "litellm_scripted_failCTX_chat",
            ModelErrorKind::ContextOverflow,
        ),
        ("litellm_scripted_fail401_chat", ModelErrorKind::Auth),
        ("litellm_badkey_chat", ModelErrorKind::Auth),
        ("litellm_scripted_fail429_chat", ModelErrorKind::RateLimited),
        ("litellm_scripted_fail500_chat", ModelErrorKind::Unavailable),
        ("llamapy_err_bad_json", ModelErrorKind::Unavailable),
        (
            "llamapy_chat_tool_result_stream",
            ModelErrorKind::Unavailable,
        ),
        ("litellm_scripted_err_404", ModelErrorKind::NotFound),
        ("litellm_err_unknown_model", ModelErrorKind::NotFound),
        ("llama_err_404", ModelErrorKind::NotFound),
        ("llama_err_bad_tool_choice", ModelErrorKind::Rejected),
    ] {
        let error = classify_transcript(name);
        assert_eq!(error.kind, kind, "{name}: {}", error.message);
        assert!(
            !error.message.contains("{\"") && !error.message.contains('\n'),
            "{name}: {}",
            error.message
        );
        assert!(error.message.chars().count() < 600, "{name}");
    }
}

#[test]
fn overflow_is_recognised_in_the_words_of_every_server() {
    for (status, server, text) in [
        (
            400,
            "vLLM",
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, 1000 in the completion).",
        ),
        (
            400,
            "vLLM",
            "The decoder prompt (length 9000) is longer than the maximum model length of 8192.",
        ),
        (
            400,
            "llama.cpp",
            "the request exceeds the available context size. try increasing the context size or enable context shift",
        ),
        (
            500,
            "llama-cpp-python",
            "Requested tokens (5000) exceed context window of 2048",
        ),
        (
            400,
            "LM Studio",
            "Trying to keep the first 12031 tokens when context the overflows. However, the model is loaded with context length of only 4096 tokens, which is not enough.",
        ),
        (
            400,
            "LM Studio",
            "The number of tokens to keep from the initial prompt is greater than the context length.",
        ),
        (400, "Ollama", "the input length exceeds the context length"),
        (
            400,
            "LiteLLM",
            "litellm.ContextWindowExceededError: it broke",
        ),
        (
            400,
            "OpenAI",
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
        ),
        (
            400,
            "Anthropic",
            "prompt is too long: 210000 tokens > 200000 maximum",
        ),
        (
            400,
            "Anthropic",
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000",
        ),
        (
            400,
            "Gemini",
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
        ),
        (
            400,
            "OpenRouter",
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 200000 tokens.",
        ),
    ] {
        let body = serde_json::json!({"error": {"message": text}}).to_string();
        let error = classify(status, &body);
        assert_eq!(
            error.kind,
            ModelErrorKind::ContextOverflow,
            "{server}: {text}"
        );
        assert!(!error.is_retryable(), "{server}");
        assert!(error.hint.is_some(), "{server}");
    }
}

#[test]
fn the_sentence_is_found_wherever_it_stands() {
    for body in [
        r#"{"error":{"message":"it broke"}}"#,
        r#"{"error":"it broke"}"#,
        r#"{"message":"it broke"}"#,
        r#"{"detail":"it broke"}"#,
        r#"{"detail":[{"loc":["body"],"msg":"it broke"}]}"#,
        r#"[{"error":{"message":"it broke"}}]"#,
        r#"{"object":"error","message":"it\n\tbroke"}"#,
        r#"{"errors":[{"message":"it broke"}]}"#,
        "it broke",
        "\"it broke\"",
    ] {
        let error = classify(422, body);
        assert_eq!(
            error.message, "The server rejected the request (HTTP 422): it broke",
            "{body}"
        );
    }
}

#[test]
fn what_an_upstream_server_said_is_not_lost() {
    let error = classify(
        502,
        r#"{"error":{"message":"Provider returned error","metadata":{"raw":"{\"error\":{\"message\":\"no GPU\"}}"}}}"#,
    );
    assert!(
        error.message.ends_with("Provider returned error: no GPU"),
        "{}",
        error.message
    );
}

#[test]
fn a_body_is_never_shown_raw() {
    let page = classify(
        502,
        "<html><head><title>Bad  Gateway</title></head><body>x</body></html>",
    );
    assert_eq!(
        page.message,
        "The server failed (HTTP 502): a web page, “Bad Gateway”"
    );
    let page = classify(404, "<!DOCTYPE html><p>secret</p>");
    assert!(!page.message.contains("secret"));
    let unknown = classify(400, r#"{"weird":{"x":1}}"#);
    assert_eq!(
        unknown.message,
        "The server rejected the request (HTTP 400)."
    );
    let long = classify(400, &format!(r#"{{"message":"{}"}}"#, "é".repeat(5_000)));
    assert!(long.message.ends_with('…'));
    assert!(long.message.chars().count() < 600);
    let escapes = classify(400, "a\u{1b}[2Jb\u{0}c");
    assert!(escapes.message.ends_with("a [2Jb c"), "{}", escapes.message);
    assert_eq!(
        classify(400, "").message,
        "The server rejected the request (HTTP 400)."
    );
}

#[test]
fn statuses_tell_who_must_act() {
    for (status, body, kind) in [
        (401, "", ModelErrorKind::Auth),
        (403, "", ModelErrorKind::Auth),
        (402, "", ModelErrorKind::Rejected),
        (
            404,
            r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#,
            ModelErrorKind::NotFound,
        ),
        (408, "", ModelErrorKind::Unavailable),
        (413, "", ModelErrorKind::ContextOverflow),
        (429, "", ModelErrorKind::RateLimited),
        (
            429,
            r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#,
            ModelErrorKind::Rejected,
        ),
        (
            400,
            r#"{"error":{"message":"API key not valid. Please pass a valid API key."}}"#,
            ModelErrorKind::Auth,
        ),
        (
            503,
            r#"{"error":{"code":503,"message":"Loading model","type":"unavailable_error"}}"#,
            ModelErrorKind::Unavailable,
        ),
        (529, "", ModelErrorKind::Unavailable),
        (302, "", ModelErrorKind::Protocol),
    ] {
        assert_eq!(classify(status, body).kind, kind, "{status} {body}");
        assert_eq!(classify(status, body).status, Some(status));
    }
    let asked = Chat::new(Quirks::default()).classify(429, Some(Duration::from_secs(7)), b"");
    assert_eq!(asked.retry_after, Some(Duration::from_secs(7)));
    assert!(asked.is_retryable());
}

#[test]
fn an_error_inside_a_stream_ends_it_with_what_had_come() {
    for (error, kind) in [
        (
            r#"{"error":{"message":"slow down","code":429}}"#,
            ModelErrorKind::RateLimited,
        ),
        (
            r#"{"error":{"message":"it broke","type":"server_error"}}"#,
            ModelErrorKind::Unavailable,
        ),
        (r#"{"error":"it broke"}"#, ModelErrorKind::Unavailable),
        (
            r#"{"object":"error","message":"bad","type":"BadRequestError","code":400}"#,
            ModelErrorKind::Rejected,
        ),
        (
            r#"{"error":{"message":"maximum context length is 8"}}"#,
            ModelErrorKind::ContextOverflow,
        ),
        (
            r#"{"choices":[{"index":0,"delta":{"content":""},"finish_reason":"error"}],"error":{"code":502,"message":"gone"}}"#,
            ModelErrorKind::Unavailable,
        ),
    ] {
        let run = stream(&[&crate::support::chunk(r#"{"content":"so far"}"#), error]);
        assert_eq!(run.error().kind, kind, "{error}");
        let partial = run.error().partial.as_deref().expect("what had come");
        assert_eq!(partial.text(), "so far");
    }
}

#[test]
fn an_error_named_by_its_event_or_its_field_is_one() {
    let run = decode_text("event: error\ndata: overloaded\n\n");
    assert!(run.error().message.contains("overloaded"));
    let run =
        decode_text("error: {\"code\":500,\"message\":\"no slot\",\"type\":\"server_error\"}\n\n");
    assert!(run.error().message.contains("no slot"));
    assert_eq!(run.error().kind, ModelErrorKind::Unavailable);
}

#[test]
fn a_success_that_is_no_answer_says_so() {
    assert!(decode_text("").error().message.contains("empty answer"));
    assert_eq!(decode_text("").error().kind, ModelErrorKind::Broken);
    for body in [
        "<html>login</html>",
        "Service OK",
        "{\"status\":\"ok\"}",
        " \n ",
        "[]",
        "{\"choices\":[]}",
    ] {
        let run = decode_text(body);
        assert_eq!(run.error().kind, ModelErrorKind::Protocol, "{body}");
        assert!(run.error().hint.is_some(), "{body}");
    }
    assert!(
        decode_text("{\"detail\":\"no such thing\"}")
            .error()
            .message
            .contains("no such thing")
    );
}

#[test]
fn an_unknown_model_is_told_from_an_unknown_address() {
    let model =
        r#"{"error": {"message": "The model `x` does not exist", "code": "model_not_found"}}"#;
    for (status, body, missing) in [
        (404, model, Some(Missing::Model)),
        (400, model, Some(Missing::Model)),
        (404, "", Some(Missing::Address)),
        (404, r#"{"detail": "Not Found"}"#, Some(Missing::Address)),
        (400, r#"{"detail": "no"}"#, None),
    ] {
        assert_eq!(classify(status, body).missing, missing, "{status} {body}");
    }
}

#[test]
fn a_404_is_about_the_model_only_when_it_says_so() {
    for body in [
        r#"{"error":{"message":"model \"x\" not found, try pulling it first"}}"#,
        r#"{"error":{"message":"The model `org/x` does not exist or you do not have access to it.","code":"model_not_found"}}"#,
        r#"{"type":"error","error":{"type":"not_found_error","message":"model: x"}}"#,
        r#"{"error":{"code":404,"message":"models/x is not found for API version v1","status":"NOT_FOUND"}}"#,
        r#"{"error":{"message":"Model Not Exist"}}"#,
        r#"{"error":{"message":"Unable to access model org/x. See https://example.com/models"}}"#,
    ] {
        let error = classify(404, body);
        assert_eq!(error.missing, Some(Missing::Model), "{body}");
        assert!(error.message.contains("doesn't have this model"), "{body}");
    }
    for body in [
        "",
        "404 page not found",
        r#"{"detail":"Not Found"}"#,
        r#"{"error":{"message":"There is nothing at /x. Ask GET /v1/models."}}"#,
        r#"{"error":{"type":"not_found_error","message":"/v1/models: not found"}}"#,
        r#"{"error":"not found: https://example.com/v1/model/x"}"#,
        r#"{"error":"this model server has no such page"}"#,
        r#"{"error":"not found; see `/model` for help"}"#,
    ] {
        let error = classify(404, body);
        assert_eq!(error.kind, ModelErrorKind::NotFound, "{body}");
        assert_eq!(error.missing, Some(Missing::Address), "{body}");
    }
}
