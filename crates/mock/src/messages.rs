//! An answer in the Messages format, in the event shapes of its owner.

pub(crate) mod stream;
pub(crate) mod whole;

/// The format's own names for why a reply ended.
fn stop_reason(finish_reason: &str) -> &str {
    match finish_reason {
        "stop" => "end_turn",
        "length" => "max_tokens",
        "tool_calls" => "tool_use",
        "content_filter" => "refusal",
        other => other,
    }
}
