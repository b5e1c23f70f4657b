//! What Tab offers: commands at the start of a line and what may follow them,
//! files of the workspace after an `@`. Runs on the keyboard's thread; the loop answers from its own.

use super::input::Typed;
use super::session::Live;
use crate::screen::{Paint, Style};
use rustyline::completion::Completer;
use rustyline::highlight::Highlighter;
use rustyline::hint::Hinter;
use rustyline::validate::Validator;
use rustyline::{Context, Helper};
use std::borrow::Cow;
use std::path::{Component, Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use std::time::{Duration, Instant};
use tenon_engine::slash;
use tenon_vocab::{Query, Reply};
use tokio::sync::mpsc;

/// How long Tab waits for the engine before it looks by itself, or offers nothing.
const PATIENCE: Duration = Duration::from_millis(500);

/// Candidates that Tab shows, at most.
const OFFERED: usize = 200;

/// Words that answer a query: files below the root, names of models.
pub type Words = Box<dyn Fn(Query) -> Vec<String> + Send>;

/// What Tab knows.
pub struct Tab {
    pub words: Words,
    pub paint: Paint,
    /// When the line was drawn last.
    pub drawn: Arc<Mutex<Option<Instant>>>,
}

impl Helper for Tab {}
impl Hinter for Tab {
    type Hint = String;

    /// There is none. It is asked for whenever the line is drawn.
    fn hint(&self, _: &str, _: usize, _: &Context<'_>) -> Option<String> {
        *self.drawn.lock().unwrap_or_else(PoisonError::into_inner) = Some(Instant::now());
        None
    }
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
            Wanted::Command => {
                let line = typed.to_owned();
                let mut names = self.offered(Query::Completion { line });
                if names.is_empty() {
                    names = slash::complete(typed);
                }
                (0, names)
            }
            Wanted::Argument { start } => (start, slash::complete(typed)),
            Wanted::Name { start } => {
                let line = typed.to_owned();
                (start, self.offered(Query::Completion { line }))
            }
            Wanted::File { start, prefix } => {
                let prefix = prefix.to_owned();
                (start, self.offered(Query::Files { prefix }))
            }
        })
    }
}

impl Tab {
    fn offered(&self, query: Query) -> Vec<String> {
        let mut found = (self.words)(query);
        found.truncate(OFFERED);
        found
    }
}

#[derive(Debug, PartialEq, Eq)]
enum Wanted<'a> {
    Nothing,
    Command,
    /// A word after a command, and where it begins.
    Argument {
        start: usize,
    },
    /// The name of a model or of a skill, and where it begins.
    Name {
        start: usize,
    },
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
    if let Some((_, name)) = slash::wants_name(typed) {
        return Wanted::Name {
            start: typed.len() - name.len(),
        };
    }
    if typed.starts_with("/effort ") {
        return Wanted::Argument { start: word };
    }
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
fn list(root: &Path, prefix: &str) -> Vec<String> {
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

/// Asks the loop, and for files looks into the folder when it has no answer.
pub fn words(typed: mpsc::UnboundedSender<Typed>, root: Arc<Mutex<PathBuf>>) -> Words {
    Box::new(move |query| {
        let (reply, answer) = blocking::channel();
        let asked = typed.send(Typed::Tab {
            query: query.clone(),
            reply,
        });
        let named = asked
            .ok()
            .and_then(|()| answer.recv_timeout(PATIENCE).ok())
            .unwrap_or_default();
        match query {
            Query::Files { prefix } if named.is_empty() => {
                let root = root.lock().unwrap_or_else(PoisonError::into_inner).clone();
                list(&root, &prefix)
            }
            _ => named,
        }
    })
}

/// Completion may wait; the loop may not.
pub fn answer(live: &Live, query: Query, reply: blocking::Sender<Vec<String>>) {
    let port = Arc::clone(&live.handle.queries);
    tokio::spawn(async move {
        let named = match port.ask(query).await {
            Reply::Words { words } => words,
            Reply::Meter(_) | Reply::Table(_) | Reply::Unavailable { .. } => Vec::new(),
        };
        let _ = reply.send(named);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tab_knows_commands_at_the_start_and_files_after_an_at() {
        assert_eq!(wanted("/he"), Wanted::Command);
        assert_eq!(wanted("/resume ab"), Wanted::Nothing);
        assert_eq!(wanted("say /he"), Wanted::Nothing);
        assert_eq!(wanted("/models gp"), Wanted::Name { start: 8 });
        assert_eq!(wanted("/skill pd"), Wanted::Name { start: 7 });
        assert_eq!(wanted("/skill pdf fill"), Wanted::Nothing);
        assert_eq!(wanted("/effort lo"), Wanted::Argument { start: 8 });
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
