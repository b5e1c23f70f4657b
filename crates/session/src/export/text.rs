//! `sessions show`: what was said and done, in order, for a terminal. All of it
//! is foreign text, so all of it goes through [`Printable`].

use super::{result_summary, status_note};
use crate::Loaded;
use std::fmt::Write as _;
use tenon_vocab::{
    AnsweredBy, ContextChange, Event, EventKind, Message, NoticeLevel, Origin, Part, Printable,
    Role,
};

/// A call's input is one line; what is longer is cut with a count.
const INPUT_CHARS: usize = 160;

/// The readable transcript. What was shown while it streamed is here too, also
/// where the program ended before the message did.
#[must_use]
pub fn text(loaded: &Loaded) -> String {
    let mut out = String::new();
    for event in loaded.events() {
        write_event(&mut out, event);
    }
    match (&loaded.virtual_tail[..], loaded.in_use_by) {
        ([], _) => {}
        (_, Some(pid)) => line(&mut out, "", &format!("-- still running in process {pid}")),
        (_, None) => line(&mut out, "", "-- the program ended here; resume goes on"),
    }
    out
}

fn write_event(out: &mut String, event: &Event) {
    let indent = if event.parent.is_some() { "    " } else { "" };
    match &event.kind {
        EventKind::Message(message) => write_message(out, indent, message),
        EventKind::ToolUse(used) => {
            let input = shorten(&used.input.to_string());
            line(out, indent, &format!("* {} {input}", used.name));
        }
        EventKind::ToolResult(result) => {
            line(out, indent, &format!("  -> {}", result_summary(result)));
        }
        EventKind::Question(question) => line(out, indent, &format!("? {}", question.title)),
        EventKind::Answer(answer) => {
            let by = match answer.by {
                AnsweredBy::User => "user",
                AnsweredBy::Client => "client",
                AnsweredBy::Hook => "hook",
                AnsweredBy::Flag => "flag",
                AnsweredBy::Nobody => "nobody to ask",
                AnsweredBy::Interrupt => "interrupt",
            };
            let text = answer.text.as_deref().unwrap_or_default();
            line(out, indent, &format!("  = {} ({by}) {text}", answer.choice));
        }
        EventKind::Notice(notice) => {
            let level = match notice.level {
                NoticeLevel::Info => "note",
                NoticeLevel::Warning => "warning",
                NoticeLevel::Error => "error",
            };
            line(out, indent, &format!("! {level}: {}", notice.message));
        }
        EventKind::Retry(retry) => line(
            out,
            indent,
            &format!(
                "! tried again ({} of {}): {}",
                retry.attempt, retry.of, retry.reason
            ),
        ),
        EventKind::Context(ContextChange::Compacted(compacted)) => line(
            out,
            indent,
            &format!(
                "-- context compacted: {} tokens before, {} after",
                compacted.tokens_before, compacted.tokens_after
            ),
        ),
        EventKind::Interrupted(interrupted) => {
            line(
                out,
                indent,
                &format!("-- interrupted by {}", interrupted.by),
            );
        }
        EventKind::RunFinished(finished) => {
            if let Some(reason) = &finished.reason {
                line(out, indent, &format!("-- ended: {reason}"));
            }
            out.push('\n');
        }
        _ => {}
    }
}

fn write_message(out: &mut String, indent: &str, message: &Message) {
    let speaker = match (message.role, message.origin) {
        (Role::Assistant, _) => None,
        (_, Origin::Steer) => Some("> (while it worked) "),
        (_, Origin::User) => Some("> "),
        (_, Origin::Hook) => Some("> (hook) "),
        (_, Origin::Rule) => Some("> (rule) "),
        _ => Some("> (tenon) "),
    };
    if let Some(note) = status_note(message.status) {
        line(out, indent, &format!("[{note}]"));
    }
    for part in &message.parts {
        match part {
            Part::Text { text } if speaker.is_some() => {
                block(out, indent, speaker.unwrap_or_default(), text);
            }
            Part::Text { text } => block(out, indent, "", text),
            Part::Reasoning { text, .. } => block(out, indent, "  | ", text),
            Part::Image { media_type, .. } => line(out, indent, &format!("[image {media_type}]")),
            Part::ToolCall(_) | Part::ToolResult { .. } | Part::Opaque { .. } => {}
        }
    }
}

/// Each line of the text with a mark before it.
fn block(out: &mut String, indent: &str, mark: &str, text: &str) {
    let text = text.trim_end_matches('\n');
    if text.is_empty() {
        return;
    }
    for each in Printable::block(text).as_str().split('\n') {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{indent}{mark}{each}");
    }
}

fn line(out: &mut String, indent: &str, text: &str) {
    let _ = writeln!(out, "{indent}{}", Printable::line(text));
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(INPUT_CHARS) {
        None => text.to_owned(),
        Some((cut, _)) => {
            let left_out = text[cut..].chars().count();
            format!("{} [{left_out} more characters]", &text[..cut])
        }
    }
}
