//! Calls that were written as text: the server did not know the model's way of
//! calling, or the model did not know the server's. What is found is run like
//! any other call, through the same gate, and is flagged as recovered.
//!
//! Nothing is taken that could be an example. What decides is where it stands;
//! the words around it can only speak against it:
//! - Every name is a tool that there is, every arguments an object.
//! - Tokens that only stand for a call (`<tool_call>` and the like) may come
//!   after a lead-in of at most three lines, and nothing may come after them;
//!   not in a code block, a comment, a quotation or a list, not indented, not
//!   in the middle of a sentence.
//! - JSON, fenced or bare, is taken only after a lead-in of one line, and
//!   nothing may follow.
//! - Calls in Python's form are taken only when they are the whole message.
//! - In reasoning, which is long by nature, tokens must end it, on a line of
//!   their own.

mod cursor;
mod place;
mod plain;
mod pythonic;
mod shape;
mod tagged;

use cursor::Call;
use tenon_vocab::{CallForm, CallId, Message, Part, StopReason, ToolCallPart};

/// A longer text is not searched: whoever waits for it could not stop it.
const LONGEST: usize = 2 * 1024 * 1024;
/// More calls in one text are an accident or an attack.
const MOST_CALLS: usize = 64;

/// A message whose calls were found in its text.
#[derive(Debug, Clone, PartialEq)]
pub struct Rescued {
    pub message: Message,
    /// Each in a sentence: `a call of read was written as text (<tool_call>)`.
    pub notes: Vec<String>,
}

/// What was found in a text, and where it begins.
#[derive(Debug, Clone, PartialEq)]
struct Found {
    calls: Vec<(Call, &'static str)>,
    start: usize,
}

/// Whether the text may lack its end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Whole,
    Cut,
}

/// What a text is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Source {
    Text,
    Reasoning,
}

/// Finds calls in a finished message that has none. `is_tool` knows every
/// spelling of every tool that there is.
#[must_use]
pub fn rescue(message: &Message, is_tool: &dyn Fn(&str) -> bool) -> Option<Rescued> {
    if message.tool_calls().next().is_some() {
        return None;
    }
    let ending = match message.stop {
        Some(StopReason::MaxTokens) => Ending::Cut,
        Some(StopReason::ContentFilter | StopReason::Error) => return None,
        _ => Ending::Whole,
    };
    let (position, found) = find(message, is_tool, ending)?;
    let known =
        found.calls.len() <= MOST_CALLS && found.calls.iter().all(|(call, _)| is_tool(&call.name));
    known.then(|| put_together(message, position, found))
}

/// The part that the calls are in: the last text, or, where there is no text at
/// all, the last reasoning, in which only tokens that stand for a call count.
fn find(
    message: &Message,
    is_tool: &dyn Fn(&str) -> bool,
    ending: Ending,
) -> Option<(usize, Found)> {
    let text = message
        .parts
        .iter()
        .rposition(|part| matches!(part, Part::Text { text } if !text.trim().is_empty()));
    if let Some(position) = text {
        let Part::Text { text } = &message.parts[position] else {
            return None;
        };
        if text.len() > LONGEST {
            return None;
        }
        let found = tagged::find(text, ending, Source::Text)
            .or_else(|| plain::find(text))
            .or_else(|| pythonic::find(text, is_tool))?;
        return Some((position, found));
    }
    let position = message
        .parts
        .iter()
        .rposition(|part| matches!(part, Part::Reasoning { .. }))?;
    // What is signed must stay as it is.
    let Part::Reasoning {
        text,
        signature: None,
        ..
    } = &message.parts[position]
    else {
        return None;
    };
    if text.len() > LONGEST {
        return None;
    }
    Some((position, tagged::find(text, ending, Source::Reasoning)?))
}

fn put_together(message: &Message, position: usize, found: Found) -> Rescued {
    let mut message = message.clone();
    let mut notes: Vec<String> = Vec::new();
    let emptied = match &mut message.parts[position] {
        Part::Text { text } | Part::Reasoning { text, .. } => {
            text.truncate(found.start);
            let end = text.trim_end().len();
            text.truncate(end);
            text.is_empty()
        }
        _ => false,
    };
    if emptied {
        message.parts.remove(position);
    }
    for (number, (call, form)) in found.calls.into_iter().enumerate() {
        let note = format!("a call of {} was written as text ({form})", call.name);
        if !notes.contains(&note) {
            notes.push(note);
        }
        let mut part = ToolCallPart::new(
            CallId::new(format!("text_{number}")),
            call.name,
            serde_json::Value::Object(call.arguments).to_string(),
        );
        part.form = CallForm::Text;
        message.parts.push(Part::ToolCall(part));
    }
    message.stop = Some(StopReason::ToolUse);
    Rescued { message, notes }
}
