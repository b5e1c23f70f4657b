//! The line editor: which key does what. Blocking, so it lives on the thread of
//! `input`.

use super::complete::Tab;
use super::input::{Entered, Pace};
use crate::talk::{ENTRIES, Past};
use rustyline::error::ReadlineError;
use rustyline::history::{History, MemHistory};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// What came of asking for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    Line(Entered),
    /// Ctrl+C on an empty input.
    Interrupted,
    /// Ctrl+D on an empty input, or the terminal is gone.
    Ended,
}

pub struct LineEditor {
    editor: Editor<Tab, MemHistory>,
    continued: Continued,
    begun: Begun,
}

/// What stands in the terminal before the line is asked for is read sooner.
const SOON: Duration = Duration::from_millis(3);

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
        // The first keys of what must have been typed.
        let begun = Begun::default();
        for key in ['!', 'y', 'Y'] {
            editor.bind_sequence(
                KeyEvent(KeyCode::Char(key), Modifiers::NONE),
                EventHandler::Conditional(Box::new(Begin(Arc::clone(&begun)))),
            );
        }
        let mut made = Self {
            editor,
            continued,
            begun,
        };
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
        let asked = Instant::now();
        let given = !begun.is_empty();
        let read = self.editor.readline_with_initial(label, (begun, ""));
        let mut first = self.begun.lock().unwrap_or_else(PoisonError::into_inner);
        let first = first.take();
        let soon = first.is_some_and(|first| first.saturating_duration_since(asked) <= SOON);
        // Also a text that nobody typed just now.
        let pace = if soon || given {
            Pace::Among
        } else {
            Pace::Alone
        };
        let mut continued = self
            .continued
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        let continued = std::mem::take(&mut *continued);
        match read {
            Ok(line) => Edited::Line(Entered {
                text: join(line, continued),
                pace,
            }),
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

/// When the first key of a line came, where it is one that is looked at.
type Begun = Arc<Mutex<Option<Instant>>>;

struct Begin(Begun);

impl ConditionalEventHandler for Begin {
    fn handle(&self, _: &Event, _: RepeatCount, _: bool, ctx: &EventContext) -> Option<Cmd> {
        if ctx.line().is_empty() {
            let mut begun = self.0.lock().unwrap_or_else(PoisonError::into_inner);
            *begun = Some(Instant::now());
        }
        None
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
