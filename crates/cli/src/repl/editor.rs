//! The line editor: which key does what. Blocking, so it lives on the thread of
//! `input`.
//!
//! The editor reads ahead, and its store cannot be looked into. So an Enter does
//! not end the line at once: the keys that are there already are read on, and
//! written down instead of acted on, until none is left.

use super::complete::Tab;
use super::input::{Entered, Pace};
use crate::talk::{ENTRIES, Past};
use rustix::fs::{Mode, OFlags};
use rustyline::error::ReadlineError;
use rustyline::history::{History, MemHistory};
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Editor, Event, EventContext,
    EventHandler, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
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
    hand: Arc<Mutex<Hand>>,
}

/// What comes sooner behind a marked paste is a part of it: the mark of its end may
/// stand in the clipboard.
const CLOSE: Duration = Duration::from_millis(50);
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
        let hand = Arc::<Mutex<Hand>>::default();
        let drawn = Arc::clone(&tab.drawn);
        editor.set_helper(Some(tab));
        editor.bind_sequence(
            Event::Any,
            EventHandler::Conditional(Box::new(EveryKey {
                hand: Arc::clone(&hand),
                drawn,
            })),
        );
        let mut made = Self { editor, hand };
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

    /// Edits a line that begins with what was typed already. Gives with it what
    /// was there behind its Enter.
    pub fn read(&mut self, label: &str, begun: &str) -> (Edited, String) {
        let asked = Instant::now();
        let given = !begun.is_empty();
        let read = self.editor.readline_with_initial(label, (begun, ""));
        let mut hand = self.hand.lock().unwrap_or_else(PoisonError::into_inner);
        let hand = std::mem::take(&mut *hand);
        let soon = |first: Instant| first.saturating_duration_since(asked) <= SOON;
        // Also a text that nobody typed just now.
        let stands = given && hand.start == Start::AsGiven;
        let among = stands || hand.first.is_some_and(soon) || hand.blind;
        let (line, behind) = match (hand.ended, read) {
            (Some(ended), _) => (ended.line, ended.behind),
            (None, Ok(line)) => (line, String::new()),
            (None, Err(ReadlineError::Interrupted)) => return (Edited::Interrupted, String::new()),
            (None, Err(_)) => return (Edited::Ended, String::new()),
        };
        let text = join(line, hand.continued);
        let pasted = hand.began == Began::Paste && acts_when_typed(&text);
        let pace = match (pasted, among) {
            (true, _) => Pace::Pasted,
            (false, true) => Pace::Among,
            (false, false) => Pace::Alone,
        };
        (Edited::Line(Entered { text, pace }), behind)
    }
}

/// What the keys of one line have said so far.
#[derive(Debug, Default)]
struct Hand {
    /// When the first key of the text came.
    first: Option<Instant>,
    /// The inputs at which Enter came after a backslash.
    continued: Vec<String>,
    /// Enter was pressed; what is there behind it is read.
    ended: Option<EndedLine>,
    /// It could not be read.
    blind: bool,
    began: Began,
    start: Start,
    /// A part of a marked paste came then, and more may follow.
    pasted: Option<Instant>,
}

/// Whether something stands in the line that was there when it was asked for.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Start {
    #[default]
    AsGiven,
    /// It was empty since, and a key began it.
    Typed,
}

/// What the line began with.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Began {
    #[default]
    Key,
    /// Nobody can tell a key behind its end from a part of it.
    Paste,
}

#[derive(Debug)]
struct EndedLine {
    line: String,
    behind: String,
    /// Behind a key that is no text nothing can have been meant for a line that
    /// was not there.
    closed: bool,
    /// Puts the waiting input back.
    _unwaiting: Unwaiting,
}

/// Sees every key before the editor does.
struct EveryKey {
    hand: Arc<Mutex<Hand>>,
    /// When the line was drawn last: what was pasted stands in it.
    drawn: Arc<Mutex<Option<Instant>>>,
}

