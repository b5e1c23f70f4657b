//! Where the user writes: a text of several lines with a caret, what was typed
//! before, and large pastes folded. Knows nothing of what becomes of the text.
//!
//! The text lives in [`edit`], the keys in [`keys`] and [`vim`], what is seen of
//! it in [`view`]; here they meet.

mod buffer;
mod burst;
mod complete;
mod edit;
mod history;
mod keys;
mod kill;
mod motion;
mod paste;
mod search;
mod shown;
mod undo;
mod view;
mod vim;
mod wrap;

use crate::house::Keys;
use crate::text::Frame;
use burst::Burst;
use crossterm::event::{KeyCode, KeyEvent};
use edit::{Deed, Desk};
use history::History;
use keys::Press;
use paste::Pastes;
use search::{Search, Sought};
use std::time::Instant;
use view::{Dress, Sight};
use vim::Vim;

/// What a key did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Typed {
    /// The text or the caret may have changed.
    Taken,
    /// Enter: the whole text, pastes unfolded. The composer is empty again.
    Submit(String),
    /// The same of a text for the shell, without the `!`.
    Run(String),
    /// Tab, Esc, Ctrl+C and all that is not the composer's.
    Passed,
    /// To be continued in the user's editor (Ctrl+G, Ctrl+X Ctrl+E).
    Edit,
}

/// Whom a text is for. Not read off the text: only the key `!` in an empty input
/// and an old command make it the shell's, and every row shows which it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Aim {
    #[default]
    Model,
    Shell,
}

impl Aim {
    /// What stands before a command.
    pub const SIGN: char = '!';
}

/// The word at the caret that a menu completes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Token {
    /// `/na`: the first word of the first line up to the caret, without the
    /// slash.
    Slash(String),
    /// `@pa`: up to the caret, without the at sign and an opening quote.
    Mention(String),
    /// `/name wo`: the first line up to the caret, and the first word after a
    /// command, which may be empty.
    Argument { line: String, word: String },
}

/// Keys that are two.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Chord {
    #[default]
    None,
    CtrlX,
}

/// Whether the terminal says what is a paste.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Marking {
    #[default]
    Unmarked,
    Marked,
}

#[derive(Debug, Default)]
pub struct Composer {
    desk: Desk,
    sight: Sight,
    history: History,
    search: Option<Search>,
    vim: Option<Vim>,
    marking: Marking,
    burst: Burst,
    chord: Chord,
}

impl Composer {
    #[must_use]
    pub fn new(keys: Keys, history: Vec<String>) -> Self {
        let history = history.iter().map(|entry| paste::clean(entry)).collect();
        Self {
            history: History::new(history),
            vim: (keys == Keys::Vim).then(Vim::default),
            ..Self::default()
        }
    }

    /// The terminal marks pastes: keys that come together are keys, over a slow
    /// line for instance.
    pub fn expect_marked_pastes(&mut self) {
        self.marking = Marking::Marked;
    }

    /// `now` is when the key was read: keys that come faster than fingers are a
    /// paste.
    pub fn key(&mut self, key: KeyEvent, now: Instant) -> Typed {
        // Taken, not passed: the Esc that is let go must not mean Esc again.
        let Some(press) = Press::of(key) else {
            return Typed::Taken;
        };
        self.desk.begin();
        self.fold_burst(now);
        if self.search.is_some() && self.search_key(press) == Sought::Taken {
            return Typed::Taken;
        }
        if std::mem::take(&mut self.chord) == Chord::CtrlX && press.ctrl() {
            match press.code {
                KeyCode::Char('e') => return Typed::Edit,
                KeyCode::Char('u') => {
                    self.desk.undo();
                    return Typed::Taken;
                }
                _ => {}
            }
        }
        match self.vim.take() {
            None => self.emacs(press, now),
            Some(mut vim) => {
                let typed = vim.key(self, press, now);
                self.vim = Some(vim);
                typed
            }
        }
    }

    /// A bracketed paste; a large one is folded into one mark. Keys that come right
    /// behind it belong to it.
    pub fn paste(&mut self, text: &str, now: Instant) {
        let text = paste::clean(text);
        if self.search.is_some() {
            self.search_type(text.lines().next().unwrap_or_default());
            return;
        }
        if !text.is_empty() {
            self.desk.begin();
            self.sweep();
            self.desk.paste(text);
        }
        self.burst.pasted(now, self.desk.caret);
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.desk.buffer.is_empty() && self.desk.aim == Aim::Model
    }

    /// The whole text, pastes unfolded, with a `!` before a command.
    #[must_use]
    pub fn text(&self) -> String {
        match self.desk.aim {
            Aim::Shell if !self.desk.buffer.is_empty() => {
                format!("{}{}", Aim::SIGN, self.desk.whole())
            }
            Aim::Shell | Aim::Model => self.desk.whole(),
        }
    }

