//! Reasoning that leaks into the text, through the whole decoder: what a user
//! sees must be the answer and nothing else.

use crate::support::{Run, chunk, stream};

/// The text comes in pieces of three characters.
fn says(text: &str) -> Run {
    let characters: Vec<char> = text.chars().collect();
    let mut chunks: Vec<String> = characters
        .chunks(3)
        .map(|piece| {
            let piece: String = piece.iter().collect();
            chunk(&format!(
                "{{\"content\":{}}}",
                serde_json::Value::from(piece)
            ))
        })
        .collect();
    chunks.push(String::from(
        r#"{"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
    ));
    let chunks: Vec<&str> = chunks.iter().map(String::as_str).collect();
    stream(&chunks)
}

#[test]
fn the_answer_is_what_stands_outside_the_tags() {
    for (text, reasoning, answer) in [
        ("reasoning...</think>answer", "reasoning...", "answer"),
        (
            "<think>a<think>b</think>c</think>d",
            "a<think>b</think>c",
            "d",
        ),
        (
            "The tag `</think>` ends it.",
            "",
            "The tag `</think>` ends it.",
        ),
        ("<thinking>a</thinking>\n\nb", "a", "b"),
        ("reasoning</thinking>answer", "reasoning", "answer"),
        (
            "<think>I must not write \"</think>\" yet</think>b",
            "I must not write \"</think>\" yet",
            "b",
        ),
        ("<think>use `x`</think>b", "use `x`", "b"),
        ("[THINK]a[/THINK]b", "a", "b"),
        (
            "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>b",
            "a",
            "b",
        ),
        ("<think>a <think> b</think>answer", "a <think> b", "answer"),
        (
            "In XML: <thinking>x</thinking>",
            "",
            "In XML: <thinking>x</thinking>",
        ),
        ("<thinker>x", "", "<thinker>x"),
    ] {
        let run = says(text);
        assert_eq!(
            (run.reasoning().as_str(), run.text().as_str()),
            (reasoning, answer),
            "{text}"
        );
    }
}
