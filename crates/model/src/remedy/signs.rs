//! The words in which servers refuse tools, images and contents. Lower case;
//! all parts of one line together.

use crate::Software;

const NO_FLAG: &str = "Choose a model that can call tools, or set dialect: \"markdown\" for the \
     provider to describe the tools in the prompt.";
const VLLM_FLAG: &str = Software::Vllm.tools_on();
const LLAMA_FLAG: &str = Software::LlamaCpp.tools_on();
const SGLANG_FLAG: &str = Software::SgLang.tools_on();

/// So far from its beginning a refusal says what is refused. Further on may
/// stand what was sent, and whoever wrote that must not choose the dialect.
const SOON: usize = 300;

/// What only the two servers say that have such a flag, in full.
const FLAGS: &[&str] = &[
    "tools param requires --jinja flag",
    "tool choice requires --enable-auto-tool-choice and --tool-call-parser to be set",
];

const TOOLS: &[(&[&str], &str)] = &[
    (&["--enable-auto-tool-choice"], VLLM_FLAG),
    (&["requires --jinja"], LLAMA_FLAG),
    (&["tools param is not fully supported"], LLAMA_FLAG),
    (&["--tool-call-parser"], SGLANG_FLAG),
    // Ollama
    (&["does not support tools"], NO_FLAG),
    // OpenRouter
    (&["no endpoints found that support tool use"], NO_FLAG),
    // Bedrock
    (&["doesn't support tool use"], NO_FLAG),
    (&["does not support tool use"], NO_FLAG),
    (&["does not support tool call"], NO_FLAG),
    (&["do not support tools"], NO_FLAG),
    (&["does not support function call"], NO_FLAG),
    (&["doesn't support function call"], NO_FLAG),
    // Groq
    (&["`tool calling` is not supported"], NO_FLAG),
    (&["tool calling is not supported"], NO_FLAG),
    (&["tool calls are not supported"], NO_FLAG),
    (&["tool use is not supported"], NO_FLAG),
    (&["tools are not supported"], NO_FLAG),
    (&["tools is not supported"], NO_FLAG),
    (&["tools not supported"], NO_FLAG),
    (&["function calling is not supported"], NO_FLAG),
    // Gemini
    (&["function calling is not enabled"], NO_FLAG),
];

const NO_EYES: &str = "Choose a model that accepts images.";
const LLAMA_EYES: &str = "llama.cpp was started without image support: start llama-server with --mmproj FILE for this \
     model.";
const VLLM_LIMIT: &str =
    "vLLM limits the images per request: start it with a larger --limit-mm-per-prompt.";
const TOO_LARGE: &str = "Send smaller images, or fewer.";

const IMAGES: &[(&[&str], &str)] = &[
    // llama.cpp
    (&["image input is not supported"], LLAMA_EYES),
    (&["failed to load image"], TOO_LARGE),
    // vLLM
    (&["at most", "image(s) may be provided"], VLLM_LIMIT),
    (&["is not a multimodal model"], NO_EYES),
    // OpenRouter
    (&["no endpoints found that support image"], NO_EYES),
    (&["endpoints support vision input"], NO_EYES),
    // OpenAI
    (&["image_url is only supported"], NO_EYES),
    (&["you uploaded an unsupported image"], TOO_LARGE),
    (&["invalid_image"], TOO_LARGE),
    (&["image_parse_error"], TOO_LARGE),
    (&["image_too_large"], TOO_LARGE),
    // DeepSeek, Z.ai
    (&["unknown variant `image_url`"], NO_EYES),
    (&["allowed values", "['text']"], NO_EYES),
    (&["only 'text' content type is supported"], NO_EYES),
    // Mistral and others
    (&["image input is only supported"], NO_EYES),
    (&["does not support image"], NO_EYES),
    (&["doesn't support image"], NO_EYES),
    (&["does not support vision"], NO_EYES),
    (&["images are not supported"], NO_EYES),
    (&["images not supported"], NO_EYES),
    (&["does not support the image"], NO_EYES),
    // Anthropic
    (&["image exceeds", "maximum"], TOO_LARGE),
    (&["image dimensions exceed"], TOO_LARGE),
    (&["could not process image"], TOO_LARGE),
    (&["image does not match the provided media type"], TOO_LARGE),
    (&["too many images"], TOO_LARGE),
    (&["too many total images"], TOO_LARGE),
    (&["too much media"], TOO_LARGE),
    (&["too many image"], TOO_LARGE),
    (&["exceeds the maximum number of images"], TOO_LARGE),
    (&["maximum number of images", "exceeded"], TOO_LARGE),
    (&["number of images", "exceeds"], TOO_LARGE),
    (&["images exceeds the limit"], TOO_LARGE),
    (&["maximum of", "images per"], TOO_LARGE),
    (&["at most", "images are allowed"], TOO_LARGE),
    (&["up to", "images are supported"], TOO_LARGE),
    (&["supports at most", "images"], TOO_LARGE),
    (&["only supports", "image per"], TOO_LARGE),
    (&["image count", "limit"], TOO_LARGE),
    // Gemini
    (&["unable to process input image"], TOO_LARGE),
    (&["image base64 size", "exceeds"], TOO_LARGE),
];