    /// The same without the `!`.
    #[must_use]
    pub fn written(&self) -> String {
        self.desk.whole()
    }

    /// A text for the model in the place of all; the caret stands at the end. Can
    /// be undone.
    pub fn set(&mut self, text: &str) {
        self.set_for(Aim::Model, text);
    }

    /// The same of a text for the shell, without the `!`: of the user's own, that
    /// was for it before.
    pub fn set_command(&mut self, command: &str) {
        self.set_for(Aim::Shell, command);
    }

    /// Another text for the same one.
    pub fn edited(&mut self, text: &str) {
        self.set_for(self.desk.aim, text);
    }

    fn set_for(&mut self, aim: Aim, text: &str) {
        self.search = None;
        self.history.stop();
        self.burst.stop();
        self.desk.begin();
        self.desk.replace_all(&paste::clean(text), aim);
    }

    /// What is written is for the model from now on.
    pub fn leave_shell(&mut self) {
        self.desk.aim = Aim::Model;
    }

    pub fn clear(&mut self) {
        self.set("");
    }

    /// Takes a sent text into the history that Up brings back.
    pub fn sent(&mut self, text: &str) {
        self.history.add(paste::clean(text));
    }

    /// Whether a text was sent before and kept.
    #[must_use]
    pub fn knows(&self, text: &str) -> bool {
        self.history.knows(text)
    }

    /// Whether a key that comes now belongs to a paste that the terminal did not
    /// mark: no menu and no shortcut may have it.
    #[must_use]
    pub fn is_pasting(&self, now: Instant) -> bool {
        self.counts_bursts() && self.burst.holds(now)
    }

    /// Where pastes are marked, quick keys are keys: but for what runs, and behind
    /// a paste.
    fn counts_bursts(&self) -> bool {
        self.marking == Marking::Unmarked
            || self.desk.aim == Aim::Shell
            || self.burst.follows_paste()
            || self.burst.is_script()
    }

    /// What a menu could complete at the caret. Not in an old text that was just
    /// brought back: Up and Down go on with the history there.
    #[must_use]
    pub fn token(&self) -> Option<Token> {
        let writes = self.vim.as_ref().is_none_or(Vim::writes);
        let recalled = self.desk.doing == Deed::Recalled;
        if self.search.is_some() || recalled || !writes {
            return None;
        }
        complete::token(&self.desk)
    }

    /// Puts a choice in the place of the token, with a space after it where
    /// that helps.
    pub fn complete(&mut self, choice: &str) {
        if self.token().is_none() {
            return;
        }
        self.desk.begin();
        complete::complete(&mut self.desk, &paste::clean(choice));
    }

    #[must_use]
    pub fn is_shell(&self) -> bool {
        self.desk.aim == Aim::Shell
    }

    /// At most `rows` lines of it, scrolled so that the caret is among them. In
    /// shell mode every row has a `!` as its mark.
    #[must_use]
    pub fn view(&self, columns: usize, rows: usize) -> Frame {
        let dress = Dress {
            found: self.search_found(),
        };
        self.sight.view(&self.desk, &dress, columns, rows)
    }

    /// A short word for the status line, such as the mode of vim keys or what a
    /// search looks for; empty for none.
    #[must_use]
    pub fn mode(&self) -> String {
        match (&self.search, &self.vim) {
            (Some(search), _) => search.mode(),
            (None, Some(vim)) => vim.mode().to_owned(),
            (None, None) => String::new(),
        }
    }

    /// Empty, as after sending: nothing of it can be undone.
    fn reset(&mut self) {
        let all = self.desk.all();
        self.desk.put(all, "");
        self.desk.aim = Aim::Model;
        self.desk.undo.forget();
        self.history.stop();
        self.sweep();
        self.desk.pastes.restart();
    }

    /// A burst of keys that is over and was large is folded like a paste.
    fn fold_burst(&mut self, now: Instant) {
        let counts = self.counts_bursts();
        let Some(from) = self.burst.ended(now) else {
            return;
        };
        let caret = self.desk.caret;
        // What runs is seen.
        let stays = !counts || self.desk.aim == Aim::Shell;
        if stays || self.desk.last != Deed::Typed || from >= caret {
            return;
        }
        let text = self.desk.buffer.slice(from..caret);
        if Pastes::is_large(&text) {
            self.sweep();
            self.desk.fold(from..caret, text);
        }
    }

    /// Pastes that nothing refers to any more are forgotten.
    fn sweep(&mut self) {
        let desk = &mut self.desk;
        let texts = desk
            .buffer
            .lines()
            .iter()
            .map(String::as_str)
            .chain(desk.undo.texts())
            .chain(desk.kills.texts())
            .chain(self.history.texts())
            .chain(self.search.iter().map(Search::text));
        desk.pastes.keep(texts);
    }
}
