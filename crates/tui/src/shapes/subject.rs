//! The heading of a call: `▸ read src/main.rs`. One line, whatever is in it.

use super::count;
use crate::text::{Line, Role, Span, Style, split_at};
use serde_json::Value;

pub(super) fn line(name: &str, input: &Value, columns: usize) -> Line {
    let mut line = Line::of([
        Span::new(Role::Dim, "▸ "),
        Span::new(Style::from(Role::Tool).bold(), name),
    ]);
    let about = about(input);
    let mut lines = about.trim_matches('\n').split('\n');
    let first = lines.next().unwrap_or_default();
    let further = lines.count();
    if !first.is_empty() {
        // More than a screen is wide is not looked at.
        let (near, rest) = split_at(first, columns.max(1));
        let ellipsis = if rest.is_empty() { "" } else { "…" };
        line.push(Role::Text, &format!(" {near}{ellipsis}"));
    }
    if further == 0 {
        return line.cut(columns);
    }
    let tail = Span::new(Role::Dim, &format!(" (+{})", count(further, "line")));
    let room = columns.saturating_sub(tail.width());
    if room < columns / 2 {
        return line.cut(columns);
    }
    let mut line = line.cut(room);
    line.spans.push(tail);
    line
}

/// What a call is about: its first text, or else its values by name.
fn about(input: &Value) -> String {
    let Some(fields) = input.as_object() else {
        return String::new();
    };
    if let Some(text) = fields.values().find_map(Value::as_str) {
        return text.to_owned();
    }
    let plain = |value: &Value| match value {
        Value::Bool(_) | Value::Number(_) => Some(value.to_string()),
        Value::Array(all) => Some(count(all.len(), "entry").replace("entrys", "entries")),
        _ => None,
    };
    let named: Vec<String> = fields
        .iter()
        .filter_map(|(name, value)| Some(format!("{name}: {}", plain(value)?)))
        .collect();
    named.join(", ")
}
