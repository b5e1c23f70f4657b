//! The markers of prompt caches: how many there may be, and where.

use serde_json::{Map, Value};

/// More are refused.
const MOST: usize = 4;

pub(super) fn check(request: &Map<String, Value>, violations: &mut Vec<String>) {
    let mut found = 0;
    if let Some(marker) = request.get("cache_control") {
        found += 1;
        marked(marker, "The request", violations);
    }
    let mut look = |block: &Value, place: &str| {
        let Some(marker) = block.get("cache_control").filter(|m| !m.is_null()) else {
            return;
        };
        found += 1;
        marked(marker, place, violations);
        let kind = block.get("type").and_then(Value::as_str);
        if matches!(kind, Some("thinking" | "redacted_thinking")) {
            violations.push(format!("{place}: thinking cannot be marked for a cache."));
        }
    };
    for name in ["tools", "system"] {
        for (index, entry) in list(request.get(name)).iter().enumerate() {
            look(entry, &format!("{name}[{index}]"));
        }
    }
    for (index, message) in list(request.get("messages")).iter().enumerate() {
        for (number, block) in list(message.get("content")).iter().enumerate() {
            let place = format!("messages[{index}].content[{number}]");
            look(block, &place);
            for part in list(block.get("content")) {
                look(part, &place);
            }
        }
    }
    if found > MOST {
        violations.push(format!(
            "There are {found} markers for caches, {MOST} are the most."
        ));
    }
}

fn marked(marker: &Value, place: &str, violations: &mut Vec<String>) {
    let ephemeral = marker.get("type").and_then(Value::as_str) == Some("ephemeral");
    let lives = match marker.get("ttl") {
        None => true,
        Some(ttl) => matches!(ttl.as_str(), Some("5m" | "1h")),
    };
    if !ephemeral || !lives {
        violations.push(format!(
            "{place}: `cache_control` must be ephemeral, with a ttl of 5m or 1h or none."
        ));
    }
}

fn list(value: Option<&Value>) -> &[Value] {
    value.and_then(Value::as_array).map_or(&[], Vec::as_slice)
}
