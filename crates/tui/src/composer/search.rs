//! Looking for an old text while typing a part of it (Ctrl+R). What was being
//! written comes back when the search is given up.

use super::buffer::Place;
use super::history::{Hit, Written};
use super::keys::Press;
use super::{Aim, Composer};
use crossterm::event::KeyCode;
use std::ops::Range;

#[derive(Debug)]
pub(super) struct Search {
    query: String,
    hit: Option<Hit>,
    /// The text before, with its marks, and its caret.
    text: String,
    caret: Place,
    aim: Aim,
}

/// What became of a key.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Sought {
    Taken,
    /// The search is over, and the key is still to be obeyed.
    Over,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Toward {
    Older,
    Newer,
    /// The best one for a query that has changed.
    Same,
}

impl Search {
    pub(super) fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn mode(&self) -> String {
        let state = match self.hit {
            None if !self.query.is_empty() => " (nothing found)",
            _ => "",
        };
        format!("search: {}{state}", self.query)
    }
}

impl Composer {
    pub(super) fn search_begin(&mut self) {
        self.search = Some(Search {
            query: String::new(),
            hit: None,
            text: self.desk.buffer.text(),
            caret: self.desk.caret,
            aim: self.desk.aim,
        });
    }

    pub(super) fn search_key(&mut self, press: Press) -> Sought {
        match (press.code, press.ctrl(), press.alt()) {
            (KeyCode::Char('r'), true, false) => self.search_move(Toward::Older),
            (KeyCode::Char('s'), true, false) => self.search_move(Toward::Newer),
            (KeyCode::Char('c' | 'g'), true, false) | (KeyCode::Esc, ..) => self.search_leave(),
            (KeyCode::Char('u'), true, false) => self.search_for(String::new()),
            (KeyCode::Enter, ..) => self.search_accept(),
            (KeyCode::Backspace, ..) | (KeyCode::Char('h'), true, false) => {
                let mut query = self
                    .search
                    .as_ref()
                    .map_or("", |search| &search.query)
                    .to_owned();
                query.pop();
                self.search_for(query);
            }
            (KeyCode::Char(c), false, false) if !c.is_control() => {
                self.search_type(c.encode_utf8(&mut [0; 4]));
            }
            _ => {
                self.search_accept();
                return Sought::Over;
            }
        }
        Sought::Taken
    }

    /// Typed or pasted: the query grows.
    pub(super) fn search_type(&mut self, text: &str) {
        if let Some(search) = &self.search {
            let query = format!("{}{text}", search.query);
            self.search_for(query);
        }
    }

    fn search_for(&mut self, query: String) {
        if let Some(search) = &mut self.search {
            search.query = query;
            self.search_move(Toward::Same);
        }
    }

    fn search_move(&mut self, toward: Toward) {
        let Some(search) = &mut self.search else {
            return;
        };
        if search.query.is_empty() {
            search.hit = None;
            self.search_show();
            return;
        }
        let end = self.history.len();
        let query = search.query.as_str();
        let found = match (toward, search.hit) {
            (Toward::Older, Some(hit)) => self.history.find(query, hit.entry).or(Some(hit)),
            (Toward::Newer, Some(hit)) => self.history.find_newer(query, hit.entry).or(Some(hit)),
            // An entry that still fits stays.
            (Toward::Same, Some(hit)) => self
                .history
                .find(query, hit.entry + 1)
                .or_else(|| self.history.find(query, end)),
            _ => self.history.find(query, end),
        };
        search.hit = found;
        self.search_show();
    }

    /// What was found in the place of the text; undo learns nothing of it yet.
    fn search_show(&mut self) {
        let Some(search) = &self.search else {
            return;
        };
        let (shown, caret) = match search.hit {
            Some(hit) => {
                let entry = self.history.entry(hit.entry);
                (Written::of(entry), place(entry, hit.byte))
            }
            None => {
                let shown = Written {
                    aim: search.aim,
                    text: search.text.clone(),
                };
                (shown, search.caret)
            }
        };
        let all = self.desk.all();
        self.desk.put(all, &shown.text);
        self.desk.aim = shown.aim;
        self.desk.caret = self.desk.buffer.snap(caret);
    }

    /// As it was before the search.
    fn search_leave(&mut self) {
        if let Some(search) = self.search.take() {
            let all = self.desk.all();
            self.desk.put(all, &search.text);
            self.desk.aim = search.aim;
            self.desk.caret = self.desk.buffer.snap(search.caret);
        }
    }

    /// What was found becomes the text: one step to undo.
    fn search_accept(&mut self) {
        let found = self.search.as_ref().and_then(|search| search.hit);
        let caret = self.desk.caret;
        self.search_leave();
        if let Some(hit) = found {
            let found = Written::of(self.history.entry(hit.entry));
            self.history.stop();
            self.desk.replace_all(&found.text, found.aim);
            self.desk.caret = self.desk.buffer.snap(caret);
        }
    }

    /// Where the found letters stand.
    pub(super) fn search_found(&self) -> Option<Range<Place>> {
        let search = self.search.as_ref()?;
        let hit = search.hit?;
        let entry = self.history.entry(hit.entry);
        // Lowering may change lengths: letters are counted, not bytes.
        let letters = search.query.chars().count();
        let rest = entry.get(hit.byte..)?;
        let end = rest
            .char_indices()
            .nth(letters)
            .map_or(rest.len(), |(at, _)| at);
        Some(place(entry, hit.byte)..place(entry, hit.byte + end))
    }
}

/// Where a byte of an entry stands in the text, which has no sign of the shell.
fn place(entry: &str, byte: usize) -> Place {
    let before = entry.get(..byte).unwrap_or_default();
    let before = before.strip_prefix(Aim::SIGN).unwrap_or(before);
    Place::default().after(before)
}
