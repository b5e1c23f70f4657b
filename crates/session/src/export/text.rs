//! `sessions show`: what was said and done, in order, for a terminal. Before
//! each message stands the number by which it can be named, and before each of
//! its lines who said it: no text can look like somebody else's, or like a call.
//! All of it is foreign text, so all of it goes through [`Printable`].

use super::{result_summary, status_note};
use crate::{Numbers, Reading};
use std::fmt::Write as _;
use std::io::{self, Write};
use tenon_vocab::marked;
use tenon_vocab::{
    AnsweredBy, ContextChange, Event, EventKind, Message, NoticeLevel, Origin, Part, Printable,
    Role,
};

/// A call's input is one line; what is longer is cut with a count.
const INPUT_CHARS: usize = 160;

/// The readable transcript. What was shown while it streamed is here too, also
/// where the program ended before the message did.
///
/// # Errors
/// When the log cannot be read, or the transcript not be written.
pub fn write_text(reading: &Reading, out: &mut dyn Write) -> io::Result<()> {
    let mut piece = String::new();
    let mut numbers = Numbers::default();
    let given_up = reading.outline().given_up();
    let recovered = reading
        .virtual_tail
        .first()
        .map_or(u64::MAX, |first| first.seq);
    for event in reading.events() {
        let event = &event.map_err(io::Error::other)?;
        // What is only recovered when it is opened cannot be named yet.
        let number = numbers.of(event).filter(|_| event.seq < recovered);
        let mark = match number {
            Some(number) if given_up.reverted(event.seq) => format!("#{number} (dropped) "),
            Some(number) => format!("#{number} "),
            None => String::new(),
        };
        write_event(&mut piece, event, &mark);
        out.write_all(piece.as_bytes())?;
        piece.clear();
    }
    match (&reading.virtual_tail[..], reading.in_use_by) {
        ([], _) => {}
        (_, Some(pid)) => line(
            &mut piece,
            "",
            &format!("-- still running in process {pid}"),
        ),
        (_, None) => line(
            &mut piece,
            "",
            "-- Tenon ended here; resume the session to continue",
        ),
    }
    out.write_all(piece.as_bytes())
}

fn write_event(out: &mut String, event: &Event, mark: &str) {
    let indent = if event.parent.is_some() { "    " } else { "" };
    match &event.kind {
        // The command of a `!` stands there as a call.
        EventKind::Message(message) if message.is_of_shell() => {}
        EventKind::Message(message) => write_message(out, indent, mark, message),
        EventKind::ToolUse(used) => {
            let input = shorten(&used.input.to_string());
            line(out, indent, &format!("* {} {input}", used.name));
        }
        EventKind::ToolResult(result) => {
            line(
                out,
                indent,
                &format!("  -> {}", first_line(&result_summary(result))),
            );
        }
        EventKind::Todo(list) => {
            for item in &list.items {
                line(
                    out,
                    indent,
                    &format!("  {} {}", item.status.mark(), item.text),
                );
            }
        }
        EventKind::Question(question) => line(out, indent, &format!("? {}", question.title)),
        EventKind::Answer(answer) => {
            let by = match answer.by {
                AnsweredBy::User => "user",
                AnsweredBy::Client => "client",
                AnsweredBy::Hook => "hook",
                AnsweredBy::Flag => "flag",
                AnsweredBy::Nobody => "no one to ask",
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
            let said = format!("! {level}: {}", notice.message.trim_end());
            for each in said.split('\n') {
                line(out, indent, each);
            }
        }
        EventKind::Retry(retry) => line(
            out,
            indent,
            &format!(
                "! tried again ({} of {}): {}",
                retry.attempt, retry.of, retry.reason
            ),
        ),
        EventKind::Context(change) => {
            if let Some(said) = changed(change) {
                line(out, indent, &said);
            }
        }
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

fn changed(change: &ContextChange) -> Option<String> {
    match change {
        ContextChange::Compiled(_) => None,
        ContextChange::Compacted(compacted) => Some(format!(
            "-- context compacted: {} tokens before, {} after; the model reads a summary, this \
             log keeps everything",
            compacted.tokens_before, compacted.tokens_after
        )),
        ContextChange::Reverted(_) => Some(String::from(
            "-- reverted: the model no longer sees the messages marked (dropped)",
        )),
    }
}

fn write_message(out: &mut String, indent: &str, number: &str, message: &Message) {
    let speaker = match (message.role, message.origin) {
        (Role::Assistant, _) => "model> ",
        (_, Origin::Steer) => "you (while it worked)> ",
        (_, Origin::User) => "you> ",
        (_, Origin::Hook) => "hook> ",
        (_, Origin::Rule) => "rule> ",
        _ => "tenon> ",
    };
    let mut said = String::new();
    if let Some(note) = status_note(message.status) {
        line(&mut said, "", &format!("[{note}]"));
    }
    for part in &message.parts {
        match part {
            // What goes along with a prompt: rules, notes.
            Part::Text { text } if message.role == Role::User && marked::of(text).is_some() => {
                block(&mut said, "tenon> ", text);
            }
            Part::Text { text } => block(&mut said, speaker, text),
            Part::Reasoning { text, .. } => block(&mut said, "model thinks> ", text),
            Part::Image { media_type, .. } => line(&mut said, "", &format!("[image {media_type}]")),
            Part::ToolCall(_) | Part::ToolResult { .. } | Part::Opaque { .. } => {}
        }
    }
    if said.is_empty() && !number.is_empty() {
        said = String::from("(calls only)\n");
    }
    for (index, each) in said.lines().enumerate() {
        let number = if index == 0 { number } else { "" };
        // Writing to a String cannot fail.
        let _ = writeln!(out, "{indent}{number}{each}");
    }
}

/// Each line of the text with a mark before it.
fn block(out: &mut String, mark: &str, text: &str) {
    let text = text.trim_end_matches('\n');
    if text.is_empty() {
        return;
    }
    for each in Printable::block(text).as_str().split('\n') {
        let _ = writeln!(out, "{mark}{each}");
    }
}

fn line(out: &mut String, indent: &str, text: &str) {
    let _ = writeln!(out, "{indent}{}", Printable::line(text));
}

/// An error may have many lines; what it is about stands in the first.
fn first_line(text: &str) -> String {
    let mut lines = text.trim_end().lines();
    let first = lines.next().unwrap_or_default();
    match lines.count() {
        0 => first.to_owned(),
        1 => format!("{first} [1 more line]"),
        more => format!("{first} [{more} more lines]"),
    }
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
