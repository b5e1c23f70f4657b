//! What of a session can be found: what was asked, what was answered, commands
//! and paths of calls, short results. The body of a long result is no talk, and
//! would be most of the index. Secrets were masked before they came into a log.

use crate::found::Speaker;
use serde_json::Value;
use tenon_session::RawLine;
use tenon_vocab::{Event, EventKind, Message, Role};

/// Bytes of one passage that count.
const LONGEST: usize = 64 * 1024;
/// Longer results are left out: a listing, a file, a log.
const SHORT_RESULT: usize = 2 * 1024;
/// Longer fields of an input are left out: the content of a file.
const SHORT_FIELD: usize = 1024;

/// One piece of what was said or done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Passage {
    pub speaker: Speaker,
    pub text: String,
}

/// Whether a line can hold a passage, without decoding it: most of a long log
/// is results that cannot.
pub(crate) fn may_speak(line: &RawLine) -> bool {
    match line.kind() {
        Some("message" | "tool_use") => true,
        // Escapes and the other forms of a result make the line longer.
        Some("tool_result") => line.text.len() < 16 * SHORT_RESULT,
        // What we know and is none of these says nothing; a name that we do not
        // know is perhaps not that of the event.
        Some(kind) => !EventKind::NAMES.contains(&kind),
        None => false,
    }
}

pub(crate) fn of(event: &Event) -> Option<Passage> {
    let passage = match &event.kind {
        // The command of a `!` is found as a call.
        EventKind::Message(message) if message.is_of_shell() => return None,
        EventKind::Message(message) => Passage {
            speaker: match message.role {
                Role::User => Speaker::User,
                Role::Assistant => Speaker::Assistant,
                Role::Tool => Speaker::Tool,
            },
            text: said(message),
        },
        EventKind::ToolUse(used) => {
            let mut text = used.name.clone();
            fields(&used.input, &mut text);
            Passage {
                speaker: Speaker::Tool,
                text: clipped(text),
            }
        }
        EventKind::ToolResult(result) if result.model_text.len() <= SHORT_RESULT => Passage {
            speaker: Speaker::Tool,
            text: result.model_text.clone(),
        },
        _ => return None,
    };
    (!passage.text.trim().is_empty()).then_some(passage)
}

fn said(message: &Message) -> String {
    clipped(message.text())
}

/// The short strings of an input, each on a line.
fn fields(value: &Value, all: &mut String) {
    match value {
        Value::String(text) if text.len() <= SHORT_FIELD && all.len() < LONGEST => {
            all.push('\n');
            all.push_str(text);
        }
        Value::Array(items) => items.iter().for_each(|item| fields(item, all)),
        Value::Object(items) => items.values().for_each(|item| fields(item, all)),
        _ => {}
    }
}

fn clipped(mut text: String) -> String {
    if text.len() > LONGEST {
        let end = text.floor_char_boundary(LONGEST);
        text.truncate(end);
    }
    text
}
