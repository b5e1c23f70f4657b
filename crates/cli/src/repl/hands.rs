//! The thread that reads: edits a line when one is asked for, watches for lines
//! while a run goes on. All that blocks is here.

use super::complete::{Tab, words};
use super::editor::{Edited, LineEditor, acts_when_typed};
use super::input::{Ask, Editing, Entered, Hands, Pace, Typed, clean};
use super::modes::{self, Keys};
use super::paste::{MARKED, first_input, unmarked};
use super::watch::{Lines, Moment, Said};
use crate::talk::Past;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc as blocking};
use tokio::sync::mpsc;

/// Serves one ask after the other.
pub struct Thread {
    editor: Option<LineEditor>,
    past: Past,
    lines: Lines,
    /// Typed after a line that was an input already.
    begun: String,
    typed: mpsc::UnboundedSender<Typed>,
    moment: Arc<Moment>,
}

impl Thread {
    pub fn new(
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
                    words: words(typed.clone(), root),
                    paint: hands.paint,
                    drawn: Arc::default(),
                };
                LineEditor::new(tab, &past).ok()
            }
        };
        Self {
            editor,
            past,
            lines: Lines::new(),
            begun: String::new(),
            typed,
            moment,
        }
    }

    pub fn serve(mut self, asked: &blocking::Receiver<Ask>) {
        while let Ok(ask) = asked.recv() {
            match ask {
                Ask::Line { label, begun } => {
                    let typed = self.line(&label, &begun);
                    let _ = self.typed.send(typed);
                }
                Ask::Remember(text) => {
                    self.past.add(&text);
                    if let Some(editor) = &mut self.editor {
                        editor.remember(&self.past);
                    }
                }
                Ask::Watch { stop } => {
                    if self.editor.is_some() {
                        modes::prompt(MARKED);
                    }
                    while let Some((moment, said)) = self.lines.next(Some(&stop), &self.moment) {
                        let _ = self.typed.send(Typed::During(moment, said));
                    }
                    let _ = self.typed.send(Typed::Unwatched);
                }
            }
        }
    }

    fn line(&mut self, label: &str, begun: &str) -> Typed {
        let edited = if self.editor.is_some() {
            self.edited(label, begun)
        } else {
            self.plain(label)
        };
        match edited {
            Edited::Interrupted => Typed::Interrupted,
            Edited::Ended => Typed::Ended,
            Edited::Line(text) => Typed::Input(text),
        }
    }

    /// What was typed before there was a prompt comes first: a finished line is
    /// the input, one that is not stands in the editor, behind what was `given`.
    fn edited(&mut self, label: &str, given: &str) -> Edited {
        let _keys = Keys::enter();
        let mut begun = std::mem::take(&mut self.begun);
        begun.push_str(&self.lines.ahead(&self.moment));
        if let Some(end) = first_input(begun.as_bytes()) {
            let rest = begun.split_off(end);
            self.begun = rest;
            return Edited::Line(Entered {
                text: unmarked(begun.trim_end_matches('\n')),
                pace: Pace::Among,
            });
        }
        let begun = clean(&unmarked(&begun));
        let Some(editor) = &mut self.editor else {
            return Edited::Ended;
        };
        let (mut edited, behind) = editor.read(label, &(clean(given) + &begun));
        self.begun = behind;
        if let Edited::Line(entered) = &mut edited
            && entered.pace == Pace::Alone
            && acts_when_typed(&entered.text)
            // More of a paste may come in a moment: what runs has the time.
            && (!self.begun.is_empty() || self.lines.more())
        {
            entered.pace = Pace::Among;
        }
        edited
    }

    /// A line as the terminal gives it; one that ends in a backslash goes on.
    fn plain(&mut self, label: &str) -> Edited {
        let mut whole = Entered::alone(String::new());
        let mut shown = label;
        loop {
            modes::prompt(shown);
            match self.lines.next(None, &self.moment) {
                Some((_, Said::Line(line))) => {
                    if line.pace != Pace::Alone {
                        whole.pace = line.pace;
                    }
                    whole.text.push_str(&line.text);
                    if !whole.text.ends_with('\\') {
                        return Edited::Line(whole);
                    }
                    whole.text.pop();
                    whole.text.push('\n');
                    shown = ". ";
                }
                _ if whole.text.is_empty() => return Edited::Ended,
                _ => return Edited::Line(whole),
            }
        }
    }
}
