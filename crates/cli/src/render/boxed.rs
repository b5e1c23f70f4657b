//! A reply of the markdown dialect in boxes, where the terminal of standard error has
//! room for them: not on a dumb one, and not for a screen reader.

use super::waiting::Motion;
use super::wrap;
use crate::screen::{Paint, Style};
use serde_json::Value;
use tenon_tui::boxes;
use tenon_tui::shapes::Fold;
use tenon_tui::text::{Line, Role, Weight};
use tenon_vocab::{CallId, Message, StateChanged, TodoItem, ToolResult, form};

/// The call by which a reply that could not be read goes back to the model.
const UNREAD: &str = "reply_format";

#[derive(Debug)]
pub struct Boxed {
    motion: Motion,
    reply: Reply,
}

/// The message that is written, or the last one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Reply {
    /// Its text is shown as it comes.
    Streams,
    /// Its tokens were counted before any text came: it is drawn when it is whole.
    Held,
    Boxed,
}

impl Boxed {
    pub fn for_stderr() -> Self {
        Self {
            motion: Motion::for_stderr(),
            reply: Reply::Streams,
        }
    }

    fn columns(&self) -> Option<usize> {
        let columns = wrap::columns().filter(|columns| boxes::fit(*columns))?;
        (self.motion == Motion::Redrawn).then_some(columns)
    }

    pub fn counted(&mut self, changed: &StateChanged, streamed: usize) {
        if changed.written_tokens.is_some() && streamed == 0 && self.columns().is_some() {
            self.reply = Reply::Held;
        }
    }

    pub fn holds(&self) -> bool {
        self.reply == Reply::Held
    }

    /// The thoughts of a message, where they have a box.
    pub fn message(&mut self, paint: Paint, message: &Message) -> Option<Vec<String>> {
        self.reply = Reply::Streams;
        let columns = self.columns().filter(|_| form::is_of(message))?;
        self.reply = Reply::Boxed;
        let thoughts = form::thoughts(message);
        Some(match thoughts.trim().is_empty() {
            true => Vec::new(),
            false => drawn(paint, &boxes::thoughts(&thoughts, columns)),
        })
    }

    pub fn tasks(&self, paint: Paint, items: &[TodoItem]) -> Option<Vec<String>> {
        let is_boxed = self.reply == Reply::Boxed && !items.is_empty();
        let columns = self.columns().filter(|_| is_boxed)?;
        Some(drawn(paint, &boxes::tasks(items, columns)))
    }

    pub fn tool(
        &self,
        paint: Paint,
        call: &CallId,
        name: &str,
        input: &Value,
    ) -> Option<Vec<String>> {
        let columns = self.of_call(call, name)?;
        Some(drawn(
            paint,
            &boxes::tool(name, input, Fold::Folded, columns),
        ))
    }

    pub fn result(&self, paint: Paint, result: &ToolResult) -> Option<Vec<String>> {
        let columns = self.of_call(&result.call, &result.name)?;
        Some(drawn(paint, &boxes::result(result, Fold::Folded, columns)))
    }

    fn of_call(&self, call: &CallId, name: &str) -> Option<usize> {
        let is_boxed = form::is_call(call) && name != UNREAD;
        self.columns().filter(|_| is_boxed)
    }
}

fn drawn(paint: Paint, lines: &[Line]) -> Vec<String> {
    lines.iter().map(|line| line_of(paint, line)).collect()
}

fn line_of(paint: Paint, line: &Line) -> String {
    let spans = line.spans.iter().map(|span| {
        let style = match span.style.role {
            Role::Dim | Role::Border => Some(Style::Dim),
            Role::Tool => Some(Style::Tool),
            Role::Accent => Some(Style::Cyan),
            Role::Success | Role::Added => Some(Style::Green),
            Role::Error | Role::Removed => Some(Style::Red),
            Role::Warning => Some(Style::Yellow),
            _ if span.style.bold == Weight::Bold => Some(Style::Bold),
            _ => None,
        };
        match style {
            Some(style) => paint.paint(style, span.text()),
            None => span.text().to_owned(),
        }
    });
    spans.collect()
}
