//! What could be sent differently, told from the refusals of real servers.

use proptest::prelude::*;
use serde_json::{Value, json};
use tenon_model::codec::{Chat, Codec};
use tenon_model::{
    ContentNull, MaxTokensField, ModelError, ModelErrorKind, Quirks, Remedy, ReturnReasoning,
};

fn classify(status: u16, body: &str) -> ModelError {
    Chat::new(Quirks::default()).classify(status, None, body.as_bytes())
}

fn remedy(status: u16, body: &Value) -> Option<Remedy> {
    classify(status, &body.to_string()).remedy.map(|it| *it)
}

fn said(status: u16, message: &str) -> ModelError {
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
    (
        "Groq",
        "store",
        "property 'store' is unsupported, did you mean 'stop'?",
    ),
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
fn refused_tools_mean_markdown_and_name_the_missing_flag() {
    for (status, server, flag, text) in [
        (
            400,
            "Ollama",
            "",
            "registry.ollama.ai/library/gemma3:4b does not support tools",
        ),
        (
            400,
            "vLLM",
            "--enable-auto-tool-choice --tool-call-parser",
            "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
        ),
        (
            500,
            "llama.cpp",
            "llama-server with --jinja",
            "tools param requires --jinja flag",
        ),
        (
            404,
            "OpenRouter",
            "",
            "No endpoints found that support tool use. To learn more about provider routing, visit: https://openrouter.ai/docs/provider-routing",
        ),
        (
            400,
            "LiteLLM",
            "",
            "bedrock does not support parameters: ['tools', 'tool_choice'], for model=x",
        ),
        (400, "Bedrock", "", "This model doesn't support tool use."),
        (
            400,
            "Gemini",
            "",
            "Function calling is not enabled for models/gemma-3-27b-it",
        ),
        (
            400,
            "Groq",
            "",
            "`tool calling` is not supported with this model",
        ),
        (
            400,
            "Azure",
            "",
            "Unrecognized request argument supplied: tools",
        ),
        (501, "some gateway", "", "Tools are not supported"),
    ] {
        let error = said(status, text);
        let found = error.remedy.as_deref();
        assert_eq!(found, Some(&Remedy::Markdown), "{server}: {text}");
        assert_eq!(error.kind, ModelErrorKind::Rejected, "{server}");
        assert!(!error.is_retryable(), "{server}");
        let hint = error.hint.unwrap_or_default();
        assert!(hint.contains(flag), "{server}: {hint}");
    }
    let ollama = json!({"error": "registry.ollama.ai/library/gemma:2b does not support tools"});
    assert_eq!(remedy(400, &ollama), Some(Remedy::Markdown));
}

#[test]
fn refused_images_are_left_out() {
    for (status, text) in [
        (
            500,
            "image input is not supported - hint: if this is unexpected, you may need to provide the mmproj",
        ),
        (
            400,
            "At most 1 image(s) may be provided in one prompt. (parameter=image)",
        ),
        (400, "small is not a multimodal model"),
        (404, "No endpoints found that support image input"),
        (
            400,
            "Invalid content type. image_url is only supported by certain models.",
        ),
        (
            400,
            "Failed to deserialize the JSON body into the target type: messages[0]: unknown variant `image_url`, expected `text`",
        ),
        (
            400,
            "messages.46.content.9.image.source.base64: image exceeds 5 MB maximum: 6096280 bytes > 5242880 bytes",
        ),
        (
            400,
            "messages.84.content.1.image.source.base64.data: At least one of the image dimensions exceed max allowed size for many-image requests: 2000 pixels",
        ),
        (400, "Could not process image"),
        (400, "Image input is only supported for Pixtral models."),
        (400, "This model does not support images"),
    ] {
        let error = said(status, text);
        assert_eq!(
            error.remedy.as_deref(),
            Some(&Remedy::NoImages),
            "{status} {text}"
        );
        assert_eq!(error.kind, ModelErrorKind::Rejected, "{status} {text}");
        assert!(error.hint.is_some(), "{text}");
    }
    let large = classify(413, "<html><title>413 Request Entity Too Large</title>");
    assert_eq!(large.remedy.as_deref(), Some(&Remedy::NoImages));
    assert_eq!(large.kind, ModelErrorKind::ContextOverflow);
}

#[test]
fn earlier_reasoning_is_returned_or_kept_back_as_the_server_wants() {
    for (reasoning, text) in [
        (
            ReturnReasoning::ReasoningContent,
            "thinking is enabled but reasoning_content is missing in assistant tool call message at index 2",
        ),
        (
            ReturnReasoning::ReasoningContent,
            "Missing `reasoning_content` field in the assistant message at message index 2. For more information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls",
        ),
        (
            ReturnReasoning::ReasoningContent,
            "The reasoning_content in the thinking mode must be passed back to the API.",
        ),
        (
            ReturnReasoning::Never,
            "'messages.1' : for 'role:assistant' the following must be satisfied[('messages.1' : property 'reasoning_content' is unsupported)]",
        ),
        (
            ReturnReasoning::Never,
            "messages.2.assistant.reasoning_content: Extra inputs are not permitted",
        ),
        (
            ReturnReasoning::Never,
            "Unrecognized request argument supplied: messages[1].reasoning_content",
        ),
    ] {
        let found = said(400, text).remedy.map(|it| *it);
        assert_eq!(found, Some(Remedy::ReturnReasoning { reasoning }), "{text}");
    }
    assert_eq!(said(400, "reasoning_content").remedy, None);
}

#[test]
fn contents_are_written_as_the_server_wants_them() {
    for (content, text) in [
        (
            ContentNull::EmptyString,
            "Invalid value for 'content': expected a string, got null.",
        ),
        (ContentNull::EmptyString, "Cannot subscript null"),
        (
            ContentNull::EmptyString,
            "messages[2]: missing field `content` at line 1 column 20",
        ),
        (
            ContentNull::Null,
            "messages: text content blocks must be non-empty",
        ),
        (
            ContentNull::Null,
            "Invalid request: the message at position 2 with role 'assistant' must not be empty",
        ),
    ] {
        let found = said(400, text).remedy.map(|it| *it);
        assert_eq!(found, Some(Remedy::ContentNull { content }), "{text}");
    }
    let (status, body) = crate::support::transcript("llamapy_chat_tool_result_stream");
    let found = Chat::new(Quirks::default()).classify(status, None, &body);
    let content = ContentNull::EmptyString;
    assert_eq!(
        found.remedy.as_deref(),
        Some(&Remedy::ContentNull { content })
    );
}

#[test]
fn an_answer_that_is_too_long_is_told_from_a_prompt_that_is() {
    let most = |most| Some(Remedy::MaxTokens { most });
    for (server, expected, text) in [
        (
            "vLLM, OpenAI",
            most(8192 - 7000 - 8),
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7000 in the messages, 2000 in the completion). Please reduce the length of the messages or completion.",
        ),
        (
            "OpenAI with tools",
            most(8192 - 7500 - 8),
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (7000 in the messages, 500 in the functions, 1500 in the completion).",
        ),
        (
            "the prompt alone is too long",
            None,
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8500 in the messages, 500 in the completion).",
        ),
        (
            "hardly anything is left",
            None,
            "This model's maximum context length is 8192 tokens. However, you requested 9000 tokens (8000 in the messages, 1000 in the completion).",
        ),
        (
            "vLLM",
            most(16384 - 2000 - 8),
            "'max_tokens' or 'max_completion_tokens' is too large: 16384. This model's maximum context length is 16384 tokens and your request has 2000 input tokens (16384 > 16384 - 2000).",
        ),
        (
            "vLLM, which counts to the limit only",
            most(16_000 - 8),
            "This model's maximum context length is 32768 tokens. However, you requested 32000 output tokens and your prompt contains at least 769 input tokens, for a total of at least 32769 tokens. Please reduce the length of the input prompt or the number of requested output tokens. (parameter=input_tokens, value=769)",
        ),
        (
            "vLLM, the prompt alone",
            None,
            "This model's maximum context length is 32768 tokens. However, you requested 0 output tokens and your prompt contains at least 32769 input tokens, for a total of at least 32769 tokens.",
        ),
        (
            "llama-cpp-python",
            most(2048 - 500 - 8),
            "This model's maximum context length is 2048 tokens, however you requested 2500 tokens (500 in your prompt; 2000 for the completion). Please reduce your prompt; or completion length.",
        ),
        (
            "OpenRouter",
            most(131_072 - 121_000 - 8),
            "This endpoint's maximum context length is 131072 tokens. However, you requested about 140000 tokens (120000 of text input, 1000 of tool input, 19000 in the output). Please reduce the length of either one.",
        ),
        (
            "SGLang",
            most(64_000 - 7897 - 8),
            "Requested token count exceeds the model's maximum context length of 64000 tokens. You requested a total of 71897 tokens: 7897 tokens from the input messages and 64000 tokens for the completion.",
        ),
        (
            "Anthropic",
            most(200_000 - 190_000 - 8),
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or `max_tokens` and try again",
        ),
        (
            "TGI",
            most(4096 - 3000 - 8),
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 3000 `inputs` tokens and 2000 `max_new_tokens`",
        ),
        (
            "numbers with signs between them",
            most(8192 - 7000 - 8),
            "This model's maximum context length is 8,192 tokens. However, you requested 9,000 tokens (7,000 in the messages, 2,000 in the completion).",
        ),
        (
            "numbers beyond all bounds",
            None,
            "This model's maximum context length is 99999999999999999999999 tokens. However, you requested 9 tokens (7 in the messages, 2 in the completion).",
        ),
    ] {
        let error = said(400, text);
        assert_eq!(error.kind, ModelErrorKind::ContextOverflow, "{server}");
        assert_eq!(error.remedy.map(|it| *it), expected, "{server}");
    }
}

