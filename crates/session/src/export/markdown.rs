//! The transcript as Markdown. What was said is Markdown already and stays it,
//! but inside a quotation, from which no heading, fence or tag gets out: a turn
//! begins with a heading that stands outside of one. Outputs and reasoning stand
//! in fences that they cannot close. All of it is foreign text, so all of it goes
//! through [`Printable`].

mod quoted;

use super::{result_summary, status_note};
use crate::Reading;
use quoted::quoted;
use std::fmt::Write as _;
use std::io::{self, Write};
use tenon_vocab::{
    ContextChange, Event, EventKind, Message, Origin, Part, Printable, Role, ToolResult,
};

/// The transcript.
///
/// # Errors
/// When the log cannot be read, or the transcript not be written.
pub fn write_markdown(reading: &Reading, out: &mut dyn Write) -> io::Result<()> {
    let mut piece = String::new();
    write_head(&mut piece, reading);
    for event in reading.events() {
        write_event(&mut piece, &event.map_err(io::Error::other)?);
        out.write_all(piece.as_bytes())?;
        piece.clear();
    }
    out.write_all(piece.as_bytes())
}

fn write_head(out: &mut String, reading: &Reading) {
    let outline = reading.outline();
    let meta = outline.meta();
    // Writing to a String cannot fail, here and below.
    let _ = writeln!(out, "# {}\n", inline(outline.title().unwrap_or("Session")));
    let _ = writeln!(out, "- Session: `{}`", reading.id);
    let _ = writeln!(out, "- Created: {}", reading.created);
    let _ = writeln!(out, "- Updated: {}", reading.updated);
    let _ = writeln!(out, "- Directory: {}", code(&meta.cwd));
    if let Some(branch) = &meta.git_branch {
        let _ = writeln!(out, "- Branch: {}", code(branch));
    }
    if let Some(settings) = outline.settings() {
        let _ = writeln!(out, "- Model: {}", code(&settings.model));
    }
    let usage = outline.usage();
    let _ = writeln!(out, "- Tokens: {} in, {} out\n", usage.input, usage.output);
    for item in outline.todo() {
        let _ = writeln!(out, "- {} {}", item.status.mark(), inline(&item.text));
    }
    if !outline.todo().is_empty() {
        out.push('\n');
    }
}

fn write_event(out: &mut String, event: &Event) {
    match &event.kind {
        // The command of a `!` stands there as a call.
        EventKind::Message(message) if message.is_of_shell() => {}
        EventKind::Message(message) => write_message(out, event, message),
        EventKind::ToolUse(used) => {
            let _ = writeln!(out, "**{}**\n", code(&used.name));
            let input = serde_json::to_string_pretty(&used.input).unwrap_or_default();
            fence(out, "json", &input);
        }
        EventKind::ToolResult(result) => write_result(out, result),
        EventKind::Context(ContextChange::Compacted(compacted)) => {
            out.push_str("---\n\n*Context compacted.*\n\n");
            quoted(out, &compacted.summary);
        }
        EventKind::Context(ContextChange::Reverted(_)) => {
            out.push_str("---\n\n*Reverted.*\n\n");
        }
        EventKind::Interrupted(interrupted) => {
            let _ = writeln!(out, "*Interrupted by {}.*\n", inline(&interrupted.by));
        }
        EventKind::Notice(notice) => {
            out.push_str("*Note.*\n\n");
            quoted(out, &notice.message);
        }
        _ => {}
    }
}

fn write_message(out: &mut String, event: &Event, message: &Message) {
    let speaker = match (message.role, message.origin) {
        (Role::Assistant, _) if event.parent.is_some() => {
            format!("Assistant ({})", inline(&event.agent))
        }
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
            Part::Text { text } => quoted(out, text),
            Part::Reasoning { text, .. } if !text.is_empty() => {
                out.push_str("<details><summary>Reasoning</summary>\n\n");
                fence(out, "", text);
                out.push_str("</details>\n\n");
            }
            Part::Image { media_type, .. } => {
                let _ = writeln!(out, "*An image ({}).*\n", inline(media_type));
            }
            _ => {}
        }
    }
}

fn write_result(out: &mut String, result: &ToolResult) {
    let summary = inline(&result_summary(result));
    let _ = writeln!(out, "<details><summary>{summary}</summary>\n");
    fence(out, "", &result.model_text);
    out.push_str("</details>\n\n");
}

/// One line in which nothing is a tag, an entity or an image.
fn inline(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = Printable::line(&text).into_string();
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace("![", "&#33;[")
}

/// A fence longer than any run of backticks inside.
fn fence(out: &mut String, language: &str, text: &str) {
    let text = Printable::block(text);
    let text = text.as_str();
    let ticks = "`".repeat(longest_ticks(text).max(2) + 1);
    let end = if text.ends_with('\n') { "" } else { "\n" };
    let _ = writeln!(out, "{ticks}{language}\n{text}{end}{ticks}\n");
}

fn code(text: &str) -> String {
    let text = text.replace(['\n', '\r'], " ");
    let text = Printable::line(&text);
    let text = text.as_str();
    match longest_ticks(text) {
        0 => format!("`{text}`"),
        longest => {
            let ticks = "`".repeat(longest + 1);
            format!("{ticks} {text} {ticks}")
        }
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
