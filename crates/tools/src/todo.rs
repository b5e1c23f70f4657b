//! `todoread` and `todowrite`: the task list of the session (T10). The engine
//! keeps it; nothing here remembers anything. What a model writes in other
//! shapes was brought to this one before (`input/tasks.rs`).

use crate::builtin::{facts, spec};
use crate::contract::{Host, HostReply, HostRequest, Tool};
use crate::workspace::Workspace;
use serde_json::{Value, json};
use tenon_policy::{Facts, Subject};
use tenon_vocab::names::tool;
use tenon_vocab::port::BoxFuture;
use tenon_vocab::{
    Display, Effect, ErrorCode, TodoItem, TodoStatus, ToolOutput, ToolSpec, checklist,
};

/// More is no list that anybody works on, and it is read again and again.
const MOST: usize = 50;
/// Characters of one item. It is a line, not a note.
const LONGEST: usize = 300;

const READ: &str = "Read the task list.";
const WRITE: &str = "Replace the task list. Use it for work with several steps: all items in order, one of them in_progress, each set to completed as soon as it is done.";

/// Shows the list.
#[derive(Debug)]
pub struct TodoRead {
    spec: ToolSpec,
}

/// Replaces the list.
#[derive(Debug)]
pub struct TodoWrite {
    spec: ToolSpec,
}

impl TodoRead {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {},
            "additionalProperties": false
        });
        Self {
            spec: spec(tool::TODO_READ, READ, Effect::Read, parameters),
        }
    }
}

impl TodoWrite {
    #[must_use]
    pub fn new() -> Self {
        let parameters = json!({
            "type": "object",
            "properties": {
                "items": {
                    "type": "array",
                    "items": {
                        "type": "object",
                        "properties": {
                            "text": {"type": "string"},
                            "status": {
                                "type": "string",
                                "enum": ["pending", "in_progress", "completed", "cancelled"]
                            }
                        },
                        "required": ["text"]
                    }
                }
            },
            "required": ["items"],
            "additionalProperties": false
        });
        // It changes what is on the screen and in the log, and nothing else: an
        // agent that may only read has it, too.
        Self {
            spec: spec(tool::TODO_WRITE, WRITE, Effect::Interact, parameters),
        }
    }
}

impl Default for TodoRead {
    fn default() -> Self {
        Self::new()
    }
}

impl Default for TodoWrite {
    fn default() -> Self {
        Self::new()
    }
}

impl Tool for TodoRead {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        facts(&self.spec, Subject::Nothing, input)
    }

    fn preview(&self, _: &Value, _: &Workspace) -> Display {
        Display::Nothing
    }

    fn run<'a>(&'a self, _: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move { answer(host.request(HostRequest::Todo(None)).await, &[]) })
    }
}

impl Tool for TodoWrite {
    fn spec(&self) -> &ToolSpec {
        &self.spec
    }

    fn facts(&self, input: &Value, _: &Workspace) -> Facts {
        facts(&self.spec, Subject::Nothing, input)
    }

    fn preview(&self, input: &Value, _: &Workspace) -> Display {
        Display::Todo {
            items: bounded(given(input)).0,
        }
    }

    fn run<'a>(&'a self, input: Value, host: &'a dyn Host) -> BoxFuture<'a, ToolOutput> {
        Box::pin(async move {
            let (items, cut) = bounded(given(&input));
            answer(host.request(HostRequest::Todo(Some(items))).await, &cut)
        })
    }
}

fn given(input: &Value) -> Vec<TodoItem> {
    let items = input.get("items").and_then(Value::as_array);
    let item = |item: &Value| {
        let status = item.get("status").cloned().unwrap_or_default();
        Some(TodoItem {
            text: item.get("text")?.as_str()?.to_owned(),
            status: serde_json::from_value(status).unwrap_or(TodoStatus::Pending),
        })
    };
    items.into_iter().flatten().filter_map(item).collect()
}

/// The list as it is kept: each item one line of bounded length, none of them
/// empty, and no more than anybody reads. The second says what was cut.
#[must_use]
pub fn bounded(items: Vec<TodoItem>) -> (Vec<TodoItem>, Vec<String>) {
    let mut cut = Vec::new();
    let mut kept: Vec<TodoItem> = items.into_iter().filter_map(one_line).collect();
    if kept.len() > MOST {
        cut.push(format!(
            "the list was cut: {} items were given, {MOST} are kept; merge small ones",
            kept.len()
        ));
        kept.truncate(MOST);
    }
    let mut long = 0;
    for item in &mut kept {
        if let Some((end, _)) = item.text.char_indices().nth(LONGEST) {
            item.text.truncate(end);
            item.text.push('…');
            long += 1;
        }
    }
    if long > 0 {
        let noun = if long == 1 { "item was" } else { "items were" };
        cut.push(format!("{long} {noun} cut at {LONGEST} characters"));
    }
    (kept, cut)
}

fn one_line(item: TodoItem) -> Option<TodoItem> {
    let text = item.text.split_whitespace().collect::<Vec<_>>().join(" ");
    (!text.is_empty()).then_some(TodoItem { text, ..item })
}

fn answer(reply: HostReply, cut: &[String]) -> ToolOutput {
    let items = match reply {
        HostReply::Todo(items) => items,
        HostReply::Unavailable(reason) | HostReply::Refused(reason) => {
            let message = format!("can't save the task list: {reason}");
            return ToolOutput::error(ErrorCode::WriteError, message);
        }
        HostReply::Answer(_) | HostReply::Allowed => {
            let message = "there is no task list here; continue without it";
            return ToolOutput::error(ErrorCode::Internal, message);
        }
    };
    let mut text = match items.as_slice() {
        [] => String::from("The task list is empty."),
        items => checklist(items),
    };
    for note in cut {
        text.push_str(&format!("\n[{note}]"));
    }
    ToolOutput::ok(json!({"items": items}), text, Display::Todo { items })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn item(text: &str) -> TodoItem {
        TodoItem {
            text: text.into(),
            status: TodoStatus::Pending,
        }
    }

    #[test]
    fn an_item_is_one_line_and_an_empty_one_is_none() {
        let (kept, cut) = bounded(vec![item(" a\n\tb "), item(" \n")]);
        assert_eq!(kept, [item("a b")]);
        assert!(cut.is_empty());
    }

    #[test]
    fn what_is_cut_is_said() {
        let long = "ä".repeat(LONGEST + 1);
        let (kept, cut) = bounded(vec![item(&long); MOST + 1]);
        assert_eq!(kept.len(), MOST);
        assert_eq!(kept[0].text.chars().count(), LONGEST + 1);
        assert!(cut[0].contains("51 items were given, 50 are kept"));
        assert!(cut[1].contains("50 items were cut at 300 characters"));
    }

    #[test]
    fn a_list_at_the_bounds_is_left_alone() {
        let items = vec![item(&"x".repeat(LONGEST)); MOST];
        assert_eq!(bounded(items.clone()), (items, Vec::new()));
    }
}
