//! The transcript as Markdown. Text of the model is Markdown already and stays
//! as it is; outputs and reasoning stand in fences that they cannot close.

use super::{result_summary, status_note};
use crate::Loaded;
use std::fmt::Write as _;
use tenon_vocab::{ContextChange, Event, EventKind, Message, Origin, Part, Role, ToolResult};

#[must_use]
pub fn markdown(loaded: &Loaded) -> String {
    let mut out = String::new();
    write_head(&mut out, loaded);
    for event in loaded.events() {
        write_event(&mut out, event);
    }
    out
}

fn write_head(out: &mut String, loaded: &Loaded) {
    let state = loaded.state();
    let meta = state.meta();
    let title = state
        .settings()
        .and_then(|settings| settings.title.as_deref())
        .or(state.first_prompt().trim().lines().next())
        .filter(|title| !title.is_empty())
        .unwrap_or("Session");
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "# {}\n", title.replace(['\n', '\r'], " "));
    let _ = writeln!(out, "- Session: `{}`", loaded.id);
    if let Some(first) = loaded.records.first() {
        let _ = writeln!(out, "- Created: {}", first.event.ts);
    }
    if let Some(last) = loaded.records.last() {
        let _ = writeln!(out, "- Updated: {}", last.event.ts);
    }
    let _ = writeln!(out, "- Directory: {}", code(&meta.cwd));
    if let Some(branch) = &meta.git_branch {
        let _ = writeln!(out, "- Branch: {}", code(branch));
    }
    if let Some(settings) = state.settings() {
        let _ = writeln!(out, "- Model: {}", code(&settings.model));
    }
    let usage = state.usage();
    let _ = writeln!(out, "- Tokens: {} in, {} out\n", usage.input, usage.output);
    for item in state.todo() {
        let text = item.text.replace(['\n', '\r'], " ");
        let _ = writeln!(out, "- {} {text}", item.status.mark());
    }
    if !state.todo().is_empty() {
        out.push('\n');
    }
}

fn write_event(out: &mut String, event: &Event) {
    match &event.kind {
        EventKind::Message(message) => write_message(out, event, message),
        EventKind::ToolUse(used) => {
            let _ = writeln!(out, "**{}**\n", code(&used.name));
            let input = serde_json::to_string_pretty(&used.input).unwrap_or_default();
            fence(out, "json", &input);
        }
        EventKind::ToolResult(result) => write_result(out, result),
        EventKind::Context(ContextChange::Compacted(compacted)) => {
            let _ = writeln!(
                out,
                "---\n\n*Context compacted.*\n\n{}\n",
                compacted.summary
            );
        }
        EventKind::Context(ContextChange::Reverted(_)) => {
            out.push_str("---\n\n*Reverted.*\n\n");
        }
        EventKind::Interrupted(interrupted) => {
            let _ = writeln!(out, "*Interrupted by {}.*\n", interrupted.by);
        }
        EventKind::Notice(notice) => {
            let _ = writeln!(out, "> {}\n", notice.message.replace('\n', "\n> "));
        }
        _ => {}
    }
}

fn write_message(out: &mut String, event: &Event, message: &Message) {
    let speaker = match (message.role, message.origin) {
        (Role::Assistant, _) if event.parent.is_some() => format!("Assistant ({})", event.agent),
        (Role::Assistant, _) => String::from("Assistant"),
        (_, Origin::User | Origin::Steer) => String::from("User"),
        _ => String::from("Tenon"),
    };
    let note = status_note(message.status)
        .map(|note| format!(" ({note})"))
        .unwrap_or_default();
    let _ = writeln!(out, "## {speaker}{note}\n");
    for part in &message.parts {
        match part {
            Part::Text { text } => {
                let _ = writeln!(out, "{}\n", text.trim_end());
            }
            Part::Reasoning { text, .. } if !text.is_empty() => {
                out.push_str("<details><summary>Reasoning</summary>\n\n");
                fence(out, "", text);
                out.push_str("</details>\n\n");
            }
            Part::Image { media_type, .. } => {
                let _ = writeln!(out, "*An image ({media_type}).*\n");
            }
            _ => {}
        }
    }
}

fn write_result(out: &mut String, result: &ToolResult) {
    let summary = result_summary(result).replace('<', "&lt;");
    let _ = writeln!(out, "<details><summary>{summary}</summary>\n");
    fence(out, "", &result.model_text);
    out.push_str("</details>\n\n");
}

/// A fence longer than any run of backticks inside.
fn fence(out: &mut String, language: &str, text: &str) {
    let ticks = "`".repeat(longest_ticks(text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(out, "{ticks}{language}\n{text}{end}{ticks}\n");
}

fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_ticks(text) + 1);
    let text = text.replace(['\n', '\r'], " ");
    if text.contains('`') {
        format!("{ticks} {text} {ticks}")
    } else {
        format!("{ticks}{text}{ticks}")
    }
}

fn longest_ticks(text: &str) -> usize {
    let (mut longest, mut current) = (0, 0);
    for c in text.chars() {
        current = if c == '`' { current + 1 } else { 0 };
        longest = longest.max(current);
    }
    longest
}