#[test]
fn the_longest_answer_of_a_model_is_no_overflow() {
    for (most, text) in [
        (
            16384,
            "max_tokens is too large: 40000. This model supports at most 16384 completion tokens, whereas you provided 40000.",
        ),
        (
            64000,
            "max_tokens: 128000 > 64000, which is the maximum allowed number of output tokens for claude-haiku-4-5-20251001",
        ),
        (
            8192,
            "`max_tokens` must be less than or equal to `8192`, the maximum value for `max_tokens` is less than the `context_window` for this model",
        ),
        (
            8192,
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
        ),
        (8192, "Range of max_tokens should be [1, 8192]"),
        (
            65536,
            "max_tokens (384000) exceeds model's maximum output tokens (65536)",
        ),
    ] {
        let error = said(400, text);
        assert_eq!(error.kind, ModelErrorKind::Rejected, "{text}");
        assert_eq!(
            error.remedy.as_deref(),
            Some(&Remedy::MaxTokens { most }),
            "{text}"
        );
    }
}

#[test]
fn a_refusal_inside_a_stream_has_its_remedy_too() {
    let run = crate::support::decode_text(
        "data: {\"error\":{\"message\":\"tools param requires --jinja flag\",\"code\":500,\"type\":\"server_error\"}}\n\n",
    );
    let error = run.error();
    assert_eq!(error.remedy.as_deref(), Some(&Remedy::Markdown));
    assert_eq!(error.kind, ModelErrorKind::Rejected);
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
