//! How real servers word a refusal, so that a client can be shown to
//! understand each of them. Facts from their replies; see `docs/mock.md`.

use serde_json::{Value, json};

use crate::api::Api;
use crate::refusal;
use crate::software::Software;

/// A refusal as it goes over the wire.
#[derive(Debug)]
pub(crate) struct Worded {
    pub(crate) status: u16,
    pub(crate) body: Value,
}

/// A request that does not fit.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Overflow {
    pub(crate) window: u64,
    pub(crate) prompt: u64,
    /// What the client lets the model say.
    pub(crate) output: u64,
}

impl Overflow {
    /// Some servers count what may be said, others only what was said.
    pub(crate) fn happens(self, software: Software) -> bool {
        let total = self.prompt.saturating_add(self.output);
        match software {
            Software::Vllm | Software::OpenRouter | Software::Anthropic => total > self.window,
            _ => self.prompt > self.window,
        }
    }
}

impl Software {
    pub(crate) fn overflow(self, api: Api, model: &str, overflow: Overflow) -> Worded {
        let message = self.overflow_message(api, overflow);
        let Overflow { window, prompt, .. } = overflow;
        let body = match self {
            Self::OpenAi => {
                let param = if api == Api::Responses {
                    "input"
                } else {
                    "messages"
                };
                open_ai(
                    &message,
                    "invalid_request_error",
                    json!(param),
                    json!("context_length_exceeded"),
                )
            }
            Self::LlamaCpp => json!({"error": {
                "code": 400, "message": message, "type": "exceed_context_size_error",
                "n_prompt_tokens": prompt, "n_ctx": window,
            }}),
            Self::LiteLlm => {
                let message = format!(
                    "litellm.ContextWindowExceededError: litellm.BadRequestError: ContextWindowExceededError: \
                     OpenAIException - {message}\nmodel={model}. context_window_fallbacks=None. fallbacks=None."
                );
                self.plain(api, 400, &message)
            }
            _ => self.plain(api, 400, &message),
        };
        Worded { status: 400, body }
    }

    fn overflow_message(self, api: Api, overflow: Overflow) -> String {
        let Overflow {
            window,
            prompt,
            output,
        } = overflow;
        let fits = prompt <= window;
        match self {
            Self::OpenAi if api == Api::Responses => {
                "Your input exceeds the context window of this model. Please adjust your input and try again.".to_owned()
            }
            Self::OpenAi => format!(
                "This model's maximum context length is {window} tokens. However, your messages resulted in \
                 {prompt} tokens. Please reduce the length of the messages."
            ),
            Self::Anthropic if fits => format!(
                "input length and `max_tokens` exceed context limit: {prompt} + {output} > {window}, \
                 decrease input length or `max_tokens` and try again"
            ),
            Self::Anthropic => format!("prompt is too long: {prompt} tokens > {window} maximum"),
            Self::Vllm if fits => format!(
                "'max_tokens' or 'max_completion_tokens' is too large: {output}. This model's maximum context \
                 length is {window} tokens and your request has {prompt} input tokens \
                 ({output} > {window} - {prompt})."
            ),
            Self::Vllm => format!(
                "This model's maximum context length is {window} tokens. However, your request has {prompt} \
                 input tokens. Please reduce the length of the input messages."
            ),
            Self::LlamaCpp | Self::LiteLlm => format!(
                "request ({prompt} tokens) exceeds the available context size ({window} tokens), try increasing it"
            ),
            Self::Ollama => format!(
                "prompt too long; exceeded max context length by {} tokens",
                prompt.saturating_sub(window)
            ),
            Self::LmStudio => format!(
                "The number of tokens to keep from the initial prompt is greater than the context length \
                 (n_keep: {prompt}>= n_ctx: {window}). Try to load the model with a larger context length, or \
                 provide a shorter input."
            ),
            Self::OpenRouter => format!(
                "This endpoint's maximum context length is {window} tokens. However, you requested about {} \
                 tokens ({prompt} of text input, {output} in the output). Please reduce the length of either \
                 one, or use the \"middle-out\" transform to compress your prompt automatically.",
                prompt + output
            ),
            Self::Gemini => format!(
                "The input token count ({prompt}) exceeds the maximum number of tokens allowed ({window})."
            ),
        }
    }

