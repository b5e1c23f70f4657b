//! What could be sent differently, told from the refusals of real servers.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenon_model::codec::{Chat, Codec};
use tenon_model::{MaxTokensField, ModelError, ModelErrorKind, Quirks, Remedy};

pub fn classify(status: u16, body: &str) -> ModelError {
    Chat::new(Quirks::default()).classify(status, None, body.as_bytes())
}

pub fn remedy(status: u16, body: &Value) -> Option<Remedy> {
    classify(status, &body.to_string()).remedy.map(|it| *it)
}

pub fn said(status: u16, message: &str) -> ModelError {
    classify(status, &json!({"error": {"message": message}}).to_string())
}

fn omit(field: &str) -> Option<Remedy> {
    Some(Remedy::Omit {
        field: field.to_owned(),
    })
}

/// Who says it, of which field, and how.
const PARAMETERS: &[(&str, &str, &str)] = &[
    (
        "OpenAI",
        "temperature",
        "Unsupported value: 'temperature' does not support 0.2 with this model. Only the default (1) value is supported.",
    ),
    (
        "OpenAI",
        "reasoning.effort",
        "Unsupported value: 'reasoning.effort' does not support 'xhigh' with this model.",
    ),
    (
        "OpenAI",
        "parallel_tool_calls",
        "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.",
    ),
    ("OpenAI", "include", "Unknown parameter: 'include'."),
    (
        "OpenAI",
        "include",
        "Encrypted content is not supported with this model.",
    ),
    (
        "Azure",
        "stream_options",
        "Unrecognized request argument supplied: stream_options",
    ),
    (
        "llama-cpp-python",
        "reasoning_effort",
        "create_chat_completion() got an unexpected keyword argument 'reasoning_effort'",
    ),
    (
        "LiteLLM",
        "reasoning_effort",
        "litellm.UnsupportedParamsError: openai does not support parameters: ['reasoning_effort'], for model=small. To drop these, set `litellm.drop_params=True`",
    ),
    (
        "LiteLLM",
        "thinking",
        "azure does not support parameters: ['thinking']",
    ),
    (
        "vLLM",
        "stream_options",
        "[{'type': 'extra_forbidden', 'loc': ('body', 'stream_options'), 'msg': 'Extra inputs are not permitted', 'input': {'include_usage': True}}]",
    ),
    ("Groq", "metadata", "property 'metadata' is unsupported"),
    (
        "Gemini",
        "stream_options",
        "Invalid JSON payload received. Unknown name \"stream_options\": Cannot find field.",
    ),
    (
        "xAI",
        "reasoning_effort",
        "Argument not supported on this model: reasoningEffort",
    ),
    (
        "Moonshot",
        "temperature",
        "invalid temperature: only 1 is allowed for this model",
    ),
    (
        "Moonshot",
        "top_p",
        "invalid top_p: only 0.95 is allowed for this model",
    ),
    (
        "OpenRouter",
        "tool_choice",
        "No endpoints found that support the provided 'tool_choice' value",
    ),
    (
        "DeepSeek",
        "tool_choice",
        "deepseek-reasoner does not support this tool_choice",
    ),
    (
        "Ollama",
        "thinking",
        "\"gemma3:4b\" does not support thinking",
    ),
    (
        "Anthropic",
        "system.cache_control",
        "messages.0.content.0.text.cache_control: Extra inputs are not permitted",
    ),
    (
        "Anthropic",
        "system.cache_control",
        "tools.3.custom.cache_control: Extra inputs are not permitted",
    ),
    (
        "Anthropic",
        "system.cache_control",
        "system.0.cache_control: Extra inputs are not permitted",
    ),
    (
        "Anthropic",
        "cache_control",
        "cache_control: Extra inputs are not permitted",
    ),
    (
        "Anthropic",
        "top_p",
        "`temperature` and `top_p` cannot both be specified for this model. Please use only one.",
    ),
    (
        "Anthropic",
        "temperature",
        "`temperature` is deprecated for this model.",
    ),
    (
        "Anthropic",
        "temperature",
        "`temperature` may only be set to 1 when thinking is enabled.",
    ),
    (
        "Anthropic",
        "output_config",
        "This model does not support the effort parameter.",
    ),
    (
        "a JSON schema",
        "parallel_tool_calls",
        "Additional properties are not allowed ('parallel_tool_calls' was unexpected)",
    ),
    (
        "zod",
        "prompt_cache_key",
        "Unrecognized key(s) in object: 'prompt_cache_key'",
    ),
    (
        "Codex",
        "max_output_tokens",
        "Unsupported parameter: max_output_tokens",
    ),
    (
        "serde",
        "client_metadata",
        "unknown field `client_metadata`, expected one of `model`, `input`",
    ),
];

