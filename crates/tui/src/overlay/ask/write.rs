//! The lines of a question that are written in: a reason, a word that a danger
//! wants whole, an answer in the user's own words. A letter in one of them is
//! never the key of a choice.

use super::{Ask, Hand, Item, Verdict, Writing, is_plain};
use crate::overlay::field::Edited;
use crate::overlay::scroll::next;
use crossterm::event::{KeyCode, KeyEvent};
use tenon_vocab::Choice;

impl Ask {
    pub(super) fn reason(&mut self, key: KeyEvent) -> Verdict {
        match key.code {
            KeyCode::Esc => self.back(),
            KeyCode::Enter => {
                let text = self.field.text().trim();
                let text = (!text.is_empty()).then(|| text.to_owned());
                self.say(Choice::DENY, text)
            }
            _ => {
                self.field.key(key);
                Verdict::Stay
            }
        }
    }

    pub(super) fn word(&mut self, key: KeyEvent, choice: usize) -> Verdict {
        match key.code {
            KeyCode::Esc => {
                self.field.clear();
                self.back()
            }
            KeyCode::Enter => {
                let chosen = self.question.choices.get(choice);
                let word = chosen.and_then(|choice| choice.typed.clone());
                let typed = self.field.text().trim().to_ascii_lowercase();
                match word {
                    Some(word) if word == typed => {
                        let id = self.id(choice).to_owned();
                        self.say(&id, Some(word))
                    }
                    _ if typed == "n" || typed == "no" => self.say(Choice::DENY, None),
                    word => {
                        let word = word.unwrap_or_default();
                        self.notice = Some(format!("that is not `{word}`: nothing was allowed"));
                        Verdict::Stay
                    }
                }
            }
            _ => {
                self.field.key(key);
                Verdict::Stay
            }
        }
    }

    /// From a line to the choices; what was written stays for the next time.
    fn back(&mut self) -> Verdict {
        self.writing = Writing::Nothing;
        Verdict::Stay
    }

    pub(super) fn mark_text(&mut self) {
        let items = self.items();
        self.marked = items
            .iter()
            .position(|item| *item == Item::Text)
            .unwrap_or(items.len());
        self.hand = Hand::Users;
    }

    pub(super) fn is_on_text(&self) -> bool {
        self.items().get(self.marked) == Some(&Item::Text)
    }

    /// A question of the model's: numbers choose until something is written.
    pub(super) fn answer(&mut self, key: KeyEvent) -> Verdict {
        match key.code {
            KeyCode::Esc => self.refuse(),
            KeyCode::Tab | KeyCode::Down => self.step(next),
            KeyCode::Up => self.step_back(),
            KeyCode::Enter if self.is_on_text() => self.written(),
            KeyCode::Enter => self.take(),
            KeyCode::Char(c) if is_plain(key) && self.awaits_number() => match self.keyed(c) {
                Some(choice) => self.pick(choice),
                None => self.write(key),
            },
            _ => self.write(key),
        }
    }

    fn awaits_number(&self) -> bool {
        self.field.is_empty() && !(self.hand == Hand::Users && self.is_on_text())
    }

    fn write(&mut self, key: KeyEvent) -> Verdict {
        if self.field.key(key) == Edited::Changed {
            self.mark_text();
            if self.field.is_empty() {
                self.hand = Hand::Ours;
            }
        }
        Verdict::Stay
    }

    fn written(&mut self) -> Verdict {
        let text = self.field.text().trim().to_owned();
        let mut characters = text.chars();
        match (characters.next(), characters.next()) {
            (None, _) => {
                self.notice = Some(String::from(
                    "nothing is written yet; esc goes on without an answer",
                ));
                Verdict::Stay
            }
            (Some(key), None) if self.keyed(key).is_some() => {
                let choice = self.keyed(key).unwrap_or_default();
                self.pick(choice)
            }
            _ => self.say(Choice::DENY, Some(text)),
        }
    }
}
