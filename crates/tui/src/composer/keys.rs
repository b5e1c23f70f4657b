//! What each key means outside of vim's normal mode: the keys of readline, which
//! shells and other agents have taught everybody.

use super::edit::Deed;
use super::history::Written;
use super::motion::{self, Words};
use super::undo::Group;
use super::view::Way;
use super::{Aim, Composer, Typed};
use crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use std::time::Instant;

/// A key as terminals mean it, however they tell it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Press {
    pub(super) code: KeyCode,
    modifiers: KeyModifiers,
}

impl Press {
    /// None for a key that was let go.
    pub(super) fn of(key: KeyEvent) -> Option<Self> {
        if key.kind == KeyEventKind::Release {
            return None;
        }
        let mut press = Self {
            code: key.code,
            modifiers: key.modifiers,
        };
        if let KeyCode::Char(c) = key.code {
            press.settle(c);
        }
        Some(press)
    }

    /// The same combination is told in several ways.
    fn settle(&mut self, c: char) {
        let (ctrl, alt) = (self.ctrl(), self.alt());
        if ctrl && alt && !c.is_ascii_alphanumeric() {
            // AltGr, which types a character.
            self.modifiers -= KeyModifiers::CONTROL | KeyModifiers::ALT;
            return;
        }
        if (ctrl || alt) && c.is_ascii_uppercase() {
            self.modifiers |= KeyModifiers::SHIFT;
            self.code = KeyCode::Char(c.to_ascii_lowercase());
        }
        // Byte 0x1f is read as Ctrl+7; a shifted minus may come as it is.
        if ctrl && matches!(c, '7' | '/' | '-') || alt && c == '-' && self.shift() {
            self.code = KeyCode::Char('_');
        }
        // What older terminals cannot tell apart stays the same key.
        let twin = match c {
            'm' => KeyCode::Enter,
            '[' => KeyCode::Esc,
            _ => return,
        };
        if ctrl {
            self.modifiers -= KeyModifiers::CONTROL;
            self.code = twin;
        }
    }

    pub(super) fn ctrl(self) -> bool {
        self.modifiers.contains(KeyModifiers::CONTROL)
    }

    pub(super) fn alt(self) -> bool {
        self.modifiers.contains(KeyModifiers::ALT)
    }

    fn shift(self) -> bool {
        self.modifiers.contains(KeyModifiers::SHIFT)
    }

    /// Keys of a desktop, never of a text.
    fn is_foreign(self) -> bool {
        let desktop = KeyModifiers::SUPER | KeyModifiers::HYPER | KeyModifiers::META;
        self.modifiers.intersects(desktop)
    }
}

impl Composer {
    pub(super) fn emacs(&mut self, press: Press, now: Instant) -> Typed {
        if press.is_foreign() {
            return Typed::Passed;
        }
        match press.code {
            KeyCode::Char(c) if !press.ctrl() && !press.alt() => return self.letter(c, now),
            KeyCode::Enter => return self.enter(press, now),
            KeyCode::Tab if self.is_pasting(now) => {
                self.burst.typed('\t', now, self.desk.caret);
                self.desk.insert("\t", Group::Burst);
                return Typed::Taken;
            }
            _ => self.burst.stop(),
        }
        match press.code {
            KeyCode::Char(c) if press.ctrl() && !press.alt() => self.ctrl(c, press),
            KeyCode::Char(c) if press.alt() && !press.ctrl() => self.meta(c),
            _ => self.named(press),
        }
    }

    fn letter(&mut self, c: char, now: Instant) -> Typed {
        if c.is_control() || super::paste::is_mark(c) {
            return Typed::Passed;
        }
        let pasted = self.is_pasting(now);
        self.burst.typed(c, now, self.desk.caret);
        if c == '!' && !pasted && self.desk.takes_sign() {
            self.desk.aim = Aim::Shell;
            self.burst.opens_shell();
            return Typed::Taken;
        }
        if self.burst.is_script() && self.desk.aim == Aim::Shell {
            // Nobody typed that `!`: it is the beginning of a pasted text.
            self.desk.spell_sign();
        }
        let group = if self.burst.is_paste() && self.counts_bursts() {
            Group::Burst
        } else {
            Group::Typed
        };
        self.desk.insert(c.encode_utf8(&mut [0; 4]), group);
        Typed::Taken
    }

    fn enter(&mut self, press: Press, now: Instant) -> Typed {
        if press.shift() || press.alt() {
            return self.newline();
        }
        if self.is_pasting(now) {
            self.burst.broken(now);
            self.desk.insert("\n", Group::Burst);
            return Typed::Taken;
        }
        self.burst.stop();
        let caret = self.desk.caret;
        if self.desk.buffer.grapheme_before(caret) == Some("\\") {
            // A shell reads the backslash itself.
            if self.desk.aim == Aim::Model
                && let Some(before) = self.desk.buffer.previous(caret)
            {
                self.desk.change(before..caret, "\n", Group::Alone);
                return Typed::Taken;
            }
            return self.newline();
        }
        let text = self.desk.whole();
        if text.trim().is_empty() {
            return Typed::Taken;
        }
        let aim = self.desk.aim;
        self.reset();
        match aim {
            Aim::Model => Typed::Submit(text),
            Aim::Shell => Typed::Run(text),
        }
    }

