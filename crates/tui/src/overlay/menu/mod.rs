//! What could complete the word at the caret: commands after `/` and what may
//! follow one, paths after `@`. Stands under the composer and takes only the keys that choose.

mod commands;
mod files;
mod words;

use super::needle::{Keep, Look, Needle, marked};
use super::scroll::{Mark, Scroll, next, previous};
use crate::composer::Token;
use crate::house::{Entry, Row};
use crate::text::{Line, Role, Span};
use commands::{Fit, Offer};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use files::Files;
use std::ops::Range;
use std::sync::Arc;
use words::Words;

/// Lines of it on the screen.
pub const HIGHEST: usize = 8;

#[derive(Debug, Default)]
pub struct Menu {
    commands: Vec<Entry>,
    /// Commands that fit the word.
    offers: Vec<Offer>,
    files: Files,
    words: Words,
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
    /// Put in the place of the word, without its `/` or `@`.
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

    /// The line about which the session is to be asked what may stand at its end.
    /// Said once: somebody asks.
    pub fn ask(&mut self) -> Option<String> {
        self.words.ask()
    }

    /// What the session offers for a line. Nothing is done with it if another one
    /// stands there now.
    pub fn words(&mut self, line: &str, words: Vec<String>) {
        let marked = match (&self.word, self.hand) {
            (Some(Token::Argument { .. }), Hand::Users) => self.choice(),
            _ => None,
        };
        self.words.given(line, words);
        if self.is_argument() {
            // The mark stays on its word, wherever that is now.
            let found = self.words.found();
            let at = marked.and_then(|marked| found.iter().position(|word| *word == marked));
            self.hand = at.map_or(Hand::Ours, |_| Hand::Users);
            self.selected = at.unwrap_or(0);
        }
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
            Some(Token::Argument { line, word }) if self.takes_something(line) => {
                self.words.seek(line, word);
            }
            Some(Token::Argument { .. }) => self.words.rest(),
            None => {}
        }
        if !matches!(token, Some(Token::Mention(_))) {
            self.files.rest();
        }
        if !matches!(token, Some(Token::Argument { .. })) {
            self.words.rest();
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
                Some(Token::Argument { .. }) => !self.words.found().is_empty(),
            }
    }

    /// Whether the line begins with a command that something may follow.
    fn takes_something(&self, line: &str) -> bool {
        let command = line.trim_start_matches('/').split(char::is_whitespace);
        let command = command.take(1).next().unwrap_or_default();
        self.commands.iter().any(|entry| {
            let mut names = std::iter::once(&entry.name).chain(&entry.aliases);
            !entry.argument.is_empty() && names.any(|name| name == command)
        })
    }

    fn is_argument(&self) -> bool {
        matches!(self.word, Some(Token::Argument { .. }))
    }

    fn is_mention(&self) -> bool {
        matches!(self.word, Some(Token::Mention(_)))
    }

    fn length(&self) -> usize {
        match &self.word {
            Some(Token::Mention(_)) => self.files.found().len(),
            Some(Token::Argument { .. }) => self.words.found().len(),
            Some(Token::Slash(_)) | None => self.offers.len(),
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
        match &self.word {
            Some(Token::Mention(_)) => {
                let row = self.files.found().get(self.selected)?;
                self.files.path(*row).map(str::to_owned)
            }
            Some(Token::Argument { .. }) => self.words.found().get(self.selected).cloned(),
            Some(Token::Slash(_)) | None => self.entry().map(|(_, entry)| entry.name.clone()),
        }
    }

    fn entry(&self) -> Option<(&Offer, &Entry)> {
        let offer = self.offers.get(self.selected)?;
        Some((offer, self.commands.get(offer.command)?))
    }

    fn enter(&self) -> Chosen {
        // It is all there, or the command goes without: Enter sends the line.
        if self.is_argument() && self.hand == Hand::Ours && self.words.is_typed() {
            return Chosen::Passed;
        }
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
        let mut lines = match &self.word {
            Some(Token::Mention(_)) => self.paths(range, columns),
            Some(Token::Argument { .. }) => self.names(range, columns),
            Some(Token::Slash(_)) | None => {
                commands::lines(&self.commands, &self.offers, range, self.selected, columns)
            }
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

    fn paths(&self, range: Range<usize>, columns: usize) -> Vec<Line> {
        let mut needle = Needle::path(self.files.word());
        range
            .filter_map(|at| {
                let path = self.files.path(*self.files.found().get(at)?)?;
                let mark = Mark::of(at, self.selected);
                Some(one(path, &mut needle, mark, Keep::End, columns))
            })
            .collect()
    }

    fn names(&self, range: Range<usize>, columns: usize) -> Vec<Line> {
        let mut needle = Needle::path(self.words.word());
        range
            .filter_map(|at| {
                let name = self.words.found().get(at)?;
                let mark = Mark::of(at, self.selected);
                Some(one(name, &mut needle, mark, Keep::Start, columns))
            })
            .collect()
    }
}

/// A word of the list, with the letters marked that were typed.
fn one(word: &str, needle: &mut Needle, mark: Mark, keep: Keep, columns: usize) -> Line {
    let role = mark.role();
    let look = Look {
        plain: role.into(),
        found: Role::Match.into(),
    };
    let letters = needle.letters(word);
    let room = columns.saturating_sub(2);
    let mut line = Line::of([Span::new(role, mark.sign())]);
    line.spans.extend(marked(word, &letters, look, keep, room));
    mark.row(line, columns)
}

/// An argument in brackets may be left out.
fn takes_nothing(entry: &Entry) -> bool {
    entry.argument.is_empty() || entry.argument.starts_with('[')
}
