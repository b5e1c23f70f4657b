//! Messages of the history as text, for a model that knows no tools. Written in
//! one way only, from the message alone: what was sent once is sent again byte
//! for byte, and a model that imitates its own replies imitates the template.

use super::forms::{self, is_reply_format};
use super::headings::heading;
use super::input::free_text;
use super::lines::{fence_for, lines, without_blank_edges};
use super::pairs::label;
use super::paths::clean_path;
use super::template::{RESULT, is_result};
use super::{OWNER, control, tasks, teach};
use crate::repair::{Arguments, parse_arguments, sendable_arguments};
use serde_json::{Map, Value};
use tenon_vocab::{Message, Origin, Part, Role, Status, TodoItem, ToolCallPart};

/// What a reply that could not be read shows of itself in the history.
const UNREAD_HEAD: usize = 1_500;
const UNREAD_TAIL: usize = 500;

pub(super) fn answer(thoughts: &str, list: &[TodoItem], text: &str) -> String {
    let mut out = head(thoughts, list);
    let text = free(text).unwrap_or_else(|| wrapped(text));
    pair(&mut out, forms::ANSWER, &text);
    out
}

/// Free text, where nothing in it would be read as a part of the template.
fn free(text: &str) -> Option<String> {
    let all = lines(text);
    let taken = |line: &&str| heading(line).is_some() || is_result(line);
    let same = !text.is_empty() && free_text(&all) == text;
    (same && !all.iter().any(taken)).then(|| text.to_owned())
}

fn wrapped(text: &str) -> String {
    let fence = fence_for(text);
    format!("{fence}\n{text}\n{fence}")
}

pub(super) fn only_tasks(thoughts: &str, list: &[TodoItem]) -> String {
    let mut out = head(thoughts, list);
    pair(&mut out, forms::TASKS, "");
    out
}

pub(super) fn calls<'c>(
    thoughts: &str,
    list: &[TodoItem],
    calls: impl IntoIterator<Item = (&'c str, &'c str)>,
) -> String {
    let mut out = head(thoughts, list);
    for (name, arguments) in calls {
        pair(&mut out, name, &input(name, arguments));
    }
    out
}

/// Thoughts always have their section: what is missing would be looked for
/// in the input.
fn head(thoughts: &str, list: &[TodoItem]) -> String {
    let mut out = String::from("# Agent Response\n\n## Thoughts\n");
    out.push_str(without_blank_edges(thoughts));
    if !list.is_empty() {
        out.push_str("\n\n## Task List\n");
        out.push_str(&tasks::write(list));
    }
    out
}

fn pair(out: &mut String, name: &str, input: &str) {
    out.push_str("\n\n## Tool Choice\n");
    out.push_str(name);
    out.push_str("\n\n## Tool Input\n");
    out.push_str(input);
}

/// The arguments of a call in the form that the tool is taught with.
fn input(name: &str, arguments: &str) -> String {
    let object = match parse_arguments(arguments) {
        Arguments::Object(object) => object,
        Arguments::Empty => Map::new(),
        Arguments::Invalid { .. } => return json(arguments),
    };
    // What a reply must not hold it is not shown to hold either.
    if control::has_token(arguments) {
        return json(arguments);
    }
    simple(name, &object).unwrap_or_else(|| json(arguments))
}

fn json(arguments: &str) -> String {
    let text = sendable_arguments(arguments);
    let text = control::escaped(&text);
    let fence = fence_for(&text);
    format!("{fence}json\n{text}\n{fence}")
}

/// The simple form, where it says all of the call and is read as the same again.
fn simple(name: &str, object: &Map<String, Value>) -> Option<String> {
    let text = |key: &str| {
        let text = object.get(key).and_then(Value::as_str);
        text.filter(|text| !text.contains('\r'))
    };
    let only = |keys: &[&str]| {
        object.len() == keys.len() && keys.iter().all(|key| object.contains_key(*key))
    };
    match name {
        "read" | "list" if only(&["path"]) => quoted(text("path")?),
        "list" if object.is_empty() => Some(String::new()),
        "write" if only(&["path", "content"]) => {
            let content = text("content").filter(|text| text.is_empty() || text.ends_with('\n'))?;
            Some(format!(
                "{}\n\n{}",
                quoted(text("path")?)?,
                block("", content)
            ))
        }
        "edit" if only(&["path", "old", "new"]) => {
            let part = |key| {
                let plain = |text: &&str| {
                    !text.ends_with('\n') && !text.lines().any(|l| label(l).is_some())
                };
                text(key).filter(plain)
            };
            let (old, new) = (block("find", part("old")?), block("replace", part("new")?));
            Some(format!("{}\n\n{old}\n\n{new}", quoted(text("path")?)?))
        }
        "bash" if only(&["command"]) => command(text("command")?),
        "patch" if only(&["patch"]) => {
            let patch = text("patch")
                .filter(|text| text.ends_with('\n') && !text.trim_start().starts_with('{'))?;
            Some(block("diff", patch))
        }
        "ask_user" if only(&["question"]) => free(text("question")?),
        "done" if only(&["summary"]) => free(text("summary")?),
        "process" if only(&["action"]) => text("action")
            .filter(|action| *action == "list")
            .map(str::to_owned),
        "process" if only(&["action", "id"]) => {
            let action =
                text("action").filter(|action| matches!(*action, "read" | "wait" | "kill"))?;
            let of_id = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
            let id = text("id").filter(|id| !id.is_empty() && id.chars().all(of_id))?;
            Some(format!("{action} {id}"))
        }
        _ => None,
    }
}

