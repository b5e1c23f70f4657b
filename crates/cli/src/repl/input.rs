//! The keyboard: a thread of its own, because reading blocks, and a handle for
//! the loop. The thread either edits a line at the prompt or watches for lines
//! while a run goes on, never both.

use super::complete::{Tab, files};
use super::editor::{Edited, LineEditor};
use super::history::Past;
use super::watch::{Lines, Moment, Said};
use crate::error::CliError;
use crate::screen::Paint;
use crate::signals::Signals;
use std::io::{PipeReader, PipeWriter, Write};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use tokio::sync::mpsc;

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editing {
    /// Keys, history, completion.
    Full,
    /// Only whole lines: a dumb terminal, a pipe, a screen reader.
    Plain,
}

/// Whether an input belongs into the history.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    Yes,
    No,
}

#[derive(Debug)]
pub enum Typed {
    /// The input that was asked for.
    Input(String),
    /// Ctrl+C on an empty input.
    Interrupted,
    Ended,
    /// Said while watching, in this moment.
    During(u64, Said),
    Unwatched,
    /// Tab wants to know the files that begin so.
    Files {
        prefix: String,
        reply: blocking::Sender<Vec<String>>,
    },
}

enum Ask {
    Line { label: String, keep: Keep },
    Watch { stop: PipeReader },
}

/// What the thread is made of.
pub struct Hands {
    pub editing: Editing,
    pub paint: Paint,
    /// The file of the history.
    pub history: PathBuf,
    pub root: PathBuf,
}

pub struct Keyboard {
    asks: blocking::Sender<Ask>,
    typed: mpsc::UnboundedReceiver<Typed>,
    moment: Arc<Moment>,
    root: Arc<Mutex<PathBuf>>,
    /// Open while the thread watches; closing it ends the watch.
    watch: Option<PipeWriter>,
}

impl Keyboard {
    pub fn start(hands: Hands) -> Self {
        let (asks, asked) = blocking::channel();
        let (sender, typed) = mpsc::unbounded_channel();
        let moment = Arc::new(Moment::default());
        let root = Arc::new(Mutex::new(hands.root.clone()));
        let shared = (Arc::clone(&moment), Arc::clone(&root));
        // Not joined: it may stand in a read that only the end of the program ends.
        std::thread::spawn(move || {
            let (moment, root) = shared;
            Thread::new(&hands, sender, moment, root).serve(&asked);
        });
        Self {
            asks,
            typed,
            moment,
            root,
            watch: None,
        }
    }

    /// Completion names the files of this root from now on.
    pub fn set_root(&self, root: PathBuf) {
        *self.root.lock().unwrap_or_else(PoisonError::into_inner) = root;
    }

    pub fn ask(&self, label: &str, keep: Keep) {
        let label = label.to_owned();
        // A thread that is gone is noticed by `next`.
        let _ = self.asks.send(Ask::Line { label, keep });
    }

    pub async fn next(&mut self) -> Typed {
        self.typed.recv().await.unwrap_or(Typed::Ended)
    }

    /// # Errors
    /// When no pipe can be made.
    pub fn watch(&mut self) -> Result<(), CliError> {
        let (stop, writer) = std::io::pipe()?;
        self.watch = Some(writer);
        let _ = self.asks.send(Ask::Watch { stop });
        Ok(())
    }

    /// Ends the watch. Gives what was said and not yet heard.
    pub async fn unwatch(&mut self) -> Vec<String> {
        let mut unheard = Vec::new();
        if self.watch.take().is_none() {
            return unheard;
        }
        loop {
            match self.next().await {
                Typed::Unwatched | Typed::Ended => return unheard,
                Typed::During(_, Said::Line(line)) => unheard.push(line),
                _ => {}
            }
        }
    }

    /// Drops what was typed so far; what is typed from now on has this moment
    /// or a later one.
    pub fn begin(&self) -> u64 {
        self.moment.begin()
    }

