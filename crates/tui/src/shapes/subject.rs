//! The heading of a call: `▸ read src/main.rs`. One line while it runs; a command
//! that is over is shown with all its lines, as far as they are few.

use super::{Fold, count, key_of_rest, margin, parts, tabs};
use crate::text::{Line, Role, Span, Style, split_at};
use serde_json::Value;
use tenon_vocab::names::{canonical_name, tool};
use tenon_vocab::subject;

/// Rows of a command that are shown folded.
const COMMAND: usize = 8;

/// The name of a tool by itself.
pub(super) fn named(name: &str) -> Line {
    Line::of([
        Span::new(Role::Dim, "▸ "),
        Span::new(Style::from(Role::Tool).bold(), name),
    ])
}

/// A word behind a heading, dim; it leaves the heading half of the row.
pub(super) fn behind(said: &str, columns: usize) -> Line {
    match said.is_empty() {
        true => Line::empty(),
        false => Line::new(Role::Dim, &format!("  {said}")).cut(columns / 2),
    }
}

/// What is said of a call, without what it is about: that stands beside it.
pub(super) fn apart<'a>(said: &'a str, name: &str, input: &Value) -> &'a str {
    let about = match subject(name, input) {
        None | Some("") => ".",
        Some(about) => about,
    };
    let rest = said.strip_prefix(about);
    rest.and_then(|rest| rest.strip_prefix(": "))
        .unwrap_or(said)
}

/// The heading of a call that is over: of a command all lines, and on the page all
/// of a long one.
pub(super) fn lines(name: &str, input: &Value, fold: Fold, columns: usize) -> Vec<Line> {
    let about = about(name, input);
    let about = about.trim_matches('\n');
    let head = named(name);
    let indent = head.width() + 1;
    let fits = !about.contains('\n') && about.len() + indent <= columns;
    if fits || canonical_name(name) != Some(tool::BASH) || columns < 3 * indent {
        return vec![line(name, input, columns)];
    }
    let command = about.split('\n').flat_map(|line| {
        let text = tabs::Stops::terminal().spaced(line.trim_end());
        let line = Line::new(Role::Text, &text);
        parts(&line, columns - indent, 2)
    });
    let mut rows: Vec<Line> = match fold {
        Fold::Whole => command.collect(),
        // What is not shown is not laid out.
        Fold::Folded => command.take(COMMAND + 2).collect(),
    };
    if fold == Fold::Folded && rows.len() > COMMAND + 1 {
        rows.truncate(COMMAND);
        rows.push(more_of(about, columns - indent));
    }
    let blank = Span::new(Role::Text, &" ".repeat(indent));
    let mut rows = rows.into_iter();
    let mut first = head;
    first.push(Role::Text, " ");
    first
        .spans
        .extend(rows.next().into_iter().flat_map(|row| row.spans));
    let rest = rows.map(|row| row.behind(blank.clone()));
    std::iter::once(first).chain(rest).collect()
}

fn more_of(about: &str, room: usize) -> Line {
    let all = count(about.split('\n').count(), "line");
    key_of_rest(&format!("… {all} in all"), room)
}

pub(super) fn line(name: &str, input: &Value, columns: usize) -> Line {
    let mut line = named(name);
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

/// Where a command ran, behind its heading.
pub(super) fn add_place(lines: &mut Vec<Line>, place: &str, columns: usize) {
    add(lines, Line::new(Role::Dim, &format!(" · {place}")), columns);
}

/// A word about a call: behind its heading, or below where there is no room.
pub(super) fn add(lines: &mut Vec<Line>, said: Line, columns: usize) {
    match lines.last_mut() {
        Some(last) if last.width() + said.width() <= columns => last.spans.extend(said.spans),
        _ => {
            let text = said.plain();
            let text = text.trim_start_matches([' ', '·']);
            lines.push(Line::new(Role::Dim, text).behind(margin()).cut(columns));
        }
    }
}

/// With where it runs at its end.
pub(super) fn with_place(line: Line, place: &str, columns: usize) -> Line {
    let tail = Span::new(Role::Dim, &format!(" · {place}"));
    let room = columns.saturating_sub(tail.width());
    if room < columns / 2 {
        return line;
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
        Value::Array(all) => Some(count(all.len(), "entry")),
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
