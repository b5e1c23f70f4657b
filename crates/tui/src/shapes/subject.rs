//! The heading of a call: `▸ read src/main.rs`. One line, whatever is in it.

use super::count;
use crate::text::{Line, Role, Span, Style, split_at};
use serde_json::Value;
use tenon_vocab::subject;

pub(super) fn line(name: &str, input: &Value, columns: usize) -> Line {
    let mut line = Line::of([
        Span::new(Role::Dim, "▸ "),
        Span::new(Style::from(Role::Tool).bold(), name),
    ]);
    let about = about(name, input);
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

/// What a call is about: the text that says it, or else its values by name.
fn about(name: &str, input: &Value) -> String {
    if let Some(text) = subject(name, input) {
        return text.to_owned();
    }
    let Some(fields) = input.as_object() else {
        return String::new();
    };
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

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_heading_says_what_is_written_to_and_not_what_stands_first() {
        let input = json!({"content": "ls", "path": "/etc/passwd2"});
        assert_eq!(line("write", &input, 80).plain(), "▸ write /etc/passwd2");
        assert_eq!(
            about("todowrite", &json!({"items": [1, 2]})),
            "items: 2 entries"
        );
    }
}