fn command(text: &str) -> Option<String> {
    let plain = text.trim_matches('\n') == text
        && !text.trim().is_empty()
        && !text.starts_with('`')
        && !text.trim_start().starts_with('{');
    plain.then(|| block("bash", text))
}

fn quoted(path: &str) -> Option<String> {
    let quoted = format!("\"{path}\"");
    (clean_path(&quoted).as_deref() == Some(path)).then_some(quoted)
}

fn block(info: &str, text: &str) -> String {
    let fence = fence_for(text);
    if text.is_empty() {
        return format!("{fence}{info}\n{fence}");
    }
    let text = text.strip_suffix('\n').unwrap_or(text);
    format!("{fence}{info}\n{text}\n{fence}")
}

/// An assistant's message as it was said; nothing when it says nothing. Updates
/// of the task list that came before it were turns of their own.
pub(super) fn assistant(message: &Message) -> Vec<(Role, String)> {
    let updates = updates_of(message);
    let thoughts = thoughts_of(message);
    let mut turns = Vec::new();
    for (number, list) in updates.iter().enumerate() {
        let thought = thoughts.get(number).copied().unwrap_or_default();
        turns.push((Role::Assistant, only_tasks(thought, list)));
        turns.push((Role::User, teach::TASKS_UPDATED.to_owned()));
    }
    let own = thoughts.get(updates.len()..).unwrap_or_default().join("\n");
    turns.extend(last(message, &own).map(|text| (Role::Assistant, text)));
    turns
}

fn last(message: &Message, thoughts: &str) -> Option<String> {
    let text = message.text();
    let made: Vec<&ToolCallPart> = message.tool_calls().collect();
    if made.iter().any(|call| is_reply_format(call)) {
        return Some(unread(&text));
    }
    let list = list_of(message);
    if !made.is_empty() {
        let made = made
            .iter()
            .map(|call| (call.name.as_str(), call.arguments.as_str()));
        return Some(calls(&text, &list, made));
    }
    if text.trim().is_empty() {
        return None;
    }
    // What was cut off, put in so that roles alternate, or is of a command of the
    // user's own, is no whole reply.
    if matches!(message.origin, Origin::Filler | Origin::Shell)
        || message.status != Status::Complete
    {
        return Some(text);
    }
    Some(answer(thoughts, &list, text.trim()))
}

/// The thoughts of updates and of an answer are kept as reasoning of the dialect.
fn thoughts_of(message: &Message) -> Vec<&str> {
    let all = message.parts.iter();
    all.filter_map(|part| match part {
        Part::Reasoning { text, provider, .. } if provider.as_deref() == Some(OWNER) => {
            Some(text.as_str())
        }
        _ => None,
    })
    .collect()
}

/// The lists of the updates that came before, in their order.
fn updates_of(message: &Message) -> Vec<Vec<TodoItem>> {
    own_part(message, "updates").unwrap_or_default()
}

fn own_part<T: serde::de::DeserializeOwned>(message: &Message, key: &str) -> Option<T> {
    message.parts.iter().find_map(|part| match part {
        Part::Opaque { provider, raw } if provider == OWNER => {
            serde_json::from_value(raw.get(key)?.clone()).ok()
        }
        _ => None,
    })
}

fn list_of(message: &Message) -> Vec<TodoItem> {
    own_part(message, "tasks").unwrap_or_default()
}

fn unread(text: &str) -> String {
    let text = text.trim();
    if text.is_empty() {
        return String::from("(an empty reply)");
    }
    let count = text.chars().count();
    if count <= UNREAD_HEAD + UNREAD_TAIL {
        return text.to_owned();
    }
    let head: String = text.chars().take(UNREAD_HEAD).collect();
    let tail: String = text.chars().skip(count - UNREAD_TAIL).collect();
    let left_out = count - UNREAD_HEAD - UNREAD_TAIL;
    format!("{head}\n[… {left_out} characters left out …]\n{tail}")
}

/// A result, as the next message of the user's side. `call` is what it answers.
pub(super) fn result(name: &str, text: &str, ok: bool, call: Option<&ToolCallPart>) -> String {
    if let Some(call) = call.filter(|call| is_reply_format(call)) {
        return teach::unreadable(&problem(call));
    }
    let failed = if ok { "" } else { " (failed)" };
    format!("{RESULT}{name}{failed}:\n{text}")
}

fn problem(call: &ToolCallPart) -> String {
    match parse_arguments(&call.arguments) {
        Arguments::Object(object) => object
            .get("problem")
            .and_then(Value::as_str)
            .map(str::to_owned),
        _ => None,
    }
    .unwrap_or_else(|| String::from("it does not have the form of a response"))
}
