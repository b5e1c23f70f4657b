//! A session for people and for other programs: a transcript for a terminal,
//! Markdown and a page for readers, JSON for scripts. Only the JSON document is
//! read back, by `import`. All of them are written record by record: a log may be
//! larger than the memory.

mod html;
mod json;
mod markdown;
mod text;

pub use html::write_html;
pub(crate) use json::{FORMAT, FORMAT_VERSION, NOT_CARRIED};
pub use json::{Written, json, write_json};
pub use markdown::write_markdown;
pub use text::write_text;

use tenon_vocab::{CallStatus, Display, Status, TodoItem, TodoStatus, ToolResult};

/// What a reader must know of a message that did not end well.
fn status_note(status: Status) -> Option<&'static str> {
    match status {
        Status::Complete => None,
        Status::Interrupted => Some("interrupted"),
        Status::Broken => Some("broken off"),
        Status::Abandoned => Some("abandoned, tried again"),
    }
}

/// One line on a result.
fn result_summary(result: &ToolResult) -> String {
    let outcome = match (result.status, result.ok) {
        (CallStatus::Denied, _) => "denied",
        (CallStatus::Interrupted, _) => "interrupted",
        (CallStatus::NotStarted, _) => "not started",
        (CallStatus::UnknownOutcome, _) => "outcome unknown",
        (CallStatus::Completed, true) => "ok",
        (CallStatus::Completed, false) => "failed",
    };
    let said = match (&result.display, result.envelope.error()) {
        (_, Some(error)) => error.message.clone(),
        (Display::Text { summary, .. } | Display::Files { summary, .. }, None) => summary.clone(),
        (Display::Diff { files }, None) => files
            .iter()
            .map(|file| format!("{} +{} -{}", file.path, file.additions, file.deletions))
            .collect::<Vec<_>>()
            .join(", "),
        (Display::Terminal { exit_code, .. }, None) => match exit_code {
            Some(code) => format!("exit code {code}"),
            None => String::from("no exit code"),
        },
        (Display::Todo { items }, None) => {
            let is_done = |item: &&TodoItem| item.status == TodoStatus::Completed;
            let done = items.iter().filter(is_done).count();
            format!("{done} of {} tasks done", items.len())
        }
        (Display::Table { rows, .. }, None) => format!("{} rows", rows.len()),
        (Display::Nothing, None) => String::new(),
    };
    let said = said.lines().next().unwrap_or_default();
    if said.is_empty() {
        outcome.to_owned()
    } else {
        format!("{outcome}: {said}")
    }
}