    fn newline(&mut self) -> Typed {
        self.desk.insert("\n", Group::Typed);
        Typed::Taken
    }

    fn ctrl(&mut self, c: char, press: Press) -> Typed {
        let desk = &mut self.desk;
        let caret = desk.caret;
        match c {
            'a' => desk.caret.byte = 0,
            'e' => desk.caret = desk.buffer.line_end(caret.line),
            'b' => desk.caret = desk.buffer.previous(caret).unwrap_or(caret),
            'f' => desk.caret = desk.buffer.next(caret).unwrap_or(caret),
            'p' => self.vertical(Way::Up),
            'n' => self.vertical(Way::Down),
            'h' => self.delete_before(),
            'd' if desk.buffer.is_empty() => return Typed::Passed,
            'd' => self.delete_after(),
            'w' => desk.kill(motion::word_start(&desk.buffer, Words::Spaced, caret)),
            'u' => desk.kill(motion::towards_line_start(&desk.buffer, caret)),
            'k' => desk.kill(motion::towards_line_end(&desk.buffer, caret)),
            'y' => desk.yank(),
            'z' if press.shift() => desk.redo(),
            '_' => desk.undo(),
            'j' => return self.newline(),
            'r' => self.search_begin(),
            'o' => return desk.unfold().map_or(Typed::Passed, |()| Typed::Taken),
            'g' => return Typed::Edit,
            'x' => self.chord = super::Chord::CtrlX,
            _ => return Typed::Passed,
        }
        Typed::Taken
    }

    fn meta(&mut self, c: char) -> Typed {
        let desk = &mut self.desk;
        let caret = desk.caret;
        match c {
            'b' => desk.caret = motion::word_start(&desk.buffer, Words::Letters, caret),
            'f' => desk.caret = motion::word_end(&desk.buffer, Words::Letters, caret),
            'd' => desk.kill(motion::word_end(&desk.buffer, Words::Letters, caret)),
            'y' => desk.yank_older(),
            '_' => desk.redo(),
            '<' => desk.caret = super::buffer::Place::default(),
            '>' => desk.caret = desk.buffer.end(),
            _ => return Typed::Passed,
        }
        Typed::Taken
    }

    fn named(&mut self, press: Press) -> Typed {
        let desk = &mut self.desk;
        let caret = desk.caret;
        let by_words = press.ctrl() || press.alt();
        match press.code {
            KeyCode::Left if by_words => {
                desk.caret = motion::word_start(&desk.buffer, Words::Letters, caret);
            }
            KeyCode::Right if by_words => {
                desk.caret = motion::word_end(&desk.buffer, Words::Letters, caret);
            }
            KeyCode::Left => desk.caret = desk.buffer.previous(caret).unwrap_or(caret),
            KeyCode::Right => desk.caret = desk.buffer.next(caret).unwrap_or(caret),
            KeyCode::Home if press.ctrl() => desk.caret = super::buffer::Place::default(),
            KeyCode::End if press.ctrl() => desk.caret = desk.buffer.end(),
            KeyCode::Home => desk.caret.byte = 0,
            KeyCode::End => desk.caret = desk.buffer.line_end(caret.line),
            KeyCode::Up if !by_words => self.vertical(Way::Up),
            KeyCode::Down if !by_words => self.vertical(Way::Down),
            KeyCode::Backspace if by_words => {
                desk.kill(motion::word_start(&desk.buffer, Words::Letters, caret));
            }
            KeyCode::Delete if by_words => {
                desk.kill(motion::word_end(&desk.buffer, Words::Letters, caret));
            }
            KeyCode::Backspace => self.delete_before(),
            KeyCode::Delete => self.delete_after(),
            _ => return Typed::Passed,
        }
        Typed::Taken
    }

    /// At the beginning there is only the sign of the shell left.
    fn delete_before(&mut self) {
        let caret = self.desk.caret;
        match self.desk.buffer.previous(caret) {
            Some(before) => self.desk.remove(before..caret),
            None => self.desk.aim = Aim::Model,
        }
    }

    fn delete_after(&mut self) {
        let caret = self.desk.caret;
        if let Some(after) = self.desk.buffer.next(caret) {
            self.desk.remove(caret..after);
        }
    }

    /// A row further; beyond the first and the last row lies the history. An old
    /// text that was just brought back is passed whole, however many rows it has.
    pub(super) fn vertical(&mut self, way: Way) {
        let goal = match self.desk.last {
            Deed::Vertical(goal) => goal,
            _ => self.sight.column(&self.desk),
        };
        let passes = self.desk.last == Deed::Recalled && self.history.is_walking();
        let place = self.sight.vertical(&self.desk, way, goal);
        if let Some(place) = place.filter(|_| !passes) {
            self.desk.caret = place;
            self.desk.doing = Deed::Vertical(goal);
            return;
        }
        let shown = Written {
            aim: self.desk.aim,
            text: self.desk.buffer.text(),
        };
        let old = match way {
            Way::Up => self.history.older(shown),
            Way::Down => self.history.newer(shown),
        };
        if let Some(Written { aim, text }) = old {
            self.desk.replace_all(&text, aim);
            self.desk.doing = Deed::Recalled;
        } else if passes {
            self.desk.doing = Deed::Recalled;
        }
    }
}
