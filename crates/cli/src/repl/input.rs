//! The keyboard: a thread of its own, because reading blocks, and a handle for
//! the loop. The thread either edits a line at the prompt or watches for lines
//! while a run goes on, never both.

use super::hands::Thread;
use super::watch::{Moment, Said};
use crate::error::CliError;
use crate::screen::{Paint, complain};
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

/// An input, and how it came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entered {
    pub text: String,
    pub pace: Pace,
}

/// Whether somebody typed an input, as far as that can be told.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Pace {
    Alone,
    /// With other lines, or sooner than fingers are: it may be of a paste.
    Among,
    /// A marked paste is in it, or just came: never an answer.
    Pasted,
}

/// An answer is typed: what a paste brought with it is none.
pub const NOT_TYPED: &str = "(not taken as an answer: you started it before the question, or it came with a paste or other lines. Type it again.)";

impl Entered {
    pub fn alone(text: String) -> Self {
        let pace = Pace::Alone;
        Self { text, pace }
    }

    /// Whether it would run what perhaps nobody typed.
    pub fn is_doubtful(&self) -> bool {
        let several = self.pace != Pace::Alone || self.text.trim_end().contains('\n');
        several && self.text.trim_start().starts_with('!')
    }
}

#[derive(Debug)]
pub enum Typed {
    /// The input that was asked for.
    Input(Entered),
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
    /// A line that answers a question, which was drawn in this moment.
    Answer {
        label: String,
        since: u64,
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
    pub async fn unwatch(&mut self) -> Vec<Entered> {
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

    /// Sets aside what was typed so far: it is the draft of the next prompt. What is
    /// typed from now on has this moment or a later one.
    pub fn begin(&self) -> u64 {
        self.moment.begin()
    }

    /// One question outside of a run, which only a line of its own answers; `None`
    /// when it was not answered.
    pub async fn question(&mut self, signals: &mut Signals, label: &str) -> Option<String> {
        loop {
            let entered = self.entered(signals, label).await?;
            if entered.pace == Pace::Alone {
                return Some(entered.text);
            }
            complain(NOT_TYPED);
        }
    }

    async fn entered(&mut self, signals: &mut Signals, label: &str) -> Option<Entered> {
        let (label, since) = (label.to_owned(), self.begin());
        let _ = self.asks.send(Ask::Answer { label, since });
        loop {
            tokio::select! {
                biased;
                _ = signals.next() => return None,
                typed = self.next() => match typed {
                    Typed::Input(Entered { text, pace }) => {
                        let text = clean(&text).trim().to_owned();
                        return Some(Entered { text, pace });
                    }
                    Typed::Interrupted | Typed::Ended => return None,
                    _ => {}
                },
            }
        }
    }

    /// A yes that was typed beyond doubt.
    pub async fn consent(&mut self, signals: &mut Signals, label: &str) -> bool {
        self.entered(signals, label).await.is_some_and(|entered| {
            let said = entered.text.to_ascii_lowercase();
            entered.pace == Pace::Alone && matches!(said.as_str(), "y" | "yes")
        })
    }
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
    fn a_command_is_doubtful_where_it_came_with_other_lines() {
        for (text, pace, doubtful) in [
            ("!ls", Pace::Alone, false),
            ("!ls", Pace::Among, true),
            ("\n\n !ls", Pace::Alone, true),
            ("!ls\nrm x", Pace::Alone, true),
            ("!ls\n", Pace::Alone, false),
            ("list them", Pace::Among, false),
        ] {
            let text = text.to_owned();
            assert_eq!(Entered { text, pace }.is_doubtful(), doubtful);
        }
    }

    #[test]
    fn control_characters_of_a_paste_reach_no_prompt() {
        assert_eq!(
            clean("a\r\nb\rc\td\x1b[31m\x07\u{9b}漢字"),
            "a\nb\nc\td[31m漢字"
        );
    }
}