impl ConditionalEventHandler for EveryKey {
    fn handle(&self, event: &Event, _: RepeatCount, _: bool, ctx: &EventContext) -> Option<Cmd> {
        let key = event.get(0)?;
        let mut hand = self.hand.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ended) = &mut hand.ended {
            ended.write_down(key);
            return Some(Cmd::Noop);
        }
        let drawn = *self.drawn.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(of_paste) = hand.of_paste(key, ctx, drawn) {
            return of_paste;
        }
        match (key.0, key.1) {
            (KeyCode::Char(_), Modifiers::NONE | Modifiers::SHIFT) => {
                hand.first.get_or_insert_with(Instant::now);
                if ctx.line().is_empty() {
                    hand.start = Start::Typed;
                }
                None
            }
            // It must never cost more than what stands in the line (U10).
            (KeyCode::Char('C'), Modifiers::CTRL) => Some(match ctx.line().is_empty() {
                true => Cmd::Interrupt,
                false => Cmd::Kill(Movement::WholeBuffer),
            }),
            (KeyCode::Char('J'), Modifiers::CTRL) | (KeyCode::Enter, Modifiers::ALT) => {
                Some(Cmd::Newline)
            }
            (KeyCode::Enter, Modifiers::NONE) => hand.enter(ctx),
            _ => None,
        }
    }
}

impl Hand {
    /// What becomes of a key of a paste; `None` for a key of its own. Behind the end
    /// of a marked paste a letter is text, a line end is one, and nothing else acts.
    fn of_paste(
        &mut self,
        key: &KeyEvent,
        ctx: &EventContext,
        drawn: Option<Instant>,
    ) -> Option<Option<Cmd>> {
        let now = Instant::now();
        if key.0 == KeyCode::BracketedPasteStart {
            if ctx.line().is_empty() {
                self.began = Began::Paste;
            }
            self.pasted = Some(now);
            return Some(None);
        }
        let pasted = self.pasted?;
        let last = drawn.map_or(pasted, |drawn| drawn.max(pasted));
        if now.saturating_duration_since(last) > CLOSE {
            self.pasted = None;
            return None;
        }
        self.pasted = Some(now);
        Some(match (key.0, key.1) {
            (KeyCode::Char(_), Modifiers::NONE | Modifiers::SHIFT) => None,
            (KeyCode::Enter, Modifiers::NONE) | (KeyCode::Char('J'), Modifiers::CTRL) => {
                Some(Cmd::Newline)
            }
            _ => Some(Cmd::Noop),
        })
    }

    fn enter(&mut self, ctx: &EventContext) -> Option<Cmd> {
        self.first.get_or_insert_with(Instant::now);
        let line = ctx.line();
        // A backslash before Enter makes a new line. It is remembered by key and
        // not found in the text later, so that backslashes in pasted text stay.
        if ctx.pos() == line.len() && line.ends_with('\\') {
            self.continued.push(line.to_owned());
            return Some(Cmd::Newline);
        }
        let Ok(unwaiting) = Unwaiting::begin() else {
            self.blind = true;
            return None;
        };
        self.ended = Some(EndedLine {
            line: line.to_owned(),
            behind: String::new(),
            closed: false,
            _unwaiting: unwaiting,
        });
        Some(Cmd::Move(Movement::EndOfBuffer))
    }
}

impl EndedLine {
    fn write_down(&mut self, key: &KeyEvent) {
        let letter = match (key.0, key.1) {
            (KeyCode::Char(letter), Modifiers::NONE | Modifiers::SHIFT) => Some(letter),
            (KeyCode::Enter, _) | (KeyCode::Char('J'), Modifiers::CTRL) => Some('\n'),
            (KeyCode::Tab, Modifiers::NONE) => Some('\t'),
            _ => None,
        };
        self.closed |= letter.is_none();
        self.behind.extend(letter.filter(|_| !self.closed));
    }
}

/// Whether a line does something at once that only hands may do: a command, a yes.
pub fn acts_when_typed(line: &str) -> bool {
    let line = line.trim();
    let is_yes = |yes: &str| line.eq_ignore_ascii_case(yes);
    line.starts_with('!') || is_yes("y") || is_yes("yes")
}

/// While this is there, reading standard input does not wait, and fails where
/// nothing is left. The terminal is opened anew for it: whoever else has the one
/// that we were given keeps waiting as ever.
#[derive(Debug)]
struct Unwaiting {
    waiting: OwnedFd,
}

impl Unwaiting {
    fn begin() -> std::io::Result<Self> {
        let flags = OFlags::RDWR | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let open = |name: &CStr| rustix::fs::open(name, flags, Mode::empty());
        // A terminal need not be the one that controls the program.
        let named = |_| open(&rustix::termios::ttyname(std::io::stdin(), Vec::new())?);
        let terminal = open(c"/dev/tty").or_else(named)?;
        let waiting = std::io::stdin().as_fd().try_clone_to_owned()?;
        rustix::stdio::dup2_stdin(&terminal)?;
        Ok(Self { waiting })
    }
}

impl Drop for Unwaiting {
    fn drop(&mut self) {
        let _ = rustix::stdio::dup2_stdin(&self.waiting);
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