    /// One question outside of a run; `None` when it was not answered.
    pub async fn question(&mut self, signals: &mut Signals, label: &str) -> Option<String> {
        self.ask(label, Keep::No);
        loop {
            tokio::select! {
                biased;
                _ = signals.next() => return None,
                typed = self.next() => match typed {
                    Typed::Input(text) => return Some(clean(&text).trim().to_owned()),
                    Typed::Interrupted | Typed::Ended => return None,
                    _ => {}
                },
            }
        }
    }

    /// A yes or no; Enter takes the default. What was typed before is no answer.
    pub async fn confirm(&mut self, signals: &mut Signals, label: &str, enter: Enter) -> bool {
        self.begin();
        let answer = self.question(signals, label).await;
        match answer.as_deref().map(str::to_ascii_lowercase).as_deref() {
            Some("") => enter == Enter::Yes,
            Some("y" | "yes") => true,
            _ => false,
        }
    }
}

/// What Enter means.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Enter {
    Yes,
    No,
}

/// What a keyboard or a paste may bring and a prompt must not hold: control
/// characters other than line ends and tabs.
pub fn clean(text: &str) -> String {
    text.replace("\r\n", "\n")
        .replace('\r', "\n")
        .chars()
        .filter(|c| matches!(c, '\n' | '\t') || !c.is_control())
        .collect()
}

struct Thread {
    editor: Option<LineEditor>,
    past: Past,
    lines: Lines,
    typed: mpsc::UnboundedSender<Typed>,
    moment: Arc<Moment>,
}

impl Thread {
    fn new(
        hands: &Hands,
        typed: mpsc::UnboundedSender<Typed>,
        moment: Arc<Moment>,
        root: Arc<Mutex<PathBuf>>,
    ) -> Self {
        let past = Past::open(hands.history.clone());
        let editor = match hands.editing {
            Editing::Plain => None,
            // A terminal that cannot be edited in still gives lines.
            Editing::Full => {
                let tab = Tab {
                    files: files(typed.clone(), root),
                    paint: hands.paint,
                };
                LineEditor::new(tab, &past).ok()
            }
        };
        Self {
            editor,
            past,
            lines: Lines::new(),
            typed,
            moment,
        }
    }

    fn serve(mut self, asked: &blocking::Receiver<Ask>) {
        while let Ok(ask) = asked.recv() {
            match ask {
                Ask::Line { label, keep } => {
                    let typed = self.line(&label, keep);
                    let _ = self.typed.send(typed);
                }
                Ask::Watch { stop } => {
                    while let Some((moment, said)) = self.lines.next(Some(&stop), &self.moment) {
                        let _ = self.typed.send(Typed::During(moment, said));
                    }
                    let _ = self.typed.send(Typed::Unwatched);
                }
            }
        }
    }

    fn line(&mut self, label: &str, keep: Keep) -> Typed {
        // A line that was finished before there was a prompt is the input.
        let waits = keep == Keep::Yes && self.lines.is_waiting();
        let edited = match &mut self.editor {
            Some(editor) if !waits => editor.read(label),
            _ => self.plain(label),
        };
        match edited {
            Edited::Interrupted => Typed::Interrupted,
            Edited::Ended => Typed::Ended,
            Edited::Line(text) => {
                if keep == Keep::Yes {
                    self.past.add(text.trim_end());
                    if let Some(editor) = &mut self.editor {
                        editor.remember(&self.past);
                    }
                }
                Typed::Input(text)
            }
        }
    }

    /// A line as the terminal gives it; one that ends in a backslash goes on.
    fn plain(&mut self, label: &str) -> Edited {
        let mut whole = String::new();
        let mut shown = label;
        loop {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "{shown}").and_then(|()| stderr.flush());
            drop(stderr);
            match self.lines.next(None, &self.moment) {
                Some((_, Said::Line(line))) => {
                    whole.push_str(&line);
                    if !whole.ends_with('\\') {
                        return Edited::Line(whole);
                    }
                    whole.pop();
                    whole.push('\n');
                    shown = ". ";
                }
                _ if whole.is_empty() => return Edited::Ended,
                _ => return Edited::Line(whole),
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_of_a_paste_reach_no_prompt() {
        assert_eq!(
            clean("a\r\nb\rc\td\x1b[31m\x07\u{9b}漢字"),
            "a\nb\nc\td[31m漢字"
        );
    }
}