    pub(crate) fn parameter(self, api: Api, name: &str, model: &str) -> Worded {
        let message = match self {
            Self::OpenAi | Self::Ollama | Self::LmStudio | Self::OpenRouter
                if name == "max_tokens" =>
            {
                "Unsupported parameter: 'max_tokens' is not supported with this model. Use \
                 'max_completion_tokens' instead."
                    .to_owned()
            }
            Self::OpenAi | Self::Ollama | Self::LmStudio | Self::OpenRouter => {
                format!("Unsupported parameter: '{name}' is not supported with this model.")
            }
            Self::Anthropic => format!("{name}: Extra inputs are not permitted"),
            Self::Vllm => format!(
                "[{{'type': 'extra_forbidden', 'loc': ('body', '{name}'), 'msg': 'Extra inputs are not \
                 permitted', 'input': None}}]"
            ),
            Self::LlamaCpp => format!("Unsupported param: {name}"),
            Self::LiteLlm => format!(
                "litellm.UnsupportedParamsError: openai does not support parameters: ['{name}'], for \
                 model={model}. To drop these, set `litellm.drop_params=True` or for proxy:\n\n\
                 `litellm_settings:\n drop_params: true`\n"
            ),
            Self::Gemini => format!(
                "Invalid JSON payload received. Unknown name \"{name}\": Cannot find field."
            ),
        };
        let body = match self {
            Self::OpenAi => open_ai(
                &message,
                "invalid_request_error",
                json!(name),
                json!("unsupported_parameter"),
            ),
            _ => self.plain(api, 400, &message),
        };
        Worded { status: 400, body }
    }

    pub(crate) fn tools(self, api: Api, model: &str) -> Worded {
        let (status, message) = match self {
            Self::Ollama => (400, format!("registry.ollama.ai/library/{model} does not support tools")),
            Self::Vllm => (
                400,
                "\"auto\" tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set"
                    .to_owned(),
            ),
            Self::LlamaCpp => (500, "tools param requires --jinja flag".to_owned()),
            Self::OpenRouter => (
                404,
                "No endpoints found that support tool use. To learn more about provider routing, visit: \
                 https://openrouter.ai/docs/provider-routing"
                    .to_owned(),
            ),
            _ => return self.parameter(api, "tools", model),
        };
        Worded {
            status,
            body: self.plain(api, status, &message),
        }
    }

    /// The object around a message that has nothing special to say.
    fn plain(self, api: Api, status: u16, message: &str) -> Value {
        match self {
            Self::OpenAi => open_ai(message, "invalid_request_error", Value::Null, Value::Null),
            Self::Anthropic => refusal::in_messages("invalid_request_error", message),
            Self::LiteLlm if api == Api::Messages => {
                refusal::in_messages("invalid_request_error", message)
            }
            Self::LiteLlm => open_ai(message, "invalid_request_error", Value::Null, json!("400")),
            Self::Vllm => open_ai(message, "BadRequestError", Value::Null, json!(status)),
            Self::LlamaCpp => {
                let kind = if status < 500 {
                    "invalid_request_error"
                } else {
                    "server_error"
                };
                json!({"error": {"code": status, "message": message, "type": kind}})
            }
            Self::Ollama => open_ai(message, "api_error", Value::Null, Value::Null),
            Self::LmStudio => json!({"error": message}),
            Self::OpenRouter => json!({"error": {
                "message": message, "code": status, "metadata": {"provider_name": null},
            }}),
            Self::Gemini => json!([{"error": {
                "code": status, "message": message, "status": "INVALID_ARGUMENT",
            }}]),
        }
    }
}

/// DeepSeek's sentence.
pub(crate) fn reasoning_is_missing(index: usize) -> Worded {
    let message = format!(
        "Missing `reasoning_content` field in the assistant message at message index {index}. For more \
         information, please refer to https://api-docs.deepseek.com/guides/thinking_mode#tool-calls"
    );
    let body = open_ai(
        &message,
        "invalid_request_error",
        Value::Null,
        json!("invalid_request_error"),
    );
    Worded { status: 400, body }
}

/// Groq's sentence.
pub(crate) fn reasoning_is_unwanted(index: usize) -> Worded {
    let place = format!("'messages.{index}'");
    let message = format!(
        "{place} : for 'role:assistant' the following must be satisfied[({place} : property \
         'reasoning_content' is unsupported)]"
    );
    let body = open_ai(&message, "invalid_request_error", Value::Null, Value::Null);
    Worded { status: 400, body }
}

fn open_ai(message: &str, kind: &str, param: Value, code: Value) -> Value {
    json!({"error": {"message": message, "type": kind, "param": param, "code": code}})
}
