//! The task lists that models write: texts alone, a checklist, objects with the
//! field names of other products, statuses in other words. All become
//! `{text, status}`. What has only one reading is taken; what has none stays as
//! it is, and the check explains it.

use super::coerce::Notes;
use serde_json::{Map, Value};
use tenon_vocab::TodoStatus;
use tenon_vocab::names::squash;

/// What an item says, best first: Claude Code has `content`, Codex `step`.
const TEXTS: &[&str] = &[
    "text",
    "content",
    "task",
    "step",
    "title",
    "todo",
    "item",
    "name",
    "description",
];

const STATUSES: &[&str] = &["status", "state"];
/// Flags that stand for a status.
const FLAGS: &[&str] = &["done", "completed", "complete", "checked", "finished"];

/// Brings the value of `items` to a list of `{text, status}`.
pub(super) fn shape(value: Value, notes: &mut Notes) -> Value {
    let items = match value {
        Value::Array(items) => items,
        Value::Object(one) => vec![Value::Object(one)],
        Value::String(text) => match serde_json::from_str(&text) {
            Ok(Value::Array(items)) => items,
            Ok(Value::Object(one)) => vec![Value::Object(one)],
            _ => text
                .lines()
                .filter(|line| !line.trim().is_empty())
                .map(|line| Value::String(line.to_owned()))
                .collect(),
        },
        other => return other,
    };
    let before = items.clone();
    let after: Vec<Value> = items.into_iter().map(item).collect();
    if after != before {
        notes.push(String::from("`items`: read as tasks"));
    }
    Value::Array(after)
}

fn item(value: Value) -> Value {
    match value {
        Value::String(text) => line(&text),
        Value::Object(fields) => Value::Object(object(fields)),
        other => other,
    }
}

fn task(text: &str, status: Option<&str>) -> Value {
    let mut fields = Map::new();
    fields.insert("text".into(), text.into());
    if let Some(status) = status {
        fields.insert("status".into(), status.into());
    }
    Value::Object(fields)
}

/// `- [x] text`, or a text alone.
fn line(text: &str) -> Value {
    let text = text.trim();
    let plain = ["- ", "* ", "+ ", "• "]
        .iter()
        .find_map(|bullet| text.strip_prefix(bullet))
        .map_or(text, str::trim_start);
    let marked = plain
        .strip_prefix('[')
        .and_then(|rest| rest.split_once(']'))
        .and_then(|(mark, rest)| Some((status(mark)?, rest.trim())));
    match marked {
        Some((status, text)) if !text.is_empty() => task(text, Some(status)),
        _ => task(plain, None),
    }
}

/// Fields that no task has are left out: an id, a priority, a form for display.
fn object(fields: Map<String, Value>) -> Map<String, Value> {
    let find = |names: &[&str]| {
        names.iter().find_map(|name| {
            let is_it = |key: &str| squash(key).as_deref() == Some(*name);
            fields.iter().find(|(key, _)| is_it(key)).map(|(_, v)| v)
        })
    };
    let Some(text) = find(TEXTS).filter(|text| !text.is_null()).cloned() else {
        return fields;
    };
    let said = match find(STATUSES) {
        Some(Value::String(word)) => {
            Some(status(word).map_or_else(|| Value::String(word.clone()), Value::from))
        }
        Some(Value::Null) | None => find(FLAGS).and_then(flag).map(Value::from),
        Some(other) => Some(other.clone()),
    };
    let mut shaped = Map::new();
    shaped.insert("text".into(), text);
    if let Some(said) = said {
        shaped.insert("status".into(), said);
    }
    shaped
}

fn flag(value: &Value) -> Option<&'static str> {
    match value {
        Value::Bool(true) => Some("completed"),
        Value::Bool(false) => Some("pending"),
        _ => None,
    }
}

/// A status in any of the usual words, or the mark of a checklist.
fn status(word: &str) -> Option<&'static str> {
    let mark = word.trim().trim_start_matches('[').trim_end_matches(']');
    if let Some(status) = mark_status(mark.trim()) {
        return Some(name(status));
    }
    let status = match squash(word)?.as_str() {
        "pending" | "todo" | "open" | "notstarted" | "new" | "planned" | "waiting" | "next" => {
            TodoStatus::Pending
        }
        "inprogress" | "doing" | "active" | "started" | "current" | "working" | "wip"
        | "running" | "ongoing" | "now" => TodoStatus::InProgress,
        "completed" | "complete" | "done" | "finished" | "closed" | "resolved" | "checked"
        | "success" => TodoStatus::Completed,
        "cancelled" | "canceled" | "skipped" | "dropped" | "abandoned" | "removed" | "obsolete"
        | "wontdo" | "wontfix" => TodoStatus::Cancelled,
        _ => return None,
    };
    Some(name(status))
}

fn mark_status(mark: &str) -> Option<TodoStatus> {
    match mark {
        "" => Some(TodoStatus::Pending),
        "~" | "/" | ">" => Some(TodoStatus::InProgress),
        "x" | "X" | "✓" | "✔" => Some(TodoStatus::Completed),
        "-" => Some(TodoStatus::Cancelled),
        _ => None,
    }
}

fn name(status: TodoStatus) -> &'static str {
    match status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in_progress",
        TodoStatus::Completed => "completed",
        TodoStatus::Cancelled => "cancelled",
    }
}