/// The advice, when these words refuse tools as such.
pub(super) fn tools_refused(text: &str) -> Option<&'static str> {
    advice(TOOLS, beginning(text))
}

/// Whether the words are those of a server that was started without a flag.
pub(super) fn names_flag(text: &str) -> bool {
    let text = beginning(text);
    FLAGS.iter().any(|flag| text.contains(flag))
}

/// As much of a refusal as is believed of tools.
pub(super) fn beginning(text: &str) -> &str {
    &text[..text.floor_char_boundary(SOON)]
}

/// The advice, when these words refuse the images.
pub(super) fn images_refused(text: &str) -> Option<&'static str> {
    advice(IMAGES, text)
}

fn advice(table: &[(&[&str], &'static str)], text: &str) -> Option<&'static str> {
    table
        .iter()
        .find(|(signs, _)| signs.iter().all(|sign| text.contains(sign)))
        .map(|(_, hint)| *hint)
}

/// Earlier reasoning is wanted back.
pub(super) const WANTED: &[&str] = &[
    "missing",
    "must be passed back",
    "must be provided",
    "must be included",
    "must include",
    "is required",
    "required in",
    "field required",
];

/// Earlier reasoning is not taken.
pub(super) const UNWANTED: &[&str] = &[
    "unsupported",
    "not supported",
    "not permitted",
    "not allowed",
    "unexpected",
    "unrecognized",
    "unknown",
    "extra_forbidden",
    "extra inputs",
    "extra fields",
    "should not",
    "must not",
    "please remove",
];

/// Reasoning that the provider sealed, and does not open any more.
pub(super) const SEALS: &[&[&str]] = &[
    &["invalid_encrypted_content"],
    &["encrypted content", "could not be verified"],
    &["encrypted content", "could not be decrypted"],
    // Anthropic
    &["invalid `signature` in `thinking` block"],
    &["invalid signature in thinking block"],
];

/// A content of null, or none, is refused.
pub(super) const CONTENT_NULL: &[&[&str]] = &[
    &["content", "expected a string, got null"],
    &["content", "got null instead"],
    &["content", "cannot be null"],
    &["content", "must not be null"],
    &["content", "must be a string"],
    &["cannot subscript null"],
    &["missing field `content`"],
    &["missing 'content'"],
    // pydantic
    &["'content')", "input should be a valid string", "none"],
    &["\"content\"]", "input should be a valid string", "null"],
];

/// An empty content is refused.
pub(super) const CONTENT_EMPTY: &[&[&str]] = &[
    &["content", "must be non-empty"],
    &["content", "cannot be empty"],
    &["content", "must not be empty"],
    &["content", "should not be empty"],
    &["role 'assistant' must not be empty"],
    &["assistant", "message", "must not be empty"],
    // Bedrock
    &["the text field in the contentblock object", "is blank"],
];
