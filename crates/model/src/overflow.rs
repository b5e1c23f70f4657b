//! A prompt or an answer that is too long, in the words of every server. The
//! numbers in a refusal tell whether a shorter answer would do: then nothing
//! needs to be taken out of the conversation.

/// What a server may count differently from one request to the next; some also
/// want to have a token left.
const MARGIN: u64 = 8;
/// An answer shorter than this is none: the conversation is what is too long.
const LEAST_ANSWER: u64 = 256;

/// Parts of sentences, all of one line together, that say that a prompt does
/// not fit. Lower case.
const SIGNS: &[&[&str]] = &[
    // OpenAI, vLLM, SGLang, llama-cpp-python, OpenRouter, Mistral, Fireworks
    &["maximum context length"],
    &["context_length_exceeded"],
    &["context_window_exceeded"],
    &["context length exceeded"],
    &["exceeds the context window"],
    // LiteLLM
    &["contextwindowexceedederror"],
    // llama.cpp
    &["exceeds the available context size"],
    &["exceed_context_size_error"],
    &["larger than the max context size"],
    // llama-cpp-python
    &["exceed context window"],
    // vLLM, SGLang
    &["longer than the maximum model length"],
    &["maximum model length", "prompt"],
    &["longer than the model's context length"],
    // LM Studio
    &["context length of only"],
    &["greater than the context length"],
    &["context overflow"],
    &["context size has been exceeded"],
    // Ollama
    &["exceeds the context length"],
    &["exceeds maximum context length"],
    &["exceeded max context length"],
    // Anthropic
    &["prompt is too long"],
    &["exceed context limit"],
    // Gemini
    &["input token count", "exceeds the maximum number of tokens"],
    // Together, TGI
    &["tokens + `max_new_tokens` must be"],
    // Groq, Cerebras
    &["reduce the length of the messages"],
    // DashScope
    &["range of input length should be"],
    // Moonshot, Z.ai
    &["exceeded model token limit"],
    &["input token length too long"],
    &["prompt exceeds max length"],
    // Bedrock, xAI, GitHub, MiniMax
    &["input is too long for requested model"],
    &["maximum prompt length is"],
    &["prompt token count", "exceeds the limit"],
    &["context window exceeds limit"],
];

/// Whether a server's sentence says that the prompt does not fit.
#[must_use]
pub fn is_overflow(text: &str) -> bool {
    told(&text.to_lowercase())
}

/// The same, for a text that is in lower case already.
pub(crate) fn told(text: &str) -> bool {
    SIGNS
        .iter()
        .any(|signs| signs.iter().all(|sign| text.contains(sign)))
}

/// How long the answer may be, told from the numbers of a refusal (lower case):
/// `None` when they are not there, or when even a short answer would not fit.
pub(crate) fn longest_answer(text: &str) -> Option<u64> {
    own_limit(text)
        .or_else(|| beside_prompt(text))
        .filter(|&tokens| tokens > 0)
}

/// The limit of the model itself, whatever the prompt is.
fn own_limit(text: &str) -> Option<u64> {
    let about_answer = ["max_tokens", "max_completion_tokens", "max_output_tokens"]
        .iter()
        .any(|name| text.contains(name));
    // OpenAI
    let tokens = after(text, "supports at most")
        .filter(|_| text.contains("completion tokens"))
        // Anthropic
        .or_else(|| {
            before(
                text,
                ", which is the maximum allowed number of output tokens",
            )
        })
        // DeepSeek, DashScope
        .or_else(|| after(text, "range of max_tokens is [1,"))
        .or_else(|| after(text, "range of max_tokens should be [1,"))
        // Gateways of Anthropic and Gemini
        .or_else(|| after(text, "maximum output tokens ("));
    tokens
        .or_else(|| {
            // Groq
            after(text, "must be less than or equal to").filter(|_| about_answer)
        })
        // Fewer would be no answer: such a text is no honest limit.
        .filter(|&tokens| tokens >= LEAST_ANSWER)
}

/// What the window leaves beside the prompt.
fn beside_prompt(text: &str) -> Option<u64> {
    let (prompt, window) = anthropic(text).or_else(|| tgi(text)).or_else(|| {
        let window = after(text, "maximum context length is")
            .or_else(|| after(text, "maximum context length of"))?;
        Some((prompt_of(text)?, window))
    })?;
    let mut left = window.checked_sub(prompt)?;
    // Some stop counting at the limit and name the least that it can be. Then
    // the difference is too large by an unknown amount: halving finds an end.
    if text.contains("prompt contains at least")
        && let Some(asked) = before(text, "output tokens")
    {
        left = left.min(asked / 2);
    }
    left.checked_sub(MARGIN)
        .filter(|&tokens| tokens >= LEAST_ANSWER)
}

/// The prompt's part of what was asked for.
fn prompt_of(text: &str) -> Option<u64> {
    let whole = [
        "you requested about",
        "you requested a total of",
        "you requested",
    ]
    .iter()
    .find_map(|sign| after(text, sign));
    let answer = [
        "in the completion",
        "for the completion",
        "tokens for the completion",
        "in the output",
    ]
    .iter()
    .find_map(|sign| before(text, sign));
    match (whole, answer) {
        (Some(whole), Some(answer)) => whole.checked_sub(answer),
        _ => before(text, "input tokens"),
    }
}

/// `exceed context limit: 190000 + 20000 > 200000`
fn anthropic(text: &str) -> Option<(u64, u64)> {
    let sum = text.split("exceed context limit:").nth(1)?;
    let (prompt, rest) = sum.split_once('+')?;
    let (_, window) = rest.split_once('>')?;
    Some((leading(prompt)?, leading(window)?))
}

/// `must be <= 4096. given: 3000 `inputs` tokens and 2000 `max_new_tokens``
fn tgi(text: &str) -> Option<(u64, u64)> {
    let window = after(text, "`max_new_tokens` must be <=")?;
    Some((before(text, "`inputs` tokens and")?, window))
}

/// The number that follows the sign, but for a quote or a bracket.
fn after(text: &str, sign: &str) -> Option<u64> {
    leading(&text[text.find(sign)? + sign.len()..])
}

fn leading(text: &str) -> Option<u64> {
    let text = text.trim_start_matches([' ', '`', '\'', '"', '(', '=', ':']);
    let end = text
        .find(|c: char| !c.is_ascii_digit() && c != ',' && c != '_')
        .unwrap_or(text.len());
    number(&text[..end])
}

/// The number that stands before the sign.
fn before(text: &str, sign: &str) -> Option<u64> {
    let text = text[..text.find(sign)?].trim_end_matches([' ', '`', '\'', '"', ')']);
    let start = text
        .rfind(|c: char| !c.is_ascii_digit() && c != ',' && c != '_')
        .map_or(0, |at| {
            at + text[at..].chars().next().map_or(1, char::len_utf8)
        });
    number(&text[start..])
}

fn number(digits: &str) -> Option<u64> {
    let digits: String = digits.chars().filter(char::is_ascii_digit).collect();
    digits.parse().ok()
}
