//! The line editor: which key does what. Blocking, so it lives on the thread of
//! `input`.

use super::complete::Tab;
use super::history::{ENTRIES, Past};
use rustyline::error::ReadlineError;
use rustyline::history::{History, MemHistory};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use std::sync::{Arc, Mutex, PoisonError};

/// What came of asking for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    Line(String),
    /// Ctrl+C on an empty input.
    Interrupted,
    /// Ctrl+D on an empty input, or the terminal is gone.
    Ended,
}

pub struct LineEditor {
    editor: Editor<Tab, MemHistory>,
    continued: Continued,
}

impl LineEditor {
    /// # Errors
    /// When this terminal cannot be edited in.
    pub fn new(tab: Tab, past: &Past) -> Result<Self, ReadlineError> {
        let config = Config::builder()
            .max_history_size(ENTRIES)?
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history)?;
        let continued = Continued::default();
        editor.set_helper(Some(tab));
        editor.bind_sequence(
            KeyEvent::ctrl('C'),
            EventHandler::Conditional(Box::new(ClearFirst)),
        );
        editor.bind_sequence(
            KeyEvent(KeyCode::Enter, Modifiers::NONE),
            EventHandler::Conditional(Box::new(Continue(Arc::clone(&continued)))),
        );
        for newline in [
            KeyEvent::ctrl('J'),
            KeyEvent(KeyCode::Enter, Modifiers::ALT),
        ] {
            editor.bind_sequence(newline, EventHandler::Simple(Cmd::Newline));
        }
        let mut made = Self { editor, continued };
        made.remember(past);
        Ok(made)
    }

    /// Up and Ctrl+R find these.
    pub fn remember(&mut self, past: &Past) {
        let history = self.editor.history_mut();
        // In memory only: none of this can fail.
        let _ = history.clear();
        for entry in past.entries() {
            let _ = history.add(entry);
        }
    }

    /// Edits a line that begins with what was typed already.
    pub fn read(&mut self, label: &str, begun: &str) -> Edited {
        let read = self.editor.readline_with_initial(label, (begun, ""));
        let mut continued = self
            .continued
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let continued = std::mem::take(&mut *continued);
        match read {
            Ok(line) => Edited::Line(join(line, continued)),
            Err(ReadlineError::Interrupted) => Edited::Interrupted,
            Err(_) => Edited::Ended,
        }
    }
}

/// Ctrl+C clears an input and leaves only from an empty one: it must never cost
/// more than what stands in the line (U10).
struct ClearFirst;

impl ConditionalEventHandler for ClearFirst {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, ctx: &EventContext) -> Option<Cmd> {
        if ctx.line().is_empty() {
            Some(Cmd::Interrupt)
        } else {
            Some(Cmd::Kill(Movement::WholeBuffer))
        }
    }
}

/// The inputs at which Enter came after a backslash.
type Continued = Arc<Mutex<Vec<String>>>;

/// A backslash before Enter makes a new line. It is remembered by key and not
/// found in the text later, so that backslashes in pasted text stay.
struct Continue(Continued);

impl ConditionalEventHandler for Continue {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, ctx: &EventContext) -> Option<Cmd> {
        let line = ctx.line();
        if ctx.pos() != line.len() || !line.ends_with('\\') {
            return None;
        }
        let mut continued = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        continued.push(line.to_owned());
        Some(Cmd::Newline)
    }
}

/// Takes out the backslashes that only asked for a new line; one before which
/// something was changed since then stays.
fn join(mut line: String, mut continued: Vec<String>) -> String {
    continued.sort_by_key(|before| std::cmp::Reverse(before.len()));
    for before in continued {
        let rest = line.strip_prefix(before.as_str());
        if rest.is_some_and(|rest| rest.starts_with('\n')) {
            line.remove(before.len() - 1);
        }
    }
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_a_backslash_that_asked_for_a_new_line_is_taken_out() {
        let continued = || vec![String::from("a\\"), String::from("a\\\nb\\")];
        assert_eq!(
            join(String::from("a\\\nb\\\nc\\\nd"), continued()),
            "a\nb\nc\\\nd"
        );
        assert_eq!(
            join(String::from("changed\\\nb"), continued()),
            "changed\\\nb"
        );
        assert_eq!(join(String::from("a\\b"), continued()), "a\\b");
    }
}
