//! The line editor: which key does what, and what Tab offers. Blocking, so it
//! lives on the thread of `input`.

use super::history::{ENTRIES, Past};
use crate::screen::{Paint, Style};
use rustyline::completion::Completer;
use rustyline::error::ReadlineError;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::history::{History, MemHistory};
use rustyline::validate::Validator;
use rustyline::{
    Cmd, CompletionType, ConditionalEventHandler, Config, Context, Editor, Event, EventContext,
    EventHandler, Helper, KeyCode, KeyEvent, Modifiers, Movement, RepeatCount,
};
use std::borrow::Cow;
use std::path::{Component, Path};
use std::sync::{Arc, Mutex, PoisonError};

/// Candidates that Tab shows, at most.
const OFFERED: usize = 200;

/// What came of asking for a line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edited {
    Line(String),
    /// Ctrl+C on an empty input.
    Interrupted,
    /// Ctrl+D on an empty input, or the terminal is gone.
    Ended,
}

/// Names files that begin with this, below the root.
pub type Files = Box<dyn Fn(&str) -> Vec<String> + Send>;

pub struct LineEditor {
    editor: Editor<Tab, MemHistory>,
    continued: Continued,
}

impl LineEditor {
    /// # Errors
    /// When this terminal cannot be edited in.
    pub fn new(paint: Paint, files: Files, past: &Past) -> Result<Self, ReadlineError> {
        let config = Config::builder()
            .max_history_size(ENTRIES)?
            .completion_type(CompletionType::List)
            .completion_show_all_if_ambiguous(true)
            .build();
        let history = MemHistory::with_config(&config);
        let mut editor = Editor::with_history(config, history)?;
        let continued = Continued::default();
        editor.set_helper(Some(Tab { files, paint }));
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

    pub fn read(&mut self, label: &str) -> Edited {
        let read = self.editor.readline(label);
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

struct Tab {
    files: Files,
    paint: Paint,
}

impl Helper for Tab {}
impl Hinter for Tab {
    type Hint = String;
}
impl Validator for Tab {}

impl Highlighter for Tab {
    fn highlight_prompt<'b, 's: 'b, 'p: 'b>(&'s self, prompt: &'p str, _: bool) -> Cow<'b, str> {
        Cow::Owned(self.paint.paint(Style::Bold, prompt))
    }
}

impl Completer for Tab {
    type Candidate = String;

    fn complete(
        &self,
        line: &str,
        pos: usize,
        _: &Context<'_>,
    ) -> rustyline::Result<(usize, Vec<String>)> {
        let typed = line.get(..pos).unwrap_or(line);
        Ok(match wanted(typed) {
            Wanted::Nothing => (pos, Vec::new()),
            Wanted::Command => (0, tenon_engine::slash::complete(typed)),
            Wanted::File { start, prefix } => {
                let mut found = (self.files)(prefix);
                found.truncate(OFFERED);
                (start, found)
            }
        })
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted<'a> {
    Nothing,
    Command,
    /// The path after an `@`, and where it begins.
    File {
        start: usize,
        prefix: &'a str,
    },
}

fn wanted(typed: &str) -> Wanted<'_> {
    if typed.starts_with('/') && !typed.contains(char::is_whitespace) {
        return Wanted::Command;
    }
    let word = typed.rfind(char::is_whitespace).map_or(0, |at| {
        at + typed[at..].chars().next().map_or(1, char::len_utf8)
    });
    match typed[word..].strip_prefix('@') {
        Some(prefix) => Wanted::File {
            start: word + 1,
            prefix,
        },
        None => Wanted::Nothing,
    }
}

/// The entries of one folder below the root that begin with the prefix. Never
/// looks outside the root, not even through a link.
pub fn list(root: &Path, prefix: &str) -> Vec<String> {
    let (folder, begin) = match prefix.rsplit_once('/') {
        Some((folder, begin)) => (folder, begin),
        None => ("", prefix),
    };
    let plain = Path::new(folder)
        .components()
        .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
    let Ok(real) = root.join(folder).canonicalize() else {
        return Vec::new();
    };
    if !plain || prefix.starts_with('/') || !real.starts_with(root) {
        return Vec::new();
    }
    let Ok(entries) = std::fs::read_dir(real) else {
        return Vec::new();
    };
    let mut found: Vec<String> = entries
        .filter_map(Result::ok)
        .filter_map(|entry| {
            let name = entry.file_name().into_string().ok()?;
            let hidden = name.starts_with('.') && !begin.starts_with('.');
            let fits = name.starts_with(begin) && !hidden && !name.contains(char::is_control);
            let slash = match entry.file_type() {
                Ok(kind) if kind.is_dir() => "/",
                _ => "",
            };
            let above = if folder.is_empty() { "" } else { "/" };
            fits.then(|| format!("{folder}{above}{name}{slash}"))
        })
        .take(OFFERED * 10)
        .collect();
    found.sort();
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_knows_commands_at_the_start_and_files_after_an_at() {
        assert_eq!(wanted("/he"), Wanted::Command);
        assert_eq!(wanted("/resume ab"), Wanted::Nothing);
        assert_eq!(wanted("say /he"), Wanted::Nothing);
        assert_eq!(
            wanted("look at @src/ma"),
            Wanted::File {
                start: 9,
                prefix: "src/ma"
            }
        );
        assert_eq!(
            wanted("漢字 @"),
            Wanted::File {
                start: 8,
                prefix: ""
            }
        );
        assert_eq!(wanted("me@example"), Wanted::Nothing);
    }

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

    #[test]
    fn files_outside_the_root_are_never_offered() {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let root = top.join("root");
        std::fs::create_dir_all(root.join("src")).unwrap();
        std::fs::write(root.join("src/main.rs"), "").unwrap();
        std::fs::write(root.join(".hidden"), "").unwrap();
        std::fs::write(top.join("secret"), "").unwrap();
        std::os::unix::fs::symlink(&top, root.join("out")).unwrap();
        assert_eq!(list(&root, ""), ["out", "src/"]);
        assert_eq!(list(&root, "src/m"), ["src/main.rs"]);
        assert_eq!(list(&root, ".h"), [".hidden"]);
        for outside in ["../", "/", "out/", "src/../../"] {
            assert!(list(&root, outside).is_empty(), "{outside}");
        }
    }
}