#[test]
fn a_parameter_is_named_in_the_words_of_every_server() {
    for (server, field, text) in PARAMETERS {
        let error = said(400, text);
        let found = error.remedy.map(|it| *it);
        assert_eq!(found, omit(field), "{server}: {text}");
        assert_eq!(error.kind, ModelErrorKind::Rejected, "{server}");
    }
}

#[test]
fn a_parameter_is_named_in_the_fields_of_an_error() {
    let extra = json!({"type": "extra_forbidden", "loc": ["body", "stream_options", "include_usage"], "msg": "Extra inputs are not permitted", "input": true});
    for (status, body) in [
        (
            400,
            json!({"error": {"message": "no", "code": "unsupported_parameter", "param": "stream_options"}}),
        ),
        (
            400,
            json!({"message": "no", "code": "unknown_parameter", "param": "stream_options"}),
        ),
        // FastAPI, Mistral in its three shapes
        (422, json!({"detail": [extra]})),
        (
            422,
            json!({"object": "error", "message": {"detail": [extra]}, "type": "invalid_request_error"}),
        ),
        (
            422,
            json!({"object": "Error", "message": [extra], "code": 3001}),
        ),
        (
            422,
            json!({"object": "error", "message": json!({"detail": [extra]}).to_string(), "code": "1000"}),
        ),
    ] {
        assert_eq!(remedy(status, &body), omit("stream_options"), "{body}");
        let message = classify(status, &body.to_string()).message;
        assert!(!message.contains("{\""), "shown raw: {message}");
    }
    let other = json!({"error": {"message": "no", "code": "rate", "param": "store"}});
    assert_eq!(
        remedy(400, &other),
        None,
        "the code is about something else"
    );
    let signature = json!({"error": {"message": "The encrypted content could not be verified.", "code": "invalid_encrypted_content"}});
    assert_eq!(remedy(400, &signature), Some(Remedy::NoSealedReasoning));
}

#[test]
fn reasoning_that_cannot_be_opened_is_no_word_about_what_the_server_takes() {
    for message in [
        "The encrypted content gAAAAABo… could not be verified. Reason: Encrypted content could not be decrypted or parsed.",
        "messages.1.content.0: Invalid `signature` in `thinking` block",
    ] {
        let body = json!({"error": {"message": message, "type": "invalid_request_error"}});
        assert_eq!(
            remedy(400, &body),
            Some(Remedy::NoSealedReasoning),
            "{message}"
        );
    }
    let unsupported = json!({"error": {"message": "Encrypted content is not supported with this model.", "param": "include"}});
    assert_eq!(remedy(400, &unsupported), omit("include"));
}

/// Everything that a request is made of, and what it must not lose.
#[test]
fn a_crafted_refusal_takes_nothing_away_but_what_may_go() {
    const ESSENTIAL: &[&str] = &[
        "model",
        "messages",
        "input",
        "instructions",
        "system",
        "stream",
        "authorization",
        "x-api-key",
        "messages.0.content",
        "input.3.output",
        "tools.0.function.name",
        "tools[0].name",
        "omit",
        "../learned.json",
        "quirks.omit",
        "base_url",
    ];
    for field in ESSENTIAL {
        for text in [
            format!("Unsupported parameter: '{field}'"),
            format!("Unknown field {field}; {field} is not supported"),
            format!("{field}: Extra inputs are not permitted"),
        ] {
            for status in [400, 404, 422, 500] {
                let body = json!({"error": {"message": text, "param": field, "code": "unsupported_parameter"}});
                assert_eq!(remedy(status, &body), None, "{text}");
            }
        }
    }
}

