//! The thread that reads: edits a line when one is asked for, watches for lines
//! while a run goes on. All that blocks is here.

use super::complete::{Tab, words};
use super::editor::{Edited, LineEditor, acts_when_typed};
use super::input::{Ask, Editing, Entered, Hands, Pace, Typed, clean};
use super::modes::{self, Keys};
use super::paste::{MARKED, first_input, unmarked};
use super::watch::{Lines, Moment, Said};
use crate::screen::complain;
use crate::talk::Past;
use std::collections::VecDeque;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, mpsc as blocking};
use tenon_vocab::Printable;
use tokio::sync::mpsc;

/// Serves one ask after the other.
pub struct Thread {
    editor: Option<LineEditor>,
    past: Past,
    lines: Lines,
    /// Typed after a line that was an input already.
    begun: String,
    /// Was there before a question: stands in the next prompt.
    draft: String,
    /// The same where no line is edited: the next inputs.
    early: VecDeque<Entered>,
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
            draft: String::new(),
            early: VecDeque::new(),
            typed,
            moment,
        }
    }

    pub fn serve(mut self, asked: &blocking::Receiver<Ask>) {
        while let Ok(ask) = asked.recv() {
            match ask {
                Ask::Line { label, begun } => {
                    let line = match self.editor.is_some() {
                        true => self.edited(&label, &begun),
                        false => self.plain(&label),
                    };
                    self.give(line);
                }
                Ask::Answer { label, since } => {
                    let line = match self.editor.is_some() {
                        true => self.edited_answer(&label),
                        false => self.plain_answer(&label, since),
                    };
                    self.give(line);
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

    fn give(&self, line: Edited) {
        let _ = self.typed.send(match line {
            Edited::Interrupted => Typed::Interrupted,
            Edited::Ended => Typed::Ended,
            Edited::Line(text) => Typed::Input(text),
        });
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
        let mut stands = clean(given);
        stands.push_str(&std::mem::take(&mut self.draft));
        stands.push_str(&clean(&unmarked(&begun)));
        self.read(label, &stands, acts_when_typed)
    }

    /// What is there before the question can be read is no answer to it, nor is what
    /// comes right behind that: it is the draft of the next prompt.
    fn edited_answer(&mut self, label: &str) -> Edited {
        let _keys = Keys::enter();
        let mut early = std::mem::take(&mut self.begun);
        early.push_str(&self.lines.ahead(&self.moment));
        while !early.is_empty() && self.lines.goes_on() {
            match self.lines.ahead(&self.moment) {
                // A key that is no text.
                more if more.is_empty() => break,
                more => early.push_str(&more),
            }
        }
        let early = clean(&unmarked(&early));
        if !self.draft.is_empty() && !early.is_empty() {
            self.draft.push('\n');
        }
        self.draft.push_str(early.trim_end());
        self.read(label, "", |_| true)
    }

    /// Edits a line. One that `acts` has the time to see whether more of a paste comes.
    fn read(&mut self, label: &str, begun: &str, acts: fn(&str) -> bool) -> Edited {
        let Some(editor) = &mut self.editor else {
            return Edited::Ended;
        };
        let (mut edited, behind) = editor.read(label, begun);
        self.begun = behind;
        if let Edited::Line(entered) = &mut edited
            && entered.pace == Pace::Alone
            && acts(&entered.text)
            && (!self.begun.is_empty() || self.lines.more())
        {
            entered.pace = Pace::Among;
        }
        edited
    }

    /// The same of a terminal that gives lines.
    fn plain_answer(&mut self, label: &str, since: u64) -> Edited {
        modes::prompt(label);
        loop {
            match self.lines.next(None, &self.moment) {
                Some((moment, Said::Line(line))) if moment < since => self.early.push_back(line),
                Some((_, Said::Line(line))) => return Edited::Line(line),
                _ => return Edited::Ended,
            }
        }
    }

    /// A line as the terminal gives it; one that ends in a backslash goes on.
    fn plain(&mut self, label: &str) -> Edited {
        if let Some(line) = self.early.pop_front() {
            return Edited::Line(line);
        }
        let draft = self.lines.take_draft();
        if !draft.trim().is_empty() {
            complain(&format!(
                "Not sent, because a question came: {}",
                Printable::line(&draft)
            ));
        }
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
