//! The keyboard: a thread of its own, because reading blocks, and a handle for
//! the loop. The thread either edits a line at the prompt or watches for lines
//! while a run goes on, never both.

use super::hands::Thread;
use super::watch::{Moment, Said};
use crate::error::CliError;
use crate::screen::Paint;
use crate::signals::Signals;
use std::io::{PipeReader, PipeWriter};
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError, mpsc as blocking};
use tenon_vocab::Query;
use tokio::sync::mpsc;

/// What the terminal can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Editing {
    /// Keys, history, completion.
    Full,
    /// Only whole lines: a dumb terminal, a pipe, a screen reader.
    Plain,
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
    /// Tab wants to know the words that answer this.
    Tab {
        query: Query,
        reply: blocking::Sender<Vec<String>>,
    },
}

pub enum Ask {
    Line {
        label: String,
        /// What stands in the line already, where one is edited.
        begun: String,
    },
    /// An input belongs into the history.
    Remember(String),
    Watch {
        stop: PipeReader,
    },
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

    pub fn ask(&self, label: &str, begun: String) {
        let label = label.to_owned();
        // A thread that is gone is noticed by `next`.
        let _ = self.asks.send(Ask::Line { label, begun });
    }

    /// For the lines that are asked for from now on.
    pub fn remember(&self, text: &str) {
        let _ = self.asks.send(Ask::Remember(text.to_owned()));
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
        self.ask(label, String::new());
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
