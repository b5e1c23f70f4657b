//! What could complete the word at the caret: commands after `/`, paths after
//! `@`. Stands under the composer and takes only the keys that choose.

mod commands;
mod files;

use super::needle::{Keep, Look, Needle, marked};
use super::scroll::{Mark, Scroll, next, previous};
use crate::composer::Token;
use crate::house::{Entry, Row};
use crate::text::{Line, Role, Span};
use commands::{Fit, Offer};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use files::Files;
use std::sync::Arc;

/// Lines of it on the screen.
pub const HIGHEST: usize = 8;

#[derive(Debug, Default)]
pub struct Menu {
    commands: Vec<Entry>,
    /// Commands that fit the word.
    offers: Vec<Offer>,
    files: Files,
    word: Option<Token>,
    door: Door,
    selected: usize,
    hand: Hand,
    scroll: Scroll,
}

/// Whether it was closed by hand; holds until the word changes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Door {
    #[default]
    Open,
    Shut,
}

/// Who put the mark where it is.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Hand {
    #[default]
    Ours,
    Users,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Chosen {
    /// Not a key of the menu.
    Passed,
    Stay,
    /// Put in the place of the word (Tab), without its `/` or `@`.
    Word(String),
    /// The same, and the line is sent (Enter on a command that takes nothing).
    Send(String),
    Closed,
}

impl Menu {
    #[must_use]
    pub fn new(commands: Vec<Entry>) -> Self {
        Self {
            commands,
            ..Self::default()
        }
    }

    /// The files of the workspace; until they are there it says so.
    pub fn files(&mut self, files: Arc<[Row]>) {
        self.files.given(files);
        if self.is_mention() {
            self.selected = 0;
            self.hand = Hand::Ours;
        }
    }

    /// They could not be listed.
    pub fn failed(&mut self, why: &str) {
        self.files.failed(why);
    }

    /// Files may have come and gone: the old ones serve until new ones are there.
    pub fn stale(&mut self) {
        self.files.stale();
    }

    /// Somebody is on the way to list them.
    pub fn asked(&mut self) {
        self.files.asked();
    }

    /// Follows the word at the caret. Never takes long: over very many paths
    /// the matching goes on in [`Menu::work`].
    pub fn follow(&mut self, token: Option<Token>) {
        if token == self.word {
            return;
        }
        self.door = Door::Open;
        self.selected = 0;
        self.hand = Hand::Ours;
        self.offers.clear();
        match &token {
            Some(Token::Slash(word)) => self.offers = commands::fitting(&self.commands, word),
            Some(Token::Mention(word)) => self.files.seek(word),
            None => {}
        }
        if !matches!(token, Some(Token::Mention(_))) {
            self.files.rest();
        }
        self.word = token;
    }

    /// Goes on with matching for a few milliseconds. `true` if there was some to
    /// do: what is shown may be different, and there may be more.
    pub fn work(&mut self) -> bool {
        if !self.is_mention() {
            return false;
        }
        let marked = match self.hand {
            Hand::Users => self.files.found().get(self.selected).copied(),
            Hand::Ours => None,
        };
        let worked = self.files.work();
        if worked {
            // The mark stays on its path, wherever that is now.
            let at = marked.and_then(|path| self.files.found().iter().position(|row| *row == path));
            self.selected = at.unwrap_or(0);
        }
        worked
    }

    /// Whether files are wanted that are not there yet.
    #[must_use]
    pub fn wants_files(&self) -> bool {
        self.is_mention() && self.files.are_wanted()
    }

    #[must_use]
    pub fn is_open(&self) -> bool {
        self.door == Door::Open
            && match &self.word {
                None => false,
                Some(Token::Slash(_)) => !self.offers.is_empty(),
                Some(Token::Mention(_)) => self.files.has_something_to_say(),
            }
    }

    fn is_mention(&self) -> bool {
        matches!(self.word, Some(Token::Mention(_)))
    }

    fn length(&self) -> usize {
        if self.is_mention() {
            self.files.found().len()
        } else {
            self.offers.len()
        }
    }