#[test]
fn the_field_for_the_length_of_an_answer_is_swapped() {
    let new = Some(Remedy::MaxTokensField {
        field: MaxTokensField::MaxCompletionTokens,
    });
    let openai = json!({"error": {
        "message": "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        "type": "invalid_request_error", "param": "max_tokens", "code": "unsupported_parameter"}});
    assert_eq!(remedy(400, &openai), new);
    let old = Some(Remedy::MaxTokensField {
        field: MaxTokensField::MaxTokens,
    });
    let mistral = json!({"object": "error", "message": {"detail": [{"type": "extra_forbidden", "loc": ["body", "max_completion_tokens"], "msg": "Extra inputs are not permitted", "input": 32000}]}});
    assert_eq!(remedy(422, &mistral), old);
}

#[test]
fn only_fields_that_may_be_left_out_are_ever_named() {
    for name in [
        "model",
        "messages",
        "input",
        "stream",
        "response_format",
        "constructor",
        "../temperature/..",
        "",
    ] {
        let text = format!("Unsupported parameter: '{name}'");
        assert_eq!(said(400, &text).remedy, None, "{name}");
        let body = json!({"error": {"message": "no", "code": "unknown_parameter", "param": name}});
        assert_eq!(remedy(400, &body), None, "{name}");
    }
    // What is wrong with a part of the tools is not cured without tools.
    let schema =
        "Invalid schema for function 'edit'. Unsupported parameter: 'tools[0].function.parameters'";
    assert_eq!(said(400, schema).remedy, None);
}

#[test]
fn statuses_that_are_not_about_the_request_have_no_remedy() {
    for status in [401, 403, 408, 429, 503, 529] {
        let error = said(status, "Unsupported parameter: 'temperature'");
        assert_eq!(error.remedy, None, "{status}");
    }
}

#[test]
fn hostile_bodies_are_read_without_harm() {
    let deep = "[".repeat(100) + &"]".repeat(100);
    let nested = (0..12).fold(String::from("{}"), |inner, _| {
        json!({"message": inner}).to_string()
    });
    let names = "unsupported parameter: ".to_owned() + &"x,".repeat(20_000);
    let marks = "é unsupported parameter: 'é' is not supported é".repeat(500);
    let places =
        json!({"detail": vec![json!({"type": "extra", "loc": vec!["a"; 500], "msg": "x"}); 500]});
    for body in [deep, nested, names, marks, places.to_string()] {
        assert_eq!(classify(400, &body).remedy, None);
    }
    let cut = "unsupported parameter: 'temperature".to_owned();
    assert_eq!(
        classify(400, &cut).remedy.map(|it| *it),
        omit("temperature")
    );
}

/// Pieces of refusals, put together at random and mixed with anything.
fn piece() -> impl Strategy<Value = String> {
    let known = prop::sample::select(vec![
        "unsupported parameter: ",
        "Extra inputs are not permitted",
        "'type': 'extra_forbidden', 'loc': ('body', ",
        " is not supported",
        "maximum context length is ",
        "you requested ",
        " in the completion",
        " input tokens",
        "exceed context limit: ",
        " + ",
        " > ",
        "max_tokens",
        "temperature",
        "messages",
        "tools[0]",
        "reasoning_content",
        "content",
        "18446744073709551615",
        "8192",
        "['",
        "é",
    ]);
    prop_oneof![4 => known.prop_map(str::to_owned), 1 => any::<String>()]
}

proptest! {
    #[test]
    fn no_refusal_does_harm_whatever_it_says(
        pieces in prop::collection::vec(piece(), 0..12),
        status in prop::sample::select(vec![400_u16, 404, 413, 422, 500]),
        param in piece(),
    ) {
        let text = pieces.concat();
        let body = json!({"error": {"message": text, "code": "unknown_parameter", "param": param}});
        for body in [text.clone(), body.to_string()] {
            let error = classify(status, &body);
            prop_assert!(error.message.chars().count() < 700);
            match error.remedy.as_deref() {
                Some(Remedy::Omit { field }) => {
                    let sent = ["messages", "model", "input", "tools", "stream", "content"];
                    prop_assert!(!sent.contains(&field.as_str()), "{field}");
                    prop_assert!(field.chars().count() < 40);
                }
                Some(Remedy::MaxTokens { most }) => prop_assert!(*most > 0),
                _ => {}
            }
        }
    }
}
