//! The session as one JSON document, with the field names that scripts already
//! read (`createdAt`, `originalPrompt`, `taskList`, `history`, `totalTokens`),
//! and below `events` every record with all of its fields, also those that this
//! version does not know.

use crate::Loaded;
use crate::record::decode_value;
use serde_json::{Value, json};
use tenon_vocab::{Event, EventKind, Role, TodoItem, TodoStatus};

#[must_use]
pub fn json(loaded: &Loaded) -> Value {
    let state = loaded.state();
    let meta = state.meta();
    let settings = state.settings();
    let usage = state.usage();
    let first = loaded.records.first().map(|record| record.event.ts);
    let last = loaded.records.last().map(|record| record.event.ts);
    json!({
        "id": loaded.id,
        "createdAt": first,
        "updatedAt": last,
        "workingDirectory": meta.cwd,
        "gitBranch": meta.git_branch,
        "originalPrompt": first_prompt(loaded),
        "title": settings.and_then(|settings| settings.title.clone()),
        "model": settings.map(|settings| settings.model.clone()),
        "agent": settings.map(|settings| settings.agent_name.clone()),
        "taskList": state.todo().iter().map(task).collect::<Vec<_>>(),
        "history": loaded.events().filter_map(entry).collect::<Vec<_>>(),
        "totalTokens": usage.total(),
        "usage": usage,
        "compressionCount": state.compactions(),
        "forkedFrom": meta.forked_from,
        "unfinished": !loaded.virtual_tail.is_empty(),
        "schemaVersion": meta.schema_version,
        "events": loaded
            .records
            .iter()
            .filter_map(|record| decode_value(&record.line, &loaded.blobs).ok())
            .collect::<Vec<_>>(),
    })
}

/// The whole of it; the run's record holds only its beginning.
fn first_prompt(loaded: &Loaded) -> String {
    loaded
        .events()
        .filter(|event| event.parent.is_none())
        .find_map(|event| match &event.kind {
            EventKind::Message(message) if message.role == Role::User => Some(message.text()),
            _ => None,
        })
        .unwrap_or_else(|| loaded.state().first_prompt().to_owned())
}

fn task(item: &TodoItem) -> Value {
    let status = match item.status {
        TodoStatus::Pending => "pending",
        TodoStatus::InProgress => "in-progress",
        TodoStatus::Completed => "complete",
        TodoStatus::Cancelled => "cancelled",
    };
    json!({"status": status, "text": item.text})
}

fn entry(event: &Event) -> Option<Value> {
    if event.parent.is_some() {
        return None;
    }
    match &event.kind {
        EventKind::Message(message) => {
            let role = match message.role {
                Role::User => "user",
                Role::Assistant => "assistant",
                Role::Tool => "tool",
            };
            Some(json!({
                "role": role,
                "content": message.text(),
                "status": message.status,
                "calls": message.tool_calls().collect::<Vec<_>>(),
            }))
        }
        EventKind::ToolResult(result) => Some(json!({
            "role": "tool",
            "name": result.name,
            "call": result.call,
            "ok": result.ok,
            "content": result.model_text,
        })),
        _ => None,
    }
}
