//! Refusals of tools, images, reasoning, contents and lengths, in the words of
//! real servers.

use crate::remedies::{classify, remedy, said};
use serde_json::json;
use tenon_model::codec::{Chat, Codec};
use tenon_model::{ContentNull, ModelErrorKind, Quirks, Remedy, ReturnReasoning};

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
        (400, "Too many images in request: 21 > 20"),
        (
            400,
            "messages: too many images and documents: 120 + 0 > 100",
        ),
        (
            400,
            "The request exceeds the maximum number of images allowed (20).",
        ),
        (
            400,
            "The number of images (12) exceeds the limit of 10 for this model",
        ),
        (
            400,
            "Request contains 9 images, but this model supports at most 5 images",
        ),
        (400, "Up to 8 images are supported in one request"),
        (400, "A maximum of 16 images per request is allowed"),
        (400, "This model only supports one image per message"),
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