    pub fn key(&mut self, key: KeyEvent) -> Chosen {
        if !self.is_open() || key.kind == KeyEventKind::Release {
            return Chosen::Passed;
        }
        let control = key.modifiers == KeyModifiers::CONTROL;
        let plain = key.modifiers.is_empty();
        match key.code {
            KeyCode::Esc if plain => {
                self.door = Door::Shut;
                Chosen::Closed
            }
            _ if self.length() == 0 => Chosen::Passed,
            KeyCode::Up if plain => self.go(previous),
            KeyCode::Down if plain => self.go(next),
            KeyCode::Char('p') if control => self.go(previous),
            KeyCode::Char('n') if control => self.go(next),
            KeyCode::Tab if plain => self.complete(),
            KeyCode::Enter if plain => self.enter(),
            _ => Chosen::Passed,
        }
    }

    fn go(&mut self, to: fn(usize, usize) -> usize) -> Chosen {
        self.selected = to(self.selected, self.length());
        self.hand = Hand::Users;
        Chosen::Stay
    }

    fn complete(&self) -> Chosen {
        match self.choice() {
            Some(word) => Chosen::Word(word),
            None => Chosen::Passed,
        }
    }

    fn choice(&self) -> Option<String> {
        if self.is_mention() {
            let row = self.files.found().get(self.selected)?;
            return self.files.path(*row).map(str::to_owned);
        }
        self.entry().map(|(_, entry)| entry.name.clone())
    }

    fn entry(&self) -> Option<(&Offer, &Entry)> {
        let offer = self.offers.get(self.selected)?;
        Some((offer, self.commands.get(offer.command)?))
    }

    fn enter(&self) -> Chosen {
        if self.is_mention() {
            return match self.choice() {
                // It is all there: Enter sends the line.
                Some(path) if self.hand == Hand::Ours && self.is_typed(&path) => Chosen::Passed,
                Some(path) => Chosen::Word(path),
                None => Chosen::Passed,
            };
        }
        match self.entry() {
            // What was only guessed is shown before it is done.
            Some((offer, entry))
                if takes_nothing(entry)
                    && (offer.fit != Fit::Letters || self.hand == Hand::Users) =>
            {
                Chosen::Send(entry.name.clone())
            }
            _ => self.complete(),
        }
    }

    fn is_typed(&self, path: &str) -> bool {
        self.files.word() == path
    }

    #[must_use]
    pub fn view(&self, columns: usize, rows: usize) -> Vec<Line> {
        let rows = rows.min(HIGHEST);
        if !self.is_open() || rows == 0 || columns == 0 {
            return Vec::new();
        }
        let length = self.length();
        if length == 0 {
            return vec![Line::new(Role::Dim, &self.files.said()).cut(columns)];
        }
        // Of a list that is longer than what is shown, the last row says so.
        let fits = length <= rows || rows < 3;
        let rows = if fits { rows } else { rows - 1 };
        let range = self.scroll.around(self.selected, length, rows);
        let last = range.end;
        let mut lines = match self.is_mention() {
            true => self.paths(range, columns),
            false => commands::lines(&self.commands, &self.offers, range, self.selected, columns),
        };
        if !fits {
            let place = format!("  {} of {length}", self.selected + 1);
            let more = match length - last {
                0 => place,
                more => format!("{place} · {more} more below"),
            };
            lines.push(Line::new(Role::Dim, &more).cut(columns));
        }
        lines
    }

    fn paths(&self, range: std::ops::Range<usize>, columns: usize) -> Vec<Line> {
        let mut needle = Needle::path(self.files.word());
        range
            .filter_map(|at| {
                let path = self.files.path(*self.files.found().get(at)?)?;
                let mark = Mark::of(at, self.selected);
                let role = mark.role();
                let look = Look {
                    plain: role.into(),
                    found: Role::Match.into(),
                };
                let letters = needle.letters(path);
                let room = columns.saturating_sub(2);
                let mut line = Line::of([Span::new(role, mark.sign())]);
                line.spans
                    .extend(marked(path, &letters, look, Keep::End, room));
                Some(line.cut(columns))
            })
            .collect()
    }
}

/// An argument in brackets may be left out.
fn takes_nothing(entry: &Entry) -> bool {
    entry.argument.is_empty() || entry.argument.starts_with('[')
}
